// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_PLANES_CUH
#define SWEEP_DETAIL_AXES_TILE_PLANES_CUH

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A scan along rows and then along columns that reads and writes each item once. Of a tile of a plane the row
// sums are told to the tile on its right, and, once it knows those of the tiles on its left, the column sums
// to the one below. Each thread looks back for a row or a column of its own.

/// What the tiles of one launch tell each other: of each the fold of every row and every column of its own,
/// and with all that comes before in that direction.
template <class T>
struct plane_words {
  std::uint64_t* at = nullptr;
  std::uint32_t stamp = 0;
  std::int64_t tiles = 0;
  ticket_counter tickets{};

  static constexpr std::int64_t count(std::int64_t tiles, int height, int width) {
    return 2 * tiles * (height + width) * slots<T>::words;
  }
  __device__ slots<T> from(std::int64_t values) const { return {at + values * slots<T>::words, stamp}; }
};

/// The fold of what \p count tiles before this one have told, absent where there are none; `own` is this
/// one's place, `step` from one tile to the next. It is ((first o second) o third) ... whatever the schedule:
/// a prefix is found first, and the totals behind it are folded from there on.
template <class T, class Op>
__device__ optional<T> fold_of_tiles_before(slots<T> const& totals, slots<T> const& prefixes,
                                            std::int64_t own, std::int64_t step, std::int64_t count, Op& op) {
  constexpr int batch = slots<T>::words <= 1 ? 4 : slots<T>::words <= 2 ? 4 : 2, farthest = 32;
  optional<T> sum{};
  std::int64_t left = count;  // the tiles from which something is still to be folded
  while (count > 0) {
    for (int begin = 1; begin <= farthest && begin <= count && !sum.present; begin += batch) {
      typename slots<T>::found now[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (begin + k <= count) now[k] = prefixes.look(own - (begin + k) * step);
#pragma unroll
      for (int k = batch; k-- > 0;)  // the nearest last
        if (begin + k <= count && prefixes.accept(now[k], sum.value)) {
          sum.present = true;
          left = begin + k - 1;
        }
    }
    if (sum.present || count <= farthest) break;
    __nanosleep(20);
  }
  while (left > 0) {
    typename slots<T>::found now[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (k < left) now[k] = totals.look(own - (left - k) * step);
    bool whole = true;
    int folded = 0;
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (k < left && whole) {
        T next{};
        whole = totals.accept(now[k], next);
        if (whole) {
          sum = {combine(sum, next, op), true};
          ++folded;
        }
      }
    left -= folded;
  }
  return sum;
}

/// A block for a tile of a plane: a warp for some rows, a lane for every 32nd column.
template <class Problem>
struct tile_of_plane {
  using T = typename Problem::value;
  static constexpr int warps = 8, threads = 32 * warps, strips = 4, width = 32 * strips;
  static constexpr int rows_of_warp = sizeof(T) <= 4   ? 8
                                      : sizeof(T) <= 8 ? 4
                                                       : 2,
                       height = warps * rows_of_warp;
  static_assert(width <= threads);

  struct shared {
    uninitialized<T, warps * width> columns;  ///< the folds of each warp's rows; then what stands before them
  };

  template <bool Full>
  __device__ static void run(Problem const& problem, shared& memory, plane_words<T> const& words,
                             std::int64_t tile, std::int64_t tile_row, std::int64_t tile_column,
                             line_place const& plane) {
    auto const& grid = problem.grid;
    auto const across = grid.across(width), down = grid.down(height);
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    auto const rows_left = grid.rows - tile_row * height, columns_left = grid.columns - tile_column * width;
    int const tile_rows = Full ? height : static_cast<int>(min(std::int64_t{height}, rows_left));
    int const columns = Full ? width : static_cast<int>(min(std::int64_t{width}, columns_left));
    int const rows = Full ? rows_of_warp : min(rows_of_warp, max(0, tile_rows - warp * rows_of_warp));
    auto const first_row = tile_row * height + warp * rows_of_warp, first_column = tile_column * width + lane;
    auto const first_in = plane.in + first_row * grid.row.in + first_column * grid.column.in;
    auto const has = [&](int r, int s) { return Full || (r < rows && 32 * s + lane < columns); };
    auto op = problem.op;

    pack_as_read<1, Problem> read[rows_of_warp][strips];
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r)
#pragma unroll
      for (int s = 0; s < strips; ++s)
        if (has(r, s)) read[r][s].load(problem, first_in + r * grid.row.in + 32 * s * grid.column.in);
    line_pack<T, 1> item[rows_of_warp][strips];
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r)
#pragma unroll
      for (int s = 0; s < strips; ++s)
        if (has(r, s)) item[r][s] = read[r][s].values(problem);
    auto const x = [&](int r, int s) -> T& { return item[r][s].of[0]; };

    // Rows. A warp has all of its rows' tile, so its lanes look back without waiting for the others.
    T mine{};
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      T sum{};
#pragma unroll
      for (int s = 0; s < strips; ++s) {
#pragma unroll
        for (int by = 1; by < 32; by *= 2) {
          T const before = warp_shfl_up(x(r, s), by);
          if (lane >= by && has(r, s)) x(r, s) = op(before, x(r, s));
        }
        if (s > 0 && has(r, s)) x(r, s) = op(sum, x(r, s));
        sum = warp_shfl(x(r, s), 31);
      }
      if (lane == r) mine = sum;
    }
    auto const row_values = words.tiles * height, column_values = words.tiles * width;
    if (across > 1) {
      optional<T> before{};
      if (lane < rows) {
        auto const totals = words.from(0), prefixes = words.from(row_values);
        auto const own = tile * height + warp * rows_of_warp + lane;
        bool const told = tile_column + 1 < across;
        if (told) totals.publish(own, mine);
        before = fold_of_tiles_before(totals, prefixes, own, height, tile_column, op);
        if (told) prefixes.publish(own, combine(before, mine, op));
      }
      __syncwarp();
      if (tile_column > 0)
#pragma unroll
        for (int r = 0; r < rows_of_warp; ++r) {
          T const left = warp_shfl(before.value, r);
#pragma unroll
          for (int s = 0; s < strips; ++s)
            if (has(r, s)) x(r, s) = op(left, x(r, s));
        }
    }

    // Columns: down a warp's rows, down the warps, down the tiles.
#pragma unroll
    for (int s = 0; s < strips; ++s) {
      T sum = x(0, s);
#pragma unroll
      for (int r = 1; r < rows_of_warp; ++r)
        if (has(r, s)) sum = x(r, s) = op(sum, x(r, s));
      if (has(0, s)) put_bytes(memory.columns[warp * width + 32 * s + lane], sum);
    }
    __syncthreads();
    if (int const c = static_cast<int>(threadIdx.x); c < columns) {
      int const used = Full ? warps : (tile_rows + rows_of_warp - 1) / rows_of_warp;
      T before_warp[warps];
      T sum = memory.columns[c];
#pragma unroll
      for (int w = 1; w < warps; ++w)
        if (w < used) {
          before_warp[w] = sum;
          sum = op(sum, memory.columns[w * width + c]);
        }
      optional<T> before{};
      if (down > 1) {
        auto const totals = words.from(2 * row_values), prefixes = words.from(2 * row_values + column_values);
        auto const own = tile * width + c;
        bool const told = tile_row + 1 < down;
        if (told) totals.publish(own, sum);
        before = fold_of_tiles_before(totals, prefixes, own, across * width, tile_row, op);
        if (told) prefixes.publish(own, combine(before, sum, op));
      }
      if (before.present) put_bytes(memory.columns[c], before.value);
#pragma unroll
      for (int w = 1; w < warps; ++w)
        if (w < used) put_bytes(memory.columns[w * width + c], combine(before, before_warp[w], op));
    }
    __syncthreads();
    if (warp > 0 || tile_row > 0)
#pragma unroll
      for (int s = 0; s < strips; ++s)
        if (has(0, s)) {
          T const above = memory.columns[warp * width + 32 * s + lane];
#pragma unroll
          for (int r = 0; r < rows_of_warp; ++r)
            if (has(r, s)) x(r, s) = op(above, x(r, s));
        }
    auto const first_out = plane.out + first_row * grid.row.out + first_column * grid.column.out;
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r)
#pragma unroll
      for (int s = 0; s < strips; ++s)
        if (has(r, s))
          store_pack(problem, first_out + r * grid.row.out + 32 * s * grid.column.out, item[r][s]);
  }

  __device__ static void run(Problem const& problem, shared& memory, plane_words<T> const& words,
                             std::int64_t tile) {
    auto const& grid = problem.grid;
    auto const across = grid.across(width), down = grid.down(height);
    auto const tile_row = quotient(tile, across), tile_column = tile - tile_row * across;
    auto const nth = quotient(tile_row, down), row_of_plane = tile_row - nth * down;
    auto const plane = grid.planes.place(nth);
    bool const full = (row_of_plane + 1) * height <= grid.rows && (tile_column + 1) * width <= grid.columns;
    if (full) run<true>(problem, memory, words, tile, row_of_plane, tile_column, plane);
    else run<false>(problem, memory, words, tile, row_of_plane, tile_column, plane);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
