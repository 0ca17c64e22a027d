// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_WINDOW_CUH
#define SWEEP_DETAIL_BLOCK_WINDOW_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/block/stream_vectors.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/item_source.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// A window is a run of neighbouring items that stands in shared memory as far behind a 128-byte boundary as
// it does in global memory, wherever that is. So bulk copies move all of it but, at the ends of a range,
// fewer than 16 bytes, and where it begins is nobody else's concern. (They need no more than 16 bytes in
// common, but line by line they are a sixth faster.)
inline constexpr int window_alignment = 128;

/// Bytes of shared memory for a window of so many, in whole lines.
SWEEP_HD constexpr int window_pitch(int bytes) {
  return (bytes + window_alignment - 1) / window_alignment * window_alignment + window_alignment;
}

/// Width of the accesses that an item's own alignment allows.
template <class Item>
inline constexpr int natural_width = alignof(Item) < 16 ? static_cast<int>(alignof(Item)) : 16;

/// Items that a lane holds of a window, at most so many, for all its accesses to be whole words and the lanes
/// of a warp to read different banks: an odd multiple of the fewest items that fill words. `unit` is what
/// window_unit says of the narrowest items.
SWEEP_HD constexpr int window_unit(int item_bytes) {
  return item_bytes % 4 == 0 ? 1 : item_bytes % 2 == 0 ? 2 : 4;
}
SWEEP_HD constexpr int window_lane_items(int most, int unit) {
  int const units = most / unit > 1 ? most / unit : 1;
  return (units - (units % 2 == 0 ? 1 : 0)) * unit;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// Addresses [from, to) of global memory.
struct byte_range {
  std::uintptr_t from, to;

  template <class Item>
  static __device__ byte_range of(Item const* lowest, std::int64_t count) {
    auto const at = reinterpret_cast<std::uintptr_t>(lowest);
    return {at, at + static_cast<std::uintptr_t>(count) * sizeof(Item)};
  }
  __device__ byte_range within(byte_range all) const {
    return {from < all.from ? all.from : from, to > all.to ? all.to : to};
  }
  __device__ bool empty() const { return from >= to; }
  __device__ unsigned bytes() const { return static_cast<unsigned>(to - from); }

  /// The 16-byte words that a bulk load brings for this window, `all` of whose range may be read: those that
  /// hold it, or where one at an end reaches beyond the range, those inside.
  __device__ byte_range words_to_load(byte_range all) const {
    auto const first = from / 16 * 16, last = (to + 15) / 16 * 16;
    byte_range const words{first < all.from ? first + 16 : first, last > all.to ? last - 16 : last};
    return words.from < words.to ? words : byte_range{words.from, words.from};
  }
  /// Those that a bulk store writes.
  __device__ byte_range words_inside() const {
    byte_range const words{(from + 15) / 16 * 16, to / 16 * 16};
    return words.from < words.to ? words : byte_range{words.from, words.from};
  }
};

/// Of a window that stands for one place of global memory, not for the line that it is in.
struct exactly_t {};
inline constexpr exactly_t exactly{};

/// One window in shared memory; `region` is a boundary there, `base` the one in global memory that it stands
/// for.
struct staged_window {
  unsigned char* region;
  std::uintptr_t base;

  __device__ staged_window(unsigned char* to, std::uintptr_t first)
      : region{to}, base{first / window_alignment * window_alignment} {}
  /// `to` stands for `first` itself.
  __device__ staged_window(unsigned char* to, std::uintptr_t first, exactly_t) : region{to}, base{first} {}
  /// Whether 16-byte words there are words here.
  __device__ bool has_words() const { return (reinterpret_cast<std::uintptr_t>(region) - base) % 16 == 0; }
  __device__ unsigned char* at(std::uintptr_t address) const { return region + (address - base); }

  /// Starts the load of the existing part of the window, by one thread; the bytes that it will bring.
  __device__ unsigned load(byte_range window, byte_range all, stage_barrier& landed) const {
    if (window.empty()) return 0;
    auto const words = window.words_to_load(all);
    if (!words.empty())
      bulk_load(at(words.from), reinterpret_cast<void const*>(words.from), words.bytes(), landed);
    return words.bytes();
  }
  /// What that leaves out of a part of the window, by a warp; whether there was anything.
  template <class Item>
  __device__ bool load_ends(byte_range window, byte_range all, byte_range part, int lane) const {
    if (window.empty()) return false;
    auto const words = window.words_to_load(all);
    if (words.from <= window.from && words.to >= window.to) return false;
    for_ends<Item>(window, words, part, lane, [&](auto* global, auto* shared) { *shared = *global; });
    fence_before_bulk();  // what was put here by hand comes before what the next load brings
    return true;
  }
  /// Stores the window, by a warp whose lanes have all called fence_before_bulk() since they wrote it.
  template <class Item>
  __device__ void store(byte_range window, int lane) const {
    if (window.empty()) return;
    auto const words = window.words_inside();
    if (lane == 0 && !words.empty())
      bulk_store(reinterpret_cast<void*>(words.from), at(words.from), words.bytes());
    if (words.from > window.from || words.to < window.to)
      for_ends<Item>(window, words, window, lane, [&](auto* global, auto* shared) { *global = *shared; });
  }
  /// The same where it has no words: item by item, line by line, so that few sectors are written in two
  /// parts.
  template <class Item>
  __device__ void store_items(byte_range window, int lane) const {
    constexpr int width = natural_width<Item>;
    using W = typename vector_type<width>::type;
#pragma unroll 4
    for (auto a = window.from / window_alignment * window_alignment + static_cast<unsigned>(lane * width);
         a < window.to; a += 32 * width)
      if (a >= window.from) *reinterpret_cast<W*>(a) = *reinterpret_cast<W const*>(at(a));
  }

 private:
  template <class Item, class Copy>
  __device__ void for_ends(byte_range window, byte_range words, byte_range part, int lane, Copy copy) const {
    constexpr int width = natural_width<Item>;
    using W = typename vector_type<width>::type;
    auto const head_end = words.from < window.to ? words.from : window.to,
               tail = words.to > head_end ? words.to : head_end;
    auto const over = [&](byte_range end) {
      for (auto a = end.from + static_cast<std::uintptr_t>(lane * width); a < end.to; a += 32 * width)
        copy(reinterpret_cast<W*>(a), reinterpret_cast<W*>(at(a)));
    };
    over(byte_range{window.from, head_end}.within(part));
    over(byte_range{tail, window.to}.within(part));
  }
};

/// Reads a lane's L items, which lie anywhere that their alignment allows: up to 3 bytes behind them are read
/// too. Or they are known to fill words and to begin with one, and no others are read.
template <bool Words = false, class Item, int L>
__device__ void read_window(unsigned char const* from, item_vector<Item, L>& row) {
  constexpr int words = item_vector<Item, L>::words, natural = natural_width<Item>,
                wide = vector_width(L * sizeof(Item));
  auto const read = [&]<int Width>(std::integral_constant<int, Width>) {
    using W = typename vector_type<Width>::type;
#pragma unroll
    for (int w = 0; w < words * 4 / Width; ++w) {
      W const got = reinterpret_cast<W const*>(from)[w];
      memcpy(row.word + w * (Width / 4), &got, Width);
    }
  };
  if constexpr (natural >= 4) {
    if constexpr (wide > natural)
      if (reinterpret_cast<std::uintptr_t>(from) % wide == 0)
        return read(std::integral_constant<int, wide>{});
    read(std::integral_constant<int, natural>{});
  } else if constexpr (Words && L * sizeof(Item) % 4 == 0) {
    read(std::integral_constant<int, 4>{});
  } else {
    auto const beyond = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 4);
    auto const* const aligned = reinterpret_cast<unsigned const*>(from - beyond);
    unsigned low = aligned[0];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      constexpr unsigned last = L * sizeof(Item) % 4;  // bytes in the last of their words
      unsigned high = 0;
      if (last == 0 || w + 1 < words || beyond + last > 4) high = aligned[w + 1];
      row.word[w] = __funnelshift_r(low, high, beyond * 8);
      low = high;
    }
  }
}

