// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SERIAL_HPP
#define SWEEP_DETAIL_BLOCK_SERIAL_HPP

#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/lanes.hpp>

#include <algorithm>
#include <cstdint>

namespace sweep::detail {

/// One host thread with a cache-sized tile. Shape of a tile, in scan order: (S strands, length). The strands advance
/// together, so that a processor has S independent chains of operations to overlap; the tile is read twice, the second
/// time from cache.
template <class Problem>
class serial_block {
  using T = typename Problem::value;
  static constexpr int strands = 8;
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;

 public:
  serial_block(Problem const& problem, std::uint32_t& failed) : problem_{problem}, lanes_{failed} {}

  /// Scans the tile. `exchange` is given the tile's total and answers with the fold of everything before the tile.
  template <writes What, class Op, class Exchange>
  void run(tile_window const& window, Op& op, Exchange exchange) {
    scan(window, op);
    before_ = exchange(lanes_, total_);
    if constexpr (What == writes::results) store(op);
  }

 private:
  template <class Op>
  void scan(tile_window const& window, Op& op) {
    first_ = backward ? window.memory + problem_.grid.tile_items - 1 - window.low : window.memory + window.low;
    count_ = window.high - window.low;
    length_ = count_ / strands;
    if (length_ > 0) {
      for (int s = 0; s < strands; ++s) totals_[s] = item(s * length_);
      for (int i = 1; i < length_; ++i)
        for (int s = 0; s < strands; ++s) totals_[s] = op(totals_[s], item(s * length_ + i));
      total_ = totals_[0];
      for (int s = 1; s < strands; ++s) total_ = op(total_, totals_[s]);
    }
    int const rest = strands * length_;  // fewer than S items
    for (int i = rest; i < count_; ++i) total_ = i > 0 ? static_cast<T>(op(total_, item(i))) : item(i);
  }

  template <class Op>
  void store(Op& op) {
    maybe<T> all = before_;
    if (length_ > 0) {
      maybe<T> sums[strands];
      for (int s = 0; s < strands; ++s) {
        sums[s] = all;
        all = {all.present ? static_cast<T>(op(all.value, totals_[s])) : totals_[s], true};
      }
      T running[strands];
      for (int s = 0; s < strands; ++s) running[s] = step(sums[s], s * length_, op);
      for (int i = 1; i < length_; ++i)
        for (int s = 0; s < strands; ++s) {
          auto const at = s * length_ + i;
          T const x = item(at);
          if constexpr (inclusive) write(at, running[s] = op(running[s], x));
          else {
            write(at, running[s]);
            running[s] = op(running[s], x);
          }
        }
    }
    for (int i = strands * length_; i < count_; ++i) all = {step(all, i, op), true};
  }

  std::int64_t memory_of(int place) const { return backward ? first_ - place : first_ + place; }
  T item(int place) const { return static_cast<T>(problem_.unary(problem_.in[memory_of(place)])); }
  void write(int place, T const& sum) const {
    problem_.out[memory_of(place)] = static_cast<typename Problem::out_value>(sum);
  }

  /// Writes the item at `place` where the fold before it may be missing; returns the fold with it.
  template <class Op>
  T step(maybe<T> const& before, int place, Op& op) const {
    T const x = item(place);
    T const with = before.present ? static_cast<T>(op(before.value, x)) : x;
    if (inclusive || before.present) write(place, inclusive ? with : before.value);
    return with;
  }

  Problem const& problem_;
  one_lane lanes_;
  std::int64_t first_ = 0;  ///< where place 0 lies in memory
  int count_ = 0, length_ = 0;
  T totals_[strands];
  T total_{};
  maybe<T> before_{};
};

}  // namespace sweep::detail

#endif
