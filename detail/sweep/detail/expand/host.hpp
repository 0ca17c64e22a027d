// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_EXPAND_HOST_HPP
#define SWEEP_DETAIL_EXPAND_HOST_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/expand/problem.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/policy.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The item whose repetitions stand at \p place, which exists: places of items do not decrease.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD std::int64_t item_at(Problem const& problem, std::int64_t place) {
  std::int64_t low = 0, high = problem.count;
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    if (problem.places.end(middle) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// Places [first, end) of the output: the meaning of expand.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void expand_places(Problem const& problem, std::int64_t first, std::int64_t end) {
  for (auto i = first > 0 ? item_at(problem, first) : 0; first < end; ++i)
    for (auto const all = problem.places.end(i); first < all && first < end; ++first)
      problem.put(first, problem.item(i));
}

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_expand(seq_policy const&, char const*, Problem const& problem) {
  if (auto const n = problem.written(); n > 0) expand_places(problem, 0, n);
  problem.put_total();
}

/// A part of the output for each tile, by whoever claims it.
template <class... Tags, class Problem>
void run_expand(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  constexpr std::int64_t each = 1 << 14;
  auto const n = problem.written();
  team members(policy.threads());
  members.for_each_tile((n + each - 1) / each, [&](std::int64_t tile) {
    auto const mine = problem;  // a copy: iterators may have a state
    expand_places(mine, tile * each, std::min(n, (tile + 1) * each));
  });
  problem.put_total();
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
