// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HISTOGRAM_WEIGHTS_HPP
#define SWEEP_DETAIL_HISTOGRAM_WEIGHTS_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What an item adds to its bin: one or two integers, its limbs, modulo a power of two. Integers are added in
// any order, so that a histogram is the same wherever and however often it is made.

/// Items are counted.
struct count_ones {
  static constexpr int limbs = 1;
  using amount = std::uint32_t;
  SWEEP_HD void amounts(std::int64_t, amount (&of)[1]) const { of[0] = 1; }
};

/// Weights that are integers.
template <class It, class Amount>
struct integer_weights {
  static constexpr int limbs = 1;
  using amount = Amount;
  It weights;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void amounts(std::int64_t i, amount (&of)[1]) const { of[0] = static_cast<amount>(weights[i]); }
};

/// How far numbers are scaled to become integers. The magnitudes of n of them add up to 2^62 at most: a first
/// limb's is no more than 2^(62 - bits), and what it leaves is half of a unit, in 2^(63 - bits) parts.
struct fixed_point {
  double scale = 0, finer = 0;  ///< of the first limb; of what it leaves

  fixed_point() = default;
  /// For n numbers whose magnitudes are no more than \p most.
  SWEEP_HD fixed_point(double most, std::int64_t n) {
    int bits = 0;
    while (bits < 62 && std::int64_t{1} << bits < n) ++bits;
    int exponent = 0;
    if (most > 0) (void)std::frexp(most, &exponent);  // most < 2^exponent
    int const up = 62 - bits - exponent;
    scale = most < infinity ? std::ldexp(1.0, up < 1023 ? up : 1023) : -1;  // -1: some are not finite
    finer = std::ldexp(1.0, 63 - bits);
  }
  static constexpr double infinity = std::numeric_limits<double>::infinity(),
                          nothing = std::numeric_limits<double>::quiet_NaN();

  SWEEP_HD void split(double x, std::uint64_t (&limbs)[2]) const {
    double const scaled = x * scale, high = std::rint(scaled);
    limbs[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(high));
    limbs[1] = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::rint((scaled - high) * finer)));
  }
  SWEEP_HD double join(std::uint64_t high, std::uint64_t low) const {
    if (scale < 0) return nothing;
    auto const whole = static_cast<double>(static_cast<std::int64_t>(high));
    auto const part = static_cast<double>(static_cast<std::int64_t>(low));
    return (whole + part / finer) / scale;
  }
};

/// Weights that are floating-point numbers, in fixed point: 125 - 2 ceil(log2 n) bits below the largest.
template <class It>
struct fixed_point_weights {
  static constexpr int limbs = 2;
  using amount = std::uint64_t;
  It weights;
  fixed_point const* how;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void amounts(std::int64_t i, amount (&of)[2]) const {
    if (how->scale < 0) of[0] = of[1] = 0;
    else how->split(static_cast<double>(weights[i]), of);
  }
};

/// The magnitude of a weight, and the larger of two; what is no number is larger than any.
template <class It>
struct magnitude_of {
  It weights;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD double operator()(std::int64_t i) const {
    auto const x = static_cast<double>(weights[i]);
    return x < 0 ? -x : x <= fixed_point::infinity ? x : +fixed_point::infinity;
  }
};
struct larger {
  SWEEP_HD double operator()(double a, double b) const { return a < b ? b : a; }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
