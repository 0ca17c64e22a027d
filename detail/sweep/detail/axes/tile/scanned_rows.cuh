// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_SCANNED_ROWS_CUH
#define SWEEP_DETAIL_AXES_TILE_SCANNED_ROWS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/chunk_as_it_lies.cuh>
#include <sweep/detail/axes/tile/marched_columns.cuh>
#include <sweep/detail/axes/tile/rows.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Some rows of all lines that lie side by side, which are scanned by a block, where rows are one run in
/// memory: narrow items are brought as they lie, and results, which are integers, leave in words. A thread
/// has a strip of a line's rows. It folds them, and scans them when it knows what comes before. Of groups of
/// such lines, one behind the other, a block has some whole ones where it has room.
template <class Problem>
struct scanned_rows {
  using T = typename Problem::value;
  using raw = typename Problem::raw;
  using U = typename Problem::out_value;
  using rows_tile = chunks_of_rows<Problem>;
  using told = typename rows_tile::told;
  static constexpr bool possible = [] {
    if constexpr (are_narrow<decltype(Problem::in), raw> && std::is_pointer_v<decltype(Problem::out)> &&
                  arrays_of_place<typename Problem::out_place> == 1)
      return Problem::what != line_result::total && of_integers<T> && sizeof(T) <= 4 && sizeof(U) <= 4 &&
             relocatable<U> && alignof(U) == sizeof(U) && alignof(raw) == sizeof(raw) &&
             is_free<decltype(Problem::unary)>;
    else return false;
  }();
  /// Strips of all lines follow each other with as many items less than a multiple of the banks as there are
  /// lines, so that threads meet in few.
  static constexpr std::int64_t widest_row = 64;  ///< bytes
  static constexpr int threads = 256, warps = threads / 32, strip = 31, most_lines = 63,
                       size = static_cast<int>(sizeof(raw)), most_items = threads * strip, few_strips = 8;
  struct shared {
    alignas(16) uninitialized<T, threads> strips;  ///< totals, then what comes before in the tile
    uninitialized<T, threads> totals, before;      ///< of lines
    std::int64_t out;                              ///< where results begin
    alignas(16) unsigned char items[most_items * size + 32];
    alignas(16) uninitialized<U, most_items + 16 / static_cast<int>(sizeof(U))> results;
  };

  /// How tiles are shared out: so many strips of a line, so many groups of lines, and tiles of a group.
  struct layout {
    int strips, groups;
    std::int64_t chunks;
  };
  static layout layout_of(Problem const& problem) {
    auto const& grid = problem.grid;
    auto const lines = grid.across[0].extent;
    int const most = threads / static_cast<int>(lines);
    auto const strips = (grid.length + strip - 1) / strip;
    if (strips > most) return {most, 1, (strips + most - 1) / most};
    auto const run = lines * grid.length;
    bool const in_run = grid.axes == 2 && grid.across[1].stride.in == run && grid.across[1].stride.out == run;
    auto const all = static_cast<int>(strips * lines);
    return {static_cast<int>(strips), in_run ? threads / all : 1, 1};
  }
  static std::int64_t tiles_of(Problem const& problem, layout const& how) {
    auto const groups = problem.grid.lines / problem.grid.across[0].extent;
    return (groups + how.groups - 1) / how.groups * how.chunks;
  }
  /// Whether lines lie so, threads have items enough, and multiprocessors tiles.
  static bool lie_so(Problem const& problem, std::int64_t multiprocessors) {
    if constexpr (possible) {
      auto const& grid = problem.grid;
      constexpr std::int64_t short_line = 16;
      if (grid.axes == 0 || grid.length < short_line) return false;
      auto const lines = grid.across[0].extent;
      if (lines > most_lines || lines * size > widest_row || grid.across[0].stride.in != 1 ||
          grid.across[0].stride.out != 1 || magnitude(grid.in) != lines || grid.out != grid.in)
        return false;
      auto const how = layout_of(problem);
      return grid.length * lines * how.groups >= most_items / 3 &&
             tiles_of(problem, how) >= 2 * multiprocessors;
    }
    return false;
  }

