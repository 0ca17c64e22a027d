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

/// The same by 2^log_lanes neighbouring lanes, at most 16, each of which group has a range and an answer of
/// its own. All lanes of a warp call.
template <class Holds>
__device__ std::int64_t group_find_first(std::int64_t low, std::int64_t high, int log_lanes, Holds holds) {
  int const lanes = 1 << log_lanes, nth = static_cast<int>(threadIdx.x) & (lanes - 1),
            shift = static_cast<int>(threadIdx.x % 32) - nth;
  while (__any_sync(~0u, low < high)) {
    auto const step = (high - low >> max(log_lanes, 1)) + 1, probe = low + (nth + 1) * step - 1;
    unsigned const all = __ballot_sync(~0u, probe >= high || holds(probe)) >> shift & ((1u << lanes) - 1);
    int const first = all ? __ffs(static_cast<int>(all)) - 1 : lanes;
    if (first < lanes) high = min(high, low + (first + 1) * step - 1);
    low = min(high, low + first * step);
  }
  return low;
}

/// One step of such a search by so many neighbouring lanes, of places each of which lies above the one
/// before.
template <int Lanes, class Place, class Holds>
__device__ void narrow_by_lanes(std::int64_t& low, std::int64_t& high, Place const& place, Holds& holds) {
  int const nth = static_cast<int>(threadIdx.x % Lanes), shift = static_cast<int>(threadIdx.x % 32) - nth;
  auto const probe = place(nth);
  bool const at = probe >= high || (probe >= low && holds(probe));
  unsigned const all = __ballot_sync(~0u, at) >> shift & ((1u << Lanes) - 1);
  int const first = all ? __ffs(static_cast<int>(all)) - 1 : Lanes;
  auto const above = first < Lanes ? place(first) : high, below = first > 0 ? place(first - 1) + 1 : low;
  high = max(min(high, above), low);
  low = min(max(low, below), high);
}

/// The same search by four neighbouring lanes, which first look at places on either side of a guess, near it
/// and far from it: where it is good few steps are left.
template <class Holds>
__device__ std::int64_t four_lanes_find_first(std::int64_t low, std::int64_t high, std::int64_t guess,
                                              int near, int far, Holds holds) {
  narrow_by_lanes<4>(
      low, high,
      [&](int i) {
        int const away = i == 0 || i == 3 ? far : near;
        return i < 2 ? guess - away : guess + away;
      },
      holds);
  return group_find_first(low, high, 2, holds);
}

/// The same by half a warp, another range and answer for each half. The first step looks around a guess, at
/// distances that double: where it is good one step more is all.
template <class Holds>
__device__ std::int64_t half_warp_find_first(std::int64_t low, std::int64_t high, std::int64_t guess,
                                             Holds holds) {
  narrow_by_lanes<16>(
      low, high,
      [&](int i) {
        return i < 8 ? guess - (std::int64_t{1} << (7 - i)) : guess - 1 + (std::int64_t{1} << (i - 8));
      },
      holds);
  while (__any_sync(~0u, low < high)) {
    auto const from = low, step = (high - low + 15) / 16;
    narrow_by_lanes<16>(
        low, high, [&](int i) { return from + i * step; }, holds);
  }
  return low;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
