// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_PIPELINE_SIZE_CUH
#define SWEEP_DETAIL_SCAN_TILE_PIPELINE_SIZE_CUH

#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/block/window.cuh>
#include <sweep/detail/scan/tuning.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI::detail {

// How many items a lane of a scan's pipeline has, and what shared memory that takes: host and device ask.

/// Bytes of the aligned 16-byte words that hold so many neighbouring bits, wherever they begin, and one more.
SWEEP_HD constexpr std::size_t window_bytes(std::size_t bits) { return (bits / 8 + 15) / 16 * 16 + 32; }

SWEEP_HD constexpr int chunks_of(scan_plan const& plan) { return pipeline_chunks(plan.threads, plan.stages); }

/// Whether chunks have what comes before them in the tile, and the tile what comes before it; else chunks
/// have both, folded.
SWEEP_HD constexpr bool keeps_before(scan_shape const& shape) {
  return !shape.segmented && !shape.gathers && shape.value <= 16;
}

/// Bytes of a scan's pipeline that do not depend on how many items a lane has, and those that a lane's item
/// adds.
SWEEP_HD constexpr std::size_t scan_fixed_bytes(scan_plan const& plan, scan_shape const& shape) {
  auto const chunks = static_cast<std::size_t>(chunks_of(plan));
  auto const beside =
      (chunks * (33 * shape.value + 1) + (keeps_before(shape) ? 3 : 2) * shape.value + 16 + 127) / 128 * 128;
  auto const windows = static_cast<std::size_t>(2 * window_alignment * shape.streams);
  auto const sinks = shape.in_place ? std::size_t{0} : static_cast<std::size_t>(shape.sinks);
  return pipeline_bytes(plan.stages, windows + beside + (shape.segmented ? window_bytes(0) + 144 : 0)) +
         (chunks * sinks + 2) * window_alignment;
}
SWEEP_HD constexpr std::size_t scan_item_bytes(scan_plan const& plan, scan_shape const& shape) {
  auto const lanes = 32 * static_cast<std::size_t>(chunks_of(plan)),
             stages = static_cast<std::size_t>(plan.stages);
  auto const results = shape.in_place ? std::size_t{0} : shape.results;
  return lanes * (stages * shape.staged + results) + (shape.segmented ? lanes / 8 * stages : 0);
}

/// Items of a lane: a plan's rows are of 16 bytes, half of the bytes that it reads and writes; fewer where
/// the shared memory of sm_90 has no room for them.
SWEEP_HD constexpr int scan_lane_items(scan_plan const& plan, scan_shape const& shape) {
  auto const traffic = shape.staged + (shape.results > 0 ? shape.results : shape.staged);
  auto const wanted = static_cast<std::size_t>(2 * 16 * plan.rows) / traffic;
  std::size_t const all = std::size_t{227} * 1024, fixed = scan_fixed_bytes(plan, shape);
  auto const fitting = fixed < all ? (all - fixed) / scan_item_bytes(plan, shape) : 0;
  return window_lane_items(static_cast<int>(wanted < fitting ? wanted : fitting), shape.unit);
}

/// An upper bound on the shared memory of a scan's pipeline, from the plan alone, since the host sizes the
/// launch.
SWEEP_HD constexpr std::size_t scan_staged_bytes(scan_plan const& plan, scan_shape const& shape) {
  return scan_fixed_bytes(plan, shape) +
         static_cast<std::size_t>(scan_lane_items(plan, shape)) * scan_item_bytes(plan, shape);
}

/// Whether tiles are so large that one warp can hear of all of a block's in time.
SWEEP_HD constexpr bool may_hear_apart_of(scan_plan const& plan, scan_shape const& shape) {
  auto const items = static_cast<std::size_t>(32 * chunks_of(plan) * scan_lane_items(plan, shape));
  return keeps_before(shape) && plan.stages >= 2 && items * shape.staged >= std::size_t{32} * 1024;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
