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
/// Two such searches of [0, count) at once, which take as long as one. The first step also looks around where
/// they are guessed to end, at distances that double: near a good guess one step more is all.
template <class First, class Second>
__device__ two_found warp_find_two(std::int64_t count, two_found guess, First first_holds,
                                   Second second_holds) {
  int const lane = static_cast<int>(threadIdx.x % 32);
  std::int64_t lows[2] = {0, 0}, highs[2] = {count, count};
  // False below low, true from high on; a lane looked at `probe`, and each lane's lies above the one before.
  auto const narrow = [&](int k, std::int64_t probe, bool holds) {
    unsigned const all = __ballot_sync(~0u, holds);
    int const found = all ? __ffs(static_cast<int>(all)) - 1 : 32;
    auto const here = __shfl_sync(~0u, probe, found % 32), below = __shfl_sync(~0u, probe, (found + 31) % 32);
    if (found < 32) highs[k] = min(highs[k], here);
    if (found > 0) lows[k] = max(lows[k], below + 1);
  };
  auto const looks_at = [&](std::int64_t probe, auto& holds) {
    return probe >= count || (probe >= 0 && holds(probe));
  };
  auto const step = (count + 31) / 32, even = lane * step;
  // Lane 15 looks below the guess, lane 16 at it.
  auto const apart =
      lane < 16 ? -(std::int64_t{1} << (2 * (15 - lane))) : (std::int64_t{1} << (2 * (lane - 16))) - 1;
  auto const a = guess.first + apart, b = guess.second + apart, a2 = guess.first + 2 * apart,
             b2 = guess.second + 2 * apart;
  bool const even_a = looks_at(even, first_holds), even_b = looks_at(even, second_holds),
             at_a = looks_at(a, first_holds), at_b = looks_at(b, second_holds),
             at_a2 = looks_at(a2, first_holds), at_b2 = looks_at(b2, second_holds);
  narrow(0, even, even_a);
  narrow(0, a, at_a);
  narrow(0, a2, at_a2);
  narrow(1, even, even_b);
  narrow(1, b, at_b);
  narrow(1, b2, at_b2);
  while (lows[0] < highs[0] || lows[1] < highs[1]) {
    std::int64_t probes[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) probes[k] = min(lows[k] + lane * ((highs[k] - lows[k] + 31) / 32), highs[k]);
    bool const holds[2] = {probes[0] >= highs[0] || first_holds(probes[0]),
                           probes[1] >= highs[1] || second_holds(probes[1])};
#pragma unroll
    for (int k = 0; k < 2; ++k) narrow(k, probes[k], holds[k]);
  }
  return {lows[0], lows[1]};
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
