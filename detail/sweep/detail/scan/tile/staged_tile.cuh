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
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The roles of a thread block that scans tiles in the stages of a pipeline (block/pipeline.cuh): reducers
/// fold each lane's items, scanners scan them in place and start the bulk stores. What a stage holds, and a
/// lane's part of it, is scan/tile/staged_lanes.cuh's. A tile that is not whole, or data that bulk copies
/// cannot move, pass through the same stages item by item. Claim gives the next tile; Publish is given lanes,
/// a tile and its total, and answers with the fold of everything before it.
template <class Problem, scan_plan P, class Claim, class Publish>
class scan_staged_tile {
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  using U = typename Problem::out_value;
  using Op = decltype(Problem::op);
  static constexpr int S = P.stages, C = chunks_of(P);
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
  static constexpr bool segmented = Problem::heads_type::segmented;
  static_assert(!segmented || Problem::heads_type::packed_heads, "heads are loaded as packed bits");
  static_assert(Problem::writes_at_tails || sizeof(Raw) == sizeof(U), "results take the items' places");
  static_assert(Problem::vector_items * sizeof(Raw) % 16 == 0,
                "sweep: a plan with stages needs vectors of 16 bytes");

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using lanes = scan_staged_lanes<Problem, P>;
  using stage = typename lanes::stage;
  static constexpr int lane_items = lanes::lane_items, chunk_items = lanes::chunk_items,
                       tile_items = lanes::tile_items;

 public:
  using block = pipeline<stage, no_buffer, S, S, C, P.loads>;
  using shared = typename block::shared;
  static_assert(sizeof(shared) <=
                scan_staged_bytes(P, {sizeof(Raw), 0, sizeof(T), Problem::vector_items, segmented, true}));
  static constexpr bool has_scanners = true, has_marker = false;

  __device__ scan_staged_tile(Problem const& problem, Op& op, Claim claim, Publish publish)
      : problem_{problem},
        op_{op},
        claim_{claim},
        publish_{publish},
        lane_{static_cast<int>(threadIdx.x % 32)},
        lanes_{problem} {}

  __device__ std::int64_t claim() const { return claim_(); }

  __device__ void fetch(std::int64_t tile) const {
    auto const window = problem_.grid.window(tile);
    if constexpr (Problem::in_contiguous)
      if (in_bulk(window)) {
        bulk_prefetch(problem_.in + window.base, static_cast<unsigned>(sizeof(stage::raw)));
        if constexpr (segmented)
          if (auto const bits = head_bits(window); bits.bytes > 0) bulk_prefetch(bits.from, bits.bytes);
      }
  }

  __device__ void load(stage& at, no_buffer&, stage_barrier& landed) const {
    if constexpr (segmented) wait_for_kernel_before();  // which may be making the heads
    at.loaded = false;
    if constexpr (segmented) at.heads.shift = 0;
    if constexpr (Problem::in_contiguous) {
      auto const window = problem_.grid.window(at.tile);
      auto const* from = problem_.in + window.base;
      if (in_bulk(window)) {
        auto const bits = head_bits(window);
        if (!segmented || bits.bytes > 0) {
          at.loaded = true;
          if constexpr (segmented) at.heads.shift = bits.shift;
          landed.arrive_expecting(static_cast<unsigned>(sizeof(at.raw)) + bits.bytes);
          bulk_load(at.raw, from, sizeof(at.raw), landed);
          if constexpr (segmented) bulk_load(at.heads.words, bits.from, bits.bytes, landed);
        }
      }
    }
    if (!at.loaded) landed.arrive();
  }

  __device__ void reduce(stage& at, no_buffer&, int chunk) const {
    auto const window = problem_.grid.window(at.tile);
    int const place = chunk * chunk_items + lane_ * lane_items;
    T sum{};
    bool any = true;
    if (!at.loaded) {
      lanes_.fill_chunk(at, window, chunk);
      __syncwarp();
    }
    if (window.whole(tile_items)) {
      sum = lanes_.fold_lane(at, place, op_);
    } else {
      int const from = max(place, window.valid_begin), to = min(place + lane_items, window.valid_end);
      any = from < to;
      for (int p = from; p < to; ++p)
        sum = p > from ? static_cast<T>(op_(sum, lanes_.item(at, p))) : lanes_.item(at, p);
    }
    warp_scan_some(sum, __ballot_sync(~0u, any), op_);
    put_bytes(reinterpret_cast<T*>(at.lanes)[chunk * 32 + lane_], warp_shfl_up(sum, 1));
    if (lane_ == 31) put_bytes(reinterpret_cast<T*>(at.chunks)[chunk], sum);
  }

