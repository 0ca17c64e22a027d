// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MERGE_HOST_HPP
#define SWEEP_DETAIL_MERGE_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/merge_path.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/host/tile_size.hpp>
#include <sweep/detail/merge/problem.hpp>
#include <sweep/policy.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Items [k, end) of the merge, from item i of the first range and item j of the second on: the meaning of
/// merge.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void merge_from(Problem const& problem, std::int64_t i, std::int64_t j, std::int64_t k,
                         std::int64_t end) {
  while (k < end && i < problem.n1 && j < problem.n2) {
    // For so many results neither range can end.
    auto sure = end - k;
    if (problem.n1 - i < sure) sure = problem.n1 - i;
    if (problem.n2 - j < sure) sure = problem.n2 - j;
    for (auto const some = k + sure; k < some; ++k) {
      if (problem.second_first(i, j)) problem.take_second(k, j++);
      else problem.take_first(k, i++);
    }
  }
  while (k < end && i < problem.n1) problem.take_first(k++, i++);
  while (k < end && j < problem.n2) problem.take_second(k++, j++);
}

/// One loop.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_merge(seq_policy const&, char const*, Problem const& problem) {
  merge_from(problem, 0, 0, 0, problem.n());
}

/// A part of the merge for each tile of results, by whoever claims it.
template <class... Tags, class Problem>
void run_merge(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  auto const n = problem.n();
  std::int64_t const each = host_tile_items(sizeof(typename Problem::key1) > sizeof(typename Problem::key2)
                                                ? sizeof(typename Problem::key1)
                                                : sizeof(typename Problem::key2));
  team members(policy.threads());
  members.for_each_tile((n + each - 1) / each, [&](std::int64_t tile) {
    auto const mine = problem;  // a copy: functors may have a state
    auto const first = tile * each, end = std::min(n, first + each);
    auto const i = merge_path(mine.n1, mine.n2, first,
                              [&](std::int64_t a, std::int64_t b) { return mine.second_first(a, b); });
    merge_from(mine, i, first - i, first, end);
  });
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
