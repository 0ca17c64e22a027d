// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_STAGED_TILE_CUH
#define SWEEP_DETAIL_SCAN_TILE_STAGED_TILE_CUH

#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/scan/problem.hpp>
#include <sweep/detail/scan/tile/staged_lanes.cuh>
#include <sweep/detail/scan/tile/tail_writer.cuh>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The roles of a thread block that scans tiles in the stages of a pipeline (block/pipeline.cuh): reducers
/// fold each lane's items, scanners scan them and start the bulk stores. What a stage holds, and a lane's
/// part of it, is scan/tile/staged_lanes.cuh's. In the chunk where a range ends, lanes pass over what does
/// not exist. Claim gives the next tile; Publish is given lanes, a tile and its total, and answers with the
/// fold of everything before it, or of what is heard apart, publishes and listens in two calls.
template <class Problem, scan_plan P, scan_shape Shape, class Claim, class Publish>
class scan_staged_tile {
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  using Op = decltype(Problem::op);
  static constexpr int S = P.stages, C = chunks_of(P);
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
  static constexpr bool segmented = Problem::heads_type::segmented;
  static_assert(!segmented || Problem::heads_type::packed_heads, "heads are loaded as packed bits");
  static_assert(Shape.bulk, "sweep: a plan with stages needs items that bulk copies can bring");

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using lanes = scan_staged_lanes<Problem, P, Shape>;
  using stage = typename lanes::stage;
  static constexpr bool has_own_before = lanes::has_own_before;
  static constexpr int L = lanes::L, chunk_items = lanes::chunk_items, tile_items = lanes::tile_items;

 public:
  using block = pipeline<stage, no_buffer, S, S, C, P.loads>;
  struct shared {
    typename block::shared stages;
    typename lanes::results results;
  };
  static_assert(sizeof(shared) <= scan_staged_bytes(P, Shape));
  static constexpr bool has_scanners = true, has_marker = false,
                        may_hear_apart = may_hear_apart_of(P, Shape) && Publish::hears_ahead;

  __device__ scan_staged_tile(Problem const& problem, typename lanes::results& results, Op& op, Claim claim,
                              Publish publish)
      : problem_{problem},
        op_{op},
        claim_{claim},
        publish_{publish},
        lane_{static_cast<int>(threadIdx.x % 32)},
        lanes_{problem, results} {}

  __device__ std::int64_t claim() const { return claim_(); }

  __device__ void fetch(std::int64_t tile) const {
    auto const window = problem_.grid.window(tile);
    lanes_.prefetch(window);
    if constexpr (segmented)
      if (auto const bits = head_bits(window); bits.bytes > 0) bulk_prefetch(bits.from, bits.bytes);
  }

  __device__ void load(stage& at, no_buffer&, stage_barrier& landed) const {
    if constexpr (segmented) wait_for_kernel_before();  // which may be making the heads
    auto const window = problem_.grid.window(at.tile);
    unsigned bytes = lanes_.load(at, window, landed);
    if constexpr (lanes::fixed_length) {
      lanes_.find_first_head(at, window);
    } else if constexpr (segmented) {
      auto const bits = head_bits(window);
      at.has_heads = bits.bytes > 0;
      at.heads.shift = bits.bytes > 0 ? bits.shift : 0;
      if (bits.bytes > 0) bulk_load(at.heads.words, bits.from, bits.bytes, landed);
      bytes += bits.bytes;
    }
    landed.arrive_expecting(bytes);
  }

  __device__ void reduce(stage& at, no_buffer&, int chunk) const {
    auto const window = problem_.grid.window(at.tile);
    int const place = chunk * chunk_items + lane_ * L;
    T sum{};
    lanes_.complete(at, window, chunk);
    if (is_whole(window, chunk)) {
      sum = warp_scan(lanes_.fold_lane(at, window, place, op_), op_);
    } else {
      int const from = max(place, window.valid_begin), to = min(place + L, window.valid_end);
      if constexpr (lanes::wide_results) sum = lanes_.fold_some(at, window, place, from, to, op_);
      else sum = lanes_.fold_briefly(at, window, from, to, op_);
      warp_scan_some(sum, __ballot_sync(~0u, from < to), op_);
    }
    put_bytes(reinterpret_cast<T*>(at.lanes)[chunk * 32 + lane_], warp_shfl_up(sum, 1));
    if (lane_ == 31) put_bytes(reinterpret_cast<T*>(at.chunks)[chunk], sum);
  }

