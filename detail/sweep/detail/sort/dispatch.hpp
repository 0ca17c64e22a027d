// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_DISPATCH_HPP
#define SWEEP_DETAIL_SORT_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/sort/host/host.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tuning.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/sort/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Iterators become pointers where they can; what stands for none is left as it is.
SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr auto unwrapped_values(It const& it) {
  if constexpr (std::is_same_v<It, no_values> || std::is_same_v<It, unwritten>) return it;
  else return unwrapped(it);
}
/// The same of an input, of which a pointer is one to const, so that sorts in place and others have one
/// problem, and so one kernel.
SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr auto unwrapped_input(It const& it) {
  auto const plain = unwrapped_values(it);
  using I = std::remove_const_t<decltype(plain)>;
  if constexpr (std::is_pointer_v<I>) {
    using item = std::remove_pointer_t<I>;
    if constexpr (relocatable<std::remove_cv_t<item>>) return static_cast<item const*>(plain);
    else return plain;
  } else {
    return plain;
  }
}
template <class Policy, class It>
SWEEP_HD void require_values(Policy const& policy, char const* call, char const* argument, It const& it) {
  if constexpr (!std::is_same_v<It, no_values> && !std::is_same_v<It, unwritten>)
    require_range(policy, call, argument, it);
}

/// Whether a call's keys and values become what its outputs have.
template <class Problem>
constexpr bool sort_fits() {
  constexpr bool keys = !Problem::keeps_keys || requires(typename Problem::key & x) {
    static_cast<typename Problem::key_out>(std::move(x));
  };
  constexpr bool values = requires(typename Problem::value & x) {
    static_cast<typename Problem::value_out>(std::move(x));
  };
  static_assert(keys, "sweep: a key does not become what the output of keys has");
  static_assert(values, "sweep: a value does not become what the output of values has");
  return keys && values;
}

/// A comparison as it can be called on both sides; one line where it does not fit the keys.
SWEEP_NO_EXEC_CHECK
template <class Key, class Comp>
SWEEP_HD constexpr auto sort_comparison_of(Comp comp) {
  if constexpr (is_radix_order_by<Comp>) {
    constexpr bool fits = std::is_invocable_v<Comp&, Key const&, Key const&>;
    static_assert(
        fits,
        "sweep: radix_key's projection makes of a key no number, enumerator, pair or tuple of such, or one "
        "of more than 128 bits");
    if constexpr (fits) return comp;
    else return never_holds{};
  } else {
    return comparison_of<Key>(comp);
  }
}

/// What a call sorts, whose ranges are looked at; all but where values go, which calls name differently.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Order>
SWEEP_HD auto sort_problem_of(Policy const& policy, char const* call, Keys const& first, Values const& values,
                              KeysOut const& keys_out, ValuesOut const& values_out, std::int64_t n,
                              Order const& order) {
  sort_problem<decltype(unwrapped_input(first)), decltype(unwrapped_input(values)),
               decltype(unwrapped_values(keys_out)), decltype(unwrapped_values(values_out)), Order> const
      problem{call,
              unwrapped_input(first),
              unwrapped_input(values),
              unwrapped_values(keys_out),
              unwrapped_values(values_out),
              n,
              order};
  constexpr bool by_key = is_by_key<Values, KeysOut>;
  require_range(policy, call, by_key ? "keys_first" : "first", problem.keys_in);
  require_values(policy, call, "values_first", problem.values_in);
  require_values(policy, call, by_key ? "keys_out" : "out", problem.keys_out);
  return problem;
}

/// From the public call to a problem, and to where it runs.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Comp>
SWEEP_HD void sort_range(char const* call, Policy const& given, Keys first, Keys last, Values values,
                         KeysOut keys_out, ValuesOut values_out, Comp given_comp) {
  using keys_type = decltype(unwrapped_input(first));
  using key = value_of<keys_type>;
  auto const comp = sort_comparison_of<key>(given_comp);
  using orders = order_of<key, std::remove_const_t<decltype(comp)>>;
  auto const target = resolve<sort_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable = require_callable<on_host<policy_type>, Comp, Keys, Values, KeysOut, ValuesOut>();
  auto const n = is_by_key<Values, KeysOut> ? checked_distance(call, first, last, "keys_last", "keys_first")
                                            : checked_distance(call, first, last);
  if constexpr (is_radix_order_by<std::remove_const_t<decltype(comp)>>)
    if (comp.begin_bit() < 0 || comp.end_bit() < comp.begin_bit())
      refuse_argument(call, "bits", "begin at ", std::int64_t{comp.begin_bit()}, " and end at ",
                      std::int64_t{comp.end_bit()});
  if (n == 0) return;
  auto const problem =
      sort_problem_of(target.policy, call, first, values, keys_out, values_out, n, orders::make(comp));
  using problem_type = std::remove_const_t<decltype(problem)>;
  require_values(target.policy, call, problem_type::keeps_keys ? "values_out" : "out", problem.values_out);
  if constexpr (callable && sort_fits<problem_type>()) run_sort(target.policy, problem);
  finish(call, target);
}

/// The order that a sort gives a range, as indices: values that are counted.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Out, class Comp>
SWEEP_HD void sort_indices(char const* call, Policy const& policy, Keys first, Keys last, Out out,
                           Comp comp) {
  sort_range(call, policy, first, last, reader<std::int64_t, identity>{}, unwritten{}, out, comp);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
