// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_DISPATCH_HPP
#define SWEEP_DETAIL_SCAN_DISPATCH_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/scan/host.hpp>
#include <sweep/detail/scan/problem.hpp>
#include <sweep/detail/scan/tuning.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/scan/device.cuh>
#endif

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// From a public call to a problem: types complete, iterators unwrapped, direction folded in; then to where
/// it runs.
template <scan_kind Kind, class Dir, class Policy, class In, class Out, class Op, class Unary, class... Init>
Out scan(char const* call, Policy const& given, In first, In last, Out out, Op op, Unary unary,
         Init... init) {
  if constexpr (!scan_fits<In, Out, Op, Unary, Init...>()) return out;
  else {
    auto const target = resolve<scan_options>(given);
    auto const n = checked_distance(call, first, last);
    if (n == 0) return out;

    using types = accumulation<In, Out, Op, Unary, Init...>;
    using in_order = typename types::in_order;
    using T = typename types::value;
    require_reproducible<Policy, folding_t<T, typename types::op>, T>();
    auto const callable =
        require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Op, Unary, In, Out>();
    auto const start = [&](auto in, auto to, auto towards) {
      require_storage(call, in, to);
      scan_problem<Kind, towards(), T, decltype(in), decltype(to), folding_t<T, typename types::op>,
                   typename types::unary>
          problem{in,
                  to,
                  folding<T>(in_order::binary(op, unary)),
                  in_order::unary(op, unary),
                  {},
                  {n, 1, 0, towards()}};
      if constexpr (sizeof...(Init) == 1) problem.init = {static_cast<T>(init)..., true};
      if constexpr (callable &&
                    runs_with<on_host<std::remove_cvref_t<decltype(target.policy)>>, T, value_of<In>>())
        run_scan(target.policy, call, problem);
    };

    constexpr auto towards = direction_of<Dir>;
    if constexpr (is_reversed_contiguous<In> && is_reversed_contiguous<Out>) {
      start(base_pointer(last), base_pointer(out) - n, std::integral_constant<direction, turned(towards)>{});
    } else {
      start(unwrapped(first), unwrapped(out), std::integral_constant<direction, towards>{});
    }
    finish(call, target);
    return out + n;
  }
}

/// The same in one loop, which a kernel's thread can run.
SWEEP_NO_EXEC_CHECK
template <scan_kind Kind, class Dir, class Policy, class In, class Out, class Op, class Unary, class... Init>
  requires(runs_in_one_loop<Policy>)
SWEEP_HD Out scan(char const* call, Policy const&, In first, In last, Out out, Op op, Unary unary,
                  Init... init) {
  if constexpr (!scan_fits<In, Out, Op, Unary, Init...>()) return out;
  else {
    auto const n = checked_distance(call, first, last);
    if (n == 0) return out;
    using types = accumulation<In, Out, Op, Unary, Init...>;
    using in_order = typename types::in_order;
    using T = typename types::value;
    require_callable<true, Op, Unary, In, Out>();
    auto const in = unwrapped(first);
    auto const to = unwrapped(out);
    require_storage(call, in, to);
    constexpr auto towards = direction_of<Dir>;
    scan_problem<Kind, towards, T, std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>,
                 folding_t<T, typename types::op>, typename types::unary>
        problem{in,
                to,
                folding<T>(in_order::binary(op, unary)),
                in_order::unary(op, unary),
                {},
                {n, 1, 0, towards}};
    if constexpr (sizeof...(Init) == 1) problem.init = {static_cast<T>(init)..., true};
    run_scan(seq_policy{}, call, problem);
    return out + n;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
