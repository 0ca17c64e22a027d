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

/// Whether neighbouring columns are vectors in memory.
struct plane_layout {
  bool in_words, out_words;
};

/// The fold of what \p count tiles before this one have told, absent where there are none; `own` is this
/// one's place, `step` from one tile to the next. It is ((first o second) o third) ... whatever the schedule:
/// a prefix is found first, and the totals behind it are folded from there on.
template <class T, class Op>
__device__ optional<T> fold_of_tiles_before(slots<T> const& totals, slots<T> const& prefixes,
                                            std::int64_t own, std::int64_t step, std::int64_t count, Op& op) {
  constexpr int batch = slots<T>::words <= 2 ? 4 : 2, farthest = 32;
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

/// A block for a tile of a plane: a warp for some rows, a lane for V neighbouring columns.
template <class Problem>
struct tile_of_plane {
  using T = typename Problem::value;
  static constexpr int warps = 8, threads = 32 * warps, V = 4, width = 32 * V;
  static constexpr int rows_of_warp = sizeof(T) <= 4   ? 8
                                      : sizeof(T) <= 8 ? 4
                                                       : 2,
                       height = warps * rows_of_warp;
  static_assert(width <= threads);
  using pack = line_pack<T, V>;

  struct shared {
    /// The folds of each warp's rows; then what stands before them. While items come and go, a warp's row.
    alignas(16) uninitialized<T, warps * width> columns;
  };

  /// A lane's V neighbours of a row in shared memory.
  static constexpr bool whole_words = fills_words<T> && word_items<T> <= V;
  static __device__ void get(T const* row, pack& x) {
    if constexpr (whole_words) {
      constexpr int W = word_items<T>;
#pragma unroll
      for (int k = 0; k < V; k += W) {
        T word[W];
        get_word(row + k, word);
#pragma unroll
        for (int w = 0; w < W; ++w) x.of[k + w] = word[w];
      }
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(x.of[v], row[v]);
    }
  }
  static __device__ void put(T* row, pack const& x) {
    if constexpr (whole_words) {
      constexpr int W = word_items<T>;
#pragma unroll
      for (int k = 0; k < V; k += W) {
        T word[W];
#pragma unroll
        for (int w = 0; w < W; ++w) word[w] = x.of[k + w];
        put_word(row + k, word);
      }
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(row[v], x.of[v]);
    }
  }

  /// A warp's rows, of which all is asked for before the first is looked at. Neighbours that are no vectors
  /// in memory are taken by neighbouring lanes, which then exchange them.
  template <bool Full>
  __device__ static void load(Problem const& problem, T* row, plane_layout how, std::int64_t from, int rows,
                              int columns, pack (&x)[rows_of_warp]) {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (pack_as_read<V, Problem>::in_words) {
      if (how.in_words && (Full || columns == width)) {
        pack_as_read<V, Problem> read[rows_of_warp];
        if (Full || rows == rows_of_warp) {
#pragma unroll
          for (int r = 0; r < rows_of_warp; ++r) read[r].load(problem, from + r * grid.row.in + V * lane);
        } else {
#pragma unroll
          for (int r = 0; r < rows_of_warp; ++r)
            if (r < rows) read[r].load(problem, from + r * grid.row.in + V * lane);
        }
#pragma unroll
        for (int r = 0; r < rows_of_warp; ++r)
          if (Full || r < rows) x[r] = read[r].values(problem);
        return;
      }
    }
    constexpr int together = rows_of_warp < 4 ? rows_of_warp : 4;
#pragma unroll
    for (int first = 0; first < rows_of_warp; first += together) {
      pack_as_read<1, Problem> read[together][V];
#pragma unroll
      for (int r = 0; r < together; ++r)
#pragma unroll
        for (int s = 0; s < V; ++s)
          if (Full || (first + r < rows && 32 * s + lane < columns))
            read[r][s].load(problem, from + (first + r) * grid.row.in + (32 * s + lane) * grid.column.in);
#pragma unroll
      for (int r = 0; r < together; ++r) {
#pragma unroll
        for (int s = 0; s < V; ++s)
          if (Full || (first + r < rows && 32 * s + lane < columns))
            put_bytes(row[32 * s + lane], read[r][s].values(problem).of[0]);
        __syncwarp();
        get(row + V * lane, x[first + r]);
        __syncwarp();
      }
    }
  }
  template <bool Full>
  __device__ static void store(Problem const& problem, T* row, plane_layout how, std::int64_t to, int rows,
                               int columns, pack const (&x)[rows_of_warp]) {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    if (how.out_words && (Full || columns == width)) {
#pragma unroll
      for (int r = 0; r < rows_of_warp; ++r)
        if (Full || r < rows) store_pack(problem, to + r * grid.row.out + V * lane, x[r]);
      return;
    }
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      __syncwarp();
      put(row + V * lane, x[r]);
      __syncwarp();
#pragma unroll
      for (int s = 0; s < V; ++s)
        if (Full || (r < rows && 32 * s + lane < columns))
          problem.put(to + r * grid.row.out + (32 * s + lane) * grid.column.out, row[32 * s + lane]);
    }
  }

  template <bool Full>
  __device__ static void run(Problem const& problem, shared& memory, plane_words<T> const& words,
                             plane_layout how, std::int64_t tile, std::int64_t tile_row,
                             std::int64_t tile_column, line_place const& plane) {
    auto const& grid = problem.grid;
    auto const across = grid.across(width), down = grid.down(height);
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    auto const rows_left = grid.rows - tile_row * height, columns_left = grid.columns - tile_column * width;
    int const tile_rows = Full ? height : static_cast<int>(min(std::int64_t{height}, rows_left));
    int const columns = Full ? width : static_cast<int>(min(std::int64_t{width}, columns_left));
    int const rows = Full ? rows_of_warp : min(rows_of_warp, max(0, tile_rows - warp * rows_of_warp));
    int const mine = Full ? V : min(V, columns - V * lane);  // may be negative
    int const lanes = Full ? 32 : (columns + V - 1) / V;     // that have columns
    auto const first_row = tile_row * height + warp * rows_of_warp, first_column = tile_column * width;
    T* const row = &memory.columns[warp * width];
    auto const has = [&](int r, int v) { return Full || (r < rows && v < mine); };
    auto op = problem.op;
    pack x[rows_of_warp];
    load<Full>(problem, row, how, plane.in + first_row * grid.row.in + first_column * grid.column.in, rows,
               columns, x);

    // Rows: along a lane's columns, along the lanes, along the tiles. A warp has all of its rows' tile, so
    // its lanes look back without waiting for the others.
    T left[rows_of_warp], total{};
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
#pragma unroll
      for (int v = 1; v < V; ++v)
        if (has(r, v)) x[r].of[v] = op(x[r].of[v - 1], x[r].of[v]);
      T sum = x[r].of[V - 1];
      if constexpr (!Full)
#pragma unroll
        for (int v = 0; v + 1 < V; ++v)
          if (v + 1 == mine) sum = x[r].of[v];
      if (Full || r < rows) {
        sum = warp_scan_first(sum, lanes, op);
        left[r] = warp_shfl_up(sum, 1);
        T const all = warp_shfl(sum, lanes - 1);
        if (lane == r) total = all;
      }
    }
    auto const row_values = words.tiles * height, column_values = words.tiles * width;
    optional<T> before{};
    if (across > 1) {
      if (lane < rows) {
        auto const totals = words.from(0), prefixes = words.from(row_values);
        auto const own = tile * height + warp * rows_of_warp + lane;
        bool const told = tile_column + 1 < across;
        if (told) totals.publish(own, total);
        before = fold_of_tiles_before(totals, prefixes, own, height, tile_column, op);
        if (told) prefixes.publish(own, combine(before, total, op));
      }
      __syncwarp();
    }
    bool const follows = tile_column > 0;
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r)
      if (Full || r < rows) {
        T const tiles = follows ? warp_shfl(before.value, r) : left[r];
        T const all = follows && lane > 0 ? op(tiles, left[r]) : tiles;
        if (follows || lane > 0)
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (has(r, v)) x[r].of[v] = op(all, x[r].of[v]);
      }

      // Columns: down a warp's rows, down the warps, down the tiles.
