// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_AGENT_HPP
#define SWEEP_DETAIL_SCAN_AGENT_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/tile_state.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Publishes a tile's total and looks back for what comes before the tile: the initial value stands before
/// tile 0. Tiles is a protocol of lookback/tile_state.hpp; the result is valid in the elected lane.
SWEEP_NO_EXEC_CHECK
template <class Lanes, class Tiles, class Problem, class Total, class Op, class Meanwhile>
SWEEP_HD auto publish_total(Lanes const& lanes, Tiles const& tiles, Problem const& problem, std::int64_t tile,
                            Total const& total, Op& op, Meanwhile const& meanwhile) {
  using T = typename Problem::value;
  bool const starts = tile == 0 && problem.init.present;
  auto const published = [&] {
    T const mine = known_total(total);
    return starts ? static_cast<T>(op(problem.init.value, mine)) : mine;
  };
  optional<T> const before =
      tiles.publish_and_look_back(lanes, tile, total_when_known{published}, op, meanwhile);
  return starts ? problem.init : before;
}

/// The same for one tile after the other of a block; or apart, where the protocol hears_ahead.
template <class Tiles, class Problem, class Op>
struct scan_publisher {
  using T = typename Problem::value;
  static constexpr bool hears_ahead = requires { requires Tiles::hears_ahead; };
  Tiles const& tiles;
  Problem const& problem;
  Op& op;

  template <class Lanes>
  SWEEP_HD auto operator()(Lanes const& lanes, std::int64_t tile, T const& total) const {
    return publish_total(lanes, tiles, problem, tile, total, op, no_work{});
  }
  template <class Lanes>
  SWEEP_HD void tell(Lanes const& lanes, std::int64_t tile, T const& total) const {
    tiles.tell(lanes, tile, starts(tile) ? static_cast<T>(op(problem.init.value, total)) : total);
  }
  template <class Lanes>
  SWEEP_HD auto listen(Lanes const& lanes) const {
    return tiles.listen(lanes);
  }
  template <class Kept>
  SWEEP_HD optional<T> hear(Kept& kept, std::int64_t tile) const {
    optional<T> const before = kept.before(tile, op);
    return starts(tile) ? optional<T>{problem.init} : before;
  }

 private:
  SWEEP_HD bool starts(std::int64_t tile) const { return tile == 0 && problem.init.present; }
};

/// A tile's way to all others.
template <class Tiles, class Problem, class Op>
struct tile_publisher {
  Tiles const& tiles;
  Problem const& problem;
  std::int64_t tile;
  Op& op;

  SWEEP_NO_EXEC_CHECK
  template <class Lanes, class Total, class Meanwhile>
  SWEEP_HD auto operator()(Lanes const& lanes, Total const& total, Meanwhile const& meanwhile) const {
    return publish_total(lanes, tiles, problem, tile, total, op, meanwhile);
  }
  /// For a tile that knows what comes before it. False where it must look back all the same, for others.
  SWEEP_NO_EXEC_CHECK
  template <class Lanes, class Total>
  SWEEP_HD bool alone(Lanes const& lanes, Total const& total) const {
    if constexpr (requires { tiles.publish_alone(lanes, tile, total); })
      return tiles.publish_alone(lanes, tile, total);
    else return false;
  }
};

/// What the agent asks of a tile's items, which are in the registers or the shared memory of a thread block,
/// or in the cache of a host thread (scan/tile).
template <class Items, class Op, class Publish>
concept scannable_items = requires(Items& items, Op& op, Publish const& publish) {
  items.load();
  items.scan(op);                      // by themselves
  items.await_look_back(op, publish);  // publish(lanes, total, meanwhile) gives what comes before the tile
  items.store(op);                     // with what comes before them
};

/// What one block does with its tile's items.
template <writes What, class Op, class Publish>
struct scan_items {
  Op& op;
  Publish const& publish;

  SWEEP_NO_EXEC_CHECK
  template <class Items>
  SWEEP_HD void operator()(Items&& items) const {
    static_assert(scannable_items<Items, Op, Publish>);
    items.load();
    items.scan(op);
    items.await_look_back(op, publish);
    if constexpr (What == writes::results) items.store(op);
  }
};

/// One block scans one tile, which gives its items to scan_items in with_items(window, work). Where one warp
/// of a block does nothing but look back, in_look_back_warp() says so, and that warp is asked look_back
/// alone.
SWEEP_NO_EXEC_CHECK
template <writes What, class Tile, class Tiles, class Problem>
SWEEP_HD void scan_tile(Tile& tile, Tiles const& tiles, Problem const& problem, std::int64_t nth) {
  auto op = problem.op;
  tile_publisher<Tiles, Problem, decltype(op)> const publish{tiles, problem, nth, op};
  auto const window = problem.grid.window(nth);
  if constexpr (Tile::has_look_back_warp)
    if (tile.in_look_back_warp()) return tile.look_back(window, op, publish);
  tile.with_items(window,
                  scan_items<What, decltype(op), std::remove_const_t<decltype(publish)>>{op, publish});
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
  problem.put(index, result);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