/// Writes a lane's L items. In memory the lanes of a warp follow each other, Ascending or the last one first;
/// up to 3 bytes before the first lane's items and behind the last one's are written too.
template <bool Ascending, class Item, int L>
__device__ void write_window(unsigned char* to, item_vector<Item, L> const& row, int lane) {
  constexpr int words = item_vector<Item, L>::words;
  static_assert(L * sizeof(Item) % 4 == 0);
  auto const beyond = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) % 4);
  auto* const aligned = reinterpret_cast<unsigned*>(to - beyond);
  unsigned low =
      Ascending ? __shfl_up_sync(~0u, row.word[words - 1], 1) : __shfl_down_sync(~0u, row.word[words - 1], 1);
#pragma unroll
  for (int w = 0; w < words; ++w) {
    aligned[w] = __funnelshift_l(low, row.word[w], beyond * 8);
    low = row.word[w];
  }
  if (lane == (Ascending ? 31 : 0) && beyond > 0) aligned[words] = low >> (32 - beyond * 8);
}

/// Writes one item, as wide as it and its place allow.
template <class Item>
__device__ void write_item(unsigned char* to, Item const& x) {
  constexpr int natural = natural_width<Item>, wide = vector_width(sizeof(Item));
  auto const write = [&]<int Width>(std::integral_constant<int, Width>) {
    using W = typename vector_type<Width>::type;
    constexpr int count = static_cast<int>(sizeof(Item)) / Width;
    W words[count];
    memcpy(words, static_cast<void const*>(__builtin_addressof(x)), sizeof(Item));
#pragma unroll
    for (int w = 0; w < count; ++w) reinterpret_cast<W*>(to)[w] = words[w];
  };
  if constexpr (wide > natural)
    if (reinterpret_cast<std::uintptr_t>(to) % wide == 0) return write(std::integral_constant<int, wide>{});
  write(std::integral_constant<int, natural>{});
}

/// One item of a window, anywhere.
template <class Item>
__device__ Item read_item(unsigned char const* from) {
  constexpr int width = natural_width<Item>;
  using W = typename vector_type<width>::type;
  constexpr int count = static_cast<int>(sizeof(Item)) / width;
  W words[count];
#pragma unroll
  for (int w = 0; w < count; ++w) words[w] = reinterpret_cast<W const*>(from)[w];
  uninitialized<Item> x;
  memcpy(x.bytes, words, sizeof(Item));
  return x.value();
}

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
