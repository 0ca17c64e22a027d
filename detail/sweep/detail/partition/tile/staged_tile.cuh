// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_STAGED_TILE_CUH
#define SWEEP_DETAIL_PARTITION_TILE_STAGED_TILE_CUH

#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/partition/tile/classify_chunk.cuh>
#include <sweep/detail/partition/tile/scatter_chunk.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// An upper bound on the shared memory of a compaction's pipeline, from the plan alone, since the host sizes
/// the launch.
template <class Problem>
SWEEP_HD constexpr std::size_t partition_staged_bytes(partition_plan const& plan) {
  constexpr std::size_t counted = Problem::parts - 1;
  auto const chunks = static_cast<std::size_t>(chunks_of(plan));
  auto const marks =
      chunks * (counted * (mark_bytes<Problem>(32 * plan.rows) + 4) + sizeof(typename Problem::counts)) +
      16 * 2 * counted + 64;
  return pipeline_bytes(plan.stages, marks, buffers_of(plan),
                        static_cast<std::size_t>(buffer_bytes<Problem>(chunks_of(plan) * 32 * plan.rows))) +
         chunks * static_cast<std::size_t>(ordered_bytes<Problem>(plan.rows));
}

/// Whether items of one or two bytes, for which others decide, are made of wider or narrower ones: not put in
/// order, each would be read and written by itself.
template <class Problem>
inline constexpr bool reads_narrow_items =
    !Problem::tests_items && !loads_items<Problem> && Problem::in_beneath::contiguous &&
    sizeof(typename Problem::raw) <= 2 && Problem::parts == 2;

/// Whether items of three bytes decide for themselves, and some are dropped: 16 of them as a vector in
/// registers take less than each by itself.
template <class Problem>
inline constexpr bool moves_three_bytes =
    Problem::tests_items && sizeof(typename Problem::raw) == 3 &&
    orders_in_shared_memory<Problem>&& Problem::parts == 2 && Problem::written == 1;

/// Whether a pipeline compacts this: what decides is loaded in bulk, and in place, what a tile overwrites
/// must have been read by the tiles before it.
template <class Problem>
inline constexpr bool partitions_in_stages = (Problem::tested_beneath::contiguous ||
                                              (std::is_same_v<typename Problem::tested_iterator, bits> &&
                                               !Problem::looks_left)) &&
                                             (!Problem::in_place || Problem::tests_items) &&
                                             !reads_narrow_items<Problem> && !moves_three_bytes<Problem>;

/// The roles of a thread block that partitions tiles in the stages of a pipeline (block/pipeline.cuh).
/// Reducers call the selector for each item (partition/tile/classify_chunk.cuh): the answers for a row of 32
/// items are a mask for each counted part. Scanners find from those where an item goes, and store it there
/// (partition/tile/scatter_chunk.cuh). Where a stencil or keys decide, narrow items and values are loaded
/// beside them unless hardly any were wanted of the tile that was in the stage before; others stay in global
/// memory, and only those that are wanted are read. Claim gives the next tile; Publish is
/// given lanes, a tile and its counts, and answers with those of everything before it.
template <class Problem, partition_plan P, class Claim, class Publish>
class partition_staged_tile {
  using stage = partition_stage<Problem, P>;
  using counts = typename stage::counts;
  using tested = typename Problem::tested_beneath;
  static constexpr int C = stage::C, counted = stage::counted;
  static_assert(P.threads % 32 == 0 && P.rows >= 1, "sweep: a plan has whole warps, and a row");
  static_assert(partitions_in_stages<Problem>,
                "sweep: a plan with stages needs what decides for an item as packed bits or in contiguous "
                "memory; in place, the items themselves");

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using buffer = typename stage::buffer;
  static constexpr int warp_bytes = ordered_bytes<Problem>(P.rows);

 public:
  using block = pipeline<stage, buffer, P.stages, buffers_of(P), C, P.loads>;
  struct shared {
    typename block::shared block;
    alignas(16) unsigned char ordered[warp_bytes > 0 ? C* warp_bytes : 16];
  };
  static_assert(sizeof(shared) <= partition_staged_bytes<Problem>(P));
  static constexpr bool has_scanners = true, has_marker = false;

