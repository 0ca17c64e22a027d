// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_TILE_STAGED_TILE_CUH
#define SWEEP_DETAIL_RUN_LENGTH_TILE_STAGED_TILE_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/run_length/problem.hpp>
#include <sweep/detail/run_length/tile/staged_streams.cuh>
#include <sweep/detail/run_length/tile/warp_runs.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// What a pipeline holds of a tile of runs. Shape of a tile, in order:
///   (C chunks, R rows, 32 lanes, I items)
template <class Problem, int C, int I, int R>
struct runs_in_stages {
  using key = typename Problem::key;
  using state = typename Problem::state;
  using V = typename Problem::value;
  using chunk_runs = warp_runs<Problem, I, R>;
  using key_source = source_of_t<decltype(Problem::keys)>;
  using source = typename Problem::source;  ///< of the items
  static constexpr bool folds = Problem::folds;
  static constexpr int chunk_items = chunk_runs::items, items = C * chunk_items;
  static_assert(items <= 1 << 16);
  /// Folds take the places of what their chunk's items are made of where that is as wide.
  static constexpr bool folds_in_place = [] {
    if constexpr (folds && source::streams == 1 && !stream_reversed<source, 0>)
      return sizeof(stream_value<source, 0>) == sizeof(V) && alignof(stream_value<source, 0>) >= alignof(V);
    else return false;
  }();

  struct nothing {};
  struct buffer {
    stream_rooms<key_source, items + 1> keys;
    stream_rooms<source, items> in;
    [[no_unique_address]] std::conditional_t<folds && !folds_in_place, uninitialized<V, items>, nothing> out;
    /// Of each chunk's heads: their places in the chunk beside their folds, else a bit for each item of a
    /// lane.
    std::conditional_t<folds, std::uint16_t[items], std::uint32_t[C * R * 32]> heads;
  };
  using places = std::conditional_t<folds, nothing, uninitialized<std::uint16_t, items>>;
  struct stage {
    std::int64_t tile;
    stream_places<key_source> keys_at;  ///< of the tile's first
    stream_places<source> items_at;
    bool loaded;
    int counts[C];  ///< of each chunk's heads
    int last[C];    ///< the place of the last of them in the tile, or -1
    uninitialized<V, folds ? C : 1> totals;
    uninitialized<state, C> before;  ///< what comes before each chunk
  };
  SWEEP_HD static constexpr int threads(int stages) { return 32 * (1 + stages + 2 * C); }
  SWEEP_HD static constexpr std::size_t bytes(int stages) {
    return pipeline_bytes(stages, sizeof(stage), stages, sizeof(buffer)) + (folds ? 0 : sizeof(places));
  }
};

/// The roles of a pipeline's warps (block/pipeline.cuh) that work on runs of keys made of what lies in
/// memory; the tiles at either end of the range are not loaded in bulk. Reducers put what is to be written of
/// a chunk close together; scanners add what came before the chunk, and write.
template <class Problem, int C, int I, int R, int S, class Claim, class Publish>
class runs_staged_tile {
  using layout = runs_in_stages<Problem, C, I, R>;
  using key = typename layout::key;
  using state = typename layout::state;
  using V = typename layout::V;
  using key_source = typename layout::key_source;
  using source = typename layout::source;
  using chunk_runs = typename layout::chunk_runs;
  using buffer = typename layout::buffer;
  using stage = typename layout::stage;
  static constexpr bool folds = layout::folds, folds_in_place = layout::folds_in_place;
  static constexpr int chunk_items = layout::chunk_items, items = layout::items;

 public:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using block = pipeline<stage, buffer, S, S, C, 1>;
  struct shared {
    typename block::shared block;
    /// Of the heads of the chunks that are being written.
    [[no_unique_address]] typename layout::places places;
  };
#endif
  static constexpr bool has_scanners = true, has_marker = false;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ runs_staged_tile(Problem const& problem, shared& smem, Claim claim, Publish publish)
      : problem_{problem},
        smem_{smem},
        claim_{claim},
        publish_{publish},
        keys_{source_of(problem.keys)},
        items_{problem.items()},
        lane_{static_cast<int>(threadIdx.x % 32)} {
    static_assert(sizeof(shared) <= layout::bytes(S));
  }

  __device__ std::int64_t claim() const { return claim_(); }

