// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_WARP_SEARCH_CUH
#define SWEEP_DETAIL_WARP_SEARCH_CUH

#include <sweep/version.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The first of [low, high) from which on `holds` is true, or high, found by a whole warp: 32 places are
/// looked at in each step, so the steps, each as long as a load, are few.
template <class Holds>
__device__ std::int64_t warp_find_first(std::int64_t low, std::int64_t high, Holds holds) {
  int const lane = static_cast<int>(threadIdx.x % 32);
  while (low < high) {  // false below low, true from high on
    auto const step = (high - low + 31) / 32, probe = low + lane * step;
    unsigned const all = __ballot_sync(~0u, probe >= high || holds(probe));
    int const first = all ? __ffs(static_cast<int>(all)) - 1 : 32;
    if (first < 32) high = min(high, low + first * step);
    if (first > 0) low += (first - 1) * step + 1;
  }
  return low;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
