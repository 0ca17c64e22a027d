// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_SEGMENT_HEADS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_SEGMENT_HEADS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Where segments begin in windows of equal length, and what each window has to be sorted.

/// Segments of at most so many items are short: each item counts those of its segment that stand before it.
inline constexpr int most_of_short_segment = 40;
static_assert(most_of_short_segment >= 32, "between two heads of a word are fewer");

/// A segment that no block of a window sorts whole: where it begins and ends.
struct long_segment {
  std::int64_t begin, end;
  SWEEP_HD bool exists() const { return end > 0; }
};

/// What is known of the heads in each window of so many items. The first item is a head.
struct window_heads {
  std::int64_t n, windows;
  int items;
  /// Segments of so many items at most, which are not fewer than a window's, are sorted whole by the block of
  /// the window that they begin in.
  std::int64_t most_whole;
  /// Longer ones of so many items at most are sorted apart from windows.
  std::int64_t most_apart;
  std::int64_t *first, *last;  ///< head in a window, or -1
  std::int64_t *before,
      *next;             ///< the last head in front of a window; the first one in it or behind it, or n
  std::int64_t* widest;  ///< the windows that the longest of long segments lies in, or 0
  int* most;             ///< items of the longest segment that begins and ends in a window
  unsigned* counts;      ///< of the words of the long segment that begins in a window, 256 each, or null

  SWEEP_HD std::int64_t begin(std::int64_t w) const { return w * items; }
  /// Whether none is longer than that.
  SWEEP_HD bool all_are_whole() const { return most_whole >= n; }
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
    return b - a > max(most_whole, most_apart) ? long_segment{a, b} : long_segment{};
  }
  __device__ long_segment if_apart(std::int64_t a, std::int64_t b) const {
    return b - a > most_whole && b - a <= most_apart ? long_segment{a, b} : long_segment{};
  }
};

/// The groups of long segments, each from the window on that it begins in: pass number `pass` merges runs of
/// windows. A segment takes part in as many passes as it has windows for. Windows of few items are as long as
/// the host says, and Window is 0.
template <class Shape, int Window>
struct runs_of_segments {
  using shape = Shape;
  static constexpr bool sparse = true;
  static constexpr int ways = Shape::ways, log_ways = std::bit_width(static_cast<unsigned>(ways)) - 1,
                       most_of_window = Window;
  static_assert(std::has_single_bit(static_cast<unsigned>(ways)));
  window_heads heads;
  int tiles_of_block;  ///< that a block looks at
  int pass;

  SWEEP_HD int window() const { return Window > 0 ? Window : heads.items; }
  SWEEP_HD int tile_items() const {
    return Window > 0 || heads.items > Shape::tile_items ? Shape::tile_items : heads.items;
  }
  /// Tiles that may begin for each window, of either segment.
  SWEEP_HD int window_tiles() const { return (window() + tile_items() - 1) / tile_items(); }
  SWEEP_HD std::int64_t tiles() const { return heads.windows * 2 * window_tiles(); }
  __device__ run_group group_of_tile(std::int64_t tile) const {
    auto const w = tile / (2 * window_tiles());
    if (w >= heads.windows || nobody_takes_part()) return {};
    auto const has = [&](run_group const& one) { return one.exists() && one.has_tile(tile); };
    auto const over = group(heads.over(w), heads.begin(w));
    if (has(over)) return over;
    auto const from = group(heads.from(w), heads.last[w]);
    return has(from) ? from : run_group{};
  }
  /// Whether no segment is so long as to have this pass.
  __device__ bool nobody_takes_part() const { return passes_of(*heads.widest) <= pass; }
  /// Passes of a segment that lies in so many windows.
  static SWEEP_HD int passes_of(std::int64_t windows) {
    int passes = 0;
    for (std::int64_t runs = 1; runs < windows; runs *= ways) ++passes;
    return passes;
  }

 private:
  __device__ run_group group(long_segment const& segment, std::int64_t item) const {
    auto const window = std::int64_t{this->window()};
    int const passes =
        segment.end == 0 ? 0 : passes_of((segment.end - 1) / window - segment.begin / window + 1) - pass;
    if (passes <= 0) return {};
    auto const length = window << pass * log_ways, items = length * ways,
               start = segment.begin / window * window, origin = start + (item - start) / items * items;
    return {origin < segment.begin ? segment.begin : origin,
            origin + items < segment.end ? origin + items : segment.end,
            origin,
            length,
            origin / window * 2 * window_tiles() + (origin == start ? window_tiles() : 0),
            passes,
            tile_items(),
            Shape::near_items};
  }
};

