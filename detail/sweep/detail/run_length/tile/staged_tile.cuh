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
#include <sweep/detail/run_length/tile/warp_runs.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Room for so many items of each stream of a source.
template <class Source, int N, int K = 0>
struct stream_rooms {
  using item = typename decltype(std::declval<Source const&>().template stream<K>())::value_type;
  staged_items<item, N> here;
  stream_rooms<Source, N, K + 1> others;

  template <int Which>
  __device__ auto& of() {
    if constexpr (Which == K) return here;
    else return others.template of<Which>();
  }
};
template <class Source, int N, int K>
  requires(K == Source::streams)
struct stream_rooms<Source, N, K> {
  template <int>
  __device__ void of();
};

template <class Source>
inline constexpr bool is_plain_memory = false;
template <class T>
inline constexpr bool is_plain_memory<memory_source<T>> = true;

/// What a pipeline holds of a tile of runs. Shape of a tile, in order:
///   (C chunks, R rows, 32 lanes, I items)
template <class Problem, int C, int I, int R>
struct runs_in_stages {
  using key = typename Problem::key;
  using state = typename Problem::state;
  using V = typename Problem::value;
  using chunk_runs = warp_runs<Problem, I, R>;
  using source = typename Problem::source;  ///< of the items
  static constexpr bool folds = Problem::folds;
  static constexpr int chunk_items = chunk_runs::items, items = C * chunk_items, streams = source::streams;
  static_assert(items <= 1 << 16);
  /// Folds take the places of their chunk's items where they are as wide.
  static constexpr bool folds_in_place = std::is_same_v<source, memory_source<V>>;

  struct nothing {};
  struct buffer {
    staged_items<key, items + 1> keys;
    stream_rooms<source, items> in;
    [[no_unique_address]] std::conditional_t<folds && !folds_in_place, uninitialized<V, items>, nothing> out;
    std::uint16_t places[items];  ///< of each chunk's heads, in the chunk
  };
  struct stage {
    std::int64_t tile;
    int keys_at, items_at[streams > 0 ? streams : 1];  ///< where the lowest in memory lies in its room
    bool loaded;
    int counts[C];  ///< of each chunk's heads
    int last[C];    ///< the place of the last of them in the tile, or -1
    uninitialized<V, folds ? C : 1> totals;
    uninitialized<state, C> before;  ///< what comes before each chunk
  };
  SWEEP_HD static constexpr int threads(int stages) { return 32 * (1 + stages + 2 * C); }
  SWEEP_HD static constexpr std::size_t bytes(int stages) {
    return pipeline_bytes(stages, sizeof(stage), stages, sizeof(buffer));
  }
};

/// The roles of a pipeline's warps (block/pipeline.cuh) that work on runs of keys in memory. Bulk copies
/// bring whole 16 bytes around what a tile holds, wherever that begins; the tiles at either end of the range,
/// where those would be somebody else's, are read as they are. Reducers put what is to be written of a chunk
/// close together; scanners add what came before the chunk, and write.
template <class Problem, int C, int I, int R, int S, class Claim, class Publish>
class runs_staged_tile {
  using layout = runs_in_stages<Problem, C, I, R>;
  using key = typename layout::key;
  using state = typename layout::state;
  using V = typename layout::V;
  using source = typename layout::source;
  using chunk_runs = typename layout::chunk_runs;
  using buffer = typename layout::buffer;
  using stage = typename layout::stage;
  static constexpr bool folds = layout::folds, folds_in_place = layout::folds_in_place;
  static constexpr int chunk_items = layout::chunk_items, items = layout::items, streams = layout::streams;

 public:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using block = pipeline<stage, buffer, S, S, C, 1>;
  using shared = typename block::shared;
#endif
  static constexpr bool has_scanners = true, has_marker = false;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ runs_staged_tile(Problem const& problem, Claim claim, Publish publish)
      : problem_{problem},
        claim_{claim},
        publish_{publish},
        source_{problem.items()},
        lane_{static_cast<int>(threadIdx.x % 32)} {
    static_assert(sizeof(shared) <= layout::bytes(S));
  }

  __device__ std::int64_t claim() const { return claim_(); }

