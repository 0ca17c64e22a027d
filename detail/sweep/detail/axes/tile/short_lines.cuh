// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_SHORT_LINES_CUH
#define SWEEP_DETAIL_AXES_TILE_SHORT_LINES_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/contiguous.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Short lines across rows that begin anywhere in memory, each of which is one chain, by a block: some
/// neighbouring lines, (items of a line, lines) of them. Each row's part moves as it lies, in vectors, and
/// passes through shared memory; threads scan lines there, each one at a time.
template <class Problem>
struct short_lines {
  using T = typename Problem::value;
  static constexpr bool total_only = Problem::what == line_result::total;
  static constexpr bool possible =
      arrays_of_place<typename Problem::in_place> == 1 && arrays_of_place<typename Problem::out_place> == 1 &&
      neighbours_of_run<decltype(Problem::in), typename Problem::raw, T> > 1 && !Problem::looks;
  static constexpr int threads = 256, bytes = 24 << 10;
  static constexpr int longest = static_cast<int>(23 / sizeof(typename Problem::raw));  ///< a line's items
  static constexpr int boundary = 16;

  /// Neighbouring lines of a block.
  static SWEEP_HD constexpr int lines(std::int64_t length) {
    auto const fit = bytes / (length * std::int64_t{sizeof(T)});
    return static_cast<int>(fit) / 32 * 32;
  }
  static SWEEP_HD constexpr int pitch(std::int64_t length) { return lines(length) + boundary; }
  static SWEEP_HD constexpr std::size_t shared_bytes(std::int64_t length) {
    return static_cast<std::size_t>(pitch(length) * length) * sizeof(T);
  }
  static constexpr std::size_t most_bytes = bytes + boundary * longest * sizeof(T);

  Problem const& problem;
  T* memory;
  typename decltype(Problem::grid)::place_type at;  ///< the first line
  int count;                                        ///< lines
  int length = static_cast<int>(problem.grid.length), row_pitch = pitch(problem.grid.length);

  static __device__ void run(Problem const& problem, T* memory, std::int64_t block) {
    auto const& grid = problem.grid;
    auto const extent = grid.across[0].extent;
    std::int64_t const most = lines(grid.length), of_row = (extent + most - 1) / most,
                       row = quotient(block, of_row);
    auto const first = (block - row * of_row) * most;
    short_lines{problem, memory, grid.place(row * extent + first),
                static_cast<int>(min(extent - first, most))}
        .run();
  }

 private:
  static constexpr int V = neighbours_of_run<decltype(Problem::in), typename Problem::raw, T>;
  __device__ std::int64_t in_row(int k) const { return at.in + k * problem.grid.in; }
  __device__ std::int64_t out_row(int k) const { return at.out + k * problem.grid.out; }
  __device__ int before_in_row(int k) const { return behind_boundary<V>(problem.in, in_row(k)); }
  /// Where item k of the first line stands in shared memory: so that vectors stay whole.
  __device__ int start_of(int k) const {
    if constexpr (V == word_items<T>) return k * row_pitch + before_in_row(k);
    else return k * row_pitch;
  }

  __device__ void run() const {
    load();
    __syncthreads();
    auto op = problem.op;
    for (int line = static_cast<int>(threadIdx.x); line < count; line += threads) {
      auto const& step = problem.grid.across[0].stride;
      auto sum = problem.before_line(decltype(at){at.in, at.out, at.init + line * step.init});
      constexpr int part = 4;
      for (int first = 0; first < length; first += part) {
        int where[part];
        T x[part];
#pragma unroll
        for (int k = 0; k < part; ++k)
          if (first + k < length) {
            where[k] = start_of(first + k) + line;
            put_bytes(x[k], memory[where[k]]);
          }
#pragma unroll
        for (int k = 0; k < part; ++k)
          if (first + k < length) {
            T const result = next_of_line<Problem::what>(sum, x[k], op);
            if constexpr (!total_only) put_bytes(memory[where[k]], result);
          }
      }
      if constexpr (total_only) problem.put(at.out + line * step.out, sum.value);
    }
    if constexpr (!total_only) {
      __syncthreads();
      store();
    }
  }

