// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TUNING_HPP
#define SWEEP_DETAIL_SCAN_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::detail {

// The first row that fits wins. Sizes are those of the widest of item, result and accumulator, but of the
// item where it is narrower than 4 bytes: then there is more arithmetic to a byte.

/// Tiny inputs: one row, and as many blocks as that makes.
inline constexpr row<scan_plan> scan_tiny_table[] = {
    // since     <= bytes  threads rows blocks load, store                            measured by
    {arch::any,
     64,
     {512, 1, 2, access::streaming, access::streaming}},  // bench/scan on sm_90; sm_80 untested
    {arch::any, 256, {64, 1, 2, access::streaming, access::streaming}},  // untested
};

/// Small inputs: short code and few rows, for latency counts.
inline constexpr row<scan_plan> scan_small_table[] = {
    // since     <= bytes  threads rows blocks load, store                            measured by
    {arch::any, 1, {512, 1, 2, access::streaming, access::streaming}},  // bench/scan on sm_90; sm_80 untested
    {arch::any, 2, {512, 2, 2, access::streaming, access::streaming}},  // bench/scan on sm_90; sm_80 untested
    {arch::any,
     16,
     {512, 3, 2, access::streaming, access::streaming}},  // bench/scan on sm_90; sm_80 untested
    {arch::any, 64, {256, 6, 1, access::streaming, access::streaming}},  // untested
    {arch::any, 256, {64, 1, 2, access::streaming, access::streaming}},  // untested
};

/// The same for segmented scans, whose values know whether a segment starts in them.
inline constexpr row<scan_plan> segmented_small_table[] = {
    // since     <= bytes  threads rows blocks load, store                            measured by
    {arch::any, 2, {512, 1, 2, access::streaming, access::streaming}},   // bench/segmented_scan on sm_90
    {arch::any, 16, {512, 2, 2, access::streaming, access::streaming}},  // bench/segmented_scan on sm_90
    {arch::any, 64, {256, 3, 1, access::streaming, access::streaming}},  // untested
    {arch::any, 256, {64, 1, 2, access::streaming, access::streaming}},  // untested
};

/// One tile a block, in registers.
inline constexpr row<scan_plan> scan_table[] = {
    // since     <= bytes  threads rows blocks load, store                            measured by
    {arch::any, 2, {256, 4, 2, access::streaming, access::streaming}},     // untested
    {arch::sm_90, 4, {512, 10, 2, access::streaming, access::streaming}},  // bench/scan
    {arch::sm_90, 16, {512, 6, 2, access::streaming, access::streaming}},  // bench/scan
    {arch::any, 4, {512, 8, 2, access::streaming, access::streaming}},     // untested
    {arch::any, 16, {256, 6, 2, access::streaming, access::streaming}},    // untested
    {arch::any, 64, {512, 12, 1, access::streaming, access::streaming}},   // untested
    {arch::any, 256, {64, 1, 2, access::streaming, access::streaming}},    // untested
};

/// Several tiles a block, in shared memory: where results are as wide as items and the architecture has bulk
/// copies.
inline constexpr row<scan_plan> scan_stage_table[] = {
    // since     <= bytes  threads rows blocks load, store (by bulk copy), stages, loads       measured by
    {arch::sm_90, 2, {1024, 5, 1, access::streaming, access::streaming, 7, 2}},  // bench/scan
    {arch::any, 2, {256, 4, 2, access::streaming, access::streaming}},           // untested
    {arch::sm_90, 8, {960, 7, 1, access::streaming, access::streaming, 5, 1}},   // bench/scan
    {arch::sm_90, 16, {704, 9, 1, access::streaming, access::streaming, 5, 2}},  // bench/scan
    {arch::any, 4, {512, 8, 2, access::streaming, access::streaming}},           // untested
    {arch::any, 16, {256, 6, 2, access::streaming, access::streaming}},          // untested
    {arch::any, 64, {512, 12, 1, access::streaming, access::streaming}},         // untested
    {arch::any, 256, {64, 1, 2, access::streaming, access::streaming}},          // untested
};

/// The same for segmented scans, by the size of item and result: beside a tile's items stand its head bits,
/// and totals that know whether a segment starts in them.
inline constexpr row<scan_plan> segmented_stage_table[] = {
    // since     <= bytes  threads rows blocks load, store (by bulk copy), stages, loads       measured by
    {arch::sm_90, 1, {1024, 3, 1, access::streaming, access::streaming, 7, 2}},  // bench/segmented_scan
    {arch::sm_90, 2, {960, 5, 1, access::streaming, access::streaming, 5, 2}},   // bench/segmented_scan
    {arch::sm_90, 4, {800, 7, 1, access::streaming, access::streaming, 6, 1}},   // bench/segmented_scan
    {arch::sm_90, 8, {608, 11, 1, access::streaming, access::streaming, 6, 1}},  // bench/segmented_scan
    {arch::sm_90, 16, {608, 9, 1, access::streaming, access::streaming, 6, 2}},  // bench/segmented_scan
    {arch::any, 2, {256, 2, 2, access::streaming, access::streaming}},           // untested
    {arch::any, 8, {256, 4, 2, access::streaming, access::streaming}},           // untested
    {arch::any, 64, {256, 4, 1, access::streaming, access::streaming}},          // untested
    {arch::any, 256, {64, 1, 2, access::streaming, access::streaming}},          // untested
};

constexpr std::size_t scan_table_bytes(std::size_t item, std::size_t result, std::size_t accumulator) {
  return item < 4 && accumulator <= 8 ? item : std::max(std::max(item, result), accumulator);
}

/// The tables' rows are words of 16 bytes; items that fill whole words only together take fewer, longer ones.
/// An odd number stays odd.
constexpr scan_plan with_words_of(scan_plan plan, std::size_t bytes) {
  int const longer = bytes > 16 ? static_cast<int>(bytes / 16) : 1;
  int const rows = std::max(1, plan.rows / longer);
  plan.rows = plan.stages > 0 && rows % 2 == 0 ? rows - 1 : rows;
  return plan;
}

/// Inputs of fewer bytes are small, and tiny. Part of what fixes the result's bits, so it does not depend on
/// the machine.
inline constexpr std::int64_t scan_small_bytes = std::int64_t{12} << 20;
inline constexpr std::int64_t scan_tiny_bytes = (std::int64_t{1} << 20) + 1;
constexpr bool scan_is_small(std::int64_t n, std::int64_t item_bytes) {
  return n < scan_small_bytes / item_bytes;
}
constexpr bool scan_is_tiny(std::int64_t n, std::int64_t item_bytes) {
  return n * item_bytes < scan_tiny_bytes;
}

}  // namespace sweep::detail

#endif
