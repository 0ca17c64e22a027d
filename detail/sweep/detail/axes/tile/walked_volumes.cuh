// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_WALKED_VOLUMES_CUH
#define SWEEP_DETAIL_AXES_TILE_WALKED_VOLUMES_CUH

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A scan along the rows, the columns and the layers of volumes that reads and writes each item once. A block
// has the same tile of all layers, walks through these, and keeps the results of the last one in shared
// memory. Row sums come from the tiles on the left and column sums from those above, through memory.

/// How blocks share out volumes.
struct volume_walk {
  int across, down;          ///< tiles of a layer
  bool in_words, out_words;  ///< whether neighbouring columns are vectors in memory

  /// Neighbours tell each other totals; the last of so many of them a prefix to the groups behind. The last
  /// neighbour and the last group tell nothing.
  static constexpr int group = 4;
  static constexpr SWEEP_HD int totals(int tiles) { return tiles - 1; }
  static constexpr SWEEP_HD int prefixes(int tiles) { return (tiles - 1) / group; }
};

/// What the blocks of one launch tell each other of their tiles' rows and columns: of each the fold, and that
/// of a group and all before it. The totals of rows are the first of these words.
struct volume_words {
  std::uint64_t* at = nullptr;
  std::uint32_t stamp = 0;
  ticket_counter tickets{};
  std::int64_t row_prefixes = 0, column_totals = 0, column_prefixes = 0;
};

