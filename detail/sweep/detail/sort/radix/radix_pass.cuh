// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RADIX_PASS_CUH
#define SWEEP_DETAIL_SORT_RADIX_RADIX_PASS_CUH

#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/multisplit/tile.cuh>
#include <sweep/detail/sort/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The shorter way, by the device: zeros at first. It is not worth it where many keys are outside of what the
/// sample had, and was gone in vain where too many are in groups that no block has room for.
struct radix_shorter {
  std::uint32_t digits;  ///< how many passes it has, or 0; first, since its address is asked for most often
  std::uint32_t too_large;  ///< whether too many groups are, or have too many items
  unsigned long long outside, most_outside;
  /// Whether keys of a group are to be all alike, so that no group need be sorted; or those of frequent words
  /// are, by which this way is one pass.
  enum alike_keys : std::uint32_t { none, of_groups, of_frequent_words } alike;
  std::uint32_t large, large_differ;  ///< how many groups no block has room for; whether one is of many words
  std::uint32_t frequent;             ///< set_apart_by: how frequent keys are set apart, in place of this way

  /// Whether it was gone to its end and left groups that are to be sorted. Blocks begin with that, and so ask
  /// for all of it at once.
  __device__ bool has_groups() const {
    return (static_cast<int>(digits != 0) & static_cast<int>(outside <= most_outside) &
            static_cast<int>((too_large | (alike & of_groups)) == 0)) != 0;
  }
};

/// The digits of words, and those that matter.
struct radix_digits {
  int begin = 0, end = 0, width = 8, count = 0;
  std::uint32_t const* differing = nullptr;  ///< four words: the bits in which keys differ
  radix_shorter const* shorter = nullptr;    ///< or null

