// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_COLLECTIVE_LANES_HPP
#define SWEEP_DETAIL_LOOKBACK_COLLECTIVE_LANES_HPP

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/concepts.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// 32 lanes that look back together: lane i waits for the i-th value, and they fold them in operand order.
/// Warp has the primitives of 32 lanes in step, of which lane 0 leads:
///   varying<T>                 a T in each lane, v[lane]
///   each(f)                    does f(lane) in every lane
///   all(f), ballot(f)          whether f(lane) holds in all lanes; in which, bit by bit. Every lane is asked
///   broadcast(v, lane)         that lane's value, in all lanes
///   lead(v), from_leader(x)    lane 0's value, there; lane 0's x, in all lanes
///   reduce_right(v, n, m, op)  several v, each with v[l] o v[l + 1] o ... o v[n - 1] in lanes l >= m,
///   brackets
///                              fixed by l and n
///   scan_right(v, n, op)       v of lane l < n becomes v[0] o ... o v[l], in the same brackets
///   elected()                  true in one lane
///   pause()                    what the warp does before it asks for missing values again
template <class Warp>
class collective_lanes {
  template <class T>
  using varying = typename Warp::template varying<T>;

 public:
  collective_lanes() = default;
  SWEEP_HD explicit collective_lanes(Warp const& warp) : warp_{warp} {}

  /// Nobody waits for the totals of so many groups before a tile's own: their tiles' totals come earlier.
  static constexpr int near_groups = 2;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool elected() const { return warp_.elected(); }

  /// Publishes the last of the gathered values that were appended, each by its lane.
  SWEEP_NO_EXEC_CHECK
  template <class Gathered>
  SWEEP_HD void publish_last(Gathered const& some, int first) const {
    warp_.each([&](int lane) {
      if (lane >= first && lane < some.count) some.from.publish(some.first + lane, some.value[lane]);
    });
  }
  /// A lane's value, in all lanes.
  SWEEP_NO_EXEC_CHECK
  template <class T>
  SWEEP_HD T of_lane(varying<T> const& v, int lane) const {
    return warp_.broadcast(v, lane);
  }

  template <class T>
  struct gathered {
    Warp warp;
    slots<T> from;
    std::int64_t first;
    int count;
    varying<T> value;
    varying<bool> ready;
    varying<typename slots<T>::found> asked{};

    /// Whether there are registers for what has been asked for and not been looked at yet.
    static constexpr bool asks_ahead = slots<T>::words == 1;

    SWEEP_HD void ask(int lane) {
      if constexpr (asks_ahead)
        if (!ready[lane]) asked[lane] = from.look(first + lane);
    }
    SWEEP_HD bool poll(int lane) {
      if (!ready[lane]) {
        if constexpr (!asks_ahead) asked[lane] = from.look(first + lane);
        ready[lane] = from.accept(asked[lane], value[lane]);
      }
      return ready[lane];
    }

    static constexpr bool may_be_complete = asks_nearest_first<T>;
    /// Whether a value is there that ignores_left those before it, and all that follow it.
    SWEEP_NO_EXEC_CHECK
    SWEEP_HD bool complete() const {
      if constexpr (may_ignore_left<T>) {
        unsigned const missing = warp.ballot([&](int lane) { return !ready[lane]; });
        return absorbing() > missing;
      } else {
        return false;
      }
    }

    /// One more value behind the others, given in lane 0.
    SWEEP_NO_EXEC_CHECK
    SWEEP_HD void append(T const& next) { append_known(warp.from_leader(next)); }
    /// The same, given in all lanes.
    SWEEP_NO_EXEC_CHECK
    SWEEP_HD void append_known(T const& next) {
      warp.each([&](int lane) {
        if (lane == count) {
          value[lane] = next;
          ready[lane] = true;
        }
      });
      ++count;
    }

    /// Of each value the fold up to and with it, in the brackets that fold() has of as many.
    SWEEP_NO_EXEC_CHECK
    template <class Op>
    SWEEP_HD varying<T> folds(Op& op) const {
      varying<T> sum = value;
      warp.scan_right(sum, count, op);
      return sum;
    }