  /// For each vector of each row: what(row, its first item, which may be before or behind the row's part).
  template <int W, int Batch, class Before, class Ask, class Put>
  __device__ void for_vectors(Before const& before, Ask const& ask, Put const& put) const {
    int const of_row = (count + 2 * W - 2) / W, all = of_row * length;
    small_divisor const row_of(of_row);
    for (int v0 = static_cast<int>(threadIdx.x); v0 < all; v0 += Batch * threads) {
      int row[Batch], begin[Batch];
#pragma unroll
      for (int b = 0; b < Batch; ++b) {
        int const v = v0 + b * threads;
        row[b] = row_of.quotient(min(v, all - 1));
        begin[b] = v < all ? W * (v - row[b] * of_row) - before(row[b]) : count;
        ask(b, row[b], begin[b]);
      }
#pragma unroll
      for (int b = 0; b < Batch; ++b) put(b, row[b], begin[b]);
    }
  }
  template <int W>
  __device__ bool is_whole(int begin) const {
    return begin >= 0 && begin + W <= count;
  }

  __device__ void load() const {
    constexpr int batch = 4;
    pack_as_read<V, Problem> x[batch];
    pack_as_read<1, Problem> ends[batch];
    for_vectors<V, batch>([&](int k) { return before_in_row(k); },
                          [&](int b, int k, int begin) {
                            if (is_whole<V>(begin)) x[b].load(problem, in_row(k) + begin);
                          },
                          [&](int b, int k, int begin) {
                            if (!is_whole<V>(begin)) return;
                            auto const values = x[b].values(problem);
                            T* const to = memory + start_of(k) + begin;
                            if constexpr (V == word_items<T>) put_word(to, values.of);
                            else
#pragma unroll
                              for (int v = 0; v < V; ++v) put_bytes(to[v], values.of[v]);
                          });
    // What lies before a row's first whole vector, and behind its last.
    constexpr int most = 2 * (V - 1);
    for (int e0 = static_cast<int>(threadIdx.x); e0 < most * length; e0 += batch * threads) {
      int row[batch], item[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        int const e = e0 + b * threads;
        row[b] = min(e / most, length - 1);
        int const nth = e - row[b] * most, before = before_in_row(row[b]),
                  head = min(before == 0 ? 0 : V - before, count), tail = count - (count - head) % V;
        item[b] = e >= most * length ? count
                  : nth < V - 1      ? (nth < head ? nth : count)
                                     : tail + nth - (V - 1);
        if (item[b] < count) ends[b].load(problem, in_row(row[b]) + item[b]);
      }
#pragma unroll
      for (int b = 0; b < batch; ++b)
        if (item[b] < count) put_bytes(memory[start_of(row[b]) + item[b]], ends[b].values(problem).of[0]);
    }
  }

  __device__ void store() const {
    constexpr int W = neighbours_of_run<decltype(problem.out), typename Problem::out_value, T>;
    for_vectors<W, 1>([&](int k) { return behind_boundary<W>(problem.out, out_row(k)); },
                      [](int, int, int) {},
                      [&](int, int k, int begin) {
                        T const* const from = memory + start_of(k) + begin;
                        if (is_whole<W>(begin)) {
                          line_pack<T, W> x;
                          bool words = false;
                          if constexpr (W == word_items<T> && V == W) {
                            words = (start_of(k) + begin) % W == 0;
                            if (words) get_word(from, x.of);
                          }
                          if (!words)
#pragma unroll
                            for (int v = 0; v < W; ++v) put_bytes(x.of[v], from[v]);
                          store_pack<W>(problem, out_row(k) + begin, x);
                        } else {
#pragma unroll
                          for (int v = 0; v < W; ++v)
                            if (begin + v >= 0 && begin + v < count)
                              problem.put(out_row(k) + begin + v, from[v]);
                        }
                      });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
