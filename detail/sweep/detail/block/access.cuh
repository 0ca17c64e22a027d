// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_ACCESS_CUH
#define SWEEP_DETAIL_BLOCK_ACCESS_CUH

#include <sweep/detail/core/vector.hpp>
#include <sweep/plan.hpp>

#include <cstdint>
#include <cstring>

namespace sweep::detail {

template <int Bytes>
struct word;
template <>
struct word<1> {
  using type = unsigned char;
};
template <>
struct word<2> {
  using type = unsigned short;
};
template <>
struct word<4> {
  using type = unsigned;
};
template <>
struct word<8> {
  using type = uint2;
};
template <>
struct word<16> {
  using type = uint4;
};

/// V neighbouring items travel as words of up to 16 bytes; `p` is aligned to one.
template <access How, int V, class Item>
__device__ void load_words(Item const* p, Item (&items)[V]) {
  using W = typename word<word_width(V * sizeof(Item))>::type;
  constexpr int count = V * sizeof(Item) / sizeof(W);
  W words[count];
#pragma unroll
  for (int w = 0; w < count; ++w) {
    auto const* from = reinterpret_cast<W const*>(p) + w;
    if constexpr (How == access::streaming) words[w] = __ldcs(from);
    else words[w] = *from;
  }
  memcpy(static_cast<void*>(items), words, sizeof(items));
}

template <access How, int V, class Item>
__device__ void store_words(Item* p, Item const (&items)[V]) {
  using W = typename word<word_width(V * sizeof(Item))>::type;
  constexpr int count = V * sizeof(Item) / sizeof(W);
  W words[count];
  memcpy(words, static_cast<void const*>(items), sizeof(items));
#pragma unroll
  for (int w = 0; w < count; ++w) {
    auto* to = reinterpret_cast<W*>(p) + w;
    if constexpr (How == access::streaming) __stcs(to, words[w]);
    else *to = words[w];
  }
}

/// Whether words of V items may be moved at this address.
template <int V, class Item>
__device__ bool word_aligned(Item const* base, std::int64_t index) {
  auto const address = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(index * std::int64_t{sizeof(Item)});
  constexpr int width = word_width(V * sizeof(Item));
  return address % width == 0;
}

}  // namespace sweep::detail

#endif
