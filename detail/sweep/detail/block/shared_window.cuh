// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SHARED_WINDOW_CUH
#define SWEEP_DETAIL_BLOCK_SHARED_WINDOW_CUH

#include <sweep/detail/block/vector_io.cuh>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sweep::inline SWEEP_ABI::detail {

// A window is neighbouring items of any size and any alignment in shared memory; lanes shift what they read
// into place.

/// N neighbouring items of a window, in words as wide as their alignment allows. No word is read but those
/// that hold some of their bytes.
template <class Item, int N>
__device__ void load_window(unsigned char const* p, item_vector<Item, N>& vector) {
  constexpr int bytes = N * static_cast<int>(sizeof(Item)), words = item_vector<Item, N>::words;
  if constexpr (alignof(Item) >= 4) {
    constexpr int widest = vector_width(bytes),
                  sure = alignof(Item) < 16 ? static_cast<int>(alignof(Item)) : 16;
    if (widest == sure || reinterpret_cast<std::uintptr_t>(p) % widest == 0) load_shared(p, vector);
    else {
      using W = typename vector_type<sure>::type;
      W parts[bytes / sure];
#pragma unroll
      for (int w = 0; w < bytes / sure; ++w) parts[w] = reinterpret_cast<W const*>(p)[w];
      memcpy(vector.word, parts, sizeof(parts));
    }
  } else if constexpr (bytes <= static_cast<int>(alignof(Item))) {
    load_shared(p, vector);
  } else {
    constexpr int read = (bytes + 6) / 4;
    auto const shift = static_cast<unsigned>(__cvta_generic_to_shared(p)) % 4;
    auto const* const from = reinterpret_cast<unsigned const*>(p - shift);
    unsigned low = from[0];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      unsigned high = 0;
      if (w + 2 < read || (w + 1 < read && static_cast<int>(shift) + bytes > 4 * (w + 1))) high = from[w + 1];
      vector.word[w] = __funnelshift_r(low, high, shift * 8);
      low = high;
    }
  }
}
template <class Item, int N>
__device__ void load_from_window(unsigned char const* p, Item (&items)[N]) {
  item_vector<Item, N> vector;
  load_window(p, vector);
  vector.unpack_each(items);
}

/// Whether no words of four bytes make an item of more than two.
SWEEP_HD constexpr bool fills_no_words(std::size_t bytes) { return bytes > 2 && bytes % 4 != 0; }
/// Whether nothing but bytes does.
SWEEP_HD constexpr bool is_made_of_bytes(std::size_t bytes) { return bytes > 2 && bytes % 2 == 1; }

/// Puts one item anywhere into a window, if it is wanted, in words as wide as its place allows: what is not
/// whole words of four bytes is one byte and one of two, before the words or behind them.
template <class Item>
__device__ void store_in_window(unsigned char* p, item_vector<Item, 1> const& item, bool wanted = true) {
  constexpr int bytes = static_cast<int>(sizeof(Item)), words = item_vector<Item, 1>::words;
  // The four bytes from this one on, of which those behind the item are unspecified.
  auto const from = [&](int first, int shift) {
    unsigned const low = item.word[first], high = item.word[first + 1 < words ? first + 1 : first];
    return words > 1 ? __funnelshift_r(low, high, static_cast<unsigned>(shift) * 8) : low >> shift * 8;
  };
  // What is stored is made before anything is: the stores differ by a predicate, not by a branch.
  if constexpr (bytes % 4 == 0 || bytes < 3) {
    constexpr int natural = alignof(Item) < 16 ? static_cast<int>(alignof(Item)) : 16;
    using W = typename vector_type<natural>::type;
    W parts[bytes / natural];
    memcpy(parts, item.word, sizeof(parts));
    if (wanted) {
#pragma unroll
      for (int w = 0; w < bytes / natural; ++w) reinterpret_cast<W*>(p)[w] = parts[w];
    }
  } else {
    auto const address = static_cast<unsigned>(__cvta_generic_to_shared(p));
    bool const odd = alignof(Item) % 2 != 0 && (address & 1) != 0;
    constexpr int last = bytes - 1;
    if constexpr (bytes % 4 == 3) {
      // A byte first or last, between even places two bytes first or last, and words.
      int const begin = odd ? 1 : 0;
      auto const byte = static_cast<unsigned char>(odd ? item.word[0] : from(last / 4, last % 4));
      bool const half_first = ((address + 1) & 2) != 0;
      constexpr int behind = bytes - 3;  // where two bytes are last, or one byte further
      auto const half = static_cast<unsigned short>(half_first ? from(0, begin) : from(behind / 4, begin));
      int const skipped = begin + (half_first ? 2 : 0);
      unsigned between[bytes / 4 + 1];
#pragma unroll
      for (int w = 0; w < bytes / 4; ++w) between[w] = from(w, skipped);
      if (wanted) {
        *(odd ? p : p + last) = byte;
        *reinterpret_cast<unsigned short*>(half_first ? p + begin : p + behind + begin) = half;
#pragma unroll
        for (int w = 0; w < bytes / 4; ++w) *reinterpret_cast<unsigned*>(p + skipped + 4 * w) = between[w];
      }
    } else if constexpr (bytes % 4 == 1) {
      int const begin = odd ? 1 : 0;
      auto const byte = static_cast<unsigned char>(odd ? item.word[0] : from(last / 4, last % 4));
      unsigned short halves[bytes / 2];
#pragma unroll
      for (int h = 0; h < bytes / 2; ++h)
        halves[h] = static_cast<unsigned short>(from(h / 2, begin + h % 2 * 2));
      if (wanted) {
        *(odd ? p : p + last) = byte;
#pragma unroll
        for (int h = 0; h < bytes / 2; ++h) *reinterpret_cast<unsigned short*>(p + begin + 2 * h) = halves[h];
      }
    } else if (!odd) {
      bool const half_first = (address & 2) != 0;
      auto const half = static_cast<unsigned short>(half_first ? item.word[0] : item.word[words - 1]);
      int const skipped = half_first ? 2 : 0;
      unsigned between[bytes / 4];
#pragma unroll
      for (int w = 0; w < bytes / 4; ++w) between[w] = from(w, skipped);
      if (wanted) {
        *reinterpret_cast<unsigned short*>(half_first ? p : p + bytes - 2) = half;
#pragma unroll
        for (int w = 0; w < bytes / 4; ++w) *reinterpret_cast<unsigned*>(p + skipped + 4 * w) = between[w];
      }
    } else if (wanted) {  // as are the items beside it
      p[0] = static_cast<unsigned char>(item.word[0]);
#pragma unroll
      for (int h = 0; h < bytes / 2 - 1; ++h)
        *reinterpret_cast<unsigned short*>(p + 1 + 2 * h) =
            static_cast<unsigned short>(from(h / 2, 1 + h % 2 * 2));
      p[last] = static_cast<unsigned char>(from(last / 4, last % 4));
    }
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
