// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_ADJACENT_DIFFERENCE_TUNING_HPP
#define SWEEP_DETAIL_ADJACENT_DIFFERENCE_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/plan.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI::detail {

/// What adjacent_difference can be told by its policy: a plan on the device, nothing on threads.
struct adjacent_difference_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert(
        (is_on<Tags, adjacent_difference_plan, checked_t> && ...),
        "sweep: adjacent_difference has no variants, and an adjacent_difference_plan; this policy carries a "
        "variant or plan of another algorithm");
  }
};

/// A row holds for items and results of at most so many bytes.
struct adjacent_difference_row {
  arch since;
  std::size_t widest;
  adjacent_difference_plan plan;
};

inline constexpr adjacent_difference_row adjacent_difference_table[] = {
    // since   widest <=  threads rows blocks load, store                               measured by
    {arch::any, 2, {128, 3, 8, access::cached, access::streaming}},               // bench/adjacent_difference
    {arch::any, 16, {128, 2, 8, access::cached, access::streaming}},              // bench/adjacent_difference
    {arch::any, 64, {256, 3, 2, access::cached, access::streaming}},              // untested
    {arch::any, ~std::size_t{0}, {64, 1, 2, access::cached, access::streaming}},  // untested
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
