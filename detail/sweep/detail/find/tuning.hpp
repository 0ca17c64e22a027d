// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_FIND_TUNING_HPP
#define SWEEP_DETAIL_FIND_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/plan.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI::detail {

/// What a search can be told by its policy: a plan on the device, nothing on threads.
struct find_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert((is_on<Tags, find_plan, checked_t> && ...),
                  "sweep: a search has no variants, and a find_plan; this policy carries a variant or plan "
                  "of another algorithm");
  }
};

/// A row holds for items of at most so many bytes.
struct find_row {
  arch since;
  std::size_t widest;
  find_plan plan;
};

// clang-format off
inline constexpr find_row find_table[] = {
    // since   widest <=           threads rows blocks load; measured by
    {arch::any, 1,               {256, 3, 2, access::cached}},  // bench/search, law
    {arch::any, 16,              {256, 4, 3, access::cached}},  // bench/search
    {arch::any, ~std::size_t{0}, {128, 4, 4, access::cached}},  // untested
};
// clang-format on

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
