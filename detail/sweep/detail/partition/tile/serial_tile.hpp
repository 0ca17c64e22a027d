// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_SERIAL_TILE_HPP
#define SWEEP_DETAIL_PARTITION_TILE_SERIAL_TILE_HPP

#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/thread_lanes.hpp>
#include <sweep/detail/partition/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sweep/detail/core/standard.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// One host thread with a cache-sized tile. Each part's items are known by a list of their places in the
/// tile, made without branches; the selector is called once for every item.
template <class Problem>
class partition_serial_tile {
  using counts = typename Problem::counts;
  using raw = typename Problem::raw;
  static constexpr int parts = Problem::parts, written = Problem::written;

 public:
  using place = std::uint16_t;
  using taken_item = std::conditional_t<Problem::in_place, raw, std::byte>;
  /// A member's memory. places: (parts, tile); taken: (tile), in place alone.
  partition_serial_tile(Problem const& problem, std::uint32_t& failed, place* places, taken_item* taken)
      : problem_{problem}, lanes_{failed}, places_{places}, taken_{taken} {}

  static constexpr bool has_look_back_warp = false;

  /// Calls the selector for each item, and counts each part.
  template <writes What>
  void classify(tile_window const& window) {
    first_ = window.base + window.valid_begin;
    select(window.count());
    if constexpr (What == writes::results && Problem::in_place) take();
  }

  /// `publish` is given the tile's counts and answers with those of everything before it.
  template <writes What, class Publish>
  void await_look_back(Publish publish) {
    counts total;
    std::copy(count_, count_ + parts - 1, total.of);
    before_ = publish(lanes_, total);
  }

  void store() const { write(before_); }

 private:
  place* list(int part) const { return places_ + part * problem_.grid.tile_items; }

  void select(int count) {
    auto const& tested = problem_.tested();
    place* lists[parts];
    int found[parts]{};
    for (int s = 0; s < parts; ++s) lists[s] = list(s);
    for (int i = 0; i < count; ++i) {
      int part = 0;
      if constexpr (Problem::looks_left) {
        if (first_ + i > 0) part = problem_.select(tested[first_ + i - 1], tested[first_ + i]);
      } else {
        part = problem_.select(tested[first_ + i]);
      }
      for (int s = 0; s < parts; ++s) {
        lists[s][found[s]] = static_cast<place>(i);
        found[s] += part == s;
      }
    }
    std::copy(found, found + parts, count_);
  }

  /// In place, the items are taken out of memory before the counts are published: from then on other tiles
  /// may write here.
  void take() {
    int n = 0;
    for (int s = 0; s < written; ++s)
      for (int j = 0; j < count_[s]; ++j) taken_[n++] = problem_.in[first_ + list(s)[j]];
  }

  void write(counts const& before) const {
    std::int64_t rest = first_;  // of the items before this tile, those of the last part
    for (auto const c : before.of) rest -= c;
    if (Problem::in_place && rest == 0 && count_[parts - 1] == 0 && parts == 2)
      return;  // all in their places
    int taken = 0;
    for_each_part<written>([&](auto part) {
      auto at = rest;
      if constexpr (part < parts - 1) at = before.of[part];
      for (int j = 0; j < count_[part]; ++j)
        if constexpr (Problem::in_place) problem_.template put<part>(at + j, taken_[taken++]);
        else problem_.template put<part>(at + j, problem_.in[first_ + list(part)[j]]);
    });
  }

  Problem const problem_;  // a copy: results cannot be taken for its members
  thread_lanes lanes_;
  place* places_;      ///< (parts, tile)
  taken_item* taken_;  ///< (tile)
  counts before_{};
  std::int64_t first_ = 0;
  int count_[parts]{};
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
