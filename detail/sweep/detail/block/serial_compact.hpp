// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SERIAL_COMPACT_HPP
#define SWEEP_DETAIL_BLOCK_SERIAL_COMPACT_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/lanes.hpp>
#include <sweep/detail/partition/problem.hpp>

#include <cstdint>

namespace sweep::detail {

/// One host thread with a cache-sized tile. Each side's items are known by a list of their places in the
/// tile, made without branches; the judge is asked once for every item.
template <class Problem>
class serial_compact_block {
  using counts = typename Problem::counts;
  using raw = typename Problem::raw;
  using place = std::uint16_t;
  static constexpr int sides = Problem::sides, written = Problem::written;

 public:
  serial_compact_block(Problem const& problem, std::uint32_t& failed)
      : problem_{problem},
        lanes_{failed},
        places_{std::make_unique_for_overwrite<place[]>(
            static_cast<std::size_t>(sides * problem.grid.tile_items))} {}

  /// Compacts the tile. `exchange` is given the tile's counts and answers with those of everything before it.
  template <writes What, class Exchange>
  void run(tile_window const& window, Exchange exchange) {
    first_ = window.memory + window.low;
    judge(window.high - window.low);
    if constexpr (What == writes::results && Problem::in_place) take();
    counts total;
    std::copy(count_, count_ + sides - 1, total.of);
    counts const before = exchange(lanes_, total);
    if constexpr (What == writes::results) write(before);
  }

 private:
  place* list(int side) const { return places_.get() + side * problem_.grid.tile_items; }

  void judge(int count) {
    auto const& told = problem_.told();
    place* lists[sides];
    int found[sides]{};
    for (int s = 0; s < sides; ++s) lists[s] = list(s);
    for (int i = 0; i < count; ++i) {
      int side = 0;
      if constexpr (Problem::looks_left) {
        if (first_ + i > 0) side = problem_.judge(told[first_ + i - 1], told[first_ + i]);
      } else {
        side = problem_.judge(told[first_ + i]);
      }
      for (int s = 0; s < sides; ++s) {
        lists[s][found[s]] = static_cast<place>(i);
        found[s] += side == s;
      }
    }
    std::copy(found, found + sides, count_);
  }

  /// In place, items leave memory before others are told that they may write there.
  void take() {
    int n = 0;
    for (int s = 0; s < written; ++s) n += count_[s];
    taken_ = std::make_unique_for_overwrite<raw[]>(static_cast<std::size_t>(n));
    n = 0;
    for (int s = 0; s < written; ++s)
      for (int j = 0; j < count_[s]; ++j) taken_[n++] = problem_.in[first_ + list(s)[j]];
  }

  void write(counts const& before) {
    std::int64_t rest = first_;  // of the items before this tile, those of the last side
    for (auto const c : before.of) rest -= c;
    if (Problem::in_place && rest == 0 && count_[sides - 1] == 0 && sides == 2)
      return;  // all in their places
    int taken = 0;
    for_each_side<written>([&](auto side) {
      auto at = rest;
      if constexpr (side < sides - 1) at = before.of[side];
      for (int j = 0; j < count_[side]; ++j)
        if constexpr (Problem::in_place) problem_.template put<side>(at + j, taken_[taken++]);
        else problem_.template put<side>(at + j, problem_.in[first_ + list(side)[j]]);
    });
  }

  Problem const problem_;  // a copy: results cannot be taken for its members
  one_lane lanes_;
  std::unique_ptr<place[]> places_;  ///< (sides, tile)
  std::unique_ptr<raw[]> taken_;
  std::int64_t first_ = 0;
  int count_[sides]{};
};

}  // namespace sweep::detail

#endif
