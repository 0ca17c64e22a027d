// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TUNING_HPP
#define SWEEP_DETAIL_PARTITION_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What a compaction can be told by its policy.
struct partition_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert((is_on<Tags, across_tiles, compact_by, partition_plan, checked_t> && ...),
                  "sweep: a compaction has variants of look-back across tiles, variant::three_kernel, and a "
                  "partition_plan; this policy carries a variant or plan of another algorithm");
    constexpr auto across = chosen<across_tiles, Tags...>;
    static_assert(across != across_tiles::reduce_then_scan && across != across_tiles::scan_then_propagate,
                  "sweep: a compaction has no such variant across tiles; variant::three_kernel is its form "
                  "without look-back");
    static_assert(!has_axis<across_tiles, Tags...> || chosen<compact_by, Tags...> == compact_by::single_pass,
                  "sweep: variant::three_kernel does not look back, so there is no look-back to choose");
  }
};

/// stencil_beside: both the stencil and the items are loaded.
enum class decided_by { any, item, stencil, stencil_beside };
enum class written_parts { any, some, all };
/// alone: each is read elsewhere, by itself.
enum class items_stand { any, alone };

/// What a plan of a compaction may depend on.
struct partition_shape {
  std::size_t item;    ///< bytes
  std::size_t tested;  ///< bytes of what decides: the item, or the stencil's
  int parts;
  decided_by by;
  written_parts written;
  bool bulk;    ///< whether bulk copies can bring what decides
  bool single;  ///< whether items are read elsewhere and stand alone
};

/// A row holds for items of at most so many bytes, or in stages for what lies in the buffers of at most so
/// many, and for at most so many parts.
struct partition_row {
  arch since;
  decided_by by;
  written_parts written;
  int parts;
  std::size_t item;
  partition_plan plan;
  items_stand items = items_stand::any;
};

