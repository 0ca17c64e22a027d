// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_PASS_CUH
#define SWEEP_DETAIL_SORT_RADIX_PASS_CUH

#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/multisplit/tile.cuh>
#include <sweep/detail/sort/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The digits of words, and those that matter.
struct radix_digits {
  int begin = 0, end = 0, width = 8, count = 0;
  std::uint32_t const* differing = nullptr;  ///< four words: the bits in which keys differ
  std::uint32_t const* too_many = nullptr;   ///< of the shorter way, or null: bits 0 and 1 say why not

  SWEEP_HD static radix_digits of_bits(int begin, int end) {
    radix_digits digits{begin, end < begin ? begin : end};
    int const bits = digits.end - begin;
    digits.count = (bits + 7) / 8;
    digits.width = digits.count > 0 ? (bits + digits.count - 1) / digits.count : 8;
    return digits;
  }
  SWEEP_HD int begin_of(int digit) const { return begin + digit * width; }
  SWEEP_HD int bits_of(int digit) const {
    return end - begin_of(digit) < width ? end - begin_of(digit) : width;
  }
  /// The bits of a digit in four words.
  split_condition condition_of(int digit) const {
    split_condition condition;
    condition.differing = differing;
    for (int b = begin_of(digit); b < begin_of(digit) + bits_of(digit); ++b)
      condition.bits[b / 32] |= std::uint32_t{1} << b % 32;
    return condition;
  }
  /// A bit for each digit in which keys differ.
  __device__ unsigned active() const {
    unsigned all = 0;
#pragma unroll 1
    for (int d = 0; d < count; ++d) {
      int const at = begin_of(d);
      std::uint32_t const low = differing[at / 32], high = at < 96 ? differing[at / 32 + 1] : 0;
      if ((__funnelshift_r(low, high, static_cast<unsigned>(at % 32)) & ((1u << bits_of(d)) - 1)) != 0)
        all |= 1u << d;
    }
    return all;
  }
};

/// How far the shorter way is gone.
enum class radix_way { all_passes, all_behind_one, finished };
__device__ inline radix_way way_of(radix_digits const& digits, unsigned active) {
  if (!digits.too_many || active >> (digits.count - 2) != 3) return radix_way::all_passes;
  auto const why_not = *digits.too_many;
  return (why_not & 1) != 0   ? radix_way::all_passes
         : (why_not & 2) != 0 ? radix_way::all_behind_one
                              : radix_way::finished;
}

/// Memory that passes move items between: where they are at first, where they are to be, and one more.
template <class T>
struct radix_memory {
  T const* first;
  T* last;
  T* between;
};
template <>
struct radix_memory<keys_alone> {};

/// Where items are before and after the pass of a digit. In place (the first memory is the last one) passes
/// begin by moving away, and one more copy brings an odd number of them back.
struct radix_route {
  bool moves = false, from_first = false, to_last = false;

  __device__ radix_route(unsigned active, int digit, bool in_place, bool from_between) {
    int const before = __popc(active & ((1u << digit) - 1)), all = __popc(active);
    moves = (active >> digit & 1u) != 0;
    from_first = before == 0 && !from_between;
    to_last = from_between ? before % 2 == 0 : in_place ? before % 2 == 1 : (all - 1 - before) % 2 == 0;
  }
};

/// The bits in which a thread's keys differ from the first.
template <class Order>
struct radix_observer {
  using word = typename Order::word;
  static constexpr int parts = (static_cast<int>(sizeof(word)) + 3) / 4;
  Order const& order;
  word first, differ = 0;
  std::uint32_t* differing;  ///< null where they are known

  template <class Key>
  __device__ void take(Key const& x) {
    differ = static_cast<word>(differ | static_cast<word>(order.word_of(x) ^ first));
  }
  __device__ void tell() const {
    if (!differing) return;
    __shared__ std::uint32_t all[4];
    if (threadIdx.x < 4) all[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      auto const mine =
          __reduce_or_sync(~0u, static_cast<std::uint32_t>(differ >> (32 * p) % (8 * sizeof(word))));
      if (threadIdx.x % 32 == 0 && mine != 0) atomicOr(all + p, mine);
    }
    __syncthreads();
    if (threadIdx.x < parts && all[threadIdx.x] != 0) atomicOr(differing + threadIdx.x, all[threadIdx.x]);
  }
};

