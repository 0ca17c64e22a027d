// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_HOST_HPP
#define SWEEP_DETAIL_REDUCE_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/strands.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

/// One loop, the meaning of a reduction. Any thread can run it, in a kernel too.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_reduce(seq_policy const&, char const*, Problem problem) {
  auto sum = problem.init;
#if !defined(__CUDA_ARCH__)
  if constexpr (folds_runs<decltype(Problem::unary)>) {
    if (problem.n > 0) sum = problem.op(sum, problem.unary.fold_run(problem.in, 0, problem.n));
    return problem.write(sum);
  }
#endif
  auto const n = problem.n;
  SWEEP_STEPS_AT_ONCE
  for (std::int64_t i = 0; i < n; ++i) sum = static_cast<decltype(sum)>(problem.op(sum, problem.item(i)));
  problem.write(sum);
}

/// What items [first, first + count) of a tile fold to, count > 0.
template <class Problem>
typename Problem::value fold_tile(Problem const& given, std::int64_t first, int count) {
  using T = typename Problem::value;
  auto const problem = given;  // a copy: functors may have a state
  auto op = problem.op;
  if constexpr (folds_runs<decltype(Problem::unary)>) {
    return problem.unary.fold_run(problem.in, first, count);
  } else if constexpr (adds_numbers<decltype(op), T>) {
    return sum_in_lanes<T>(count, [&](int i) { return problem.item(first + i); });
  } else {
    T of_strands[host_strands];
    return reduce_in_strands<T>(
        count, [&](int i) { return problem.item(first + i); }, op, of_strands);
  }
}

/// The totals of tiles, by whoever claims them, then one loop over the totals; of one value its power.
template <class... Tags, class Problem>
void run_reduce(host_policy<Tags...> const& policy, char const* call, Problem problem) {
  using T = typename Problem::value;
  if constexpr (Problem::of_one_value) {
    if (!only_obtains()) problem.write_power();
  } else if constexpr (!relocatable<T> || !std::is_default_constructible_v<T>) {
    run_reduce(seq, call, problem);
  } else {
    if (only_obtains()) return;
    if (problem.n == 0) return problem.write(problem.init);
    int const tile_items = host_tile_items(sizeof(T));
    auto const tiles = (problem.n + tile_items - 1) / tile_items;
    team members(policy.threads());
    auto const fold = [&](std::int64_t tile) {
      auto const first = tile * tile_items;
      return fold_tile(problem, first,
                       static_cast<int>(std::min<std::int64_t>(tile_items, problem.n - first)));
    };
    T sum = problem.init;
    if (members.members_for(tiles) == 1) {
      for (std::int64_t tile = 0; tile < tiles; ++tile) sum = static_cast<T>(problem.op(sum, fold(tile)));
      return problem.write(sum);
    }
    std::vector<T> totals(static_cast<std::size_t>(tiles));
    members.for_each_tile(tiles,
                          [&](std::int64_t tile) { totals[static_cast<std::size_t>(tile)] = fold(tile); });
    for (T const& total : totals) sum = static_cast<T>(problem.op(sum, total));
    problem.write(sum);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
