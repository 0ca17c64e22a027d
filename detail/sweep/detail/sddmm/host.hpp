// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SDDMM_HOST_HPP
#define SWEEP_DETAIL_SDDMM_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/sddmm/problem.hpp>
#include <sweep/policy.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Entries [first, end): the meaning of a sampled product.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void sample_products(Problem const& problem, std::int64_t first, std::int64_t end) {
  using V = typename Problem::value;
  auto row = problem.row_of(first, 0, problem.rows);
  for (auto k = first; k < end; ++k) {
    while (row + 1 < problem.rows && problem.ends_before(row, k)) ++row;
    auto const column = static_cast<std::int64_t>(problem.indices[k]);
    if (problem.depth == 0) {
      problem.put(k, row, problem.zero);
      continue;
    }
    V sum = problem.product(row, column, 0);
    for (std::int64_t i = 1; i < problem.depth; ++i) sum = problem.fold(sum, problem.product(row, column, i));
    problem.put(k, row, sum);
  }
}

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_sddmm(seq_policy const&, char const*, Problem const& problem) {
  if (!only_obtains()) sample_products(problem, 0, problem.n);
}

/// The same by tiles of entries that take about equally long.
template <class... Tags, class Problem>
void run_sddmm(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  auto const each = std::max<std::int64_t>(1, (1 << 14) / (problem.depth + 1));
  team members(policy.threads());
  members.for_each_tile((problem.n + each - 1) / each, [&](std::int64_t tile) {
    auto const mine = problem;  // a copy: functors may have a state
    sample_products(mine, tile * each, std::min(problem.n, (tile + 1) * each));
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
