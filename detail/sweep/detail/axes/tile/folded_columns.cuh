// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_FOLDED_COLUMNS_CUH
#define SWEEP_DETAIL_AXES_TILE_FOLDED_COLUMNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/small_divisor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Some chunks of some neighbouring lines that are folded, of items that are made of less, by a block: as
/// many lanes as `width` have lines side by side, each so many neighbouring strips of a chunk as it may have
/// on their way at once. The brackets are those of a scan by a warp that has a strip a lane: a tree over 32
/// strips, of which the first are missing where the chunk has fewer. Little of it goes through shared memory.
template <class Problem>
struct folded_columns {
  using T = typename Problem::value;
  using told = T;
  using item = item_as_fetched<Problem>;
  static constexpr bool possible = Problem::what == line_result::total && Problem::waits_fetched;
  static constexpr int strip = strip_items<T, line_result::total>, chunk_length = 32 * strip;
  /// Strips of a lane: 128 bytes of what is fetched, and no more than 32 items.
  static constexpr int at_once = [] {
    int strips = 1;
    while (strips < 8 && 2 * strips * strip <= 32 &&
           2 * strips * strip * static_cast<int>(sizeof(item)) <= 128)
      strips *= 2;
    return strips;
  }();
  static constexpr int parts = 32 / at_once, threads = 128;
  static constexpr int widest = std::min(32, threads / parts), lane_items = at_once * strip;
  struct shared {
    uninitialized<T, threads> totals;
  };
  // Narrow rows that lie one behind the other are brought as they lie, by way of shared memory, where lanes
  // of different parts would read few neighbours each. Behind what a part has of all lines a lane's items'
  // worth of places is left out, so that parts meet in few banks.
  using raw = typename Problem::fetched;
  template <class Grid>
  static bool lie_in_run(Grid const& grid) {
    constexpr std::int64_t few_bytes = 32;
    if constexpr (Problem::makes_of_memory)
      return grid.axes == 1 && leading(grid.across[0].stride.in) == 1 && leading(grid.in) == grid.lines &&
             grid.lines * static_cast<std::int64_t>(sizeof(raw)) <= few_bytes && grid.lines <= widest;
    return false;
  }
  template <class Grid>
  static std::size_t shared_bytes(Grid const& grid) {
    return lie_in_run(grid) ? (threads * lane_items + threads) * sizeof(raw) : 0;
  }

  /// Lanes across a row, no more than it needs.
  static int width(std::int64_t lines) {
    int lanes = widest;
    while (lanes > 4 && lanes / 2 >= lines) lanes /= 2;
    return lanes;
  }
  static std::int64_t windows(std::int64_t lines) { return (lines + width(lines) - 1) / width(lines); }
  /// Chunks of a block.
  static SWEEP_HD constexpr int chunks(int width) { return threads / (parts * width); }

  /// `run` is room for the rows of a run.
  template <bool InRun>
  static __device__ void run(Problem const& problem, shared& memory, [[maybe_unused]] raw* run, int width,
                             std::int64_t window, std::int64_t first_chunk, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const thread = static_cast<int>(threadIdx.x), unit = thread / width, part = unit % parts;
    auto const chunk = first_chunk + unit / parts;
    auto const own = window * width + thread % width, line = min(own, grid.lines - 1);
    auto const first = chunk * chunk_length;
    int const count =
        static_cast<int>(min(grid.length - first, std::int64_t{chunk_length}));  // may be negative
    int const missing = 32 - (count + strip - 1) / strip, begin = (part * at_once - missing) * strip;
    auto const from = grid.place(line).in + (first + begin) * grid.in;
    bool const there = own < grid.lines && count > 0;
    // Of a chunk that lacks items, the last one, strips begin elsewhere: it is read where it lies.
    bool const has_items = there && begin + lane_items > 0, whole = begin >= 0 && begin + lane_items <= count;
    bool stands_in_run = false;
    if constexpr (InRun) {
      int const lines = static_cast<int>(grid.lines);
      bring(problem, run, lines, width, first_chunk * chunk_length);
      stands_in_run = count == chunk_length;
      if (has_items && stands_in_run) {
        auto const* const own = run + unit * (lane_items * lines + width) + thread % width;
        put_bytes(memory.totals[thread], fold<true>(problem, from, begin, count, op, [&](int k, item& x) {
                    put_bytes(x.item, own[k * lines]);
                  }));
      }
    }
    if (has_items && !stands_in_run) {
      auto const load = [&](int k, item& x) { x.load(problem, from + k * problem.grid.in); };
      put_bytes(memory.totals[thread], whole ? fold<true>(problem, from, begin, count, op, load)
                                             : fold<false>(problem, from, begin, count, op, load));
    }
    __syncthreads();
    if (part > 0 || !there) return;
    optional<T> totals[parts];
#pragma unroll
    for (int p = 0; p < parts; ++p)
      if ((p + 1) * at_once > missing) {
        put_bytes(totals[p].value, memory.totals[thread + p * width]);
        totals[p].present = true;
      }
    leave_total(problem, order, chunk, line, fold_tree<false>(totals, op));
  }

