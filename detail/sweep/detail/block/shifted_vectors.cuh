// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SHIFTED_VECTORS_CUH
#define SWEEP_DETAIL_BLOCK_SHIFTED_VECTORS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/relocatable.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Vectors that begin between boundaries are loaded as what lies between boundaries around them, and shifted.

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

/// Whether items begin anywhere in words of 4 bytes: then it takes less time to shift vectors of them than to
/// load them one by one. Of wider ones it does not.
template <class Item>
inline constexpr bool is_narrow = alignof(Item) < 4;

/// Whether 16 bytes around vectors are the range's, too, or may lie beyond its ends.
enum class words_around { exist, may_end };

/// Of R vectors of V neighbours, wherever n items begin in memory, the first `count`: row(r) becomes that of
/// the items from place(r) of `span` of them on, which begin with item `base`. All are on their way at once.
/// What does not exist of a vector is unspecified, and none is read that does not; no lane has two that lie
/// at the same end of the n.
template <int R, int V, words_around Around = words_around::may_end, class Item, class Place, class Row>
__device__ void load_shifted_vectors(Item const* items, std::int64_t n, std::int64_t base, int span,
                                     Place place, Row row, int count = R) {
  using vector = item_vector<Item, V>;
  // Vectors are loaded in units as wide as they are multiples of, one more than they have.
  constexpr int size = sizeof(Item), bytes = vector::bytes, words = vector::words,
                unit = bytes % 4 == 0 ? vector_width(bytes) : 4, units = (bytes + unit - 1) / unit;
  using unit_type = typename vector_type<unit>::type;
  auto const address = reinterpret_cast<std::int64_t>(items) + base * size, aligned = address & -unit;
  int const shift = static_cast<int>(address - aligned);
  // Where a vector's first unit lies, and how far behind that the vector.
  auto const unit_of = [&](int p) { return bytes % unit == 0 ? p * size : (p * size + shift) & -unit; };
  auto const shift_of = [&](int p) { return bytes % unit == 0 ? shift : (p * size + shift) & (unit - 1); };
  // Which of the span, and of what is near it, exist; and where the first and the last lie of the units that
  // do.
  constexpr std::int64_t far = (1 << 28) / size;
  int begin = static_cast<int>(max(-far, -base)), end = static_cast<int>(min(far, n - base));
  int const low = (begin * size + shift + unit - 1) & -unit, high = ((end * size + shift) & -unit) - unit;
  auto const load = [&](int at) {
    if constexpr (Around == words_around::may_end) {
      if (high < low) return unit_type{};
      at = max(low, min(at, high));
    }
    return __ldca(reinterpret_cast<unit_type const*>(aligned + at));
  };
  unit_type first[R][units];
#pragma unroll
  for (int r = 0; r < R; ++r)
    if (r < count) {
#pragma unroll
      for (int u = 0; u < units; ++u) first[r][u] = load(unit_of(place(r)) + u * unit);
    }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (r >= count) break;
    // Most often the first of the next lane's, which is in the first-level cache.
    auto const second = load(unit_of(place(r)) + units * unit);
    unsigned found[(units + 1) * unit / 4];
    memcpy(found, first[r], sizeof(first[r]));
    memcpy(found + units * unit / 4, &second, unit);
    shift_words<alignof(Item)>(found, shift_of(place(r)), row(r).word);
  }
  if constexpr (Around == words_around::exist) return;
  // At the ends what exists of a vector does not all lie in these.
  if (low <= 0 && high >= unit_of(span) + (bytes % unit == 0 ? 0 : unit)) return;
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
          r < count && (side == 0 ? at < low : at + bytes > high + unit) && p + V > begin && p < end) {
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
      for (int w = 0; w < words; ++w) row(r).word[w] = (which >> r & 1) != 0 ? some.word[w] : row(r).word[w];
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
