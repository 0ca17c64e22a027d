// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_AGENT_HPP
#define SWEEP_DETAIL_SCAN_AGENT_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/tile_state.hpp>

#include <cstdint>

namespace sweep::detail {

/// Tells a tile's total and learns what comes before the tile: the initial value stands before tile 0.
/// Tiles is a protocol of lookback/tile_state.hpp; the result is valid in the leading lane.
SWEEP_NO_EXEC_CHECK
template <class Lanes, class Tiles, class Problem, class T, class Op, class Meanwhile>
SWEEP_HD optional<T> publish_total(Lanes const& lanes, Tiles const& tiles, Problem const& problem,
                                   std::int64_t tile, T const& total, Op& op, Meanwhile const& meanwhile) {
  bool const starts = tile == 0 && problem.init.present;
  T const told = starts ? static_cast<T>(op(problem.init.value, total)) : total;
  optional<T> const before = tiles.publish_and_look_back(lanes, tile, told, op, meanwhile);
  return starts ? problem.init : before;
}

/// One block scans one tile; between its own scan and its results it tells its total and learns what came
/// before. Block is a CUDA thread block (scan/tile/register_tile.cuh, scan/tile/shared_memory_tile.cuh) or
/// one host thread (scan/tile/serial_tile.hpp).
SWEEP_NO_EXEC_CHECK
template <writes What, class Block, class Tiles, class Problem>
SWEEP_HD void scan_tile(Block& block, Tiles const& tiles, Problem const& problem, std::int64_t tile) {
  using T = typename Problem::value;
  auto op = problem.op;
  block.template run<What>(problem.grid.window(tile), op,
                           [&](auto const& lanes, T const& total, auto const& meanwhile) {
                             return publish_total(lanes, tiles, problem, tile, total, op, meanwhile);
                           });
}

/// One block scans all the tiles that it claims (block/pipeline.cuh).
SWEEP_NO_EXEC_CHECK
template <class Block, class Tiles, class Problem, class Claim>
SWEEP_HD void scan_claimed_tiles(Block& block, Tiles const& tiles, Problem const& problem, Claim claim) {
  using T = typename Problem::value;
  auto op = problem.op;
  block.run(claim, op, [&](std::int64_t tile, auto const& lanes, T const& total) {
    return publish_total(lanes, tiles, problem, tile, total, op, no_work{});
  });
}

/// Last pass of scan_then_propagate: one item, whose tile was scanned without knowing what came before.
/// local: (n), in memory order; totals: (tiles), scanned inclusively.
SWEEP_NO_EXEC_CHECK
template <class Problem, class T, class Op>
SWEEP_HD void propagate_item(Problem const& problem, std::int64_t tile, T const* local, T const* totals,
                             std::int64_t index, Op& op) {
  auto const place = problem.grid.place(index);  // in scan order
  optional<T> const before = tile > 0 ? optional<T>{totals[tile - 1], true} : problem.init;
  bool const starts_tile = place == problem.grid.tile_start(tile);
  T result = local[index];
  if (Problem::kind == scan_kind::exclusive && starts_tile)
    result = problem.before(before.value, problem.heads_at(index, 1), 0);
  else if (before.present) result = op(before.value, result);
  problem.out[index] = static_cast<typename Problem::out_value>(result);
}

}  // namespace sweep::detail

#endif
