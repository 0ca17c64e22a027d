// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_GATHER_DISPATCH_HPP
#define SWEEP_DETAIL_GATHER_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/gather/host.hpp>
#include <sweep/detail/gather/problem.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/gather/device.cuh>
#endif

#include <cstdint>
#include <string>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// i where move i is made and its index is negative, or else more than any.
template <class Problem>
struct bad_index {
  Problem problem;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const {
    return problem.moves(i) && static_cast<std::int64_t>(problem.map[i]) < 0 ? i : problem.grid.n;
  }
};

/// From the public call to a problem, and to where it runs.
SWEEP_NO_EXEC_CHECK
template <mapped Side, class Policy, class Map, class Stencil, class In, class Out, class Pred>
SWEEP_HD void gather(char const* call, Policy const& given, std::int64_t n, Map map, Stencil stencil, In in,
                     Out out, Pred pred) {
  using problem_type = gather_problem<Side, unwrapped_t<Map>, unwrapped_t<Stencil>, unwrapped_t<In>,
                                      unwrapped_t<Out>, decltype(device_functor(pred))>;
  static_assert(std::is_convertible_v<typename problem_type::index, std::int64_t>,
                "sweep: the map must have integers, which say where items are");
  if constexpr (problem_type::has_stencil)
    require_predicate<decltype(device_functor(pred)), value_of<Stencil>>();
  auto const target = resolve<no_options>(given);
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Pred, Map, Stencil, In, Out>();
  if (n == 0) return;
  problem_type const problem{unwrapped(map), unwrapped(stencil),   unwrapped(in),
                             unwrapped(out), device_functor(pred), {n}};
  constexpr auto map_name = Side == mapped::input ? "map_first" : "map";
  require_range(target.policy, call, map_name, problem.map);
  require_range(target.policy, call, "stencil", problem.stencil);
  require_range(target.policy, call, Side == mapped::input ? "in" : "first", problem.in);
  require_range(target.policy, call, "out", problem.out);
  if constexpr (is_checked<std::remove_cvref_t<decltype(target.policy)>>) {
    auto const plain = without_tags(target.policy);
    auto const bad = fold_of(plain, call, bad_index<problem_type>{problem}, n, n, lesser{});
    if (bad < n)
      refuse_argument(call, map_name, "is negative at index ", bad, ": ",
                      value_at(plain, call, problem.map, bad).c_str());
  }
  if constexpr (callable && require_becomes<Out, value_of<In>>() && require_copies<Out, In>())
    run_gather(target.policy, call, problem);
  finish(call, target);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
