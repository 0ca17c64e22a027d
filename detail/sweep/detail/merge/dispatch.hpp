// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MERGE_DISPATCH_HPP
#define SWEEP_DETAIL_MERGE_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/merge/host.hpp>
#include <sweep/detail/merge/problem.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/merge/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// What ranges and outputs are called in messages.
struct merge_names {
  char const *first1, *last1, *first2, *last2, *out;
  SWEEP_HD static constexpr merge_names of_items() { return {"first1", "last1", "first2", "last2", "out"}; }
  SWEEP_HD static constexpr merge_names of_keys() {
    return {"keys1_first", "keys1_last", "keys2_first", "keys2_last", "keys_out"};
  }
};

/// From the public call to a problem, and to where it runs. Returns how many items there are.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys1, class Keys2, class Values1, class Values2, class KeysOut,
          class ValuesOut, class Comp>
SWEEP_HD std::int64_t merge(char const* call, Policy const& given, Keys1 first1, Keys1 last1, Keys2 first2,
                            Keys2 last2, Values1 values1, Values2 values2, KeysOut out, ValuesOut values_out,
                            Comp given_comp) {
  auto const comp = comparison_of<value_of<Keys2>, value_of<Keys1>>(given_comp);
  using problem_type =
      merge_problem<unwrapped_t<Keys1>, unwrapped_t<Keys2>, unwrapped_t<Values1>, unwrapped_t<Values2>,
                    unwrapped_t<KeysOut>, unwrapped_t<ValuesOut>, std::remove_const_t<decltype(comp)>>;
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable =
      require_callable<on_host<policy_type>, Comp, Keys1, Keys2, Values1, Values2, KeysOut, ValuesOut>();
  constexpr auto names = problem_type::has_values ? merge_names::of_keys() : merge_names::of_items();
  auto const n1 = checked_distance(call, first1, last1, names.last1, names.first1);
  auto const n2 = checked_distance(call, first2, last2, names.last2, names.first2);
  if (n1 + n2 == 0) return 0;
  problem_type const problem{unwrapped(first1),
                             n1,
                             unwrapped(first2),
                             n2,
                             unwrapped(values1),
                             unwrapped(values2),
                             unwrapped(out),
                             unwrapped(values_out),
                             comp};
  if (n1 > 0) require_range(target.policy, call, names.first1, problem.keys1);
  if (n2 > 0) require_range(target.policy, call, names.first2, problem.keys2);
  require_range(target.policy, call, names.out, problem.keys_out);
  if constexpr (problem_type::has_values) {
    if (n1 > 0) require_range(target.policy, call, "values1", problem.values1);
    if (n2 > 0) require_range(target.policy, call, "values2", problem.values2);
    require_range(target.policy, call, "values_out", problem.values_out);
  }
  constexpr bool values_become = [] {
    if constexpr (problem_type::has_values)
      return require_becomes<ValuesOut, value_of<Values1>>() &&
             require_becomes<ValuesOut, value_of<Values2>>();
    else return true;
  }();
  if constexpr (callable && require_becomes<KeysOut, value_of<Keys1>>() && require_copies<KeysOut, Keys1>() &&
                require_becomes<KeysOut, value_of<Keys2>>() && values_become)
    run_merge(target.policy, call, problem);
  finish(call, target);
  return n1 + n2;
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
