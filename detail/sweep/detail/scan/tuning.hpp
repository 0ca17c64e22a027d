// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TUNING_HPP
#define SWEEP_DETAIL_SCAN_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What a scan, segmented or not, can be told by its policy.
struct scan_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert((is_on<Tags, across_tiles, within_tile, scan_plan, checked_t> && ...),
                  "sweep: a scan or a segmented reduction has variants across tiles and within a tile, and a "
                  "scan_plan; this policy carries "
                  "a variant or plan of another algorithm");
  }
};

/// What a plan of a scan may depend on.
struct scan_shape {
  std::size_t item;    ///< bytes
  std::size_t widest;  ///< bytes of the widest of item, result and accumulator
  std::size_t value;   ///< bytes of the accumulator
  int vector_items;    ///< items that travel together
  bool segmented;
  bool reduces;             ///< writes where segments end only
  bool bulk;                ///< whether bulk copies can bring what the items are made of
  std::size_t staged = 0;   ///< bytes that stand for an item in shared memory, in so many streams
  std::size_t results = 0;  ///< bytes that stand for a result there, in so many sinks
  int streams = 1, sinks = 1;
  int unit = 1;           ///< of the items of a lane (block/window.cuh)
  bool numbers = false;   ///< whether the accumulator is a number
  bool bytes = false;     ///< whether it is a struct of bytes, which take a register each
  bool gathers = false;   ///< whether making an item reads other memory too
  std::size_t held = 0;   ///< bytes of an item in registers, or of what it is made of there
  bool in_place = false;  ///< whether results take their items' places in shared memory

  SWEEP_HD constexpr std::size_t vector_bytes() const {
    return static_cast<std::size_t>(vector_items) * item;
  }
};

enum class segments_are { any, none, some, reduced };
/// words: numbers of at most 4 bytes; bytes: structs of several.
enum class accumulators_are { any, numbers, words, bytes };
enum class items_are { any, gathered, replaced };  ///< replaced: by results, in shared memory

/// A row holds for items and widest types of at most so many bytes.
struct scan_row {
  arch since;
  size_class size;
  segments_are segments;
  std::size_t item, widest;
  scan_plan plan;
  accumulators_are accumulators = accumulators_are::any;
  items_are items = items_are::any;
};

inline constexpr std::size_t any_bytes = ~std::size_t{0};