  SWEEP_HD static radix_digits of_bits(int begin, int end) {
    radix_digits digits;
    digits.begin = begin;
    digits.end = end < begin ? begin : end;
    int const bits = digits.end - begin;
    digits.count = (bits + 7) / 8;
    digits.width = digits.count > 0 ? (bits + digits.count - 1) / digits.count : 8;
    return digits;
  }
  SWEEP_HD int begin_of(int digit) const { return begin + digit * width; }
  SWEEP_HD int bits_of(int digit) const {
    return end - begin_of(digit) < width ? end - begin_of(digit) : width;
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
enum class radix_way { not_gone, in_vain, finished };
__device__ inline radix_way way_of(radix_digits const& digits) {
  if (!digits.shorter || digits.shorter->digits == 0) return radix_way::not_gone;
  if (digits.shorter->outside > digits.shorter->most_outside) return radix_way::not_gone;
  return digits.shorter->too_large != 0 ? radix_way::in_vain : radix_way::finished;
}

/// Which memory items are in.
enum class radix_side { first, between, last };

/// Memory that passes move items between: where they are at first, where they are to be, and one more.
template <class T>
struct radix_memory {
  T const* first;
  T* last;
  T* between;

  __device__ T const* of(radix_side side) const {
    return side == radix_side::first ? first : side == radix_side::between ? between : last;
  }
  __device__ T* to(radix_side side) const { return side == radix_side::last ? last : between; }
};
template <>
struct radix_memory<keys_alone> {};

/// Where items are before and after the pass of a digit. The shorter way, and passes in place (the first
/// memory is the last one), begin by moving between; other passes so that they end in the last memory.
struct radix_route {
  radix_side from = radix_side::first, to = radix_side::last;

  /// Behind so many passes of the shorter way.
  __device__ static radix_side behind_shorter(int passes) {
    return passes == 0 ? radix_side::first : passes % 2 == 1 ? radix_side::between : radix_side::last;
  }
  __device__ static radix_side behind_shorter(radix_digits const& digits) {
    return behind_shorter(static_cast<int>(digits.shorter->digits));
  }
  __device__ static radix_route shorter(int pass) { return {behind_shorter(pass), behind_shorter(pass + 1)}; }
  /// By frequent words: to where its digits say, two where items are not in place.
  __device__ static radix_route by_words(bool in_place) {
    return {radix_side::first, in_place ? radix_side::between : radix_side::last};
  }
  __device__ static radix_route of(radix_digits const& digits, unsigned active, int digit, bool in_place) {
    int const before = __popc(active & ((1u << digit) - 1));
    return {after(digits, active, before, in_place), after(digits, active, before + 1, in_place)};
  }
  /// Where passes by all digits begin.
  __device__ static radix_side start(radix_digits const& digits) {
    return way_of(digits) == radix_way::in_vain ? behind_shorter(digits) : radix_side::first;
  }
  /// Behind all passes that the shorter way has left to make.
  __device__ static radix_side at_end(radix_digits const& digits, unsigned active, bool in_place) {
    return after(digits, active, __popc(active), in_place);
  }

 private:
  __device__ static radix_side after(radix_digits const& digits, unsigned active, int passes, bool in_place) {
    auto const begin = start(digits);
    if (passes == 0) return begin;
    bool const ends_in_last = begin == radix_side::first && !in_place;
    if (ends_in_last) passes = __popc(active) - passes;  // as many from the end
    bool const odd = passes % 2 == 1;
    if (ends_in_last) return odd ? radix_side::between : radix_side::last;
    return odd == (begin != radix_side::between) ? radix_side::between : radix_side::last;
  }
};

/// The bits in which a thread's keys differ from the first. All threads tell them.
template <class Order>
struct radix_observer {
  using word = typename Order::word;
  static constexpr int parts = (static_cast<int>(sizeof(word)) + 3) / 4;
  Order const& order;
  word first, differ = 0;
  std::uint32_t* differing;  ///< null where they are known

  template <class Key>
  __device__ void take(Key const& x) {
    differ = static_cast<word>(differ | static_cast<word>(order.alike_word(order.word_of(x)) ^ first));
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

/// A byte for each key, which a pass leaves of its bin in the next: that one counts these, not keys.
struct told_bins {
  using key = unsigned char;
  static constexpr int vector_items = split_vector_items<unsigned char const*>;

  unsigned char const* keys;

  /// Of keys that begin there, so that vectors of bins begin where vectors of keys do. `memory` begins at a
  /// boundary of vectors, and has as many bytes more as the longest.
  template <class Key>
  __device__ static unsigned char* at(unsigned char* memory, Key const* keys) {
    return memory + reinterpret_cast<std::uintptr_t>(keys) / sizeof(Key) % vector_items;
  }
  __device__ unsigned bin_of(unsigned char bin) const { return bin; }
  __device__ sees_nothing observer() const { return {}; }
};

/// What is moved, and between which memories.
template <class Key, class Value, class Order>
struct radix_moved {
  using key = Key;
  using value = Value;
  static constexpr bool has_values = !std::is_same_v<Value, keys_alone>, moves_keys = true, few_bins = false,
                        chooses_ends = true, bins_are_digits = Order::is_plain;
  static constexpr int vector_items = split_vector_items<Key const*>;
  using values_in = std::conditional_t<has_values, Value const*, keys_alone>;
  using values_to = std::conditional_t<has_values, Value*, keys_alone>;

  std::int64_t n = 0;
  Order order;
  int bins = 0, bits = 0;
  Key const* keys = nullptr;
  Key* keys_out = nullptr;
  values_in values{};
  values_to values_out{};

  __device__ void tell_begin(int, std::int64_t) const {}
  __device__ void go(radix_memory<Key> const& key_memory, radix_memory<Value> const& value_memory,
                     radix_route const& route) {
    keys = key_memory.of(route.from);
    keys_out = key_memory.to(route.to);
    if constexpr (has_values) {
      values = value_memory.of(route.from);
      values_out = value_memory.to(route.to);
    }
  }
};

/// The digit of the pass behind one, and where its bins are told.
struct told_digit {
  unsigned char* told = nullptr;
  int shift = 0, bits = 0;
};

/// The pass of one digit.
template <class Key, class Value, class Order, bool AnyOrder = false>
struct radix_pass : radix_moved<Key, Value, Order> {
  static constexpr bool any_order = AnyOrder, tells_next = sizeof(Key) > 1 && split_staged_bytes<Key> != 0;
  using next_bins = told_digit;

  int shift = 0;
  std::uint32_t* differing = nullptr;  ///< found by this pass's counting, or null where it is known
  next_bins next{};

  __device__ radix_observer<Order> observer() const {
    auto const& order = this->order;
    return {order, order.alike_word(order.word_of(this->keys[0])), 0, differing};
  }
  __device__ unsigned bin_of(Key const& x) const {
    return static_cast<unsigned>(this->order.word_of(x) >> shift) & ((1u << this->bits) - 1);
  }
  __device__ unsigned next_bin_of(next_bins const& digit, Key const& x) const {
    return static_cast<unsigned>(this->order.word_of(x) >> digit.shift) & ((1u << digit.bits) - 1);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
