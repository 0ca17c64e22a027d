// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_SHARED_WINDOW_CUH
#define SWEEP_DETAIL_BLOCK_SHARED_WINDOW_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/alignment.hpp>

#include <cstdint>
#include <cstring>

namespace sweep::inline SWEEP_ABI::detail {

// A window is neighbouring items of any size and any alignment in shared memory. It is loaded as the aligned
// 16-byte words that hold it, and keeps its place in them; lanes shift what they read into place.

/// How many bytes behind a 16-byte boundary an item lies, in memory and in its window.
template <class Item>
__device__ int window_shift(Item const* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % 16);
}

/// 16 bytes on their way into shared memory, past the registers.
__device__ inline void start_copy_16(void* to, void const* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from))
      : "memory");
#else
  *static_cast<uint4*>(to) = *static_cast<uint4 const*>(from);
#endif
}
/// This thread's copies have landed.
__device__ inline void wait_for_window() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Starts to bring items [from, to), counted from item `base`, of n: item `base` to `window` +
/// window_shift(in + base). Words that reach beyond the n items are brought byte by byte.
template <int Threads, class Item>
__device__ void load_window(unsigned char* window, Item const* in, std::int64_t n, std::int64_t base,
                            int from, int to, int thread) {
  constexpr int size = static_cast<int>(sizeof(Item));
  auto const* const begin = reinterpret_cast<unsigned char const*>(in);
  auto const* const end = reinterpret_cast<unsigned char const*>(in + n);
  auto const* const first = reinterpret_cast<unsigned char const*>(in + base);
  int const shift = window_shift(first), bytes = shift + to * size;
  auto const* const words = first - shift;
  for (int b = (shift + from * size) / 16 * 16 + thread * 16; b < bytes; b += Threads * 16) {
    if (words + b >= begin && words + b + 16 <= end) {
      start_copy_16(window + b, words + b);
    } else {
      for (int k = b; k < b + 16; ++k)
        if (words + k >= begin && words + k < end) window[k] = words[k];
    }
  }
}

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
