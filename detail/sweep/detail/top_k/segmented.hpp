// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_SEGMENTED_HPP
#define SWEEP_DETAIL_TOP_K_SEGMENTED_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/detail/sort/segmented.hpp>
#include <sweep/detail/top_k/dispatch.hpp>
#include <sweep/detail/top_k/host_segments.hpp>
#include <sweep/detail/top_k/segment_bounds.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/top_k/segmented_device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// The places of k results of each of `segments` segments of n items together, of the last segment no more
/// than it can have: as many as 64 bits count where there are more, less than none where their number is not
/// known.
SWEEP_HD constexpr std::int64_t places_of_results(std::int64_t segments, std::int64_t k, std::int64_t n) {
  constexpr auto most = largest_sum;
  if (segments < 0) return -1;
  if (segments == 0 || k <= 0 || n <= 0) return 0;
  auto const last = k < n ? k : n;
  return (segments - 1) > (most - last) / k ? most : (segments - 1) * k + last;
}

/// No place may be behind what 64 bits count. Segments that their items tell of are n at most.
SWEEP_NO_EXEC_CHECK
template <class Segments>
SWEEP_HD void require_places(char const* call, Segments const& segments, std::int64_t k, std::int64_t n) {
  auto count = n;
  if constexpr (requires { segments.count; }) count = segments.count;
  if (places_of_results(count, k, n) == largest_sum)
    refuse_argument(call, "k", "is ", k, ", and that many places of ", count,
                    " segments are more than 64 bits count");
}

/// From the public call to a problem, and to where it runs.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Values, class Segments, class KeysOut, class ValuesOut, class Comp>
SWEEP_HD void top_k_of_segments(char const* call, Policy const& given, Keys first, Keys last, Values values,
                                Segments const& segments, std::int64_t k, KeysOut keys_out,
                                ValuesOut values_out, Comp given_comp) {
  using keys_type = decltype(unwrapped_input(first));
  using key = value_of<keys_type>;
  auto const comp = sort_comparison_of<key>(given_comp);
  using orders = order_of<key, std::remove_const_t<decltype(comp)>>;
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable =
      require_callable<on_host<policy_type>, Comp, Keys, Values, Segments, KeysOut, ValuesOut>();
  auto const n = checked_distance(call, first, last);
  require_k(call, k);
  require_bits(call, comp);
  require_rows(call, segments, n);
  if (k == 0 || n == 0) return;
  require_places(call, segments, k, n);
  if constexpr (requires { segments.count; })
    if (segments.count == 1 && k > n) k = n;
  using problem_type =
      segmented_top_k_problem<keys_type, decltype(unwrapped_input(values)),
                              decltype(unwrapped_values(keys_out)), decltype(unwrapped_values(values_out)),
                              decltype(orders::make(comp))>;
  problem_type const problem{{call, unwrapped_input(first), unwrapped_input(values),
                              unwrapped_values(keys_out), unwrapped_values(values_out), n,
                              orders::make(comp)},
                             k};
  require_ranges_of(target.policy, problem);
  require_segments(target.policy, call, segments, n);
  if constexpr (callable && sort_fits<problem_type>()) {
    if constexpr (on_host<policy_type>) {
      run_segmented_top_k(target.policy, problem, segments);
    } else {
#if defined(__CUDACC__)
      if constexpr (sorts_on_device<problem_type>()) run_segmented_top_k(target.policy, problem, segments);
#endif
    }
  }
  finish(call, target);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
