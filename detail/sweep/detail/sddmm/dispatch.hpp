// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SDDMM_DISPATCH_HPP
#define SWEEP_DETAIL_SDDMM_DISPATCH_HPP

#include <sweep/detail/convert_csr/preconditions.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/sddmm/host.hpp>
#include <sweep/detail/sddmm/problem.hpp>
#include <sweep/detail/spmv/columns.hpp>
#include <sweep/detail/spmv/dispatch.hpp>
#include <sweep/strided.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/sddmm/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// From the public call to a problem, and to where it runs.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A, class X, class Y, class Out, class Semiring, class Result>
SWEEP_HD void sddmm(char const* call, Policy const& given, A const& a, X const& x, Y const& y, Out given_out,
                    Semiring const& by, Result const& result_of) {
  using in_x = unwrapped_t<decltype(x.first)>;
  using in_y = unwrapped_t<decltype(y.first)>;
  using out = unwrapped_t<Out>;
  auto const ring = semiring_of<value_of<in_x>, value_of<in_y>>(by);
  using V = std::remove_const_t<decltype(ring.zero)>;
  auto const plus = device_functor(ring.plus);
  auto const times = device_functor(ring.times);
  using times_type = std::remove_const_t<decltype(times)>;
  static_assert(makes<V, decltype(plus), V&, V&>(),
                "sweep: the semiring's plus cannot be called with two values of its zero's type, or does not "
                "make another of them");
  static_assert(makes<V, times_type, value_of<in_x>, value_of<in_y>>(),
                "sweep: the semiring's times cannot be called with items of the two dense matrices, or does "
                "not make a value of its zero's type");
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable =
      require_callable<on_host<policy_type>, decltype(ring.plus), decltype(ring.times), decltype(a.offsets),
                       decltype(a.indices), in_x, in_y, Out, decltype(a.wanted)>();
  require_matrix(target.policy, call, a);
  auto const n = entries_of(target.policy, call, a);
  if (x.extents[0] != a.rows)
    refuse_argument(call, "x", "has ", x.extents[0], " rows, but the matrix ", a.rows);
  if (y.extents[1] != a.columns)
    refuse_argument(call, "y", "has ", y.extents[1], " columns, but the matrix ", a.columns);
  if (x.extents[1] != y.extents[0])
    refuse_argument(call, "y", "has ", y.extents[0], " rows, but x has ", x.extents[1], " columns");
  if (n == 0 || a.rows == 0) return;
  auto const result = result_of(ring.zero);
  using problem_type =
      sddmm_problem<V, unwrapped_t<decltype(a.offsets)>, unwrapped_t<decltype(a.indices)>, in_x, in_y, out,
                    std::remove_const_t<decltype(folding<V>(plus))>, times_type,
                    unwrapped_t<decltype(a.wanted)>, std::remove_const_t<decltype(result)>>;
  problem_type const problem{a.rows,
                             a.columns,
                             n,
                             x.extents[1],
                             unwrapped(a.offsets),
                             unwrapped(a.indices),
                             unwrapped(x.first),
                             x.strides[0],
                             x.strides[1],
                             unwrapped(y.first),
                             y.strides[0],
                             y.strides[1],
                             unwrapped(given_out),
                             folding<V>(plus),
                             times,
                             ring.zero,
                             unwrapped(a.wanted),
                             result};
  if (problem.depth > 0) {
    require_range(target.policy, call, "x", problem.x);
    require_range(target.policy, call, "y", problem.y);
  }
  require_range(target.policy, call, "out", problem.out);
  if constexpr (problem_type::masked) require_range(target.policy, call, "flags", problem.wanted);
  if constexpr (callable && runs_with<on_host<policy_type>, V>()) run_sddmm(target.policy, call, problem);
  finish(call, target);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
