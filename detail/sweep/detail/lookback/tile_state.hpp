// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_TILE_STATE_HPP
#define SWEEP_DETAIL_LOOKBACK_TILE_STATE_HPP

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/concepts.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/variant.hpp>

#include <cstdint>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// The protocols by which tiles tell each other their totals (tile_state_for in lookback/concepts.hpp).
//   publish_and_look_back(lanes, tile, total, op, meanwhile) -> optional<T>
// publishes a tile's total, which all lanes have or, as a total_when_known, will have, calls `meanwhile`
// once, while others make progress, and returns the fold of all tiles before it, absent for tile 0; the
// result is valid in the elected lane. `lanes` is a warp on the device and one thread on the host. Tiles are
// claimed in increasing order by blocks that are already running, so a tile only waits for tiles that make
// progress. The only tile of all publishes nothing where its state has no memory.
// A protocol that hears_ahead does the same apart, for a block that has many tiles: tell(lanes, tile, total)
// publishes, and listen(lanes) is what whoever hears keeps: its before(tile, op) gives what comes before tile
// after tile, each later than the one before, whether or not that has a total yet.

template <class T, across_tiles How>
class tile_state;

/// Ordered look-back: the prefix of a tile is always the same expression, whatever the schedule:
///   (prefix of its supergroup) o (fold of the group totals before its group) o (fold of the totals before it
///   in its group)
/// with 32 tiles a group and 32 groups a supergroup. The last tile of a group publishes the group's total,
/// the last of a supergroup the next supergroup's prefix: no chain is longer than the number of supergroups.
/// The totals of the nearest groups are not waited for: lanes that have near_groups fold their tiles' totals,
/// by the same expression as the groups' last tiles.
template <class T>
class tile_state<T, across_tiles::ordered_lookback> {
  static constexpr int fan = 32;

 public:
  static constexpr std::int64_t words(std::int64_t tiles) {
    return (tiles + tiles / fan + tiles / (fan * fan) + 2) * slots<T>::words;
  }

  SWEEP_HD tile_state(std::uint64_t* at, std::int64_t tiles, std::uint32_t stamp)
      : totals_{at, stamp},
        groups_{at + tiles * slots<T>::words, stamp},
        supers_{at + (tiles + tiles / fan) * slots<T>::words, stamp} {}

