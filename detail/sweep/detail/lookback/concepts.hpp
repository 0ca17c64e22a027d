// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_CONCEPTS_HPP
#define SWEEP_DETAIL_LOOKBACK_CONCEPTS_HPP

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Done between publishing a total and waiting: nothing.
struct no_work {
  SWEEP_HD void operator()() const {}
};

/// The type of some binary operator on T, for requirements that are to hold for any.
/// A total that is not known yet: get() gives it, and may wait for it. Whoever is given one prepares what he
/// can before.
template <class Get>
struct total_when_known {
  Get get;
};
template <class Get>
total_when_known(Get) -> total_when_known<Get>;

SWEEP_NO_EXEC_CHECK
template <class T>
SWEEP_HD T const& known_total(T const& total) {
  return total;
}
SWEEP_NO_EXEC_CHECK
template <class Get>
SWEEP_HD auto known_total(total_when_known<Get> const& total) {
  return total.get();
}

template <class T>
using operator_on = T (*)(T const&, T const&);

/// Neighbouring values that were asked for together: one more may be appended, `complete` says whether their
/// fold is known although some have not come, `fold` folds them in order (absent if there are none).
template <class Gathered, class T>
concept gathered_values = std::copyable<Gathered> &&
    requires(Gathered& some, Gathered const& all, T const& value, operator_on<T>& op) {
  some.append(value);
  { all.complete() } -> std::same_as<bool>;
  { all.fold(op) } -> std::same_as<optional<T>>;
};

/// What lanes get when they ask for Ts.
template <class Lanes, class T>
using gathered_by = decltype(std::declval<Lanes const&>().gather(std::declval<slots<T> const&>(),
                                                                 std::declval<std::int64_t>(), 0));

/// Lanes can wait for several such at a time, the nearest given first.
template <class Lanes, class Gathered>
concept waits_for = requires(Lanes const& lanes, Gathered& some) {
  lanes.ask(some, some, some, some, some);
  lanes.wait(some);
  lanes.wait(some, some, some, some, some);
};

/// Those who look back for a tile, a warp or a host thread: one of them is elected to publish; together they
/// ask for values (gather) and wait for them, or walk back over them until a prefix is met (look_back). They
/// fold the totals of the `near_groups` groups before their own from the tiles' totals.
template <class Lanes, class T>
concept lookback_lanes = requires(Lanes const& lanes, slots<T> const& values, std::int64_t tile,
                                  operator_on<T>& op) {
  { Lanes::near_groups } -> std::convertible_to<int>;
  { lanes.elected() } -> std::same_as<bool>;
  { lanes.look_back(values, values, tile, op) } -> std::same_as<T>;
  requires gathered_values<gathered_by<Lanes, T>, T>;
  requires waits_for<Lanes, gathered_by<Lanes, T>>;
};

/// The least that lanes can be, for checking a protocol where it is defined. It is only declared.
template <class T>
struct least_lanes {
  struct gathered {
    void append(T const&);
    bool complete() const;
    template <class Op>
    optional<T> fold(Op&) const;
  };
  static constexpr int near_groups = 0;
  bool elected() const;
  gathered gather(slots<T> const&, std::int64_t, int) const;
  template <class... Gathered>
  void ask(Gathered&...) const;
  template <class... Gathered>
  void wait(Gathered&...) const;
  template <class Op>
  T look_back(slots<T> const&, slots<T> const&, std::int64_t, Op&) const;
};
static_assert(lookback_lanes<least_lanes<int>, int>);

/// A protocol by which tiles learn what comes before them: it publishes a tile's total and returns the fold
/// of all tiles before it, absent for tile 0.
template <class Tiles, class T, class Op, class Lanes>
concept tile_state_for = lookback_lanes<Lanes, T> &&
    requires(Tiles const& tiles, Lanes const& lanes, std::int64_t tile, T const& total, Op& op) {
  { tiles.publish_and_look_back(lanes, tile, total, op) } -> std::same_as<optional<T>>;
  { tiles.publish_and_look_back(lanes, tile, total, op, no_work{}) } -> std::same_as<optional<T>>;
};

/// A protocol that needs memory: `words(tiles)` 8-byte words of it, which one launch after the other may use,
/// each with a stamp of its own.
template <class Tiles>
concept tile_state_in_memory = requires(std::uint64_t* at, std::int64_t tiles, std::uint32_t stamp) {
  { Tiles::words(tiles) } -> std::same_as<std::int64_t>;
  Tiles(at, tiles, stamp);
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
