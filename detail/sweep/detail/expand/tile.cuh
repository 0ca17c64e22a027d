// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_EXPAND_TILE_CUH
#define SWEEP_DETAIL_EXPAND_TILE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/expand/problem.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/plan.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that writes one tile of the output, however many items that takes. Shape of a tile, in
/// order:
///   (R rows, threads, V places)
/// Two warps look for the items that the tile's first and last place hold. Those between mark where they
/// begin, a byte a place in shared memory, of which words of bits are made: a place holds as many items
/// behind the tile's first one, of those that stand in it at all, as there are bits up to it. Items are laid
/// down in this order, so that each is made once. Where so many items hold nothing that marking takes longer
/// than looking, every place looks for its own item.
template <class Problem, int Warps>
class expand_tile {
  using U = typename Problem::out_value;
  static constexpr int V = Problem::vector_items,
                       vector_bytes = Problem::out_contiguous ? V * static_cast<int>(sizeof(U)) : 16,
                       R = std::max(16 / V, 64 / vector_bytes);

 public:
  static constexpr int threads = 32 * Warps, places = R * threads * V;

 private:
  static constexpr int words = places / 32, words_each = std::max(1, words / threads);
  static_assert(32 % V == 0 && places % 32 == 0 && (words <= threads || words % threads == 0));
  /// What is laid down of an item: itself, or how far it is behind the first.
  static constexpr bool lays_items = Problem::out_contiguous && sizeof(U) <= 8;
  using laid = std::conditional_t<lays_items, U, int>;
  static constexpr int at_once = 4;  ///< items that a thread asks for before it uses the first

 public:
  struct shared {
    alignas(16) unsigned char marks[places];
    alignas(16) unsigned char items[places * sizeof(laid)];
    unsigned bits[words];
    int before[words];  ///< bits in the words before
    int warps[Warps];
    std::int64_t ends[2];
  };

