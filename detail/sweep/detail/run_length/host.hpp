// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_HOST_HPP
#define SWEEP_DETAIL_RUN_LENGTH_HOST_HPP

#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/host/tile_size.hpp>
#include <sweep/detail/lookback/thread_lanes.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/run_length/problem.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One loop: the meaning of run-length encoding.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_run_length(seq_policy const&, char const*, Problem const& problem) {
  runs_so_far so_far{};
  for (std::int64_t i = 0; i < problem.grid.n; ++i) {
    if (i > 0 && !problem.starts_run(problem.keys[i - 1], problem.keys[i])) continue;
    problem.close_run(so_far, i);
    problem.put_key(so_far.heads, problem.keys[i]);
    so_far = {so_far.heads + 1, i + 1};
  }
  problem.finish(so_far);
}

/// Each tile by whoever claims it: finds where its runs begin, looks back, writes.
template <class... Tags, class Problem>
void run_run_length(host_policy<Tags...> const& policy, char const* call, Problem const& given) {
  using state = tile_state<runs_so_far, across_tiles::ordered_lookback>;
  auto problem = given;
  auto const n = problem.grid.n;
  std::int64_t const each = host_tile_items(std::max(sizeof(typename Problem::key), std::size_t{4}));
  auto const tiles = std::max<std::int64_t>(1, (n + each - 1) / each);
  team members(policy.threads());
  if (members.members_for(tiles) == 1) return run_run_length(seq, call, given);
  call_zeros<std::uint64_t> const words(static_cast<std::size_t>(state::words(tiles)));
  state const told(words->data(), tiles, 1);
  call_array<std::int32_t> const heads_of_tiles(static_cast<std::size_t>(members.members_for(tiles) * each));
  members.for_each_tile(tiles, [&](std::int64_t tile, int member) {
    auto const mine = problem;  // a copy: functors may have a state
    auto const first = tile * each, end = std::min(n, first + each);
    auto* const heads = heads_of_tiles->data() + member * each;
    std::int64_t count = 0;
    for (auto i = first; i < end; ++i)
      if (i == 0 || mine.starts_run(mine.keys[i - 1], mine.keys[i]))
        heads[count++] = static_cast<std::int32_t>(i - first);
    later_runs op;
    runs_so_far const found{count, count == 0 ? 0 : first + heads[count - 1] + 1};
    auto so_far =
        told.publish_and_look_back(thread_lanes(members.failed()), tile, found, op).value;  // 0 before tile 0
    for (std::int64_t nth = 0; nth < count; ++nth) {
      auto const i = first + heads[nth];
      mine.close_run(so_far, i);
      mine.put_key(so_far.heads, mine.keys[i]);
      so_far = {so_far.heads + 1, i + 1};
    }
    if (tile == tiles - 1) mine.finish(so_far);
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
