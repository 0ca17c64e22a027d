// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_DISPATCH_HPP
#define SWEEP_DETAIL_REDUCE_DISPATCH_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
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

namespace sweep::detail {

/// From a public call to a problem, then to where it runs.
template <class Policy, class In, class Out, class Init, class Op, class Unary>
Out reduce_to(char const* call, Policy const& given, In first, In last, Out out, Init init, Op op,
              Unary unary) {
  auto const target = resolve<reduce_options>(given);
  auto const n = checked_distance(call, first, last);
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  if (n > 0) require_pointer(call, "first", in);
  require_pointer(call, "out", to);
  using types = accumulation<In, Op, Unary, Init>;
  using T = typename types::value;
  using problem = reduce_problem<T, std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>,
                                 typename types::op, Unary>;
  run_reduce(target.policy, call, problem{in, n, to, static_cast<T>(init), device_functor(op), unary});
  finish(call, target);
  return out + 1;
}

template <class Policy, class In, class Init, class Op, class Unary>
auto reduce_value(char const* call, Policy const& given, In first, In last, Init init, Op op, Unary unary) {
  using T = typename accumulation<In, Op, Unary, Init>::value;
  auto const target = resolve<reduce_options>(given);
  return value_through<T>(target.policy, call,
                          [&](T* result) { reduce_to(call, given, first, last, result, init, op, unary); });
}

}  // namespace sweep::detail

#endif
