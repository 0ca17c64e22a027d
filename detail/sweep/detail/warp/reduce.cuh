// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_WARP_REDUCE_CUH
#define SWEEP_DETAIL_WARP_REDUCE_CUH

#include <sweep/detail/warp/shuffle.cuh>

namespace sweep::inline SWEEP_ABI::detail {

/// Lane l receives the fold of lanes l, l + 1, ..., count - 1, in that order; lanes below `from` take no
/// part. All lanes give the same count.
template <class T, class Op>
__device__ T warp_reduce_right(T value, int count, Op& op, int from = 0) {
  int const lane = threadIdx.x % 32;
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    if (by >= count) break;
    T const right = warp_shfl_down(value, by);
    if (lane >= from && lane + by < count) value = op(value, right);
  }
  return value;
}

/// The same of lanes 0 to count - 1, in lane 0, in little code: for what is done seldom, whose instructions
/// have to be fetched. All lanes give the same count.
template <class T, class Op>
__device__ T warp_reduce_briefly(T value, int count, Op& op) {
  int const lane = threadIdx.x % 32;
#pragma unroll 1
  for (int by = 1; by < count; by *= 2) {
    T const right = warp_shfl_down(value, by);
    if (lane + by < count) value = op(value, right);
  }
  return value;
}

/// The fold of so many values in shared memory, of which each lane has a run of neighbours; in lane 0.
template <class T, class Op>
__device__ T warp_reduce_values(T const* values, int count, Op& op) {
  int const lane = threadIdx.x % 32, each = (count + 31) / 32, first = min(lane * each, count),
            end = min(first + each, count);
  T sum{};
  for (int k = first; k < end; ++k) sum = k > first ? static_cast<T>(op(sum, values[k])) : values[k];
  return warp_reduce_briefly(sum, (count + each - 1) / max(each, 1), op);
}

/// op(mine, other's), in the order of the lanes, of a lane and the one `by` away, which is given `for_other`.
template <class T, class Op>
__device__ T warp_join(T const& mine, T const& for_other, int by, Op& op) {
  T const other = warp_shfl_xor(for_other, by);
  bool const right = (threadIdx.x & static_cast<unsigned>(by)) != 0;
  return op(select_registers(right, other, mine), select_registers(right, mine, other));
}

/// The fold of R rows of 32 lanes, row after row, in all lanes; R is a power of two. Neighbours join and each
/// keeps half of the rows, so R rows take R + 4 shuffles, not 5 R.
template <int R, int By = 1, class T, class Op>
__device__ T warp_reduce_rows(T const (&rows)[R], Op& op) {
  static_assert((R & (R - 1)) == 0);
  if constexpr (R > 1) {
    bool const right = (threadIdx.x & By) != 0;
    T kept[R / 2];
#pragma unroll
    for (int r = 0; r < R / 2; ++r)
      kept[r] = warp_join(select_registers(right, rows[r + R / 2], rows[r]),
                          select_registers(right, rows[r], rows[r + R / 2]), By, op);
    T const half = warp_reduce_rows<R / 2, 2 * By>(kept, op);
    return warp_join(half, half, By, op);  // this bit of the lane says which half of the rows it has
  } else {
    T sum = rows[0];
#pragma unroll
    for (int by = By; by < 32; by *= 2) sum = warp_join(sum, sum, by, op);
    return sum;
  }
}

/// The same of the first `count` values, row by row, at least one; no lane gives the operator any other. All
/// lanes give the same count. first: values before the rows.
template <int R, int By = 1, class T, class Op>
__device__ T warp_reduce_rows_of_some(T const (&rows)[R], int count, Op& op, int first = 0) {
  static_assert((R & (R - 1)) == 0);
  int const lane = static_cast<int>(threadIdx.x % 32);
  // What two lanes have, of which the right one's begins with value number `nth`.
  auto const join = [&](T const& mine, T const& for_other, int by, int nth) {
    T const other = warp_shfl_xor(for_other, by);
    bool const right = (lane & by) != 0;
    T const left = select_registers(right, other, mine);
    return nth < count ? static_cast<T>(op(left, select_registers(right, mine, other))) : left;
  };
  auto const right_of = [&](int by) { return (lane & -2 * by) | by; };
  if constexpr (R > 1) {
    bool const right = (lane & By) != 0;
    int const own = right ? first + R / 2 * 32 : first;
    T kept[R / 2];
#pragma unroll
    for (int r = 0; r < R / 2; ++r)
      kept[r] = join(select_registers(right, rows[r + R / 2], rows[r]),
                     select_registers(right, rows[r], rows[r + R / 2]), By, own + r * 32 + right_of(By));
    T const half = warp_reduce_rows_of_some<R / 2, 2 * By>(kept, count, op, own);
    return join(half, half, By, first + R / 2 * 32);
  } else {
    T sum = rows[0];
#pragma unroll
    for (int by = By; by < 32; by *= 2) sum = join(sum, sum, by, first + right_of(by));
    return sum;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