  __device__ void fetch(std::int64_t tile) const {
    if (!in_bulk(tile)) return;
    keys_.prefetch(tile * items - left_of(tile), items + left_of(tile));
    items_.prefetch(tile * items, items);
  }

  __device__ void load(stage& at, buffer& in, stage_barrier& landed) const {
    auto const first = at.tile * items;
    int const left = left_of(at.tile);
    unsigned const bytes =
        keys_.place(first, left, items, at.keys_at) + items_.place(first, 0, items, at.items_at);
    at.loaded = in_bulk(at.tile);
    if (!at.loaded) return landed.arrive();
    landed.arrive_expecting(bytes);
    keys_.load(first, left, items, in.keys, landed);
    items_.load(first, 0, items, in.in, landed);
  }

  __device__ void reduce(stage& at, buffer& in, int chunk) const {
    if (at.loaded) reduce_chunk<true>(at, in, chunk, chunk_items);
    else {
      auto const rest = problem_.grid.n - (at.tile * items + chunk * chunk_items);
      int const count = static_cast<int>(min(max(rest, std::int64_t{0}), std::int64_t{chunk_items}));
      fill(at, in, chunk, count);
      reduce_chunk<false>(at, in, chunk, count);
    }
  }

  __device__ void look_back(stage& at) const {
    auto const base = at.tile * items;
    auto const rest = problem_.grid.n - base;
    int const last_chunk = rest >= items ? C - 1 : static_cast<int>(rest - 1) / chunk_items;
    int const mine = lane_ < C ? at.counts[lane_] : 0;
    plus add;
    int const sum = warp_scan(mine, add), total = __shfl_sync(~0u, sum, 31);
    unsigned const some = __ballot_sync(~0u, mine != 0);
    auto op = problem_.joining();
    state found, last_of{};
    if constexpr (folds) {
      V tail{};
      if (lane_ <= last_chunk) put_bytes(tail, at.totals[lane_]);
      tail = warp_scan_segments(tail, some, last_chunk, problem_.op);
      using told = decltype(found.value);
      auto const mine_told = static_cast<told>(tail);
      found = {warp_shfl(mine_told, last_chunk), std::int64_t{total}};
      last_of = {warp_shfl_up(mine_told, 1), std::int64_t{sum - mine}};
    } else {
      auto const larger = [](int a, int b) { return max(a, b); };
      int const last = warp_scan(lane_ < C ? at.last[lane_] : -1, larger);
      auto const head = [&](int place) { return place < 0 ? 0 : base + place + 1; };
      found = {total, head(__shfl_sync(~0u, last, 31))};
      int const before = __shfl_up_sync(~0u, last, 1);
      last_of = {sum - mine, head(before)};
    }
    auto before = publish_(warp_lanes{}, at.tile, found);
    if (lane_ == 0 && base + items >= problem_.grid.n) problem_.finish(combine(before, found, op));
    before = {warp_shfl(before.value, 0), __shfl_sync(~0u, static_cast<int>(before.present), 0) != 0};
    if (lane_ <= last_chunk)
      put_bytes(at.before[lane_], lane_ > 0        ? combine(before, last_of, op)
                                  : before.present ? before.value
                                                   : state{});
  }

  template <class Drained>
  __device__ void scan(stage& at, buffer& in, int chunk, Drained) const {
    int const count = at.counts[chunk];
    if (count > 0) write_chunk(at, in, chunk, count);
    fence_before_bulk();  // what was put into the buffer comes before what the next load brings
  }

 private:
  static __device__ int left_of(std::int64_t tile) { return tile > 0 ? 1 : 0; }

  __device__ bool in_bulk(std::int64_t tile) const {
    auto const first = tile * items, n = problem_.grid.n;
    return first + items <= n && keys_.owns(first - left_of(tile), items + left_of(tile), n) &&
           items_.owns(first, items, n);
  }

  __device__ V* folds_of(stage const& at, buffer& in, int chunk) const {
    if constexpr (folds_in_place)
      return reinterpret_cast<V*>(items_.template lying<0>(in.in, at.items_at, chunk * chunk_items));
    else return in.out.data() + chunk * chunk_items;
  }

  /// Where no bulk load has: what keys and items are made of, one by one.
  __device__ void fill(stage const& at, buffer& in, int chunk, int count) const {
    int const offset = chunk * chunk_items;
    auto const first = at.tile * items + offset;
    keys_.fill(first, count, in.keys, at.keys_at, offset);
    items_.fill(first, count, in.in, at.items_at, offset);
    __syncwarp();
  }

