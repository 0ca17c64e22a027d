// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_MERGE_SORT_CUH
#define SWEEP_DETAIL_SORT_MERGE_SORT_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// A sort by a comparison alone: blocks sort tiles, and passes merge four or eight runs at a time, from one
// buffer into another, of which one is the output where keys can be read there. A pass is cut into tiles by
// the runs' samples: a thread for each finds how many samples of the group's runs stand before its own, and
// every so many-th is where a tile begins. No two samples are alike, since equivalent ones stand in the order
// of their runs; so tiles are as even for equal keys as for different ones.

/// A value as it moves with its key: itself, as the output has it, where it is narrow; else the index of it.
template <class Problem>
struct riding_value {
  using out = typename Problem::value_out;
  static constexpr bool is_index =
      Problem::has_values && !(sizeof(out) <= 8 && relocatable<out> && std::is_default_constructible_v<out>);
  using type = std::conditional_t<is_index, std::int64_t, out>;
};

/// Item i is i.
struct index_itself {
  SWEEP_HD std::int64_t operator[](std::int64_t i) const { return i; }
};

/// Neighbouring tiles of the input become runs in order.
template <class Keys, class Values, class Key, class Value, class Order>
struct sort_tiles_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using tile_type = merge_sort_tile<Key, has_values, Order>;
  static constexpr int threads = shape::threads, blocks = shape::sort_blocks;
  Keys keys;
  Values values;
  Key* keys_to;  ///< null where nobody asks for keys
  Value* values_to;
  std::int64_t n;
  Order order;

  __device__ void operator()() const {
    __shared__ typename tile_type::shared smem;
    auto const mine = order;  // a copy: functors may have a state
    auto const base = std::int64_t{blockIdx.x} * shape::items;
    int const count = static_cast<int>(n - base < shape::items ? n - base : shape::items);
    tile_type tile(smem, mine);
    int const first = tile.fetch(0, keys, base, count);
    await_async_copies();
    __syncthreads();
    tile.sort(first, count);
    int const t0 = static_cast<int>(threadIdx.x);
    if (keys_to) {
#pragma unroll 4
      for (int t = t0; t < count; t += threads) put_bytes(keys_to[base + t], tile.result(t));
    }
    if constexpr (has_values) {
      // All are read before the first is written: they may be the same.
      Value some[shape::each];
#pragma unroll
      for (int e = 0; e < shape::each; ++e)
        if (int const t = t0 + e * threads; t < count)
          put_bytes(some[e], static_cast<Value>(values[base + (tile.place(t) - first) / shape::size]));
      __syncthreads();
#pragma unroll
      for (int e = 0; e < shape::each; ++e)
        if (int const t = t0 + e * threads; t < count) put_bytes(values_to[base + t], some[e]);
    }
  }
};

/// Runs that a pass merges: run k has those items of the group that are of `length` ones from
/// origin + k * length on. Which of two buffers they are in says the number of passes that are to come.
template <class Shape>
struct run_group {
  static constexpr int distance = Shape::distance;
  std::int64_t begin, end, origin, length;
  std::int64_t first_tile;
  int passes;

  SWEEP_HD bool exists() const { return end > 0; }
  SWEEP_HD std::int64_t begin_of(int k) const { return in_group(origin + k * length); }
  SWEEP_HD std::int64_t end_of(int k) const { return in_group(origin + (k + 1) * length); }
  /// Where sample s of run k is: the group's first item, and any at a multiple of the distance.
  SWEEP_HD std::int64_t sample(int k, std::int64_t s) const {
    auto const at = base_of(k) + s * distance;
    return at < begin ? begin : at;
  }
  SWEEP_HD std::int64_t base_of(int k) const {
    return k == 0 ? begin / distance * distance : origin + k * length;
  }
  SWEEP_HD std::int64_t tiles() const {
    auto const samples = (end + distance - 1) / distance - begin / distance;
    return (samples + Shape::tile_samples - 1) / Shape::tile_samples;
  }

 private:
  SWEEP_HD std::int64_t in_group(std::int64_t at) const { return at < begin ? begin : at < end ? at : end; }
};

