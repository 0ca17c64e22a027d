// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENT_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SEGMENT_WINDOWS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sort/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix_pass.cuh>
#include <sweep/detail/sort/tile/block_radix_sort.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Sorts of segments: windows of equal length are sorted, each for the segments and parts of segments in it;
// passes merge the parts of long segments.

/// Segments of at most so many items are short: each item counts those of its segment that stand before it.
inline constexpr int most_of_short_segment = 40;
static_assert(most_of_short_segment >= 32, "between two heads of a word are fewer");

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
      *next;             ///< the last head in front of a window; the first one in it or behind it, or n
  std::int64_t* widest;  ///< the windows that the longest of long segments lies in, or 0
  int* most;             ///< items of the longest segment that begins and ends in a window

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
  /// Windows that the items [a, b) lie in.
  __device__ std::int64_t windows_of(std::int64_t a, std::int64_t b) const {
    return (b - 1) / items - a / items + 1;
  }
  __device__ long_segment if_long(std::int64_t a, std::int64_t b) const {
    return b - a > items ? long_segment{a, b} : long_segment{};
  }
};

/// The groups of long segments, each from the window on that it begins in: pass number `pass` merges runs of
/// windows. A segment takes part in as many passes as it has windows for.
template <class Shape, int Window>
struct runs_of_segments {
  static constexpr bool sparse = true;
  static constexpr int ways = Shape::ways, window = Window, tile_items = Shape::merged_items(false);
  /// Tiles that may begin for each window, of either segment.
  static constexpr int window_tiles = (window + tile_items - 1) / tile_items;
  window_heads heads;
  int tiles_of_block;  ///< that a block looks at
  int pass;
  std::int64_t length;  ///< of runs

  __device__ run_group group_of_tile(std::int64_t tile) const {
    auto const w = tile / (2 * window_tiles);
    if (w >= heads.windows || nobody_takes_part()) return {};
    auto const has = [&](run_group const& one) { return one.exists() && one.has_tile(tile); };
    auto const over = group(heads.over(w), w * window);
    if (has(over)) return over;
    auto const from = group(heads.from(w), heads.last[w]);
    return has(from) ? from : run_group{};
  }
  /// Whether no segment is so long as to have this pass.
  __device__ bool nobody_takes_part() const { return passes_of(*heads.widest) <= pass; }
  /// Passes of a segment from this one on.
  static __device__ int passes_of(long_segment const& segment, int before) {
    return passes_of((segment.end - 1) / window - segment.begin / window + 1) - before;
  }

 private:
  static __device__ int passes_of(std::int64_t windows) {
    int passes = 0;
    for (std::int64_t runs = 1; runs < windows; runs *= ways) ++passes;
    return passes;
  }
  __device__ run_group group(long_segment const& segment, std::int64_t item) const {
    int const passes = segment.end == 0 ? 0 : passes_of(segment, pass);
    if (passes <= 0) return {};
    auto const items = length * ways, start = segment.begin / window * window,
               origin = start + (item - start) / items * items;
    return {origin < segment.begin ? segment.begin : origin,
            origin + items < segment.end ? origin + items : segment.end,
            origin,
            length,
            origin / window * 2 * window_tiles + (origin == start ? window_tiles : 0),
            passes,
            tile_items};
  }
};

struct window_items;
/// All windows: from the front those whose segments all are short, from the back others. Null where one block
/// sorts all items.
struct listed_windows {
  enum kind { short_ones, others, kinds };
  window_items* items;
  unsigned* counts;  ///< of each kind
  std::int64_t windows;

  __device__ std::int64_t place(kind of, unsigned k) const { return of == short_ones ? k : windows - 1 - k; }
};

/// The first and the last head of each window and the longest segment between, a warp for each.
template <class Heads>
struct find_window_heads_job {
  static constexpr int threads = 256, blocks = 1, R = 4;
  Heads source;
  window_heads to;
  listed_windows list;

