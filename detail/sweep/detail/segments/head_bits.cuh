// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_HEAD_BITS_CUH
#define SWEEP_DETAIL_SEGMENTS_HEAD_BITS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/segments/find_heads.cuh>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/segments/tile_heads.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Head bits of every notation, 32 items a word. The kernel that reads them may start while these end.

/// Any source, asked item by item; a key is read once. Shape: (blocks, 8 warps, R rows, 32 items), a ballot
/// for each word.
template <class Source>
struct pack_heads_job {
  static constexpr int threads = 256, blocks = 4, R = 8, tile_items = threads * R;
  Source source;
  std::uint32_t* words;
  std::int64_t n;

  __device__ void operator()() const {
    let_next_kernel_start();
    int const lane = static_cast<int>(threadIdx.x % 32);
    auto const first =
        std::int64_t{blockIdx.x} * tile_items + static_cast<std::int64_t>(threadIdx.x / 32) * (32 * R);
    bool head[R];
    find_heads(first, lane, head);
    unsigned mine = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      unsigned const word = __ballot_sync(~0u, head[r]);
      if (lane == r) mine = word;
    }
    if (lane < R && first + lane * 32 < n) words[first / 32 + lane] = mine;
  }

 private:
  __device__ void find_heads(std::int64_t first, int lane, bool (&head)[R]) const {
    if constexpr (hands_keys_on<Source>) {
      using key = value_of<decltype(source.keys)>;
      key keys[R], left{};
      if (lane == 0 && first > 0 && first < n) put_bytes(left, static_cast<key>(source.keys[first - 1]));
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (auto const i = first + r * 32 + lane; i < n) put_bytes(keys[r], static_cast<key>(source.keys[i]));
#pragma unroll
      for (int r = 0; r < R; ++r) {
        auto const i = first + r * 32 + lane;
        key const before = select_registers(lane == 0, left, warp_shfl_up(keys[r], 1));
        head[r] = i > 0 && i < n && !source.equal(before, keys[r]);
        left = warp_shfl(keys[r], 31);
      }
    } else {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        auto const i = first + r * 32 + lane;
        head[r] = i > 0 && i < n && source(i);
      }
    }
  }
};

/// Writes the bits of V items from `at` on, joined with those of the lanes that share their word.
template <int V>
__device__ void store_head_bits(std::uint32_t* words, std::int64_t at, std::int64_t n, unsigned bits) {
  constexpr int lanes = 32 / V;
#pragma unroll
  for (int by = 1; by < lanes; by *= 2) bits |= __shfl_down_sync(~0u, bits, by) << (V * by);
  if (threadIdx.x % lanes == 0 && at < n) words[at / 32] = bits;
}

/// Flags or keys side by side in memory, an aligned 16 bytes at a time: `skip` items before the first are
/// not there, and their bits stand before its own. Shape: (blocks, R rows, threads, V items).
template <class Source, class Item>
struct pack_item_heads_job {
  static constexpr int threads = 256, blocks = 4, R = 4, V = 16 / static_cast<int>(sizeof(Item)),
                       tile_items = threads * R * V;
  static constexpr bool keys = requires(Source source) { source.keys; };
  /// Whether keys are equal where their bits are.
  static constexpr bool compares_bits = [] {
    if constexpr (keys && std::is_integral_v<Item> && !std::is_same_v<Item, bool>) {
      using equal = decltype(Source::equal);
      return std::is_same_v<equal, equal_to> || std::is_same_v<equal, typed<Item, equal_to>>;
    } else {
      return false;
    }
  }();
  Source source;
  Item const* items;
  std::uint32_t* words;
  std::int64_t n;
  int skip;

