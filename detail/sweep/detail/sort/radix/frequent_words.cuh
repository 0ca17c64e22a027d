// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_FREQUENT_WORDS_CUH
#define SWEEP_DETAIL_SORT_RADIX_FREQUENT_WORDS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Where values move with keys, of which a sample has few words often, one pass splits all items by these
// words: each has a bin, and so has what lies between two of them. What is of frequent words is in its place
// then. Others, which are few, are split by some of their own words too, so that a block has room for what is
// between two; where they are too many for that they go by their digits, all of them together.

/// 32 bits of a word, as if by chance. Made anew wherever they are asked for: registers are few.
template <class Word>
__device__ unsigned mixed_word(Word w) {
  constexpr int word_bits = static_cast<int>(sizeof(Word)) * 8;
  unsigned mix = 0;
  asm volatile("" : "+r"(mix));
#pragma unroll
  for (int p = 0; p < (word_bits + 31) / 32; ++p) {
    mix = (mix ^ static_cast<unsigned>(w >> (32 * p) % word_bits)) * 0x9e3779b1u;
    mix ^= mix >> 15;
  }
  return mix * 0x85ebca6bu;
}

/// Whether there are values, and registers left beside a pair.
template <class Key, class Value>
inline constexpr bool has_frequent_words = [] {
  if constexpr (std::is_same_v<Value, keys_alone>) return false;
  else return sizeof(Key) + sizeof(Value) <= 12;
}();

/// Words that items are split by, in order; behind the last the highest there is. Bins are a gap before each
/// word and one behind the last, and in between one of each frequent word; what is of another word is in the
/// gap behind it.
template <class Word>
struct frequent_words {
  static constexpr int most = 255, most_frequent = 126;
  /// A word that a sample has so often is frequent, and those that are are so many of it, at least.
  SWEEP_HD static constexpr int least_of_word(int sample) { return sample / (most_frequent + 1) + 1; }
  SWEEP_HD static constexpr int least_of_all(int sample) { return sample - sample * 2 / 5; }

  Word words[most + 1];
  unsigned char gaps[most + 1];  ///< the bin of what is before a word
  std::uint32_t count, half;     ///< of words; half of the power of two above that

  __device__ unsigned bin_of(Word w) const {
    unsigned below = 0;  // so many
#pragma unroll 1
    for (unsigned step = half; step > 0; step /= 2)
      if (words[below + step - 1] < w) below += step;
    return gaps[below] + (words[below] == w ? 1u : 0u);
  }
};

/// The pass by them, which each block has a copy of in shared memory.
template <class Key, class Value, class Order>
struct frequent_words_pass : radix_moved<Key, Value, Order> {
  using table = frequent_words<typename Order::word>;
  static constexpr bool any_order = false, tells_next = false, bins_are_digits = false;
  struct next_bins {};
  next_bins next{};

  __device__ static table& words() {
    __shared__ table own;
    return own;
  }
  template <int Threads>
  __device__ static void read(table const& from) {
    static_assert(sizeof(table) % 4 == 0);
    for (unsigned t = thread_here(); t < sizeof(table) / 4; t += Threads)
      reinterpret_cast<std::uint32_t*>(&words())[t] = reinterpret_cast<std::uint32_t const*>(&from)[t];
    __syncthreads();
  }
  __device__ unsigned bin_of(Key const& x) const { return words().bin_of(this->order.word_of(x)); }
  __device__ sees_nothing observer() const { return {}; }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