  __device__ void look_back(stage& at) const {
    auto const window = problem_.grid.window(at.tile);
    auto* const chunks = reinterpret_cast<T*>(at.chunks);
    int const first = lane_ * chunk_items;
    T sum = lane_ < C ? chunks[lane_] : T{};
    warp_scan_some(sum, __ballot_sync(~0u, lane_ < C && window.overlaps(first, first + chunk_items)), op_);
    optional<T> before = publish_(warp_lanes{}, std::int64_t{at.tile}, warp_shfl(sum, 31));
    before = {warp_shfl(before.value, 0), __shfl_sync(~0u, before.present, 0) != 0};
    T const chunks_before = warp_shfl_up(sum, 1);
    if (window.overlaps(0, first)) before = {combine(before, chunks_before, op_), true};
    if (lane_ < C) {
      put_bytes(chunks[lane_], before.value);
      at.chunk_has_before[lane_] = before.present;
    }
  }

  template <class Drained>
  __device__ void scan(stage& at, no_buffer&, int chunk, Drained const&) const {
    auto const window = problem_.grid.window(at.tile);
    int const place = chunk * chunk_items + lane_ * lane_items;
    optional<T> before{reinterpret_cast<T const*>(at.chunks)[chunk], at.chunk_has_before[chunk]};
    if (window.overlaps(chunk * chunk_items, place)) {
      T const lanes_before = reinterpret_cast<T const*>(at.lanes)[chunk * 32 + lane_];
      before = {combine(before, lanes_before, op_), true};
    }
    if constexpr (Problem::writes_at_tails) {
      scan_tail_writer<Problem, P>(lanes_).scan(at, window, chunk, before, op_);
    } else if (window.whole(tile_items)) {
      lanes_.scan_lane(at, place, before, op_);
      if (!store_chunk(at, window, chunk)) store_items(at, window, chunk);
    } else {
      int const from = max(place, window.valid_begin), to = min(place + lane_items, window.valid_end);
      for (int p = from; p < to; ++p) {
        T const x = lanes_.item(at, p);
        T const with = combine(before, x, op_);
        put_bytes(
            lanes_.result(at, p),
            static_cast<U>(
                inclusive ? with : problem_.before(before.value, lanes_.heads(at, lanes_.offset(p), 1), 0)));
        before = {with, true};
      }
      store_items(at, window, chunk);
    }
  }

 private:
  /// Whether bulk loads bring a tile's items.
  __device__ bool in_bulk(tile_window const& window) const {
    if constexpr (Problem::in_contiguous)
      return window.whole(tile_items) &&
             reinterpret_cast<std::uintptr_t>(problem_.in + window.base) % 16 == 0;
    else return false;
  }
  __device__ bits_span head_bits(tile_window const& window) const {
    if constexpr (segmented)
      return problem_.heads.template window<Problem::towards>(window.base, tile_items, problem_.grid.n);
    else return {};
  }

  /// By bulk store, where the output lets it.
  __device__ bool store_chunk(stage& at, tile_window const& window, int chunk) const {
    if constexpr (Problem::out_contiguous) {
      int const first =
          backward ? lanes_.offset((chunk + 1) * chunk_items - 1) : chunk * chunk_items;  // lowest in memory
      auto* const to = problem_.out + window.base + first;
      if (reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
        fence_before_bulk();
        __syncwarp();
        if (lane_ == 0) {
          bulk_store(to, at.raw + first * sizeof(U), chunk_items * sizeof(U));
          await_bulk_reads<0>();
        }
        return true;
      }
    }
    return false;
  }

  __device__ void store_items(stage& at, tile_window const& window, int chunk) const {
    __syncwarp();
    for (int i = lane_; i < chunk_items; i += 32) {  // coalesced, item by item
      int const p = chunk * chunk_items + i;
      if (window.contains(p)) problem_.put(window.base + lanes_.offset(p), lanes_.result(at, p));
    }
    fence_before_bulk();  // what was put here by hand comes before what the next load brings
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
