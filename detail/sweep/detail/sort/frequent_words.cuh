// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_FREQUENT_WORDS_CUH
#define SWEEP_DETAIL_SORT_FREQUENT_WORDS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/sort/radix_pass.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Where values move with keys, of which a sample has few words often, one pass splits all items by these
// words: each has a bin, and so has what lies between two of them. What is of frequent words is in its place
// then, and others, which are few, go by their digits, all of them together.

/// Whether there are values, and registers left beside a pair.
template <class Key, class Value>
inline constexpr bool has_frequent_words = [] {
  if constexpr (std::is_same_v<Value, keys_alone>) return false;
  else return sizeof(Key) + sizeof(Value) <= 12;
}();

/// In the device's memory: words in order, and behind the last the highest there is.
template <class Word>
struct frequent_words {
  static constexpr int most = 127;
  /// A word that a sample has so often has a bin, and those that have one are so many of it, at least.
  SWEEP_HD static constexpr int least_of_word(int sample) { return sample / most + 1; }
  SWEEP_HD static constexpr int least_of_all(int sample) { return sample - sample * 2 / 5; }
  Word words[most + 1];

  __device__ static unsigned bin_of(Word const* words, Word w) {
    int below = 0;  // so many
#pragma unroll 1
    for (int step = (most + 1) / 2; step > 0; step /= 2)
      if (words[below + step - 1] < w) below += step;
    return 2 * static_cast<unsigned>(below) + (words[below] == w ? 1 : 0);
  }
};

/// The pass by them, which each block has a copy of in shared memory.
template <class Key, class Value, class Order>
struct frequent_words_pass : radix_moved<Key, Value, Order> {
  using word = typename Order::word;
  static constexpr bool any_order = false, tells_next = false, bins_are_digits = false;
  struct next_bins {};
  next_bins next{};

  __device__ static word* words() {
    __shared__ word own[frequent_words<word>::most + 1];
    return own;
  }
  __device__ unsigned bin_of(Key const& x) const {
    return frequent_words<word>::bin_of(words(), this->order.word_of(x));
  }
  __device__ sees_nothing observer() const { return {}; }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
