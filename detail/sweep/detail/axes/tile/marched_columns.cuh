// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_MARCHED_COLUMNS_CUH
#define SWEEP_DETAIL_AXES_TILE_MARCHED_COLUMNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/packs.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Lines that are one chain each: all lines of V neighbours, a thread for each V. `writes(at)` says whether
/// it is this thread that writes.
template <int V, class Problem, class Writes>
__device__ void march_lines(Problem const& problem, std::int64_t line, Writes const& writes) {
  using T = typename Problem::value;
  using pack = line_pack<T, V>;
  constexpr int batch = sizeof(pack) <= 4 && V == 1 ? 16 : sizeof(pack) <= 16 ? 8 : 2;
  auto const& grid = problem.grid;
  auto op = problem.op;
  each_of_pack<decltype(op), V> ops{op};
  auto const at = grid.place(line);
  auto sum = before_pack<V>(problem, line);
  auto from = at.in;
  auto to = at.out;
  for (std::int64_t first = 0; first < grid.length; first += batch) {
    pack_as_read<V, Problem> x[batch];
    auto const left = grid.length - first;
    int const count = left < batch ? static_cast<int>(left) : batch;
    if (count == batch) {
#pragma unroll
      for (int k = 0; k < batch; ++k) x[k].load(problem, from + k * grid.in);
    } else {
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (k < count) x[k].load(problem, from + k * grid.in);
    }
    from += batch * grid.in;
    decltype(problem.look(to)) seen[batch];
    if constexpr (Problem::looks)
#pragma unroll
      for (int k = 0; k < batch; ++k)
        seen[k] = problem.look(to + (k < count ? k : 0) * grid.out);  // not in a branch
#pragma unroll
    for (int k = 0; k < batch; ++k, to += grid.out)
      if (k < count) {
        auto const result = next_of_line<Problem::what>(sum, x[k].values(problem), ops);
        if constexpr (Problem::what != line_result::total)
          if (writes(to)) {
            if constexpr (Problem::looks) problem.put(to, result.of[0], seen[k]);
            else store_pack(problem, to, result);
          }
      }
  }
  if constexpr (Problem::what == line_result::total) {
    // How the input lies says nothing about the totals.
    bool packed = V > 1 && leading(grid.across[0].stride.out) == 1;
    if constexpr (std::is_pointer_v<decltype(problem.out)>)
      packed = packed && vector_aligned<V>(problem.out, leading(at.out));
    if (packed) return store_pack(problem, at.out, sum.value);
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (auto const to_line = grid.place(line + v).out; writes(to_line))
        problem.put(to_line, sum.value.of[v]);
  }
}

/// Asks for the next items of a line, a batch or as many as are left.
template <class Problem, int Batch>
__device__ void load_of_line(Problem const& problem, typename Problem::in_place const& from,
                             std::int64_t left, pack_as_read<1, Problem> (&x)[Batch]) {
  auto const& step = problem.grid.in;
  if (left >= Batch) {
#pragma unroll
    for (int k = 0; k < Batch; ++k) x[k].load(problem, from + k * step);
  } else {
#pragma unroll
    for (int k = 0; k < Batch; ++k)
      if (k < left) x[k].load(problem, from + k * step);
  }
}

/// As many lines as a block has threads, each of which is one chain: results of some rows at a time pass
/// through shared memory, so that whole sectors are written though rows begin anywhere in them. Blocks' lines
/// overlap by a sector. What a block writes begins and ends on boundaries of sectors, or where rows do.
template <class Problem>
struct lines_of_block {
  using T = typename Problem::value;
  static constexpr int most_threads = 256, fewest_threads = 128, batch = sizeof(T) <= 4 ? 16 : 8;
  struct shared {
    std::int64_t out[most_threads];  ///< where lines' results begin
    uninitialized<T, 2 * batch * most_threads> results;
  };
  static std::int64_t blocks(std::int64_t lines, int sector, int threads) {
    return lines <= threads ? 1 : (lines - sector + threads - sector - 1) / (threads - sector);
  }
  /// Threads of a block. Items narrower than their values wait for instructions, not for memory: so many that
  /// the multiprocessor that has the most lines has as few as can be.
  static int threads(std::int64_t lines, int sector, std::int64_t multiprocessors) {
    int best = most_threads;
    std::int64_t least = 0;
    constexpr int fewest = sizeof(typename Problem::raw) < sizeof(T) ? fewest_threads : most_threads;
    for (int threads = most_threads; threads >= fewest; threads -= 32) {
      auto const most = (blocks(lines, sector, threads) + multiprocessors - 1) / multiprocessors * threads;
      if (least == 0 || most < least) {
        least = most;
        best = threads;
      }
    }
    return best;
  }

