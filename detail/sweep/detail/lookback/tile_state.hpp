// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_TILE_STATE_HPP
#define SWEEP_DETAIL_LOOKBACK_TILE_STATE_HPP

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/variant.hpp>

namespace sweep::detail {

// The protocols by which tiles learn each other's totals. All have
//   words(tiles)                 8-byte words of state that so many tiles need
//   publish_and_look_back(lanes, tile, total, op, meanwhile) -> optional<T>
// which publishes a tile's total, known to all lanes, calls `meanwhile` before it waits for anybody, and
// returns the fold of all tiles before it, absent for tile 0. The result is valid in the elected lane.
// `lanes` are a warp on the device (lookback/warp_lanes.cuh) and one thread on the host
// (lookback/thread_lanes.hpp). Tiles are claimed in increasing order by blocks that are already running, so
// whoever waits, waits for one that makes progress.

template <class T, across_tiles How>
class tile_state;

/// What is done between publishing a total and waiting for others, where there is nothing to do.
struct no_work {
  SWEEP_HD void operator()() const {}
};

/// Ordered look-back: the prefix of a tile is always the same expression, whatever the schedule:
///   (prefix of its supergroup) o (fold of the group totals before its group) o (fold of the totals before it
///   in its group)
/// with 32 tiles a group and 32 groups a supergroup. The last tile of a group publishes the group's total,
/// the last of a supergroup the next supergroup's prefix: no chain is longer than the number of supergroups.
/// The totals of the nearest groups are folded by whoever needs them, by the same expression, rather than
/// waited for.
template <class T>
class tile_state<T, across_tiles::ordered_lookback> {
  static constexpr int fan = 32;

 public:
  static constexpr std::int64_t words(std::int64_t tiles) {
    return (tiles + tiles / fan + tiles / (fan * fan) + 2) * slots<T>::words;
  }

  SWEEP_HD tile_state(std::uint64_t* at, std::int64_t tiles, std::uint32_t tag)
      : totals_{at, tag},
        groups_{at + tiles * slots<T>::words, tag},
        supers_{at + (tiles + tiles / fan) * slots<T>::words, tag} {}

  SWEEP_NO_EXEC_CHECK
  template <class Lanes, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const& lanes, std::int64_t tile, T const& total, Op& op,
                                             Meanwhile meanwhile = {}) const {
    if (lanes.elected()) totals_.put(tile, total);
    auto const group = tile / fan, super = group / fan;
    int const nth = static_cast<int>(tile % fan), nth_group = static_cast<int>(group % fan);
    bool const closes_group = nth == fan - 1;
    int const near = nth_group < Lanes::near_groups ? nth_group : Lanes::near_groups;
    auto before = lanes.gather(totals_, group * fan, nth);
    auto nearest = lanes.gather(totals_, (group - 1) * fan, near > 0 ? fan : 0);
    auto next_nearest = lanes.gather(totals_, (group - 2) * fan, near > 1 ? fan : 0);
    auto groups = lanes.gather(groups_, super * fan, nth_group - near);
    auto supers = lanes.gather(supers_, super, super > 0 ? 1 : 0);
    meanwhile();

    optional<T> whole{};
    if (closes_group) {  // publish the group's total before looking further back
      lanes.wait(before);
      auto all = before;
      all.append(total);
      whole = all.fold(op);
      if (lanes.elected()) groups_.put(group, whole.value);
    }
    lanes.wait(before, nearest, next_nearest, groups, supers);
    if (before.complete()) {  // a segment starts in this group: what is before it does not matter
      if (closes_group && nth_group == fan - 1 && lanes.elected()) supers_.put(super + 1, whole.value);
      return before.fold(op);
    }
    if constexpr (Lanes::near_groups > 0) {
      if (near > 1) groups.append(next_nearest.fold(op).value);
      if (near > 0) groups.append(nearest.fold(op).value);
    }
    auto const above = combine(supers.fold(op), groups.fold(op), op);
    if (closes_group && nth_group == fan - 1 && lanes.elected())
      supers_.put(super + 1, combine(above, whole, op).value);
    return combine(above, before.fold(op), op);
  }

 private:
  slots<T> totals_, groups_, supers_;
};

/// Decoupled look-back (Merrill and Garland 2016): walk back over totals, 32 at a time, until a prefix is
/// met. How far the walk goes depends on the schedule, so floating-point results may differ from run to run.
template <class T>
class tile_state<T, across_tiles::decoupled_lookback> {
 public:
  static constexpr std::int64_t words(std::int64_t tiles) { return 2 * tiles * slots<T>::words; }

  SWEEP_HD tile_state(std::uint64_t* at, std::int64_t tiles, std::uint32_t tag)
      : totals_{at, tag}, prefixes_{at + tiles * slots<T>::words, tag} {}

  SWEEP_NO_EXEC_CHECK
  template <class Lanes, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const& lanes, std::int64_t tile, T const& total, Op& op,
                                             Meanwhile meanwhile = {}) const {
    if (lanes.elected()) (tile > 0 ? totals_ : prefixes_).put(tile, total);
    meanwhile();
    if (tile == 0) return {};
    T const before = lanes.look_back(prefixes_, totals_, tile, op);
    if (lanes.elected()) prefixes_.put(tile, op(before, total));
    return {before, true};
  }

 private:
  slots<T> totals_, prefixes_;
};

/// Every tile waits for the prefix of the one before it: the longest chain, the least state.
template <class T>
class tile_state<T, across_tiles::chained> {
 public:
  static constexpr std::int64_t words(std::int64_t tiles) { return tiles * slots<T>::words; }

  SWEEP_HD tile_state(std::uint64_t* at, std::int64_t, std::uint32_t tag) : prefixes_{at, tag} {}

  SWEEP_NO_EXEC_CHECK
  template <class Lanes, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const& lanes, std::int64_t tile, T const& total, Op& op,
                                             Meanwhile meanwhile = {}) const {
    auto before = lanes.gather(prefixes_, tile - 1, tile > 0 ? 1 : 0);
    lanes.wait(before);
    optional<T> const prefix = before.fold(op);
    if (lanes.elected()) prefixes_.put(tile, combine(prefix, {total, true}, op).value);
    meanwhile();
    return prefix;
  }

 private:
  slots<T> prefixes_;
};

/// First pass of the two- and three-kernel forms: the totals are kept, nobody waits.
template <class T>
struct collected_totals {
  T* totals;

  SWEEP_NO_EXEC_CHECK
  template <class Lanes, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const& lanes, std::int64_t tile, T const& total, Op&,
                                             Meanwhile meanwhile = {}) const {
    if (lanes.elected()) totals[tile] = total;
    meanwhile();
    return {};
  }
};

/// Last pass: the totals have been scanned (inclusively), nobody waits.
template <class T>
struct known_prefixes {
  T const* scanned;

  SWEEP_NO_EXEC_CHECK
  template <class Lanes, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const&, std::int64_t tile, T const&, Op&,
                                             Meanwhile meanwhile = {}) const {
    meanwhile();
    if (tile == 0) return {};
    return {scanned[tile - 1], true};
  }
};

}  // namespace sweep::detail

#endif