/// The pass of one digit.
template <class Key, class Value, class Order>
struct radix_pass {
  using key = Key;
  using value = Value;
  static constexpr bool has_values = !std::is_same_v<Value, keys_alone>, few_bins = false,
                        chooses_ends = true, counts_ahead = true;
  static constexpr int vector_items = split_vector_items<Key const*>;
  using values_in = std::conditional_t<has_values, Value const*, keys_alone>;
  using values_to = std::conditional_t<has_values, Value*, keys_alone>;

  radix_memory<Key> key_memory;
  radix_memory<Value> value_memory;
  std::int64_t n;
  Order order;
  radix_digits digits;
  std::uint32_t* differing = nullptr;  ///< found by this pass's counting, or null where it is known
  int digit = 0, bins = 0, bits = 0, shift = 0;
  bool in_place = false;
  int shorter = 0;               ///< 1 and 2: the passes of the shorter way
  int next = 0;                  ///< the digit of the next pass that is made, or 0
  bool is_before_first = false;  ///< whether this pass is not made, and the next one is the first
  Key const* keys = nullptr;
  Key* keys_out = nullptr;
  values_in values{};
  values_to values_out{};

  __device__ bool open() {
    if (differing) {
      take_sides(true, true);
      return true;
    }
    unsigned const active = digits.active();
    auto const way = way_of(digits, active);
    if (shorter > 0) {
      bool const goes = shorter == 1 ? way != radix_way::all_passes : way == radix_way::finished;
      if (goes) take_sides(shorter == 1, shorter == 2);
      return goes;
    }
    if (way == radix_way::finished) return false;
    radix_route const route(active, digit, in_place, way == radix_way::all_behind_one);
    unsigned const behind = active >> digit >> 1;
    next = behind != 0 ? digit + __ffs(static_cast<int>(behind)) : 0;
    if (!route.moves) {
      is_before_first = route.from_first && next == digit + 1;
      return false;
    }
    take_sides(route.from_first, route.to_last);
    return true;
  }
  __device__ radix_observer<Order> observer() const { return {order, order.word_of(keys[0]), 0, differing}; }
  __device__ unsigned bin_of(Key const& x) const {
    return static_cast<unsigned>(order.word_of(x) >> shift) & ((1u << bits) - 1);
  }
  __device__ void tell_begin(int, std::int64_t) const {}
  __device__ void tell_all() const {}
  __device__ unsigned bin_of_digit(int which, Key const& x) const {
    return static_cast<unsigned>(order.word_of(x) >> digits.begin_of(which)) &
           ((1u << digits.bits_of(which)) - 1);
  }
  /// The first digit was counted, and keys do not differ in it: the pass before the first that is made has
  /// nothing else to do.
  __device__ void count_for_first(split_counts const& counts) const {
    if (!is_before_first) return;
    auto* const to = counts.ahead_of(next) + std::int64_t{blockIdx.x} * parts_of_pass;
    auto const begin = std::int64_t{blockIdx.x} * counts.chunk_items;
#pragma unroll 1
    for (std::int64_t i = threadIdx.x; i - threadIdx.x < counts.chunk_items; i += blockDim.x) {
      bool const exists = i < counts.chunk_items && begin + i < n;
      split_counts::add_one(to, exists,
                            exists ? static_cast<int>(bin_of_digit(next, key_memory.first[begin + i])) : 0);
    }
  }

 private:
  __device__ void take_sides(bool from_first, bool to_last) {
    keys = from_first ? key_memory.first : to_last ? key_memory.between : key_memory.last;
    keys_out = to_last ? key_memory.last : key_memory.between;
    if constexpr (has_values) {
      values = from_first ? value_memory.first : to_last ? value_memory.between : value_memory.last;
      values_out = to_last ? value_memory.last : value_memory.between;
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
