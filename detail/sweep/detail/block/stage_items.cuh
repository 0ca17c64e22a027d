// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_STAGE_ITEMS_CUH
#define SWEEP_DETAIL_BLOCK_STAGE_ITEMS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Neighbouring items of any range in shared memory. What a pointer leads to is copied 16 bytes at a time and
// keeps its place within 16 bytes, wherever that is; only bytes of the range are read.

/// Bytes that so many bytes of items take: 16 more on either side, so that words may be read that are not the
/// items' alone.
SWEEP_HD constexpr int staged_bytes(int item_bytes) { return (item_bytes + 15) / 16 * 16 + 48; }

/// Where to.
template <class Item, int N>
struct staged_items {
  static constexpr int bytes = staged_bytes(N * static_cast<int>(sizeof(Item)));
  alignas(16) alignas(Item) unsigned char room[bytes];
};

/// Some threads, at least 32, of which this is number t, bring `count` items from `first` on; they are there
/// when every thread has awaited its copies and a barrier has been passed. Returns where the first of them
/// lies, at least 16 bytes into the room.
template <class Item, class It>
__device__ unsigned char* stage_items_by(unsigned char* room, It const& from, std::int64_t first, int count,
                                         int t, int threads) {
  if constexpr (std::is_pointer_v<It> && std::is_same_v<std::remove_cv_t<std::remove_pointer_t<It>>, Item>) {
    auto const* const source = reinterpret_cast<unsigned char const*>(from + first);
    int const shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(source) % 16),
              bytes = count * static_cast<int>(sizeof(Item)), head = min((16 - shift) % 16, bytes),
              quads = (bytes - head) / 16, tail = head + 16 * quads;
    auto* const at = room + 16 + shift;
    // Line by line: warps that share lines ask for their sectors twice.
    int const behind_line = static_cast<int>(reinterpret_cast<std::uintptr_t>(source + head) % 128 / 16);
    int i = t - behind_line;
    if (i >= 0 && i < quads) copy_16_bytes_async(at + head + 16 * i, source + head + 16 * i);
#pragma unroll 4
    for (i += threads; i < quads; i += threads)
      copy_16_bytes_async(at + head + 16 * i, source + head + 16 * i);
    // Fewer than 16 bytes on either side.
    if constexpr (alignof(Item) >= 4) {
      constexpr int part = alignof(Item) >= 8 ? 8 : 4;
      if (int const p = t * part; p < head) copy_async<part>(at + p, source + p);
      if (int const p = tail + t * part; p < bytes) copy_async<part>(at + p, source + p);
    } else if (int const p = t < 16 ? t : tail + t - 16; t < 32 && p < (t < 16 ? head : bytes)) {
      at[p] = source[p];
    }
    return at;
  } else {
    // Several loads on their way at a time.
    constexpr int each = sizeof(Item) <= 4 ? 8 : sizeof(Item) <= 8 ? 4 : sizeof(Item) <= 16 ? 2 : 1;
    auto* const items = reinterpret_cast<Item*>(room + 16 + (alignof(Item) > 16 ? alignof(Item) - 16 : 0));
    if constexpr (requires { from.stage(items, first, count, t, threads); }) {
      from.stage(items, first, count, t, threads);
    } else {
      for (int begin = t; begin < count; begin += threads * each) {
        Item some[each];
#pragma unroll
        for (int k = 0; k < each; ++k)
          if (int const i = begin + k * threads; i < count)
            put_bytes(some[k], static_cast<Item>(from[first + i]));
#pragma unroll
        for (int k = 0; k < each; ++k)
          if (int const i = begin + k * threads; i < count) put_bytes(items[i], some[k]);
      }
    }
    return reinterpret_cast<unsigned char*>(items);
  }
}

/// The same by all threads of a block.
template <int Threads, class Item, class It>
__device__ unsigned char* stage_items(unsigned char* room, It const& from, std::int64_t first, int count) {
  return stage_items_by<Item>(room, from, first, count, static_cast<int>(threadIdx.x), Threads);
}

template <int Threads, class Item, int N, class It>
__device__ unsigned char* stage_items(staged_items<Item, N>& to, It const& from, std::int64_t first,
                                      int count) {
  return stage_items<Threads, Item>(to.room, from, first, count);
}

/// V neighbouring items from anywhere in staged ones, a word at a time. Of narrow items the words that hold
/// them are read whole.
template <class Item, int V>
__device__ void load_staged(unsigned char const* from, item_vector<Item, V>& items) {
  constexpr int words = item_vector<Item, V>::words;
  if constexpr (alignof(Item) >= 4) {
    constexpr int width = alignof(Item) < 16 ? static_cast<int>(alignof(Item)) : 16;
    using W = typename vector_type<width>::type;
    constexpr int count = item_vector<Item, V>::bytes / width;
    W all[count];
#pragma unroll
    for (int w = 0; w < count; ++w) all[w] = reinterpret_cast<W const*>(from)[w];
    memcpy(items.word, all, sizeof(all));
  } else {
    auto const address = static_cast<unsigned>(__cvta_generic_to_shared(from));
    auto const* const aligned = reinterpret_cast<unsigned const*>(from - address % 4);
    unsigned const shift = address % 4 * 8;
    unsigned low = aligned[0];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      unsigned const high = aligned[w + 1];
      items.word[w] = __funnelshift_r(low, high, shift);
      low = high;
    }
  }
}

/// The same as values of another type.
template <class Item, int V, class Value>
__device__ void load_staged_as(unsigned char const* from, Value (&values)[V]) {
  item_vector<Item, V> words;
  load_staged(from, words);
  Item items[V];
  words.unpack_each(items);
#pragma unroll
  for (int v = 0; v < V; ++v) put_bytes(values[v], static_cast<Value>(items[v]));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
