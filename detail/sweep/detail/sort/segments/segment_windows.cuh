// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_SEGMENT_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_SEGMENT_WINDOWS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sort/comparison/merge_memory.cuh>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/segments/counted_segments.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>
#include <sweep/detail/sort/tile/block_radix_sort.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Sorts of segments: windows of equal length are sorted, each for the segments and parts of segments in it;
// passes merge the parts of long segments.

/// Windows whose heads others have found: a block's is the next of a kind, or nothing.
template <class Heads>
struct found_windows {
  static constexpr bool may_be_counted = true, waits_itself = true;
  struct shared {};
  window_heads heads;
  listed_windows list;
  Heads source;
  kernel_in_row place;

  __device__ runs_in_row begin() const { return runs_in_row(place); }
  __device__ window_items own(shared&, listed_windows::kind kind) const {
    auto own = list.items[list.place(kind, blockIdx.x)];
    if (blockIdx.x >= list.counts[kind]) own.count = 0;
    return own;
  }
  __device__ unsigned head_bits(shared const&, window_items const& own, int j) const {
    return own.head_bits(j, [&](int i) { return source.bits(own.begin + i, 32, heads.n); });
  }
};

/// The items of a window by a comparison: runs of a thread's own are merged.
template <class Keys, class Values, class Windows, class Key, class Value, class Order>
struct sort_windows_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using tile_type = merge_sort_tile<Key, has_values, Order>;
  static constexpr int threads = shape::threads, blocks = shape::sort_blocks;
  static constexpr bool waits_itself = Windows::waits_itself;
  Keys keys;
  Values values;
  Windows windows;
  merge_buffers<Key, Value> buffers;
  Order order;

  __device__ void operator()() const {
    __shared__ typename tile_type::shared smem;
    __shared__ sorted_heads<shape::items> tile_bits;
    __shared__ typename Windows::shared found;
    [[maybe_unused]] auto const turn = windows.begin();
    auto const mine = order;
    auto const own = windows.own(found, listed_windows::others);
    auto const begin = own.begin;
    int const count = own.count, t0 = static_cast<int>(threadIdx.x);
    if (count == 0) return;
    tile_type tile(smem, mine);
    int const first = tile.fetch(keys, begin, count);
    for (int j = t0; j <= tile_bits.words; j += threads) tile_bits.word[j] = windows.head_bits(found, own, j);
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

  /// Whether the call's items are so few that each block sorts few of them.
  bool are_few = false;

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
template <class Keys, class Values, class Windows, class Key, class Value, class Order>
struct sort_radix_windows_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using rows_shape = radix_window_shape<Key, Value>;
  static constexpr bool waits_itself = Windows::waits_itself;
  static constexpr int threads = rows_shape::threads, blocks = 2, rows = rows_shape::rows;
  using heads_type = segments_of_block<threads, threads * rows>;
  using sorter = block_radix_sort<Key, Value, Order, heads_type, threads, rows, has_values>;
  struct shared {
    typename sorter::shared sort;
    typename heads_type::shared heads;
    typename Windows::shared windows;
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
  Keys keys;
  Values values;
  Windows windows;
  merge_buffers<Key, Value> buffers;
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    [[maybe_unused]] auto const turn = windows.begin();
    auto own = windows.own(smem.windows, listed_windows::others);
    if (own.count == 0) return;
    if constexpr (Windows::may_be_counted && counts_long_segments<Value, Order>)
      if (windows.heads.counts) own = count_long(own);
    auto const begin = own.begin;
    int const count = own.count;
    if (count == 0) return;
    Key mine[rows];
    block_rows<threads, rows>(count).for_each_item(
        [&](int r, int i) { put_bytes(mine[r], static_cast<Key>(keys[begin + i])); });
    heads_type segments(smem.heads, count, [&](int j) { return windows.head_bits(smem.windows, own, j); });
    if constexpr (!Windows::may_be_counted) segments.are_few = windows.heads.all_are_whole();
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

 private:
  /// Counts what is of long segments, and answers what is to be sorted.
  __device__ window_items count_long(window_items const& own) const {
    auto const& heads = windows.heads;
    auto const count = [&](std::int64_t begin, int some, std::int64_t head) {
      if (some > 0)
        count_words<threads>(keys, begin, some, order, heads.counts + head / heads.items * counted_words);
    };
    count(own.begin, own.over_count, own.over_count > 0 ? heads.before[own.begin / heads.items] : 0);
    count(own.begin + own.from_first, own.count - own.from_first, own.begin + own.from_first);
    return own.between();
  }
};

/// Sorts so many windows, a block each.
template <class Problem, class Windows>
void sort_windows(cudaStream_t stream, Problem const& problem, std::int64_t count, Windows const& windows,
                  merge_buffers<typename Problem::key, typename riding_value<Problem>::type> const& buffers) {
  using key = typename Problem::key;
  using value = typename riding_value<Problem>::type;
  using order = typename Problem::order_type;
  using keys_in = std::remove_cvref_t<decltype(problem.keys_in)>;
  with_riding_values(problem, [&](auto values) {
    if constexpr (sorts_windows_by_radix<key, order>) {
      using job = sort_radix_windows_job<keys_in, decltype(values), Windows, key, value, order>;
      if (!facts_of<job>(problem.call).fits) throw_plan_too_large(problem.call, job::bytes);
      launch_job(problem.call, stream, count, job::threads,
                 job{problem.keys_in, values, windows, buffers, problem.order}, job::bytes);
    } else {
      using job = sort_windows_job<keys_in, decltype(values), Windows, key, value, order>;
      launch_job(problem.call, stream, count, job::threads,
                 job{problem.keys_in, values, windows, buffers, problem.order});
    }
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
