// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_ROWS_CUH
#define SWEEP_DETAIL_AXES_TILE_ROWS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One chunk of a few lines whose items lie side by side, row after row, by a block: memory is moved as it
/// lies, and each warp scans lines in shared memory, 32 strips at a time.
template <class Problem>
struct chunk_of_rows {
  using T = typename Problem::value;
  static constexpr int pack_lines = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;
  using pack = line_pack<T, pack_lines>;
  using told = pack;
  static constexpr int strip = strip_items<T>, warps = 8, threads = 32 * warps;
  static constexpr int most_lines = 2 * warps, most_items = most_lines * chunk_items<T>;
  static constexpr int batch = sizeof(T) <= 8 ? 8 : 2;
  struct shared {
    uninitialized<T, most_items + 32> items;
    uninitialized<T, most_lines> totals, before;
  };
  static SWEEP_HD constexpr std::int64_t packs_of(std::int64_t lines) {
    return (lines + pack_lines - 1) / pack_lines;
  }

  static __device__ void run(Problem const& problem, shared& memory, std::int64_t group, int lines,
                             std::int64_t chunk, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    bool const backward = grid.in < 0;
    auto const line0 = group * lines;
    auto const first = chunk * chunk_items<T>;
    int const count = static_cast<int>(min(grid.length - first, std::int64_t{chunk_items<T>}));
    int const strips = (count + strip - 1) / strip;
    auto const at = grid.place(line0);
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    // A strip of all lines is one run in memory. In shared memory one place between runs is left out, so that
    // lanes, which have strips of one line, meet in few banks.
    int const run = strip * lines, pitch = run + 1;
    auto const rows_of = [&](int s) { return min(strip, count - s * strip); };
    auto const lowest = [&](int s) { return first + s * strip + (backward ? rows_of(s) - 1 : 0); };
    for (int s = warp; s < strips; s += warps) {
      auto const from = at.in + lowest(s) * grid.in;
      int const items = rows_of(s) * lines;
      for (int begin = lane; begin < items; begin += 32 * batch) {
        T x[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (begin + 32 * k < items) x[k] = problem.item(from + begin + 32 * k);
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (begin + 32 * k < items) put_bytes(memory.items[s * pitch + begin + 32 * k], x[k]);
      }
    }
    __syncthreads();

    int const mine = min(strip, count - strip * lane);  // may be negative
    int const step = backward ? -lines : lines;
    auto const start = [&](int line) { return lane * pitch + (backward ? (mine - 1) * lines : 0) + line; };
    T left[2];
#pragma unroll
    for (int turn = 0; turn < 2; ++turn)
      if (int const line = warp + turn * warps; line < lines) {
        optional<T> total{};
        int where = start(line);
#pragma unroll
        for (int k = 0; k < strip; ++k, where += step)
          if (k < mine) {
            T x;
            put_bytes(x, memory.items[where]);
            total = {combine(total, x, op), true};
          }
        T const sum = warp_scan_first(total.value, strips, op);
        left[turn] = warp_shfl_up(sum, 1);
        if (lane == strips - 1) {
          if constexpr (Problem::what == line_result::total)
            problem.put(chunk * grid.lines + line0 + line, sum);
          else put_bytes(memory.totals[line], sum);
        }
      }
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      tell(problem, memory, group, lines, chunk, order);
      __syncthreads();
#pragma unroll
      for (int turn = 0; turn < 2; ++turn)
        if (int const line = warp + turn * warps; line < lines) {
          bool const starts = std::is_same_v<decltype(problem.before), nothing_before> && chunk == 0;
          optional<T> sum{};
          put_bytes(sum.value, memory.before[line]);
          sum.present = !starts;
          if (lane > 0) sum = {combine(sum, left[turn], op), true};
          int where = start(line);
#pragma unroll
          for (int k = 0; k < strip; ++k, where += step)
            if (k < mine) {
              T x;
              put_bytes(x, memory.items[where]);
              put_bytes(memory.items[where], next_of_line<Problem::what>(sum, x, op));
            }
        }
      __syncthreads();
      for (int s = warp; s < strips; s += warps) {
        auto const to = at.out + lowest(s) * grid.out;
        int const items = rows_of(s) * lines;
#pragma unroll 4
        for (int k = lane; k < items; k += 32) problem.put(to + k, memory.items[s * pitch + k]);
      }
    }
  }

 private:
  /// A warp speaks for a pack of lines at a time; where lines are missing the last one stands in.
  static __device__ void tell(Problem const& problem, shared& memory, std::int64_t group, int lines,
                              std::int64_t chunk, chunk_order const& order) {
    auto op = problem.op;
    each_of_pack<decltype(op), pack_lines> ops{op};
    int const packs = static_cast<int>(packs_of(lines));
    for (int p = static_cast<int>(threadIdx.x) / 32; p < packs; p += warps) {
      optional<pack> before{};
      pack all;
#pragma unroll
      for (int v = 0; v < pack_lines; ++v) {
        int const line = min(p * pack_lines + v, lines - 1);
        put_bytes(all.of[v], memory.totals[line]);
        auto const one = problem.before_line(problem.grid.place(group * lines + line));
        before.value.of[v] = one.value;
        before.present = one.present;
      }
      if (order.chunks > 1) {
        auto const found = order.template state_of<pack>(group * packs + p)
                               .publish_and_look_back(pack_lanes{}, chunk,
                                                      chunk == 0 ? combine(before, all, ops) : all, ops);
        if (chunk > 0) before = found;
      }
      if (threadIdx.x % 32 == 0)
#pragma unroll
        for (int v = 0; v < pack_lines; ++v)
          put_bytes(memory.before[min(p * pack_lines + v, lines - 1)], before.value.of[v]);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
