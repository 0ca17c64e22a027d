// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_STORE_CONTIGUOUS_CUH
#define SWEEP_DETAIL_BLOCK_STORE_CONTIGUOUS_CUH

#include <sweep/detail/block/vector_io.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Width of the words in which neighbouring items of this type can be stored, whichever of them is the first.
template <class Item>
inline constexpr int contiguous_width = alignof(Item) < 4    ? 1
                                        : alignof(Item) < 16 ? static_cast<int>(alignof(Item))
                                                             : 16;

/// Some threads, of which this is number t, copy bytes from anywhere in shared memory to anywhere in global
/// memory, in words there, each put together from two words of shared memory, so that up to 4 bytes behind
/// the last may be read.
__device__ inline void store_bytes(unsigned char* to, unsigned char const* from, int bytes, int t,
                                   int threads) {
  int const head = min(static_cast<int>((0 - reinterpret_cast<std::uintptr_t>(to)) % 4), bytes),
            words = (bytes - head) / 4, tail = head + 4 * words,
            shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(from + head) % 4);
  auto const* const aligned = reinterpret_cast<unsigned const*>(from + head - shift);
  auto* const out = reinterpret_cast<unsigned*>(to + head);
#pragma unroll 4
  for (int i = t; i < words; i += threads)
    __stcs(out + i, __funnelshift_r(aligned[i], aligned[i + 1], shift * 8));
  if (t < head) to[t] = from[t];
  if (t < bytes - tail) to[tail + t] = from[tail + t];
}

/// All threads of a block copy `count` neighbouring items from shared memory to anywhere in global memory, in
/// words of at least 4 bytes. Narrower items need not begin a word.
template <class Item>
__device__ void store_contiguous(Item* to, unsigned char const* stage, int first, int count) {
  int const t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if constexpr (contiguous_width<Item> >= 4) {
    using W = typename vector_type<contiguous_width<Item>>::type;
    constexpr int words = static_cast<int>(sizeof(Item)) / contiguous_width<Item>;
    auto const* from = reinterpret_cast<W const*>(stage) + first * words;
    auto* const out = reinterpret_cast<W*>(to);
#pragma unroll 4
    for (int i = t; i < count * words; i += threads) __stcs(out + i, from[i]);
  } else {
    constexpr int size = static_cast<int>(sizeof(Item));
    store_bytes(reinterpret_cast<unsigned char*>(to), stage + first * size, count * size, t, threads);
  }
}

/// The same width as an unsigned type, at most 4 bytes.
template <class Item>
using contiguous_unit = typename vector_type<(contiguous_width<Item> < 4 ? contiguous_width<Item> : 4)>::type;

/// A warp copies bytes from shared to global memory; both begin at the same place in 16 bytes, and are made
/// of units.
template <class Unit>
__device__ void store_contiguous_aligned(unsigned char* to, unsigned char const* from, int bytes, int lane,
                                         Unit) {
  int const head = min(static_cast<int>((0 - reinterpret_cast<std::uintptr_t>(to)) % 16), bytes),
            quads = (bytes - head) / 16, tail = head + 16 * quads;
#pragma unroll 2
  for (int i = lane; i < quads; i += 32)
    reinterpret_cast<uint4*>(to + head)[i] = reinterpret_cast<uint4 const*>(from + head)[i];
  // Fewer than 16 bytes on either side.
  constexpr int unit = static_cast<int>(sizeof(Unit));
  int const at = lane % 16 * unit;
  if (int const p = lane < 16 ? at : tail + at; p < (lane < 16 ? head : bytes))
    *reinterpret_cast<Unit*>(to + p) = *reinterpret_cast<Unit const*>(from + p);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