  __device__ void operator()() const {
    let_next_kernel_start();
    auto const first = std::int64_t{blockIdx.x} * tile_items + std::int64_t{threadIdx.x} * V;
    item_vector<Item, V> row[R];
    Item left[R];  // of the warp's first item
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto const lowest = first + r * threads * V - skip;
      if (lowest >= 0 && lowest + V <= n) load_vectors<access::streaming>(items + lowest, row[r]);
      else load_some(lowest, row[r]);
      if constexpr (keys)
        if (threadIdx.x % 32 == 0 && lowest > 0 && lowest < n) left[r] = items[lowest - 1];
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto const at = first + r * threads * V;
      store_head_bits<V>(words, at, n + skip, heads(row[r], left[r], at - skip));
    }
  }

 private:
  __device__ void load_some(std::int64_t lowest, item_vector<Item, V>& row) const {
    Item some[V]{};
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (lowest + v >= 0 && lowest + v < n) some[v] = items[lowest + v];
    row.pack(some);
  }
  __device__ unsigned heads(item_vector<Item, V> const& row, Item const& left, std::int64_t lowest) const {
    unsigned found = 0;
    if constexpr (keys) {
      bool const leads = threadIdx.x % 32 == 0, whole = lowest > 0 && lowest + V <= n;
      if constexpr (compares_bits && sizeof(Item) <= 2) {
        // Four or two keys at once, with those one place before them.
        constexpr int width = static_cast<int>(sizeof(Item)) * 8, each = 32 / width;
        unsigned before = __shfl_up_sync(~0u, row.word[3], 1);
        if (leads)
          before = static_cast<unsigned>(static_cast<std::make_unsigned_t<Item>>(left)) << (32 - width);
#pragma unroll
        for (int w = 0; w < 4; ++w) {
          auto const shifted = __funnelshift_l(w > 0 ? row.word[w - 1] : before, row.word[w], width);
          if constexpr (each == 4)
            found |= bits_of_four(__vcmpne4(shifted, row.word[w]) & 0x01010101u) << (4 * w);
          else {
            auto const differ = __vcmpne2(shifted, row.word[w]);
            found |= ((differ & 1u) | (differ >> 16 & 2u)) << (2 * w);
          }
        }
        if (whole) return found;
        auto const first = static_cast<int>(max(std::int64_t{1} - lowest, std::int64_t{0})),
                   last = static_cast<int>(min(n - lowest, std::int64_t{V}));
        return first < last ? found & (~0u << first) & ~0u >> (32 - last) : 0;
      } else {
        Item all[V];
        row.unpack(all);
        Item const handed_on = warp_shfl_up(all[V - 1], 1);
        Item const before = select_registers(leads, left, handed_on);
        if (whole) {
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (!source.equal(v > 0 ? all[v - 1] : before, all[v])) found |= 1u << v;
        } else {  // what does not exist is not compared
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (lowest + v > 0 && lowest + v < n && !source.equal(v > 0 ? all[v - 1] : before, all[v]))
              found |= 1u << v;
        }
      }
    } else if constexpr (V == 16 && std::is_arithmetic_v<Item>) {
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        auto const set = __vcmpne4(row.word[w], 0) & 0x01010101u;
        found |= bits_of_four(set) << (4 * w);
      }
    } else {
      Item all[V];
      row.unpack(all);
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (static_cast<bool>(all[v])) found |= 1u << v;
    }
    return found;
  }
};

/// Offsets that rise, of few items: of each block's items it looks up which segments begin among them, and
/// marks those in shared memory. Where they are few, by setting bits; where many would set bits of the same
/// word, in bytes. Shape: (blocks, threads, W words).
template <class It>
struct pack_offset_heads_job {
  using offset = value_of<It>;
  static constexpr int few = 6;  ///< heads: where one has at least so many items
  static constexpr int threads = 256, blocks = 4, W = 2, tile_words = threads * W,
                       tile_items = tile_words * 32, many = tile_items / few, R = sizeof(offset) <= 4 ? 8 : 4;
  It offsets;
  std::int64_t count;
  std::uint32_t* words;
  std::int64_t n;

