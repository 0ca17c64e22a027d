// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_NETWORK_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_NETWORK_WINDOWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/segment_windows.cuh>
#include <sweep/detail/sort/segments/window_in_shared.cuh>
#include <sweep/detail/sort/tile/network.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Windows of short segments whose order is one of words: lanes of a warp, one or a few for each segment, sort
// those side by side by networks. What is of about as many items is sorted together.

/// Segments of at most so many items are sorted so.
inline constexpr int most_of_network = 128;
/// Whether numbers of items are sorted, with the words of these, and not words alone that keys are made of
/// again.
template <class Value, class Order>
inline constexpr bool networks_have_numbers = [] {
  if constexpr (Order::is_radix) return !std::is_same_v<Value, absent_value> || !Order::is_exact;
  else return true;
}();
/// Whether a register holds what is sorted.
template <class Key, class Value, class Order>
inline constexpr bool sorts_by_networks = [] {
  if constexpr (Order::is_radix)
    return sizeof(typename Order::word) <= (networks_have_numbers<Value, Order> ? 2 : 4) &&
           sizeof(Key) <= 16 && (std::is_same_v<Value, absent_value> || sizeof(Value) <= 8);
  else return false;
}();

/// The segments of a block's items that have more than one, those of the most items first: in each class
/// those of at most twice as many as in the next.
template <int Threads, int Items>
struct classes_of_segments {
  static constexpr int classes = 6, most = most_of_network, warps = Threads / 32, items_of_thread = 16;
  static_assert(most == 4 << (classes - 1) && Items < 65536);

  struct shared {
    unsigned listed[Items / 2];  ///< where a segment begins, and in the upper half how many items it has
    std::uint64_t sums[warps];
  };
  /// How many segments there are of each class: 10 bits each, and more of the shortest.
  struct counts {
    std::uint64_t all = 0;
    static_assert(Items / (most / (1 << (classes - 2)) / 2 + 1) < 1024);
    __device__ void add(int length) { all += std::uint64_t{1} << 10 * class_of(length); }
    __device__ int of(int k) const {
      auto const shifted = static_cast<unsigned>(all >> 10 * k);
      return static_cast<int>(k < classes - 1 ? shifted & 1023 : shifted);
    }
  };
  static __device__ int class_of(int length) {
    return min(__clz(length - 1) - (32 - (classes + 1)), classes - 1);
  }
};

/// The windows whose segments all are short.
template <class Keys, class Values, class Windows, class Key, class Value, class Order>
struct sort_network_windows_job {
  static constexpr bool numbered = networks_have_numbers<Value, Order>, waits_itself = Windows::waits_itself;
  using word = typename Order::word;
  static constexpr int window = segment_window<Key, Value, Order>, items = window + most_of_network,
                       threads = window / 16, warps = threads / 32, blocks = 1024 / threads;
  using stage = window_in_shared<Keys, Values, Key, Value, items>;
  using heads_type = segments_of_block<threads, items>;
  using classes_type = classes_of_segments<threads, items>;
  static constexpr int classes = classes_type::classes;
  /// What is in order: keys, or the numbers of items. Of each line of shared memory a word is left out, so
  /// that lanes whose segments are lines apart meet in no bank.
  using result = std::conditional_t<numbered, std::uint16_t, Key>;
  static constexpr int line = 128 / static_cast<int>(sizeof(result)),
                       left_out = sizeof(result) < 4 ? 4 / static_cast<int>(sizeof(result)) : 1;
  struct shared {
    typename stage::shared items_of_window;
    uninitialized<result, items + (items / line + 1) * left_out> results;
    typename classes_type::shared classes;
    typename heads_type::shared heads;
    [[no_unique_address]] typename Windows::shared windows;
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
  Keys keys;
  Values values;
  Windows windows;
  Key* keys_to;
  Value* values_to;
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    [[maybe_unused]] auto const turn = windows.begin();
    auto const own = windows.own(smem.windows, listed_windows::short_ones);
    auto const begin = own.begin;
    int const count = own.count, t = static_cast<int>(threadIdx.x);
    if (count == 0) return;
    auto const given = stage::template load<threads>(smem.items_of_window, keys, values, begin, count);
    heads_type const segments(smem.heads, count,
                              [&](int j) { return windows.head_bits(smem.windows, own, j); });
    await_async_copies();
    auto const* const staged = given.keys();
    auto const counts = list(smem, segments, staged, count);
    sort_class<0>(smem, staged, counts, t / 32, 0);
    __syncthreads();
    auto* const to = keys_to + begin;
#pragma unroll 4
    for (int i = t; i < count; i += threads) {
      if constexpr (!numbered) {
        put_bytes(to[i], smem.results[place_of(i)]);
      } else {
        int const from = smem.results[place_of(i)];
        put_bytes(to[i], staged[from]);
        given.put_value(values, begin, values_to, i, from);
      }
    }
  }

 private:
  /// What some neighbouring lanes sort, N items each.
  template <int N, int Lanes>
  struct listed_segment {
    int begin, length, lane;