// Rows of a thread are of 16 bytes. A plan with stages is taken where bulk copies can move the data and the
// architecture has the shared memory for it.
inline constexpr auto streaming = access::streaming;
// clang-format off
inline constexpr scan_row scan_table[] = {
    // since     size               segments            item <=    widest <=     threads rows blocks load store stages loads; measured by
    {arch::sm_90, size_class::small, segments_are::none, 1,         1,         {512, 1, 2, streaming, streaming}},         // bench/law: more rows spill
    {arch::sm_90, size_class::small, segments_are::none, 1,         4,         {448, 2, 2, streaming, streaming}},         // bench/scan: with more threads registers spill
    {arch::any,   size_class::small, segments_are::none, 1,         4,         {384, 2, 2, streaming, streaming}},         // untested: with more threads registers spill
    {arch::sm_90, size_class::small, segments_are::none, 2,         2,         {512, 3, 2, streaming, streaming}, accumulators_are::numbers},  // bench/law
    {arch::sm_90, size_class::small, segments_are::none, 2,         2,         {320, 5, 2, streaming, streaming}},         // bench/scan
    {arch::any,   size_class::small, segments_are::none, 2,         4,         {448, 3, 2, streaming, streaming}},         // bench/scan on sm_90
    {arch::sm_90, size_class::small, segments_are::none, any_bytes, 4,         {512, 4, 2, streaming, streaming}, accumulators_are::numbers},  // bench/law
    {arch::sm_90, size_class::small, segments_are::none, 3,         3,         {512, 6, 2, streaming, streaming}},         // bench/scan
    {arch::sm_90, size_class::small, segments_are::none, any_bytes, 4,         {512, 3, 2, streaming, streaming}},         // bench/law
    {arch::any,   size_class::small, segments_are::none, any_bytes, 4,         {384, 6, 2, streaming, streaming}},         // untested
    {arch::sm_90, size_class::small, segments_are::none, any_bytes, 6,         {512, 6, 2, streaming, streaming}, accumulators_are::numbers, items_are::gathered},  // bench/law
    {arch::sm_90, size_class::small, segments_are::none, 6,         6,         {512, 4, 2, streaming, streaming}, accumulators_are::any, items_are::gathered},  // bench/law
    {arch::sm_90, size_class::small, segments_are::none, 6,         8,         {448, 12, 2, streaming, streaming}, accumulators_are::numbers, items_are::gathered},  // bench/law: what waits is narrow
    {arch::sm_90, size_class::small, segments_are::none, any_bytes, 8,         {512, 6, 2, streaming, streaming}, accumulators_are::numbers, items_are::gathered},  // bench/law
    {arch::sm_90, size_class::small, segments_are::none, any_bytes, 8,         {512, 3, 2, streaming, streaming}, accumulators_are::numbers},  // bench/law
    {arch::any,   size_class::small, segments_are::none, 4,         8,         {384, 5, 2, streaming, streaming}},         // bench/scan on sm_90
    {arch::any,   size_class::small, segments_are::none, 7,         8,         {384, 4, 2, streaming, streaming}},         // bench/scan on sm_90
    {arch::sm_90, size_class::small, segments_are::none, any_bytes, 8,         {448, 4, 2, streaming, streaming}},         // bench/law
    {arch::any,   size_class::small, segments_are::none, any_bytes, 8,         {384, 4, 2, streaming, streaming}},         // bench/scan on sm_90
    {arch::sm_90, size_class::small, segments_are::none, 16,        16,        {512, 5, 2, streaming, streaming}, accumulators_are::numbers, items_are::gathered},  // bench/law: whoever waits, others read
    {arch::any,   size_class::small, segments_are::none, any_bytes, 16,        {512, 3, 2, streaming, streaming}},         // bench/scan on sm_90
    {arch::any,   size_class::small, segments_are::none, any_bytes, 64,        {256, 6, 1, streaming, streaming}},         // untested
    {arch::any,   size_class::small, segments_are::reduced, 1,      8,         {512, 1, 2, streaming, streaming}},         // bench/segmented_reduce on sm_90
    {arch::any,   size_class::small, segments_are::reduced, 2,      8,         {448, 2, 2, streaming, streaming}},         // bench/law on sm_90
    {arch::any,   size_class::small, segments_are::reduced, 4,      8,         {384, 3, 2, streaming, streaming}},         // bench/segmented_reduce on sm_90
    {arch::any,   size_class::small, segments_are::reduced, 4,      24,        {448, 2, 2, streaming, streaming}},         // bench/segmented_reduce on sm_90
    {arch::any,   size_class::small, segments_are::reduced, 8,      16,        {384, 3, 2, streaming, streaming}},         // bench/segmented_reduce on sm_90
    {arch::any,   size_class::small, segments_are::some, 1,         8,         {384, 2, 2, streaming, streaming}},         // bench/law on sm_90
    {arch::any,   size_class::small, segments_are::some, 2,         8,         {448, 3, 2, streaming, streaming}},         // bench/law on sm_90
    {arch::sm_90, size_class::small, segments_are::some, 4,         8,         {512, 3, 2, streaming, streaming}},         // bench/law
    {arch::any,   size_class::small, segments_are::some, 4,         8,         {384, 5, 2, streaming, streaming}},         // bench/law on sm_90
    {arch::any,   size_class::small, segments_are::some, 4,         24,        {448, 2, 2, streaming, streaming}},         // bench/segmented_scan on sm_90
    {arch::sm_90, size_class::small, segments_are::some, 8,         16,        {512, 3, 2, streaming, streaming}},         // bench/law
    {arch::any,   size_class::small, segments_are::some, 8,         16,        {384, 4, 2, streaming, streaming}},         // bench/law on sm_90
    {arch::any,   size_class::small, segments_are::some, any_bytes, 24,        {448, 2, 2, streaming, streaming}},         // bench/segmented_scan on sm_90
    {arch::any,   size_class::small, segments_are::some, any_bytes, 40,        {256, 4, 2, streaming, streaming}},         // bench/law on sm_90
    {arch::any,   size_class::small, segments_are::some, any_bytes, 64,        {256, 3, 1, streaming, streaming}},         // untested
    {arch::any,   size_class::small, segments_are::any,  any_bytes, any_bytes, {64, 1, 2, streaming, streaming}},          // untested

    // Several tiles a block, in shared memory. With segments, beside a tile's items stand its head bits, and totals
    // that know whether a segment starts in them.
    {arch::sm_90, size_class::large, segments_are::none, 1,         8,         {960, 9, 1, streaming, streaming, 5, 1}},   // bench/scan
    {arch::sm_90, size_class::large, segments_are::none, 2,         8,         {1024, 9, 1, streaming, streaming, 7, 2}},  // bench/scan
    {arch::sm_90, size_class::large, segments_are::none, 6,         8,         {896, 12, 1, streaming, streaming, 4, 1}, accumulators_are::any, items_are::gathered},  // bench/law
    {arch::sm_90, size_class::large, segments_are::none, 8,         8,         {512, 6, 2, streaming, streaming}, accumulators_are::words, items_are::gathered},  // bench/law: stages would leave no first-level cache
    {arch::sm_90, size_class::large, segments_are::none, 8,         8,         {896, 12, 1, streaming, streaming, 5, 1}, accumulators_are::any, items_are::replaced},  // bench/scan on an H200
    {arch::sm_90, size_class::large, segments_are::none, 8,         8,         {896, 12, 1, streaming, streaming, 4, 1}},  // bench/scan, also on an H200
    {arch::sm_90, size_class::large, segments_are::none, 16,        16,        {512, 5, 2, streaming, streaming}, accumulators_are::numbers, items_are::gathered},  // bench/law: reads under way at any time
    {arch::sm_90, size_class::large, segments_are::none, 16,        16,        {608, 14, 1, streaming, streaming, 4, 1}},  // bench/scan, bench/axes
    {arch::sm_90, size_class::large, segments_are::none, 64,        64,        {704, 9, 1, streaming, streaming, 5, 2}},
    {arch::sm_90, size_class::large, segments_are::some, 5,         8,         {1024, 12, 1, streaming, streaming, 4, 1}, accumulators_are::any, items_are::gathered},  // bench/law: bytes
    {arch::sm_90, size_class::large, segments_are::some, 9,         16,        {960, 9, 1, streaming, streaming, 3, 2}, accumulators_are::bytes, items_are::gathered},  // bench/law on an H200: lanes fold more for each exchange
    {arch::sm_90, size_class::large, segments_are::some, 16,        16,        {704, 9, 1, streaming, streaming, 4, 2}, accumulators_are::bytes, items_are::gathered},  // bench/law on an H200
    {arch::sm_90, size_class::large, segments_are::some, 16,        16,        {1024, 9, 1, streaming, streaming, 5, 2}, accumulators_are::any, items_are::gathered},  // bench/law: many lanes, for reads under way
    {arch::sm_90, size_class::large, segments_are::some, 2,         16,        {960, 5, 1, streaming, streaming, 5, 2}},   // bench/segmented_scan, bench/law
    {arch::sm_90, size_class::large, segments_are::some, 4,         8,         {800, 7, 1, streaming, streaming, 6, 1}},   // bench/segmented_scan
    {arch::sm_90, size_class::large, segments_are::some, 4,         16,        {736, 7, 1, streaming, streaming, 6, 1}},   // untested: wide accumulators
    {arch::sm_90, size_class::large, segments_are::some, 8,         16,        {608, 11, 1, streaming, streaming, 6, 1}},  // bench/segmented_scan
    {arch::sm_90, size_class::large, segments_are::some, 16,        32,        {480, 18, 1, streaming, streaming, 4, 1}},  // bench/segmented_scan
    {arch::sm_90, size_class::large, segments_are::some, 24,        32,        {608, 9, 1, streaming, streaming, 5, 2}},   // bench/law
    {arch::sm_90, size_class::large, segments_are::some, 40,        40,        {448, 14, 1, streaming, streaming, 5, 2}},  // bench/law
    {arch::sm_90, size_class::large, segments_are::some, 64,        64,        {736, 14, 1, streaming, streaming, 4, 2}},  // bench/law

    // One tile a block, in registers.
    {arch::any,   size_class::large, segments_are::none, 2,         8,         {256, 4, 2, streaming, streaming}},         // untested
    {arch::sm_90, size_class::large, segments_are::any,  any_bytes, 4,         {384, 10, 2, streaming, streaming}},        // bench/scan
    {arch::sm_90, size_class::large, segments_are::any,  any_bytes, 16,        {512, 6, 2, streaming, streaming}},         // bench/scan
    {arch::any,   size_class::large, segments_are::any,  any_bytes, 4,         {384, 6, 2, streaming, streaming}},         // untested
    {arch::any,   size_class::large, segments_are::some, any_bytes, 8,         {256, 6, 2, streaming, streaming}},         // untested
    {arch::any,   size_class::large, segments_are::some, 4,         16,        {256, 4, 2, streaming, streaming}},         // untested: wide accumulators
    {arch::any,   size_class::large, segments_are::any,  any_bytes, 16,        {256, 6, 2, streaming, streaming}},         // untested
    {arch::any,   size_class::large, segments_are::any,  any_bytes, 64,        {512, 12, 1, streaming, streaming}},        // untested
    {arch::any,   size_class::any,   segments_are::any,  any_bytes, any_bytes, {64, 1, 2, streaming, streaming}},          // untested
};
// clang-format on

/// Inputs of fewer bytes are small; of wide items a wave of tiles has fewer bytes. Part of what fixes the
/// result's bits, so it does not depend on the machine.
constexpr std::int64_t scan_small_bytes(std::int64_t item_bytes, bool reduces) {
  constexpr std::int64_t mib = 1 << 20;
  if (reduces) return (item_bytes < 8 ? 12 : 8) * mib;
  return (item_bytes < 8 ? 24 : item_bytes == 8 ? 17 : 8) * mib;
}
constexpr bool scan_is_small(std::int64_t n, std::int64_t item_bytes, bool reduces) {
  return n < scan_small_bytes(item_bytes, reduces) / item_bytes;
}

/// Bytes read and written up to which inputs without segments are small as long as all their tiles are
/// resident at once, most rows of which may wait in shared memory: they read all of it and then write it,
/// where tiles in stages do both at the same time.
inline constexpr std::int64_t scan_resident_bytes = std::int64_t{26'000'000};

/// Rows of a thread where tiles with so many are resident all at once. One of bytes is as much work as two,
/// and so is one of items of two bytes with a flag each.
constexpr int scan_tiny_rows(int vector_items, bool has_flags) {
  return vector_items >= (has_flags ? 8 : 9) ? 1 : 2;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