  SWEEP_NO_EXEC_CHECK
  template <lookback_lanes<T> Lanes, class Total, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const& lanes, std::int64_t tile, Total const& total,
                                             Op& op, Meanwhile meanwhile = {}) const {
    return look_back(lanes, tile, total, op, meanwhile,
                     std::make_integer_sequence<int, Lanes::near_groups>{});
  }

  static constexpr bool hears_ahead = true;
  SWEEP_NO_EXEC_CHECK
  template <lookback_lanes<T> Lanes>
  SWEEP_HD void tell(Lanes const& lanes, std::int64_t tile, T const& total) const {
    if (lanes.elected() && totals_.exist()) totals_.publish(tile, total);
  }

  /// What comes before tile after tile: the totals of whole groups are folded once, by the same expression,
  /// and kept, so that tiles' totals alone are waited for, none of which waits for another. Prefixes of
  /// supergroups are for those who begin late.
  template <class Lanes>
  class listener {
   public:
    SWEEP_HD listener(tile_state const& tiles, Lanes const& lanes)
        : tiles_{tiles}, lanes_{lanes}, groups_{lanes.gather(tiles.groups_, 0, 0)} {}

    SWEEP_NO_EXEC_CHECK
    template <class Op>
    SWEEP_HD optional<T> before(std::int64_t tile, Op& op) {
      return before(tile, op, std::make_integer_sequence<int, groups_at_once>{});
    }

   private:
    /// About as many as the tiles have that other blocks claim between two of a block's.
    static constexpr int groups_at_once = 4;

    SWEEP_NO_EXEC_CHECK
    template <class Op, int... K>
    SWEEP_HD optional<T> before(std::int64_t tile, Op& op, std::integer_sequence<int, K...>) {
      auto const group = tile / fan;
      int const nth = static_cast<int>(tile % fan);
      // The first tile of a supergroup does not skip to its own: nobody else tells that prefix.
      bool const begins_super = tile % (fan * fan) == 0;
      if (auto const super = group / fan - (begins_super ? 1 : 0); super > next_ / fan + 1)
        skip_to(super, op);
      while (true) {
        auto const left = group - next_;
        bool const is_last = left <= groups_at_once;
        gathered_by<Lanes, T> groups[] = {
            lanes_.gather(tiles_.totals_, (next_ + K) * fan, K < left ? fan : 0)...};
        auto own = lanes_.gather(tiles_.totals_, group * fan, is_last ? nth : 0);
        lanes_.ask(groups[K]..., own);
        lanes_.wait(groups[K]...);
        auto const folds = lanes_.fold_all(op, groups[K]...);
        (take(folds.of[K], op), ...);
        if (!is_last) continue;
        auto const above = combine(supers_, groups_.fold(op), op);
        if (begins_super && tile > 0 && lanes_.elected()) tiles_.supers_.publish(group / fan, above.value);
        lanes_.wait(own);
        return combine(above, own.fold(op), op);
      }
    }
    /// The next group's total, valid in the elected lane, if there is one.
    SWEEP_NO_EXEC_CHECK
    template <class Op>
    SWEEP_HD void take(optional<T> const& whole, Op& op) {
      if (!whole.present) return;
      if (groups_.count < fan - 1) {
        groups_.append(whole.value);
      } else {
        supers_ = combine(combine(supers_, groups_.fold(op), op), whole, op);
        groups_.count = 0;
      }
      ++next_;
    }
    SWEEP_NO_EXEC_CHECK
    template <class Op>
    SWEEP_HD void skip_to(std::int64_t super, Op& op) {
      auto prefix = lanes_.gather(tiles_.supers_, super, 1);
      lanes_.ask(prefix);
      lanes_.wait(prefix);
      supers_ = prefix.fold(op);
      groups_.count = 0;
      next_ = super * fan;
    }

    tile_state tiles_;
    Lanes lanes_;
    std::int64_t next_ = 0;         ///< the group whose total is taken next
    optional<T> supers_{};          ///< what comes before its supergroup, valid in the elected lane
    gathered_by<Lanes, T> groups_;  ///< the totals before it in its supergroup
  };
  template <lookback_lanes<T> Lanes>
  SWEEP_HD listener<Lanes> listen(Lanes const& lanes) const {
    return {*this, lanes};
  }

  /// The same for all tiles of a group at once, by whoever has them all: publishes the group's total and
  /// returns the fold of all tiles before the group, absent for group 0. What comes before each tile is then
  /// that o (fold of the totals before it in its group).
  SWEEP_NO_EXEC_CHECK
  template <lookback_lanes<T> Lanes, class Op>
  SWEEP_HD optional<T> publish_group_and_look_back(Lanes const& lanes, std::int64_t group, T const& total,
                                                   Op& op) const {
    auto const super = group / fan;
    int const nth = static_cast<int>(group % fan);
    auto groups = lanes.gather(groups_, super * fan, nth);
    auto supers = lanes.gather(supers_, super, super > 0 ? 1 : 0);
    if (lanes.elected()) groups_.publish(group, total);
    lanes.ask(groups, supers);
    lanes.wait(groups, supers);
    auto const above = combine(supers.fold(op), groups.fold(op), op);
    if (nth == fan - 1 && lanes.elected())
      supers_.publish(super + 1, combine(above, optional<T>{total, true}, op).value);
    return above;
  }

  /// Publishes the totals of `count` neighbouring tiles of a group, total(k) in all lanes, by whoever has
  /// them all, and calls found(k, what comes before tile k), valid in the elected lane: what comes before the
  /// first of them is awaited once. That one is a multiple of K, and there are fewer only behind the last
  /// tile.
  SWEEP_NO_EXEC_CHECK
  template <int K, lookback_lanes<T> Lanes, class Total, class Op, class Found>
  SWEEP_HD void publish_several_and_look_back(Lanes const& lanes, std::int64_t tile, int count,
                                              Total const& total, Op& op, Found found) const {
    static_assert(fan % K == 0 && !may_ignore_left<T>);
    auto const group = tile / fan, super = group / fan;
    int const nth = static_cast<int>(tile % fan), nth_group = static_cast<int>(group % fan);
    bool const closes_group = nth + count == fan;
    auto before = lanes.gather(totals_, group * fan, nth);
    auto groups = lanes.gather(groups_, super * fan, nth_group);
    auto supers = lanes.gather(supers_, super, super > 0 ? 1 : 0);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int k = 0; k < K; ++k)
      if (k < count) before.append_known(total(k));
    lanes.publish_last(before, nth);
    lanes.ask(before, groups, supers);
    // Their folds with all that is before them in the group, of which the last is the group's.
    auto folds = before.value;
    if (closes_group) {  // publish the group's total before waiting for anything further back
      lanes.wait(before);
      folds = before.folds(op);
      T const whole = lanes.of_lane(folds, fan - 1);
      if (lanes.elected()) groups_.publish(group, whole);
    }
    lanes.wait(before, groups, supers);
    if (!closes_group) folds = before.folds(op);
    auto const above = combine(supers.fold(op), groups.fold(op), op);
    if (closes_group && nth_group == fan - 1) {
      T const whole = lanes.of_lane(folds, fan - 1);
      if (lanes.elected()) supers_.publish(super + 1, combine(above, whole, op));
    }
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int k = 0; k < K; ++k)
      if (k < count) {
        T const left = lanes.of_lane(folds, nth + k > 0 ? nth + k - 1 : 0);
        found(k, combine(above, optional<T>{left, nth + k > 0}, op));
      }
  }

  /// The same by lanes of which each asks for one value of the supergroup and of up to Near before it, whose
  /// prefixes are not waited for: all that comes before the group is on its way at once, and what has come is
  /// folded while the prefix of the farthest is still awaited.
  SWEEP_NO_EXEC_CHECK
  template <int Near, class Lanes, class Op>
  SWEEP_HD optional<T> publish_group_and_ask_at_once(Lanes const& lanes, std::int64_t group, T const& total,
                                                     Op& op) const {
    auto const super = group / fan;
    int const nth = static_cast<int>(group % fan);
    if (lanes.elected()) groups_.publish(group, total);
    auto const above = lanes.template look_back_over_groups<Near>(supers_, groups_, super, nth, op);
    if (nth == fan - 1 && lanes.elected())
      supers_.publish(super + 1, combine(above, optional<T>{total, true}, op).value);
    return above;
  }

  /// Publishes the total of a tile that does without what comes before it. False for the last of a group,
  /// which must look back for others.
  SWEEP_NO_EXEC_CHECK
  template <class Lanes>
  SWEEP_HD bool publish_alone(Lanes const& lanes, std::int64_t tile, T const& total) const {
    if (tile % fan == fan - 1) return false;
    if (lanes.elected() && totals_.exist()) totals_.publish(tile, total);
    return true;
  }

 private:
  SWEEP_NO_EXEC_CHECK
  template <class Lanes, class Total, class Op, class Meanwhile, int... K>
  SWEEP_HD optional<T> look_back(Lanes const& lanes, std::int64_t tile, Total const& given, Op& op,
                                 Meanwhile& meanwhile, std::integer_sequence<int, K...>) const {
    auto const group = tile / fan, super = group / fan;
    int const nth = static_cast<int>(tile % fan), nth_group = static_cast<int>(group % fan);
    bool const closes_group = nth == fan - 1;
    int const near = nth_group < Lanes::near_groups ? nth_group : Lanes::near_groups;
    auto before = lanes.gather(totals_, group * fan, nth);
    gathered_by<Lanes, T> nearest[] = {lanes.gather(totals_, (group - 1 - K) * fan, near > K ? fan : 0)...,
                                       lanes.gather(totals_, 0, 0)};
    auto groups = lanes.gather(groups_, super * fan, nth_group - near);
    auto supers = lanes.gather(supers_, super, super > 0 ? 1 : 0);
    T const total = known_total(given);
    if (lanes.elected() && totals_.exist()) totals_.publish(tile, total);
    lanes.ask(before, nearest[K]..., groups, supers);
    meanwhile();

    optional<T> whole{};
    if (closes_group) {  // publish the group's total before waiting for anything further back
      lanes.wait(before);
      auto all = before;
      all.append(total);
      whole = all.fold(op);
      if (lanes.elected()) groups_.publish(group, whole.value);
    }
    lanes.wait(before, nearest[K]..., groups, supers);
    if (before.complete()) {  // a segment starts in this group: nothing before it is needed
      if (closes_group && nth_group == fan - 1 && lanes.elected()) supers_.publish(super + 1, whole.value);
      return before.fold(op);
    }
    optional<T> in_group{};
    if constexpr (Lanes::near_groups > 0) {
      if constexpr (asks_nearest_first<T>) {  // nor of what comes before a segment that starts in a group
                                              // before
        bool starts = false;
        auto const pass = [&](auto& some) {
          if (starts) some.count = 0;
          starts = starts || some.complete();
        };
        (pass(nearest[K]), ...);
        pass(groups);
        pass(supers);
      }
      auto const folded = lanes.fold_all(op, before, nearest[K]...);
      auto const append = [&](int k) {
        if (folded.of[1 + k].present) groups.append(folded.of[1 + k].value);
      };
      (append(Lanes::near_groups - 1 - K), ...);  // the farthest first
      in_group = folded.of[0];
    }
    auto const above = combine(supers.fold(op), groups.fold(op), op);
    if (closes_group && nth_group == fan - 1 && lanes.elected())
      supers_.publish(super + 1, combine(above, whole, op).value);
    if constexpr (Lanes::near_groups == 0) in_group = before.fold(op);
    return combine(above, in_group, op);
  }

  slots<T> totals_, groups_, supers_;
};