    /// f(k, i, exists): any item i for each k. Lanes whose segments are lines of shared memory apart begin
    /// with other ones each.
    template <class F>
    __device__ void for_each_before(F f) const {
      int const turned = begin * static_cast<int>(sizeof(Key)) / 128;
#pragma unroll
      for (int k = 0; k < N; ++k) {
        int const i = (k + turned) % N * Lanes + lane;
        f(k, i, i < length);
      }
    }
    /// f(k, i) for the items that are the i-th, then.
    template <class F>
    __device__ void for_each_behind(F f) const {
#pragma unroll
      for (int k = 0; k < N; ++k)
        if (int const i = lane * N + k; i < length) f(k, i);
    }
  };

  static __device__ int place_of(int i) { return i + i / line * left_out; }
  __device__ word word_of(Key const& x) const {
    auto const all = order.word_of(x);
    if constexpr (!numbered) return all;
    else return static_cast<word>(all & mask());
  }
  /// Of the bits that count.
  __device__ word mask() const {
    if (order.end <= order.begin) return 0;
    constexpr int word_bits = static_cast<int>(sizeof(word)) * 8;
    return static_cast<word>(
        static_cast<word>(static_cast<word>(~word{0}) >> (word_bits - (order.end - order.begin)))
        << order.begin);
  }
  static __device__ void put_number(shared& smem, int i, int number) {
    smem.results[place_of(i)] = static_cast<std::uint16_t>(number);
  }

  /// f(begin, length) for the segments that begin among some neighbouring items of a thread's.
  template <class F>
  static __device__ void for_each_segment(shared const& smem, heads_type const& segments, int count, F f) {
    constexpr int some = classes_type::items_of_thread;
    for (int i = static_cast<int>(threadIdx.x) * some; i < count; i += threads * some) {
      unsigned heads = smem.heads.of[i / 32].x >> i % 32 & ((1u << some) - 1);
#pragma unroll 1
      for (; heads != 0; heads &= heads - 1) {
        int const at = i + __ffs(static_cast<int>(heads)) - 1;
        f(at, segments.segment_of(at).end - at);
      }
    }
  }
  /// Lists the segments that are to be sorted. What stands alone is in its place. Answers how many there are
  /// of each class.
  static __device__ typename classes_type::counts list(shared& smem, heads_type const& segments,
                                                       Key const* staged, int count) {
    using counts_type = typename classes_type::counts;
    int const lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    counts_type own;
    for_each_segment(smem, segments, count, [&](int, int length) {
      if (length > 1) own.add(length);
    });
    auto through = own.all;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      auto const left = warp_shfl_up(through, by);
      if (lane >= by) through += left;
    }
    if (lane == 31) smem.classes.sums[warp] = through;
    __syncthreads();  // keys are there, too
    counts_type before{through - own.all}, all;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      if (w < warp) before.all += smem.classes.sums[w];
      all.all += smem.classes.sums[w];
    }
    int first_of_class = 0;
    int place[classes];
#pragma unroll
    for (int k = 0; k < classes; ++k) {
      place[k] = first_of_class + before.of(k);
      first_of_class += all.of(k);
    }
    for_each_segment(smem, segments, count, [&](int at, int length) {
      if (length > 1) {
        int const own_class = classes_type::class_of(length);
        int to = 0;
#pragma unroll
        for (int k = 0; k < classes; ++k)
          if (k == own_class) to = place[k]++;
        smem.classes.listed[to] = static_cast<unsigned>(at) | static_cast<unsigned>(length) << 16;
      } else if constexpr (numbered) {
        put_number(smem, at, at);
      } else {
        put_bytes(smem.results[place_of(at)], staged[at]);
      }
    });
    __syncthreads();
    return all;
  }

  /// A warp takes as many segments of a class as it has lanes for, and the next in turn the next.
  template <int K>
  __device__ void sort_class(shared& smem, Key const* staged, typename classes_type::counts const& counts,
                             int turn, int first) const {
    if constexpr (K < classes) {
      constexpr int most = classes_type::most >> K, N = most < 16 ? most : 16, lanes = most / N,
                    of_warp = 32 / lanes;
      int const count = counts.of(K), turns = (count + of_warp - 1) / of_warp;
#pragma unroll 1
      for (; turn < turns; turn += warps)
        sort_segments<N, lanes>(smem, staged, first + turn * of_warp, first + count);
      sort_class<K + 1>(smem, staged, counts, turn - turns, first + count);
    }
  }
  template <int N, int Lanes>
  __device__ void sort_segments(shared& smem, Key const* staged, int first, int end) const {
    int const lane = static_cast<int>(threadIdx.x % 32), s = first + lane / Lanes;
    unsigned const listed = s < end ? smem.classes.listed[s] : 0;
    listed_segment<N, Lanes> const own{static_cast<int>(listed & 0xffff), static_cast<int>(listed >> 16),
                                       lane % Lanes};
    // A number is where the item stands in its segment, below its word.
    constexpr unsigned numbers = numbered ? most_of_network : 1;
    unsigned x[N];
    own.for_each_before([&](int k, int i, bool exists) {
      x[k] = ~0u;
      if (exists) x[k] = word_of(staged[own.begin + i]) * numbers + static_cast<unsigned>(i) % numbers;
    });
    sorting_network<N, Lanes>::sort(x);
    own.for_each_behind([&](int k, int i) {
      if constexpr (numbered) put_number(smem, own.begin + i, own.begin + static_cast<int>(x[k] % numbers));
      else put_bytes(smem.results[place_of(own.begin + i)], Order::key_of(static_cast<word>(x[k])));
    });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
