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

struct two_found {
  std::int64_t first, second;
};
/// Two such searches of [0, count) at once, which take as long as one.
template <class First, class Second>
__device__ two_found warp_find_two(std::int64_t count, First first_holds, Second second_holds) {
  int const lane = static_cast<int>(threadIdx.x % 32);
  std::int64_t lows[2] = {0, 0}, highs[2] = {count, count};
  while (lows[0] < highs[0] || lows[1] < highs[1]) {
    auto const step_a = (highs[0] - lows[0] + 31) / 32, step_b = (highs[1] - lows[1] + 31) / 32,
               a = lows[0] + lane * step_a, b = lows[1] + lane * step_b;
    bool const at_a = a >= highs[0] || first_holds(a), at_b = b >= highs[1] || second_holds(b);
    unsigned const all[2] = {__ballot_sync(~0u, at_a), __ballot_sync(~0u, at_b)};
    std::int64_t const steps[2] = {step_a, step_b};
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if (lows[k] >= highs[k]) continue;
      int const found = all[k] ? __ffs(static_cast<int>(all[k])) - 1 : 32;
      if (found < 32) highs[k] = min(highs[k], lows[k] + found * steps[k]);
      if (found > 0) lows[k] += (found - 1) * steps[k] + 1;
    }
  }
  return {lows[0], lows[1]};
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
