// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_MARCHED_COLUMNS_CUH
#define SWEEP_DETAIL_AXES_TILE_MARCHED_COLUMNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/packs.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/vectors_of_rows.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Lines that are one chain each: all lines of V neighbours, a thread for each V, who asks for so many items
/// at a time, or as many as registers hold. `writes(at)` says whether it is this thread that writes.
template <int V, int Batch = 0, class Problem, class Writes>
__device__ void march_lines(Problem const& problem, std::int64_t line, Writes const& writes) {
  using T = typename Problem::value;
  using pack = line_pack<T, V>;
  // Of what is scanned results are on their way, too.
  constexpr int most_of_16 = Problem::what == line_result::total ? 16 : 4;  // bytes
  constexpr int batch = Batch > 0                              ? Batch
                        : V == 1 && sizeof(pack) <= most_of_16 ? 16
                        : sizeof(pack) <= 16                   ? 8
                                                               : 2;
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
    decltype(look_at_pack<V>(problem, to)) seen[batch];
    if constexpr (Problem::looks)
#pragma unroll
      for (int k = 0; k < batch; ++k)
        seen[k] = look_at_pack<V>(problem, to + (k < count ? k : 0) * grid.out);  // not in a branch
#pragma unroll
    for (int k = 0; k < batch; ++k, to += grid.out)
      if (k < count) {
        auto const result = next_of_line<Problem::what>(sum, x[k].values(problem), ops);
        if constexpr (Problem::what != line_result::total)
          if (writes(to)) put_pack_seen(problem, to, result, seen[k]);
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

/// Results [begin, end), of which the first lies `place` results behind a boundary: words of 16 bytes, which
/// stand on such in shared memory, too, and one by one what is no whole word at the ends. By so many threads.
template <int V, class U>
__device__ void leave_results(U* to, U const* results, unsigned place, int begin, int end, int thread,
                              int threads) {
  int first = begin, last = begin;
  if constexpr (V > 1) {
    first = min(end, begin + static_cast<int>(-place % V));
    last = max(first, end - static_cast<int>((place + static_cast<unsigned>(end - begin)) % V));
#pragma unroll 1
    for (int p = first + V * thread; p < last; p += V * threads)
      *reinterpret_cast<uint4*>(to + p) = *reinterpret_cast<uint4 const*>(results + p);
    if (int const p = begin + thread; p < first) put_bytes(to[p], results[p]);
  }
#pragma unroll 1
  for (int p = last + thread; p < end; p += threads) put_bytes(to[p], results[p]);
}

/// As many lines as a block has threads, each of which is one chain: results of some rows at a time pass
/// through shared memory, so that whole sectors are written though rows begin anywhere in them. Blocks' lines
/// overlap by a sector. What a block writes begins and ends on boundaries of sectors, or where rows do.
template <class Problem>
struct lines_of_block {
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  static constexpr int most_threads = 256, fewest_threads = 128, batch = sizeof(T) <= 4 ? 16 : 8;
  static constexpr int V = relocatable<U> ? word_items<U> : 1;
  /// Where lines of one row of the array end and those of the next begin, a word is left out.
  static constexpr int fewest_of_row = 65, pitch = most_threads + V * (most_threads / fewest_of_row + 3);
  struct shared {
    std::int64_t out[most_threads];  ///< where lines' results begin
    /// Lines of the block, and of the first row of the array that it has some of; of those from its first and
    /// from its last on that others may write.
    int lines, of_first, before, behind;
    alignas(16) uninitialized<U, 2 * batch * pitch> results;
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

    // The block's lines of a row of the array are neighbours.
    auto const extent = grid.across[0].extent;
    int const of_row = static_cast<int>(min(extent, std::int64_t{threads}));
    auto const of_rest = [&](std::int64_t line) { return extent - (line - quotient(line, extent) * extent); };
    int const of_first = static_cast<int>(min(of_rest(line0), std::int64_t{threads}));
    if (thread == 0) {
      // Lines from here on that are written by the block before: up to a boundary, none where a row begins.
      auto const others = [&](std::int64_t line) {
        auto const rest = of_rest(line);
        return rest == extent ? 0 : static_cast<int>(min(rest, std::int64_t{sector}));
      };
      bool const is_last = line0 + threads >= grid.lines;
      memory.lines = is_last ? static_cast<int>(grid.lines - line0) : step;
      memory.of_first = of_first;
      memory.before = others(line0);
      memory.behind = is_last ? 0 : others(line0 + step);
    }
    auto const place_of = [&](std::int64_t to) {
      return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(problem.out + to) / sizeof(U));
    };
    int const own_room = thread + V * (thread < of_first ? 0 : 1 + (thread - of_first) / of_row);
    auto own_place = place_of(at.out) - static_cast<unsigned>(thread);

    pack_as_read<1, Problem> x[batch];
    auto const load = [&](std::int64_t first) {
      load_of_line(problem, at.in + first * grid.in, grid.length - first, x);
    };
    load(0);
    U* results = &memory.results[0];
    int other = batch * pitch;
    for (std::int64_t first = 0; first < grid.length; first += batch) {
      int const count = static_cast<int>(min(grid.length - first, std::int64_t{batch}));
#pragma unroll
      for (int k = 0; k < batch; ++k, own_place += static_cast<unsigned>(grid.out))
        if (k < count)
          put_bytes(results[k * pitch + own_room + static_cast<int>(own_place % V)],
                    static_cast<U>(next_of_line<Problem::what>(sum, x[k].values(problem).of[0], op)));
      if (first + batch < grid.length) load(first + batch);
      __syncthreads();
#pragma unroll 1
      for (int k = warp; k < count; k += threads / 32) {
        auto const row = (first + k) * grid.out;
        auto const to_boundary = [&](int nth, int most) {
          auto const place = place_of(memory.out[min(nth, threads - 1)] + row);
          return min(static_cast<int>(-place & (sector - 1u)), most);
        };
        int const end = memory.lines + to_boundary(memory.lines, memory.behind);
        int begin = to_boundary(0, memory.before);
#pragma unroll 1
        for (int nth = 0, behind = memory.of_first; begin < end; ++nth, behind += of_row) {
          auto const to = memory.out[begin] + row;
          auto const place = place_of(to);
          auto const* const from =
              results + k * pitch + V * nth + static_cast<int>((place - static_cast<unsigned>(begin)) % V);
          leave_results<V>(problem.out + to - begin, from, place, begin, min(behind, end), lane, 32);
          begin = min(behind, end);
        }
      }
      results += other;
      other = -other;
    }
  }
};

/// All lines of a row, each of which is one chain, by a block, where rows lie one behind the other: results
/// of some rows at a time pass through shared memory and are one run, which leaves in words of 16 bytes. What
/// of it lies between boundaries of 32 results waits for its neighbours in the next rows, so that lines of
/// memory are written whole.
template <class Problem>
struct rows_of_block {
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  static constexpr int most_lines = 640, boundary = 32;
  /// Rows of a turn: as many items as registers hold beside what an exclusive scan keeps for the next.
  static constexpr int batch = sizeof(T) > 4 ? 8 : Problem::what == line_result::exclusive ? 12 : 16;
  static constexpr int V = relocatable<U> ? word_items<U> : 1;
  /// Results of a turn, and room for those that are kept, before them or behind.
  static SWEEP_HD constexpr int room(int lines) { return (2 * boundary + batch * lines + 2 * V - 1) / V * V; }
  static SWEEP_HD constexpr std::size_t shared_bytes(std::int64_t lines) {
    return 2 * static_cast<std::size_t>(room(static_cast<int>(lines))) * sizeof(U);
  }
  static SWEEP_HD constexpr int threads(std::int64_t lines) {
    return static_cast<int>((lines + 31) / 32 * 32);
  }

  static __device__ void run(Problem const& problem, U* memory, std::int64_t block) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const lines = static_cast<int>(grid.across[0].extent), thread = static_cast<int>(threadIdx.x);
    int const line = min(thread, lines - 1);
    auto const at = grid.place(block * lines + line);
    auto sum = problem.before_line(at);
    bool const backward = grid.out < 0;
    pack_as_read<1, Problem> x[batch];
    auto from = at.in;
    auto* first = problem.out + (at.out - line);  // result of a turn's first row
    auto left = grid.length;
    load_of_line(problem, from, left, x);
    int held = 0, kept = 0;  // of the turn before, and where they stand
    for (int turn = 0;; turn = room(lines) - turn) {
      int const count = static_cast<int>(min(left, std::int64_t{batch})), all = count * lines;
      // Items [0, all) from here on as they lie in memory, in shared memory as far behind a boundary.
      auto* const to = first + (backward ? (count - 1) * grid.out : 0);
      auto const place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) / sizeof(U));
      int const base = turn + boundary + static_cast<int>(place % V);
      auto* at_row = memory + base + (backward ? all - lines : 0) + thread;
#pragma unroll
      for (int k = 0; k < batch; ++k, at_row += backward ? -lines : lines)
        if (k < count) {
          auto const result = next_of_line<Problem::what>(sum, x[k].values(problem).of[0], op);
          if (thread < lines) put_bytes(*at_row, static_cast<U>(result));
        }
      if (thread < held) put_bytes(memory[base + (backward ? all : -held) + thread], memory[kept + thread]);
      from += batch * grid.in;
      left -= batch;
      if (left > 0) load_of_line(problem, from, left, x);
      __syncthreads();
      // What follows takes the rest of a line of memory with it.
      int const rest =
          left <= 0 ? 0
                    : static_cast<int>((backward ? -place : place + static_cast<unsigned>(all)) % boundary);
      int const begin = backward ? rest : -held, end = backward ? all + held : all - rest;
      leave_results<V>(to, memory + base, place + static_cast<unsigned>(begin), begin, end, thread,
                       static_cast<int>(blockDim.x));
      if (left <= 0) return;
      held = rest;
      kept = base + (backward ? 0 : end);
      first += batch * grid.out;
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
