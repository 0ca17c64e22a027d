// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HOST_STRANDS_HPP
#define SWEEP_DETAIL_HOST_STRANDS_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/tile_size.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// item(0) op item(1) op ... op item(count - 1), count > 0, in strands of equal length that advance together,
/// so that a processor has independent chains of operations to overlap. totals: (host_strands), written where
/// a strand has items; what is left over of the division comes last.
template <class T, class Item, class Op>
T reduce_in_strands(int count, Item item, Op& op, T* totals) {
  constexpr int strands = host_strands;
  int const length = count / strands;
  T total{};
  if (length > 0) {
    T sums[strands];  // a local: nothing that is written may be one of the operands
    for (int s = 0; s < strands; ++s) sums[s] = item(s * length);
    for (int i = 1; i < length; ++i) {
      SWEEP_STEPS_AT_ONCE
      for (int s = 0; s < strands; ++s) sums[s] = op(sums[s], item(s * length + i));
    }
    total = sums[0];
    for (int s = 1; s < strands; ++s) total = op(total, sums[s]);
    std::copy(sums, sums + strands, totals);
  }
  for (int i = strands * length; i < count; ++i) total = i > 0 ? static_cast<T>(op(total, item(i))) : item(i);
  return total;
}

/// Folds of fewer items are one chain: their neighbours overlap with it, and one loop is one end to guess.
inline constexpr std::int64_t short_fold = 64;

/// The fold of items [first, end), of which there are many, in strands of equal length and then what is left
/// over; where a value is so wide that it is several chains itself, one strand after the other.
/// fold.fold(first, end) folds some items one after the other, fold.add(sum, first, end) adds such to a sum.
template <class T, class Fold>
T fold_in_strands(std::int64_t first, std::int64_t end, Fold const& fold) {
  constexpr int strands = host_strands;
  auto const length = (end - first) / strands;
  if (end - first < short_fold) return fold.fold(first, end);
  T total{};
  if constexpr (sizeof(T) > 16) {
    total = fold.fold(first, first + length);
    for (int s = 1; s < strands; ++s)
      total = static_cast<T>(
          fold.op(total, fold.fold(first + s * length, s + 1 < strands ? first + (s + 1) * length : end)));
    return total;
  } else {
    T sums[strands];
    for (int s = 0; s < strands; ++s) sums[s] = fold.item(first + s * length);
    for (auto k = first + 1; k < first + length; ++k) {
      SWEEP_STEPS_AT_ONCE
      for (int s = 0; s < strands; ++s) sums[s] = static_cast<T>(fold.op(sums[s], fold.item(k + s * length)));
    }
    total = sums[0];
    for (int s = 1; s < strands; ++s) total = static_cast<T>(fold.op(total, sums[s]));
    fold.add(total, first + strands * length, end);
    return total;
  }
}

/// item(0) + ... + item(count - 1), count > 0, of numbers. Integers are left to the compiler, which may add
/// them in any order, from the first one on: behind it vectors would lie across lines of memory.
/// Floating-point numbers go to as many sums as fill its vectors, always the same ones.
template <class T, class Count, class Item>
T sum_in_lanes(Count count, Item item) {
  constexpr int lanes = 128 / static_cast<int>(sizeof(T));
  if constexpr (std::is_integral_v<T>) {
    T sum{};
    SWEEP_STEPS_AT_ONCE
    for (Count i = 0; i < count; ++i) sum = static_cast<T>(sum + item(i));
    return sum;
  } else if (count < lanes) {
    T sum = item(0);
    for (Count i = 1; i < count; ++i) sum += item(i);
    return sum;
  } else {
    T sums[lanes];
    for (int lane = 0; lane < lanes; ++lane) sums[lane] = item(lane);
    Count i = lanes;
    for (; i + lanes <= count; i += lanes) {
      SWEEP_IN_REGISTERS
      for (int lane = 0; lane < lanes; ++lane) sums[lane] += item(i + lane);
    }
    for (int lane = 0; i + lane < count; ++lane) sums[lane] += item(i + lane);
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return sums[0];
  }
}
/// Whether an operator adds such numbers.
template <class Op, class T>
inline constexpr bool adds_numbers = adds<Op, T> && (std::is_integral_v<T> || std::is_floating_point_v<T>);

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
