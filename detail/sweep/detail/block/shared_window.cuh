// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SHARED_WINDOW_CUH
#define SWEEP_DETAIL_BLOCK_SHARED_WINDOW_CUH

#include <sweep/detail/block/vector_io.cuh>

#include <cstdint>
#include <cstring>

namespace sweep::inline SWEEP_ABI::detail {

// A window is neighbouring items of any size and any alignment in shared memory; lanes shift what they read
// into place.

/// N neighbouring items of a window, in words as wide as their alignment allows; up to 7 bytes behind them
/// are read too.
template <class Item, int N>
__device__ void load_from_window(unsigned char const* p, Item (&items)[N]) {
  constexpr int bytes = N * static_cast<int>(sizeof(Item)), words = (bytes + 3) / 4;
  item_vector<Item, N> vector;
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
  } else {
    auto const shift = static_cast<unsigned>(__cvta_generic_to_shared(p)) % 4;
    auto const* const from = reinterpret_cast<unsigned const*>(p - shift);
    unsigned low = from[0];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      unsigned const high = from[w + 1];
      vector.word[w] = __funnelshift_r(low, high, shift * 8);
      low = high;
    }
  }
  vector.unpack_each(items);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