  __device__ void operator()() const {
    let_next_kernel_start();
    auto const w = std::int64_t{blockIdx.x} * (threads / 32) + threadIdx.x / 32;
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (w == 0) *to.widest = 0;
    if (w == 0 && lane < listed_windows::kinds) list.counts[lane] = 0;
    if (w >= to.windows) return;
    auto const begin = to.begin(w), end = begin + to.items < to.n ? begin + to.items : to.n;
    int first = to.items, last = -1, most = 0;
    for (auto from = begin; from < end; from += R * 32 * 32) {
      unsigned bits[R];
#pragma unroll
      for (int r = 0; r < R; ++r) {
        auto const at = from + (r * 32 + lane) * 32;
        int const count = static_cast<int>(end - at < 32 ? end - at : 32);
        bits[r] = at < end ? source.bits(at, count, to.n) & ~0u >> (32 - count) : 0;
        if (at == 0) bits[r] |= 1;
      }
#pragma unroll
      for (int r = 0; r < R; ++r) {
        int const place = static_cast<int>(from - begin) + (r * 32 + lane) * 32,
                  lowest = place + __ffs(static_cast<int>(bits[r])) - 1,
                  highest = place + 31 - __clz(static_cast<int>(bits[r]));
        unsigned const have = __ballot_sync(~0u, bits[r] != 0), before = have & ((1u << lane) - 1);
        int const left = __shfl_sync(~0u, highest, 31 - __clz(static_cast<int>(before | 1))),
                  previous = before != 0 ? left : last;
        if (bits[r] != 0) {
          first = min(first, lowest);
          if (previous >= 0) most = max(most, lowest - previous);
        }
        int const last_of_row = __shfl_sync(~0u, highest, 31 - __clz(static_cast<int>(have | 1)));
        if (have != 0) last = last_of_row;
      }
    }
    first = __reduce_min_sync(~0u, first);
    most = __reduce_max_sync(~0u, most);
    if (lane == 0) {
      to.first[w] = last < 0 ? -1 : begin + first;
      to.last[w] = last < 0 ? -1 : begin + last;
      to.most[w] = most;
    }
  }
};

/// What a block sorts for a window: the segments that begin in it, and the parts of long ones that lie in it.
/// These go where they are to be merged from.
struct window_items {
  std::int64_t begin = 0;
  int count = 0, over_count = 0, from_first = 0, to_over = 0, to_from = 0;

  /// Of all items, where one block sorts them.
  static __device__ window_items all(std::int64_t n) {
    window_items own;
    own.count = own.from_first = static_cast<int>(n);
    return own;
  }
  /// Of window w, where the head before it is known, the first one in it or behind, and the first one behind.
  template <class Groups>
  static __device__ window_items of(window_heads const& heads, std::int64_t w, std::int64_t before,
                                    std::int64_t next, std::int64_t behind) {
    window_items own;
    auto const start = heads.begin(w), stop = heads.begin(w + 1) < heads.n ? heads.begin(w + 1) : heads.n;
    bool const none = next >= stop;
    auto const over = next > start ? heads.if_long(before, next) : long_segment{},
               from = none ? long_segment{} : heads.if_long(heads.last[w], behind);
    if (none && over.end == 0) return own;  // all of a segment that began in the window before
    own.begin = over.end != 0 ? start : next;
    own.count = static_cast<int>((none || from.end != 0 ? stop : behind) - own.begin);
    own.over_count = over.end == 0 ? 0 : none ? own.count : static_cast<int>(next - own.begin);
    own.from_first = from.end == 0 ? own.count : static_cast<int>(from.begin - own.begin);
    own.to_over = over.end == 0 ? 0 : Groups::passes_of(over, 0) % 2;
    own.to_from = from.end == 0 ? 0 : Groups::passes_of(from, 0) % 2;
    return own;
  }
  /// Whether no segment is long or has more than so many items, where the longest but the last has `most`
  /// and the last of all begins at `last` and ends at `behind`.
  __device__ bool all_short(int most, std::int64_t last, std::int64_t behind) const {
    return over_count == 0 && most <= most_of_short_segment && behind - last <= most_of_short_segment;
  }
  /// Of the item at begin + t.
  __device__ int buffer_of(int t) const { return t < over_count ? to_over : t >= from_first ? to_from : 0; }
  /// Bits 32 * j and behind it, of which the first of all is set.
  template <class Heads>
  __device__ unsigned head_bits(Heads const& source, int j, std::int64_t n) const {
    int const left = count - j * 32;
    unsigned bits = left > 0 ? source.bits(begin + j * 32, 32, n) : 0;
    if (left < 32) bits &= left > 0 ? ~0u >> (32 - left) : 0;
    return j == 0 ? bits | 1 : bits;
  }
};

/// The heads in front of windows, and from them on: a thread has a window. What is known of none of a block's
/// windows is looked for in those of others, as many at a time as there are threads.
template <class Groups>
struct link_windows_job {
  static constexpr int threads = 1024, blocks = 1;
  window_heads heads;
  listed_windows list;
  bool lists_short;

