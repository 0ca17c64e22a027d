// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_WARP_CUH
#define SWEEP_DETAIL_BLOCK_WARP_CUH

#include <cstring>
#include <type_traits>

namespace sweep::detail {

// Shuffles and folds over the 32 lanes of a warp, for values of any size, all lanes taking part.

template <class T, class Shuffle>
__device__ T warp_words(T const& value, Shuffle shuffle) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned part[words] = {};
  memcpy(part, &value, sizeof(T));
#pragma unroll
  for (int w = 0; w < words; ++w) part[w] = shuffle(part[w]);
  T moved;
  memcpy(&moved, part, sizeof(T));
  return moved;
}

template <class T>
__device__ T warp_shfl(T const& value, int lane) {
  return warp_words(value, [lane](unsigned word) { return __shfl_sync(~0u, word, lane); });
}
template <class T>
__device__ T warp_shfl_up(T const& value, int by) {
  return warp_words(value, [by](unsigned word) { return __shfl_up_sync(~0u, word, by); });
}
template <class T>
__device__ T warp_shfl_down(T const& value, int by) {
  return warp_words(value, [by](unsigned word) { return __shfl_down_sync(~0u, word, by); });
}

/// Inclusive scan in lane order (Kogge-Stone).
template <class T, class Op>
__device__ T warp_scan(T value, Op& op) {
  int const lane = threadIdx.x % 32;
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    T const left = warp_shfl_up(value, by);
    if (lane >= by) value = op(left, value);
  }
  return value;
}

/// The same where only lanes whose bit is set in `have` hold a value; lanes without one receive what is left
/// of them. Returns the mask of lanes that hold one afterwards.
template <class T, class Op>
__device__ unsigned warp_scan_some(T& value, unsigned have, Op& op) {
  int const lane = threadIdx.x % 32;
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    T const left = warp_shfl_up(value, by);
    bool const left_has = have << by >> lane & 1u, mine = have >> lane & 1u;
    if (left_has) value = mine ? static_cast<T>(op(left, value)) : left;
    have |= have << by;
  }
  return have;
}

/// Lane l receives the fold of lanes l, l + 1, ..., count - 1, in that order; lanes below `from` are not
/// asked.
template <class T, class Op>
__device__ T warp_fold_right(T value, int count, Op& op, int from = 0) {
  int const lane = threadIdx.x % 32;
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    T const right = warp_shfl_down(value, by);
    if (lane >= from && lane + by < count) value = op(value, right);
  }
  return value;
}

}  // namespace sweep::detail

#endif
