// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_SERIAL_TILE_HPP
#define SWEEP_DETAIL_SCAN_TILE_SERIAL_TILE_HPP

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/host/strands.hpp>
#include <sweep/detail/lookback/thread_lanes.hpp>
#include <sweep/detail/lookback/tile_state.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One host thread with a cache-sized tile. Shape of a tile, in scan order: (S strands, length). The strands
/// advance together, so that a processor has S independent chains of operations to overlap; the tile is read
/// twice, the second time from cache.
template <class Problem>
class scan_serial_tile {
  using T = typename Problem::value;
  static constexpr int strands = host_strands;
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;

 public:
  scan_serial_tile(Problem const& problem, std::uint32_t& failed) : problem_{problem}, lanes_{failed} {}

  static constexpr bool has_look_back_warp = false;

  template <class Work>
  void with_items(tile_window const& window, Work work) {
    window_ = window;
    work(*this);
  }

  void load() {
    first_ = backward ? window_.base + problem_.grid.tile_items - 1 - window_.valid_begin
                      : window_.base + window_.valid_begin;
    count_ = window_.count();
  }

  template <class Op>
  void scan(Op& op) {
    total_ = reduce_in_strands<T>(
        count_, [this](int place) { return item(place); }, op, totals_);
  }

  /// `publish` is given the tile's total and answers with the fold of everything before the tile.
  template <class Op, class Publish>
  void await_look_back(Op&, Publish publish) {
    before_ = publish(lanes_, total_, no_work{});
  }

  template <class Op>
  void store(Op& op) {
    optional<T> all = before_;
    int const count = count_, length = count / strands;
    if (length > 0) {
      T running[strands];
      for (int s = 0; s < strands; ++s) {
        running[s] = step(all, s * length, op);
        all = {combine(all, totals_[s], op), true};
      }
      for (int i = 1; i < length; ++i)
        for (int s = 0; s < strands; ++s) {
          auto const at = s * length + i;
          T const x = item(at);
          if constexpr (!inclusive) write(at, before(running[s], at));
          running[s] = op(running[s], x);
          if constexpr (inclusive) write(at, running[s]);
        }
    }
    for (int i = strands * length; i < count; ++i) all = {step(all, i, op), true};
  }

 private:
  std::int64_t memory_of(int place) const { return backward ? first_ - place : first_ + place; }
  T item(int place) const { return problem_.item(memory_of(place)); }
  T before(T const& sum, int place) const {
    return problem_.before(sum, problem_.heads_at(memory_of(place), 1), 0);
  }
  void write(int place, T const& sum) const { problem_.put(memory_of(place), sum); }

  /// Writes the item at `place` where the fold before it may be missing; returns the fold with it.
  template <class Op>
  T step(optional<T> const& before, int place, Op& op) const {
    T const x = item(place);
    T const with = combine(before, x, op);
    if constexpr (inclusive) write(place, with);
    else write(place, this->before(before.value, place));
    return with;
  }

  Problem const problem_;  // a copy: results cannot be taken for its members
  thread_lanes lanes_;
  tile_window window_{};
  std::int64_t first_ = 0;  ///< where place 0 lies in memory
  int count_ = 0;
  T totals_[strands]{};
  T total_{};
  optional<T> before_{};
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