    /// Valid in lane 0. Begins at the last value that ignores_left those before it: the same one whether or
    /// not those have come.
    SWEEP_NO_EXEC_CHECK
    template <class Op>
    SWEEP_HD optional<T> fold(Op& op) const {
      if (count == 0) return {};
      return fold_all(warp, op, *this).of[0];
    }

    /// The lanes whose value is there and ignores_left those before it. The fold begins with the last of
    /// them, or with lane 0.
    SWEEP_NO_EXEC_CHECK
    SWEEP_HD unsigned absorbing() const {
      if constexpr (may_ignore_left<T>)
        return warp.ballot(
            [&](int lane) { return ready[lane] && lane < count && ignores_left(value[lane]); });
      else return 0;
    }
  };

  /// Finds where they will be; ask asks for them, and wait looks at what has come.
  SWEEP_NO_EXEC_CHECK
  template <class T>
  SWEEP_HD gathered<T> gather(slots<T> const& from, std::int64_t first, int count) const {
    gathered<T> some{warp_, from, first, count, {}, {}};
    warp_.each([&](int lane) { some.ready[lane] = lane >= count; });
    return some;
  }

  SWEEP_NO_EXEC_CHECK
  template <class... Gathered>
  SWEEP_HD void ask(Gathered&... some) const {
    warp_.each([&](int lane) { (some.ask(lane), ...); });
  }

  /// Waits for all of them, the nearest given first; or until a value has come that ignores_left what is
  /// before it, and all that is nearer: what is farther is not looked at then. All that are missing are asked
  /// for before one is looked at, so that they are on their way together.
  SWEEP_NO_EXEC_CHECK
  template <class... Gathered>
  SWEEP_HD void wait(Gathered&... some) const {
    while (!have_come(some...)) {
      warp_.pause();
      ask(some...);
    }
  }

  /// The folds of several, found side by side; valid in lane 0.
  template <class T, int K>
  struct folded {
    optional<T> of[K];
  };
  SWEEP_NO_EXEC_CHECK
  template <class Op, class T, class... Others>
  SWEEP_HD folded<T, 1 + sizeof...(Others)> fold_all(Op& op, gathered<T> const& first,
                                                     Others const&... others) const {
    return fold_all(warp_, op, first, others...);
  }

  /// The window's lane order is operand order: lane 31 holds the nearest predecessor.
  SWEEP_NO_EXEC_CHECK
  template <class T, class Op>
  SWEEP_HD T look_back(slots<T> const& prefixes, slots<T> const& totals, std::int64_t tile, Op& op) const {
    optional<T> all{};
    for (auto end = tile;; end -= 32) {
      auto const first = end - 32;
      varying<T> value{};
      varying<bool> prefix{}, ready{};
      warp_.each([&](int lane) { ready[lane] = first + lane < 0; });
      auto const poll = [&](int lane) {
        if (!ready[lane])
          ready[lane] = (prefix[lane] = prefixes.try_read(first + lane, value[lane])) ||
                        totals.try_read(first + lane, value[lane]);
        return ready[lane];
      };
      while (!warp_.all(poll)) warp_.pause();
      unsigned const with_prefix = warp_.ballot([&](int lane) { return prefix[lane]; });
      int const from = last_set_or_0(with_prefix);
      varying<T> folded_from[1] = {value};
      int const count[1] = {32}, begins[1] = {from};
      warp_.reduce_right(folded_from, count, begins, op);
      T const here = warp_.broadcast(folded_from[0], from);
      all = {all.present ? static_cast<T>(op(here, all.value)) : here, true};
      if (with_prefix) return all.value;
    }
  }

