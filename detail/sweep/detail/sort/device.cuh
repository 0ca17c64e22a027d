// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_DEVICE_CUH
#define SWEEP_DETAIL_SORT_DEVICE_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/comparison/merge_sort.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/radix.cuh>
#include <sweep/detail/sort/sample_sort.cuh>
#include <sweep/detail/sort/split_radix.cuh>
#include <sweep/detail/sort/tuning.hpp>
#include <sweep/device.cuh>

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// One line where a kernel could not move keys or values.
template <class Problem>
constexpr bool sorts_on_device() {
  constexpr bool fits = relocatable<typename Problem::key> && relocatable<typename Problem::value> &&
                        std::is_default_constructible_v<typename Problem::key> &&
                        std::is_default_constructible_v<typename Problem::value>;
  static_assert(fits,
                "sweep: on the device keys and values must be trivially copyable, or proclaimed trivially "
                "relocatable, and default constructible");
  return fits;
}

/// By what the order says, or the policy: each sort has the kernels of one method alone.
template <class Scratch, class... Tags, class Problem>
void run_sort(device_policy<Scratch, Tags...> const& policy, Problem const& problem) {
  using order = typename Problem::order_type;
  if constexpr (sorts_on_device<Problem>() && require_digits<order, Tags...>()) {
    constexpr auto how = chosen<sort_by, Tags...>;
    if constexpr (is_one_of(how, sort_by::radix, sort_by::radix_msd) ||
                  (how == sort_by::order && order::is_radix))
      run_radix_sort<how>(policy, problem);
    else if constexpr (how == sort_by::split_radix) run_split_radix_sort(policy, problem);
    else if constexpr (how == sort_by::sample) run_sample_sort(policy, problem);
    else if constexpr (how == sort_by::order) run_merge_sort(policy, problem);
    else run_merge_sort<how>(policy, problem);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