  __device__ void fetch(std::int64_t tile) const {
    if (!in_bulk(tile)) return;
    auto const keys = window_of(problem_.keys, tile * items - left_of(tile), items + left_of(tile));
    bulk_prefetch(keys.from, keys.bytes);
    for_each_stream([&](auto, auto const& stream) {
      auto const some = window_of(stream.lowest(tile * items, items), 0, items);
      bulk_prefetch(some.from, some.bytes);
    });
  }

  __device__ void load(stage& at, buffer& in, stage_barrier& landed) const {
    int const left = left_of(at.tile);
    auto const keys = window_of(problem_.keys, at.tile * items - left, items + left);
    at.keys_at = 16 + keys.shift + left * static_cast<int>(sizeof(key));
    unsigned bytes = keys.bytes;
    for_each_stream([&](auto k, auto const& stream) {
      auto const some = window_of(stream.lowest(at.tile * items, items), 0, items);
      at.items_at[decltype(k)::value] = 16 + some.shift;
      bytes += some.bytes;
    });
    at.loaded = in_bulk(at.tile);
    if (!at.loaded) return landed.arrive();
    landed.arrive_expecting(bytes);
    bulk_load(in.keys.room + 16, keys.from, keys.bytes, landed);
    for_each_stream([&](auto k, auto const& stream) {
      auto const some = window_of(stream.lowest(at.tile * items, items), 0, items);
      bulk_load(in.in.template of<decltype(k)::value>().room + 16, some.from, some.bytes, landed);
    });
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
      found = {warp_shfl(tail, last_chunk), std::int64_t{total}};
      last_of = {warp_shfl_up(tail, 1), std::int64_t{sum - mine}};
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

  /// The whole 16 bytes around some neighbours in memory, and where those begin in them.
  struct window {
    unsigned char const* from;
    unsigned bytes;
    int shift;
  };
  template <class Item>
  static __device__ window window_of(Item const* range, std::int64_t first, int count) {
    auto const begin = reinterpret_cast<std::uintptr_t>(range + first), from = begin / 16 * 16,
               end = (reinterpret_cast<std::uintptr_t>(range + first + count) + 15) / 16 * 16;
    return {reinterpret_cast<unsigned char const*>(from), static_cast<unsigned>(end - from),
            static_cast<int>(begin - from)};
  }
  /// Whether all of them are the range's own, of so many before and behind the tile's.
  template <class Item>
  static __device__ bool owns_window(Item const*, std::int64_t before, std::int64_t behind) {
    constexpr std::int64_t most = (15 + sizeof(Item) - 1) / sizeof(Item);
    return before >= most && behind >= most;
  }
  __device__ bool in_bulk(std::int64_t tile) const {
    auto const before = tile * items - left_of(tile), behind = problem_.grid.n - (tile + 1) * items;
    if (behind < 0) return false;
    bool own = owns_window(problem_.keys, before, behind);
    for_each_stream(
        [&](auto, auto const& stream) { own = own && owns_window(stream.first, tile * items, behind); });
    return own;
  }

  __device__ unsigned char* keys_of(stage const& at, buffer& in, int chunk) const {
    return in.keys.room + at.keys_at + chunk * chunk_items * static_cast<int>(sizeof(key));
  }
  /// Item 0 of a chunk in a stream's room.
  template <int K>
  __device__ auto* items_of(stage const& at, buffer& in, int chunk) const {
    using stream = decltype(source_.template stream<K>());
    using item = typename stream::value_type;
    auto* const lowest = reinterpret_cast<item*>(in.in.template of<K>().room + at.items_at[K]);
    if constexpr (stream::reversed) return lowest + (items - 1 - chunk * chunk_items);
    else return lowest + chunk * chunk_items;
  }
  __device__ V* folds_of(stage const& at, buffer& in, int chunk) const {
    if constexpr (folds_in_place) return items_of<0>(at, in, chunk);
    else return in.out.data() + chunk * chunk_items;
  }

  /// f(number of a stream, stream)
  template <int K = 0, class F>
  __device__ void for_each_stream(F f) const {
    if constexpr (K < streams) {
      f(stream_number<K>{}, source_.template stream<K>());
      for_each_stream<K + 1>(f);
    }
  }

  /// The item `place` of a chunk.
  __device__ auto item_of(stage const& at, buffer& in, int chunk, int place) const {
    auto const i = at.tile * items + chunk * chunk_items + place;
    if constexpr (streams == 0) {
      return source_.item(i, [](auto) {});
    } else {
      return source_.item(i, [&](auto k) {
        using stream = decltype(source_.template stream<decltype(k)::value>());
        return items_of<decltype(k)::value>(at, in, chunk)[stream::reversed ? -place : place];
      });
    }
  }

  /// Where no bulk load has: keys and what streams hold, one by one.
  __device__ void fill(stage const& at, buffer& in, int chunk, int count) const {
    auto const first = at.tile * items + chunk * chunk_items;
    auto* const keys = reinterpret_cast<key*>(keys_of(at, in, chunk));
    for (int i = lane_; i < count; i += 32) put_bytes(keys[i], problem_.keys[first + i]);
    for_each_stream([&](auto k, auto const& stream) {
      constexpr bool reversed = std::remove_cvref_t<decltype(stream)>::reversed;
      auto* const some = items_of<decltype(k)::value>(at, in, chunk);
      for (int i = lane_; i < count; i += 32)
        put_bytes(some[reversed ? -i : i], stream.first[reversed ? -(first + i) : first + i]);
    });
    __syncwarp();
  }

  template <bool Whole>
  __device__ void reduce_chunk(stage& at, buffer& in, int chunk, int count) const {
    auto const first = chunk * chunk_items;
    chunk_runs runs(problem_);
    int const heads =
        runs.template find<Whole>(at.tile * items + first, count, keys_of(at, in, chunk), at.loaded);
    if constexpr (folds) {
      if (Whole || count > 0) {
        V const tail = runs.template fold<Whole>(count, [&](int place, int mine, auto& values) {
          if constexpr (is_plain_memory<source>) {
            using item = typename source::value_type;
            load_staged_as<item>(reinterpret_cast<unsigned char const*>(items_of<0>(at, in, chunk) + place),
                                 values);
          } else {
#pragma unroll
            for (int v = 0; v < I; ++v)
              if (Whole || v < mine) put_bytes(values[v], static_cast<V>(item_of(at, in, chunk, place + v)));
          }
        });
        if (lane_ == 0) put_bytes(at.totals[chunk], tail);
      }
    } else {
      int const last = runs.last();
      if (lane_ == 0) at.last[chunk] = last < 0 ? -1 : first + last;
    }
    if (lane_ == 0) at.counts[chunk] = heads;
    if (heads == 0) return;
    auto* const places = in.places + first;
    __syncwarp();  // all items are in registers
    if constexpr (folds) {
      auto* const folded = folds_of(at, in, chunk);
      runs.close_first({});
      runs.for_each_head([&](int rank, int place, V const& closed) {
        places[rank] = static_cast<std::uint16_t>(place);
        put_bytes(folded[rank], closed);
      });
    } else {
      runs.for_each_head([&](int rank, int place) { places[rank] = static_cast<std::uint16_t>(place); });
    }
  }

  __device__ void write_chunk(stage const& at, buffer& in, int chunk, int count) const {
    auto const& before = at.before[chunk];
    auto const run = before.heads;
    auto const* const places = in.places + chunk * chunk_items;
    auto const* const keys = reinterpret_cast<key const*>(keys_of(at, in, chunk));
    for_each_written(problem_.keys_out, run, 0, count, lane_, 32,
                     [&](int i) { problem_.put_key(run + i, keys[places[i]]); });
    // The chunk's first head closes a run of the chunks before.
    if constexpr (folds) {
      auto const* const folded = folds_of(at, in, chunk);
      for_each_written(problem_.out, run - 1, 1, count, lane_, 32,
                       [&](int i) { problem_.put(run + i - 1, folded[i]); });
      if (lane_ == 0 && run > 0)
        problem_.put(run - 1,
                     places[0] > 0 ? static_cast<V>(problem_.op(before.value, folded[0])) : before.value);
    } else {
      for_each_written(problem_.out, run - 1, 1, count, lane_, 32,
                       [&](int i) { problem_.put_length(run + i - 1, int{places[i]} - int{places[i - 1]}); });
      if (lane_ == 0) problem_.close_run(before, at.tile * items + chunk * chunk_items + places[0]);
    }
  }

  Problem const& problem_;
  Claim claim_;
  Publish publish_;
  source source_;
  int lane_;
#endif
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