  /// What comes before the group that has `count` of its supergroup before it: prefixes[super] o (fold of
  /// their totals). A supergroup's prefix comes along a chain, so that of one up to Near before it is waited
  /// for, and those behind it are made of their groups' totals, by the expression by which their last groups
  /// make them. Each lane waits for one value a supergroup; all are asked for at once, and the totals are
  /// folded while the prefix is still on its way. Valid in lane 0.
  SWEEP_NO_EXEC_CHECK
  template <int Near, class T, class Op>
  SWEEP_HD optional<T> look_back_over_groups(slots<T> const& prefixes, slots<T> const& totals,
                                             std::int64_t super, int count, Op& op) const {
    constexpr int rows = Near + 1, last = 31;
    int const near = static_cast<int>(super < Near ? super : Near);
    auto const farthest = super - near;
    varying<T> value[rows]{};     // of supergroup super - row; the last lane of row 0 has the prefix
    varying<unsigned> missing{};  // which rows
    warp_.each([&](int lane) {
      bool const of_own = lane == last ? farthest > 0 : lane < count;
      missing[lane] = ((2u << near) - 2) | unsigned{of_own};
    });
    auto const poll = [&](int lane) {
      typename slots<T>::found now[rows];
      auto const own = lane == last ? prefixes : totals;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int k = 0; k < rows; ++k)
        if ((missing[lane] >> k & 1) != 0)
          now[k] = (k == 0 ? own : totals).look(k == 0 && lane == last ? farthest : (super - k) * 32 + lane);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int k = 0; k < rows; ++k)
        if ((missing[lane] >> k & 1) != 0 && totals.accept(now[k], value[k][lane]))
          missing[lane] &= ~(1u << k);
    };
    for (bool is_folded = false;; warp_.pause()) {
      warp_.each(poll);
      if (!is_folded && warp_.ballot([&](int lane) { return missing[lane] > unsigned{lane == last}; }) == 0) {
        int counts[rows] = {count}, from[rows] = {};
        for (int k = 1; k < rows; ++k) counts[k] = k <= near ? last : 0;
        warp_.reduce_right(value, counts, from, op);
        is_folded = true;
      }
      if (warp_.ballot([&](int lane) { return missing[lane] != 0; }) == 0) break;
    }
    optional<T> all{warp_.broadcast(value[0], last), farthest > 0};
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int k = Near; k > 0; --k)
      if (k <= near) {
        all = combine(all, optional<T>{warp_.lead(value[k]), true}, op);
        all = combine(all, optional<T>{warp_.broadcast(value[k], last), true}, op);
      }
    return combine(all, optional<T>{warp_.lead(value[0]), count > 0}, op);
  }

 private:
  SWEEP_NO_EXEC_CHECK
  template <class Nearest, class... Farther>
  SWEEP_HD bool have_come(Nearest& nearest, Farther&... farther) const {
    if constexpr (Nearest::may_be_complete && sizeof...(Farther) > 0) {
      bool const all = warp_.all([&](int lane) { return nearest.poll(lane); });
      return nearest.complete() || (have_come(farther...) && all);
    } else {
      bool const all = warp_.all([&](int lane) {
        bool ready = nearest.poll(lane);
        ((ready &= farther.poll(lane)), ...);
        return ready;
      });
      return all || nearest.complete();
    }
  }

  SWEEP_NO_EXEC_CHECK
  template <class Op, class T, class... Others>
  static SWEEP_HD folded<T, 1 + sizeof...(Others)> fold_all(Warp const& warp, Op& op,
                                                            gathered<T> const& first,
                                                            Others const&... others) {
    constexpr int K = 1 + sizeof...(Others);
    using form = fold_form<T>;
    varying<typename form::folded> value[K];
    warp.each([&](int lane) {
      int k = 0;
      value[k][lane] = form::value(first.value[lane]);
      (static_cast<void>(value[++k][lane] = form::value(others.value[lane])), ...);
    });
    int const count[K] = {first.count, others.count...};
    unsigned const absorbing[K] = {first.absorbing(), others.absorbing()...};
    int from[K];
    for (int k = 0; k < K; ++k) from[k] = last_set_or_0(absorbing[k]);
    warp.reduce_right(value, count, from, form::op(op));
    folded<T, K> all;
    for (int k = 0; k < K; ++k) {
      auto const fold = may_ignore_left<T> ? warp.broadcast(value[k], from[k]) : warp.lead(value[k]);
      all.of[k] = {form::joined(fold, absorbing[k] != 0), count[k] > 0};
    }
    return all;
  }

  SWEEP_HD static int last_set_or_0(unsigned bits) {
#if defined(__CUDA_ARCH__)
    return bits ? 31 - __clz(static_cast<int>(bits)) : 0;
#else
    return bits ? 31 - __builtin_clz(bits) : 0;
#endif
  }

  Warp warp_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