  __device__ expand_tile(Problem const& problem, shared& smem)
      : problem_{problem},
        smem_{smem},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)} {}

  /// Returns the item at the tile's last place. No item before \p from stands in the tile; -1: nothing is
  /// known.
  __device__ std::int64_t write(tile_window const& window, std::int64_t from) {
    window_ = window;
    auto const first = window.base + window.valid_begin, last = window.base + window.valid_end - 1;
    __syncthreads();  // the tile before has read what is written now
    if (from < 0) {
      if (warp_ < 2) {
        auto const item = find(0, problem_.count, warp_ == 0 ? first : last);
        if (lane_ == 0) smem_.ends[warp_] = item;
      }
    } else if (warp_ == 0) {
      auto const low = find_near(from, first), high = find_near(low, last);
      if (lane_ == 0) {
        smem_.ends[0] = low;
        smem_.ends[1] = high;
      }
    }
    clear_marks();
    __syncthreads();
    low_ = smem_.ends[0];
    high_ = smem_.ends[1];
    if (high_ == low_) {
      write_one();
    } else if (high_ - low_ <= std::int64_t{8} * places) {
      lay_down();
      write_laid();
    } else {
      write_places([&](int place, int v) { return problem_.item(look_for(window_.base + place + v)); });
    }
    return high_;
  }

 private:
  __device__ static int place_of(int r) { return (r * threads + static_cast<int>(threadIdx.x)) * V; }

  /// The item that stands at a place, of items [low, high); high where it is none of them.
  __device__ std::int64_t find(std::int64_t low, std::int64_t high, std::int64_t place) const {
    return warp_find_first(low, high, [&](std::int64_t i) { return problem_.places.end(i) > place; });
  }
  /// The same of all items from `low` on, where it is most likely one of the next.
  __device__ std::int64_t find_near(std::int64_t low, std::int64_t place) const {
    for (int const ahead : {32, 2 * places}) {
      auto const high = min(problem_.count, low + ahead), item = find(low, high, place);
      if (item < high) return item;
      low = high;
    }
    return find(low, problem_.count, place);
  }

  __device__ void clear_marks() const {
    for (int i = static_cast<int>(threadIdx.x); i < places / 16; i += threads)
      reinterpret_cast<uint4*>(smem_.marks)[i] = uint4{0, 0, 0, 0};
  }
  /// Calls f(item, place) for each item behind the first that stands in the tile.
  template <class F>
  __device__ void for_each_begin(F f) const {
    for (auto first = low_ + 1 + static_cast<std::int64_t>(threadIdx.x); first <= high_;
         first += at_once * threads) {
      std::int64_t begin[at_once], end[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        auto const i = min(first + k * threads, high_);
        begin[k] = problem_.places.begin(i);
        end[k] = problem_.places.end(i);
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (first + k * threads <= high_ && begin[k] < end[k])
          f(first + k * threads, static_cast<int>(begin[k] - window_.base));
    }
  }
  /// Of 32 marks, a bit each.
  __device__ static unsigned bits_of(uint4 const* marks) {
    auto const four = [](unsigned marks) { return marks * 0x10204080u >> 28; };
    unsigned bits = 0;
#pragma unroll
    for (int h = 0; h < 2; ++h)
      bits |= (four(marks[h].x) | four(marks[h].y) << 4 | four(marks[h].z) << 8 | four(marks[h].w) << 12)
              << 16 * h;
    return bits;
  }
  __device__ laid& laid_at(int nth) const {
    return *reinterpret_cast<laid*>(smem_.items + nth * static_cast<int>(sizeof(laid)));
  }
  __device__ laid as_laid(std::int64_t item) const {
    if constexpr (lays_items) return problem_.item(item);
    else return static_cast<int>(item - low_);
  }

  __device__ void lay_down() const {
    for_each_begin([&](std::int64_t, int place) { smem_.marks[place] = 1; });
    __syncthreads();
    unsigned bits[words_each];
    int const first = static_cast<int>(threadIdx.x) * words_each;
    int mine = 0;
#pragma unroll
    for (int w = 0; w < words_each; ++w) {
      bits[w] =
          first + w < words ? bits_of(reinterpret_cast<uint4 const*>(smem_.marks) + (first + w) * 2) : 0;
      mine += __popc(bits[w]);
    }
    plus op;
    int const up_to = warp_scan(mine, op);
    if (lane_ == 31) smem_.warps[warp_] = up_to;
    __syncthreads();
    int before =
        up_to - mine + static_cast<int>(__reduce_add_sync(~0u, lane_ < warp_ ? smem_.warps[lane_] : 0));
#pragma unroll
    for (int w = 0; w < words_each; ++w)
      if (first + w < words) {
        smem_.bits[first + w] = bits[w];
        smem_.before[first + w] = before;
        before += __popc(bits[w]);
      }
    __syncthreads();
    int const behind = static_cast<int>(high_ - low_);
    if (items_up_to(places - 1) == behind) {  // each item stands in the tile
#pragma unroll 1
      for (int first = static_cast<int>(threadIdx.x); first <= behind; first += at_once * threads) {
        laid some[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          put_bytes(some[k], as_laid(low_ + min(first + k * threads, behind)));
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (first + k * threads <= behind) put_bytes(laid_at(first + k * threads), some[k]);
      }
    } else {
      if (threadIdx.x == 0) put_bytes(laid_at(0), as_laid(low_));
      for_each_begin([&](std::int64_t i, int place) { put_bytes(laid_at(items_up_to(place)), as_laid(i)); });
    }
    __syncthreads();
  }
  /// Items behind the first that begin at a place or before it.
  __device__ int items_up_to(int place) const {
    return smem_.before[place / 32] + __popc(smem_.bits[place / 32] & ((2u << place % 32) - 1));
  }

  __device__ std::int64_t look_for(std::int64_t place) const {
    auto low = low_, high = high_;
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (problem_.places.end(middle) > place) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  __device__ U laid_item(int nth) const {
    if constexpr (lays_items) return laid_at(nth);
    else return problem_.item(low_ + laid_at(nth));
  }
  __device__ void write_laid() const {
    // Whose place a vector's first one is, and the bits of those behind it.
    int nth = 0, at = -1;
    unsigned bits = 0;
    write_places([&](int place, int v) {
      if (place != at) {
        at = place;
        nth = items_up_to(place);
        bits = smem_.bits[place / 32] >> place % 32;
      } else {
        nth += static_cast<int>(bits >> v & 1u);
      }
      return laid_item(nth);
    });
  }
  __device__ void write_one() const {
    auto const item = problem_.item(low_);
    write_places([&](int, int) { return item; });
  }

  /// item_of(first place of a vector, v) is asked for in the order of places.
  template <class ItemOf>
  __device__ void write_places(ItemOf item_of) const {
    bool const whole = window_.whole(places);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int const place = place_of(r);
      auto const at = window_.base + place;
      if constexpr (Problem::out_contiguous)
        if (whole && vector_aligned<V>(problem_.out, at)) {
          U items[V];
#pragma unroll
          for (int v = 0; v < V; ++v) items[v] = item_of(place, v);
          item_vector<U, V> word;
          word.pack(items);
          store_vectors<access::streaming>(problem_.out + at, word);
          continue;
        }
#pragma unroll
      for (int v = 0; v < V; ++v) {
        auto const item = item_of(place, v);
        if (window_.contains(place + v)) problem_.put(at + v, item);
      }
    }
  }

  Problem const& problem_;
  shared& smem_;
  tile_window window_{};
  std::int64_t low_ = 0, high_ = 0;  ///< the items at the tile's first and last place
  int lane_, warp_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
