// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_EXPAND_TILE_CUH
#define SWEEP_DETAIL_EXPAND_TILE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/expand/problem.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/plan.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

struct later_item {
  __device__ int operator()(int a, int b) const { return max(a, b); }
};

/// A thread block that writes one tile of the output, however many items that takes. Shape of a tile, in
/// order:
///   (warps, R rows, 32 lanes, V places)
/// Two warps look for the items that the tile's first and last place hold. Those between mark where they
/// begin in shared memory, and a scan takes each mark on to the places behind it. Where so many items hold
/// nothing that marking takes longer than looking, every place looks for its own item.
template <class Problem, int Warps>
class expand_tile {
  using U = typename Problem::out_value;
  static constexpr int V = Problem::vector_items, R = std::max(1, 16 / V), warp_places = R * 32 * V;

 public:
  static constexpr int threads = 32 * Warps, places = Warps * warp_places;

  struct shared {
    alignas(16) int marks[places];  ///< how many items behind the tile's first one
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
    if (high_ - low_ <= std::int64_t{8} * places) {
      if (high_ > low_) mark_and_scan();
      else
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
          for (int v = 0; v < V; ++v) item_[r][v] = 0;
      write_places([&](int r, int v) { return low_ + item_[r][v]; });
    } else {
      write_places([&](int r, int v) { return look_for(window_.base + place_of(r) + v); });
    }
    return high_;
  }

 private:
  __device__ int place_of(int r) const { return warp_ * warp_places + (r * 32 + lane_) * V; }

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
#pragma unroll
    for (int i = 0; i < places / threads; ++i) smem_.marks[i * threads + static_cast<int>(threadIdx.x)] = 0;
  }

  __device__ void mark_and_scan() {
    for (auto i = low_ + 1 + threadIdx.x; i <= high_; i += threads)
      if (auto const begin = problem_.places.begin(i); begin < problem_.places.end(i))
        smem_.marks[begin - window_.base] = static_cast<int>(i - low_);
    __syncthreads();
    later_item op;
    int before = 0;  // the last mark of the rows before
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int latest = 0;
#pragma unroll
      for (int v = 0; v < V; ++v) item_[r][v] = latest = max(latest, smem_.marks[place_of(r) + v]);
      int const up_to = warp_scan(latest, op);
      int left = __shfl_up_sync(~0u, up_to, 1);
      left = max(lane_ > 0 ? left : 0, before);
#pragma unroll
      for (int v = 0; v < V; ++v) item_[r][v] = max(item_[r][v], left);
      before = max(before, __shfl_sync(~0u, up_to, 31));
    }
    if (lane_ == 0) smem_.warps[warp_] = before;
    __syncthreads();
    int const others = __reduce_max_sync(~0u, lane_ < warp_ ? smem_.warps[lane_] : 0);
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int v = 0; v < V; ++v) item_[r][v] = max(item_[r][v], others);
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

  template <class ItemOf>
  __device__ void write_places(ItemOf item_of) const {
    bool const whole = window_.whole(places);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto const at = window_.base + place_of(r);
      if constexpr (Problem::out_contiguous)
        if (whole && vector_aligned<V>(problem_.out, at)) {
          U items[V];
#pragma unroll
          for (int v = 0; v < V; ++v) items[v] = problem_.item(item_of(r, v));
          item_vector<U, V> word;
          word.pack(items);
          store_vectors<access::streaming>(problem_.out + at, word);
          continue;
        }
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (window_.contains(place_of(r) + v)) problem_.put(at + v, problem_.item(item_of(r, v)));
    }
  }

  Problem const& problem_;
  shared& smem_;
  tile_window window_{};
  std::int64_t low_ = 0, high_ = 0;  ///< the items at the tile's first and last place
  int lane_, warp_;
  int item_[R][V];  ///< of a place: how many items behind the first
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