/// Decoupled look-back (Merrill and Garland 2016): walk back over totals, 32 at a time, until a prefix is
/// met. How far the walk goes depends on the schedule, so floating-point results may differ from run to run.
template <class T>
class tile_state<T, across_tiles::decoupled_lookback> {
 public:
  static constexpr std::int64_t words(std::int64_t tiles) { return 2 * tiles * slots<T>::words; }

  SWEEP_HD tile_state(std::uint64_t* at, std::int64_t tiles, std::uint32_t stamp)
      : totals_{at, stamp}, prefixes_{at + tiles * slots<T>::words, stamp} {}

  SWEEP_NO_EXEC_CHECK
  template <lookback_lanes<T> Lanes, class Total, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const& lanes, std::int64_t tile, Total const& given,
                                             Op& op, Meanwhile meanwhile = {}) const {
    T const total = known_total(given);
    if (lanes.elected() && totals_.exist()) (tile > 0 ? totals_ : prefixes_).publish(tile, total);
    meanwhile();
    if (tile == 0) return {};
    T const before = lanes.look_back(prefixes_, totals_, tile, op);
    if (lanes.elected()) prefixes_.publish(tile, op(before, total));
    return {before, true};
  }

 private:
  slots<T> totals_, prefixes_;
};

/// Every tile waits for the prefix of the tile before it: the longest chain, the least state.
template <class T>
class tile_state<T, across_tiles::chained> {
 public:
  static constexpr std::int64_t words(std::int64_t tiles) { return tiles * slots<T>::words; }

