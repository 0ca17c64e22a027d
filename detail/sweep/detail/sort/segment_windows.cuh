// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENT_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SEGMENT_WINDOWS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Sorts of segments: windows of equal length are sorted, each for the segments and parts of segments in it;
// passes merge the parts of long segments.

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

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
