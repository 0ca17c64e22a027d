// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of two strings comes first, and where they begin to differ: one reduction. A stretch of both is a
// pair: how many bytes agree before the first difference, and which of the two is greater there. Of two
// neighbouring stretches the left one decides, unless it has no difference: an operator that does not
// commute.
#include "program.hpp"

#include <sweep/reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct comparison {
  std::int64_t same;  ///< bytes before the first difference
  int order;          ///< -1, 1: the first, the second is greater there; 0: no difference
};

comparison compare(std::string const& a, std::string const& b) {
  auto const shorter = static_cast<std::int64_t>(std::min(a.size(), b.size()));
  auto found = sweep::transform_reduce(
      sweep::host, a.begin(), a.begin() + shorter, b.begin(), comparison{0, 0},
      [](comparison x, comparison y) {
        return x.order != 0 ? x : comparison{x.same + y.same, y.order};
      },
      [](char x, char y) {
        return x == y ? comparison{1, 0}
                      : comparison{0, static_cast<unsigned char>(x) < static_cast<unsigned char>(y) ? -1 : 1};
      });
  if (found.order == 0 && a.size() != b.size()) found.order = a.size() < b.size() ? -1 : 1;
  return found;
}

bool is_right(std::string const& a, std::string const& b, comparison found) {
  auto const plain = a.compare(b);
  auto const differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  return found.order == (plain > 0) - (plain < 0) && found.same == differ;
}

char const* const help =
    "compare_strings [FILE FILE]: which of two files comes first in lexicographic order of their bytes, and "
    "where\n"
    "they begin to differ. Without files: of strings made here, and compared by a loop too.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (arguments.size() == 1 || arguments.size() > 2)
      throw std::runtime_error("two files, or none (see --help)");
    if (arguments.size() == 2) {
      auto const a = program::read(arguments[0]), b = program::read(arguments[1]);
      auto const found = compare(a, b);
      char const* const relations[] = {"comes before", "is the same as", "comes after"};
      std::printf("the first %s the second: they agree in %lld bytes\n", relations[found.order + 1],
                  static_cast<long long>(found.same));
      return is_right(a, b, found);
    }
    std::mt19937 chance(1);
    int right = 0;
    constexpr int pairs = 100;
    for (int k = 0; k < pairs; ++k) {
      std::string a(chance() % 20'000, 'a');
      for (auto& c : a) c = static_cast<char>(chance() % 256);
      auto b = a;
      if (!b.empty() && k % 5 != 0) b[chance() % b.size()] = static_cast<char>(chance() % 256);
      if (k % 3 == 0) b.resize(chance() % 20'000, 'b');
      right += is_right(a, b, compare(a, b));
    }
    std::printf("%d of %d pairs of strings are in the order in which a loop puts them\n", right, pairs);
    return right == pairs;
  });
}
