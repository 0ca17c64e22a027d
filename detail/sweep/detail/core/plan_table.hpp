// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_PLAN_TABLE_HPP
#define SWEEP_DETAIL_CORE_PLAN_TABLE_HPP

#include <cstddef>

namespace sweep::detail {

/// Compute capability times ten; a row holds from its architecture on, until an earlier row says otherwise.
enum class arch : int { any = 0, sm_80 = 80, sm_90 = 90 };

/// The architecture that this code is being compiled for; the newest on the host, where nobody asks.
constexpr int arch_here() {
#if defined(__CUDA_ARCH__)
  return __CUDA_ARCH__ / 10;
#else
  return 1000;
#endif
}

/// What a pass asks of its blocks: stay for many tiles, take one tile each, or take one tile each of a small
/// or a tiny input.
enum class pass { stays, one_tile, small, tiny };

/// A line of a tuning table.
template <class Plan>
struct row {
  arch since;
  std::size_t bytes;  ///< size of an item at most
  Plan plan;
};

/// The first row that fits.
template <class Plan, std::size_t Rows>
constexpr Plan pick(row<Plan> const (&table)[Rows], int here, std::size_t bytes) {
  for (auto const& line : table)
    if (here >= static_cast<int>(line.since) && bytes <= line.bytes) return line.plan;
  return table[Rows - 1].plan;
}

}  // namespace sweep::detail

#endif
