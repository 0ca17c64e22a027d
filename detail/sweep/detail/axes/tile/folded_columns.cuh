// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_FOLDED_COLUMNS_CUH
#define SWEEP_DETAIL_AXES_TILE_FOLDED_COLUMNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <bit>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One chunk of some neighbouring lines that are folded, of items that are made of less, by a warp: `width`
/// lanes have lines, and as many of these as there is room for have the chunk's strips together. The brackets
/// are those of a scan by a warp that has a strip a lane: a tree over 32 strips, of which the first are
/// missing where the chunk has fewer. A lane folds as many neighbouring strips as a row is wide, so that
/// little goes by shuffles and nothing through shared memory.
template <class Problem>
struct folded_columns {
  using T = typename Problem::value;
  using told = T;
  using item = item_as_fetched<Problem>;
  static constexpr bool possible = Problem::what == line_result::total && Problem::waits_fetched;
  static constexpr int strip = strip_items<T, line_result::total>, chunk_length = 32 * strip;
  /// Strips that a lane has on their way: 64 bytes of what is fetched, and no more than 16 items. As many
  /// again come while those are folded.
  static constexpr int at_once = [] {
    int strips = 1;
    while (2 * strips * strip <= 16 && 2 * strips * strip * static_cast<int>(sizeof(item)) <= 64) strips *= 2;
    return strips;
  }();
  static constexpr int levels =
      std::bit_width(32u / at_once) - 1;  ///< of the tree over what is folded at once

  /// Lanes across a row, no more than it needs.
  static int width(std::int64_t lines) {
    int lanes = 32;
    while (lanes > at_once && lanes / 2 >= lines) lanes /= 2;
    return lanes;
  }
  static std::int64_t windows(std::int64_t lines) { return (lines + width(lines) - 1) / width(lines); }

  static __device__ void run(Problem const& problem, int width, std::int64_t window, std::int64_t chunk,
                             chunk_order const& order) {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32, part = lane / width;
    auto const own = window * width + lane % width, line = min(own, grid.lines - 1);
    auto const first = chunk * chunk_length;
    int const count = static_cast<int>(min(grid.length - first, std::int64_t{chunk_length}));
    auto const from = grid.place(line).in + first * grid.in;
    T const total = count == chunk_length ? fold<true>(problem, from, width, part, count)
                                          : fold<false>(problem, from, width, part, count);
    if (part == 0 && own < grid.lines) leave_total(problem, order, chunk, line, total);
  }

 private:
  using strips_ahead = item[at_once * strip];

  /// In the lanes of the first part.
  template <bool Whole>
  static __device__ T fold(Problem const& problem, typename Problem::in_place const& from, int width,
                           int part, int count) {
    auto op = problem.op;
    int const missing = Whole ? 0 : 32 - (count + strip - 1) / strip, first = part * width - missing;
    auto const place = [&](int nth) { return from + (first + nth * at_once) * strip * problem.grid.in; };
    auto const items_of = [&](int nth) { return (first + nth * at_once) * strip; };  // the first one
    strips_ahead now, later;
    load<Whole>(problem, place(0), items_of(0), count, now);
    optional<T> held[levels], sum{};
#pragma unroll 1
    for (int nth = 0; nth * at_once < width; ++nth) {
      if ((nth + 1) * at_once < width) load<Whole>(problem, place(nth + 1), items_of(nth + 1), count, later);
      sum = fold_strips<Whole>(problem, place(nth), items_of(nth), count, now, op);
      bool rises = true;
#pragma unroll
      for (int level = 0; level < levels; ++level)
        if (rises) {
          rises = (nth >> level & 1) != 0;
          if (rises) join<Whole>(sum, held[level], op);
          else held[level] = sum;
        }
#pragma unroll
      for (int k = 0; k < at_once * strip; ++k) now[k] = later[k];
    }
#pragma unroll 1
    for (int by = width; by < 32; by *= 2) {
      optional<T> right{warp_shfl_down(sum.value, by), true};
      if constexpr (!Whole) right.present = warp_shfl_down(static_cast<int>(sum.present), by) != 0;
      join<Whole>(right, sum, op);
      sum = right;
    }
    return sum.value;
  }
  /// right = left o right, of which the left one may be missing.
  template <bool Whole, class Op>
  static __device__ void join(optional<T>& right, optional<T> const& left, Op& op) {
    if (Whole || left.present) right = {static_cast<T>(op(left.value, right.value)), true};
  }

  /// Of a chunk of `count` items those from the first one on that there are.
  template <bool Whole>
  static __device__ void load(Problem const& problem, typename Problem::in_place const& at, int first,
                              int count, strips_ahead& x) {
#pragma unroll
    for (int k = 0; k < at_once * strip; ++k)
      if (Whole || (first + k >= 0 && first + k < count)) x[k].load(problem, at + k * problem.grid.in);
  }
  template <bool Whole, class Op>
  static __device__ optional<T> fold_strips(Problem const& problem, typename Problem::in_place const& at,
                                            int first, int count, strips_ahead const& x, Op& op) {
    optional<T> sums[at_once];
#pragma unroll
    for (int s = 0; s < at_once; ++s)
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (int const nth = s * strip + k; Whole || (first + nth >= 0 && first + nth < count)) {
          T const made = x[nth].values(problem, at + nth * problem.grid.in).of[0];
          sums[s] = {k > 0 ? static_cast<T>(op(sums[s].value, made)) : made, true};
        }
        // The right one of two has its total in the place of its last strip.
#pragma unroll
    for (int by = 1; by < at_once; by *= 2)
#pragma unroll
      for (int s = by; s < at_once; s += 2 * by) join<Whole>(sums[s + by - 1], sums[s - 1], op);
    return sums[at_once - 1];
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