  __device__ void operator()() const {
    let_next_kernel_start();
    __shared__ std::int64_t lasts[threads], firsts[threads];
    __shared__ unsigned have[threads / 32];  ///< which of a warp's windows have heads
    int const t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    auto const begin = std::int64_t{blockIdx.x} * threads, w = begin + t;
    bool const exists = w < heads.windows;
    auto const own_last = exists ? heads.last[w] : std::int64_t{-1};
    lasts[t] = own_last;
    firsts[t] = exists ? heads.first[w] : std::int64_t{-1};
    unsigned const mine = __ballot_sync(~0u, own_last >= 0);
    if (lane == 0) have[warp] = mine;
    std::int64_t before = -1, behind = heads.n;
    for (auto from = begin; from > 0 && before < 0; from -= threads)
      before = any_of_block(from > t ? heads.last[from - 1 - t] : -1);
    for (auto from = begin + threads; from < heads.windows && behind == heads.n; from += threads)
      if (auto const found = any_of_block(from + t < heads.windows ? heads.first[from + t] : -1); found >= 0)
        behind = found;
    __syncthreads();
    // The nearest windows that have heads: of the warp's own, or of other warps.
    unsigned const warps = __ballot_sync(~0u, have[lane] != 0), lower = (1u << lane) - 1,
                   warps_before = warps & ((1u << warp) - 1), warps_behind = warps & ~1u << warp;
    auto const last_of = [&](int at, unsigned some) {
      return lasts[at * 32 + 31 - __clz(static_cast<int>(some))];
    };
    auto const first_of = [&](int at, unsigned some) {
      return firsts[at * 32 + __ffs(static_cast<int>(some)) - 1];
    };
    auto own_before = before, of_others = behind;
    if (warps_before != 0) {
      int const at = 31 - __clz(static_cast<int>(warps_before));
      own_before = last_of(at, have[at]);
    }
    if (warps_behind != 0) {
      int const at = __ffs(static_cast<int>(warps_behind)) - 1;
      of_others = first_of(at, have[at]);
    }
    if ((mine & lower) != 0) own_before = last_of(warp, mine & lower);
    auto const next = (mine & ~lower) != 0 ? first_of(warp, mine & ~lower) : of_others,
               end = (mine & ~1u << lane) != 0 ? first_of(warp, mine & ~1u << lane) : of_others;
    window_items own{};
    bool all_short = false;
    if (exists) {
      heads.before[w] = own_before;
      heads.next[w] = next;
      own = window_items::of<Groups>(heads, w, own_before, next, end);
      all_short = lists_short && own.count > 0 && own.all_short(heads.most[w], heads.last[w], end);
    }
    put_in_list(own, exists, all_short ? listed_windows::short_ones : listed_windows::others);
    if (!exists) return;
    if (auto const own = heads.last[w]; own >= 0 && end - own > heads.items)
      atomicMax(reinterpret_cast<unsigned long long*>(heads.widest),
                static_cast<unsigned long long>(heads.windows_of(own, end)));
  }

 private:
  /// Each to its kind's; a window that has nothing, too, so that no place is left out.
  __device__ void put_in_list(window_items const& own, bool exists, listed_windows::kind kind) const {
    constexpr auto others = listed_windows::others;
    unsigned const there = __ballot_sync(~0u, exists), of_others = __ballot_sync(~0u, kind == others) & there,
                   of_short = there & ~of_others, lane = threadIdx.x % 32;
    unsigned first = 0;
    if (lane < listed_windows::kinds)
      if (unsigned const count = static_cast<unsigned>(__popc(lane == others ? of_others : of_short));
          count > 0)
        first = atomicAdd(list.counts + lane, count);
    first = __shfl_sync(~0u, first, kind);
    if (!exists) return;
    unsigned const which = kind == others ? of_others : of_short;
    // Field by field: nvcc copies all of it by bytes.
    auto& to =
        list.items[list.place(kind, first + static_cast<unsigned>(__popc(which & ((1u << lane) - 1))))];
    to.begin = own.begin;
    to.count = own.count;
    to.over_count = own.over_count;
    to.from_first = own.from_first;
    to.to_over = own.to_over;
    to.to_from = own.to_from;
  }
  /// That of the first thread that has a head, or -1.
  static __device__ std::int64_t any_of_block(std::int64_t head) {
    __shared__ int first;
    __shared__ std::int64_t found;
    __syncthreads();
    if (threadIdx.x == 0) {
      first = threads;
      found = -1;
    }
    __syncthreads();
    unsigned const have = __ballot_sync(~0u, head >= 0);
    if (threadIdx.x % 32 == 0 && have != 0)
      atomicMin(&first, static_cast<int>(threadIdx.x) + __ffs(static_cast<int>(have)) - 1);
    __syncthreads();
    if (static_cast<int>(threadIdx.x) == first) found = head;
    __syncthreads();
    return found;
  }
};