struct window_items;
/// All windows: from the front those whose segments all are short, from the back others.
struct listed_windows {
  enum kind { short_ones, others, kinds };
  window_items* items;
  unsigned* counts;  ///< of each kind
  std::int64_t windows;

  __device__ std::int64_t place(kind of, unsigned k) const { return of == short_ones ? k : windows - 1 - k; }
};

/// Segments that are sorted apart from windows, in any order.
struct segment_list {
  static constexpr int unit = 64;
  long_segment* items;
  /// How many there are, and how many blocks have taken; of those that no block has room for their items
  /// together and the most of one, in units of some.
  unsigned* counts;

  __device__ void put(long_segment const& segment) const {
    auto& to = items[atomicAdd(counts, 1u)];
    to.begin = segment.begin;
    to.end = segment.end;
  }
  __device__ void put_and_sum(long_segment const& segment) const {
    put(segment);
    auto const units = static_cast<unsigned>((segment.end - segment.begin) / unit);
    atomicAdd(counts + 2, units);
    atomicMax(counts + 3, units);
  }
};

/// What a warp finds in a window of bits: its first head and its last, from its begin on, the last being -1
/// where there is none; and the items of the longest segment between two of them. bits(r, at) is the word of
/// the items from `at` on, of row r of its lanes' words, without what is behind the window.
struct heads_between {
  int first, last, most;

