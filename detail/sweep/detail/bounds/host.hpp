// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BOUNDS_HOST_HPP
#define SWEEP_DETAIL_BOUNDS_HOST_HPP

#include <sweep/detail/bounds/problem.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/policy.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// One bound is a matter of a few reads, and so of one thread.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Problem>
requires on_host<Policy> SWEEP_HD void run_bound(Policy const&, char const*, Problem const& problem) {
  problem.write(bound_in(0, problem.n, [&](std::int64_t i) { return problem.stands_before(i); }));
}

/// The bounds of values [first, end): of some at a time, which take their steps together without branches,
/// for each waits for memory alone and nothing is guessed.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void write_bounds(Problem const& problem, std::int64_t first, std::int64_t end) {
  using value = typename Problem::value;
#if !defined(__CUDA_ARCH__)
  if constexpr (std::is_trivially_copyable_v<value> && std::is_default_constructible_v<value> &&
                sizeof(value) <= 16) {
    constexpr int together = 8;
    for (; first + together <= end; first += together) {
      value x[together];
      std::int64_t low[together]{};
      for (int k = 0; k < together; ++k) x[k] = problem.values[first + k];
      auto length = problem.n;  // a bound is one of [low, low + length]
      while (length > 1) {
        auto const half = length / 2;
        for (int k = 0; k < together; ++k)
          low[k] += half & -static_cast<std::int64_t>(problem.stands_before(low[k] + half - 1, x[k]));
        length -= half;
      }
      if (length == 1)
        for (int k = 0; k < together; ++k) low[k] += problem.stands_before(low[k], x[k]) ? 1 : 0;
      for (int k = 0; k < together; ++k) problem.write(first + k, low[k], x[k]);
    }
  }
#endif
  for (; first < end; ++first) {
    value const x = problem.values[first];
    problem.write(first, bound_in(0, problem.n, [&](std::int64_t i) { return problem.stands_before(i, x); }),
                  x);
  }
}

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_bounds(seq_policy const&, char const*, Problem const& problem) {
  if (only_obtains()) return;
  write_bounds(problem, 0, problem.m);
}

/// A part of the values for each tile, by whoever claims it.
template <class... Tags, class Problem>
void run_bounds(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  constexpr std::int64_t each = 1 << 14;
  auto const m = problem.m;
  team members(policy.threads());
  members.for_each_tile((m + each - 1) / each, [&](std::int64_t tile) {
    auto const mine = problem;  // a copy: functors may have a state
    write_bounds(mine, tile * each, std::min(m, (tile + 1) * each));
  });
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
