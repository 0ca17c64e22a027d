// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_PLANES_CUH
#define SWEEP_DETAIL_AXES_TILE_PLANES_CUH

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/tile_of_warp.cuh>
#include <sweep/detail/axes/tile/told_in_groups.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A scan along rows and then along columns that reads and writes each item once. Of a tile of a plane the row
// sums are told to the tiles on its right, and, once it knows those of the tiles on its left, the column sums
// to those below. Each thread hears for a row or a column of its own.

/// What the tiles of one launch tell each other of each of their rows, and behind that of each of their
/// columns.
template <class T>
struct plane_words {
  std::uint64_t* at = nullptr;
  std::uint32_t stamp = 0;
  std::int64_t tiles = 0;
  ticket_counter tickets{};

  static constexpr std::int64_t count(std::int64_t tiles, int height, int width) {
    return tiles * (height + width) * slots<T>::words;
  }
  __device__ slots<T> from(std::int64_t values) const { return {at + values * slots<T>::words, stamp}; }
};

/// The tile that a block works on. Blocks go through a plane by diagonals, and through some planes at once,
/// so that the tiles on the left and above have long begun when a tile looks back for them: in the order of
/// rows all tiles of a row begin together, and each waits for all of those before it.
struct tile_of_planes {
  std::int64_t plane;
  int row, column;
};
inline __device__ tile_of_planes tile_in_diagonals(std::int64_t claimed, std::int64_t planes,
                                                   std::int64_t down, std::int64_t across) {
  constexpr std::int64_t enough = 256;  // tiles that begin between two neighbours
  auto const shorter = across < down ? across : down, of_plane = down * across;
  auto const together = (enough + shorter - 1) / shorter;
  auto const group = quotient(claimed, together * of_plane), first = group * together;
  auto const count = planes - first < together ? planes - first : together;
  auto const in_group = claimed - first * of_plane, nth = quotient(in_group, count);
  // Diagonals grow up to the length of the shorter side, stay, and shrink as they have grown.
  auto const corner = shorter * (shorter - 1) / 2;
  auto const growing = [](std::int64_t n) {  // the last d of which d * (d + 1) / 2 tiles come before it
    auto d = static_cast<std::int64_t>((sqrtf(8.0f * static_cast<float>(n) + 1.0f) - 1.0f) / 2.0f);
    while (d * (d + 1) / 2 > n) --d;
    while ((d + 1) * (d + 2) / 2 <= n) ++d;
    return d;
  };
  auto const last = of_plane - 1 - nth;
  std::int64_t diagonal = 0, of_diagonal = 0;
  if (nth < corner) {
    diagonal = growing(nth);
    of_diagonal = nth - diagonal * (diagonal + 1) / 2;
  } else if (last < corner) {
    auto const left = growing(last);
    diagonal = down + across - 2 - left;
    of_diagonal = left - (last - left * (left + 1) / 2);
  } else {
    auto const whole = quotient(nth - corner, shorter);
    diagonal = shorter - 1 + whole;
    of_diagonal = nth - corner - whole * shorter;
  }
  auto const row = (diagonal < across ? 0 : diagonal - across + 1) + of_diagonal;
  return {first + in_group - nth * count, static_cast<int>(row), static_cast<int>(diagonal - row)};
}

/// A block for a tile of a plane, which stands in shared memory while others are waited for, so that many of
/// them are on their way: a warp for some rows, a lane for V neighbouring columns.
template <class Problem>
struct tile_of_plane {
  using T = typename Problem::value;
  using raw = typename Problem::raw;
  /// Of narrow items tiles are taller: what they tell costs as much as what they read.
  static constexpr int warps = sizeof(raw) < sizeof(T) && sizeof(T) <= 4 ? 7 : 4, threads = 32 * warps;
  static constexpr int V = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1, width = 32 * V;
  static constexpr int rows_of_warp = 16, height = warps * rows_of_warp;
  using told = told_in_groups<8, T>;
  /// Words of those that a thread asks for at a time.
  static constexpr int words_at_once = warps > 4 ? 4 : 8,
                       at_once = std::max(1, words_at_once / slots<T>::words);
  static_assert(width <= threads);
  /// Whether items alone go from memory to shared memory as they are.
  static constexpr bool copies_items = std::is_pointer_v<decltype(Problem::in)> && relocatable<raw> &&
                                       fills_words<raw> && sizeof(raw) >= 4 && std::is_same_v<raw, T> &&
                                       std::is_same_v<decltype(Problem::unary), identity>;
  using pack = line_pack<T, V>;

  struct shared {
    alignas(16) uninitialized<T, height * width> items;
    alignas(16)
        uninitialized<T, warps * width> columns;  ///< the folds of each warp's rows; then what is above
    std::int64_t tile, in, out;                   ///< where its first item is
    int row, column;                              ///< of the tile, in its plane
  };

