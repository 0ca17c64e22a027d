// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filters of a sound, all channels at once. A filter of second order feeds back the two results before,
//   y[i] = b0 x[i] + b1 x[i - 1] + b2 x[i - 2] - a1 y[i - 1] - a2 y[i - 2],
// and is two recurrences of first order, one after the other, whose factors are its poles: complex numbers. A
// moving average is a running sum, of which two items are subtracted: as fast for a long window as for a
// short one. Channels lie side by side, so that time is axis 0.
#include "wav.hpp"

#include <sweep/recurrence.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using complex = std::complex<double>;

struct biquad {
  double b0, b1, b2, a1, a2;
};

/// Butterworth's filter, which lets pass what is below a frequency, or above it (Bristow-Johnson's formulas).
biquad butterworth(bool low, double frequency, double rate) {
  if (!(frequency > 0 && 2 * frequency < rate))
    throw std::runtime_error("a filter's frequency lies between 0 and half the sound's rate, which is " +
                             std::to_string(rate));
  auto const w = 2 * std::numbers::pi * frequency / rate, alpha = std::sin(w) / std::numbers::sqrt2,
             a0 = 1 + alpha;
  auto const edge = (low ? 1 - std::cos(w) : 1 + std::cos(w)) / a0;
  return {edge / 2, low ? edge : -edge, edge / 2, -2 * std::cos(w) / a0, (1 - alpha) / a0};
}

/// Sample i of a channel counted k samples back, with silence before the first.
double back(wav::sound const& s, std::int64_t i, std::int64_t k) {
  return i < k * s.channels ? 0 : s.samples[static_cast<std::size_t>(i - k * s.channels)];
}

wav::sound filtered(wav::sound const& s, biquad const& f) {
  auto const n = static_cast<std::int64_t>(s.samples.size());
  std::vector<complex> y(s.samples.size());
  for (std::int64_t i = 0; i < n; ++i)
    y[i] = f.b0 * back(s, i, 0) + f.b1 * back(s, i, 1) + f.b2 * back(s, i, 2);
  auto const root = std::sqrt(complex(f.a1 * f.a1 / 4 - f.a2));
  auto const view = sweep::strided(y.data(), {s.length(), s.channels});
  for (auto const pole : {-f.a1 / 2 + root, -f.a1 / 2 - root})
    sweep::linear_recurrence(sweep::host, pole, view, view, sweep::along(0));
  wav::sound out{s.rate, s.channels, {}};
  for (auto const& value : y) out.samples.push_back(value.real());
  return out;
}

/// The mean of the `window` samples up to each one; there are fewer at the beginning.
wav::sound averaged(wav::sound const& s, std::int64_t window) {
  if (window < 1) throw std::runtime_error("an average is of at least one sample");
  // In whole numbers: sums of rounded ones would lose more the longer a sound is.
  constexpr double unit = 1 << 24;
  std::vector<std::int64_t> sums;
  for (auto const sample : s.samples) sums.push_back(std::llround(unit * sample));
  auto const view = sweep::strided(sums.data(), {s.length(), s.channels});
  sweep::inclusive_scan(sweep::host, view, view, sweep::along(0));
  wav::sound out{s.rate, s.channels, {}};
  for (std::int64_t t = 0, i = 0; t < s.length(); ++t)
    for (std::int64_t c = 0; c < s.channels; ++c, ++i) {
      auto const before = t < window ? 0 : sums[static_cast<std::size_t>(i - window * s.channels)];
      out.samples.push_back(static_cast<double>(sums[i] - before) /
                            (unit * static_cast<double>(std::min(t + 1, window))));
    }
  return out;
}

bool is_right(wav::sound const& x, biquad const& f, wav::sound const& found) {
  auto y = x;
  double worst = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(y.samples.size()); ++i) {
    y.samples[i] = f.b0 * back(x, i, 0) + f.b1 * back(x, i, 1) + f.b2 * back(x, i, 2) - f.a1 * back(y, i, 1) -
                   f.a2 * back(y, i, 2);
    worst = std::max(worst, std::abs(y.samples[i] - found.samples[i]));
  }
  return worst < 1e-12 * wav::loudest;
}
bool is_right(wav::sound const& x, std::int64_t window, wav::sound const& found) {
  double worst = 0;
  for (std::int64_t t = 0; t < x.length(); t += 97)
    for (std::int64_t c = 0; c < x.channels; ++c) {
      double sum = 0;
      auto const count = std::min(t + 1, window);
      for (std::int64_t k = 0; k < count; ++k) sum += back(x, t * x.channels + c, k);
      worst = std::max(worst, std::abs(sum / static_cast<double>(count) - found.samples[t * x.channels + c]));
    }
  return worst < 1e-7;
}

/// How loud a sound is: the root of its mean square, in decibels below the loudest.
double loudness(wav::sound const& s) {
  double sum = 0;
  for (auto const sample : s.samples) sum += sample * sample;
  return 10 * std::log10(sum / static_cast<double>(std::max<std::size_t>(s.samples.size(), 1)) + 1e-20);
}

/// A low tone on the left, a high one on the right.
wav::sound two_tones() {
  wav::sound s{44'100, 2, {}};
  for (int i = 0; i < 44'100; ++i)
    for (double frequency : {110.0, 5000.0})
      s.samples.push_back(0.5 * std::sin(2 * std::numbers::pi * frequency * i / 44'100));
  return s;
}

char const* const help = "sound_filter [IN.wav OUT.wav FILTER AMOUNT [FILTER AMOUNT]...]: filters a sound, "
                         "the filters one after the other:\n"
                         "  low HZ       lets pass what is below a frequency\n"
                         "  high HZ      lets pass what is above it\n"
                         "  average N    the mean of the last N samples\n"
                         "Reads PCM of 8, 16, 24 and 32 bits and float of 32, writes PCM of 16 bits. Without "
                         "arguments: filters two tones.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (!arguments.empty() && (arguments.size() < 4 || arguments.size() % 2 != 0))
      throw std::runtime_error("which file to which, and through which filters? (see --help)");
    std::vector<std::string> filters(arguments.begin() + (arguments.empty() ? 0 : 2), arguments.end());
    if (filters.empty()) filters = {"low", "700", "high", "40", "average", "50"};

    auto sound = arguments.empty() ? two_tones() : wav::read(arguments[0]);
    std::printf("%lld samples of %lld channels, %lld a second: %.1f dB\n",
                static_cast<long long>(sound.length()), static_cast<long long>(sound.channels),
                static_cast<long long>(sound.rate), loudness(sound));
    bool right = true;
    for (std::size_t k = 0; k < filters.size(); k += 2) {
      auto const& kind = filters[k];
      wav::sound result;
      if (kind == "average") {
        auto const window = program::number<std::int64_t>(filters[k + 1]);
        result = averaged(sound, window);
        right = right && is_right(sound, window, result);
      } else if (kind == "low" || kind == "high") {
        auto const f = butterworth(kind == "low", program::number<double>(filters[k + 1]),
                                   static_cast<double>(sound.rate));
        result = filtered(sound, f);
        right = right && is_right(sound, f, result);
      } else {
        throw std::runtime_error("there is no filter '" + kind + "' (see --help)");
      }
      sound = std::move(result);
      std::printf("%s %s: %.1f dB\n", kind.c_str(), filters[k + 1].c_str(), loudness(sound));
    }
    if (!arguments.empty()) wav::write(arguments[1], sound);
    return right;
  });
}
