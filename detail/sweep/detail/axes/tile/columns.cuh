// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_COLUMNS_CUH
#define SWEEP_DETAIL_AXES_TILE_COLUMNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Stores V neighbours of any range, as a vector where they are one.
template <access How, int V, class Out, class Item>
__device__ void store_neighbours(Out const& to, std::int64_t index, Item const (&items)[V]) {
  if constexpr (std::is_pointer_v<Out> && relocatable<Item>)
    if (vector_aligned<V>(to, index)) {
      item_vector<Item, V> vector;
      vector.pack(items);
      return store_vectors<How>(to + index, vector);
    }
#pragma unroll
  for (int v = 0; v < V; ++v)
    if constexpr (std::is_pointer_v<Out> && relocatable<Item>) put_bytes(to[index + v], items[v]);
    else to[static_cast<typename std::iterator_traits<Out>::difference_type>(index + v)] = items[v];
}

/// Items of V neighbouring lines.
template <int V, class Problem>
__device__ void load_pack(Problem const& problem, std::int64_t at, line_pack<typename Problem::value, V>& x) {
  typename Problem::raw items[V];
  load_neighbours<access::streaming>(problem.in, at, items);
#pragma unroll
  for (int v = 0; v < V; ++v) x.of[v] = problem.of(items[v]);
}
template <int V, class Problem>
__device__ void store_pack(Problem const& problem, std::int64_t at,
                           line_pack<typename Problem::value, V> const& x) {
  using U = typename Problem::out_value;
  U items[V];
#pragma unroll
  for (int v = 0; v < V; ++v) items[v] = static_cast<U>(x.of[v]);
  store_neighbours<access::streaming>(problem.out, at, items);
}
/// What stands before V neighbouring lines.
template <int V, class Problem>
__device__ optional<line_pack<typename Problem::value, V>> before_pack(Problem const& problem,
                                                                       std::int64_t line) {
  optional<line_pack<typename Problem::value, V>> before{};
#pragma unroll
  for (int v = 0; v < V; ++v) {
    auto const one = problem.before_line(problem.grid.place(line + v));
    before.value.of[v] = one.value;
    before.present = one.present;
  }
  return before;
}

/// The items of V neighbouring lines one after the other, by one thread; neighbouring threads have
/// neighbouring lines.
template <int V, class Problem>
__device__ void march_lines(Problem const& problem, std::int64_t line) {
  using T = typename Problem::value;
  using pack = line_pack<T, V>;
  constexpr int batch = sizeof(pack) <= 4 ? 16 : sizeof(pack) <= 16 ? 8 : 2;
  auto const& grid = problem.grid;
  auto op = problem.op;
  each_of_pack<decltype(op), V> ops{op};
  auto const at = grid.place(line);
  auto sum = before_pack<V>(problem, line);
  auto from = at.in, to = at.out;
  for (std::int64_t first = 0; first < grid.length; first += batch) {
    pack x[batch];
    auto const left = grid.length - first;
    int const count = left < batch ? static_cast<int>(left) : batch;
#pragma unroll
    for (int k = 0; k < batch; ++k, from += grid.in)
      if (k < count) load_pack(problem, from, x[k]);
#pragma unroll
    for (int k = 0; k < batch; ++k, to += grid.out)
      if (k < count) {
        auto const result = next_of_line<Problem::what>(sum, x[k], ops);
        if constexpr (Problem::what != line_result::total) store_pack(problem, to, result);
      }
  }
  if constexpr (Problem::what == line_result::total)
#pragma unroll
    for (int v = 0; v < V; ++v) problem.put(grid.place(line + v).out, sum.value.of[v]);
}

/// One chunk of 8 packs of V neighbouring lines, by a block: (32 strips, 8 packs) threads, each with the
/// items (strip, V) in registers.
template <class Problem, int V>
struct chunk_of_columns {
  using T = typename Problem::value;
  using pack = line_pack<T, V>;
  using told = pack;  ///< what chunks tell each other
  static constexpr int packs = 8, threads = 32 * packs, strip = strip_items<T>;
  struct shared {
    uninitialized<pack, 32 * (packs + 1)> totals;
  };

  static __device__ void run(Problem const& problem, shared& memory, std::int64_t first_pack,
                             std::int64_t chunk, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const nth = static_cast<int>(threadIdx.x) % packs, row = static_cast<int>(threadIdx.x) / packs;
    auto const all_packs = grid.lines / V;
    auto const of_chunk =
        static_cast<int>(min(grid.length - chunk * chunk_items<T>, std::int64_t{chunk_items<T>}));
    int const strips = (of_chunk + strip - 1) / strip;
    auto const first = chunk * chunk_items<T> + row * strip;
    int const count =
        first_pack + nth < all_packs ? min(of_chunk - row * strip, strip) : 0;  // may be negative
    auto const at = grid.place(min(first_pack + nth, all_packs - 1) * V);
    pack x[strip];
    auto from = at.in + first * grid.in;
#pragma unroll
    for (int k = 0; k < strip; ++k, from += grid.in)
      if (k < count) load_pack(problem, from, x[k]);
    if (count > 0) {
      pack total = x[0];
#pragma unroll
      for (int k = 1; k < strip; ++k)
        if (k < count) total = ops(total, x[k]);
      put_bytes(memory.totals[row * (packs + 1) + nth], total);
    }
    __syncthreads();

    // Warp w speaks for pack w, lane l for its strip l.
    int const own = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    if (first_pack + own < all_packs) {
      pack total{};
      if (lane < strips) put_bytes(total, memory.totals[lane * (packs + 1) + own]);
      pack const sum = warp_scan_first(total, strips, ops);
      if constexpr (Problem::what == line_result::total) {
        if (lane == strips - 1)
#pragma unroll
          for (int v = 0; v < V; ++v) problem.put(chunk * grid.lines + (first_pack + own) * V + v, sum.of[v]);
      } else {
        auto before = before_pack<V>(problem, (first_pack + own) * V);
        if (order.chunks > 1) {
          pack const all = warp_shfl(sum, strips - 1);
          auto const found = order.template state_of<pack>(first_pack + own)
                                 .publish_and_look_back(pack_lanes{}, chunk,
                                                        chunk == 0 ? combine(before, all, ops) : all, ops);
          if (chunk > 0) before = {warp_shfl(found.value, 0), true};
        }
        pack const left = warp_shfl_up(sum, 1);
        put_bytes(memory.totals[lane * (packs + 1) + own],
                  lane == 0 ? before.value : combine(before, left, ops));
      }
    }
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      bool const starts = std::is_same_v<decltype(problem.before), nothing_before> && first == 0;
      optional<pack> sum{};
      put_bytes(sum.value, memory.totals[row * (packs + 1) + nth]);
      sum.present = !starts;
      auto to = at.out + first * grid.out;
#pragma unroll
      for (int k = 0; k < strip; ++k, to += grid.out)
        if (k < count) store_pack(problem, to, next_of_line<Problem::what>(sum, x[k], ops));
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
