// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SHORT_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SHORT_WINDOWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segment_windows.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Windows of short segments: each item counts those of its segment that stand before it, and is written
// there.

/// Whether the segments of a window are sorted so where they are short: wide keys cost much to compare.
template <class Key, class Value>
inline constexpr bool ranks_short_segments = sizeof(Key) <= 16 &&
                                             (std::is_same_v<Value, absent_value> || sizeof(Value) <= 8);

/// One less in `to` where a word, and where both are equal its number, is below another.
template <class Word>
__device__ void count_down_if_before(unsigned& to, Word its, unsigned its_number, Word own, unsigned number) {
  if constexpr (sizeof(Word) == 8) {
    // In one chain of borrows, whose highest part has no sign.
    constexpr std::uint64_t sign = std::is_signed_v<Word> ? std::uint64_t{1} << 63 : 0;
    auto const a = static_cast<std::uint64_t>(its) ^ sign, b = static_cast<std::uint64_t>(own) ^ sign;
    asm("{\n .reg .u32 none;\n sub.cc.u32 none, %1, %2;\n subc.cc.u32 none, %3, %4;\n"
        " subc.cc.u32 none, %5, %6;\n subc.u32 %0, %0, 0;\n}"
        : "+r"(to)
        : "r"(its_number), "r"(number), "r"(static_cast<unsigned>(a)), "r"(static_cast<unsigned>(b)),
          "r"(static_cast<unsigned>(a >> 32)), "r"(static_cast<unsigned>(b >> 32)));
  } else if constexpr (sizeof(Word) <= 4) {
    auto const joined = [](Word high, unsigned low) {
      using wide = std::conditional_t<std::is_signed_v<Word>, std::int64_t, std::uint64_t>;
      return static_cast<wide>(static_cast<std::uint64_t>(static_cast<wide>(high)) << 32 | low);
    };
    if constexpr (std::is_signed_v<Word>)
      asm("{\n .reg .pred before;\n setp.lt.s64 before, %1, %2;\n @before sub.u32 %0, %0, 1;\n}"
          : "+r"(to)
          : "l"(joined(its, its_number)), "l"(joined(own, number)));
    else
      asm("{\n .reg .pred before;\n setp.lt.u64 before, %1, %2;\n @before sub.u32 %0, %0, 1;\n}"
          : "+r"(to)
          : "l"(joined(its, its_number)), "l"(joined(own, number)));
  } else {
    if (its < own || (its == own && its_number < number)) --to;
  }
}

/// Where a segment's key goes: behind those that stand before it. `keys` leads to key 0; equal keys stand in
/// their order.
template <class Key, class Order>
struct rank_by_comparing {
  Order const& order;

  __device__ int operator()(Key const* keys, int i, places_range segment) const {
    if constexpr (Order::is_radix) {
      using word = typename Order::word;
      constexpr bool by_value = Order::is_exact && !Order::descending && std::is_integral_v<Key>;
      constexpr int word_bits = static_cast<int>(sizeof(word)) * 8;
      bool const whole = order.begin == 0 && order.end == Order::bits;
      if constexpr (by_value)
        if (whole) return of_words(keys, i, segment, [](Key const& x) { return x; });
      auto const mask =
          order.end <= order.begin
              ? word{0}
              : static_cast<word>(
                    static_cast<word>(static_cast<word>(~word{0}) >> (word_bits - (order.end - order.begin)))
                    << order.begin);
      return of_words(keys, i, segment,
                      [&](Key const& x) { return static_cast<word>(order.word_of(x) & mask); });
    } else {
      Key own;
      put_bytes(own, keys[i]);
      int to = segment.begin;
      for_each_other(keys, i, segment, [&](Key const& other, unsigned its_number, unsigned number) {
        bool const ahead = its_number < number;
        Key its;
        put_bytes(its, other);
        if (order(select_registers(ahead, own, its), select_registers(ahead, its, own)) != ahead) ++to;
      });
      return min(to, segment.end - 1);  // in an order that is none an item may be before itself
    }
  }

 private:
  template <class WordOf>
  static __device__ int of_words(Key const* keys, int i, places_range segment, WordOf word_of) {
    auto const own = word_of(keys[i]);
    unsigned less = 0;
    for_each_other(keys, i, segment, [&](Key const& other, unsigned its_number, unsigned number) {
      count_down_if_before(less, word_of(other), its_number, own, number);
    });
    return segment.begin - static_cast<int>(less);
  }
  /// f(key, number, number of the own): numbers that tell which of both comes first. Four at a time, behind
  /// those that are left over.
  template <class F>
  static __device__ void for_each_other(Key const* keys, int i, places_range segment, F f) {
    constexpr unsigned far = 2 * most_of_short_segment;  // more than items are apart
    int const length = segment.end - segment.begin, some = length % 4;
    auto const* at = keys + segment.begin;
    auto number = static_cast<unsigned>(i - segment.begin) + far;
#pragma unroll
    for (int u = 0; u < 3; ++u)
      if (u < some) f(at[u], far + static_cast<unsigned>(u), number);
    at += some;
    number -= static_cast<unsigned>(some);
#pragma unroll 1
    for (int left = length - some; left > 0; left -= 4) {
#pragma unroll
      for (int u = 0; u < 4; ++u) f(at[u], far + static_cast<unsigned>(u), number);
      at += 4;
      number -= 4;
    }
  }
};

/// The listed windows whose segments all are short.
template <class Keys, class Values, class Heads, class Key, class Value, class Order>
struct sort_short_windows_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>,
                        stages_values = has_values && !std::is_same_v<Values, index_itself>;
  static constexpr int threads = 256, blocks = 6,
                       items = segment_window<Key, Value, Order> + most_of_short_segment;
  using heads_type = segments_of_block<threads, items>;
  struct no_room {};
  struct shared {
    staged_items<Key, items> keys;
    [[no_unique_address]] std::conditional_t<stages_values, staged_items<Value, items>, no_room> values;
    typename heads_type::shared heads;
  };
  Keys keys;
  Values values;
  Heads source;
  listed_windows windows;
  std::int64_t n;
  Key* keys_to;
  Value* values_to;
  Order order;

  __device__ void operator()() const {
    __shared__ shared smem;
    auto const mine = order;
    auto const count = windows.counts[0];
    for (unsigned k = blockIdx.x; k < count; k += gridDim.x) {
      sort(smem, mine, windows.items[windows.order[k]]);
      __syncthreads();
    }
  }

 private:
  __device__ void sort(shared& smem, Order const& mine, window_items const& own) const {
    auto const begin = own.begin;
    int const count = own.count;
    int const first = static_cast<int>(stage_items<threads>(smem.keys, keys, begin, count) - smem.keys.room);
    [[maybe_unused]] int first_value = 0;  // all are read before one is written
    if constexpr (stages_values)
      first_value =
          static_cast<int>(stage_items<threads>(smem.values, values, begin, count) - smem.values.room);
    heads_type const segments(smem.heads, count, [&](int j) { return own.head_bits(source, j, n); });
    await_async_copies();
    __syncthreads();
    auto const* const staged = reinterpret_cast<Key const*>(smem.keys.room + first);
    rank_by_comparing<Key, Order> const rank{mine};
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
      int const to = rank(staged, i, segments.segment_in_row(i / 32));
      put_bytes(keys_to[begin + to], staged[i]);
      if constexpr (stages_values)
        put_bytes(values_to[begin + to], reinterpret_cast<Value const*>(smem.values.room + first_value)[i]);
      else if constexpr (has_values) values_to[begin + to] = values[begin + i];
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
