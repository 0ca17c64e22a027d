// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_TILE_CUH
#define SWEEP_DETAIL_RUN_LENGTH_TILE_CUH

#include <sweep/detail/block/store_contiguous.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/partition/tile/register_tile.cuh>
#include <sweep/detail/run_length/problem.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that encodes the runs of one tile. Shape of a tile, in order:
///   (warps, R rows, 32 lanes, V items)
/// Warp 0 holds no items: it publishes how many runs begin in the tile and where the last of them does, and
/// learns the same of everything before the tile. Meanwhile the others put where runs begin, and narrow items
/// also their values, close together in shared memory. Then values and lengths are each one stretch to write;
/// the length of a tile's last run is written by the tile in which the next run begins.
template <class Problem, int Warps, int R>
class run_length_tile {
  using raw = typename Problem::raw;
  static constexpr int V = Problem::vector_items, warp_items = R * 32 * V;
  static constexpr unsigned all_items = (1u << V) - 1;
  /// Whether values pass through shared memory; wide ones are read again.
  static constexpr bool stages_values = sizeof(raw) <= 16;

 public:
  static constexpr int threads = 32 * (1 + Warps), items = Warps * warp_items;
  static_assert(items <= 1 << 16);

  struct shared {
    alignas(16) alignas(raw) unsigned char values[(stages_values ? items * sizeof(raw) : 0) + 16];
    std::uint16_t heads[items];  ///< places in the tile
    int warp_heads[Warps], warp_last[Warps];
    runs_so_far before;
  };
  static_assert(sizeof(shared) <= 48 * 1024 - 64);

  __device__ run_length_tile(Problem const& problem, shared& smem, std::int64_t tile)
      : problem_{problem},
        smem_{smem},
        window_{problem.grid.window(tile)},
        tile_{tile},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32) - 1} {}

  template <class Tiles>
  __device__ void encode(Tiles const& tiles) {
    if (warp_ >= 0) {
      if (window_.whole(items)) find_heads<true>();
      else find_heads<false>();
    }
    __syncthreads();
    int const mine = lane_ < Warps ? smem_.warp_heads[lane_] : 0;
    plus op;
    int const sum = warp_scan(mine, op), total = __shfl_sync(~0u, sum, 31);
    if (warp_ < 0) look_back(tiles, total);
    else scatter(__shfl_sync(~0u, sum - mine, warp_));
    __syncthreads();
    store(total);
  }

 private:
  __device__ int place_of(int r) const { return warp_ * warp_items + (r * 32 + lane_) * V; }
  template <bool Whole>
  __device__ unsigned existing(int r) const {
    if constexpr (Whole) return all_items;
    int const from = min(max(window_.valid_begin - place_of(r), 0), V),
              to = min(max(window_.valid_end - place_of(r), 0), V);
    return ((1u << to) - 1) & ~((1u << from) - 1);
  }

  template <bool Whole>
  __device__ void load() {
    if constexpr (Problem::in_contiguous)
      if (Whole && vector_aligned<V>(problem_.in, window_.base)) {
#pragma unroll
        for (int r = 0; r < R; ++r)
          load_vectors<access::streaming>(problem_.in + window_.base + place_of(r), items_[r]);
        return;
      }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      unsigned const exist = existing<Whole>(r);
      raw x[V]{};
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (exist >> v & 1u) x[v] = problem_.in[window_.base + place_of(r) + v];
      items_[r].pack(x);
    }
  }

  /// Which items begin a run, and how many in the warp. The item to the left of a lane's word is the next
  /// lane's, or the last one of the row before, which only the warp's first item has to read.
  template <bool Whole>
  __device__ void find_heads() {
    load<Whole>();
    raw edge{};
    if (lane_ == 0)
      if (auto const i = window_.base + place_of(0); i > 0 && i <= problem_.grid.n) edge = problem_.in[i - 1];
    int last = -1;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      raw x[V];
      items_[r].unpack_each(x);
      raw left = warp_shfl(select_registers(lane_ == 31, edge, x[V - 1]), (lane_ + 31) % 32);
      if (r == 0) left = select_registers(lane_ == 0, edge, left);
      edge = x[V - 1];
      unsigned const exist = existing<Whole>(r);
      unsigned mask = 0;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (!Whole && !(exist >> v & 1u)) continue;
        bool const first_of_all = (v == 0 || !Whole) && window_.base + place_of(r) + v == 0;
        mask |= static_cast<unsigned>(first_of_all || problem_.starts_run(v > 0 ? x[v - 1] : left, x[v]))
                << v;
      }
      heads_[r] = mask;
      if (mask != 0) last = place_of(r) + 31 - __clz(static_cast<int>(mask));
    }
    int const count = rank_in_warp<V>(heads_, ranks_);
    last = __reduce_max_sync(~0u, last);
    if (lane_ == 0) {
      smem_.warp_heads[warp_] = count;
      smem_.warp_last[warp_] = last;
    }
  }

  template <class Tiles>
  __device__ void look_back(Tiles const& tiles, int total) {
    int const last = __reduce_max_sync(~0u, lane_ < Warps ? smem_.warp_last[lane_] : -1);
    later_runs op;
    runs_so_far const found{total, last < 0 ? 0 : window_.base + last + 1};
    auto const before = tiles.publish_and_look_back(warp_lanes{}, tile_, found, op).value;
    if (lane_ == 0) {
      smem_.before = before;
      if (tile_ >= problem_.grid.tiles() - 1) problem_.finish(op(before, found));
    }
  }

  /// Where runs begin, and their values, in order.
  __device__ void scatter(int before_warp) {
    auto* const values = reinterpret_cast<raw*>(smem_.values);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (heads_[r] == 0) continue;
      int at = before_warp + ranks_[r];
      raw x[V];
      if constexpr (stages_values) {
        if constexpr (sizeof(raw) < 4) items_[r].keep_packed();
        items_[r].unpack_each(x);
      }
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (heads_[r] >> v & 1u) {
          smem_.heads[at] = static_cast<std::uint16_t>(place_of(r) + v);
          if constexpr (stages_values) put_bytes(values[at], x[v]);
          ++at;
        }
    }
  }

  __device__ void store(int count) const {
    if (count == 0) return;
    auto const before = smem_.before;
    int const t = static_cast<int>(threadIdx.x);
    if (t == 0) problem_.close_run(before, window_.base + smem_.heads[0]);
#pragma unroll 4
    for (int i = t; i < count - 1; i += threads)
      problem_.put_length(before.heads + i, int{smem_.heads[i + 1]} - int{smem_.heads[i]});
    if constexpr (!stages_values) {
      for (int i = t; i < count; i += threads)
        problem_.put_value(before.heads + i, problem_.in[window_.base + smem_.heads[i]]);
    } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(problem_.values)>, raw*>) {
      store_contiguous(problem_.values + before.heads, smem_.values, 0, count);
    } else {
      auto const* const values = reinterpret_cast<raw const*>(smem_.values);
#pragma unroll 4
      for (int i = t; i < count; i += threads) problem_.put_value(before.heads + i, values[i]);
    }
  }

  Problem const& problem_;
  shared& smem_;
  tile_window window_;
  std::int64_t tile_;
  int lane_, warp_;
  item_vector<raw, V> items_[R];
  unsigned heads_[R];
  int ranks_[R];  ///< what comes before a word in its warp
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
