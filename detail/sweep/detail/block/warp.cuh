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

template <class T>
__device__ T warp_shfl_xor(T const& value, int with) {
  return warp_words(value, [with](unsigned word) { return __shfl_xor_sync(~0u, word, with); });
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

/// which ? a : b, chosen in registers, where the language would choose between addresses.
template <class T>
__device__ T select(bool which, T const& a, T const& b) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned of_a[words] = {}, of_b[words] = {};
  memcpy(of_a, &a, sizeof(T));
  memcpy(of_b, &b, sizeof(T));
#pragma unroll
  for (int w = 0; w < words; ++w) of_a[w] = which ? of_a[w] : of_b[w];
  T chosen;
  memcpy(&chosen, of_a, sizeof(T));
  return chosen;
}

/// op(mine, other's), in the order of the lanes, of a lane and the one `by` away, which is given `for_other`.
template <class T, class Op>
__device__ T warp_join(T const& mine, T const& for_other, int by, Op& op) {
  T const other = warp_shfl_xor(for_other, by);
  bool const right = (threadIdx.x & static_cast<unsigned>(by)) != 0;
  return op(select(right, other, mine), select(right, mine, other));
}

/// The fold of R rows of 32 lanes, row after row, in all lanes; R is a power of two. Neighbours join and each
/// keeps half of the rows, so R rows take R + 4 shuffles, not 5 R.
template <int R, int By = 1, class T, class Op>
__device__ T warp_fold_rows(T const (&rows)[R], Op& op) {
  static_assert((R & (R - 1)) == 0);
  if constexpr (R > 1) {
    bool const right = (threadIdx.x & By) != 0;
    T kept[R / 2];
#pragma unroll
    for (int r = 0; r < R / 2; ++r)
      kept[r] =
          warp_join(select(right, rows[r + R / 2], rows[r]), select(right, rows[r], rows[r + R / 2]), By, op);
    T const half = warp_fold_rows<R / 2, 2 * By>(kept, op);
    return warp_join(half, half, By, op);  // this bit of the lane says which half of the rows it has
  } else {
    T sum = rows[0];
#pragma unroll
    for (int by = By; by < 32; by *= 2) sum = warp_join(sum, sum, by, op);
    return sum;
  }
}

}  // namespace sweep::detail

#endif
