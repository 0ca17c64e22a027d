// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TUNING_HPP
#define SWEEP_DETAIL_SORT_TUNING_HPP

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/variant.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// What a sort takes from a policy.
struct sort_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert((is_on<Tags, checked_t, sort_by> && ...),
                  "sweep: a sort has the variants radix and merge, and no plans");
  }
};

/// Whether an order is sorted by radix under these tags.
template <class Order, class... Tags>
inline constexpr bool sorts_by_radix = Order::is_radix&& chosen<sort_by, Tags...> != sort_by::merge;

/// One line where radix is asked for and the order has no digits.
template <class Order, class... Tags>
constexpr bool require_digits() {
  constexpr bool fits = Order::is_radix || chosen<sort_by, Tags...> != sort_by::radix;
  static_assert(
      fits,
      "sweep: variant::radix sorts numbers by < or >, and any items by sweep::radix_key; this is another "
      "comparison");
  return fits;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
