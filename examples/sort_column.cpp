// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A column of a CSV file sorted, with the numbers of the rows it came from: sort_by_key, and argsort, which
// leaves the column as it is. Shows the greatest entries, and checks the order against the standard
// library's.
//
//   example_sort_column [file [column]]
#include <sweep/sweep.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// Field `column` of a line, without looking at quotes.
std::string field(std::string const& line, int column) {
  std::istringstream fields(line);
  std::string one;
  for (int k = 0; k <= column; ++k)
    if (!std::getline(fields, one, ',')) return {};
  return one;
}

}  // namespace

int main(int argc, char** argv) {
  char const* const name = argc > 1 ? argv[1] : SWEEP_EXAMPLE_CSV;
  std::ifstream file(name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  if (lines.size() < 2) {
    std::printf("%s has no rows\n", name);
    return 1;
  }
  // The column that is asked for, or else the first in which row 1 has a number.
  int column = argc > 2 ? std::atoi(argv[2]) : 0;
  auto const is_number = [](std::string const& text) {
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return end != text.c_str();
  };
  while (argc <= 2 && column < 100 && !is_number(field(lines[1], column))) ++column;

  std::vector<double> keys;
  std::vector<std::int32_t> rows;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (auto const text = field(lines[i], column); is_number(text)) {
      keys.push_back(std::strtod(text.c_str(), nullptr));
      rows.push_back(static_cast<std::int32_t>(i));
    }

  auto const given = keys;
  std::vector<std::int32_t> order(keys.size());
  sweep::argsort(given, order, std::greater<>{});
  sweep::sort_by_key(sweep::host, keys, rows, std::greater<>{});

  std::vector<std::int32_t> expected(given.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](std::int32_t a, std::int32_t b) {
    return given[static_cast<std::size_t>(a)] > given[static_cast<std::size_t>(b)];
  });
  bool const right = order == expected && sweep::is_sorted(keys, std::greater<>{});

  std::printf("%s: the greatest of %d numbers under '%s'\n", name, static_cast<int>(keys.size()),
              field(lines[0], column).c_str());
  for (std::size_t i = 0; i < std::min<std::size_t>(5, keys.size()); ++i)
    std::printf("%12g  row %d\n", keys[i], rows[i]);
  std::printf("the same order as std::stable_sort: %s\n", right ? "yes" : "NO");
  return right ? 0 : 1;
}
