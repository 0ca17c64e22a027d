// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_FIND_DISPATCH_HPP
#define SWEEP_DETAIL_FIND_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/detail/find/host.hpp>
#include <sweep/detail/find/problem.hpp>
#include <sweep/detail/find/tuning.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/find/device.cuh>
#endif

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Where a call's arguments are a problem: out takes the index.
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Out, class Test>
SWEEP_HD void start_find(Policy const& policy, char const* call, In in, std::int64_t n, Out out, Test test) {
  if (n > 0) require_range(policy, call, "first", in);
  auto const callable = require_callable<on_host<Policy>, Test, In>();
  if constexpr (callable) run_find(policy, call, find_problem<In, Out, Test>{in, n, out, test});
}

/// The index of the first item that the test holds for, on the host; n where there is none.
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Test>
SWEEP_HD std::int64_t find_index(char const* call, Policy const& given, In first, In last, Test test) {
  auto const target = resolve<find_options>(given);
  auto const n = checked_distance(call, first, last);
  if (n == 0) return 0;
  returned_value<std::int64_t, std::remove_cvref_t<decltype(target.policy)>> result(target.policy, call);
  start_find(result.rest(), call, unwrapped(first), n, result.place(), test);
  return result.value();
}

/// Written: the index, or whether there is one.
SWEEP_NO_EXEC_CHECK
template <answer What, class Policy, class In, class Out, class Test>
SWEEP_HD Out find_to(char const* call, Policy const& given, In first, In last, Out out, Test test) {
  auto const target = resolve<find_options>(given);
  auto const n = checked_distance(call, first, last);
  auto const to = unwrapped(out);
  require_range(target.policy, call, "out", to);
  using write = write_answer<What, std::remove_const_t<decltype(to)>>;
  if constexpr (require_becomes<Out, std::int64_t>())
    start_find(target.policy, call, unwrapped(first), n, writer<std::int64_t, write>{{to, n}}, test);
  finish(call, target);
  return out + 1;
}

// Tests, with one readable line where a function does not fit.

SWEEP_NO_EXEC_CHECK
template <class In, class Pred>
SWEEP_HD auto test_of_item(Pred given) {
  auto const pred = predicate_of<value_of<In>>(given);
  return holds_for_item<std::remove_const_t<decltype(pred)>>{pred};
}
SWEEP_NO_EXEC_CHECK
template <class In, class Pred>
SWEEP_HD auto test_of_item_not(Pred given) {
  auto const pred = predicate_of<value_of<In>>(given);
  using negated = not_where<std::remove_const_t<decltype(pred)>>;
  return holds_for_item<negated>{negated{pred}};
}
SWEEP_NO_EXEC_CHECK
template <class In, class Comp>
SWEEP_HD auto test_of_order(Comp given) {
  auto const comp = comparison_of<value_of<In>>(given);
  return goes_before_left<std::remove_const_t<decltype(comp)>>{comp};
}
SWEEP_NO_EXEC_CHECK
template <class In, class Pred>
SWEEP_HD auto test_of_partition(Pred given) {
  auto const pred = predicate_of<value_of<In>>(given);
  return holds_behind_other<std::remove_const_t<decltype(pred)>>{pred};
}

// Two ranges are looked through by index.

SWEEP_NO_EXEC_CHECK
template <class In1, class In2, class Eq>
SWEEP_HD auto test_of_two(In1 first1, In2 first2, Eq given) {
  auto const eq = comparison_of<value_of<In1>, value_of<In2>>(given);
  return differs_at<unwrapped_t<In1>, unwrapped_t<In2>, std::remove_const_t<decltype(eq)>>{
      unwrapped(first1), unwrapped(first2), eq};
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In1, class In2>
SWEEP_HD std::int64_t checked_indices(char const* call, Policy const& given, In1 first1, In1 last1,
                                      In2 first2) {
  auto const n = checked_distance(call, first1, last1, "last1", "first1");
  auto const target = resolve<find_options>(given);
  if (n > 0) {
    require_range(target.policy, call, "first1", unwrapped(first1));
    require_range(target.policy, call, "first2", unwrapped(first2));
  }
  return n;
}
/// The indices [0, n) as a range.
SWEEP_HD inline auto index_range(std::int64_t at) { return reader<std::int64_t, identity>{{}, at}; }

SWEEP_NO_EXEC_CHECK
template <class Policy, class In1, class In2, class Eq>
SWEEP_HD std::int64_t index_of_difference(char const* call, Policy const& policy, In1 first1, In1 last1,
                                          In2 first2, Eq eq) {
  auto const n = checked_indices(call, policy, first1, last1, first2);
  return find_index(call, policy, index_range(0), index_range(n), test_of_two(first1, first2, eq));
}
SWEEP_NO_EXEC_CHECK
template <answer What, class Policy, class In1, class In2, class Out, class Eq>
SWEEP_HD Out difference_to(char const* call, Policy const& policy, In1 first1, In1 last1, In2 first2, Out out,
                           Eq eq) {
  auto const n = checked_indices(call, policy, first1, last1, first2);
  return find_to<What>(call, policy, index_range(0), index_range(n), out, test_of_two(first1, first2, eq));
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