  __device__ void look_back(stage& at) const {
    auto const window = problem_.grid.window(at.tile);
    T const sum = scan_chunks(at, window);
    optional<T> before = publish_(warp_lanes{}, std::int64_t{at.tile}, warp_shfl(sum, 31));
    T const chunks_before = warp_shfl_up(sum, 1);
    if constexpr (has_own_before) {
      keep_before(at, before, chunks_before);
    } else {
      before = {warp_shfl(before.value, 0), __shfl_sync(~0u, before.present, 0) != 0};
      if (window.overlaps(0, lane_ * chunk_items)) before = {combine(before, chunks_before, op_), true};
      if (lane_ < C) {
        put_bytes(chunks_of_stage(at)[lane_], before.value);
        at.chunk_has_before[lane_] = before.present;
      }
    }
  }

  /// In many tiles: in few, all of a block's are there at about the same time, and one warp hears of them
  /// later than one for each.
  __device__ bool hears_apart() const { return problem_.grid.tiles() >= std::int64_t{20} * gridDim.x; }
  __device__ void tell(stage& at) const {
    T const sum = scan_chunks(at, problem_.grid.window(at.tile));
    publish_.tell(warp_lanes{}, std::int64_t{at.tile}, warp_shfl(sum, 31));
    T const chunks_before = warp_shfl_up(sum, 1);
    if (lane_ < C) put_bytes(chunks_of_stage(at)[lane_], chunks_before);
  }
  __device__ auto listen() const { return publish_.listen(warp_lanes{}); }
  template <class Kept>
  __device__ void hear(stage& at, Kept& kept) const {
    keep_before_tile(at, publish_.hear(kept, std::int64_t{at.tile}));
  }

  template <class Drained>
  __device__ void scan(stage& at, no_buffer&, int chunk, Drained const&) const {
    auto const window = problem_.grid.window(at.tile);
    int const place = chunk * chunk_items + lane_ * L;
    auto before = [&]() -> optional<T> {
      auto const of_chunk = chunks_of_stage(at)[chunk];
      if constexpr (!has_own_before) {
        return {of_chunk, at.chunk_has_before[chunk]};
      } else {
        optional<T> of_tile{*reinterpret_cast<T const*>(at.before), at.has_before};
        if (window.overlaps(0, chunk * chunk_items)) of_tile = {combine(of_tile, of_chunk, op_), true};
        return of_tile;
      }
    }();
    if (window.overlaps(chunk * chunk_items, place)) {
      T const lanes_before = reinterpret_cast<T const*>(at.lanes)[chunk * 32 + lane_];
      before = {combine(before, lanes_before, op_), true};
    }
    if constexpr (Problem::writes_at_tails) {
      scan_tail_writer<lanes>(lanes_).scan(at, window, chunk, before, op_);
    } else {
      if constexpr (!lanes::in_place) {
        await_bulk_reads<0>();  // of the results before these
        __syncwarp();
      }
      if (is_whole(window, chunk)) {
        lanes_.template scan_lane<true>(at, window, place, place, place + L, before, op_);
      } else {
        int const from = max(place, window.valid_begin), to = min(place + L, window.valid_end);
        if constexpr (lanes::wide_results)
          lanes_.template scan_lane<false>(at, window, place, from, to, before, op_);
        else lanes_.scan_briefly(at, window, place, from, to, before, op_);
      }
      lanes_.store(at, window, chunk);
      if constexpr (lanes::in_place) await_bulk_reads<0>();  // and the stage is free
    }
  }

 private:
  /// Whether all of a chunk's items exist.
  static __device__ bool is_whole(tile_window const& window, int chunk) {
    return window.valid_begin <= chunk * chunk_items && (chunk + 1) * chunk_items <= window.valid_end;
  }
  static __device__ T* chunks_of_stage(stage& at) { return reinterpret_cast<T*>(at.chunks); }
  /// The fold of a lane's chunk with those before it in the tile.
  __device__ T scan_chunks(stage& at, tile_window const& window) const {
    int const first = lane_ * chunk_items;
    T sum = lane_ < C ? chunks_of_stage(at)[lane_] : T{};
    warp_scan_some(sum, __ballot_sync(~0u, lane_ < C && window.overlaps(first, first + chunk_items)), op_);
    return sum;
  }
  /// `before` is valid in lane 0.
  __device__ void keep_before_tile(stage& at, optional<T> const& before) const {
    if (lane_ != 0) return;
    put_bytes(*reinterpret_cast<T*>(at.before), before.value);
    at.has_before = before.present;
  }
  __device__ void keep_before(stage& at, optional<T> const& before, T const& chunks_before) const {
    if (lane_ < C) put_bytes(chunks_of_stage(at)[lane_], chunks_before);
    keep_before_tile(at, before);
  }
  /// Of a whole tile, where bulk loads can bring them.
  __device__ bits_span head_bits(tile_window const& window) const {
    if constexpr (segmented)
      if (window.whole(tile_items))
        return problem_.heads.template window<Problem::towards>(window.base, tile_items, problem_.grid.n);
    return {};
  }

  Problem const& problem_;
  Op& op_;
  Claim claim_;
  Publish publish_;
  int lane_;
  lanes lanes_;
#endif
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