/// The window of a kind that is this block's, or nothing.
__device__ inline window_items window_of_block(listed_windows const& windows, listed_windows::kind kind,
                                               std::int64_t n) {
  if (!windows.items) return window_items::all(n);
  auto own = windows.items[windows.place(kind, blockIdx.x)];
  if (blockIdx.x >= windows.counts[kind]) own.count = 0;
  return own;
}

/// The items of a window by a comparison: runs of a thread's own are merged.
template <class Keys, class Values, class Heads, class Key, class Value, class Order>
struct sort_windows_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using tile_type = merge_sort_tile<Key, has_values, Order>;
  static constexpr int threads = shape::threads, blocks = shape::sort_blocks;
  Keys keys;
  Values values;
  Heads source;
  listed_windows windows;
  std::int64_t n;
  merge_buffers<Key, Value> buffers;
  Order order;

  __device__ void operator()() const {
    __shared__ typename tile_type::shared smem;
    __shared__ sorted_heads<shape::items> tile_bits;
    auto const mine = order;
    auto const own = window_of_block(windows, listed_windows::others, n);
    auto const begin = own.begin;
    int const count = own.count, t0 = static_cast<int>(threadIdx.x);
    if (count == 0) return;
    bool const has_few = false;
    tile_type tile(smem, mine, has_few);
    int const first = tile.fetch(keys, begin, count);
    for (int j = t0; j <= tile_bits.words; j += threads) tile_bits.word[j] = own.head_bits(source, j, n);
    await_async_copies();
    __syncthreads();
    tile_bits.link();
    tile.sort_segments(first, count, tile_bits);
#pragma unroll 4
    for (int t = t0; t < count; t += threads)
      put_bytes(buffers.keys_at(own.buffer_of(t))[begin + t], tile.result(t));
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
          put_bytes(buffers.values_at(own.buffer_of(t))[begin + t], some[e]);
    }
  }
};

/// Where segments begin among the items of a block, the first of which begins one.
template <int Threads, int Items>
class segments_of_block {
  static constexpr int words = (Items + 31) / 32, warps = Threads / 32;
  static_assert(words < Threads && Items < 65536);

 public:
  struct shared {
    /// The heads among 32 items; the last head before these, and in its upper half the next one behind them.
    uint2 of[words + 1];
    unsigned have[warps];  ///< which of a warp's words have heads
  };

  /// By all threads; there are no heads from n on.
  template <class HeadsOf>
  __device__ segments_of_block(shared& smem, int n, HeadsOf heads_of) : smem_{smem} {
    int const t = static_cast<int>(threadIdx.x);
    unsigned const word = t <= words ? heads_of(t) : 0, have = __ballot_sync(~0u, word != 0);
    if (t <= words) smem.of[t].x = word;
    if (t % 32 == 0) smem.have[t / 32] = have;
    __syncthreads();
    if (t < words) {
      unsigned before = have & ~(~0u << t % 32), behind = have & ~1u << t % 32;
      int last = t / 32, next = t / 32;
      while (before == 0 && last > 0) before = smem.have[--last];
      while (behind == 0 && next < warps - 1) behind = smem.have[++next];
      last = last * 32 + 31 - __clz(static_cast<int>(before));
      next = next * 32 + __ffs(static_cast<int>(behind)) - 1;
      unsigned const from = before == 0 ? 0 : head_below(static_cast<unsigned>(last), smem.of[last].x, 0),
                     to = behind == 0 ? static_cast<unsigned>(n)
                                      : head_above(static_cast<unsigned>(next), smem.of[next].x, 0);
      smem.of[t].y = from | to << 16;
    }
    __syncthreads();
  }

  /// Of an item, and of this lane's among 32 neighbours.
  __device__ places_range segment_of(int i) const {
    auto const lane = static_cast<unsigned>(i) % 32;
    return segment_of(i / 32, (2u << lane) - 1);
  }
  __device__ places_range segment_in_row(int row) const { return segment_of(row, up_to_lane_); }

