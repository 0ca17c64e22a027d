// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TUNING_HPP
#define SWEEP_DETAIL_SORT_TUNING_HPP

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/variant.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether a variant is one of these.
constexpr bool is_one_of(sort_by how, auto... some) { return ((how == some) || ...); }

/// What a sort takes from a policy.
struct sort_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    constexpr auto how = chosen<sort_by, Tags...>;
    static_assert(!OnHost || ((is_on<Tags, checked_t, sort_by> && ...) &&
                              is_one_of(how, sort_by::order, sort_by::radix, sort_by::merge)),
                  "sweep: on the host a sort has the variants radix and merge, and no plans");
    static_assert(OnHost || ((is_on<Tags, checked_t, sort_by> ||
                              (how == sort_by::split_radix && is_on<Tags, across_tiles, within_tile>)) &&
                             ...),
                  "sweep: a sort has the variants radix, radix_msd, sample, merge, split_radix, radix_merge, "
                  "quicksort and bitonic, and no plans; split_radix has those of scans, too");
  }
};

/// Whether an order is sorted by radix under these tags, on the host.
template <class Order, class... Tags>
inline constexpr bool sorts_by_radix = Order::is_radix&& chosen<sort_by, Tags...> != sort_by::merge;

/// One line where digits are asked for and the order has none.
template <class Order, class... Tags>
constexpr bool require_digits() {
  constexpr bool fits =
      Order::is_radix || !is_one_of(chosen<sort_by, Tags...>, sort_by::radix, sort_by::radix_msd,
                                    sort_by::split_radix, sort_by::radix_merge);
  static_assert(fits, "sweep: variant::radix sorts numbers by < or >, and any items by sweep::radix_key, and "
                      "so do radix_msd, "
                      "split_radix and radix_merge; this is another comparison");
  return fits;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
