// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_FIND_HOST_HPP
#define SWEEP_DETAIL_FIND_HOST_HPP

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/find/host_lanes.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/policy.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// The first of items [first, end) that the test holds for, or end: the meaning of a search.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD std::int64_t first_that_holds(Problem const& problem, std::int64_t first, std::int64_t end) {
#if !defined(__CUDA_ARCH__)
  using numbers = compared_numbers<decltype(Problem::in), decltype(Problem::test)>;
  if constexpr (numbers::found) {
    auto const count = [&] { return std::min<std::int64_t>(numbers::items, end - first); };
    while (first < end && (numbers::takes_fewer || count() == numbers::items) &&
           !numbers::hold(problem.test, problem.in, first, count()))
      first += count();
  }
#endif
  for (; first + 4 <= end; first += 4) {
    if (problem.holds(first)) return first;
    if (problem.holds(first + 1)) return first + 1;
    if (problem.holds(first + 2)) return first + 2;
    if (problem.holds(first + 3)) return first + 3;
  }
  while (first < end && !problem.holds(first)) ++first;
  return first;
}

/// One loop.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_find(seq_policy const&, char const*, Problem problem) {
  problem.write(first_that_holds(problem, 0, problem.n));
}

/// Members of the team claim pieces of the range in increasing order, until one lies behind what has been
/// found: pieces before that are all claimed, and are looked through to their ends.
template <class... Tags, class Problem>
void run_find(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  constexpr std::int64_t piece = 1 << 14;
  std::int64_t const n = problem.n;
  std::int64_t next = 0, found = n;
  team members(policy.threads());
  members.for_each_share(members.members_for((n + piece - 1) / piece), [&](std::int64_t) {
    auto const mine = problem;  // a copy: functors may have a state
    atomic_ref<std::int64_t> best(found);
    for (;;) {
      auto const first = atomic_ref<std::int64_t>(next).fetch_add(piece, relaxed);
      if (first >= std::min(n, best.load(relaxed))) return;
      auto const end = std::min(n, first + piece), at = first_that_holds(mine, first, end);
      if (at == end) continue;
      auto seen = best.load(relaxed);
      while (at < seen && !best.compare_exchange_weak(seen, at, relaxed)) {}
      return;
    }
  });
  problem.write(found);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