  static __device__ void run(Problem const& problem, shared& memory, int sector, std::int64_t block) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x),
              lane = thread % 32, warp = thread / 32;
    int const step = threads - sector;
    auto const line0 = block * step;
    auto const at = grid.place(min(line0 + thread, grid.lines - 1));
    auto sum = problem.before_line(at);
    memory.out[thread] = at.out;

    // Lines from here on that are written by the block before: up to a boundary, none where a row begins.
    auto const rest_of_row = [&](std::int64_t line) {
      auto const extent = grid.across[0].extent;
      auto const nth = line % extent;
      return nth == 0 ? 0 : static_cast<int>(min(extent - nth, std::int64_t{sector}));
    };
    bool const is_last = line0 + threads >= grid.lines;
    int const lines = static_cast<int>(min(grid.lines - line0, std::int64_t{threads}));
    int const most_before = rest_of_row(line0), most_behind = is_last ? 0 : rest_of_row(line0 + step);
    auto const to_boundary = [&](std::int64_t to, int most) {
      auto const place =
          static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(problem.out + to) / sizeof(*problem.out));
      return min(static_cast<int>(-place & (sector - 1u)), most);
    };

    pack_as_read<1, Problem> x[batch];
    auto const load = [&](std::int64_t first) {
      load_of_line(problem, at.in + first * grid.in, grid.length - first, x);
    };
    load(0);
    T* results = &memory.results[0];
    int other = batch * threads;
    for (std::int64_t first = 0; first < grid.length; first += batch) {
      int const count = static_cast<int>(min(grid.length - first, std::int64_t{batch}));
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (k < count)
          put_bytes(results[k * threads + thread],
                    next_of_line<Problem::what>(sum, x[k].values(problem).of[0], op));
      if (first + batch < grid.length) load(first + batch);
      __syncthreads();
      for (int k = warp; k < count; k += threads / 32) {
        auto const row = (first + k) * grid.out;
        int const end = is_last ? lines : step + to_boundary(memory.out[step] + row, most_behind);
        for (int nth = to_boundary(memory.out[0] + row, most_before) + lane; nth < end; nth += 32)
          problem.put(memory.out[nth] + row, results[k * threads + nth]);
      }
      results += other;
      other = -other;
    }
  }
};

/// All lines of a row, each of which is one chain, by a block, where rows lie one behind the other: results
/// of some rows at a time pass through shared memory and are one run. What of it lies between boundaries of
/// 32 results waits for its neighbours in the next rows, so that lines of memory are written whole.
template <class Problem>
struct rows_of_block {
  using T = typename Problem::value;
  static constexpr int fewest_lines = 192, most_lines = 384, batch = sizeof(T) <= 4 ? 16 : 8, boundary = 32;
  static SWEEP_HD constexpr std::size_t shared_bytes(std::int64_t lines) {
    return (2 * batch * static_cast<std::size_t>(lines) + 2 * boundary) * sizeof(T);
  }
  static SWEEP_HD constexpr int threads(std::int64_t lines) {
    return static_cast<int>((lines + 31) / 32 * 32);
  }

  static __device__ void run(Problem const& problem, T* memory, std::int64_t block) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const lines = static_cast<int>(grid.across[0].extent), thread = static_cast<int>(threadIdx.x);
    int const line = min(thread, lines - 1);
    auto const at = grid.place(block * lines + line);
    auto sum = problem.before_line(at);
    bool const backward = grid.out < 0;
    pack_as_read<1, Problem> x[batch];
    auto const load = [&](std::int64_t first) {
      load_of_line(problem, at.in + first * grid.in, grid.length - first, x);
    };
    load(0);
    T *kept = memory, *results = memory + 2 * boundary;  // of two turns, the other of which may still be read
    int other = batch * lines, other_kept = boundary, held = 0;
    for (std::int64_t first = 0; first < grid.length; first += batch) {
      int const count = static_cast<int>(min(grid.length - first, std::int64_t{batch})), all = count * lines;
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (k < count) {
          auto const result = next_of_line<Problem::what>(sum, x[k].values(problem).of[0], op);
          if (thread < lines) put_bytes(results[(backward ? count - 1 - k : k) * lines + thread], result);
        }
      bool const is_last = first + batch >= grid.length;
      if (!is_last) load(first + batch);
      __syncthreads();
      // Items [0, all) from here on as they lie in memory, and those of the turn before that touch them.
      auto const to = at.out - line + (backward ? first + count - 1 : first) * grid.out;
      auto const behind = [&](int p) {
        auto const place = reinterpret_cast<std::uintptr_t>(problem.out + to + p) / sizeof(*problem.out);
        return static_cast<int>(place % boundary);
      };
      int const low = is_last || !backward ? 0 : (boundary - behind(0)) % boundary,
                high = is_last || backward ? all : all - behind(all);
      int const begin = backward ? low : low - held, end = backward ? high + held : high;
      T const* const before = kept + other_kept;
      for (int p = begin - behind(begin) + thread; p < end; p += static_cast<int>(blockDim.x))
        if (p >= begin)
          problem.put(to + p, p < 0 ? before[p + held] : p >= all ? before[p - all] : results[p]);
      held = backward ? low : all - high;
      if (thread < held) put_bytes(kept[thread], results[backward ? thread : high + thread]);
      kept += other_kept;
      other_kept = -other_kept;
      results += other;
      other = -other;
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