  static constexpr int rows = 4;
  template <class Bits>
  static __device__ heads_between find(int items, Bits bits_of) {
    int const lane = static_cast<int>(threadIdx.x % 32);
    int first = items, last = -1, most = 0;
    for (int from = 0; from < items; from += rows * 32 * 32) {
      unsigned bits[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        int const at = from + (r * 32 + lane) * 32;
        bits[r] = at < items ? bits_of(at) : 0;
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        int const place = from + (r * 32 + lane) * 32, lowest = place + __ffs(static_cast<int>(bits[r])) - 1,
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
    return {__reduce_min_sync(~0u, first), last, __reduce_max_sync(~0u, most)};
  }
};

/// The first and the last head of each window and the longest segment between, a warp for each.
template <class Heads>
struct find_window_heads_job {
  static constexpr int threads = 256, blocks = 1;
  Heads source;
  window_heads to;
  listed_windows list;
  segment_list of_blocks, counted, others;
  std::uint32_t* differing;  ///< four words of others, or null

  __device__ void operator()() const {
    let_next_kernel_start();
    auto const w = std::int64_t{blockIdx.x} * (threads / 32) + threadIdx.x / 32;
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (w == 0) *to.widest = 0;
    if (w == 0 && lane < listed_windows::kinds)
      list.counts[lane] = of_blocks.counts[lane] = counted.counts[lane] = others.counts[lane] =
          others.counts[2 + lane] = 0;
    if (w == 0 && differing && lane < 4) differing[lane] = 0;
    if (w >= to.windows) return;
    if (to.counts)
#pragma unroll
      for (int at = lane * 4; at < 256; at += 32 * 4)
        *reinterpret_cast<uint4*>(to.counts + w * 256 + at) = uint4{};
    auto const begin = to.begin(w), end = begin + to.items < to.n ? begin + to.items : to.n;
    auto const [first, last, most] = heads_between::find(static_cast<int>(end - begin), [&](int place) {
      auto const at = begin + place;
      int const count = static_cast<int>(end - at < 32 ? end - at : 32);
      unsigned const bits = source.bits(at, count, to.n) & ~0u >> (32 - count);
      return at == 0 ? bits | 1 : bits;
    });
    if (lane == 0) {
      to.first[w] = last < 0 ? -1 : begin + first;
      to.last[w] = last < 0 ? -1 : begin + last;
      to.most[w] = most;
    }
  }
};

/// What a block sorts for a window: the segments that begin in it, but for one that is sorted apart, and the
/// parts of long ones that lie in it. These go where they are to be merged from.
struct window_items {
  std::int64_t begin = 0;
  int count = 0, over_count = 0, from_first = 0, to_over = 0, to_from = 0;

  /// Of window w, where the head before it is known, the first one in it or behind, its last one, and the
  /// first one behind.
  template <class Groups>
  static __device__ window_items of(window_heads const& heads, std::int64_t w, std::int64_t before,
                                    std::int64_t next, std::int64_t last, std::int64_t behind) {
    window_items own;
    auto const start = heads.begin(w), stop = heads.begin(w + 1) < heads.n ? heads.begin(w + 1) : heads.n;
    bool const none = next >= stop;
    auto const over = next > start ? heads.if_long(before, next) : long_segment{},
               from = none ? long_segment{} : heads.if_long(last, behind);
    if (none && over.end == 0) return own;  // all of a segment that began in a window before
    own.begin = over.end != 0 ? start : next;
    bool const without_last = !none && heads.if_apart(last, behind).exists();
    own.count = static_cast<int>((none || from.end != 0 ? stop : without_last ? last : behind) - own.begin);
    own.over_count = over.end == 0 ? 0 : none ? own.count : static_cast<int>(next - own.begin);
    own.from_first = from.end == 0 ? own.count : static_cast<int>(from.begin - own.begin);
    auto const passes = [&](long_segment const& one) {
      return one.end == 0 ? 0 : Groups::passes_of(heads.windows_of(one.begin, one.end));
    };
    own.to_over = passes(over) % 2;
    own.to_from = passes(from) % 2;
    return own;
  }
  /// Whether no segment is long or has more than `allowed` items, where the longest but the last has `most`
  /// and the last one `of_last`.
  __device__ bool all_short(int allowed, int most, std::int64_t of_last) const {
    return over_count == 0 && most <= allowed && of_last <= allowed;
  }
  /// All but the parts of long segments.
  __device__ window_items between() const {
    window_items own;
    own.begin = begin + over_count;
    own.count = own.from_first = max(from_first - over_count, 0);
    return own;
  }
  /// Of the item at begin + t.
  __device__ int buffer_of(int t) const { return t < over_count ? to_over : t >= from_first ? to_from : 0; }
  /// Bits 32 * j and behind it, of which the first of all is set. bits(i) has those of 32 items from the i-th
  /// on, where some of these are the window's.
  template <class Bits>
  __device__ unsigned head_bits(int j, Bits bits) const {
    int const left = count - j * 32;
    unsigned some = left > 0 ? bits(j * 32) : 0;
    if (left < 32) some &= left > 0 ? ~0u >> (32 - left) : 0;
    return j == 0 ? some | 1 : some;
  }
};

/// Where windows are listed when it is known what heads are around them.
template <class Groups>
struct windows_to_list {
  window_heads heads;
  listed_windows list;
  segment_list of_blocks, counted, others;
  std::int64_t most_of_block,  ///< items of a segment that one block sorts
      most_counted;            ///< and of a longer one whose keys it counts
  int most_of_short;           ///< items of what is listed as short, or 0 where nothing is

  /// A window for each lane of a warp that has one: the head before it, the first one in it or behind, its
  /// last one or -1, the first one behind, and the items of the longest segment between two of its own.
  __device__ void put(std::int64_t w, bool exists, std::int64_t before, std::int64_t next, std::int64_t last,
                      std::int64_t end, int most) const {
    window_items own{};
    bool all_short = false;
    if (exists) {
      heads.before[w] = before;
      heads.next[w] = next;
      own = window_items::of<Groups>(heads, w, before, next, last, end);
      auto const alone = last < 0 ? long_segment{} : heads.if_apart(last, end);
      if (alone.exists()) {
        auto const length = alone.end - alone.begin;
        if (length <= most_of_block) of_blocks.put(alone);
        else if (length <= most_counted) counted.put(alone);
        else others.put_and_sum(alone);
      }
      all_short = most_of_short > 0 && own.count > 0 &&
                  own.all_short(most_of_short, most, alone.exists() ? 0 : end - last);
    }
    put_in_list(own, exists, all_short ? listed_windows::short_ones : listed_windows::others);
    if (exists && last >= 0 && heads.if_long(last, end).exists())
      atomicMax(reinterpret_cast<unsigned long long*>(heads.widest),
                static_cast<unsigned long long>(heads.windows_of(last, end)));
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
};

/// The heads in front of windows, and from them on: a thread has a window. What is known of none of a block's
/// windows is looked for in those of others, as many at a time as there are threads.
template <class Groups>
struct link_windows_job {
  static constexpr int threads = 1024, blocks = 1;
  windows_to_list<Groups> to;

  __device__ void operator()() const {
    let_next_kernel_start();
    auto const& heads = to.heads;
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
    to.put(w, exists, own_before, next, own_last, end, exists ? heads.most[w] : 0);
  }

 private:
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

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
