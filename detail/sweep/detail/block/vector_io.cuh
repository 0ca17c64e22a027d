// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_VECTOR_IO_CUH
#define SWEEP_DETAIL_BLOCK_VECTOR_IO_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/radix_word.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/plan.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <int Bytes>
struct vector_type;
template <>
struct vector_type<1> {
  using type = unsigned char;
};
template <>
struct vector_type<2> {
  using type = unsigned short;
};
template <>
struct vector_type<4> {
  using type = unsigned;
};
template <>
struct vector_type<8> {
  using type = uint2;
};
template <>
struct vector_type<16> {
  using type = uint4;
};

/// V neighbouring items as they lie in memory, in registers of 4 bytes.
template <class Item, int V>
struct item_vector {
  static constexpr int bytes = V * static_cast<int>(sizeof(Item)), words = (bytes + 3) / 4;
  unsigned word[words];

  __device__ void pack(Item const (&items)[V]) {
    word[words - 1] = 0;
    memcpy(word, static_cast<void const*>(items), bytes);
  }
  /// Of vectors of 128-bit integers that are kept across a barrier take item(v) instead: docs/errors.md says
  /// what nvcc 13.0 does to arrays of them.
  __device__ void unpack(Item (&items)[V]) const { memcpy(static_cast<void*>(items), word, bytes); }
  /// The same where items are looked at one by one: each byte is taken out in one instruction.
  __device__ void unpack_each(Item (&items)[V]) const {
    if constexpr (sizeof(Item) == 1) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        auto const narrow = byte(v);
        memcpy(static_cast<void*>(items + v), &narrow, 1);
      }
    } else {
      unpack(items);
    }
  }
  /// The same where they are computed with: signed bytes come with their sign above them, by instructions
  /// whose results the compiler does not make narrow and wide again; so do halves of a word with zeros.
  __device__ void unpack_numbers(Item (&items)[V]) const {
    if constexpr (std::is_same_v<Item, signed char>) {
#pragma unroll
      for (int v = 0; v < V; ++v) items[v] = number(v);
    } else if constexpr (std::is_same_v<Item, unsigned short>) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        unsigned const number = v % 2 == 0 ? word[v / 2] & 0xffff : word[v / 2] >> 16;
        __builtin_assume(number < 65536);
        items[v] = static_cast<unsigned short>(number);
      }
    } else {
      unpack_each(items);
    }
  }
  /// Item v alone, computed with in the same way.
  __device__ Item number(int v) const {
    if constexpr (std::is_same_v<Item, signed char>) {
      int number = static_cast<int>(word[v / 4]) >> 24;
      if (v % 4 != 3) asm("bfe.s32 %0, %1, %2, 8;" : "=r"(number) : "r"(word[v / 4]), "r"(v % 4 * 8));
      __builtin_assume(number >= -128 && number < 128);
      return static_cast<signed char>(number);
    } else if constexpr (std::is_same_v<Item, unsigned char>) {
      return byte(v);
    } else {
      return item(v);
    }
  }
  /// Byte v, taken out in one instruction.
  __device__ unsigned char byte(int v) const {
    unsigned const found = v % 4 == 0   ? word[v / 4] & 0xff
                           : v % 4 == 3 ? word[v / 4] >> 24
                                        : __byte_perm(word[v / 4], 0, 0x4440 | v % 4);
    __builtin_assume(found < 256);
    return static_cast<unsigned char>(found);
  }
  /// Item v alone.
  __device__ Item item(int v) const {
    uninitialized<Item> x;
    if constexpr (sizeof(Item) == 1) {
      auto const byte = static_cast<unsigned char>(word[v / 4] >> v % 4 * 8);
      memcpy(x.bytes, &byte, 1);
    } else if constexpr (sizeof(Item) == 2) {
      auto const half = static_cast<unsigned short>(word[v / 2] >> v % 2 * 16);
      memcpy(x.bytes, &half, 2);
    } else if constexpr (std::is_same_v<Item, int128_word> || std::is_same_v<Item, uint128_word>) {
      // Its halves are taken apart from the registers that they came in: the compiler makes one number of a
      // vector of these by way of local memory.
      auto const* const at = word + 4 * v;
      auto low = std::uint64_t{at[1]} << 32 | at[0], high = std::uint64_t{at[3]} << 32 | at[2];
      asm("" : "+l"(low), "+l"(high));
      return static_cast<Item>(static_cast<uint128_word>(high) << 64 | low);
    } else if constexpr (sizeof(Item) % 4 == 0) {
      memcpy(x.bytes, word + v * static_cast<int>(sizeof(Item) / 4), sizeof(Item));
    } else {
      memcpy(x.bytes, reinterpret_cast<unsigned char const*>(word) + v * static_cast<int>(sizeof(Item)),
             sizeof(Item));
    }
    return x.value();
  }
  /// The same, as it lies in memory; what is above it is unspecified.
  __device__ item_vector<Item, 1> vector_of(int v) const {
    constexpr int size = static_cast<int>(sizeof(Item));
    item_vector<Item, 1> x;
    if constexpr (size <= 2) {
      x.word[0] = low(v);
    } else if constexpr (size % 4 == 0) {
#pragma unroll
      for (int w = 0; w < size / 4; ++w) x.word[w] = word[v * size / 4 + w];
    } else {
      int const first = v * size / 4, shift = v * size % 4;
#pragma unroll
      for (int w = 0; w < item_vector<Item, 1>::words; ++w) {
        int const low = first + w < words ? first + w : words - 1, high = low + 1 < words ? low + 1 : low;
        x.word[w] = __funnelshift_r(word[low], word[high], static_cast<unsigned>(shift) * 8);
      }
    }
    return x;
  }
  /// Puts item v there, where the vector is made in the order of its items, or Ascending is false and it is
  /// made from its end.
  template <bool Ascending>
  __device__ void put(int v, Item const& x) {
    if constexpr (sizeof(Item) <= 2) {
      constexpr int each = 4 / static_cast<int>(sizeof(Item));
      std::conditional_t<sizeof(Item) == 1, unsigned char, unsigned short> narrow;
      memcpy(&narrow, static_cast<void const*>(&x), sizeof(Item));
      unsigned const bits = static_cast<unsigned>(narrow) << v % each * 8 * static_cast<int>(sizeof(Item));
      word[v / each] = v % each == (Ascending ? 0 : each - 1) ? bits : word[v / each] | bits;
    } else {
      // Where x is still in memory, it is loaded as wide as its type is aligned.
      memcpy(reinterpret_cast<unsigned char*>(word) + v * static_cast<int>(sizeof(Item)),
             __builtin_assume_aligned(&x, alignof(Item)), sizeof(Item));
    }
  }
  /// Item v in the low bytes; what is above it is unspecified where an item is narrower than a register.
  __device__ unsigned low(int v) const {
    constexpr int each = 4 / static_cast<int>(sizeof(Item));
    return word[v / each] >> v % each * 8 * static_cast<int>(sizeof(Item));
  }

  /// The items the other way round.
  __device__ void turn() {
    if constexpr (V > 1) {
      constexpr int size = static_cast<int>(sizeof(Item));
      item_vector const as_was = *this;
#pragma unroll
      for (int w = 0; w < words; ++w) {
        int from[4];  // where each of the word's bytes was
#pragma unroll
        for (int b = 0; b < 4; ++b) {
          int const to = 4 * w + b;
          from[b] = to < bytes ? (V - 1 - to / size) * size + to % size : -1;
        }
        word[w] = 0;
#pragma unroll
        for (int b = 0; b < 4; ++b) {
          bool taken = from[b] < 0;
#pragma unroll
          for (int a = 0; a < b; ++a) taken = taken || (from[a] >= 0 && from[a] / 4 == from[b] / 4);
          if (taken) continue;
          unsigned selector = 0x3210;
#pragma unroll
          for (int a = 0; a < 4; ++a)
            if (from[a] >= 0 && from[a] / 4 == from[b] / 4)
              selector = (selector & ~(0xfu << 4 * a)) | static_cast<unsigned>(4 + from[a] % 4) << 4 * a;
          word[w] = selector == 0x7654 ? as_was.word[from[b] / 4]
                                       : __byte_perm(word[w], as_was.word[from[b] / 4], selector);
        }
      }
    }
  }

  /// Optimisation barrier: the compiler unpacks again instead of holding V unpacked items in registers.
  __device__ void keep_packed() {
#pragma unroll
    for (int w = 0; w < words; ++w) asm("" : "+r"(word[w]));
  }
};