  static __device__ void run(Problem const& problem, shared& memory, layout const& how, std::int64_t group0,
                             std::int64_t chunk, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const thread = static_cast<int>(threadIdx.x), lines = static_cast<int>(grid.across[0].extent);
    int const of_group = how.strips * lines, group = thread / of_group, rest = thread - group * of_group,
              unit = rest / lines, line = rest - unit * lines;
    int const groups = static_cast<int>(min(grid.lines / lines - group0, std::int64_t{how.groups}));
    bool const backward = grid.in < 0;
    auto const row0 = chunk * (how.strips * strip);
    int const rows = static_cast<int>(min(grid.length - row0, std::int64_t{how.strips * strip})),
              of_run = rows * lines, items = groups * of_run;
    auto const at = grid.place(group0 * lines);
    auto const lowest = row0 + (backward ? rows - 1 : 0);
    int const shift = bring(memory.items, problem.in + (at.in + lowest * grid.in), items);
    if (thread == 0) memory.out = at.out + lowest * grid.out;  // registers are needed to hear of others

    int const mine = group < groups ? min(strip, rows - unit * strip) : 0;  // may be negative
    int const first = group * of_run + line + (backward ? rows - 1 - unit * strip : unit * strip) * lines,
              step = backward ? -lines : lines;
    auto const* const own = reinterpret_cast<raw const*>(memory.items) + shift + first;
    if (mine == strip) {
      T total = problem.of(own[0]);
#pragma unroll
      for (int k = 1; k < strip; ++k) total = op(total, problem.of(own[k * step]));
      memory.strips[thread] = total;
    } else if (mine > 0) {
      T total = problem.of(own[0]);
#pragma unroll 4
      for (int k = 1; k < mine; ++k) total = op(total, problem.of(own[k * step]));
      memory.strips[thread] = total;
    }
    __syncthreads();
    scan_strips(memory, lines, groups * lines, how.strips, (rows + strip - 1) / strip, op);
    if (order.chunks > 1) {
      __syncthreads();
      rows_tile::tell(problem, order, group0 * lines, lines, chunk, 1, memory.totals, memory.before,
                      thread / 32, warps);
    } else if (!std::is_same_v<decltype(problem.before), nothing_before> && thread < groups * lines) {
      memory.before[thread] = problem.before_line(grid.place(group0 * lines + thread)).value;
    }
    __syncthreads();
    auto* const to = problem.out + memory.out;
    constexpr int W = 16 / sizeof(U);
    auto const place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) / sizeof(U));
    if (mine > 0) {
      optional<T> sum{memory.before[group * lines + line],
                      !std::is_same_v<decltype(problem.before), nothing_before> || chunk > 0};
      if (unit > 0) sum = {combine(sum, static_cast<T>(memory.strips[thread]), op), true};
      auto* const results = &memory.results[0] + place % W + first;
      auto const scan = [&](int k) {
        results[k * step] =
            static_cast<U>(next_of_line<Problem::what>(sum, static_cast<T>(problem.of(own[k * step])), op));
      };
      if (mine == strip) {
#pragma unroll
        for (int k = 0; k < strip; ++k) scan(k);
      } else {
#pragma unroll 4
        for (int k = 0; k < mine; ++k) scan(k);
      }
    }
    __syncthreads();
    leave_results<W>(to, &memory.results[0] + place % W, place, 0, items, thread, threads);
  }

 private:
  /// So many neighbours: as many places behind the beginning of the memory, as far from a boundary of words
  /// as they lie.
  static __device__ int bring(unsigned char* memory, raw const* from, int items) {
    constexpr int V = 16 / size;
    auto* const to = reinterpret_cast<raw*>(memory);
    int const thread = static_cast<int>(threadIdx.x),
              shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) / size % V),
              begin = min((V - shift) % V, items), end = begin + (items - begin) / V * V;
    if (thread < begin) to[shift + thread] = from[thread];
    if (end + thread < items) to[shift + end + thread] = from[end + thread];
#pragma unroll 2
    for (int i = begin + V * thread; i < end; i += V * threads) copy_async<16>(to + shift + i, from + i);
    await_async_copies();
    __syncthreads();
    return shift;
  }
  /// Of each line what comes before each strip but the first, and the total: by a thread, or by a warp where
  /// there are more strips than a few. `pitch` is a group's room for strips.
  template <class Op>
  static __device__ void scan_strips(shared& memory, int lines, int all, int pitch, int strips, Op& op) {
    int const thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    // Where strip s of a line stands.
    auto const of_line = [&](int line) {
      int const group = line / lines;
      return &memory.strips[group * pitch * lines + line - group * lines];
    };
    if (strips <= few_strips) {
      if (thread >= all) return;
      auto* const own = of_line(thread);
      T sum = own[0];
      for (int s = 1; s < strips; ++s) {
        T const next = own[s * lines];
        own[s * lines] = sum;
        sum = op(sum, next);
      }
      memory.totals[thread] = sum;
      return;
    }
    int const each = (strips + 31) / 32, lanes = (strips + each - 1) / each;
#pragma unroll 1
    for (int line = thread / 32; line < all; line += warps) {
      auto* const own = of_line(line);
      int const first = lane * each, end = min(first + each, strips);
      T sum{};
      for (int s = first; s < end; ++s)
        sum = s == first ? own[s * lines] : static_cast<T>(op(sum, own[s * lines]));
      T const up_to = warp_scan_first(sum, lanes, op);
      if (lane == lanes - 1) memory.totals[line] = up_to;
      optional<T> before{warp_shfl_up(up_to, 1), lane > 0};
      for (int s = first; s < end; ++s) {
        T const next = own[s * lines];
        if (before.present) own[s * lines] = before.value;
        before = {combine(before, next, op), true};
      }
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
