// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_WARP_SCAN_CUH
#define SWEEP_DETAIL_WARP_SCAN_CUH

#include <sweep/detail/warp/shuffle.cuh>

namespace sweep::inline SWEEP_ABI::detail {

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

/// warp_scan_some of R rows, side by side.
template <int R, class T, class Op>
__device__ void warp_scan_rows_of_some(T (&rows)[R], unsigned (&have)[R], Op& op) {
  int const lane = threadIdx.x % 32;
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    T left[R];
#pragma unroll
    for (int r = 0; r < R; ++r) left[r] = warp_shfl_up(rows[r], by);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      bool const left_has = have[r] << by >> lane & 1u, mine = have[r] >> lane & 1u;
      if (left_has) rows[r] = mine ? static_cast<T>(op(left[r], rows[r])) : left[r];
      have[r] |= have[r] << by;
    }
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