  SWEEP_HD tile_state(std::uint64_t* at, std::int64_t, std::uint32_t stamp) : prefixes_{at, stamp} {}

  SWEEP_NO_EXEC_CHECK
  template <lookback_lanes<T> Lanes, class Total, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const& lanes, std::int64_t tile, Total const& given,
                                             Op& op, Meanwhile meanwhile = {}) const {
    T const total = known_total(given);
    auto before = lanes.gather(prefixes_, tile - 1, tile > 0 ? 1 : 0);
    lanes.ask(before);
    lanes.wait(before);
    optional<T> const prefix = before.fold(op);
    if (lanes.elected() && prefixes_.exist())
      prefixes_.publish(tile, combine(prefix, {total, true}, op).value);
    meanwhile();
    return prefix;
  }

 private:
  slots<T> prefixes_;
};

/// First pass of the two- and three-kernel forms: totals are stored, nothing is waited for.
template <class T>
struct collected_totals {
  T* totals;

  SWEEP_NO_EXEC_CHECK
  template <lookback_lanes<T> Lanes, class Total, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const& lanes, std::int64_t tile, Total const& given, Op&,
                                             Meanwhile meanwhile = {}) const {
    T const total = known_total(given);
    if (lanes.elected()) put_bytes(totals[tile], total);
    meanwhile();
    return {};
  }
};

/// Last pass of them: the totals have been scanned (inclusively), nothing is waited for.
template <class T>
struct known_prefixes {
  T const* scanned;  ///< of tiles 0 to i, at i

  SWEEP_NO_EXEC_CHECK
  template <lookback_lanes<T> Lanes, class Total, class Op, class Meanwhile = no_work>
  SWEEP_HD optional<T> publish_and_look_back(Lanes const&, std::int64_t tile, Total const& given, Op&,
                                             Meanwhile meanwhile = {}) const {
    static_cast<void>(known_total(given));
    meanwhile();
    if (tile == 0) return {};
    return {scanned[tile - 1], true};
  }
};

template <class Tiles>
inline constexpr bool is_tile_state = tile_state_for<Tiles, int, operator_on<int>, least_lanes<int>>;
template <across_tiles How>
inline constexpr bool is_tile_state_in_memory =
    is_tile_state<tile_state<int, How>>&& tile_state_in_memory<tile_state<int, How>>;
static_assert(is_tile_state_in_memory<across_tiles::ordered_lookback>);
static_assert(is_tile_state_in_memory<across_tiles::decoupled_lookback>);
static_assert(is_tile_state_in_memory<across_tiles::chained>);
static_assert(is_tile_state<collected_totals<int>> && is_tile_state<known_prefixes<int>>);

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