// clang-format off
inline constexpr partition_row partition_table[] = {
    // since     decided by           written              parts item <=    threads rows blocks load stages loads; measured by
    // Several tiles a block, in shared memory, where the architecture has bulk copies. Rows are of 32 items; a warp
    // holds them in up to 32 registers a thread. A row that does not fit is followed by a smaller one.
    {arch::sm_90, decided_by::item,    written_parts::some, 3,    1,      {1024, 64, 1, access::streaming, 7, 1}},  // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::some, 3,    2,      {896, 64, 1, access::streaming, 5, 1}},   // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::some, 3,    4,      {1024, 32, 1, access::streaming, 5, 1}},  // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::some, 3,    8,      {1024, 16, 1, access::streaming, 5, 1}},  // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    1,      {1024, 64, 1, access::streaming, 7, 1}},  // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    1,      {960, 64, 1, access::streaming, 7, 1}},   // untested
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    2,      {896, 64, 1, access::streaming, 5, 1}},   // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    2,      {832, 64, 1, access::streaming, 5, 1}},   // untested
    {arch::sm_90, decided_by::item,    written_parts::all,  3,    4,      {864, 32, 1, access::streaming, 6, 2}},   // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    4,      {800, 32, 1, access::streaming, 6, 2}},   // untested
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    8,      {1024, 16, 1, access::streaming, 5, 1}},  // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    8,      {960, 16, 1, access::streaming, 5, 1}},   // untested
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    8,      {896, 16, 1, access::streaming, 5, 1}},   // bench/law
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    16,     {960, 8, 1, access::streaming, 5, 1}},    // bench/partition
    {arch::sm_90, decided_by::item,    written_parts::any,  3,    16,     {896, 8, 1, access::streaming, 5, 1}},    // untested
    {arch::sm_90, decided_by::stencil, written_parts::any,  3,    4,      {1024, 32, 1, access::streaming, 7, 2}},  // bench/partition
    {arch::sm_90, decided_by::stencil, written_parts::any,  3,    4,      {1024, 32, 1, access::streaming, 5, 2}},  // untested
    {arch::sm_90, decided_by::stencil, written_parts::any,  3,    8,      {1024, 16, 1, access::streaming, 7, 2}},  // bench/partition
    {arch::sm_90, decided_by::stencil, written_parts::any,  3,    8,      {1024, 16, 1, access::streaming, 5, 2}},  // untested
    {arch::sm_90, decided_by::stencil, written_parts::any,  3,    16,     {1024, 8, 1, access::streaming, 7, 2}},   // untested
    {arch::sm_90, decided_by::stencil, written_parts::any,  3,    16,     {960, 8, 1, access::streaming, 7, 2}},    // untested
    {arch::sm_90, decided_by::stencil, written_parts::any,  3,    16,     {832, 8, 1, access::streaming, 5, 2}},    // untested
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 2,   {896, 64, 1, access::streaming, 5, 1}},   // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 3,   {1024, 32, 1, access::streaming, 5, 1}},  // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 4,   {896, 32, 1, access::streaming, 5, 1}},   // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 6,   {1024, 16, 1, access::streaming, 5, 1}},  // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 7,   {896, 16, 1, access::streaming, 5, 2}},   // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 10,  {800, 16, 1, access::streaming, 5, 2}},   // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 12,  {1024, 8, 1, access::streaming, 5, 2}},   // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 12,  {704, 16, 1, access::streaming, 5, 2}},   // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 16,  {800, 8, 1, access::streaming, 5, 2}},    // bench/law
    {arch::sm_90, decided_by::stencil_beside, written_parts::any, 3, 16,  {512, 16, 1, access::streaming, 5, 2}},   // untested

    // One tile a block, which passes through 48 KiB of shared memory; rows of a thread are of 16 bytes. With three parts
    // the look-back warp holds pairs of counts, the others two masks a vector.
    {arch::sm_90, decided_by::any,     written_parts::any,  2,    4,      {256, 20, 4, access::streaming}, items_stand::alone},  // bench/law
    {arch::sm_90, decided_by::any,     written_parts::any,  2,    16,     {256, 12, 3, access::streaming}, items_stand::alone},  // bench/law
    {arch::any,   decided_by::any,     written_parts::any,  2,    2,      {512, 4, 2, access::streaming}},          // bench/partition on sm_90
    {arch::sm_90, decided_by::any,     written_parts::any,  2,    16,     {256, 9, 3, access::streaming}},          // bench/partition
    {arch::any,   decided_by::any,     written_parts::any,  2,    16,     {512, 6, 2, access::streaming}},          // untested
    {arch::sm_90, decided_by::any,     written_parts::any,  2,    24,     {256, 12, 3, access::streaming}},         // bench/law
    {arch::any,   decided_by::any,     written_parts::any,  2,    64,     {256, 8, 3, access::streaming}},          // bench/law on sm_90
    {arch::any,   decided_by::any,     written_parts::any,  2,    256,    {128, 1, 1, access::streaming}},          // untested
    {arch::any,   decided_by::any,     written_parts::any,  3,    1,      {384, 3, 2, access::streaming}},          // untested
    {arch::sm_90, decided_by::any,     written_parts::any,  3,    2,      {384, 4, 2, access::streaming}},          // 1 to 8 million i16
    {arch::any,   decided_by::any,     written_parts::any,  3,    2,      {384, 3, 2, access::streaming}},          // untested
    {arch::sm_90, decided_by::any,     written_parts::any,  3,    16,     {192, 8, 3, access::streaming}},          // bench/partition
    {arch::any,   decided_by::any,     written_parts::any,  3,    16,     {384, 5, 2, access::streaming}},          // untested
    {arch::any,   decided_by::any,     written_parts::any,  3,    64,     {192, 5, 1, access::streaming}},          // untested
    {arch::any,   decided_by::any,     written_parts::any,  3,    256,    {96, 1, 1, access::streaming}},           // untested
    {arch::any,   decided_by::any,     written_parts::any,  3,    1500,   {64, 1, 1, access::streaming}},           // untested
};
// clang-format on

/// What is slow in registers is worth stages from so many bytes on, however many tiles run at once: items of
/// an odd number of bytes, 5 and more, that decide for themselves, and pairs whose values are not whole
/// words.
inline constexpr std::int64_t partition_stage_bytes_odd = std::int64_t{8} << 20;
inline constexpr std::int64_t partition_stage_bytes_odd_pairs = std::int64_t{4} << 20;

/// Inputs of fewer bytes have tiles of few rows.
inline constexpr std::int64_t partition_small_bytes = std::int64_t{3} << 20;
constexpr bool partition_is_small(std::int64_t n, std::size_t item_bytes) {
  return n * static_cast<std::int64_t>(item_bytes) < partition_small_bytes;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
