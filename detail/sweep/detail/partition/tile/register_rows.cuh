// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_REGISTER_ROWS_CUH
#define SWEEP_DETAIL_PARTITION_TILE_REGISTER_ROWS_CUH

#include <sweep/bits.hpp>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/load_single_items.cuh>
#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/plan.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Where the rows of a tile lie that the warps of a block hold in registers, and how items come into them.
/// Shape of a tile, in order:
///   (warps, R rows, 32 lanes, V items)
/// Every access of a warp is 32 neighbouring vectors of V items, and what a warp holds is one stretch of
/// memory.
template <int V, int R, access Load>
class register_rows {
 protected:
  static constexpr int warp_items = R * 32 * V;
  static constexpr unsigned all_items = (1u << V) - 1;

  /// The stage has room for the items of all warps, and 16 bytes more.
  __device__ register_rows(unsigned char* stage, int warp)
      : lane_{static_cast<int>(threadIdx.x % 32)}, warp_{warp}, stage_{stage} {}

  /// Place of a lane's vector in the tile.
  __device__ int vector_place(int r) const { return warp_ * warp_items + (r * 32 + lane_) * V; }
  __device__ std::int64_t word_index(int r) const { return window_.base + vector_place(r); }
  /// Which of a vector's items exist.
  __device__ unsigned existing(int r) const {
    if (whole_) return all_items;
    int const from = min(max(window_.valid_begin - vector_place(r), 0), V),
              to = min(max(window_.valid_end - vector_place(r), 0), V);
    return ((1u << to) - 1) & ~((1u << from) - 1);
  }

  /// Those items of vectors that need(r) has bits of, loaded at once: what lies beneath them first, all of
  /// it, and then they are made.
  template <class It, class Need>
  __device__ void load_words(It const& from, Need const& need,
                             item_vector<value_of<It>, V> (&rows)[R]) const {
    using loaded = beneath<It>;
    if constexpr (loaded::contiguous && loaded::is_items) {
      load_vectors_of(from, need, rows);
    } else if constexpr (loaded::contiguous) {
      item_vector<typename loaded::value, V> words[R];
      load_vectors_of(from, need, words);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        typename loaded::value xs[V];
        words[r].unpack(xs);
        value_of<It> values[V];
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (need(r) >> v & 1u) put_bytes(values[v], loaded::item(from, word_index(r) + v, xs[v]));
        rows[r].pack(values);
      }
    }
  }
  template <class It, class Need>
  __device__ void load_vectors_of(It const& from, Need const& need,
                                  item_vector<typename beneath<It>::value, V> (&words)[R]) const {
    auto const memory = beneath<It>::from(from, window_.base);
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (need(r) != 0) load_vectors<Load>(memory.lowest(vector_place(r), V), words[r]);
    if constexpr (memory.reversed) {
#pragma unroll
      for (int r = 0; r < R; ++r) words[r].turn();
    }
  }
  /// Whether items are neighbours in memory.
  template <class Source, class X>
  static constexpr bool is_memory =
      std::is_same_v<Source, memory_source<X>> || std::is_same_v<Source, memory_source<X, true>>;
  /// Whether items come from nowhere: then each lane computes its own.
  template <class It>
  static constexpr bool is_computed = source_of_t<It>::streams == 0 && !source_of_t<It>::reads_elsewhere;

  /// The items of a vector whose bits are set in `need`, one by one.
  template <class It>
  __device__ void load_each(It const& from, int r, unsigned need, item_vector<value_of<It>, V>& items) const {
    if constexpr (sizeof(value_of<It>) % 16 == 0) {  // an array of these may be one of 128-bit integers
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (need >> v & 1u) items.template put<true>(v, from[word_index(r) + v]);
      return;
    }
    value_of<It> values[V]{};
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (need >> v & 1u) values[v] = from[word_index(r) + v];
    items.pack(values);
  }
  template <class It>
  __device__ bool can_load_words(It const& from) const {
    if constexpr (beneath<It>::contiguous)
      return whole_ && vector_aligned<V>(beneath<It>::from(from, window_.base).lowest(0, V), 0);
    else return false;
  }

  /// Items that vector loads cannot bring, or of which some do not exist, dealt out to the lanes by way of
  /// the warp's own region of shared memory: neighbours in memory as they lie there, whichever way round that
  /// is; others one by one, coalesced.
  template <bool Whole, class It, class X>
  __device__ void load_items(It const& from, item_vector<X, V> (&rows)[R]) const {
    int const first = warp_ * warp_items;
    if constexpr (V == 1 && !is_memory<source_of_t<It>, X>) {
      X values[R];
      unsigned exist = 0;
#pragma unroll
      for (int r = 0; r < R; ++r) exist |= existing(r) << r;
      load_single_items<Whole>(
          from, exist, [&](int r) { return word_index(r); }, values);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        X const one[1] = {values[r]};
        rows[r].pack(one);
      }
      return;
    }
    auto* const mine = reinterpret_cast<X*>(stage_) + warp_ * warp_items;
    auto const* items = mine;
    bool turned = false;
    if constexpr (Whole && is_memory<source_of_t<It>, X>) {
      auto const memory = source_of(from);
      static_assert(warp_items * sizeof(X) % 16 == 0);  // all warps' items lie equally in 16 bytes
      items = reinterpret_cast<X const*>(stage_items_by<X>(reinterpret_cast<unsigned char*>(mine) - 16,
                                                           memory.lowest(window_.base + first, warp_items), 0,
                                                           warp_items, lane_, 32));
      turned = memory.reversed;
      await_async_copies();
    } else {
      // Many loads are on their way before the first is waited for: each may be two, one after the other.
      constexpr int all = R * V, together = [] {
        int rows = !Whole ? 8 : sizeof(X) <= 4 ? 36 : sizeof(X) <= 8 ? 16 : 4;
        while (all % rows != 0) --rows;
        return rows;
      }();
#pragma unroll 1
      for (int row = 0; row < all; row += together) {
        X values[together];
#pragma unroll
        for (int k = 0; k < together; ++k)
          if (int const i = (row + k) * 32 + lane_; Whole || window_.contains(first + i))
            put_bytes(values[k], static_cast<X>(from[window_.base + first + i]));
#pragma unroll
        for (int k = 0; k < together; ++k)
          if (int const i = (row + k) * 32 + lane_; Whole || window_.contains(first + i))
            put_bytes(mine[i], values[k]);
      }
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; ++r) {
      X values[V];
#pragma unroll
      for (int v = 0; v < V; ++v) {
        int const i = (r * 32 + lane_) * V + v;
        put_bytes(values[v], items[turned ? warp_items - 1 - i : i]);
      }
      rows[r].pack(values);
    }
  }

  /// The flags of a vector's items that exist, from the one or two words of bits that hold them.
  __device__ unsigned load_bits(bits const& from, int r, unsigned exist) const {
    if (exist == 0) return 0;
    int const first = __ffs(static_cast<int>(exist)) - 1, last = 31 - __clz(static_cast<int>(exist));
    auto const position = from.position() + word_index(r);
    auto const low = position + first >> 5, high = position + last >> 5;
    unsigned const word = from.words()[low], next = high > low ? from.words()[high] : word;
    int const shift = static_cast<int>(position - (low << 5));  // negative where the first items do not exist
    return (shift >= 0 ? __funnelshift_r(word, next, shift) : word << -shift) & exist;
  }

  int lane_, warp_;
  bool whole_ = false;
  tile_window window_{};

 private:
  unsigned char* stage_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
