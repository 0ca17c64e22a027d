// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_SERIAL_TILE_HPP
#define SWEEP_DETAIL_PARTITION_TILE_SERIAL_TILE_HPP

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/host/streaming.hpp>
#include <sweep/detail/lookback/thread_lanes.hpp>
#include <sweep/detail/partition/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether a tile's items are put together before it is known where they go: such as may be copied byte by
/// byte, and are read anyway.
template <class Problem>
inline constexpr bool gathers_items =
    relocatable<typename Problem::raw>&& std::is_default_constructible_v<typename Problem::raw> &&
    (Problem::in_place ||
     (sizeof(typename Problem::raw) <= 64 && (Problem::in_contiguous || Problem::tests_items)));

/// One host thread with a cache-sized tile. The selector is called once for every item, and without branches
/// each part is put together in memory of the thread, or where items are no bytes, the list of their places
/// is. In place the items have left memory so before the counts are published: from then on other tiles may
/// write there.
template <class Problem>
class partition_serial_tile {
  using counts = typename Problem::counts;
  using raw = typename Problem::raw;
  static constexpr int parts = Problem::parts, written = Problem::written;
  static constexpr bool gathers = gathers_items<Problem>;
  static_assert(gathers || !Problem::in_place);

 public:
  /// An item of a part, or its place.
  using held = std::conditional_t<gathers, raw, std::uint16_t>;
  /// A member's memory, (written, tile).
  partition_serial_tile(Problem const& problem, std::uint32_t& failed, held* memory, bool streams)
      : problem_{problem}, lanes_{failed}, memory_{memory}, streams_{streams} {}

  static constexpr bool has_look_back_warp = false;

  /// Calls the selector for each item, and counts each part.
  template <writes What>
  void classify(tile_window const& window) {
    first_ = window.base + window.valid_begin;
    select(window.count());
  }

  /// `publish` is given the tile's counts and answers with those of everything before it.
  template <writes What, class Publish>
  void await_look_back(Publish publish) {
    counts total;
    std::copy(count_, count_ + parts - 1, total.of);
    before_ = publish(lanes_, total);
  }

  void store() const { write(before_); }

  /// By one thread alone: behind such counts; gives those with the tile's.
  counts store_after(counts const& before) const {
    write(before);
    counts total;
    std::copy(count_, count_ + parts - 1, total.of);
    return before + total;
  }

 private:
  void select(int count) {
    auto const problem = problem_;  // a local: nothing that is written can be one of its members
    auto const first = first_;
    auto const& tested = problem.tested();
    held* to[parts]{};
    for (int s = 0; s < written; ++s) to[s] = memory_ + s * problem.grid.tile_items;
    int found[parts]{};  // found[parts - 1]: of the last part, which has what is left
    for (int i = 0; i < count; ++i) {
      int part = 0;
      if constexpr (Problem::looks_left) {
        if (first + i > 0) part = problem.select(tested[first + i - 1], tested[first + i]);
      } else {
        part = problem.select(tested[first + i]);
      }
      if constexpr (written == parts) {
        found[parts - 1] = i;
        for (int s = 0; s < parts - 1; ++s) found[parts - 1] -= found[s];
      }
      if constexpr (gathers) {
        auto const x = static_cast<raw>(problem.in[first + i]);
        for (int s = 0; s < written; ++s) put_bytes(to[s][found[s]], x);
      } else {
        for (int s = 0; s < written; ++s) to[s][found[s]] = static_cast<held>(i);
      }
      for (int s = 0; s < parts - 1; ++s) found[s] += part == s;
    }
    found[parts - 1] = count;
    for (int s = 0; s < parts - 1; ++s) found[parts - 1] -= found[s];
    std::copy(found, found + parts, count_);
  }

  void write(counts const& before) const {
    std::int64_t rest = first_;  // of the items before this tile, those of the last part
    for (auto const c : before.of) rest -= c;
    if (Problem::in_place && rest == 0 && count_[parts - 1] == 0 && parts == 2)
      return;  // all in their places
    for_each_part<written>([&](auto part) {
      auto at = rest;
      if constexpr (part < parts - 1) at = before.of[part];
      auto const* const from = memory_ + part * problem_.grid.tile_items;
      auto const& out = problem_.outputs.template of<part>();
      using out_type = std::remove_cvref_t<decltype(out)>;
      if constexpr (gathers && std::is_same_v<out_type, raw*>) {
        auto const bytes = static_cast<std::size_t>(count_[part]) * sizeof(raw);
        if (streams_) stream_bytes(out + at, from, bytes);
        else if (bytes > 0) std::memcpy(static_cast<void*>(out + at), static_cast<void const*>(from), bytes);
      } else {
        auto const problem = problem_;
        for (int j = 0; j < count_[part]; ++j)
          if constexpr (gathers) problem.template put<part>(at + j, from[j]);
          else problem.template put<part>(at + j, problem.in[first_ + from[j]]);
      }
    });
    if (streams_) end_streaming();
  }

  Problem const problem_;  // a copy: functors may have a state
  thread_lanes lanes_;
  held* memory_;
  bool streams_;
  counts before_{};
  std::int64_t first_ = 0;
  int count_[parts]{};
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
