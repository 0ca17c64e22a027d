// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_TOLD_STRIPS_CUH
#define SWEEP_DETAIL_AXES_TILE_TOLD_STRIPS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/told_in_groups.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Where a lane tells and hears of some neighbouring lines, in whose chunk it has strips one behind the
/// other.
struct strips_of_chunk {
  int strips;
  std::int64_t chunk, chunks;
  std::int64_t places;  ///< of a chunk's lanes
  std::int64_t place;   ///< this lane's, in its chunk and those before it
};

/// What comes before each strip, in the place of its total, total_of(strip); `line` is the first of V. So
/// many chunks before are asked for at once.
template <int V, int AtOnce, class Problem, class TotalOf>
__device__ void tell_strips(Problem const& problem, std::int64_t line, strips_of_chunk const& own,
                            chunk_order const& order, TotalOf const& total_of) {
  using pack = line_pack<typename Problem::value, V>;
  auto op = problem.op;
  each_of_pack<decltype(op), V> ops{op};
  optional<pack> all = own.chunk == 0 ? before_pack<V>(problem, line) : optional<pack>{};
#pragma unroll 2
  for (int s = 0; s < own.strips; ++s) all = {combine(all, total_of(s), ops), true};
  told_in_groups<16, pack> const before{
      slots<pack>{order.words + own.place * slots<pack>::words, order.stamp}, static_cast<int>(own.places),
      static_cast<int>(own.chunk), static_cast<int>(own.chunks)};
  auto sum = before.template exchange<AtOnce, 40>(all.value, ops);
  if (own.chunk == 0) sum = before_pack<V>(problem, line);
#pragma unroll 2
  for (int s = 0; s < own.strips; ++s) {
    pack const total = total_of(s);
    put_bytes(total_of(s), sum.value);
    sum = {combine(sum, total, ops), true};
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
