// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_ADJACENT_DIFFERENCE_TILE_CUH
#define SWEEP_DETAIL_ADJACENT_DIFFERENCE_TILE_CUH

#include <sweep/detail/block/load_single_items.cuh>
#include <sweep/detail/block/shifted_vectors.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/block/warp_transpose.cuh>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>

#include <algorithm>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that makes the results of one tile. Shape of a tile, in memory order:
///   (warps, rows, 32 lanes, V items)
/// of up to R rows, so that a warp's rows follow each other, and only one item is read twice: the neighbour
/// of the warp's first item, or of its last one where the call is backward. All other neighbours are the
/// lane's own items, or come from the next lane. Rows are taken from the neighbour's side on: a row's results
/// are made when the row before it has been read.
template <class Problem, adjacent_difference_plan P>
class adjacent_difference_tile {
  using Raw = typename Problem::raw;
  using U = typename Problem::out_value;
  static constexpr bool backward = Problem::backward;
  static constexpr int V = Problem::vector_items, row_items = 32 * V,
                       R = vector_rows(P.rows, V*std::max(sizeof(Raw), sizeof(U)));
  /// The item of a word, and the lane of a warp, that others are neighbours of.
  static constexpr int edge_item = backward ? 0 : V - 1, edge_lane = backward ? 0 : 31;
  static_assert(P.threads % 32 == 0 && P.rows > 0,
                "sweep: a plan of adjacent_difference needs whole warps and rows");
  using load_transpose = warp_transpose<Raw, V>;
  using store_transpose = warp_transpose<U, V>;
  static constexpr bool transposes_loads = Problem::in_contiguous && load_transpose::pays,
                        transposes_stores = Problem::out_contiguous && store_transpose::pays;
  using source = source_of_t<std::remove_cvref_t<decltype(Problem::in)>>;
  /// Items that are read elsewhere come side by side, for the places of neighbours often lie together, and go
  /// to their lanes by way of shared memory.
  static constexpr bool gathers = source::reads_elsewhere && V > 1 && is_narrow<Raw>;

 public:
  /// Of a warp.
  struct row_of_items {
    alignas(16) unsigned char bytes[gathers ? row_items * sizeof(Raw) : 16];
  };
  union shared {
    typename load_transpose::shared loads;
    row_of_items gathered;
    typename store_transpose::shared stores;
  };
  static constexpr int items_of_rows = P.threads * V;  ///< one of each warp

  __device__ adjacent_difference_tile(Problem const& problem, std::int64_t tile, shared& smem)
      : problem_{problem},
        smem_{smem},
        window_{problem.grid.window(tile)},
        lone_{problem.lone() - window_.base},
        rows_{problem.grid.tile_items / items_of_rows},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_place_{static_cast<int>(threadIdx.x / 32) * rows_ * row_items} {
    if (window_.whole(problem.grid.tile_items)) {
      item_vector<Raw, V> rows[R];
      bool const in_order_of_memory = load_rows(rows);
      Raw neighbour = neighbour_of_warp(tile);
      bool const by_vectors = can_store_vectors();
#pragma unroll
      for (int k = 0; k < R; ++k) {
        if (k >= rows_) break;
        Raw x[V];
        if constexpr (transposes_loads)
          if (in_order_of_memory) load_transpose(smem_.loads).to_lanes(rows[k]);
        rows[k].unpack_each(x);
        write_row<true>(place_of(k), x, neighbour, by_vectors);
      }
    } else {
      Raw neighbour = neighbour_of_warp(tile);
#pragma unroll 1
      for (int k = 0; k < rows_; ++k) {
        int const place = place_of(k);
        Raw x[V]{};
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (window_.contains(place + v)) x[v] = problem_.in[window_.base + place + v];
        write_row<false>(place, x, neighbour, false);
      }
    }
  }

 private:
  /// Of row k from the neighbour's side on.
  __device__ int place_of(int k) const {
    return warp_place_ + (backward ? rows_ - 1 - k : k) * row_items + lane_ * V;
  }