/// ((prefix o first) o second) ... of so many neighbours, `step` apart, that end before `totals`: all are
/// asked for at once if they are few words each.
template <class T, class Op>
__device__ optional<T> fold_of_group(slots<T> const& prefix, bool has_prefix, slots<T> const& totals,
                                     int step, int neighbours, Op& op) {
  using found = typename slots<T>::found;
  constexpr int some = volume_walk::group / slots<T>::words / 2, batch = some > 1 ? some : 1;
  constexpr unsigned pause = 200;
  auto const farthest = -std::int64_t{neighbours} * step;
  optional<T> sum{};
#pragma unroll
  for (int first = 0; first < volume_walk::group; first += batch) {
    // The prefix is the neighbour before the first.
    if (first > neighbours) break;
    T next[batch];
    bool told[batch] = {};
    for (bool whole = false; !whole;) {  // those that are missing are asked for again
      found now[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (int const nth = first + k; !told[k] && nth == 0) {
          if (has_prefix) now[k] = prefix.look(0);
        } else if (!told[k] && nth <= neighbours) {
          now[k] = totals.look(farthest + (nth - 1) * step);
        }
      whole = true;
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (int const nth = first + k; !told[k] && (nth == 0 ? has_prefix : nth <= neighbours)) {
          told[k] = totals.accept(now[k], next[k]);
          whole &= told[k];
        }
      if (!whole) __nanosleep(pause);
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (int const nth = first + k; nth == 0 ? has_prefix : nth <= neighbours)
        sum = {combine(sum, next[k], op), true};
  }
  return sum;
}

/// A block for a tile of all layers. A warp has every so many of them, each in shared memory of its own until
/// it is written, so that many are on their way.
template <class Problem>
struct walk_of_volume {
  using T = typename Problem::value;
  using raw = typename Problem::raw;
  static constexpr int V = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;
  /// Lanes have V neighbouring columns of some rows: 16 of them those of a row.
  static constexpr int lanes_of_row = 16, width = lanes_of_row * V, rows_of_lane = 16,
                       height = rows_of_lane * (32 / lanes_of_row), items_of_tile = height * width;
  using pack = line_pack<T, V>;
  /// Of its columns a lane asks for so many neighbours.
  static constexpr int beside = std::max(1, width / 32);
  using told = line_pack<T, beside>;

  static constexpr int most_warps = sizeof(T) <= 4 ? 20 : 16;

  struct of_block {
    alignas(16) uninitialized<T, items_of_tile> kept;  ///< the results of the last layer
    std::uint32_t turn;                                ///< the layer that may take them
    std::int64_t in, out, layer;  ///< of the first layer, the tile's items and its number among all
    int row, column;              ///< of the tile, in its layer
    int rows, columns;            ///< it has
  };
  struct of_warp {
    alignas(16) uninitialized<T, items_of_tile> items;
    alignas(16) uninitialized<T, width> columns;
  };
  static constexpr std::size_t shared_bytes(int warps) { return sizeof(of_block) + warps * sizeof(of_warp); }

  Problem const& problem;
  of_block& memory;
  of_warp* warps;
  volume_words const& words;
  volume_walk const& how;

  /// What a warp works on: a layer's tile, and this lane's part of it.
  struct part {
    std::int64_t layer;  ///< its number among all
    int row, column;     ///< of this lane, its first
    T* items;            ///< the tile's

    __device__ T* at(int r) const { return items + (row + r) * width + column; }
  };

  /// What is missing of a tile at the borders is taken from the last row and column there are: no sum that is
  /// written has it, and the operator sees nothing but items.
  __device__ void load(part const& own, std::int64_t in) const {
    auto const& grid = problem.grid;
    int const last_row = memory.rows - 1, last_column = memory.columns - 1;
    if constexpr (pack_as_read<V, Problem>::in_words) {
      if (how.in_words && memory.columns == width) {
        auto at = in + own.column + min(own.row, last_row) * grid.row.in;
        auto const next = [&](int r) {
          auto const here = at;
          at += own.row + r < last_row ? grid.row.in : 0;
          return here;
        };
        if constexpr (copies_packs<V, Problem>) {
#pragma unroll
          for (int r = 0; r < rows_of_lane; ++r) {
            if constexpr (V * sizeof(T) == 16) copy_16_bytes_async_alone(own.at(r), problem.in + next(r));
            else copy_async<V * sizeof(T)>(own.at(r), problem.in + next(r));
          }
          await_async_copies();
        } else {
          constexpr int fit = static_cast<int>(128 / (V * sizeof(raw))), together = fit < 1 ? 1
                                                                                    : fit < rows_of_lane
                                                                                        ? fit
                                                                                        : rows_of_lane;
#pragma unroll
          for (int first = 0; first < rows_of_lane; first += together) {
            pack_as_read<V, Problem> read[together];
#pragma unroll
            for (int r = 0; r < together; ++r) read[r].load(problem, next(first + r));
#pragma unroll
            for (int r = 0; r < together; ++r) put_pack(own.at(first + r), read[r].values(problem));
          }
        }
        __syncwarp();
        return;
      }
    }
    // Neighbours that are no vectors in memory are taken by neighbouring lanes.
    constexpr int together = items_of_tile / 32 < 8 ? items_of_tile / 32 : 8;
    int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
    for (int first = lane; first < items_of_tile; first += 32 * together) {
      pack_as_read<1, Problem> read[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        int const r = min((first + 32 * k) / width, last_row), c = min((first + 32 * k) % width, last_column);
        read[k].load(problem, in + r * grid.row.in + c * grid.column.in);
      }
#pragma unroll
      for (int k = 0; k < together; ++k) put_bytes(own.items[first + 32 * k], read[k].values(problem).of[0]);
    }
    __syncwarp();
  }

  /// Along the rows, in a lane, along the lanes and along the blocks, and then down a lane's rows, of which
  /// the last is returned.
  __device__ pack sum_rows(part const& own) const {
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const lane = static_cast<int>(threadIdx.x) % 32, of_row = lane % lanes_of_row;
    T total{};
    constexpr int together = 4;  // rows side by side: each step of a scan waits for the one before it
#pragma unroll 1
    for (int first = 0; first < rows_of_lane; first += together) {
      pack x[together];
      T left[together];
#pragma unroll
      for (int r = 0; r < together; ++r) {
        x[r] = get_pack<V>(own.at(first + r));
#pragma unroll
        for (int v = 1; v < V; ++v) x[r].of[v] = op(x[r].of[v - 1], x[r].of[v]);
        left[r] = x[r].of[V - 1];
      }
#pragma unroll
      for (int by = 1; by < lanes_of_row; by *= 2)
#pragma unroll
        for (int r = 0; r < together; ++r) {
          T const before = warp_shfl_up(left[r], by);
          if (of_row >= by) left[r] = op(before, left[r]);
        }
#pragma unroll
      for (int r = 0; r < together; ++r) {
        T const all = warp_shfl(left[r], lane | (lanes_of_row - 1));
        if (of_row == first + r) total = all;
        left[r] = warp_shfl_up(left[r], 1);
        if (of_row > 0)
#pragma unroll
          for (int v = 0; v < V; ++v) x[r].of[v] = op(left[r], x[r].of[v]);
        put_pack(own.at(first + r), x[r]);
      }
    }
    optional<T> before{};
    if (how.across > 1) {
      if (of_row < rows_of_lane) before = before_row(own, own.row + of_row, total);
      __syncwarp();
    }
    bool const follows = memory.column > 0;
    pack last{};
#pragma unroll
    for (int r = 0; r < rows_of_lane; ++r) {
      pack x = get_pack<V>(own.at(r));
      if (follows) {
        T const left = warp_shfl(before.value, lane - of_row + r);
#pragma unroll
        for (int v = 0; v < V; ++v) x.of[v] = op(left, x.of[v]);
      }
      if (r > 0) x = ops(last, x);
      put_pack(own.at(r), x);
      last = x;
    }
    return last;
  }

  /// What the row has on the left, in other blocks; those on the right are told its total.
  __device__ optional<T> before_row(part const& own, int row, T const& total) const {
    auto op = problem.op;
    constexpr int group = volume_walk::group;
    int const nth = memory.column / group, member = memory.column % group;
    bool const heard = memory.column + 1 < how.across, ends = member == group - 1;
    auto const band = own.layer * how.down + memory.row;
    auto const totals = rows_at(0, band * volume_walk::totals(how.across) + memory.column, row);
    auto const prefix_of = [&](int n) {
      return rows_at(words.row_prefixes, band * volume_walk::prefixes(how.across) + n, row);
    };
    if (heard && !ends) totals.publish(0, total);
    auto const before = fold_of_group(prefix_of(nth - 1), nth > 0, totals, height, member, op);
    if (heard && ends) prefix_of(nth).publish(0, combine(before, total, op));
    return before;
  }
  __device__ slots<T> rows_at(std::int64_t first, std::int64_t tile, int row) const {
    return {words.at + first + (tile * height + row) * slots<T>::words, words.stamp};
  }
  /// What columns have above, in other blocks; those below are told their totals.
  __device__ optional<told> above_columns(part const& own, int column, told const& total) const {
    auto op = problem.op;
    each_of_pack<decltype(op), beside> ops{op};
    constexpr int group = volume_walk::group;
    int const nth = memory.row / group, member = memory.row % group;
    bool const heard = memory.row + 1 < how.down, ends = member == group - 1;
    auto const prefix_of = [&](int n) {
      return columns_at(words.column_prefixes, own.layer * volume_walk::prefixes(how.down) + n, column);
    };
    auto const totals =
        columns_at(words.column_totals, own.layer * volume_walk::totals(how.down) + memory.row, column);
    if (heard && !ends) totals.publish(0, total);
    auto const above =
        fold_of_group(prefix_of(nth - 1), nth > 0, totals, how.across * (width / beside), member, ops);
    if (heard && ends) prefix_of(nth).publish(0, combine(above, total, ops));
    return above;
  }
  /// What is told of these columns of a row of tiles.
  __device__ slots<told> columns_at(std::int64_t first, std::int64_t row, int column) const {
    auto const nth = (row * how.across + memory.column) * (width / beside) + column / beside;
    return {words.at + first + nth * slots<told>::words, words.stamp};
  }
  static __device__ told get_told(T const* columns) {
    told x;
#pragma unroll
    for (int k = 0; k < beside; ++k) put_bytes(x.of[k], columns[k]);
    return x;
  }

  /// One after the other the layers take the results of the one before, and leave theirs.
  __device__ void wait_for_turn(int layer) const {
    scoped_atomic_ref<std::uint32_t, cuda::thread_scope_block> const turn(memory.turn);
    if (threadIdx.x % 32 == 0)
      while (auto const left = static_cast<std::uint32_t>(layer) - turn.load(acquire)) __nanosleep(left * 32);
    __syncwarp();
  }
  __device__ void end_turn(int layer) const {
    scoped_atomic_ref<std::uint32_t, cuda::thread_scope_block> const turn(memory.turn);
    __syncwarp();
    if (threadIdx.x % 32 == 0) turn.store(static_cast<std::uint32_t>(layer + 1), release);
  }

  __device__ void run_layer(int layer) const {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    part const own{memory.layer + layer, lane / lanes_of_row * rows_of_lane, lane % lanes_of_row * V,
                   warps[warp].items.data()};
    load(own, memory.in + layer * grid.layer.in);
    pack last = sum_rows(own);

    // Columns: down the lanes that have them, and down the blocks.
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
#pragma unroll
    for (int by = lanes_of_row; by < 32; by *= 2) {
      pack const before = warp_shfl_up(last, by);
      if (lane >= by) last = ops(before, last);
    }
    optional<pack> above{warp_shfl_up(last, lanes_of_row), lane >= lanes_of_row};
    if (how.down > 1) {
      T* const columns = warps[warp].columns.data();
      if (lane + lanes_of_row >= 32) put_pack(columns + own.column, last);
      __syncwarp();
      if (int const c = lane * beside; c < width) {
        auto const found = above_columns(own, c, get_told(columns + c));
        if (found.present)
#pragma unroll
          for (int k = 0; k < beside; ++k) put_bytes(columns[c + k], found.value.of[k]);
      }
      __syncwarp();
      above = combine(optional<pack>{get_pack<V>(columns + own.column), memory.row > 0}, above, ops);
    }

    // And layers.
    constexpr int together = 4;
    wait_for_turn(layer);
    T* const kept = &memory.kept[own.row * width + own.column];
#pragma unroll
    for (int first = 0; first < rows_of_lane; first += together) {
      pack x[together];
#pragma unroll
      for (int r = 0; r < together; ++r) x[r] = combine(above, get_pack<V>(own.at(first + r)), ops);
      if (layer > 0) {
        pack before[together];
#pragma unroll
        for (int r = 0; r < together; ++r) before[r] = get_pack<V>(kept + (first + r) * width);
#pragma unroll
        for (int r = 0; r < together; ++r) x[r] = ops(before[r], x[r]);
      }
#pragma unroll
      for (int r = 0; r < together; ++r) {
        put_pack(kept + (first + r) * width, x[r]);
        put_pack(own.at(first + r), x[r]);
      }
    }
    end_turn(layer);

    auto const out = memory.out + layer * grid.layer.out;
    if (how.out_words && memory.columns == width) {
      auto to = out + own.column + own.row * grid.row.out;
#pragma unroll 2
      for (int r = 0; r < rows_of_lane; ++r, to += grid.row.out)
        if (own.row + r < memory.rows) store_pack(problem, to, get_pack<V>(own.at(r)));
    } else {
#pragma unroll 2
      for (int k = lane; k < items_of_tile; k += 32)
        if (int const r = k / width, c = k % width; r < memory.rows && c < memory.columns)
          problem.put(out + r * grid.row.out + c * grid.column.out, own.items[k]);
    }
    __syncwarp();
  }

  __device__ void run() const {
    auto const& grid = problem.grid;
    if (threadIdx.x == 0) {  // the others find all of this in shared memory whenever they need it
      auto const of_layer = how.across * how.down;
      auto const claimed = std::int64_t{words.tickets.draw()};
      auto const nth = quotient(claimed, of_layer);
      auto const tile = static_cast<int>(claimed - nth * of_layer);
      auto const volume = grid.planes.place(nth);
      memory.row = tile / how.across;
      memory.column = tile % how.across;
      auto const row = std::int64_t{memory.row} * height, column = std::int64_t{memory.column} * width;
      memory.in = volume.in + row * grid.row.in + column * grid.column.in;
      memory.out = volume.out + row * grid.row.out + column * grid.column.out;
      memory.layer = nth * grid.layers;
      memory.rows = static_cast<int>(min(std::int64_t{height}, grid.rows - row));
      memory.columns = static_cast<int>(min(std::int64_t{width}, grid.columns - column));
      memory.turn = 0;
    }
    __syncthreads();
    int const warps_of_block = static_cast<int>(blockDim.x) / 32;
#pragma unroll 1
    for (int layer = static_cast<int>(threadIdx.x) / 32; layer < grid.layers; layer += warps_of_block)
      run_layer(layer);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