  __device__ partition_staged_tile(Problem const& problem, shared& smem, Claim claim, Publish publish)
      : problem_{problem},
        smem_{smem},
        claim_{claim},
        publish_{publish},
        lane_{static_cast<int>(threadIdx.x % 32)} {
    if (threadIdx.x == 0)
      for (auto& at : smem_.block.stages) at.has_few = false;
  }

  __device__ std::int64_t claim() const { return claim_(); }

  __device__ void fetch(std::int64_t tile) const {
    auto const window = problem_.grid.window(tile);
    if constexpr (Problem::tested_beneath::contiguous)
      if (auto const bulk = bulk_of(window); bulk.bytes > 0) bulk_prefetch(bulk.from, bulk.bytes);
    if constexpr (loads_items<Problem>)
      if (loads_items_) items_beside<Problem>(problem_, smem_.block.buffers[0], window).fetch();
  }

  __device__ void load(stage& at, buffer& in, stage_barrier& landed) {
    auto const window = problem_.grid.window(at.tile);
    at.loaded = false;
    if constexpr (loads_unless_few<Problem>) loads_items_ = !at.has_few;
    at.items_loaded = loads_items_;
    unsigned bytes = 0;
    if constexpr (Problem::tested_beneath::contiguous)
      if (auto const bulk = bulk_of(window); bulk.bytes > 0) {
        at.loaded = true;
        bytes = bulk.bytes;
        bulk_load(in.tested(bulk.place, bulk.count) - bulk.before, bulk.from, bulk.bytes, landed);
      }
    if constexpr (loads_items<Problem>)
      if (loads_items_) bytes += items_beside<Problem>(problem_, in, window).load(landed);
    landed.arrive_expecting(bytes);
  }

  __device__ void reduce(stage& at, buffer& in, int chunk) const {
    classify_chunk<Problem, P>(problem_).run(at, in, chunk);
  }

  __device__ void look_back(stage& at) const {
    counts before_chunk, total;
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      plus op;
      int const mine = lane_ < C ? at.totals[k][lane_] : 0, sum = warp_scan(mine, op);
      before_chunk.of[k] = sum - mine;
      total.of[k] = __shfl_sync(~0u, sum, 31);
    }
    counts const before = warp_shfl(publish_(warp_lanes{}, std::int64_t{at.tile}, total), 0);
    if (lane_ < C) at.before_chunk[lane_] = before + before_chunk;
    if constexpr (loads_unless_few<Problem>) {
      // One in so many items that are read alone takes as long as all of them: 32 bytes each, and more where
      // they are narrow or read in pieces; less where few are found by their bits and none is put in order.
      using value = typename beside<Problem>::streamed::value;
      constexpr int all_but = widens_items<Problem>
                                  ? 64
                                  : (natural_width<value> >= 8 ? 96 : 256) / static_cast<int>(sizeof(value));
      static_assert(all_but > 0);
      std::int64_t wanted = 0;
#pragma unroll
      for (int k = 0; k < Problem::written; ++k) wanted += total.of[k];
      if (lane_ == 0) at.has_few = wanted * all_but < problem_.grid.window(at.tile).count();
    }
  }

  template <class Drained>
  __device__ void scan(stage& at, buffer& in, int chunk, Drained const& drained) const {
    scatter_chunk<Problem, P>(problem_, smem_.ordered + chunk * warp_bytes, at, in, chunk, drained);
  }

 private:
  /// What a bulk load brings of a tile, with the item to its left.
  struct bulk_range {
    unsigned char const* from;
    int place, count;  ///< of the items
    int before;        ///< bytes that come before these in memory
    unsigned bytes;
  };
  __device__ bulk_range bulk_of(tile_window const& window) const {
    auto const [begin, end] = bulk_places(window, items_per_16_bytes(stage::size));
    int const count = end - begin;
    auto const* const lowest = reinterpret_cast<unsigned char const*>(
        tested::from(problem_.tested(), window.base).lowest(begin, count));
    if (count <= 0 || reinterpret_cast<std::uintptr_t>(lowest) % 16 != 0) return {lowest, begin, 0, 0, 0};
    int const lead = window.base + begin > 0 ? stage::lead : 0, before = stage::reversed ? 0 : lead;
    return {lowest - before, begin, count, before, static_cast<unsigned>(count * stage::size + lead)};
  }

  Problem const& problem_;
  shared& smem_;
  Claim claim_;
  Publish publish_;
  int lane_;
  bool loads_items_ = loads_items<Problem>;  ///< of the loader
#endif
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
