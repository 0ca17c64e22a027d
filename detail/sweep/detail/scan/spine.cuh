// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_SPINE_CUH
#define SWEEP_DETAIL_SCAN_SPINE_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/warp/scan.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One block scans the totals of all tiles in place, so many at a time.
template <class T, class Op>
struct spine_job {
  static constexpr int threads = 256, blocks = 1;
  T* totals;
  std::int64_t count;
  optional<T> init;
  Op op;

  __device__ void operator()() const {
    __shared__ alignas(T) unsigned char memory[threads / 32 * sizeof(T)];
    auto* const warps = reinterpret_cast<T*>(memory);
    auto mine = op;
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    optional<T> before = init;
    for (std::int64_t first = 0; first < count; first += threads) {
      auto const i = first + threadIdx.x;
      T sum = i < count ? totals[i] : T{};
      warp_scan_some(sum, __ballot_sync(~0u, i < count), mine);
      if (lane == 31) put_bytes(warps[warp], sum);
      __syncthreads();
      for (int w = 0; w < warp && first + w * 32 < count; ++w)
        before = {combine(before, warps[w], mine), true};
      if (i < count) put_bytes(totals[i], combine(before, sum, mine));
      for (int w = warp; w < threads / 32 && first + w * 32 < count; ++w)
        before = {combine(before, warps[w], mine), true};
      __syncthreads();
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