  /// A warp's rows. Neighbours that are no vectors in memory are taken by neighbouring lanes.
  template <bool Full>
  static __device__ void load(Problem const& problem, T* items, plane_access const& how, std::int64_t from,
                              int rows, int columns) {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (pack_as_read<V, Problem>::in_words) {
      if (how.in_vectors && (Full || columns == width)) {
        if constexpr (copies_packs<V, Problem>) {
#pragma unroll
          for (int r = 0; r < rows_of_warp; ++r)
            if (Full || r < rows) {
              auto* const to = items + r * width + V * lane;
              auto const* const at = problem.in + (from + r * grid.row.in + V * lane);
              if constexpr (V * sizeof(T) == 16) copy_16_bytes_async_alone(to, at);
              else copy_async<V * sizeof(T)>(to, at);
            }
          await_async_copies();
        } else {
          constexpr int fit = static_cast<int>(128 / (V * sizeof(raw))), together = fit < 1 ? 1
                                                                                    : fit < rows_of_warp
                                                                                        ? fit
                                                                                        : rows_of_warp;
#pragma unroll
          for (int first = 0; first < rows_of_warp; first += together) {
            pack_as_read<V, Problem> read[together];
#pragma unroll
            for (int r = 0; r < together; ++r)
              if (Full || first + r < rows)
                read[r].load(problem, from + (first + r) * grid.row.in + V * lane);
#pragma unroll
            for (int r = 0; r < together; ++r)
              if (Full || first + r < rows)
                put_pack(items + (first + r) * width + V * lane, read[r].values(problem));
          }
        }
        __syncwarp();
        return;
      }
    }
    if constexpr (copies_items)
      if (how.in_items) {
        auto const* at = problem.in + from;
#pragma unroll 1
        for (int r = 0; r < rows; ++r, at += grid.row.in)
#pragma unroll
          for (int s = 0; s < V; ++s)
            if (Full || 32 * s + lane < columns)
              copy_async<static_cast<int>(sizeof(raw))>(items + r * width + 32 * s + lane,
                                                        at + (32 * s + lane) * grid.column.in);
        await_async_copies();
        __syncwarp();
        return;
      }
    constexpr int together = Full || !copies_items ? 4 : 2;
#pragma unroll 1
    for (int first = 0; first < rows; first += together) {
      pack_as_read<1, Problem> read[together][V];
#pragma unroll
      for (int r = 0; r < together; ++r)
#pragma unroll
        for (int s = 0; s < V; ++s)
          if (Full || (first + r < rows && 32 * s + lane < columns))
            read[r][s].load(problem, from + (first + r) * grid.row.in + (32 * s + lane) * grid.column.in);
#pragma unroll
      for (int r = 0; r < together; ++r)
#pragma unroll
        for (int s = 0; s < V; ++s)
          if (Full || (first + r < rows && 32 * s + lane < columns))
            put_bytes(items[(first + r) * width + 32 * s + lane], read[r][s].values(problem).of[0]);
    }
    __syncwarp();
  }
  /// A warp's rows, of which what is above is not in them yet.
  template <bool Full, class Op>
  static __device__ void store(Problem const& problem, T* items, plane_access const& how, std::int64_t to,
                               int rows, int columns, optional<pack> const& above, Op& op) {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    each_of_pack<Op, V> ops{op};
    auto const result = [&](int r) { return combine(above, get_pack<V>(items + r * width + V * lane), ops); };
    if (how.out_vectors && (Full || columns == width)) {
#pragma unroll 4
      for (int r = 0; r < rows; ++r) store_pack(problem, to + r * grid.row.out + V * lane, result(r));
      return;
    }
    constexpr int together = Full ? 4 : 1;
    auto at = to + lane * grid.column.out;
#pragma unroll 1
    for (int first = 0; first < rows; first += together) {
#pragma unroll
      for (int r = first; r < first + together; ++r)
        if (V * lane < columns) put_pack(items + r * width + V * lane, result(r));
      __syncwarp();
#pragma unroll
      for (int r = first; r < first + together; ++r, at += grid.row.out)
#pragma unroll
        for (int s = 0; s < V; ++s)
          if (Full || 32 * s + lane < columns)
            problem.put(at + 32 * s * grid.column.out, items[r * width + 32 * s + lane]);
    }
  }

