// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BOUNDS_DISPATCH_HPP
#define SWEEP_DETAIL_BOUNDS_DISPATCH_HPP

#include <sweep/detail/bounds/host.hpp>
#include <sweep/detail/bounds/problem.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/bounds/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

// What is looked for among items of In, with one readable line where a function does not fit.

SWEEP_NO_EXEC_CHECK
template <class In, class T, class Comp>
SWEEP_HD auto lower_bound_of(Comp given) {
  auto const comp = comparison_of<value_of<In>, T>(given);
  return before_lower_bound<std::remove_const_t<decltype(comp)>>{comp};
}
SWEEP_NO_EXEC_CHECK
template <class In, class T, class Comp>
SWEEP_HD auto upper_bound_of(Comp given) {
  auto const comp = comparison_of<T, value_of<In>>(given);
  return before_upper_bound<std::remove_const_t<decltype(comp)>>{comp};
}
SWEEP_NO_EXEC_CHECK
template <class In, class Pred>
SWEEP_HD auto partition_point_of(Pred given) {
  auto const pred = predicate_of<value_of<In>>(given);
  return before_partition_point<std::remove_const_t<decltype(pred)>>{pred};
}
SWEEP_NO_EXEC_CHECK
template <class In, class T, class Comp>
SWEEP_HD auto equivalent_of(Comp given) {
  auto const comp = comparison_of<T, value_of<In>>(given);
  return says_found<std::remove_const_t<decltype(comp)>>{comp};
}

// One bound: written, or brought to the host. `says` is what is said of it.

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class T, class Out, class Before, class Says>
SWEEP_HD void start_bound(Policy const& policy, char const* call, In in, std::int64_t n, T const& value,
                          Out out, Before before, Says says) {
  if (n > 0) require_range(policy, call, "first", in);
  require_range(policy, call, "out", out);
  auto const place = place_of_result<typename Says::type, Policy>(out);
  auto const callable = require_callable<on_host<Policy>, Before, In>();
  if constexpr (callable)
    run_bound(policy, call,
              bound_problem<In, T, std::remove_const_t<decltype(place)>, Before, Says>{in, n, value, place,
                                                                                       before, says});
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class T, class Out, class Before, class Says>
SWEEP_HD Out bound_to(char const* call, Policy const& given, In first, In last, T const& value, Out out,
                      Before before, Says says) {
  auto const target = resolve<no_options>(given);
  auto const n = checked_distance(call, first, last);
  if constexpr (require_becomes<Out, typename Says::type>())
    start_bound(target.policy, call, unwrapped(first), n, value, unwrapped(out), before, says);
  finish(call, target);
  return out + 1;
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class T, class Before, class Says>
SWEEP_HD auto bound_value(char const* call, Policy const& given, In first, In last, T const& value,
                          Before before, Says says) {
  using said = typename Says::type;
  auto const target = resolve<no_options>(given);
  auto const n = checked_distance(call, first, last);
  if (n == 0) return said{};
  returned_value<said, std::remove_cvref_t<decltype(target.policy)>> result(target.policy, call);
  start_bound(result.rest(), call, unwrapped(first), n, value, result.place(), before, says);
  return result.value();
}

/// A bound for each of many values.
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Values, class Out, class Before, class Says>
SWEEP_HD Out bounds_to(char const* call, Policy const& given, In first, In last, Values values_first,
                       Values values_last, Out out, Before before, Says says) {
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const n = checked_distance(call, first, last);
  auto const m = checked_distance(call, values_first, values_last, "values_last", "values_first");
  bounds_problem<unwrapped_t<In>, unwrapped_t<Values>, unwrapped_t<Out>, Before, Says> const problem{
      unwrapped(first), n, unwrapped(values_first), m, unwrapped(out), before, says};
  if (m > 0) {
    if (n > 0) require_range(target.policy, call, "first", problem.in);
    require_range(target.policy, call, "values_first", problem.values);
    require_range(target.policy, call, "out", problem.out);
  }
  auto const callable = require_callable<on_host<policy_type>, Before, In, Values>();
  if constexpr (callable && require_becomes<Out, typename Says::type>())
    run_bounds(target.policy, call, problem);
  finish(call, target);
  return out + static_cast<std::ptrdiff_t>(m);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
