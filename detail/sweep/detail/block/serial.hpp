// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SERIAL_HPP
#define SWEEP_DETAIL_BLOCK_SERIAL_HPP

#include <sweep/detail/core/host_tile.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/lanes.hpp>

#include <cstdint>

namespace sweep::detail {

/// One host thread with a cache-sized tile. Shape of a tile, in scan order: (S strands, length). The strands
/// advance together, so that a processor has S independent chains of operations to overlap; the tile is read
/// twice, the second time from cache.
template <class Problem>
class serial_block {
  using T = typename Problem::value;
  static constexpr int strands = host_strands;
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;

 public:
  serial_block(Problem const& problem, std::uint32_t& failed) : problem_{problem}, lanes_{failed} {}

  /// Scans the tile. `exchange` is given the tile's total and answers with the fold of everything before the
  /// tile.
  template <writes What, class Op, class Exchange>
  void run(tile_window const& window, Op& op, Exchange exchange) {
    scan(window, op);
    before_ = exchange(lanes_, total_, [] {});
    if constexpr (What == writes::results) store(op);
  }

 private:
  template <class Op>
  void scan(tile_window const& window, Op& op) {
    first_ =
        backward ? window.memory + problem_.grid.tile_items - 1 - window.low : window.memory + window.low;
    count_ = window.high - window.low;
    length_ = count_ / strands;
    int const length = length_, count = count_;
    T total{};
    if (length > 0) {
      T totals[strands];  // a local: nothing that is written may be one of the operands
      for (int s = 0; s < strands; ++s) totals[s] = item(s * length);
      for (int i = 1; i < length; ++i)
        for (int s = 0; s < strands; ++s) totals[s] = op(totals[s], item(s * length + i));
      total = totals[0];
      for (int s = 1; s < strands; ++s) total = op(total, totals[s]);
      std::copy(totals, totals + strands, totals_);
    }
    for (int i = strands * length; i < count; ++i)
      total = i > 0 ? static_cast<T>(op(total, item(i))) : item(i);
    total_ = total;
  }

  template <class Op>
  void store(Op& op) {
    maybe<T> all = before_;
    int const length = length_, count = count_;
    if (length > 0) {
      T running[strands];
      for (int s = 0; s < strands; ++s) {
        running[s] = step(all, s * length, op);
        all = {all.present ? static_cast<T>(op(all.value, totals_[s])) : totals_[s], true};
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

  std::int64_t memory_of(int place) const { return backward ? first_ - place : first_ + place; }
  T item(int place) const { return problem_.item(memory_of(place)); }
  T before(T const& sum, int place) const {
    return problem_.before(sum, problem_.heads_at(memory_of(place), 1), 0);
  }
  void write(int place, T const& sum) const {
    problem_.out[memory_of(place)] = static_cast<typename Problem::out_value>(sum);
  }

  /// Writes the item at `place` where the fold before it may be missing; returns the fold with it.
  template <class Op>
  T step(maybe<T> const& before, int place, Op& op) const {
    T const x = item(place);
    T const with = before.present ? static_cast<T>(op(before.value, x)) : x;
    if constexpr (inclusive) write(place, with);
    else write(place, this->before(before.value, place));
    return with;
  }

  Problem const problem_;  // a copy: results cannot be taken for its members
  one_lane lanes_;
  std::int64_t first_ = 0;  ///< where place 0 lies in memory
  int count_ = 0, length_ = 0;
  T totals_[strands]{};
  T total_{};
  maybe<T> before_{};
};

}  // namespace sweep::detail

#endif
