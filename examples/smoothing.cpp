// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponential smoothing of many signals at once, without a shift in time: y[i] = 0.9 y[i - 1] + 0.1 x[i]
// forward, and the same again backward. Signals are columns, and samples lie interleaved in memory, as in
// tables and in sound files.
#include "csv.hpp"

#include <sweep/recurrence.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<double> smoothed(csv::table const& t, double keep) {
  auto y = t.values;
  auto const signals = sweep::strided(y.data(), {t.rows, t.columns()});
  for (auto& v : y) v *= 1 - keep;
  sweep::linear_recurrence(sweep::host, keep, signals, signals, sweep::along(0));
  for (auto& v : y) v *= 1 - keep;
  sweep::linear_recurrence(sweep::host, keep, signals, signals, sweep::along(0), sweep::backward);
  return y;
}

bool is_right(csv::table const& t, double keep, std::vector<double> const& found) {
  auto const columns = t.columns(), n = t.rows * columns;
  auto y = t.values;
  double size = 0, worst = 0;
  for (auto& v : y) v *= 1 - keep;
  for (std::int64_t i = columns; i < n; ++i) y[i] += keep * y[i - columns];
  for (auto& v : y) v *= 1 - keep;
  for (auto i = n - columns; i-- > 0;) y[i] += keep * y[i + columns];
  for (std::int64_t i = 0; i < n; ++i) {
    size = std::fmax(size, std::abs(t.values[i]));
    worst = std::fmax(worst, std::abs(y[i] - found[i]));
  }
  return worst <= 1e-12 * size;
}

char const* const help = "smoothing [FILE.csv [KEEP]]: the columns of numbers of a table, smoothed, as a "
                         "table; a larger KEEP (0.9)\n"
                         "smooths more, and lies below 1. Without a file: six noisy signals, and how much of "
                         "their noise is left.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (arguments.size() > 2) throw std::runtime_error("a table and a number (see --help)");
    auto const keep = arguments.size() > 1 ? program::number<double>(arguments[1]) : 0.9;
    if (!(keep >= 0 && keep < 1))
      throw std::runtime_error("KEEP is " + arguments[1] + ", but lies from 0 to below 1");
    if (!arguments.empty()) {
      auto const t = csv::read(arguments[0]);
      auto const y = smoothed(t, keep);
      for (auto const& name : t.names)
        std::printf("%s%c", name.c_str(), &name == &t.names.back() ? '\n' : ',');
      for (std::int64_t i = 0; i < t.rows * t.columns(); ++i)
        std::printf("%.9g%c", y[i], (i + 1) % t.columns() ? ',' : '\n');
      return is_right(t, keep, y);
    }
    csv::table noisy{{"a", "b", "c", "d", "e", "f"}, 2000, {}};
    auto const truth = [](std::int64_t i, std::int64_t c) {
      return std::sin(0.002 * static_cast<double>((c + 1) * i));
    };
    for (std::int64_t i = 0; i < noisy.rows; ++i)
      for (std::int64_t c = 0; c < 6; ++c)
        noisy.values.push_back(truth(i, c) + static_cast<double>(i * 7919 % 101 - 50) / 100);
    auto const y = smoothed(noisy, keep);
    double noise = 0, left = 0;
    for (std::int64_t i = 100; i + 100 < noisy.rows; ++i)
      for (std::int64_t c = 0; c < 6; ++c) {
        noise += std::pow(noisy.values[i * 6 + c] - truth(i, c), 2);
        left += std::pow(y[i * 6 + c] - truth(i, c), 2);
      }
    std::printf("of the noise %.1f %% is left\n", 100 * left / noise);
    return is_right(noisy, keep, y) && left < 0.1 * noise;
  });
}
