// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SHIFTED_VECTORS_CUH
#define SWEEP_DETAIL_BLOCK_SHIFTED_VECTORS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/relocatable.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Vectors that begin between the boundaries of their size are loaded as the two that they lie in, and
// shifted.

/// The first words of those found, as they are `shift` bytes further, fewer than are found beyond them: 1, 2
/// or 4 words. Of items so aligned the shift is a multiple of their alignment. What is found ends up shifted
/// by whole words.
template <std::size_t Alignment, int Words, int Found>
__device__ void shift_words(unsigned (&found)[Found], int shift, unsigned (&word)[Words]) {
  constexpr int beyond = Found - Words;
  static_assert(beyond == 1 || beyond == 2 || beyond == 4);
  bool const by_two = (shift & 8) != 0, by_one = (shift & 4) != 0;
  if constexpr (beyond == 4) {
#pragma unroll
    for (int w = 0; w < Words + 2; ++w) found[w] = by_two ? found[w + 2] : found[w];
  }
  if constexpr (beyond >= 2 && Alignment < 8) {
#pragma unroll
    for (int w = 0; w < Words + 1; ++w) found[w] = by_one ? found[w + 1] : found[w];
  }
#pragma unroll
  for (int w = 0; w < Words; ++w)
    if constexpr (Alignment >= 4) word[w] = found[w];
    else word[w] = __funnelshift_r(found[w], found[w + 1], static_cast<unsigned>(shift & 3) * 8);
}

/// Whether items begin anywhere in words of 4 bytes.
template <class Item>
inline constexpr bool is_narrow = alignof(Item) < 4;

/// Loads V neighbouring narrow items, wherever they begin: the aligned words that hold them and the next one,
/// of which bytes up to 15 before them and 16 behind are not theirs.
template <class Item, int V>
__device__ void load_words_around(Item const* p, item_vector<Item, V>& items) {
  constexpr int words = item_vector<Item, V>::words;
  auto const address = reinterpret_cast<std::uintptr_t>(p);
  if constexpr (words % 4 == 0) {
    auto const* const from = reinterpret_cast<uint4 const*>(address / 16 * 16);
    unsigned found[words + 4];
#pragma unroll
    for (int w = 0; w <= words / 4; ++w) {
      auto const four = __ldca(from + w);
      found[4 * w] = four.x;
      found[4 * w + 1] = four.y;
      found[4 * w + 2] = four.z;
      found[4 * w + 3] = four.w;
    }
    shift_words<alignof(Item)>(found, static_cast<int>(address % 16), items.word);
  } else {
    auto const* const from = reinterpret_cast<unsigned const*>(address / 4 * 4);
    unsigned found[words + 1];
#pragma unroll
    for (int w = 0; w <= words; ++w) found[w] = __ldca(from + w);
#pragma unroll
    for (int w = 0; w < words; ++w)
      items.word[w] = __funnelshift_r(found[w], found[w + 1], static_cast<unsigned>(address % 4) * 8);
  }
}

/// Whether it takes less time to shift V such items than to load them one by one: not so of wider ones.
template <class Item, int V>
inline constexpr bool shifts_vectors = relocatable<Item> && sizeof(Item) < 4 &&
                                       (V * sizeof(Item) == 4 || V * sizeof(Item) == 8 ||
                                        V * sizeof(Item) == 16);

/// The first `count` of R vectors of V neighbours, wherever n items begin in memory: vector r is that of the
/// items from place(r) of `span` of them on, which begin with item `base`. All are on their way at once. What
/// does not exist of a vector is unspecified, and none is read that does not; no lane has two that lie at the
/// same end of the n.
template <int R, int V, class Item, class Place>
__device__ void load_shifted_vectors(Item const* items, std::int64_t n, std::int64_t base, int span,
                                     Place place, item_vector<Item, V> (&rows)[R], int count = R) {
  using vector = item_vector<Item, V>;
  constexpr int size = sizeof(Item), bytes = vector::bytes, words = vector::words;
  using word_type = typename vector_type<bytes>::type;
  auto const address = reinterpret_cast<std::int64_t>(items) + base * size, aligned = address & -bytes;
  int const shift = static_cast<int>(address - aligned);
  // Which of the span, and of what is near it, exist; and where the first and the last lie of the vectors on
  // boundaries that do.
  constexpr std::int64_t far = 1 << 26;
  int begin = static_cast<int>(max(-far, -base)), end = static_cast<int>(min(far, n - base));
  int const low = (begin * size + shift + bytes - 1) & -bytes, high = ((end * size + shift) & -bytes) - bytes;
  auto const load = [&](int at) {
    if (high < low) return word_type{};
    return __ldca(reinterpret_cast<word_type const*>(aligned + max(low, min(at, high))));
  };
  word_type first[R];
#pragma unroll
  for (int r = 0; r < R; ++r)
    if (r < count) first[r] = load(place(r) * size);
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (r >= count) break;
    // Most often the first of the next lane's, which is in the first-level cache.
    auto const second = load(place(r) * size + bytes);
    unsigned found[2 * words];
    memcpy(found, &first[r], bytes);
    memcpy(found + words, &second, bytes);
    shift_words<alignof(Item)>(found, shift, rows[r].word);
  }
  // At the ends what exists of a vector does not all lie in these.
  if (low <= 0 && high >= span * size) return;
  asm("" : "+l"(base), "+l"(n));  // found anew, from what is in no register
  begin = static_cast<int>(max(-far, -base));
  end = static_cast<int>(min(far, n - base));
#pragma unroll 1
  for (int side = 0; side < 2; ++side) {
    unsigned which = 0;  // one bit, so that no row is found by its number
    int lone = 0;
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (int const p = place(r), at = p * size + shift;
          r < count && (side == 0 ? at < low : at > high) && p + V > begin && p < end) {
        which = 1u << r;
        lone = p;
      }
    if (which == 0) continue;
    Item each[V];
#pragma unroll
    for (int v = 0; v < V; ++v) put_bytes(each[v], items[base + max(begin, min(lone + v, end - 1))]);
    vector some;
    some.pack(each);
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int w = 0; w < words; ++w)
        rows[r].word[w] = (which >> r & 1) != 0 ? some.word[w] : rows[r].word[w];
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
