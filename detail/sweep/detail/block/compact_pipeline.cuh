// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_COMPACT_PIPELINE_CUH
#define SWEEP_DETAIL_BLOCK_COMPACT_PIPELINE_CUH

#include <sweep/detail/block/compact_put.cuh>
#include <sweep/detail/block/compact_stage.cuh>
#include <sweep/detail/lookback/lanes.cuh>

namespace sweep::detail {

/// Shared memory that a compaction's pipeline takes; the host asks for it, so it is reckoned from the plan.
template <class Problem>
SWEEP_HD constexpr std::size_t compact_pipeline_bytes(partition_plan const& plan) {
  constexpr bool told_bits = std::is_same_v<typename Problem::told_iterator, bits>;
  constexpr std::size_t counted = Problem::sides - 1, told = sizeof(typename Problem::told_value);
  auto const chunks = static_cast<std::size_t>(chunks_of(plan)), rows = static_cast<std::size_t>(plan.rows);
  auto const marks =
      chunks * (counted * (mark_bytes<Problem>(32 * plan.rows) + 4) + sizeof(typename Problem::counts)) +
      16 * 2 * counted + 64;
  return pipeline_bytes(plan.stages, marks, buffers_of(plan), told_bits ? 16 : chunks * rows * 32 * told) +
         chunks * static_cast<std::size_t>(ordered_bytes<Problem>(plan.rows));
}

/// Whether a pipeline can compact this: what decides is loaded in bulk, and in place, what a tile overwrites
/// must have been read by the tiles before it.
template <class Problem>
inline constexpr bool compact_in_stages = (Problem::told_contiguous ||
                                           (std::is_same_v<typename Problem::told_iterator, bits> &&
                                            !Problem::looks_left)) &&
                                          (!Problem::in_place || Problem::told_items);

/// A thread block that compacts tiles in the stages of a pipeline (block/pipeline.cuh). Reducers ask the
/// judge of each item (block/compact_stage.cuh): the answers for a row of 32 items are one word of bits for
/// each counted side. Scanners know from those where an item goes, and put it there (block/compact_put.cuh).
/// Where a stencil decides, the items stay in global memory, and only those that are wanted are read.
template <class Problem, partition_plan P>
class compact_pipeline {
  using stage = compact_stage<Problem, P>;
  using counts = typename stage::counts;
  static constexpr int C = stage::C, counted = stage::counted;

 public:
  static_assert(P.threads % 32 == 0 && P.rows >= 1, "sweep: a plan has whole warps, and a row");
  static_assert(compact_in_stages<Problem>,
                "sweep: a plan with stages needs what decides for an item as packed bits or in contiguous "
                "memory; in place, the items themselves");

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
 private:
  using buffer = typename stage::buffer;
  using roles = pipeline<stage, buffer, P.stages, buffers_of(P), C, P.loads>;
  static constexpr int warp_bytes = ordered_bytes<Problem>(P.rows);

 public:
  struct shared {
    typename roles::shared roles;
    alignas(16) unsigned char ordered[warp_bytes > 0 ? C* warp_bytes : 16];
  };
  static_assert(sizeof(shared) <= compact_pipeline_bytes<Problem>(P));

  __device__ compact_pipeline(Problem const& problem, shared& smem)
      : problem_{problem}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  /// `claim` gives the next tile; `exchange` is given a tile and its counts and answers with those of
  /// everything before it.
  template <class Claim, class Exchange>
  __device__ void run(Claim claim, Exchange exchange) {
    roles::run(
        smem_.roles, problem_.grid.tiles(), claim, [&](std::int64_t tile) { fetch(tile); },
        [&](stage& at, buffer& in, stage_barrier& landed) { load(at, in, landed); },
        [&](stage& at, buffer& in, int chunk) { compact_judge<Problem, P>(problem_).run(at, in, chunk); },
        [&](stage& at) { lead(at, exchange); },
        [&](stage& at, buffer& in, int chunk, auto const& led) {
          compact_put<Problem, P>(problem_, smem_.ordered + chunk * warp_bytes).run(at, in, chunk, led);
        });
  }

 private:
  /// Whether a bulk load brings what decides for a tile's items.
  __device__ bool in_bulk(tile_window const& window) const {
    if constexpr (Problem::told_contiguous)
      return compact_places::whole(window, stage::tile_items) &&
             reinterpret_cast<std::uintptr_t>(problem_.told() + window.memory) % 16 == 0;
    else return false;
  }

  __device__ void fetch(std::int64_t tile) const {
    if constexpr (Problem::told_contiguous)
      if (auto const window = problem_.grid.window(tile); in_bulk(window))
        bulk_prefetch(problem_.told() + window.memory, static_cast<unsigned>(sizeof(buffer::told)));
  }

  __device__ void load(stage& at, buffer& in, stage_barrier& landed) const {
    auto const window = problem_.grid.window(at.tile);
    at.loaded = in_bulk(window);
    if constexpr (Problem::told_contiguous)
      if (at.loaded) {
        landed.arrive_expecting(static_cast<unsigned>(sizeof(in.told)));
        return bulk_load(in.told, problem_.told() + window.memory, sizeof(in.told), landed);
      }
    landed.arrive();
  }

  template <class Exchange>
  __device__ void lead(stage& at, Exchange& exchange) const {
    counts before_chunk, total;
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      plus op;
      int const mine = lane_ < C ? at.totals[k][lane_] : 0, sum = warp_scan(mine, op);
      before_chunk.of[k] = sum - mine;
      total.of[k] = __shfl_sync(~0u, sum, 31);
    }
    counts const before = warp_shfl(exchange(std::int64_t{at.tile}, warp_lanes{}, total), 0);
    if (lane_ < C) at.before_chunk[lane_] = before + before_chunk;
  }

  Problem const& problem_;
  shared& smem_;
  int lane_;
#endif
};

}  // namespace sweep::detail

#endif