/// Groups of n items in runs of equal length.
template <class Shape>
struct runs_of_all {
  static constexpr bool sparse = false;
  std::int64_t n, length, group_tiles, samples, tiles;
  int passes;

  runs_of_all(std::int64_t items, std::int64_t run_length, int to_come)
      : n{items}, length{run_length}, passes{to_come} {
    auto const group_items = Shape::ways * length, rest = n % group_items;
    group_tiles = run_group<Shape>{0, group_items, 0, length, 0, 0}.tiles();
    samples = (n + Shape::distance - 1) / Shape::distance;
    tiles = n / group_items * group_tiles + run_group<Shape>{0, rest, 0, length, 0, 0}.tiles();
  }
  __device__ run_group<Shape> group(std::int64_t number) const {
    auto const begin = number * Shape::ways * length, end = begin + Shape::ways * length;
    return {begin, end < n ? end : n, begin, length, number * group_tiles, passes};
  }
  /// Sample number i, or -1; its group; and that of a tile.
  __device__ std::int64_t sample(std::int64_t i) const { return i < samples ? i * Shape::distance : -1; }
  __device__ run_group<Shape> group_of_sample(std::int64_t, std::int64_t item) const {
    return group(item / (Shape::ways * length));
  }
  __device__ run_group<Shape> group_of_tile(std::int64_t tile) const { return group(tile / group_tiles); }
};

/// Two buffers: keys and values are in the second where an odd number of passes is to come.
template <class Key, class Value>
struct merge_buffers {
  Key* keys[2];  ///< the first may be null, where nobody asks for keys
  Value* values[2];
  // By a choice: what is given to a kernel has no addresses.
  SWEEP_HD Key* keys_at(int passes) const { return passes % 2 == 0 ? keys[0] : keys[1]; }
  SWEEP_HD Value* values_at(int passes) const { return passes % 2 == 0 ? values[0] : values[1]; }
};

/// Where the tiles of a pass begin in the runs of their groups.
template <class Key, class Value, class Order, class Shape, class Groups>
struct merge_samples_job {
  static constexpr int threads = 128, blocks = 6, ways = Shape::ways, distance = Shape::distance;
  merge_buffers<Key, Value> buffers;
  Groups groups;
  std::int64_t* cuts;
  Order order;

  __device__ void operator()() const {
    auto const number = std::int64_t{blockIdx.x} * threads + threadIdx.x, item = groups.sample(number);
    if (item < 0) return;
    auto const group = groups.group_of_sample(number, item);
    if (!group.exists()) return;
    auto const mine = order;
    Key const* const keys = buffers.keys_at(group.passes);
    int const own = static_cast<int>((item - group.origin) / group.length);
    Key const& x = keys[item];
    // Of each other run how many stand before x: first samples, then items.
    std::int64_t before[ways] = {};
    std::int64_t step = 1;
    while (2 * step <= group.length / distance) step *= 2;
    count_before(mine, x, own, keys, group, step, before,
                 [&](int k, std::int64_t s) { return group.sample(k, s); });
    auto rank = (item - group.base_of(own)) / distance;
#pragma unroll
    for (int k = 0; k < ways; ++k) rank += k == own ? 0 : before[k];
    if (rank % Shape::tile_samples != 0) return;
#pragma unroll
    for (int k = 0; k < ways; ++k)
      before[k] = before[k] > 0 ? group.sample(k, before[k] - 1) + 1 - group.begin_of(k) : 0;
    step = 1;
    while (2 * step <= distance) step *= 2;
    count_before(mine, x, own, keys, group, step, before,
                 [&](int k, std::int64_t i) { return group.begin_of(k) + i; });
    auto* const cut = cuts + (group.first_tile + rank / Shape::tile_samples) * ways;
#pragma unroll
    for (int k = 0; k < ways; ++k) cut[k] = k == own ? item - group.begin_of(k) : before[k];
  }

