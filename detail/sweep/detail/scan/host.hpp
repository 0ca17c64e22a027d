// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_HOST_HPP
#define SWEEP_DETAIL_SCAN_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/host/tile_size.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/scan/agent.hpp>
#include <sweep/detail/scan/problem.hpp>
#include <sweep/detail/scan/tile/segmented_serial_tile.hpp>
#include <sweep/detail/scan/tile/serial_tile.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

/// The first place behind place `at`, in scan order, that starts a segment, or where the items end.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD std::int64_t next_start(Problem const& problem, std::int64_t at) {
  auto const& source = problem.heads.source;
  if constexpr (Problem::towards == direction::backward) {
    auto const head = source.last_head(at, 0);  // the segment's last item in scan order
    return head > 0 ? head - 1 : -1;
  } else {
    return source.next_head(at, problem.grid.n);
  }
}

/// One loop over segments, and one over the items of each. Where results are written at segment ends alone,
/// nothing is asked of the other items. The problem is a copy: nothing that is written can be its members.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void scan_segments(Problem problem) {
  constexpr bool backward = Problem::towards == direction::backward;
  constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
  constexpr bool at_tails = Problem::writes_at_tails;
  using T = typename Problem::value;
  using V = decltype(T::value);
  using C = decltype(T::heads);
  using U = typename Problem::out_value;
  auto op = problem.op;
  auto const item = [&](std::int64_t i) { return static_cast<V>(problem.unary(problem.in[i])); };
  auto const begun = [&](std::int64_t i) {
    if constexpr (Problem::heads_type::starts) return static_cast<V>(op.op(problem.heads.init, item(i)));
    else return item(i);
  };
  std::int64_t const step = backward ? -1 : 1, all = backward ? -1 : problem.grid.n;
  std::int64_t at = backward ? problem.grid.n - 1 : 0, end = all;
  constexpr bool knows_end = knows_next_head<decltype(problem.heads.source)>;
  auto const ends = [&](std::int64_t i) {
    return i == end || (!knows_end && problem.heads.source(backward ? i + 1 : i));
  };
  T sum{begun(at), C(1)};
  for (;;) {
    if constexpr (knows_end) end = next_start(problem, at);
    if constexpr (!inclusive) problem.out[at] = static_cast<U>(T{problem.heads.init, C(1)});
    if constexpr (at_tails) problem.out.write.start(at, sum);
    else if constexpr (inclusive) problem.out[at] = static_cast<U>(sum);
    for (at += step; !ends(at); at += step) {
      V const y = item(at);
      if constexpr (!inclusive) problem.out[at] = static_cast<U>(sum);
      sum.value = static_cast<V>(op.op(sum.value, y));
      if constexpr (inclusive && !at_tails) problem.out[at] = static_cast<U>(sum);
    }
    if constexpr (at_tails) problem.out.write.end(at - 1, sum);
    if (at == all) return;
    sum.value = begun(at);
    if constexpr (std::is_same_v<C, bool>) sum.heads = true;
    else ++sum.heads;
  }
}

/// One loop, the meaning of a scan. Any thread can run it, in a kernel too.
SWEEP_NO_EXEC_CHECK
template <size_class = size_class::any, class Problem>
SWEEP_HD void run_scan(seq_policy const&, char const*, Problem const& given) {
  if (only_obtains()) return;
  constexpr bool backward = Problem::towards == direction::backward;
  constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  if constexpr (Problem::heads_type::segmented) {
    scan_segments(given);
  } else {
    auto const problem = given;  // a local: nothing that is written can be one of its members
    auto op = problem.op;
    auto const n = problem.grid.n;
    std::int64_t i = 0, at = backward ? n - 1 : 0;
    std::int64_t const step = backward ? -1 : 1;
    T sum = problem.init.present ? problem.init.value : problem.item(at);
    if (!problem.init.present) {
      problem.out[at] = static_cast<U>(sum);
      ++i;
      at += step;
    }
    SWEEP_STEPS_AT_ONCE
    for (; i < n; ++i, at += step) {
      T const x = problem.item(at);
      if constexpr (!inclusive) problem.out[at] = static_cast<U>(sum);
      sum = op(sum, x);
      if constexpr (inclusive) problem.out[at] = static_cast<U>(sum);
    }
  }
}

template <class Problem>
using host_tile_of = std::conditional_t<Problem::heads_type::segmented, scan_segmented_serial_tile<Problem>,
                                        scan_serial_tile<Problem>>;

