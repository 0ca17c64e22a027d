// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_DISPATCH_HPP
#define SWEEP_DETAIL_TOP_K_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/sort/dispatch.hpp>
#include <sweep/detail/sort/tuning.hpp>
#include <sweep/detail/top_k/host.hpp>
#include <sweep/detail/top_k/problem.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/top_k/device.cuh>
#endif

#include <cstdint>
#include <limits>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Bits of a radix order that end before they begin.
SWEEP_NO_EXEC_CHECK
template <class Comp>
SWEEP_HD void require_bits(char const* call, Comp const& comp) {
  if constexpr (is_radix_order_by<Comp>)
    if (comp.begin_bit() < 0 || comp.end_bit() < comp.begin_bit())
      refuse_argument(call, "bits", "begin at ", std::int64_t{comp.begin_bit()}, " and end at ",
                      std::int64_t{comp.end_bit()});
}
/// How many are asked for. What no 64-bit number with a sign holds, SIZE_MAX for one, is more than there are.
template <class Count>
SWEEP_HD constexpr std::int64_t asked_count(Count k) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if constexpr (std::is_unsigned_v<Count> && sizeof(Count) >= sizeof most)
    if (k > static_cast<Count>(most)) return most;
  return static_cast<std::int64_t>(k);
}
SWEEP_HD inline void require_k(char const* call, std::int64_t k) {
  if (k < 0) refuse_argument(call, "k", "is negative: ", k);
}

/// What a selection reads and writes is there, by the names that its call has for it.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Problem>
SWEEP_HD void require_ranges_of(Policy const& policy, Problem const& problem) {
  constexpr bool is_by_key = Problem::has_values && Problem::keeps_keys;
  require_range(policy, problem.call, is_by_key ? "keys_first" : "first", problem.keys_in);
  require_values(policy, problem.call, "values_first", problem.values_in);
  require_values(policy, problem.call, is_by_key ? "keys_out" : "out", problem.keys_out);
  require_values(policy, problem.call, Problem::keeps_keys ? "values_out" : "out", problem.values_out);
}

/// From the public call to a problem, and to where it runs. How many results there are.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Comp>
SWEEP_HD std::int64_t top_k_of_range(char const* call, Policy const& given, Keys first, Keys last,
                                     Values values, std::int64_t k, KeysOut keys_out, ValuesOut values_out,
                                     Comp given_comp) {
  using keys_type = decltype(unwrapped_input(first));
  using key = value_of<keys_type>;
  auto const comp = sort_comparison_of<key>(given_comp);
  using orders = order_of<key, std::remove_const_t<decltype(comp)>>;
  auto const target = resolve<sort_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable = require_callable<on_host<policy_type>, Comp, Keys, Values, KeysOut, ValuesOut>();
  auto const n = is_by_key<Values, KeysOut> ? checked_distance(call, first, last, "keys_last", "keys_first")
                                            : checked_distance(call, first, last);
  require_k(call, k);
  require_bits(call, comp);
  if (k > n) k = n;
  if (k == 0) return 0;
  using problem_type =
      top_k_problem<keys_type, decltype(unwrapped_input(values)), decltype(unwrapped_values(keys_out)),
                    decltype(unwrapped_values(values_out)), decltype(orders::make(comp))>;
  problem_type const problem{{call, unwrapped_input(first), unwrapped_input(values),
                              unwrapped_values(keys_out), unwrapped_values(values_out), n,
                              orders::make(comp)},
                             k};
  require_ranges_of(target.policy, problem);
  if constexpr (callable && sort_fits<problem_type>()) run_top_k(target.policy, problem);
  finish(call, target);
  return k;
}

/// The same of an item at its place.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Comp>
SWEEP_HD void nth_of_range(char const* call, Policy const& given, Keys first, Keys nth, Keys last,
                           Comp given_comp) {
  using keys_type = unwrapped_t<Keys>;
  using key = value_of<keys_type>;
  auto const comp = sort_comparison_of<key>(given_comp);
  using orders = order_of<key, std::remove_const_t<decltype(comp)>>;
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable = require_callable<on_host<policy_type>, Comp, Keys>();
  auto const n = checked_distance(call, first, last);
  auto const place = static_cast<std::int64_t>(nth - first);
  require_bits(call, comp);
  if (place < 0 || place > n) refuse_argument(call, "nth", "is item ", place, " of a range of ", n);
  if (place == n) return;  // nothing is asked for
  using problem_type = nth_problem<keys_type, decltype(orders::make(comp))>;
  problem_type const problem{call,  unwrapped(first),  unwrapped(nth), unwrapped(nth + 1), n,
                             place, orders::make(comp)};
  require_range(target.policy, call, "first", problem.keys);
  using sorts = sort_problem<keys_type, no_values, keys_type, no_values, decltype(orders::make(comp))>;
  if constexpr (callable && sort_fits<sorts>()) {
    if constexpr (on_host<policy_type>) {
      run_nth(target.policy, problem);
    } else {
#if defined(__CUDACC__)
      if constexpr (sorts_on_device<sorts>()) run_nth(target.policy, problem);
#endif
    }
  }
  finish(call, target);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
