// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addition of very long integers without a chain of carries. Each place does one of three things to a carry
// that comes from below, whatever it may be: it stops it, lets it through (it holds only nines), or makes
// one. Of two places, one above the other, the upper one decides, unless it lets through: an associative
// operator, and its scan knows all carries at once.
#include "program.hpp"

#include <sweep/scan.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Places of 18 decimal digits, the lowest first; none are leading zeros.
using number = std::vector<std::uint64_t>;
constexpr int digits = 18;
constexpr std::uint64_t base = 1'000'000'000'000'000'000;

enum class carry : unsigned char { stops, passes, begins };

number add(number const& a, number const& b) {
  auto const& longer = a.size() < b.size() ? b : a;
  auto const& shorter = a.size() < b.size() ? a : b;
  number sum = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) sum[i] += shorter[i];
  sum.push_back(0);  // where the highest carry goes

  std::vector<carry> from_below(sum.size());
  sweep::transform_exclusive_scan(
      sweep::host, sum.begin(), sum.end(), from_below.begin(), carry::stops,
      [](carry below, carry above) { return above == carry::passes ? below : above; },
      [](std::uint64_t place) {
        return place >= base ? carry::begins : place == base - 1 ? carry::passes : carry::stops;
      });
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = (sum[i] + (from_below[i] == carry::begins)) % base;
  if (sum.back() == 0) sum.pop_back();
  return sum;
}

number add_place_by_place(number const& a, number const& b) {
  number sum;
  std::uint64_t from_below = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    auto const place = (i < a.size() ? a[i] : 0) + (i < b.size() ? b[i] : 0) + from_below;
    sum.push_back(place % base);
    from_below = place / base;
  }
  if (from_below) sum.push_back(from_below);
  return sum;
}

number read(std::string const& name) {
  auto const text = program::read(name);
  auto rest = program::trimmed(text);
  if (rest.empty()) throw program::bad_file(name, "has no digits");
  if (auto const at = rest.find_first_not_of("0123456789"); at != std::string_view::npos)
    throw program::bad_file(name, "character " + std::to_string(at + 1) + " is no digit");
  rest.remove_prefix(std::min(rest.find_first_not_of('0'), rest.size()));
  number value;
  while (!rest.empty()) {
    auto const length = std::min<std::size_t>(rest.size(), digits);
    program::is_number(rest.substr(rest.size() - length), value.emplace_back());
    rest.remove_suffix(length);
  }
  return value;
}

std::string text_of(number const& value) {
  std::string text = value.empty() ? "0" : std::to_string(value.back());
  for (auto i = value.size(); i-- > 1;) {
    auto const place = std::to_string(value[i - 1]);
    text += std::string(digits - place.size(), '0') + place;
  }
  return text;
}

char const* const help = "long_addition [FILE FILE]: the sum of two integers, each the decimal digits of a "
                         "file. Without files: a number of\n"
                         "a million nines and one, and Fibonacci's 20000th number.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (arguments.size() == 1 || arguments.size() > 2)
      throw std::runtime_error("two files, or none (see --help)");
    if (arguments.size() == 2) {
      auto const a = read(arguments[0]), b = read(arguments[1]), sum = add(a, b);
      std::printf("%s\n", text_of(sum).c_str());
      return sum == add_place_by_place(a, b);
    }
    auto const sum = text_of(add(number(1'000'000 / digits + 1, base - 1), {1}));
    bool right = sum[0] == '1' && sum.find_first_not_of('0', 1) == std::string::npos;
    std::printf("nines and one: a one and %zu zeros\n", sum.size() - 1);

    number before{}, fibonacci{1};
    for (int k = 1; k < 20'000; ++k) {
      auto next = add(before, fibonacci);
      if (k % 1000 == 0) right = right && next == add_place_by_place(before, fibonacci);
      before = std::move(fibonacci);
      fibonacci = std::move(next);
    }
    auto const text = text_of(fibonacci);
    std::printf("Fibonacci's 20000th number has %zu digits: %s...%s\n", text.size(),
                text.substr(0, 20).c_str(), text.substr(text.size() - 20).c_str());
    return right && text.size() == 4180 && text.substr(0, 6) == "253116";
  });
}
