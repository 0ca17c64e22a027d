// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_ADJACENT_DIFFERENCE_DISPATCH_HPP
#define SWEEP_DETAIL_ADJACENT_DIFFERENCE_DISPATCH_HPP

#include <sweep/detail/adjacent_difference/host.hpp>
#include <sweep/detail/adjacent_difference/problem.hpp>
#include <sweep/detail/adjacent_difference/tuning.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/adjacent_difference/device.cuh>
#endif

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// From the public call to a problem: types complete, iterators unwrapped, direction folded in; then to where
/// it runs.
template <class Dir, class Policy, class In, class Out, class Op>
Out adjacent_difference(char const* call, Policy const& given, In first, In last, Out out, Op op) {
  auto const target = resolve<adjacent_difference_options>(given);
  auto const n = checked_distance(call, first, last);
  if (n == 0) return out;

  using op_type = decltype(device_functor(op));
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Op, In, Out>();
  static_assert(std::is_invocable_v<op_type&, value_of<In>, value_of<In>>,
                "sweep: the operator cannot be called with an item and its neighbour");
  auto const start = [&](auto in, auto to, auto towards) {
    require_storage(call, in, to);
    if constexpr (callable && require_becomes<Out, value_of<In>>() && require_copies<Out, In>() &&
                  runs_with<on_host<std::remove_cvref_t<decltype(target.policy)>>, int, value_of<In>>())
      run_adjacent_difference(target.policy, call,
                              adjacent_difference_problem<towards(), decltype(in), decltype(to), op_type>{
                                  in, to, device_functor(op), {n}});
  };
  constexpr auto towards = direction_of<Dir>;
  if constexpr (is_reversed_contiguous<In> && is_reversed_contiguous<Out>)
    start(base_pointer(last), base_pointer(out) - n, std::integral_constant<direction, turned(towards)>{});
  else start(unwrapped(first), unwrapped(out), std::integral_constant<direction, towards>{});
  finish(call, target);
  return out + n;
}

/// The same in one loop, which a kernel's thread can run.
SWEEP_NO_EXEC_CHECK
template <class Dir, class Policy, class In, class Out, class Op>
  requires(runs_in_one_loop<Policy>)
SWEEP_HD Out adjacent_difference(char const* call, Policy const&, In first, In last, Out out, Op op) {
  auto const n = checked_distance(call, first, last);
  if (n == 0) return out;
  using op_type = decltype(device_functor(op));
  require_callable<true, Op, In, Out>();
  static_assert(std::is_invocable_v<op_type&, value_of<In>, value_of<In>>,
                "sweep: the operator cannot be called with an item and its neighbour");
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  require_storage(call, in, to);
  if constexpr (require_becomes<Out, value_of<In>>())
    run_adjacent_difference(seq_policy{}, call,
                            adjacent_difference_problem<direction_of<Dir>, std::remove_const_t<decltype(in)>,
                                                        std::remove_const_t<decltype(to)>, op_type>{
                                in, to, device_functor(op), {n}});
  return out + n;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
