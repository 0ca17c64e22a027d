// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_DISPATCH_HPP
#define SWEEP_DETAIL_RUN_LENGTH_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/run_length/host.hpp>
#include <sweep/detail/run_length/problem.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/run_length/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

SWEEP_NO_EXEC_CHECK
template <class In, class Values, class Lengths, class Count, class Eq>
SWEEP_HD auto run_length_problem_of(char const* call, In first, std::int64_t n, Values values,
                                    Lengths lengths, Count count, Eq eq) {
  using functor = decltype(device_functor(eq));
  require_equivalence<functor, value_of<In>>();
  auto const counted = counts_through(unwrapped(count));
  run_length_problem<unwrapped_t<In>, unwrapped_t<Values>, unwrapped_t<Lengths>,
                     std::remove_const_t<decltype(counted)>, functor> const problem{
      unwrapped(first), unwrapped(values), unwrapped(lengths), counted, device_functor(eq), {n}};
  if (n > 0) {
    require_pointer(call, "first", problem.keys);
    require_pointer(call, "values", problem.keys_out);
    require_pointer(call, "lengths", problem.out);
  }
  require_pointer(call, "count", unwrapped(count));
  return problem;
}

// From a public call to where it runs. _to: the number of runs is written, nobody waits. _counted: it is
// brought to the host.

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Values, class Lengths, class Count, class Eq>
SWEEP_HD void run_length_to(char const* call, Policy const& given, In first, In last, Values values,
                            Lengths lengths, Count count, Eq eq) {
  auto const target = resolve<no_options>(given);
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Eq, In, Values, Lengths>();
  auto const n = checked_distance(call, first, last);
  if constexpr (callable && require_becomes<Values, value_of<In>>() &&
                require_becomes<Lengths, std::int64_t>())
    run_run_length(target.policy, call, run_length_problem_of(call, first, n, values, lengths, count, eq));
  finish(call, target);
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Values, class Lengths, class Eq>
SWEEP_HD std::int64_t run_length_counted(char const* call, Policy const& given, In first, In last,
                                         Values values, Lengths lengths, Eq eq) {
  auto const target = resolve<no_options>(given);
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Eq, In, Values, Lengths>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return 0;
  auto result = host_result_of<std::int64_t>(target.policy, call);
  if constexpr (callable && require_becomes<Values, value_of<In>>() &&
                require_becomes<Lengths, std::int64_t>())
    run_run_length(result.rest(), call,
                   run_length_problem_of(call, first, n, values, lengths, result.pointer(), eq));
  return result.value();
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