 private:
  /// How many of each run's places, from place_of(run, 0) on, have keys that stand before x: as many as are
  /// given already, and fewer than 2 * step more; of equivalent ones those of runs before x's. All runs are
  /// searched side by side.
  template <class PlaceOf>
  static __device__ void count_before(Order const& order, Key const& x, int own, Key const* keys,
                                      run_group<Shape> const& group, std::int64_t step,
                                      std::int64_t (&before)[ways], PlaceOf place_of) {
    for (; step > 0; step /= 2)
#pragma unroll
      for (int k = 0; k < ways; ++k) {
        auto const at = place_of(k, before[k] + step - 1);
        if (k == own || at >= group.end_of(k)) continue;
        Key const& y = keys[at];
        if (k < own ? !order(x, y) : order(y, x)) before[k] += step;
      }
  }
};

/// A tile of a pass.
template <class Key, class Value, class Order, class Groups>
struct merge_runs_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using tile_type = merge_sort_tile<Key, has_values, Order>;
  static constexpr int threads = shape::threads, blocks = shape::merge_blocks, ways = shape::ways;
  merge_buffers<Key, Value> buffers;
  Groups groups;
  std::int64_t const* cuts;
  Order order;

  struct tile_runs {
    std::int64_t begin[ways], to;
    int first[ways], count[ways];
  };

  /// Where most tiles may be of no group, each thread looks at one of those that are the block's, and the
  /// block makes what they have found. They are spread over the blocks, as tiles that are some lie together.
  __device__ void operator()() const {
    __shared__ typename tile_type::shared smem;
    __shared__ tile_runs runs;
    if constexpr (!Groups::sparse) {
      make(blockIdx.x, groups.group_of_tile(blockIdx.x), smem, runs);
    } else {
      __shared__ int found[threads];
      __shared__ int count;
      if (threadIdx.x == 0) count = 0;
      __syncthreads();
      auto const tile = blockIdx.x + std::int64_t{threadIdx.x} * gridDim.x;
      if (static_cast<int>(threadIdx.x) < groups.tiles_of_block && groups.group_of_tile(tile).exists())
        found[atomicAdd(&count, 1)] = static_cast<int>(threadIdx.x);
      __syncthreads();
      for (int k = 0; k < count; ++k) {
        auto const own = blockIdx.x + std::int64_t{found[k]} * gridDim.x;
        make(own, groups.group_of_tile(own), smem, runs);
        __syncthreads();
      }
    }
  }

 private:
  __device__ void make(std::int64_t number, run_group<shape> const& group, typename tile_type::shared& smem,
                       tile_runs& runs) const {
    auto const mine = order;
    if (threadIdx.x < 32) find_runs(number, group, runs);
    __syncthreads();
    Key const* const keys = buffers.keys_at(group.passes);
    tile_type tile(smem, mine);
    int behind = 0, all = 0;
#pragma unroll 1
    for (int k = 0; k < ways; ++k) {
      int const count = runs.count[k], first = tile.fetch(behind, keys, runs.begin[k], count);
      behind = first / 16 * 16 - 16 + tile.bytes_of(count);
      all += count;
      if (threadIdx.x == 0) {
        runs.first[k] = smem.first[k] = first;
        smem.count[k] = count;
      }
    }
    await_async_copies();
    __syncthreads();
    tile.merge();
    auto const to = runs.to;
    int const t0 = static_cast<int>(threadIdx.x);
    if (auto* const keys_to = buffers.keys_at(group.passes + 1)) {
#pragma unroll 4
      for (int t = t0; t < all; t += threads) put_bytes(keys_to[to + t], tile.result(t));
    }
    if constexpr (has_values) {
      Value const* const values = buffers.values_at(group.passes);
      Value* const values_to = buffers.values_at(group.passes + 1);
#pragma unroll 4
      for (int t = t0; t < all; t += threads) {
        int const place = tile.place(t);
        int run = 0;
#pragma unroll
        for (int k = 1; k < ways; ++k) run += place >= runs.first[k] ? 1 : 0;
        put_bytes(values_to[to + t], values[runs.begin[run] + (place - runs.first[run]) / shape::size]);
      }
    }
  }

  /// The items of a tile in each run of its group, by a lane each. In an order that is none cuts may be
  /// anywhere.
  __device__ void find_runs(std::int64_t tile, run_group<shape> const& group, tile_runs& runs) const {
    int const k = static_cast<int>(threadIdx.x);
    bool const last = tile + 1 == group.first_tile + group.tiles();
    std::int64_t cut = 0, count = 0;
    if (k < ways) {
      auto const length = group.end_of(k) - group.begin_of(k);
      cut = clamped(cuts[tile * ways + k], 0, length);
      count = (last ? length : clamped(cuts[(tile + 1) * ways + k], cut, length)) - cut;
    }
    // So many before this run's, as far as there is room.
    auto behind = clamped(count, 0, shape::most_items);
    auto sum = cut;
#pragma unroll
    for (int by = 1; by < ways; by *= 2) {
      auto const left = warp_shfl_up(behind, by);
      sum += warp_shfl_xor(sum, by);
      if (k >= by) behind += left;
    }
    auto const before = warp_shfl_up(behind, 1);
    if (k < ways) {
      runs.begin[k] = group.begin_of(k) + cut;
      runs.count[k] = static_cast<int>(clamped(behind, 0, shape::most_items) -
                                       (k > 0 ? clamped(before, 0, shape::most_items) : 0));
    }
    if (k == 0) runs.to = group.begin + sum;
  }
  static __device__ std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) {
    return x < low ? low : x > high ? high : x;
  }
};

