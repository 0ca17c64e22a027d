// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_GATHER_HOST_HPP
#define SWEEP_DETAIL_GATHER_HOST_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/gather/problem.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/host/tile_size.hpp>
#include <sweep/policy.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One loop: the meaning of gather and scatter.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_gather(seq_policy const&, char const*, Problem const& problem) {
  for (std::int64_t i = 0; i < problem.grid.n; ++i) problem.move_if(i);
}

/// A loop for each tile, by whoever claims it.
template <class... Tags, class Problem>
void run_gather(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  std::int64_t const each = host_tile_items(std::max(sizeof(typename Problem::raw), sizeof(std::int64_t)));
  team members(policy.threads());
  members.for_each_tile((problem.grid.n + each - 1) / each, [&](std::int64_t tile) {
    auto const mine = problem;  // a copy: functors may have a state
    for (auto i = tile * each; i < std::min(mine.grid.n, (tile + 1) * each); ++i) mine.move_if(i);
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
