// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_FLAGGED_SCAN_CUH
#define SWEEP_DETAIL_SEGMENTS_FLAGGED_SCAN_CUH

#include <sweep/detail/segments/flagged.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

namespace sweep::inline SWEEP_ABI::detail {

// A warp's scans (warp/scan.cuh) of flagged values. One ballot tells every lane in which lane the segment
// begins that it lies in: flags need not travel with the values, and a lane takes what is left of it where
// that is not before its segment. The same values meet in the same brackets.

/// Whether a segment begins in this lane or before it, and in which lane its own does, 0 where none.
struct lane_segment {
  bool begins;
  int first;
};
/// `heads`: the lanes in which segments begin.
__device__ inline lane_segment segment_of_lane(unsigned heads) {
  unsigned const up_to = heads & ((2u << threadIdx.x % 32) - 1);
  return {up_to != 0, 31 - __clz(static_cast<int>(up_to | 1))};
}

template <class V, class Flag, class Op>
  requires is_flag<Flag> __device__ flagged<V, Flag> warp_scan(flagged<V, Flag> const& given,
                                                               segmented_op<Op>& op) {
    int const lane = threadIdx.x % 32;
    auto const segment = segment_of_lane(__ballot_sync(~0u, given.heads));
    V value = given.value;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      V const left = warp_shfl_up(value, by);
      if (lane - by >= segment.first) value = static_cast<V>(op.op(left, value));
    }
    return {value, static_cast<Flag>(segment.begins)};
  }

template <int R, class V, class Flag, class Op>
requires is_flag<Flag> __device__ void warp_scan_rows_of_some(flagged<V, Flag> (&rows)[R],
                                                              unsigned (&have)[R], segmented_op<Op>& op) {
  int const lane = threadIdx.x % 32;
  lane_segment segment[R];
#pragma unroll
  for (int r = 0; r < R; ++r) segment[r] = segment_of_lane(__ballot_sync(~0u, rows[r].heads) & have[r]);
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    V left[R];
#pragma unroll
    for (int r = 0; r < R; ++r) left[r] = warp_shfl_up(rows[r].value, by);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      bool const left_has = have[r] << by >> lane & 1u, mine = have[r] >> lane & 1u;
      if (left_has && (!mine || lane - by >= segment[r].first))
        rows[r].value = mine ? static_cast<V>(op.op(left[r], rows[r].value)) : left[r];
      have[r] |= have[r] << by;
    }
  }
#pragma unroll
  for (int r = 0; r < R; ++r) rows[r].heads = static_cast<Flag>(segment[r].begins);
}

template <class V, class Flag, class Op>
requires is_flag<Flag> __device__ unsigned warp_scan_some(flagged<V, Flag>& value, unsigned have,
                                                          segmented_op<Op>& op) {
  flagged<V, Flag> row[1] = {value};
  unsigned has[1] = {have};
  warp_scan_rows_of_some(row, has, op);
  value = row[0];
  return has[0];
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