#pragma unroll
    for (int r = 1; r < rows_of_warp; ++r)
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (has(r, v)) x[r].of[v] = op(x[r - 1].of[v], x[r].of[v]);
    pack last = x[rows_of_warp - 1];
    if constexpr (!Full)
#pragma unroll
      for (int r = 0; r + 1 < rows_of_warp; ++r)
        if (r + 1 == rows) last = x[r];
    if (rows > 0) put(row + V * lane, last);
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
      optional<T> above{};
      if (down > 1) {
        auto const totals = words.from(2 * row_values), prefixes = words.from(2 * row_values + column_values);
        auto const own = tile * width + c;
        bool const told = tile_row + 1 < down;
        if (told) totals.publish(own, sum);
        above = fold_of_tiles_before(totals, prefixes, own, across * width, tile_row, op);
        if (told) prefixes.publish(own, combine(above, sum, op));
      }
      if (above.present) put_bytes(memory.columns[c], above.value);
#pragma unroll
      for (int w = 1; w < warps; ++w)
        if (w < used) put_bytes(memory.columns[w * width + c], combine(above, before_warp[w], op));
    }
    __syncthreads();
    if (warp > 0 || tile_row > 0) {
      pack above;
      get(row + V * lane, above);
#pragma unroll
      for (int r = 0; r < rows_of_warp; ++r)
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (has(r, v)) x[r].of[v] = op(above.of[v], x[r].of[v]);
    }
    store<Full>(problem, row, how, plane.out + first_row * grid.row.out + first_column * grid.column.out,
                rows, columns, x);
  }

  __device__ static void run(Problem const& problem, shared& memory, plane_words<T> const& words,
                             plane_layout how, std::int64_t tile) {
    auto const& grid = problem.grid;
    auto const across = grid.across(width), down = grid.down(height);
    auto const tile_row = quotient(tile, across), tile_column = tile - tile_row * across;
    auto const nth = quotient(tile_row, down), row_of_plane = tile_row - nth * down;
    auto const plane = grid.planes.place(nth);
    bool const full = (row_of_plane + 1) * height <= grid.rows && (tile_column + 1) * width <= grid.columns;
    if (full) run<true>(problem, memory, words, how, tile, row_of_plane, tile_column, plane);
    else run<false>(problem, memory, words, how, tile, row_of_plane, tile_column, plane);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