/// A pass: where its tiles begin, and they.
template <class Shape, class Groups, class Key, class Value, class Order>
void launch_merge_pass(char const* call, cudaStream_t stream, Groups const& groups, std::int64_t samples,
                       std::int64_t tiles, merge_buffers<Key, Value> const& buffers, std::int64_t* cuts,
                       Order const& order) {
  using samples_job = merge_samples_job<Key, Value, Order, Shape, Groups>;
  using runs_job = merge_runs_job<Key, Value, Order, Groups>;
  launch_job(call, stream, (samples + samples_job::threads - 1) / samples_job::threads, samples_job::threads,
             samples_job{buffers, groups, cuts, order});
  launch_job(call, stream, tiles, runs_job::threads, runs_job{buffers, groups, cuts, order});
}

/// What is done with the results where they cannot be made in place: values that are known by their indices,
/// and outputs that are no memory of the keys' or values' own type.
template <class Problem, class Key, class Value>
struct write_sorted_job {
  static constexpr int threads = 256, blocks = 1;
  static constexpr bool by_index = riding_value<Problem>::is_index;
  using raw = typename Problem::value;
  Problem problem;
  Key const* keys;  ///< or null
  Value const* values;
  raw* kept;  ///< where values stay while others take their places, or null
  bool keeps;

  __device__ void operator()() const {
    auto const i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= problem.n) return;
    if constexpr (by_index) {
      if (keeps) return put_bytes(kept[i], static_cast<raw>(problem.values_in[values[i]]));
      if (kept) problem.put_value(i, kept[i]);
      else problem.put_value(i, static_cast<raw>(problem.values_in[values[i]]));
    } else if constexpr (Problem::has_values) {
      if (values) problem.values_out[i] = values[i];
    }
    if (keys) problem.put_key(i, keys[i]);
  }
};

/// A segment that is longer than a window: where it begins and ends.
struct long_segment {
  std::int64_t begin, end;
};

/// What is known of the heads in each window of so many items. The first item is a head.
struct window_heads {
  std::int64_t n, windows;
  int items;
  std::int64_t *first, *last;  ///< head in a window, or -1
  std::int64_t *before,
      *next;  ///< the last head in front of a window; the first one in it or behind it, or n

  SWEEP_HD std::int64_t begin(std::int64_t w) const { return w * items; }
  /// The segment that a window's first item belongs to, if it began earlier; and that of its last item, if
  /// that begins here. Empty where it is not long.
  __device__ long_segment over(std::int64_t w) const {
    if (first[w] == begin(w)) return {};
    return if_long(before[w], next[w]);
  }
  __device__ long_segment from(std::int64_t w) const {
    if (last[w] < 0) return {};
    return if_long(last[w], w + 1 < windows ? next[w + 1] : n);
  }