/// Each tile by whichever member of the team claims it. Heads that know the next one go on from a member's
/// last tile.
template <writes What, class Tiles, class Problem>
void scan_tiles(team& members, Tiles const& tiles, Problem const& problem) {
  bool const streams =
      streams_results<host_tile_of<Problem>>(problem, members.members_for(problem.grid.tiles()));
  members.for_each_tile(
      problem.grid.tiles(), [&](int) { return host_tile_of<Problem>(problem, members.failed(), streams); },
      [&](std::int64_t tile, host_tile_of<Problem>& mine) { scan_tile<What>(mine, tiles, problem, tile); });
}

/// What comes before the next tile, by the expression of tile_state<T, across_tiles::ordered_lookback>: of
/// the supergroups before its own, the groups before its own, and the tiles before it.
template <class T>
class running_prefix {
 public:
  template <class Op>
  optional<T> before(Op& op) const {
    return combine(combine(supers_, groups_, op), tiles_, op);
  }
  template <class Op>
  void add(T const& total, Op& op) {
    tiles_ = {combine(tiles_, total, op), true};
    if (++tile_ % 32 != 0) return;
    if (tile_ % 1024 == 0) {
      supers_ = combine(combine(supers_, groups_, op), tiles_, op);
      groups_ = {};
    } else {
      groups_ = combine(groups_, tiles_, op);
    }
    tiles_ = {};
  }

 private:
  optional<T> supers_{}, groups_{}, tiles_{};
  std::int64_t tile_ = 0;
};

/// The tiles one after the other, by one thread that need not tell anybody of them.
template <class Problem>
void scan_tiles_in_order(Problem const& problem) {
  if (only_obtains()) return;
  std::uint32_t failed = 0;
  host_tile_of<Problem> one(problem, failed, streams_results<host_tile_of<Problem>>(problem, 1));
  auto op = problem.op;
  running_prefix<typename Problem::value> prefix;
  optional<typename Problem::value> all = problem.init;
  for (std::int64_t tile = 0; tile < problem.grid.tiles(); ++tile) {
    one.place(problem.grid.window(tile), tile + 2 < problem.grid.tiles());
    if constexpr (host_tile_of<Problem>::in_any_brackets) {
      all = {one.scan_after(all, op), true};
    } else {
      auto const total = one.scan_after(all, op);
      prefix.add(tile == 0 ? combine(all, total, op) : total, op);
      all = prefix.before(op);
    }
  }
}

template <size_class = size_class::any, class... Tags, class Problem>
void run_scan(host_policy<Tags...> const& policy, char const* call, Problem const& given) {
  using T = typename Problem::value;
  if constexpr (!relocatable<T> || !std::is_default_constructible_v<T>) {
    run_scan(seq, call, given);  // such values cannot pass between tiles
  } else {
    constexpr auto how = chosen<across_tiles, Tags...>;
    auto problem = given;
    problem.grid.tile_items = host_tile_items(sizeof(T));
    auto const tiles = problem.grid.tiles();
    team members(policy.threads());
    if constexpr (how == across_tiles::ordered_lookback)
      if (members.members_for(tiles) == 1) return scan_tiles_in_order(problem);

    if constexpr (how != across_tiles::reduce_then_scan && how != across_tiles::scan_then_propagate) {
      call_zeros<std::uint64_t> const words(static_cast<std::size_t>(tile_state<T, how>::words(tiles)));
      scan_tiles<writes::results>(members, tile_state<T, how>(words->data(), tiles, 1), problem);
    } else {
      auto op = problem.op;
      call_zeros<T> const of_tiles(static_cast<std::size_t>(tiles));
      auto& totals = *of_tiles;
      auto const scan_totals = [&] {
        if (only_obtains()) return;
        if (problem.init.present) totals[0] = op(problem.init.value, totals[0]);
        for (std::size_t t = 1; t < totals.size(); ++t) totals[t] = op(totals[t - 1], totals[t]);
      };
      if constexpr (how == across_tiles::reduce_then_scan) {
        scan_tiles<writes::totals>(members, collected_totals<T>{totals.data()}, problem.without_init());
        scan_totals();
        scan_tiles<writes::results>(members, known_prefixes<T>{totals.data()}, problem);
      } else {
        call_array<T> const of_items(static_cast<std::size_t>(problem.grid.n));
        auto* const local = of_items->data();
        scan_tiles<writes::results>(members, collected_totals<T>{totals.data()},
                                    problem.without_init().writing_to(local));
        scan_totals();
        members.for_each_tile(tiles, [&](std::int64_t tile) {
          auto const mine =
              problem;  // a copy: functors may have a state, and heads know what they were asked last
          auto my_op = mine.op;
          auto const base = mine.grid.window(tile).base;
          auto const end = std::min(mine.grid.n, base + mine.grid.tile_items);
          for (auto i = std::max<std::int64_t>(0, base); i < end; ++i)
            propagate_item(mine, tile, local, totals.data(), i, my_op);
        });
      }
    }
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