  /// All rows in flight. Returns whether they are in the order of memory, for the lanes to get theirs.
  __device__ bool load_rows(item_vector<Raw, V> (&rows)[R]) const {
    if constexpr (Problem::in_contiguous) {
      if (vector_aligned<V>(problem_.in, window_.base)) {
#pragma unroll
        for (int k = 0; k < R; ++k)
          if (k < rows_) {
            auto const* const from = problem_.in + window_.base + place_of(k);
            if constexpr (transposes_loads)
              load_transpose(smem_.loads).template load<P.load>(from - lane_ * V, rows[k]);
            else load_vectors<P.load>(from, rows[k]);
          }
        return transposes_loads;
      }
    }
    if constexpr (Problem::in_contiguous && is_narrow<Raw>) {
      load_shifted_vectors<R, V>(
          problem_.in, problem_.grid.n, window_.base, problem_.grid.tile_items,
          [&](int k) { return place_of(k); }, [&](int k) -> auto& { return rows[k]; }, rows_);
    } else if constexpr (gathers) {
      auto* const row = reinterpret_cast<Raw*>(smem_.gathered.bytes);
#pragma unroll
      for (int k = 0; k < R; ++k)
        if (k < rows_) {
          auto const first = window_.base + place_of(k) - lane_ * V + lane_;
          Raw x[V];
          load_single_items<true>(
              problem_.in, 0, [&](int v) { return first + v * 32; }, x);
          __syncwarp();  // the row before has been read
#pragma unroll
          for (int v = 0; v < V; ++v) put_bytes(row[v * 32 + lane_], x[v]);
          __syncwarp();
          load_shared(smem_.gathered.bytes + lane_ * V * static_cast<int>(sizeof(Raw)), rows[k]);
        }
    } else {
#pragma unroll
      for (int k = 0; k < R; ++k)
        if (k < rows_) {
          Raw x[V];
#pragma unroll
          for (int v = 0; v < V; ++v) x[v] = problem_.in[window_.base + place_of(k) + v];
          rows[k].pack(x);
        }
    }
    return false;
  }

  /// What stands next to the warp's items, in the lane that has their edge. In place nobody writes before all
  /// warps have read it, and what other tiles overwrite has been kept.
  __device__ Raw neighbour_of_warp(std::int64_t tile) const {
    int const place = backward ? warp_place_ + rows_ * row_items : warp_place_ - 1;
    auto const i = window_.base + place;
    Raw neighbour{};
    if (lane_ == edge_lane && i >= 0 && i < problem_.grid.n) {
      bool const of_other_tile = place < 0 || place >= problem_.grid.tile_items;
      if (Problem::may_be_in_place && of_other_tile && problem_.kept) neighbour = problem_.kept[tile];
      else neighbour = problem_.in[i];
    }
    if constexpr (Problem::may_be_in_place)
      if (problem_.kept) __syncthreads();
    return neighbour;
  }

  __device__ bool can_store_vectors() const {
    if constexpr (Problem::out_contiguous) return vector_aligned<V>(problem_.out, window_.base);
    else return false;
  }

  /// The results of a lane's word of a row. `neighbour`, in the edge lane, comes from the row before and goes
  /// to the next one.
  template <bool Whole>
  __device__ void write_row(int place, Raw const (&x)[V], Raw& neighbour, bool by_vectors) const {
    Raw const given = select_registers(lane_ == edge_lane, neighbour, x[edge_item]);
    Raw const taken = warp_shfl(given, (lane_ + (backward ? 1 : 31)) % 32);
    neighbour = x[edge_item];
    // Of a whole tile only a word's outermost item can be the one without a neighbour.
    auto const of = [&](int v) {
      bool const outermost = v == (backward ? V - 1 : 0);
      if ((outermost || !Whole) && place + v == lone_) return problem_.of_lone(x[v]);
      return problem_.of(x[v], outermost ? taken : x[backward ? v + 1 : v - 1]);
    };
    if constexpr (Whole && Problem::out_contiguous)
      if (by_vectors) {
        U results[V];
#pragma unroll
        for (int v = 0; v < V; ++v) results[v] = of(v);
        item_vector<U, V> word;
        word.pack(results);
        auto* const to = problem_.out + window_.base + place;
        if constexpr (transposes_stores)
          store_transpose(smem_.stores).template store<P.store>(to - lane_ * V, word);
        else store_vectors<P.store>(to, word);
        return;
      }
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (Whole || window_.contains(place + v)) problem_.out[window_.base + place + v] = of(v);
  }

  Problem const& problem_;
  shared& smem_;
  tile_window window_;
  std::int64_t lone_;  ///< its place, which may be outside of the tile
  int rows_, lane_, warp_place_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