  __device__ void operator()() const {
    let_next_kernel_start();
    __shared__ uint4 memory[tile_items / 16];
    __shared__ std::int64_t first_of[2];
    int const t = static_cast<int>(threadIdx.x), warp = t / 32;
    auto const begin = std::int64_t{blockIdx.x} * tile_items;
    if (warp < 2) {
      auto const from = min(begin + warp * tile_items, n);
      auto const found = warp_find_first(
          0, count, [&](std::int64_t s) { return static_cast<std::int64_t>(offsets[s]) >= from; });
      if (t % 32 == 0) first_of[warp] = found;
    }
    for (int i = t; i < tile_items / 16; i += threads) memory[i] = uint4{};
    __syncthreads();
    if (first_of[1] - first_of[0] < many) {
      auto* const bits = reinterpret_cast<unsigned*>(memory);
      for_each_head(first_of[0], first_of[1], begin,
                    [&](unsigned at) { atomicOr(bits + at / 32, 1u << at % 32); });
      __syncthreads();
      for (int w = t; w < tile_words; w += threads)
        if (begin + w * 32 < n) words[begin / 32 + w] = bits[w];
      return;
    }
    auto* const marks = reinterpret_cast<unsigned char*>(memory);
    for_each_head(first_of[0], first_of[1], begin, [&](unsigned at) { marks[at] = 1; });
    __syncthreads();
#pragma unroll
    for (int w = 0; w < W; ++w) {
      int const word = w * threads + t;
      unsigned const found = bits_of(memory[word * 2]) | bits_of(memory[word * 2 + 1]) << 16;
      if (begin + word * 32 < n) words[begin / 32 + word] = found;
    }
  }

 private:
  /// f(where), from `begin` on, of the heads [first, last) that lie within the tile.
  template <class F>
  __device__ void for_each_head(std::int64_t first, std::int64_t last, std::int64_t begin, F f) const {
    for (auto s = first + static_cast<int>(threadIdx.x); s < last; s += threads * R) {
      offset some[R];
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (s + r * threads < last) some[r] = offsets[s + r * threads];
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (s + r * threads < last)
          if (auto const at = static_cast<std::uint64_t>(static_cast<std::int64_t>(some[r]) - begin);
              at < static_cast<unsigned>(tile_items))
            f(static_cast<unsigned>(at));
    }
  }
  /// The bits of 16 marks.
  static __device__ unsigned bits_of(uint4 const& marks) {
    return bits_of_four(marks.x) | bits_of_four(marks.y) << 4 | bits_of_four(marks.z) << 8 |
           bits_of_four(marks.w) << 12;
  }
};

/// Offsets, wherever they crowd: each sets its bit in words that are 0. A lane has K neighbours, and sets
/// those of a word at once; of lanes whose last word is the same one sets them all. Shape: (blocks, R,
/// threads, K).
template <class It>
struct set_offset_heads_job {
  using offset = value_of<It>;
  static constexpr int threads = 256, blocks = 4, K = 4, R = sizeof(offset) <= 4 ? 2 : 1,
                       tile_offsets = R * threads * K;
  It offsets;
  std::int64_t count;
  std::uint32_t* words;
  std::int64_t n;

  __device__ void operator()() const {
    let_next_kernel_start();
    int const lane = static_cast<int>(threadIdx.x % 32);
    auto const first = std::int64_t{blockIdx.x} * tile_offsets + std::int64_t{threadIdx.x} * K;
    offset some[R][K];
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int k = 0; k < K; ++k)
        if (auto const i = first + r * threads * K + k; i < count) some[r][k] = offsets[i];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      std::int64_t word = -1;
      unsigned bits = 0;
#pragma unroll
      for (int k = 0; k < K; ++k) {
        if (first + r * threads * K + k >= count) break;
        auto const at = static_cast<std::int64_t>(some[r][k]);
        if (at < 0 || at >= n) continue;
        if (at >> 5 != word) {
          if (bits != 0) atomicOr(words + word, bits);
          word = at >> 5;
          bits = 0;
        }
        bits |= 1u << (at & 31);
      }
      auto const left = warp_shfl_up(word, 1);
      bool const leads = lane == 0 || left != word;
      unsigned const leaders = __ballot_sync(~0u, leads), behind = leaders & ~1u << lane;
      int const end = behind != 0 ? __ffs(static_cast<int>(behind)) - 1 : 32;
      if (leaders != ~0u) {
#pragma unroll
        for (int by = 1; by < 32; by *= 2) {
          unsigned const right = __shfl_down_sync(~0u, bits, by);
          if (lane + by < end) bits |= right;
        }
      }
      if (leads && bits != 0) atomicOr(words + word, bits);
    }
  }
};

