// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_PLAN_HPP
#define SWEEP_PLAN_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/variant.hpp>

#include <type_traits>

namespace sweep::inline SWEEP_ABI {

/// How a tile's items travel between memory and registers.
enum class access {
  cached,     ///< in all caches
  l2,         ///< in the second-level cache only
  streaming,  ///< marked as touched once, so that they leave the caches first
};

/// The tuned numbers of a scan on the device.
struct scan_plan {
  int threads = 512;  ///< per block
  int rows = 8;       ///< 16-byte vectors a thread
  int blocks = 1;     ///< resident blocks per multiprocessor that registers are budgeted for
  access load = access::streaming;
  access store = access::streaming;
  // Without stages a block works on one tile, in registers; one of its warps looks back, the others hold
  // the items.
  int stages =
      0;          ///< tiles in shared memory that a block works on at once (sm_90 on): one warp loads, one
                  ///< for each stage looks back, half of the others reduce and half scan (block/pipeline.cuh)
  int loads = 2;  ///< with stages: how many of them may be loading at once

  friend constexpr bool operator==(scan_plan const&, scan_plan const&) = default;
};

/// The tuned numbers of a reduction.
struct reduce_plan {
  int threads = 256;      ///< per block
  int rows = 10;          ///< 16-byte vectors that a thread folds as neighbours, at most
  int blocks = 4;         ///< resident blocks per multiprocessor that registers are budgeted for
  int most_blocks = 528;  ///< of one reduction, whatever the device: they cut the input into shares

  friend constexpr bool operator==(reduce_plan const&, reduce_plan const&) = default;
};

/// The tuned numbers of a search that ends where something is found.
struct find_plan {
  int threads = 256;  ///< per block
  int rows = 8;       ///< 16-byte vectors a thread and step
  int blocks = 4;     ///< blocks per multiprocessor
  access load = access::cached;

  friend constexpr bool operator==(find_plan const&, find_plan const&) = default;
};

/// The tuned numbers of adjacent_difference.
struct adjacent_difference_plan {
  int threads = 256;  ///< per block
  int rows = 4;       ///< 16-byte vectors a thread
  int blocks = 4;     ///< resident blocks per multiprocessor that registers are budgeted for
  access load = access::streaming;
  access store = access::streaming;

  friend constexpr bool operator==(adjacent_difference_plan const&,
                                   adjacent_difference_plan const&) = default;
};

/// The tuned numbers of a compaction.
struct partition_plan {
  int threads = 512;  ///< per block
  int rows = 5;       ///< 16-byte vectors a thread; with stages, 32-item rows a warp
  int blocks = 2;     ///< resident blocks per multiprocessor that registers are budgeted for
  access load = access::streaming;
  // Without stages a block works on one tile, which passes through its 48 KiB of shared memory; one of its
  // warps looks back, the others hold the items.
  int stages = 0;  ///< as in scan_plan: half of the warps classify, half scatter
  int loads = 2;   ///< with stages: how many of them may be loading at once

  friend constexpr bool operator==(partition_plan const&, partition_plan const&) = default;
};

/// Tag type of a plan of the user's own.
template <auto Plan>
struct plan_t {
  using axis = std::remove_cvref_t<decltype(Plan)>;
  static constexpr auto value = Plan;
};

/// A plan of the user's own, in place of the tuning table's:
/// `policy.with(sweep::plan<sweep::scan_plan{.threads = 256}>)`.
template <auto Plan>
inline constexpr plan_t<Plan> plan{};

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