 private:
  __device__ places_range segment_of(int w, unsigned up_to) const {
    auto const word = static_cast<unsigned>(w);
    auto const here = smem_.of[w];
    return {static_cast<int>(head_below(word, here.x & up_to, here.y & 0xffff)),
            static_cast<int>(head_above(word, here.x & ~up_to, here.y >> 16))};
  }
  // The highest, or lowest, of a word's heads; without a branch.
  static __device__ unsigned head_below(unsigned word, unsigned heads, unsigned none) {
    unsigned found;
    asm("{\n .reg .pred some;\n .reg .b32 bit;\n setp.ne.u32 some, %1, 0;\n bfind.u32 bit, %1;\n"
        " add.u32 bit, bit, %2;\n selp.b32 %0, bit, %3, some;\n}"
        : "=r"(found)
        : "r"(heads), "r"(word * 32), "r"(none));
    return found;
  }
  static __device__ unsigned head_above(unsigned word, unsigned heads, unsigned none) {
    unsigned found;
    asm("{\n .reg .pred some;\n .reg .b32 bit;\n setp.ne.u32 some, %1, 0;\n bfind.u32 bit, %2;\n"
        " sub.u32 bit, %3, bit;\n selp.b32 %0, bit, %4, some;\n}"
        : "=r"(found)
        : "r"(heads), "r"(__brev(heads)), "r"(word * 32 + 31), "r"(none));
    return found;
  }
  shared& smem_;
  unsigned up_to_lane_ = (2u << threadIdx.x % 32) - 1;
};

/// What a block sorts by radix: as many rows as its registers hold.
template <class Key, class Value>
struct radix_window_shape {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  static constexpr std::size_t bytes = !has_values || sizeof(Key) > sizeof(Value) ? sizeof(Key)
                                                                                  : sizeof(Value);
  static constexpr int threads = 512,
                       rows = bytes <= 4 && !has_values ? 16
                              : bytes <= 8              ? 8
                                                        : 4,
                       items = threads * rows, window = items / 2;
};
template <class Key, class Order>
inline constexpr bool sorts_windows_by_radix = Order::is_radix && sizeof(Key) <= 16;
/// Of either sort: the items that segments sorted by one block begin among, and have at most.
template <class Key, class Value, class Order>
inline constexpr int segment_window =
    sorts_windows_by_radix<Key, Order> ? radix_window_shape<Key, Value>::window
                                       : merge_sort_shape<Key, !std::is_same_v<Value, absent_value>>::window;
/// And the items that one block sorts.
template <class Key, class Value, class Order>
inline constexpr int segment_block =
    sorts_windows_by_radix<Key, Order> ? radix_window_shape<Key, Value>::items
                                       : merge_sort_shape<Key, !std::is_same_v<Value, absent_value>>::items;

/// The items of a window by their keys' bits.
template <class Keys, class Values, class Heads, class Key, class Value, class Order>
struct sort_radix_windows_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using rows_shape = radix_window_shape<Key, Value>;
  static constexpr int threads = rows_shape::threads, blocks = 2, rows = rows_shape::rows;
  using heads_type = segments_of_block<threads, threads * rows>;
  using sorter = block_radix_sort<Key, Value, Order, heads_type, threads, rows, has_values>;
  struct shared {
    typename sorter::shared sort;
    typename heads_type::shared heads;
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
  Keys keys;
  Values values;
  Heads source;
  listed_windows windows;
  std::int64_t n;
  merge_buffers<Key, Value> buffers;
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    auto const own = window_of_block(windows, listed_windows::others, n);
    auto const begin = own.begin;
    int const count = own.count;
    if (count == 0) return;
    Key mine[rows];
    block_rows<threads, rows>(count).for_each_item(
        [&](int r, int i) { put_bytes(mine[r], static_cast<Key>(keys[begin + i])); });
    heads_type const segments(smem.heads, count, [&](int j) { return own.head_bits(source, j, n); });
    auto const digits = radix_digits::of_bits(order.begin, order.end);
    sorter const sort(smem.sort, order, digits, segments, count);
    sort(mine);
    if (own.to_over == 0 && own.to_from == 0) {
      auto* const to = buffers.keys[0] + begin;
      sort.for_each_item([&](int, int i) { put_bytes(to[i], smem.sort.keys()[i]); });
    } else {
      sort.for_each_item(
          [&](int, int i) { put_bytes(buffers.keys_at(own.buffer_of(i))[begin + i], smem.sort.keys()[i]); });
    }
    if constexpr (has_values)
      sort.move_values(
          [&](int i) { return static_cast<Value>(values[begin + i]); },
          [&](int i, Value const& x) { put_bytes(buffers.values_at(own.buffer_of(i))[begin + i], x); });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
