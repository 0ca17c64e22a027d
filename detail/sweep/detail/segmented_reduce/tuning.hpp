// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TUNING_HPP
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI::detail {

/// Shape of a tile: (C chunks, 32 lanes, K vectors, V items), in S stages and B buffers; as many warps as
/// chunks reduce, one loads, one marks, and one for each stage looks back. With K odd, the lanes of a warp
/// read different banks. Segments of more items on average are folded by groups of lanes.
struct segmented_reduce_plan {
  int chunks = 0, rows = 0, stages = 0, buffers = 0, loads = 0, most_mean = 0;

  SWEEP_HD constexpr int threads() const { return 32 * (2 + stages + chunks); }
  SWEEP_HD constexpr int lane_vectors(std::size_t vector_bytes) const {
    return vector_rows(rows, vector_bytes, true);
  }
  SWEEP_HD constexpr int chunk_items(int vector_items, std::size_t item_bytes) const {
    return 32 * lane_vectors(static_cast<std::size_t>(vector_items) * item_bytes) * vector_items;
  }
};

/// A row holds for items of at most so many bytes.
struct segmented_reduce_row {
  arch since;
  std::size_t item;
  segmented_reduce_plan plan;
};

/// The first row that fits; none has stages where the architecture has no bulk copies.
// clang-format off
inline constexpr int any_mean = 0x7fffffff;
inline constexpr segmented_reduce_row segmented_reduce_table[] = {
    // since     item <=             chunks rows stages buffers loads mean <=; measured by
    {arch::sm_90, 4,               {15, 7, 6, 3, 1, any_mean}},  // bench/segmented_reduce
    {arch::sm_90, 8,               {16, 5, 6, 4, 1, 7}},         // bench/segmented_reduce, bench/law
    {arch::sm_90, 12,              {16, 5, 6, 4, 1, 3}},         // bench/law
    {arch::sm_90, 16,              {16, 5, 6, 4, 1, any_mean}},  // bench/law
    {arch::any,   ~std::size_t{0}, {}},                          // none
};
// clang-format on

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
