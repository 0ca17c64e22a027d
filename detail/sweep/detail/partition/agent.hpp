// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_AGENT_HPP
#define SWEEP_DETAIL_PARTITION_AGENT_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/tile_state.hpp>

#include <concepts>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Publishes a tile's counts and looks back for how many items of each part come before it. The last tile
/// knows, and writes, how many there are. In place, a tile writes over tiles before it: each of them
/// published its counts after it had been read. Valid in the elected lane.
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

/// What the agent asks of a tile, which is in the registers of a thread block or in the cache of a host
/// thread (partition/tile). Where one warp of a block does nothing but look back, in_look_back_warp() says
/// so, and of that warp only look_back(window, publish) is called.
template <class Tile, writes What, class Publish>
concept partitionable_tile = requires(Tile& tile, tile_window const& window, Publish const& publish) {
  tile.template classify<What>(window);          // the part of each item, and how many each part has
  tile.template await_look_back<What>(publish);  // publish(lanes, counts) gives what comes before the tile
  tile.store();                                  // each part behind what comes before it
  { Tile::has_look_back_warp } -> std::convertible_to<bool>;
};

/// One block partitions one tile.
SWEEP_NO_EXEC_CHECK
template <writes What, class Tile, class Tiles, class Problem>
SWEEP_HD void partition_tile(Tile& tile, Tiles const& tiles, Problem const& problem, std::int64_t nth) {
  auto const publish = [&](auto const& lanes, typename Problem::counts const& total) {
    return publish_counts<What>(lanes, tiles, problem, nth, total);
  };
  static_assert(partitionable_tile<Tile, What, decltype(publish)>);
  auto const window = problem.grid.window(nth);
  if constexpr (Tile::has_look_back_warp)
    if (tile.in_look_back_warp()) return tile.template look_back<What>(window, publish);
  tile.template classify<What>(window);
  tile.template await_look_back<What>(publish);
  if constexpr (What == writes::results) tile.store();
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
