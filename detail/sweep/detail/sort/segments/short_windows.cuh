// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_SHORT_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_SHORT_WINDOWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/segment_windows.cuh>
#include <sweep/detail/sort/segments/window_in_shared.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Windows of short segments: each item counts those of its segment that stand before it, and is written
// there.

/// Whether the segments of a window are sorted so where they are short: wide keys cost much to compare.
template <class Key, class Value>
inline constexpr bool ranks_short_segments = sizeof(Key) <= 16 &&
                                             (std::is_same_v<Value, absent_value> || sizeof(Value) <= 8);

/// One less in `to` where a word, and where both are equal its number, is below another: if it is one of
/// `some`, the first of which is number 0.
template <class Word>
__device__ void count_down_if_before(unsigned& to, Word its, unsigned its_number, Word own, unsigned number,
                                     int nth, int some) {
  if constexpr (sizeof(Word) <= 4)
    asm("{\n .reg .pred some, before;\n setp.lt.s32 some, %3, %4;\n setp.lt.and.u64 before, %1, %2, some;\n"
        " @before sub.u32 %0, %0, 1;\n}"
        : "+r"(to)
        : "l"(std::uint64_t{its} << 32 | its_number), "l"(std::uint64_t{own} << 32 | number), "r"(nth),
          "r"(some));
  else if constexpr (sizeof(Word) == 8)  // one chain of borrows
    asm("{\n .reg .pred some;\n .reg .u32 none;\n setp.lt.s32 some, %7, %8;\n sub.cc.u32 none, %1, %2;\n"
        " subc.cc.u32 none, %3, %4;\n subc.cc.u32 none, %5, %6;\n @some subc.u32 %0, %0, 0;\n}"
        : "+r"(to)
        : "r"(its_number), "r"(number), "r"(static_cast<unsigned>(its)), "r"(static_cast<unsigned>(own)),
          "r"(static_cast<unsigned>(its >> 32)), "r"(static_cast<unsigned>(own >> 32)), "r"(nth), "r"(some));
  else if (nth < some && (its < own || (its == own && its_number < number))) --to;
}

/// Where a segment's key goes: behind those that stand before it. Equal keys stand in their order.
template <class Key>
struct rank_by_comparing {
  /// By an order; `keys` leads to key 0.
  template <class Order>
  static __device__ int by_order(Order const& order, Key const* keys, int i, places_range segment) {
    Key own;
    put_bytes(own, keys[i]);
    int to = segment.begin;
    for_each_other(keys, i, segment,
                   [&](Key const& other, unsigned its_number, unsigned number, int nth, int some) {
                     if (nth >= some) return;
                     bool const ahead = its_number < number;
                     Key its;
                     put_bytes(its, other);
                     if (order(select_registers(ahead, own, its), select_registers(ahead, its, own)) != ahead)
                       ++to;
                   });
    return min(to, segment.end - 1);  // in an order that is none an item may be before itself
  }
  /// Of unsigned numbers, by value.
  static __device__ int by_value(Key const* keys, int i, places_range segment) {
    auto const own = keys[i];
    unsigned less = 0;
    for_each_other(keys, i, segment,
                   [&](Key const& other, unsigned its_number, unsigned number, int nth, int some) {
                     count_down_if_before(less, other, its_number, own, number, nth, some);
                   });
    return segment.begin - static_cast<int>(less);
  }

 private:
  /// f(key, number, number of the own, nth, some): numbers that tell which of both comes first; only if nth
  /// is less than some there is a key. Four at a time, behind those that are left over.
  template <class F>
  static __device__ void for_each_other(Key const* keys, int i, places_range segment, F f) {
    constexpr unsigned far = 2 * most_of_short_segment;  // more than items are apart
    int const length = segment.end - segment.begin, some = length % 4;
    auto const* at = keys + segment.begin;
    auto number = static_cast<unsigned>(i - segment.begin) + far;
#pragma unroll
    for (int u = 0; u < 3; ++u) f(at[u], far + static_cast<unsigned>(u), number, u, some);
    at += some;
    number -= static_cast<unsigned>(some);
#pragma unroll 1
    for (int left = length - some; left > 0; left -= 4) {
#pragma unroll
      for (int u = 0; u < 4; ++u) f(at[u], far + static_cast<unsigned>(u), number, 0, 1);
      at += 4;
      number -= 4;
    }
  }
};

/// What an order by digits compares, or a byte.
template <class Order>
struct word_of_order {
  using type = unsigned char;
};
template <class Order>
  requires(Order::is_radix)
struct word_of_order<Order> {
  using type = typename Order::word;
};

/// The windows whose segments all are short.
template <class Keys, class Values, class Windows, class Key, class Value, class Order>
struct sort_short_windows_job {
  static constexpr bool waits_itself = Windows::waits_itself;
  static constexpr int threads = 256, blocks = 6,
                       items = segment_window<Key, Value, Order> + most_of_short_segment;
  using stage = window_in_shared<Keys, Values, Key, Value, items>;
  using heads_type = segments_of_block<threads, items>;
  /// By radix keys are made numbers once.
  static constexpr bool makes_words = Order::is_radix;
  using word = typename word_of_order<Order>::type;
  struct no_room {};
  struct shared {
    typename stage::shared items_of_window;
    [[no_unique_address]] std::conditional_t<makes_words, uninitialized<word, items>, no_room> words;
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
    auto const mine = order;
    [[maybe_unused]] auto const turn = windows.begin();
    auto const own = windows.own(smem.windows, listed_windows::short_ones);
    auto const begin = own.begin;
    int const count = own.count, t = static_cast<int>(threadIdx.x);
    if (count == 0) return;
    auto const given = stage::template load<threads>(smem.items_of_window, keys, values, begin, count);
    heads_type const segments(smem.heads, count,
                              [&](int j) { return windows.head_bits(smem.windows, own, j); });
    await_async_copies();
    __syncthreads();
    auto const* const staged = given.keys();
    if constexpr (makes_words) {
      auto const counts = mask(mine);
      for (int i = t; i < count; i += threads)
        smem.words[i] = static_cast<word>(mine.word_of(staged[i]) & counts);
      __syncthreads();
    }
    auto* keys_at = keys_to + begin;
    asm volatile("" : "+l"(keys_at));  // or it is added up for every key
#pragma unroll 1
    for (int row = t / 32, i = t; i < count; row += threads / 32, i += threads) {
      auto const segment = segments.segment_in_row(row);
      int to = 0;
      if constexpr (makes_words) to = rank_by_comparing<word>::by_value(smem.words.data(), i, segment);
      else to = rank_by_comparing<Key>::by_order(mine, staged, i, segment);
      put_bytes(keys_at[to], staged[i]);
      given.put_value(values, begin, values_to, to, i);
    }
  }

 private:
  /// Of the bits that count.
  static __device__ word mask(Order const& order) {
    if (order.end <= order.begin) return 0;
    constexpr int word_bits = static_cast<int>(sizeof(word)) * 8;
    return static_cast<word>(
        static_cast<word>(static_cast<word>(~word{0}) >> (word_bits - (order.end - order.begin)))
        << order.begin);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
