// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponential smoothing of many signals at once, without a shift in time: y[i] = 0.9 y[i - 1] + 0.1 x[i]
// forward, and the same again backward. Signals are columns, and samples lie interleaved in memory, as in
// sound files.
#include <sweep/sweep.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  constexpr int samples = 2000, channels = 6;
  constexpr double keep = 0.9;
  std::vector<double> x(samples * channels), y(x.size());
  for (int i = 0; i < samples; ++i)
    for (int c = 0; c < channels; ++c)
      x[i * channels + c] = std::sin(0.002 * (c + 1) * i) + (i * 7919 % 101 - 50) / 100.0;

  auto const noisy = sweep::strided(x.data(), {samples, channels}),
             smooth = sweep::strided(y.data(), {samples, channels});
  auto const measured = x;
  for (auto& v : x) v *= 1 - keep;
  sweep::linear_recurrence(sweep::host, keep, noisy, smooth, sweep::along(0));
  for (auto& v : y) v *= 1 - keep;
  sweep::linear_recurrence(sweep::host, keep, smooth, smooth, sweep::along(0), sweep::backward);

  double noise = 0, left = 0;
  for (int i = 100; i + 100 < samples; ++i)
    for (int c = 0; c < channels; ++c) {
      double const truth = std::sin(0.002 * (c + 1) * i);
      noise += std::pow(measured[i * channels + c] - truth, 2);
      left += std::pow(y[i * channels + c] - truth, 2);
    }
  std::printf("of the noise %.1f %% is left\n", 100 * left / noise);
  return left < 0.1 * noise ? 0 : 1;
}