/// Few lengths: each block adds them all up, and marks which segments begin among its items.
template <class It>
struct pack_length_heads_job {
  static constexpr int threads = 256, blocks = 4, tile_words = 2 * threads, tile_items = tile_words * 32;
  It lengths;
  std::int64_t count;
  std::uint32_t* words;
  std::int64_t n;

  __device__ void operator()() const {
    let_next_kernel_start();
    __shared__ tile_heads<tile_items> heads;
    int const t = static_cast<int>(threadIdx.x);
    auto const begin = std::int64_t{blockIdx.x} * tile_items;
    heads.clear(tile_items, t, threads);
    heads.mark_lengths(lengths, count, n, begin, tile_items, [] { __syncthreads(); });
    __syncthreads();
    for (int w = t; w < tile_words; w += threads)
      if (begin + w * 32 < n) words[begin / 32 + w] = heads.bits[w];
  }
};

/// Of so few items one kernel looks up offsets, sooner than words are cleared for another. Tests lower it.
inline std::int64_t most_items_to_look_up = std::int64_t{1} << 20;
/// So few lengths are added up by whoever needs to know where segments begin; of so few items by one kernel.
inline constexpr std::int64_t few_lengths = 4096, most_items_of_few_lengths = std::int64_t{1} << 24;

/// Most bits that are skipped, and so the words for n items.
inline constexpr int most_skipped_heads = 15;
constexpr std::size_t head_words_bytes(std::int64_t n) {
  return static_cast<std::size_t>((n + most_skipped_heads + 127) / 128) * 16;
}

/// Sets the bits of offsets in words that are 0.
template <class It>
void set_offset_heads(char const* call, cudaStream_t stream, It offsets, std::int64_t count,
                      std::uint32_t* words, std::int64_t n) {
  using job = set_offset_heads_job<It>;
  if (count > 0)
    launch_job(call, stream, (count + job::tile_offsets - 1) / job::tile_offsets, job::threads,
               job{offsets, count, words, n});
}

/// Words for a source, or for segments by their offsets; answers how many bits of them stand before the first
/// item's.
template <class From>
int pack_heads(char const* call, cudaStream_t stream, From const& from, std::uint32_t* words,
               std::int64_t n) {
  auto const launch = [&](auto const& job) {
    using Job = std::decay_t<decltype(job)>;
    launch_job(call, stream, (n + Job::tile_items - 1) / Job::tile_items, Job::threads, job);
  };
  int skip = 0;
  auto const launch_items = [&](auto const* items) {
    using Item = std::remove_cvref_t<decltype(*items)>;
    if constexpr (relocatable<Item> && std::is_default_constructible_v<Item> && sizeof(Item) <= 16 &&
                  16 % sizeof(Item) == 0) {
      using job = pack_item_heads_job<From, Item>;
      static_assert(job::V - 1 <= most_skipped_heads);
      auto const misplaced = reinterpret_cast<std::uintptr_t>(items) % 16;
      if (misplaced % sizeof(Item) == 0) {
        skip = static_cast<int>(misplaced / sizeof(Item));
        launch_job(call, stream, (n + skip + job::tile_items - 1) / job::tile_items, job::threads,
                   job{from, items, words, n, skip});
        return true;
      }
    }
    return false;
  };
  if constexpr (requires { from.offsets; }) {
    using It = unwrapped_t<decltype(from.offsets)>;
    if (n <= most_items_to_look_up && from.count <= n) {
      launch(pack_offset_heads_job<It>{unwrapped(from.offsets), from.count, words, n});
    } else {
      clear_scratch(call, stream, words, head_words_bytes(n));
      set_offset_heads(call, stream, unwrapped(from.offsets), from.count, words, n);
    }
  } else {
    if constexpr (requires { requires std::is_pointer_v<decltype(from.keys)>; }) {
      if (launch_items(from.keys)) return skip;
    } else if constexpr (requires { requires std::is_pointer_v<decltype(from.flags)>; }) {
      if (launch_items(from.flags)) return skip;
    }
    launch(pack_heads_job<From>{from, words, n});
  }
  return skip;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
