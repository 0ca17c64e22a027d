// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_AGENT_HPP
#define SWEEP_DETAIL_SCAN_AGENT_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>

namespace sweep::detail {

/// One block scans one tile; between its own scan and its results it tells its total and learns what came before.
/// Block is a CUDA thread block (block/rows.cuh, block/shared.cuh) or one host thread (block/serial.hpp); Tiles is a
/// protocol of lookback/tile_state.hpp.
template <writes What, class Block, class Tiles, class Problem>
SWEEP_HD void scan_tile(Block& block, Tiles const& tiles, Problem const& problem, std::int64_t tile) {
  using T = typename Problem::value;
  auto op = problem.op;
  block.template run<What>(problem.grid.window(tile), op, [&](auto const& lanes, T const& total) -> maybe<T> {
    if (tile > 0 || !problem.init.present) return tiles.exchange(lanes, tile, total, op);
    tiles.exchange(lanes, tile, static_cast<T>(op(problem.init.value, total)), op);  // what follows starts with it
    return problem.init;
  });
}

/// Last pass of scan_then_propagate: one item, whose tile was scanned without knowing what came before.
/// local: (n), in memory order; totals: (tiles), scanned inclusively.
template <class Problem, class T, class Op>
SWEEP_HD void propagate_item(Problem const& problem, T const* local, T const* totals, std::int64_t index, Op& op) {
  auto const place = problem.grid.place(index);  // in scan order
  auto const tile = place / problem.grid.tile_items;
  maybe<T> const before = tile > 0 ? maybe<T>{totals[tile - 1], true} : problem.init;
  bool const starts_tile = place == problem.grid.tile_start(tile);
  T result = local[index];
  if (Problem::kind == scan_kind::exclusive && starts_tile) result = before.value;
  else if (before.present) result = op(before.value, result);
  problem.out[index] = static_cast<typename Problem::out_value>(result);
}

}  // namespace sweep::detail

#endif