/// Four bytes, each 0 or 1, as four bits side by side.
__device__ inline unsigned bits_of_four(unsigned bytes) { return bytes * 0x10204080u >> 28; }

// The intrinsics, unlike plain assignments, are never taken apart into narrower accesses.

/// Loads V neighbouring items in accesses of up to 16 bytes; `p` is aligned to one.
template <access How, class Item, int V>
__device__ void load_vectors(Item const* p, item_vector<Item, V>& items) {
  constexpr int width = vector_width(V * sizeof(Item)), count = V * static_cast<int>(sizeof(Item)) / width;
  using W = typename vector_type<width>::type;
  W words[count];
#pragma unroll
  for (int w = 0; w < count; ++w) {
    auto const* from = reinterpret_cast<W const*>(p) + w;
    if constexpr (How == access::streaming) words[w] = __ldcs(from);
    else if constexpr (How == access::l2) words[w] = __ldcg(from);
    else words[w] = __ldca(from);
  }
  memcpy(items.word, words, sizeof(words));
}

/// The same by plain loads, which the compiler may move: where what comes is computed with at once, that
/// keeps fewer registers. A memcpy of as many bytes is one of single bytes where the item is a class.
template <class Item, int V>
__device__ void load_aligned(Item const* p, Item (&items)[V]) {
  constexpr int width = vector_width(V * sizeof(Item)), count = V * static_cast<int>(sizeof(Item)) / width;
  using W = typename vector_type<width>::type;
  W words[count];
#pragma unroll
  for (int w = 0; w < count; ++w) words[w] = reinterpret_cast<W const*>(p)[w];
  memcpy(static_cast<void*>(items), words, sizeof(words));
}

