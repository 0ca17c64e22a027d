// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_AGENT_HPP
#define SWEEP_DETAIL_PARTITION_AGENT_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/tile_state.hpp>

#include <cstdint>

namespace sweep::detail {

/// Tells a tile's counts and learns how many items of each part come before it. The last tile knows, and
/// writes, how many there are. In place, a tile writes where the tiles before it have been read: their counts
/// were tested after that. Valid in the leading lane.
SWEEP_NO_EXEC_CHECK
template <writes What, class Lanes, class Tiles, class Problem>
SWEEP_HD typename Problem::counts publish_counts(Lanes const& lanes, Tiles const& tiles,
                                                 Problem const& problem, std::int64_t tile,
                                                 typename Problem::counts const& total) {
  plus op;
  if constexpr (Problem::in_place) fence();
  auto const before = tiles.publish_and_look_back(lanes, tile, total, op).value;  // 0 before tile 0
  if constexpr (Problem::in_place) fence();
  if constexpr (What == writes::results)
    if (lanes.elected() && tile >= problem.grid.tiles() - 1) problem.write_counts(before + total);
  return before;
}

/// One block compacts one tile: it counts each part's items, tells the counts, and writes each part's items
/// behind those that come before them. Block is a CUDA thread block (partition/tile/register_tile.cuh) or one
/// host thread (partition/tile/serial_tile.hpp).
SWEEP_NO_EXEC_CHECK
template <writes What, class Block, class Tiles, class Problem>
SWEEP_HD void partition_tile(Block& block, Tiles const& tiles, Problem const& problem, std::int64_t tile) {
  block.template run<What>(problem.grid.window(tile),
                           [&](auto const& lanes, typename Problem::counts const& total) {
                             return publish_counts<What>(lanes, tiles, problem, tile, total);
                           });
}

/// One block compacts all the tiles that it claims (partition/tile/staged_tile.cuh).
SWEEP_NO_EXEC_CHECK
template <class Block, class Tiles, class Problem, class Claim>
SWEEP_HD void partition_claimed_tiles(Block& block, Tiles const& tiles, Problem const& problem, Claim claim) {
  block.run(claim, [&](std::int64_t tile, auto const& lanes, typename Problem::counts const& total) {
    return publish_counts<writes::results>(lanes, tiles, problem, tile, total);
  });
}

}  // namespace sweep::detail

#endif
