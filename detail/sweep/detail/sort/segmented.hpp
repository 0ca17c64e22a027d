// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTED_HPP
#define SWEEP_DETAIL_SORT_SEGMENTED_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/sort/dispatch.hpp>
#include <sweep/detail/sort/host_segments.hpp>
#include <sweep/detail/sort/problem.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/sort/merge_sort.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

#if defined(__CUDACC__)
template <class Scratch, class... Tags, class Problem, class Source>
void run_segmented_sort(device_policy<Scratch, Tags...> const& policy, Problem const& problem,
                        Source const& source) {
  if constexpr (sorts_on_device<Problem>()) run_merge_sort(policy, problem, source);
}
#endif

/// From the public call to a problem, and to where it runs. Keys and values are sorted where they stand.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Values, class Segments, class Comp>
SWEEP_HD void sort_segments(char const* call, Policy const& given, Keys first, Keys last, Values values,
                            Segments const& segments, Comp given_comp) {
  using keys_type = unwrapped_t<Keys>;
  using key = value_of<keys_type>;
  auto const comp = comparison_of<key>(given_comp);
  using orders = order_of<key, std::remove_const_t<decltype(comp)>>;
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  constexpr bool callable = require_callable<on_host<policy_type>, Comp, Keys, Values, Segments>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return;
  using values_type = decltype(unwrapped_values(values));
  using problem_type =
      sort_problem<keys_type, values_type, keys_type, values_type, decltype(orders::make(comp))>;
  auto const to_keys = unwrapped(first);
  auto const to_values = unwrapped_values(values);
  problem_type const problem{call, to_keys, to_values, to_keys, to_values, n, orders::make(comp)};
  require_range(target.policy, call, problem_type::has_values ? "keys_first" : "first", problem.keys_in);
  require_values(target.policy, call, "values_first", problem.values_in);
  require_segments(target.policy, call, segments, n);
  if constexpr (callable && sort_fits<problem_type>())
    with_head_source(
        target.policy, call, segments, n, problem.keys_out,
        [&](auto const& rest, auto const& source) { run_segmented_sort(rest, problem, source); });
  finish(call, target);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