template <access How, class Item, int V>
__device__ void store_vectors(Item* p, item_vector<Item, V> const& items) {
  constexpr int width = vector_width(V * sizeof(Item)), count = V * static_cast<int>(sizeof(Item)) / width;
  using W = typename vector_type<width>::type;
  W words[count];
  memcpy(words, items.word, sizeof(words));
#pragma unroll
  for (int w = 0; w < count; ++w) {
    auto* to = reinterpret_cast<W*>(p) + w;
    if constexpr (How == access::streaming) __stcs(to, words[w]);
    else if constexpr (How == access::l2) __stcg(to, words[w]);
    else __stwb(to, words[w]);
  }
}

/// Loads V neighbouring items from shared memory; `p` is aligned as above.
template <class Item, int V>
__device__ void load_shared(unsigned char const* p, item_vector<Item, V>& items) {
  constexpr int width = vector_width(V * sizeof(Item)), count = V * static_cast<int>(sizeof(Item)) / width;
  using W = typename vector_type<width>::type;
  W words[count];
#pragma unroll
  for (int w = 0; w < count; ++w) words[w] = reinterpret_cast<W const*>(p)[w];
  items.word[item_vector<Item, V>::words - 1] = 0;
  memcpy(items.word, words, sizeof(words));
}

/// Stores one item of 1, 2 or 4n bytes to shared memory; `p` is aligned as above.
template <class Item>
__device__ void store_shared(unsigned char* p, item_vector<Item, 1> const& item) {
  constexpr int width = vector_width(sizeof(Item)), count = static_cast<int>(sizeof(Item)) / width;
  using W = typename vector_type<width>::type;
  W words[count];
  memcpy(words, item.word, sizeof(words));
#pragma unroll
  for (int w = 0; w < count; ++w) reinterpret_cast<W*>(p)[w] = words[w];
}

/// Whether V items at this address can be moved as a vector.
template <int V, class Item>
__device__ bool vector_aligned(Item const* base, std::int64_t index) {
  auto const address = reinterpret_cast<std::uintptr_t>(base) +
                       static_cast<std::uintptr_t>(index * std::int64_t{sizeof(Item)});
  constexpr int width = vector_width(V * sizeof(Item));
  return address % width == 0;
}

/// Loads V neighbouring items of any range, as a vector where they are one. `items` may be a row of an array
/// of rows, of which nvcc constructs the first alone.
template <access How, int V, class It, class Item>
__device__ void load_neighbours(It const& from, std::int64_t index, Item (&items)[V]) {
  if constexpr (std::is_pointer_v<It> && relocatable<Item>)
    if (vector_aligned<V>(from, index)) {
      item_vector<Item, V> vector;
      load_vectors<How>(from + index, vector);
      return vector.unpack_each(items);
    }
#pragma unroll
  for (int v = 0; v < V; ++v)
    if constexpr (relocatable<Item>) put_bytes(items[v], static_cast<Item>(from[index + v]));
    else items[v] = from[index + v];
}

/// Rows of V neighbours, `step` items apart, a multiple of V. All are asked for before the first is looked
/// at, and whether they are vectors is asked once: what is loaded in a branch of its own may be waited for
/// there.
template <access How, int R, int V, class It, class Item>
__device__ void load_rows(It const& from, std::int64_t index, std::int64_t step, Item (&items)[R][V]) {
  if constexpr (std::is_pointer_v<It> && relocatable<Item>)
    if (vector_aligned<V>(from, index)) {
      item_vector<Item, V> vectors[R];
#pragma unroll
      for (int r = 0; r < R; ++r) load_vectors<How>(from + index + r * step, vectors[r]);
#pragma unroll
      for (int r = 0; r < R; ++r) vectors[r].unpack_each(items[r]);
      return;
    }
#pragma unroll
  for (int r = 0; r < R; ++r)
#pragma unroll
    for (int v = 0; v < V; ++v)
      if constexpr (relocatable<Item>) put_bytes(items[r][v], static_cast<Item>(from[index + r * step + v]));
      else items[r][v] = from[index + r * step + v];
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
