// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_DISPATCH_HPP
#define SWEEP_DETAIL_REDUCE_DISPATCH_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/reduce/host.hpp>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/detail/reduce/tuning.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/reduce/device.cuh>
#endif

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_NO_EXEC_CHECK
template <class T, class Op, class In, class Out, class Init, class Unary>
SWEEP_HD auto reduce_problem_of(char const* call, In first, In last, Out to, Init init, Op op, Unary unary) {
  auto const n = checked_distance(call, first, last);
  auto const in = unwrapped(first);
  if (n > 0) require_pointer(call, "first", in);
  require_pointer(call, "out", to);
  return reduce_problem<T, std::remove_const_t<decltype(in)>, Out, folding_t<T, decltype(device_functor(op))>,
                        decltype(device_functor(unary))>{
      in, n, to, static_cast<T>(init), folding<T>(device_functor(op)), device_functor(unary)};
}

/// Two ranges as one, whose iterators are no pointers any more: they are looked at here.
SWEEP_NO_EXEC_CHECK
template <class In1, class In2>
SWEEP_HD auto zipped_input(char const* call, In1 first1, In1 last1, In2 first2) {
  if (checked_distance(call, first1, last1, "last1", "first1") > 0) {
    require_pointer(call, "first1", unwrapped(first1));
    require_pointer(call, "first2", unwrapped(first2));
  }
  return zipped(first1, first2);
}

// From a public call to where it runs: the result is written, or brought to the host. fold_: the accumulator
// is given.

template <class T, class Policy, class In, class Out, class Init, class Op, class Unary>
void fold_to(char const* call, Policy const& given, In first, In last, Out out, Init init, Op op,
             Unary unary) {
  auto const target = resolve<reduce_options>(given);
  require_reproducible<Policy, folding_t<T, decltype(device_functor(op))>, T>();
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Op, Unary, In>();
  if constexpr (callable &&
                runs_with<on_host<std::remove_cvref_t<decltype(target.policy)>>, T, value_of<In>>() &&
                require_becomes<Out, T>())
    run_reduce(target.policy, call, reduce_problem_of<T>(call, first, last, unwrapped(out), init, op, unary));
  finish(call, target);
}

template <class T, class Policy, class In, class Init, class Op, class Unary>
T fold_value(char const* call, Policy const& given, In first, In last, Init init, Op op, Unary unary) {
  auto const target = resolve<reduce_options>(given);
  require_reproducible<Policy, folding_t<T, decltype(device_functor(op))>, T>();
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Op, Unary, In>();
  returned_value<T, std::remove_cvref_t<decltype(target.policy)>> result(target.policy, call);
  if constexpr (callable && is_assigned<T> &&
                runs_with<on_host<std::remove_cvref_t<decltype(target.policy)>>, T, value_of<In>>())
    run_reduce(result.rest(), call, reduce_problem_of<T>(call, first, last, result.place(), init, op, unary));
  return result.value();
}

// The same in one loop, which a kernel's thread can run.

SWEEP_NO_EXEC_CHECK
template <class T, class Policy, class In, class Out, class Init, class Op, class Unary>
  requires(runs_in_one_loop<Policy>)
SWEEP_HD void fold_to(char const* call, Policy const&, In first, In last, Out out, Init init, Op op,
                      Unary unary) {
  require_callable<true, Op, Unary, In>();
  if constexpr (require_becomes<Out, T>())
    run_reduce(seq_policy{}, call, reduce_problem_of<T>(call, first, last, unwrapped(out), init, op, unary));
}
SWEEP_NO_EXEC_CHECK
template <class T, class Policy, class In, class Init, class Op, class Unary>
  requires(runs_in_one_loop<Policy>)
SWEEP_HD T fold_value(char const* call, Policy const&, In first, In last, Init init, Op op, Unary unary) {
  require_callable<true, Op, Unary, In>();
  T result{};
  if constexpr (is_assigned<T>)
    run_reduce(seq_policy{}, call,
               reduce_problem_of<T>(call, first, last, __builtin_addressof(result), init, op, unary));
  return result;
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Out, class Init, class Op, class Unary>
SWEEP_HD Out reduce_to(char const* call, Policy const& given, In first, In last, Out out, Init init, Op op,
                       Unary unary) {
  using T = typename reduction<In, Op, Unary, Init>::value;
  fold_to<T>(call, given, first, last, out, init, op, unary);
  return out + 1;
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Init, class Op, class Unary>
SWEEP_HD auto reduce_value(char const* call, Policy const& given, In first, In last, Init init, Op op,
                           Unary unary) {
  using T = typename reduction<In, Op, Unary, Init>::value;
  return fold_value<T>(call, given, first, last, init, op, unary);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