  template <bool Whole>
  __device__ void reduce_chunk(stage& at, buffer& in, int chunk, int count) const {
    int const first = chunk * chunk_items;
    auto const index = at.tile * items + first;
    chunk_runs runs(problem_);
    int const heads = runs.template find<Whole>(
        index, count, at.loaded, [&](int place, int begin, int end, key(&some)[I + 1]) {
          keys_.load_neighbours(index + place, in.keys, at.keys_at, first + place, begin, end, some);
        });
    if (lane_ == 0) at.counts[chunk] = heads;
    if constexpr (folds) {
      if (Whole || count > 0) {
        V const tail = fold_chunk<Whole>(at, in, chunk, count, runs, heads);
        if (lane_ == 0) put_bytes(at.totals[chunk], tail);
      }
    } else {
      int const last = runs.last();
      if (lane_ == 0) at.last[chunk] = last < 0 ? -1 : first + last;
      if (heads > 0) runs.keep_heads(in.heads + chunk * R * 32);
    }
  }

  /// What a chunk comes to since its last head; of each head its place, and the fold of the run that it
  /// closes, are put where they are written from.
  template <bool Whole>
  __device__ V fold_chunk(stage const& at, buffer& in, int chunk, int count, chunk_runs& runs,
                          int heads) const {
    int const first = chunk * chunk_items;
    auto const index = at.tile * items + first;
    auto* const places = in.heads + first;
    auto* const folded = folds_of(at, in, chunk);
    auto const mine = items_.template neighbours<I>(in.in, at.items_at, first + runs.place(0));
    if (heads > 0) __syncwarp();  // all items are in registers
    unsigned const mask = runs.heads();
    int rank = runs.rank();
    auto const put_place = [&](int v) { places[rank++] = static_cast<std::uint16_t>(runs.place(v)); };
    if ((mask & 1u) != 0) put_place(0);
    V const tail = runs.template fold<Whole>(
        count, [&](int v) { return static_cast<V>(items_.made(index + runs.place(v), mine, v)); },
        [&](int v, V const& closed) {
          if ((mask >> v & 1u) == 0) return;
          put_bytes(folded[rank], closed);
          put_place(v);
        });
    if (mask != 0) {
      auto& closed = folded[runs.rank()];
      put_bytes(closed, runs.closed_by_first({}, [&] { return closed; }));
    }
    return tail;
  }

  __device__ std::uint16_t const* places_of(buffer const& in, int chunk) const {
    if constexpr (folds) {
      return in.heads + chunk * chunk_items;
    } else {
      auto* const places = smem_.places.data() + chunk * chunk_items;
      chunk_runs runs(problem_);
      runs.take_heads(in.heads + chunk * R * 32);
      runs.for_each_head([&](int rank, int place) { places[rank] = static_cast<std::uint16_t>(place); });
      __syncwarp();
      return places;
    }
  }

  __device__ void write_chunk(stage const& at, buffer& in, int chunk, int count) const {
    auto const& before = at.before[chunk];
    auto const run = before.heads;
    int const offset = chunk * chunk_items;
    auto const* const places = places_of(in, chunk);
    for_each_written(problem_.keys_out, run, 0, count, lane_, 32, [&](int i) {
      int const place = offset + places[i];
      problem_.put_key(run + i, keys_.one(at.tile * items + place, in.keys, at.keys_at, place));
    });
    // The chunk's first head closes a run of the chunks before.
    if constexpr (folds) {
      auto const* const folded = folds_of(at, in, chunk);
      write_folds(problem_, run - 1, 1, count, folded, lane_, 32);
      if (lane_ == 0 && run > 0)
        problem_.put(run - 1, places[0] > 0
                                  ? static_cast<V>(problem_.op(static_cast<V>(before.value), folded[0]))
                                  : static_cast<V>(before.value));
    } else {
      for_each_written(problem_.out, run - 1, 1, count, lane_, 32,
                       [&](int i) { problem_.put_length(run + i - 1, int{places[i]} - int{places[i - 1]}); });
      if (lane_ == 0) problem_.close_run(before, at.tile * items + chunk * chunk_items + places[0]);
    }
  }

  Problem const& problem_;
  shared& smem_;
  Claim claim_;
  Publish publish_;
  staged_streams<key_source> keys_;
  staged_streams<source> items_;
  int lane_;
#endif
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