 private:
  /// Rows of the block's chunks, from this one on.
  static __device__ void bring(Problem const& problem, raw* to, int lines, int gap, std::int64_t row) {
    constexpr int size = static_cast<int>(sizeof(raw));
    constexpr bool by_copies = (size == 4 || size == 8 || size == 16) && alignof(raw) == size;
    auto const& grid = problem.grid;
    int const rows = static_cast<int>(min(grid.length - row, std::int64_t{chunks(gap) * chunk_length})),
              items = rows * lines;
    small_divisor const of_part{lane_items * lines};
    auto const* const from = problem.memory() + leading(grid.first.in) + row * lines;
    auto const bring_each = [&]<int V>(std::integral_constant<int, V>, int begin, int end) {
#pragma unroll 4
      for (int i = begin + V * static_cast<int>(threadIdx.x); i < end; i += V * threads) {
        auto* const place = to + i + of_part.quotient(i) * gap;
        if constexpr (by_copies) copy_async<V * size>(place, from + i);
        else put_bytes(*place, from[i]);
      }
    };
    int words = 0;
    if constexpr (constexpr int V = 16 / size; by_copies && V > 1 && lane_items % V == 0)
      if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0 && gap % V == 0) {
        words = items / V * V;
        bring_each(std::integral_constant<int, V>{}, 0, words);
      }
    bring_each(std::integral_constant<int, 1>{}, words, items);
    if constexpr (by_copies) await_async_copies();
    __syncthreads();
  }
  /// Of a chunk of `count` items a lane's, from item `begin` on, those that there are.
  template <bool Whole, class Op, class Load>
  static __device__ T fold(Problem const& problem, typename Problem::in_place const& from, int begin,
                           int count, Op& op, Load const& load) {
    auto const exists = [&](int k) { return Whole || (begin + k >= 0 && begin + k < count); };
    item x[lane_items];
#pragma unroll
    for (int k = 0; k < lane_items; ++k)
      if (exists(k)) load(k, x[k]);
    optional<T> sums[at_once];
#pragma unroll
    for (int k = 0; k < lane_items; ++k)
      if (exists(k)) {
        T const made = x[k].values(problem, from + k * problem.grid.in).of[0];
        auto& sum = sums[k / strip];
        sum = {k % strip > 0 ? static_cast<T>(op(sum.value, made)) : made, true};
      }
    return fold_tree<Whole>(sums, op);
  }
  /// The fold of N neighbours, a power of two, of which the first may be missing.
  template <bool Whole, int N, class Op>
  static __device__ T fold_tree(optional<T> (&x)[N], Op& op) {
    // The right one of two has their total.
#pragma unroll
    for (int by = 1; by < N; by *= 2)
#pragma unroll
      for (int s = 2 * by - 1; s < N; s += 2 * by)
        if (Whole || x[s - by].present) x[s] = {static_cast<T>(op(x[s - by].value, x[s].value)), true};
    return x[N - 1].value;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
