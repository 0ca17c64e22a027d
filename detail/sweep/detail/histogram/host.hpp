// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HISTOGRAM_HOST_HPP
#define SWEEP_DETAIL_HISTOGRAM_HOST_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/histogram/problem.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

/// Adds items [first, end) to sums: the meaning of a histogram.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void add_to_bins(Problem const& given, std::int64_t first, std::int64_t end,
                          typename Problem::sum* sums) {
  using sum = typename Problem::sum;
  auto const problem = given;  // a local: no sum can be one of its members
  for (auto i = first; i < end; ++i) {
    typename Problem::raw const x = problem.in[i];
    auto const bin = problem.bins_of.bin_of(x);
    if (bin == no_bin) continue;
    typename Problem::amount amounts[Problem::limbs];
    problem.weights.amounts(i, amounts);
    for (int l = 0; l < Problem::limbs; ++l) {
      auto& to = sums[l * problem.bins + bin];
      to = static_cast<sum>(to + amounts[l]);
    }
  }
}

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_histogram(seq_policy const&, char const*, Problem const& problem) {
  for (std::int64_t slot = 0; slot < problem.slots(); ++slot) problem.sums[slot] = 0;
  add_to_bins(problem, 0, problem.n, problem.sums);
}

/// A part of the items and sums of its own for each thread, where there are more items than sums; then the
/// parts' sums are added.
template <class... Tags, class Problem>
void run_histogram(host_policy<Tags...> const& policy, char const* call, Problem const& problem) {
  using sum = typename Problem::sum;
  team members(policy.threads());
  auto const slots = problem.slots();
  auto const parts = std::int64_t{members.members_for(problem.n / std::max<std::int64_t>(slots, 1 << 13))};
  if (parts <= 1) return run_histogram(seq, call, problem);
  std::vector<sum> sums(static_cast<std::size_t>(parts * slots));
  members.for_each_share(parts, [&](std::int64_t part) {
    auto const mine = problem;  // a copy: iterators may have a state
    add_to_bins(mine, mine.n * part / parts, mine.n * (part + 1) / parts, sums.data() + part * slots);
  });
  for (std::int64_t s = 0; s < slots; ++s) {
    sum all = 0;
    for (std::int64_t part = 0; part < parts; ++part)
      all = static_cast<sum>(all + sums[static_cast<std::size_t>(part * slots + s)]);
    problem.sums[s] = all;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