  template <bool Full>
  static __device__ void run(Problem const& problem, shared& memory, plane_words<T> const& words,
                             plane_access const& how) {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = warp_of_block();
    auto const left_of = [](std::int64_t all, int before, int most) {
      return static_cast<int>(min(std::int64_t{most}, all - std::int64_t{before} * most));
    };
    auto const tile_rows = [&] { return Full ? height : left_of(grid.rows, memory.row, height); };
    int const columns = Full ? width : left_of(grid.columns, memory.column, width);
    int const rows = Full ? rows_of_warp : min(rows_of_warp, max(0, tile_rows() - warp * rows_of_warp));
    int const mine = Full ? V : min(V, columns - V * lane);  // may be negative
    int const lanes = Full ? 32 : (columns + V - 1) / V;     // that have columns
    T* const items = &memory.items[warp * rows_of_warp * width];
    auto op = problem.op;
    int const across = static_cast<int>(grid.across(width));
    told const on_left{words.from(memory.tile * height + warp * rows_of_warp + lane % rows_of_warp), height,
                       memory.column, across};
    on_left.fetch();
    load<Full>(problem, items, how, memory.in + warp * rows_of_warp * grid.row.in, rows, columns);

    // Rows: along a lane's columns, along the lanes, along the tiles. A warp has all of its rows' tile, so
    // its lanes look back without waiting for the others.
    T left[rows_of_warp], total{};
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r)
      if (Full || r < rows) {
        pack const x = get_pack<V>(items + r * width + V * lane);
        left[r] = x.of[0];
#pragma unroll
        for (int v = 1; v < V; ++v)
          if (Full || v < mine) left[r] = op(left[r], x.of[v]);
      }
    if constexpr (Full) {  // rows side by side: each step of a scan waits for the one before it
#pragma unroll
      for (int by = 1; by < 32; by *= 2)
#pragma unroll
        for (int r = 0; r < rows_of_warp; ++r) {
          T const before = warp_shfl_up(left[r], by);
          if (lane >= by) left[r] = op(before, left[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r)
      if (Full || r < rows) {
        if constexpr (!Full) left[r] = warp_scan_first(left[r], lanes, op);
        T const all = warp_shfl(left[r], lanes - 1);
        if (lane == r) total = all;
        left[r] = warp_shfl_up(left[r], 1);
      }
    optional<T> before{};
    if (across > 1) {
      if (lane < rows) before = on_left.template exchange<at_once, 20>(total, op);
      __syncwarp();
    }

    // And columns: down a warp's rows, down the warps, down the tiles.
    bool const follows = memory.column > 0;
    pack last{};
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r)
      if (Full || r < rows) {
        T const tiles = follows ? warp_shfl(before.value, r) : left[r];
        T const all = follows && lane > 0 ? op(tiles, left[r]) : tiles;
        pack x = get_pack<V>(items + r * width + V * lane);
#pragma unroll
        for (int v = 1; v < V; ++v)
          if (Full || v < mine) x.of[v] = op(x.of[v - 1], x.of[v]);
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (Full || v < mine) {
            if (follows || lane > 0) x.of[v] = op(all, x.of[v]);
            if (r > 0) x.of[v] = op(last.of[v], x.of[v]);
          }
        put_pack(items + r * width + V * lane, x);
        last = x;
      }
    if (rows > 0) put_pack(&memory.columns[warp * width + V * lane], last);
    __syncthreads();
    if (int const c = static_cast<int>(threadIdx.x); c < columns) {
      int const used = Full ? warps : (tile_rows() + rows_of_warp - 1) / rows_of_warp;
      T before_warp[warps];
      T sum = memory.columns[c];
#pragma unroll
      for (int w = 1; w < warps; ++w)
        if (w < used) {
          before_warp[w] = sum;
          sum = op(sum, memory.columns[w * width + c]);
        }
      optional<T> above{};
      if (int const down = static_cast<int>(grid.down(height)); down > 1)
        above =
            told{words.from(words.tiles * height + memory.tile * width + c), across * width, memory.row, down}
                .template exchange<at_once, 20>(sum, op);
      if (above.present) put_bytes(memory.columns[c], above.value);
#pragma unroll
      for (int w = 1; w < warps; ++w)
        if (w < used) put_bytes(memory.columns[w * width + c], combine(above, before_warp[w], op));
    }
    __syncthreads();
    optional<pack> const above{get_pack<V>(&memory.columns[warp * width + V * lane]),
                               warp > 0 || memory.row > 0};
    store<Full>(problem, items, how, memory.out + warp * rows_of_warp * grid.row.out, rows, columns, above,
                op);
  }

  static __device__ void run(Problem const& problem, shared& memory, plane_words<T> const& words,
                             plane_access const& how) {
    auto const& grid = problem.grid;
    if (threadIdx.x == 0) {  // the others find all of this in shared memory whenever they need it
      auto const across = grid.across(width), down = grid.down(height);
      auto const at = tile_in_diagonals(words.tickets.draw(), grid.planes.lines, down, across);
      auto const plane = grid.planes.place(at.plane);
      auto const row = std::int64_t{at.row} * height, column = std::int64_t{at.column} * width;
      memory.tile = (at.plane * down + at.row) * across + at.column;
      memory.in = plane.in + row * grid.row.in + column * grid.column.in;
      memory.out = plane.out + row * grid.row.out + column * grid.column.out;
      memory.row = at.row;
      memory.column = at.column;
    }
    __syncthreads();
    bool const full = std::int64_t{memory.row + 1} * height <= grid.rows &&
                      std::int64_t{memory.column + 1} * width <= grid.columns;
    if (full) run<true>(problem, memory, words, how);
    else run<false>(problem, memory, words, how);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