 private:
  __device__ long_segment if_long(std::int64_t a, std::int64_t b) const {
    return b - a > items ? long_segment{a, b} : long_segment{};
  }
};

/// The groups of long segments, each from the window on that it begins in: pass number `pass` merges runs of
/// windows. A segment takes part in as many passes as it has windows for.
template <class Shape>
struct runs_of_segments {
  static constexpr bool sparse = true;
  static constexpr int ways = Shape::ways, window = Shape::window;
  /// Tiles that may begin for each window, of either segment.
  static constexpr int window_tiles = (window / Shape::distance + Shape::tile_samples) / Shape::tile_samples;
  window_heads heads;
  int tiles_of_block;  ///< that a block looks at
  int pass;
  std::int64_t length;  ///< of runs

  /// Multiples of the distance, and where segments begin.
  SWEEP_HD std::int64_t multiples() const { return (heads.n + Shape::distance - 1) / Shape::distance; }
  __device__ std::int64_t sample(std::int64_t i) const {
    if (i < multiples()) return i * Shape::distance;
    auto const w = i - multiples();
    auto const item = w < heads.windows ? heads.last[w] : -1;
    return item % Shape::distance == 0 ? -1 : item;
  }
  __device__ run_group<Shape> group_of_sample(std::int64_t i, std::int64_t item) const {
    auto const w = item / window;
    if (i < multiples() && (heads.first[w] < 0 || item < heads.first[w])) return group(heads.over(w), item);
    return item >= heads.last[w] ? group(heads.from(w), item) : run_group<Shape>{};
  }
  __device__ run_group<Shape> group_of_tile(std::int64_t tile) const {
    auto const w = tile / (2 * window_tiles);
    if (w >= heads.windows) return {};
    auto const has = [&](run_group<Shape> const& one) {
      return one.exists() && tile >= one.first_tile && tile - one.first_tile < one.tiles();
    };
    auto const over = group(heads.over(w), w * window);
    if (has(over)) return over;
    auto const from = group(heads.from(w), heads.last[w]);
    return has(from) ? from : run_group<Shape>{};
  }
  /// Passes of a segment from this one on.
  static __device__ int passes_of(long_segment const& segment, int before) {
    auto const windows = (segment.end - 1) / window - segment.begin / window + 1;
    int passes = 0;
    for (std::int64_t runs = 1; runs < windows; runs *= ways) ++passes;
    return passes - before;
  }

 private:
  __device__ run_group<Shape> group(long_segment const& segment, std::int64_t item) const {
    int const passes = segment.end == 0 ? 0 : passes_of(segment, pass);
    if (passes <= 0) return {};
    auto const items = length * ways, start = segment.begin / window * window,
               origin = start + (item - start) / items * items;
    return {origin < segment.begin ? segment.begin : origin,
            origin + items < segment.end ? origin + items : segment.end,
            origin,
            length,
            origin / window * 2 * window_tiles + (origin == start ? window_tiles : 0),
            passes};
  }
};

/// The first and the last head of each window, a warp for each.
template <class Heads>
struct find_window_heads_job {
  static constexpr int threads = 256, blocks = 1;
  Heads source;
  window_heads to;

  __device__ void operator()() const {
    auto const w = std::int64_t{blockIdx.x} * (threads / 32) + threadIdx.x / 32;
    if (w >= to.windows) return;
    int const lane = static_cast<int>(threadIdx.x % 32);
    auto const begin = to.begin(w), end = begin + to.items < to.n ? begin + to.items : to.n;
    int first = to.items, last = -1;
    for (auto at = begin + lane * 32; at < end; at += 32 * 32) {
      int const count = static_cast<int>(end - at < 32 ? end - at : 32);
      unsigned bits = source.bits(at, count, to.n) & ~0u >> (32 - count);
      if (at == 0) bits |= 1;
      if (bits == 0) continue;
      int const place = static_cast<int>(at - begin);
      first = min(first, place + __ffs(static_cast<int>(bits)) - 1);
      last = place + 31 - __clz(static_cast<int>(bits));
    }
    first = __reduce_min_sync(~0u, first);
    last = __reduce_max_sync(~0u, last);
    if (lane == 0) {
      to.first[w] = last < 0 ? -1 : begin + first;
      to.last[w] = last < 0 ? -1 : begin + last;
    }
  }
};

