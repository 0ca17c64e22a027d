// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TUNING_HPP
#define SWEEP_DETAIL_PARTITION_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::detail {

// The first row that fits wins. Sizes are those of an item; a tile passes through 48 KiB of shared memory.

/// Small inputs: few rows, for latency counts.
inline constexpr row<partition_plan> partition_small_table[] = {
    // since     <= bytes  threads rows blocks load            measured by
    {arch::any, 16, {256, 2, 2, access::streaming}},   // untested
    {arch::any, 64, {256, 2, 1, access::streaming}},   // untested
    {arch::any, 256, {128, 1, 1, access::streaming}},  // untested
    {arch::any, 1408, {64, 1, 1, access::streaming}},  // untested
};

inline constexpr row<partition_plan> partition_table[] = {
    // since     <= bytes  threads rows blocks load            measured by
    {arch::any, 2, {512, 4, 2, access::streaming}},     // untested
    {arch::sm_90, 16, {256, 9, 3, access::streaming}},  // bench/partition
    {arch::any, 16, {512, 6, 2, access::streaming}},    // untested
    {arch::any, 64, {256, 6, 1, access::streaming}},    // untested
    {arch::any, 256, {128, 1, 1, access::streaming}},   // untested
    {arch::any, 1408, {64, 1, 1, access::streaming}},   // untested
};

// Several tiles a block, in shared memory, where the architecture has bulk copies. Rows are of 32 items; a
// warp holds them in up to 32 registers a thread.

/// Where the items of some parts are dropped.
inline constexpr row<partition_plan> partition_stage_table[] = {
    // since     <= bytes  threads rows blocks load (by bulk copy), stages, loads       measured by
    {arch::sm_90, 1, {1024, 64, 1, access::streaming, 7, 1}},  // bench/partition
    {arch::sm_90, 2, {896, 64, 1, access::streaming, 5, 1}},   // bench/partition
    {arch::sm_90, 4, {1024, 32, 1, access::streaming, 5, 1}},  // bench/partition
    {arch::sm_90, 8, {1024, 16, 1, access::streaming, 5, 1}},  // bench/partition
    {arch::sm_90, 16, {960, 8, 1, access::streaming, 5, 1}},   // bench/partition
    {arch::any, 0, {.stages = 0}},                             // none
};

/// Where those of all parts are written.
inline constexpr row<partition_plan> partition_all_stage_table[] = {
    // since     <= bytes  threads rows blocks load (by bulk copy), stages, loads       measured by
    {arch::sm_90, 1, {1024, 64, 1, access::streaming, 7, 1}},  // bench/partition
    {arch::sm_90, 2, {896, 64, 1, access::streaming, 5, 1}},   // bench/partition
    {arch::sm_90, 4, {864, 32, 1, access::streaming, 6, 2}},   // bench/partition
    {arch::sm_90, 8, {1024, 16, 1, access::streaming, 5, 1}},  // bench/partition
    {arch::sm_90, 16, {960, 8, 1, access::streaming, 5, 1}},   // bench/partition
    {arch::any, 0, {.stages = 0}},                             // none
};

/// Where a stencil decides.
inline constexpr row<partition_plan> partition_stencil_stage_table[] = {
    // since     <= bytes  threads rows blocks load (of the stencil, by bulk copy), stages, loads  measured by
    {arch::sm_90, 4, {1024, 32, 1, access::streaming, 7, 2}},  // bench/partition
    {arch::sm_90, 8, {1024, 16, 1, access::streaming, 7, 2}},  // bench/partition
    {arch::sm_90, 16, {1024, 8, 1, access::streaming, 7, 2}},  // untested
    {arch::any, 0, {.stages = 0}},                             // none
};

/// The tables' rows are words of 16 bytes; of longer ones a thread holds fewer, so that no tile is larger.
constexpr int partition_rows(int rows, std::size_t word_bytes) {
  return word_bytes <= 16 ? rows : std::max(1, rows * 16 / static_cast<int>(word_bytes));
}

/// Inputs of fewer bytes are small; of fewer than the second number too small for tiles in stages, of which
/// it takes several for each multiprocessor to be worth their longer way.
inline constexpr std::int64_t partition_small_bytes = std::int64_t{3} << 20;
inline constexpr std::int64_t partition_stage_bytes = std::int64_t{96} << 20;

}  // namespace sweep::detail

#endif
