// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_EXTREMA_DISPATCH_HPP
#define SWEEP_DETAIL_EXTREMA_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/extrema/problem.hpp>
#include <sweep/detail/reduce/dispatch.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Whether an extremum is carried with its value: always on the device, on the host where that is no more
/// than a few words.
template <class Policy, class X>
inline constexpr bool carries_value =
    !on_host<Policy> ||
    (relocatable<X> && is_assigned<X> && std::is_default_constructible_v<X> && sizeof(X) <= 16);

/// The fold that finds what was asked for, by values or by places.
SWEEP_NO_EXEC_CHECK
template <extreme Which, bool ByValue, class In, class Comp>
SWEEP_HD auto extremum_fold(In const& in, Comp const& comp) {
  using X = value_of<In>;
  if constexpr (ByValue) {
    if constexpr (Which == extreme::both) return find_extrema<X, Comp>{{comp}, {comp}};
    else return find_extremum<Which, X, Comp>{comp};
  } else {
    if constexpr (Which == extreme::both) return find_places<In, Comp>{{in, comp}, {in, comp}};
    else return find_place<Which, In, Comp>{in, comp};
  }
}

/// Writes the place that was asked for, or both.
SWEEP_NO_EXEC_CHECK
template <extreme Which, class Policy, class In, class Out, class Comp>
SWEEP_HD void run_extremum(Policy const& policy, char const* call, In in, std::int64_t n, Out out,
                           Comp comp) {
  auto const callable = require_callable<on_host<Policy>, Comp, In>();
  if (n > 0) require_pointer(call, "first", in);
  constexpr bool by_value = carries_value<Policy, value_of<In>>;
  auto const fold = extremum_fold<Which, by_value>(in, comp);
  using fold_type = std::remove_const_t<decltype(fold)>;
  using T = typename fold_type::value;
  using output = writer<T, write_places<Out>>;
  using input = std::conditional_t<by_value, In, reader<std::int64_t, identity>>;
  auto const items = [&] {
    if constexpr (by_value) return in;
    else return input{};
  }();
  if constexpr (callable && runs_with<on_host<Policy>, T, value_of<In>>())
    run_reduce(policy, call,
               reduce_problem<T, input, output, fold_type, fold_type>{items, n, {{out, n}}, T{}, fold, fold});
}

SWEEP_NO_EXEC_CHECK
template <extreme Which, class Policy, class In, class Out, class Comp>
SWEEP_HD void extremum_to(char const* call, Policy const& given, In first, In last, Out out, Comp comp) {
  using result_type = std::conditional_t<Which == extreme::both, places_of_both, place_of_one>;
  auto const target = resolve<reduce_options>(given);
  auto const to = [&] {  // a place of both is two neighbours
    auto const at = unwrapped(out);
    require_range(target.policy, call, "out", at);
    if constexpr (!on_host<decltype(target.policy)> && std::is_same_v<decltype(at), std::int64_t* const>)
      return result_place<result_type>(reinterpret_cast<result_type*>(at));
    else return at;
  }();
  if constexpr (require_becomes<Out, std::int64_t>())
    run_extremum<Which>(target.policy, call, unwrapped(first), checked_distance(call, first, last), to,
                        comparison_of<value_of<In>>(comp));
  finish(call, target);
}

/// The place, or a pair of them, on the host.
SWEEP_NO_EXEC_CHECK
template <extreme Which, class Policy, class In, class Comp>
SWEEP_HD auto extremum_place(char const* call, Policy const& given, In first, In last, Comp comp) {
  using result_type = std::conditional_t<Which == extreme::both, places_of_both, place_of_one>;
  auto const target = resolve<reduce_options>(given);
  auto const n = checked_distance(call, first, last);
  if (n == 0) {  // where the range ends
    if constexpr (Which == extreme::both) return places_of_both{{0}, {0}};
    else return place_of_one{0};
  }
  returned_value<result_type, std::remove_cvref_t<decltype(target.policy)>> result(target.policy, call);
  run_extremum<Which>(result.rest(), call, unwrapped(first), n, result.place(),
                      comparison_of<value_of<In>>(comp));
  return result.value();
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
