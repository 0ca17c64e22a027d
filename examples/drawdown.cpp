// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of its value each column of a table has lost at worst so far, from any row to a later one: one
// scan down the columns. A stretch of rows is its highest and its lowest value and the worst fall within it;
// of two stretches the worst fall lies in the one, in the other, or goes from the first one's highest value
// to the second one's lowest.
#include "csv.hpp"

#include <sweep/axes.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// What is left after a fall is a share of what was there: 1 where nothing fell.
struct stretch {
  double high, low, left;
};

/// Of each item of a table of positive values the worst fall up to its row, in percent.
std::vector<double> running_drawdown(csv::table const& t) {
  std::vector<stretch> found(t.values.size());
  sweep::transform_inclusive_scan(
      sweep::host, sweep::strided(t.values.data(), {t.rows, t.columns()}),
      sweep::strided(found.data(), {t.rows, t.columns()}), sweep::along(0),
      [](stretch const& a, stretch const& b) {
        return stretch{std::max(a.high, b.high), std::min(a.low, b.low),
                       std::min({a.left, b.left, b.low / a.high})};
      },
      [](double value) {
        return stretch{value, value, 1};
      });
  std::vector<double> percent;
  for (auto const& s : found) percent.push_back(100 * (1 - s.left));
  return percent;
}

bool is_right(csv::table const& t, std::vector<double> const& percent) {
  auto const columns = static_cast<std::size_t>(t.columns());
  for (std::size_t c = 0; c < columns; ++c) {
    double high = 0, left = 1;
    for (std::size_t i = c; i < t.values.size(); i += columns) {
      high = std::max(high, t.values[i]);
      left = std::min(left, t.values[i] / high);
      if (percent[i] != 100 * (1 - left)) return false;
    }
  }
  return true;
}

/// Prices that wander, and sometimes fall.
csv::table made_up() {
  csv::table t{{"steady", "wild", "fallen"}, 5000, {}};
  std::uint32_t noise = 1;
  double price[] = {100, 100, 100};
  for (int row = 0; row < t.rows; ++row)
    for (int c = 0; c < 3; ++c) {
      noise = noise * 1664525u + 1013904223u;
      price[c] *= 1.0002 + (c == 1 ? 0.04 : 0.004) * (noise / 4294967296.0 - 0.5);
      if (c == 2 && row == 3000) price[c] /= 4;
      t.values.push_back(price[c]);
    }
  return t;
}

char const* const help = "drawdown [FILE.csv]: of each column of positive numbers of a table the greatest "
                         "fall so far, in percent, at ten\n"
                         "rows and at the last. Columns of other things, as dates are, are left out. Without "
                         "a file: of prices made here.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (arguments.size() > 1) throw std::runtime_error("one file, or none (see --help)");
    auto const t = arguments.empty() ? made_up() : csv::read(arguments[0]);
    for (std::size_t i = 0; i < t.values.size(); ++i)
      if (!(t.values[i] > 0))
        throw std::runtime_error("row " + std::to_string(i / t.names.size() + 1) + " under '" +
                                 t.names[i % t.names.size()] + "' is " + std::to_string(t.values[i]) +
                                 ", but a share of a value needs it positive");
    auto const percent = running_drawdown(t);
    std::printf("%8s", "row");
    for (auto const& name : t.names) std::printf(" %12s", name.c_str());
    auto const step = std::max<std::int64_t>(t.rows / 10, 1);
    for (std::int64_t row = (t.rows - 1) % step; row < t.rows; row += step) {
      std::printf("\n%8lld", static_cast<long long>(row + 1));
      for (std::int64_t c = 0; c < t.columns(); ++c)
        std::printf(" %10.3f %%", percent[row * t.columns() + c]);
    }
    std::printf("\n");
    return is_right(t, percent);
  });
}
