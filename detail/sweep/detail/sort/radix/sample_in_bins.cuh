// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_SAMPLE_IN_BINS_CUH
#define SWEEP_DETAIL_SORT_RADIX_SAMPLE_IN_BINS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/version.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// What a thread sees of the bins that its keys of a sample are in, and what a block of 1,024 does, which
/// asks all at once: each question of its own takes as long as to count the keys.
struct sample_in_bins {
  struct of_keys {
    unsigned others;  ///< how often two keys are in one bin
    unsigned most;    ///< keys of a bin that a key sees, at most
    /// Three for each key that is alone in its bin, less those that see one other: above zero where the
    /// sample has missed many bins.
    int missed;

    __device__ void see(unsigned of_bin) {
      others += of_bin - 1;
      most = max(most, of_bin);
      missed += of_bin == 1 ? 3 : of_bin == 2 ? -1 : 0;
    }
  };
  struct shared {
    of_keys all, rest;          ///< rest: without those of frequent bins
    unsigned frequent, nearly;  ///< keys of frequent bins, and those of them that a sample could have missed
    unsigned of_warps[8][32];
  };

  of_keys all{}, rest{};
  unsigned frequent = 0, nearly = 0;

  /// A key in a bin of so many; whether the bin is frequent.
  __device__ bool see(unsigned of_bin, unsigned least_of_frequent) {
    all.see(of_bin);
    if (of_bin < least_of_frequent) {
      rest.see(of_bin);
      return false;
    }
    ++frequent;
    if (of_bin < 3 * least_of_frequent) ++nearly;
    return true;
  }
  /// Of all threads, which call and see it; between two calls is a barrier.
  __device__ void share(shared& smem) const {
    int const lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    unsigned const sums[8] = {__reduce_add_sync(~0u, all.others),
                              __reduce_add_sync(~0u, rest.others),
                              __reduce_add_sync(~0u, frequent),
                              __reduce_add_sync(~0u, nearly),
                              __reduce_add_sync(~0u, static_cast<unsigned>(all.missed)),
                              __reduce_add_sync(~0u, static_cast<unsigned>(rest.missed)),
                              __reduce_max_sync(~0u, all.most),
                              __reduce_max_sync(~0u, rest.most)};
    if (lane == 0)
#pragma unroll
      for (int q = 0; q < 8; ++q) smem.of_warps[q][warp] = sums[q];
    __syncthreads();
    if (warp < 8) {
      unsigned const mine = smem.of_warps[warp][lane],
                     of_block = warp < 6 ? __reduce_add_sync(~0u, mine) : __reduce_max_sync(~0u, mine);
      if (lane == 0) {
        if (warp == 0) smem.all.others = of_block;
        if (warp == 1) smem.rest.others = of_block;
        if (warp == 2) smem.frequent = of_block;
        if (warp == 3) smem.nearly = of_block;
        if (warp == 4) smem.all.missed = static_cast<int>(of_block);
        if (warp == 5) smem.rest.missed = static_cast<int>(of_block);
        if (warp == 6) smem.all.most = of_block;
        if (warp == 7) smem.rest.most = of_block;
      }
    }
    __syncthreads();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
