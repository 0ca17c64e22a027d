// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_HOST_HPP
#define SWEEP_DETAIL_REDUCE_HOST_HPP

#include <sweep/detail/block/serial.hpp>
#include <sweep/detail/core/choices.hpp>
#include <sweep/detail/core/host_tile.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/team.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/detail/scan/agent.hpp>
#include <sweep/detail/scan/problem.hpp>
#include <sweep/policy.hpp>

#include <vector>

namespace sweep::detail {

/// One loop, the meaning of a reduction.
template <class Problem>
void run_reduce(seq_policy const&, char const*, Problem problem) {
  auto sum = problem.init;
  for (std::int64_t i = 0; i < problem.n; ++i) sum = problem.op(sum, problem.item(i));
  problem.write(sum);
}

/// The totals of tiles, by whoever claims them, then one loop over the totals.
template <class... Choices, class Problem>
void run_reduce(host_policy<Choices...> const& policy, char const* call, Problem problem) {
  using T = typename Problem::value;
  static_assert(!chooses<axis::across_tiles, Choices...>,
                "sweep: this policy carries a variant of scan, which a reduction does not have");
  static_assert(!chooses_compaction<Choices...>,
                "sweep: this policy carries a variant of compactions, which a reduction does not have");
  static_assert(!chooses<axis::reduce_by, Choices...>, "sweep: variants of reduce are for sweep::device");
  if constexpr (!std::is_trivially_copyable_v<T> || !std::is_default_constructible_v<T>) {
    run_reduce(seq, call, problem);
  } else {
    using In = decltype(problem.in);
    scan_problem<scan_kind::inclusive, direction::forward, T, In, T*, decltype(problem.op),
                 decltype(problem.unary)>
        tiles{problem.in, nullptr, problem.op, problem.unary, {}, {problem.n, host_tile_items(sizeof(T))}};
    if (problem.n == 0) return problem.write(problem.init);
    std::vector<T> totals(static_cast<std::size_t>(std::max<std::int64_t>(tiles.grid.tiles(), 0)));
    team members(policy.threads());
    members.for_each_tile(tiles.grid.tiles(), [&](std::int64_t tile) {
      serial_block<decltype(tiles)> block(tiles, members.failed());
      scan_tile<writes::totals>(block, collected_totals<T>{totals.data()}, tiles, tile);
    });
    T sum = problem.init;
    for (T const& total : totals) sum = problem.op(sum, total);
    problem.write(sum);
  }
}

}  // namespace sweep::detail

#endif