/// The heads in front of windows, and from them on: one block, whose threads have neighbouring windows.
struct link_windows_job {
  static constexpr int threads = 1024, blocks = 1;
  window_heads heads;

  __device__ void operator()() const {
    __shared__ std::int64_t lasts[threads], firsts[threads];
    int const t = static_cast<int>(threadIdx.x);
    auto const share = (heads.windows + threads - 1) / threads;
    auto const begin = t * share < heads.windows ? t * share : heads.windows,
               end = begin + share < heads.windows ? begin + share : heads.windows;
    std::int64_t last = -1, first = heads.n;
#pragma unroll 8
    for (auto w = begin; w < end; ++w) {
      auto const l = heads.last[w], f = heads.first[w];
      last = l >= 0 ? l : last;
      first = f >= 0 && f < first ? f : first;
    }
    lasts[t] = last;
    firsts[t] = first;
    for (int by = 1; by < threads; by *= 2) {
      __syncthreads();
      auto const l = t >= by ? lasts[t - by] : std::int64_t{-1},
                 f = t + by < threads ? firsts[t + by] : heads.n;
      __syncthreads();
      if (l > lasts[t]) lasts[t] = l;
      if (f < firsts[t]) firsts[t] = f;
    }
    __syncthreads();
    last = t > 0 ? lasts[t - 1] : -1;
    first = t + 1 < threads ? firsts[t + 1] : heads.n;
    for (auto w = begin; w < end; ++w) {
      heads.before[w] = last;
      if (auto const l = heads.last[w]; l >= 0) last = l;
    }
    for (auto w = end; w-- > begin;) {
      if (auto const f = heads.first[w]; f >= 0) first = f;
      heads.next[w] = first;
    }
  }
};

/// The segments that begin in a window, and the parts of long ones that lie in it.
template <class Keys, class Values, class Heads, class Key, class Value, class Order>
struct sort_windows_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using tile_type = merge_sort_tile<Key, has_values, Order>;
  static constexpr int threads = shape::threads, blocks = shape::sort_blocks;
  Keys keys;
  Values values;
  Heads source;
  window_heads heads;
  merge_buffers<Key, Value> buffers;
  Order order;

  __device__ void operator()() const {
    __shared__ typename tile_type::shared smem;
    __shared__ sorted_heads<shape::items> tile_bits;
    auto const mine = order;
    using groups = runs_of_segments<shape>;
    auto const w = std::int64_t{blockIdx.x};
    auto const over = heads.over(w), from = heads.from(w);
    auto const window_end = heads.begin(w + 1) < heads.n ? heads.begin(w + 1) : heads.n;
    bool const none = heads.first[w] < 0;
    if (none && over.end == 0) return;  // all of a segment that began in the window before
    auto const begin = over.end != 0 ? heads.begin(w) : heads.first[w],
               end =
                   none || from.end != 0 ? window_end : (w + 1 < heads.windows ? heads.next[w + 1] : heads.n);
    int const count = static_cast<int>(end - begin), t0 = static_cast<int>(threadIdx.x);
    tile_type tile(smem, mine);
    int const first = tile.fetch(0, keys, begin, count);
    for (int j = t0; j <= tile_bits.words; j += threads) {
      int const left = count - j * 32;
      unsigned bits = left > 0 ? source.bits(begin + j * 32, 32, heads.n) : 0;
      if (left < 32) bits &= left > 0 ? ~0u >> (32 - left) : 0;
      tile_bits.word[j] = j == 0 ? bits | 1 : bits;
    }
    await_async_copies();
    __syncthreads();
    tile_bits.link();
    tile.sort_segments(first, count, tile_bits);
    // Parts of long segments go where these are to be merged from.
    auto const over_end = over.end == 0 ? begin
                          : none        ? end
                                        : heads.first[w],
               from_begin = from.end == 0 ? end : from.begin;
    int const to_over = over.end == 0 ? 0 : groups::passes_of(over, 0) % 2,
              to_from = from.end == 0 ? 0 : groups::passes_of(from, 0) % 2;
    auto const buffer_of = [&](std::int64_t i) {
      return i < over_end ? to_over : i >= from_begin ? to_from : 0;
    };
#pragma unroll 4
    for (int t = t0; t < count; t += threads)
      put_bytes(buffers.keys_at(buffer_of(begin + t))[begin + t], tile.result(t));
    if constexpr (has_values) {
      Value some[shape::each];  // all are read before the first is written
#pragma unroll
      for (int e = 0; e < shape::each; ++e)
        if (int const t = t0 + e * threads; t < count)
          put_bytes(some[e], static_cast<Value>(values[begin + (tile.place(t) - first) / shape::size]));
      __syncthreads();
#pragma unroll
      for (int e = 0; e < shape::each; ++e)
        if (int const t = t0 + e * threads; t < count)
          put_bytes(buffers.values_at(buffer_of(begin + t))[begin + t], some[e]);
    }
  }
};

