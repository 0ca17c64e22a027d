// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BOUNDS_HOST_HPP
#define SWEEP_DETAIL_BOUNDS_HOST_HPP

#include <sweep/detail/bounds/problem.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// One bound is a matter of a few reads, and so of one thread.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Problem>
requires on_host<Policy> SWEEP_HD void run_bound(Policy const&, char const*, Problem const& problem) {
  problem.write(bound_in(0, problem.n, [&](std::int64_t i) { return problem.stands_before(i); }));
}

/// Each value for itself.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Problem>
requires on_host<Policy> SWEEP_HD void run_bounds(Policy const& policy, char const* call,
                                                  Problem const& problem) {
  for_each_index(policy, call, problem.m, [problem](std::int64_t j) {
    typename Problem::value const x = problem.values[j];
    problem.write(j, bound_in(0, problem.n, [&](std::int64_t i) { return problem.stands_before(i, x); }), x);
  });
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
