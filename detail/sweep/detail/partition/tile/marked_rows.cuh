// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_MARKED_ROWS_CUH
#define SWEEP_DETAIL_PARTITION_TILE_MARKED_ROWS_CUH

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/warp/scan.cuh>

namespace sweep::inline SWEEP_ABI::detail {

/// Ranks in a warp whose lanes have R vectors each, in rows: before[r] is how many set bits come before this
/// lane's vector r; returns the warp's total. The counts of several rows share a register and its shuffles.
template <int V, int R>
__device__ int rank_in_warp(unsigned const (&masks)[R], int (&before)[R]) {
  constexpr int bits = 32 * V < 256 ? 8 : 16, fields = 32 / bits;
  int warp_total = 0;
#pragma unroll
  for (int first = 0; first < R; first += fields) {
    unsigned mine = 0;
#pragma unroll
    for (int f = 0; f < fields; ++f)
      if (first + f < R) mine |= static_cast<unsigned>(__popc(masks[first + f])) << bits * f;
    plus op;
    unsigned const sum = warp_scan(mine, op), totals = __shfl_sync(~0u, sum, 31);
#pragma unroll
    for (int f = 0; f < fields; ++f)
      if (first + f < R) {
        before[first + f] = warp_total + static_cast<int>((sum - mine) >> bits * f & ((1u << bits) - 1));
        warp_total += static_cast<int>(totals >> bits * f & ((1u << bits) - 1));
      }
  }
  return warp_total;
}

/// Which items of a lane's R vectors belong to a part, and how many of its warp's come before each vector.
template <int V, int R, bool Single>
class marked_rows {
 public:
  __device__ void mark(int r, unsigned mask) { masks_[r] = mask; }
  __device__ unsigned marks(int r) const { return masks_[r]; }
  /// How many the warp has. Then before() is asked for each vector, in order, by all lanes.
  __device__ int count() { return rank_in_warp<V>(masks_, before_); }
  __device__ int before(int r) const { return before_[r]; }

 private:
  unsigned masks_[R];
  int before_[R];
};
/// Of single items a lane keeps one bit a row: what comes before them is counted again on the way.
template <int R>
class marked_rows<1, R, true> {
  static_assert(R <= 32);

 public:
  __device__ void mark(int r, unsigned mask) { bits_ |= mask << r; }
  __device__ unsigned marks(int r) const { return bits_ >> r & 1u; }
  __device__ int count() const {
    plus op;
    return __shfl_sync(~0u, warp_scan(__popc(bits_), op), 31);
  }
  __device__ int before(int r) {
    unsigned const row = __ballot_sync(~0u, marks(r) != 0);
    int const before = rows_before_ + __popc(row & ((1u << threadIdx.x % 32) - 1));
    rows_before_ += __popc(row);
    return before;
  }

 private:
  unsigned bits_ = 0;
  int rows_before_ = 0;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
