// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_GATHER_TILE_CUH
#define SWEEP_DETAIL_GATHER_TILE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/gather/problem.hpp>
#include <sweep/plan.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that makes the moves of one tile. Shape of a tile, in memory order:
///   (R rows, threads, V items)
/// What is read or written in order moves as words, marked as touched once, so that the caches stay with what
/// the map leads to. All of a thread's map is read before the first of its moves, and all its gathered items
/// are on their way before the first of them is stored.
template <class Problem, int R>
class gather_tile {
  static constexpr int V = Problem::vector_items;
  using index = typename Problem::index;
  using U = typename Problem::out_value;
  using raw = typename Problem::raw;

 public:
  __device__ gather_tile(Problem const& problem, std::int64_t tile)
      : problem_{problem}, window_{problem.grid.window(tile)} {
    if (window_.whole(problem.grid.tile_items)) move_all();
    else move_selected<false>();
  }

 private:
  __device__ int place_of(int r) const {
    return (r * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x)) * V;
  }

  __device__ void move_all() const {
    constexpr bool in_by_words = !Problem::gathers && !Problem::has_stencil &&
                                 Problem::template contiguous<std::remove_cvref_t<decltype(problem_.in)>> &&
                                 std::is_default_constructible_v<raw>;
    if constexpr (Problem::out_by_words || in_by_words) {
      index map[R][V];
      load_rows<access::streaming>(problem_.map, window_.base + place_of(0), place_of(1) - place_of(0), map);
      if constexpr (Problem::out_by_words) gather_words(map);
      else scatter_words(map);
    } else {
      move_selected<true>();
    }
  }

  /// One item a thread in each step, neighbours by neighbouring threads: a stencil decides, or what is read
  /// or written in order is no memory that moves as words, or the tile is at an end of the data.
  template <bool Whole>
  __device__ void move_selected() const {
    constexpr int steps = R * V;
    int const threads = static_cast<int>(blockDim.x), place = static_cast<int>(threadIdx.x);
    auto const first = window_.base + place;
    bool moves[steps];
    index map[steps];
#pragma unroll
    for (int k = 0; k < steps; ++k)
      moves[k] = (Whole || window_.contains(place + k * threads)) && problem_.moves(first + k * threads);
#pragma unroll
    for (int k = 0; k < steps; ++k)
      if (moves[k]) map[k] = problem_.map[first + k * threads];
    if constexpr (std::is_trivially_copyable_v<raw> && std::is_default_constructible_v<raw> &&
                  sizeof(raw) <= 16) {
      raw items[steps];
#pragma unroll
      for (int k = 0; k < steps; ++k)
        if (moves[k]) items[k] = problem_.item(first + k * threads, map[k]);
#pragma unroll
      for (int k = 0; k < steps; ++k)
        if (moves[k]) problem_.put(first + k * threads, map[k], items[k]);
    } else {
#pragma unroll
      for (int k = 0; k < steps; ++k)
        if (moves[k]) problem_.move(first + k * threads, map[k]);
    }
  }

  __device__ void gather_words(index const (&map)[R][V]) const {
    U items[R][V];
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int v = 0; v < V; ++v)
        put_bytes(items[r][v], static_cast<U>(problem_.in[static_cast<std::int64_t>(map[r][v])]));
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto* const to = problem_.out + window_.base + place_of(r);
      if (vector_aligned<V>(problem_.out, window_.base + place_of(r))) {
        item_vector<U, V> word;
        word.pack(items[r]);
        store_vectors<access::streaming>(to, word);
      } else {
#pragma unroll
        for (int v = 0; v < V; ++v) to[v] = items[r][v];
      }
    }
  }

  __device__ void scatter_words(index const (&map)[R][V]) const {
    raw items[R][V];
    load_rows<access::streaming>(problem_.in, window_.base + place_of(0), place_of(1) - place_of(0), items);
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int v = 0; v < V; ++v)
        problem_.out[static_cast<std::int64_t>(map[r][v])] = static_cast<U>(items[r][v]);
  }

  Problem const& problem_;
  tile_window window_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