/// In place of where segments begin.
struct no_segments {};

/// Sorts a range; or each of its segments, whose first items' bits are set.
template <class Source, class... Tags, class Problem, class Heads = no_segments>
void run_merge_sort(device_policy<Source, Tags...> const& policy, Problem const& problem,
                    Heads const& heads = {}) {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  static_assert(relocatable<key> && std::is_default_constructible_v<key>,
                "sweep: on the device keys must be trivially copyable and default constructible");
  constexpr bool segmented = !std::is_same_v<Heads, no_segments>;
  using riding = riding_value<Problem>;
  using value = typename riding::type;
  using shape = merge_sort_shape<key, Problem::has_values>;
  using segments = runs_of_segments<shape>;
  constexpr bool keys_stay = std::is_same_v<decltype(problem.keys_out), key*>,
                 values_stay = !Problem::has_values || std::is_same_v<decltype(problem.values_out), value*>;
  auto const n = problem.n;
  if (n == 0) return;
  auto const* const call = problem.call;
  auto const stream = policy.stream();
  std::int64_t const first_length = segmented ? shape::window : shape::items,
                     tiles = (n + first_length - 1) / first_length;
  int passes = 0;
  for (auto runs = std::int64_t{1}; runs < tiles; runs *= shape::ways) ++passes;
  if (segmented && passes > 0 && tiles < 3) passes = 1;

  // Scratch: buffers, where the tiles of the first pass begin, which has most of them, and windows.
  constexpr bool own_keys = !keys_stay && Problem::keeps_keys;
  auto const rounded = [](std::int64_t bytes) { return (static_cast<std::size_t>(bytes) + 255) / 256 * 256; };
  bool const last_is_own = !keys_stay && (Problem::keeps_keys || passes > 1);
  int const others = passes > 0 ? 1 : 0, key_buffers = (last_is_own ? 1 : 0) + others,
            value_buffers = Problem::has_values ? (values_stay ? 0 : 1) + others : 0;
  bool keeps = false;
  if constexpr (riding::is_index) keeps = problem.values_in_place();
  std::int64_t cuts_count = 0;
  if (passes > 0)
    cuts_count = shape::ways * (segmented ? tiles * 2 * segments::window_tiles
                                          : runs_of_all<shape>(n, first_length, passes).tiles);
  constexpr auto word = static_cast<std::int64_t>(sizeof(std::int64_t));
  auto const key_bytes = rounded(n * static_cast<std::int64_t>(sizeof(key))),
             value_bytes = rounded(n * static_cast<std::int64_t>(sizeof(value))),
             kept_bytes = keeps ? rounded(n * static_cast<std::int64_t>(sizeof(typename Problem::value))) : 0,
             cuts_bytes = rounded(cuts_count * word),
             windows_bytes = rounded(segmented ? 4 * tiles * word : 0);
  scratch<Source> const memory(policy.scratch_source(), call, stream,
                               static_cast<std::size_t>(key_buffers) * key_bytes +
                                   static_cast<std::size_t>(value_buffers) * value_bytes + kept_bytes +
                                   cuts_bytes + windows_bytes);
  auto* next = static_cast<std::byte*>(memory.memory());
  auto const take = [&](std::size_t bytes) { return std::exchange(next, next + bytes); };
  merge_buffers<key, value> buffers{};
  if constexpr (keys_stay) buffers.keys[0] = problem.keys_out;
  else if (last_is_own) buffers.keys[0] = reinterpret_cast<key*>(take(key_bytes));
  if (passes > 0) buffers.keys[1] = reinterpret_cast<key*>(take(key_bytes));
  if constexpr (Problem::has_values) {
    if constexpr (values_stay) buffers.values[0] = problem.values_out;
    else buffers.values[0] = reinterpret_cast<value*>(take(value_bytes));
    if (passes > 0) buffers.values[1] = reinterpret_cast<value*>(take(value_bytes));
  }
  typename Problem::value* kept = nullptr;
  if (keeps) kept = reinterpret_cast<typename Problem::value*>(take(kept_bytes));
  auto* const cuts = reinterpret_cast<std::int64_t*>(take(cuts_bytes));
  [[maybe_unused]] auto* const windows = reinterpret_cast<std::int64_t*>(take(windows_bytes));

  auto const with_values = [&](auto f) {
    if constexpr (riding::is_index) f(index_itself{});
    else f(problem.values_in);
  };
  if constexpr (segmented) {
    window_heads const found{
        n, tiles, shape::window, windows, windows + tiles, windows + 2 * tiles, windows + 3 * tiles};
    using find_job = find_window_heads_job<Heads>;
    launch_job(call, stream, (tiles + find_job::threads / 32 - 1) / (find_job::threads / 32),
               find_job::threads, find_job{heads, found});
    launch_job(call, stream, 1, link_windows_job::threads, link_windows_job{found});
    with_values([&](auto values) {
      using job = sort_windows_job<decltype(problem.keys_in), decltype(values), Heads, key, value, order>;
      launch_job(call, stream, tiles, job::threads,
                 job{problem.keys_in, values, heads, found, buffers, problem.order});
    });
    auto length = first_length;
    auto const all = tiles * 2 * segments::window_tiles, blocks = std::int64_t{multiprocessors(call)} * 8;
    auto const each = all <= blocks ? 1 : all / blocks < shape::threads ? all / blocks : shape::threads;
    for (int pass = 0; pass < passes; ++pass, length *= shape::ways)
      launch_merge_pass<shape>(call, stream, segments{found, static_cast<int>(each), pass, length},
                               (n + shape::distance - 1) / shape::distance + tiles, (all + each - 1) / each,
                               buffers, cuts, problem.order);
  } else {
    // What nobody asks for is not written by the last pass.
    auto const of_pass = [&](int to_come) {
      auto some = buffers;
      if (!Problem::keeps_keys && to_come <= 1) some.keys[0] = nullptr;
      return some;
    };
    with_values([&](auto values) {
      using job = sort_tiles_job<decltype(problem.keys_in), decltype(values), key, value, order>;
      auto const to = of_pass(passes + 1);
      launch_job(call, stream, tiles, job::threads,
                 job{problem.keys_in, values,
                     Problem::keeps_keys || passes > 0 ? to.keys[passes % 2] : nullptr, to.values[passes % 2],
                     n, problem.order});
    });
    auto length = first_length;
    for (int to_come = passes; to_come > 0; --to_come, length *= shape::ways) {
      runs_of_all<shape> const groups(n, length, to_come);
      launch_merge_pass<shape>(call, stream, groups, groups.samples, groups.tiles, of_pass(to_come), cuts,
                               problem.order);
    }
  }
  if constexpr (own_keys || !values_stay) {
    using job = write_sorted_job<Problem, key, value>;
    for (bool const keep : {true, false})
      if (keep == false || keeps)
        launch_job(call, stream, (n + job::threads - 1) / job::threads, job::threads,
                   job{problem, own_keys ? buffers.keys[0] : nullptr,
                       values_stay ? nullptr : buffers.values[0], kept, keep});
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
