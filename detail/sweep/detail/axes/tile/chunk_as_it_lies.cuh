// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CHUNK_AS_IT_LIES_CUH
#define SWEEP_DETAIL_AXES_TILE_CHUNK_AS_IT_LIES_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/core/relocatable.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A chunk of a line of narrow items that is folded, in 16-byte words as they lie in memory, wherever it
/// begins there: lanes bring them by asynchronous copies, and shift them as they take their strips. Items of
/// a register or more take less time one by one.
template <class Problem>
struct chunk_as_it_lies {
  using T = typename Problem::value;
  using raw = typename Problem::raw;
  static constexpr bool possible = Problem::what == line_result::total && sizeof(raw) < 4 &&
                                   std::is_pointer_v<decltype(Problem::in)> && relocatable<raw> &&
                                   fills_words<raw>;
  static constexpr int strip = strip_items<T, Problem::what>, items = chunk_items<T, Problem::what>,
                       strip_bytes = strip * static_cast<int>(sizeof(raw)),
                       strip_words = (strip_bytes + 15) / 16, most_words = 2 * strip_bytes + 2;
  static constexpr int bytes = 16 * (most_words + most_words / 8);

  /// Where a chunk lies in memory: its first byte, and the bytes of its line.
  struct place {
    std::uintptr_t first, from, to;
    int count;  ///< of items
  };

  unsigned char* memory;
  place const& at;
  int lane;

  /// Word w of the chunk's: one is left out behind every 128 bytes, so that strips lie on different banks.
  __device__ unsigned char* word(int w) const { return memory + 16 * (w + w / 8); }
  __device__ int shift() const { return static_cast<int>(at.first % 16); }

  /// Its items are on their way. Of a word that lies partly outside of the line no byte is touched there.
  __device__ void ask() const {
    auto const aligned = at.first - static_cast<unsigned>(shift());
    int const words = (shift() + at.count * static_cast<int>(sizeof(raw)) + 15) / 16;
    if (aligned >= at.from && aligned + 16 * static_cast<unsigned>(words) <= at.to) {
      constexpr int whole = 2 * strip_bytes;  // words of a whole chunk: 32 of them lie 36 apart
      auto* const to = word(lane);
      auto const* const from = reinterpret_cast<uint4 const*>(aligned) + lane;
      if (at.count == items) {
#pragma unroll
        for (int k = 0; k < whole; k += 32)
          if (whole % 32 == 0 || lane + k < whole) copy_16_bytes_async(to + 18 * k, from + k);
        if (lane + whole < words) copy_16_bytes_async(to + 18 * whole, from + whole);
      } else {
        for (int k = 0; lane + k < words; k += 32) copy_16_bytes_async(to + 18 * k, from + k);
      }
      return;
    }
    for (int w = lane; w < words; w += 32)
      if (auto const one = aligned + 16 * static_cast<unsigned>(w); one >= at.from && one + 16 <= at.to)
        copy_16_bytes_async(word(w), reinterpret_cast<void const*>(one));
    bool const begins_before = aligned < at.from;
    if (begins_before) ask_bytes(aligned, 0);
    if (aligned + 16 * static_cast<unsigned>(words) > at.to && !(begins_before && words == 1))
      ask_bytes(aligned, words - 1);
  }
  /// Of word w, which lies partly in the line, those bytes that do.
  __device__ void ask_bytes(std::uintptr_t aligned, int w) const {
    auto const byte = aligned + 16 * static_cast<unsigned>(w) + static_cast<unsigned>(lane);
    if (lane < 16 && byte >= at.from && byte < at.to)
      word(w)[lane] = *reinterpret_cast<unsigned char const*>(byte);
  }
  /// A lane's strip. What a last chunk lacks is not looked at.
  __device__ void get_strip(Problem const& problem, T (&x)[strip]) const {
    item_vector<raw, strip> vector;
    constexpr int registers = item_vector<raw, strip>::words;
    unsigned found[registers + 4];
    int const first = lane * strip_bytes + shift(), shifted = first % 16;
    auto const* const own = word(first / 16);  // of whole words a strip has those up to a gap, or to the next
    auto const take = [&](int w, unsigned char const* from) {
      auto const four = *reinterpret_cast<uint4 const*>(from);
      unsigned const each[4]{four.x, four.y, four.z, four.w};
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (4 * w + k < registers + 4) found[4 * w + k] = each[k];
    };
#pragma unroll
    for (int w = 0; w < strip_words; ++w) take(w, own + 16 * w);
    if (shifted == 0) {
#pragma unroll
      for (int w = 0; w < registers; ++w) vector.word[w] = found[w];
    } else {
      take(strip_words, word(first / 16 + strip_words));
      shift_words<alignof(raw)>(found, shifted, vector.word);
    }
    raw of[strip];
    vector.unpack_numbers(of);
#pragma unroll
    for (int k = 0; k < strip; ++k) put_bytes(x[k], problem.of(of[k]));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
