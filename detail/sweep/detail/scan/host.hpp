// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_HOST_HPP
#define SWEEP_DETAIL_SCAN_HOST_HPP

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
#include <sweep/detail/scan/tile/serial_tile.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

/// One loop, the meaning of a scan. Any thread can run it, in a kernel too.
SWEEP_NO_EXEC_CHECK
template <size_class = size_class::any, class Problem>
SWEEP_HD void run_scan(seq_policy const&, char const*, Problem const& problem) {
  if (only_obtains()) return;
  constexpr bool backward = Problem::towards == direction::backward;
  constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  auto op = problem.op;
  auto const n = problem.grid.n;
  std::int64_t i = 0, at = backward ? n - 1 : 0;
  std::int64_t const step = backward ? -1 : 1;
  T sum = problem.init.present ? problem.init.value : problem.item(at);
  if (!problem.init.present) {
    if constexpr (inclusive) problem.out[at] = static_cast<U>(sum);
    else problem.out[at] = static_cast<U>(problem.before(sum, problem.heads_at(at, 1), 0));
    ++i;
    at += step;
  }
  for (; i < n; ++i, at += step) {
    T const x = problem.item(at);
    if constexpr (!inclusive)
      problem.out[at] = static_cast<U>(problem.before(sum, problem.heads_at(at, 1), 0));
    sum = op(sum, x);
    if constexpr (inclusive) problem.out[at] = static_cast<U>(sum);
  }
}

/// Each tile by whichever member of the team claims it.
template <writes What, class Tiles, class Problem>
void scan_tiles(team& members, Tiles const& tiles, Problem const& problem) {
  members.for_each_tile(problem.grid.tiles(), [&](std::int64_t tile) {
    scan_serial_tile<Problem> nth(problem, members.failed());
    scan_tile<What>(nth, tiles, problem, tile);
  });
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
          auto mine = problem.op;
          auto const base = problem.grid.window(tile).base;
          auto const end = std::min(problem.grid.n, base + problem.grid.tile_items);
          for (auto i = std::max<std::int64_t>(0, base); i < end; ++i)
            propagate_item(problem, tile, local, totals.data(), i, mine);
        });
      }
    }
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
