// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_TUNING_HPP
#define SWEEP_DETAIL_REDUCE_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/plan.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI::detail {

/// What a reduction can be told by its policy: variants and a plan on the device, nothing on threads.
/// variant::warp_shuffle, which serves scans too, is its default.
struct reduce_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert(
        ((is_on<Tags, reduce_by, reduce_plan, checked_t> ||
          std::is_same_v<Tags, variant::warp_shuffle_t>)&&...),
        "sweep: a reduction has variants of its own (atomic, interleaved, ...) and a reduce_plan; this "
        "policy carries a variant or plan of another algorithm");
    static_assert(!OnHost || !has_axis<reduce_by, Tags...>,
                  "sweep: variants of reduce are for sweep::device");
  }
};

/// A row holds for items and accumulators of at most so many bytes, on every architecture: the plan says
/// where the brackets stand.
struct reduce_row {
  bool elsewhere;  ///< whether what an iterator alone knows is read
  std::size_t widest;
  reduce_plan plan;
};

/// The first row that fits wins.
// clang-format off
inline constexpr reduce_row reduce_table[] = {
    // elsewhere widest <=       threads rows blocks most; measured by
    {true,  ~std::size_t{0},  {256, 10, 3, 396}},  // bench/law: registers for loads under way
    {false, 24,               {256, 10, 4, 528}},  // bench/reduce
    {false, ~std::size_t{0},  {256, 10, 3, 396}},  // bench/law: as many blocks as there is room for
};
// clang-format on

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
