// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_AGENT_HPP
#define SWEEP_DETAIL_PARTITION_AGENT_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/tile_state.hpp>

#include <cstdint>

namespace sweep::detail {

/// One block compacts one tile: it counts each side's items, tells the counts, learns how many came before
/// the tile, and writes each side's items behind those. The last tile knows, and writes, how many there are.
/// In place, a tile writes where the tiles before it have been read: their counts were told after that.
/// Block is a CUDA thread block (block/compact.cuh) or one host thread (block/serial_compact.hpp).
SWEEP_SIDE_OF_CALLER
template <writes What, class Block, class Tiles, class Problem>
SWEEP_HD void compact_tile(Block& block, Tiles const& tiles, Problem const& problem, std::int64_t tile) {
  using counts = typename Problem::counts;
  block.template run<What>(problem.grid.window(tile), [&](auto const& lanes, counts const& total) {
    plus op;
    if constexpr (Problem::in_place) fence();
    counts const before = tiles.exchange(lanes, tile, total, op).value;  // 0 before tile 0
    if constexpr (Problem::in_place) fence();
    if constexpr (What == writes::results)
      if (lanes.leads() && tile >= problem.grid.tiles() - 1) problem.write_counts(before + total);
    return before;
  });
}

}  // namespace sweep::detail

#endif
