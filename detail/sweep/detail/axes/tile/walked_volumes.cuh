// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_WALKED_VOLUMES_CUH
#define SWEEP_DETAIL_AXES_TILE_WALKED_VOLUMES_CUH

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/told_in_groups.cuh>
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

  static constexpr int group = 4;  ///< tiles that tell each other folds of their own
  /// Of the last in either direction nobody hears.
  SWEEP_HD int rows_tell() const { return across - 1; }
  SWEEP_HD int columns_tell() const { return down - 1; }
  SWEEP_HD int row_groups_tell() const { return (across - 1) / group; }
  SWEEP_HD int column_groups_tell() const { return (down - 1) / group; }
};

/// What the blocks of one launch tell each other of their tiles' rows and columns, and then what the last of
/// a group tells of those.
struct volume_words {
  std::uint64_t* at = nullptr;
  std::uint32_t stamp = 0;
  ticket_counter tickets{};
  std::int64_t columns = 0, row_groups = 0, column_groups = 0;  ///< where their words begin
};

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
  using told_of_rows = told_in_groups<volume_walk::group, T, true>;
  using told_of_columns = told_in_groups<volume_walk::group, told, true>;

  static constexpr int most_warps = sizeof(T) <= 4 ? 16 : 12;
  /// A layer's results are taken in so many parts, so that the one behind it need not wait for all of them.
  static constexpr int parts = 4, rows_of_part = rows_of_lane / parts;

  struct of_block {
    alignas(16) uninitialized<T, items_of_tile> kept;  ///< the results of the last layer
    std::uint32_t turn[parts];                         ///< the layer that may take each part of them
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
    int layer;        ///< of its volume
    int row, column;  ///< of this lane, its first
    T* items;         ///< the tile's

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
  }

  /// Along the rows, in a lane, along the lanes and along the blocks, and then down a lane's rows.
  __device__ void sum_rows(part const& own, pack (&x)[rows_of_lane]) const {
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const lane = static_cast<int>(threadIdx.x) % 32, of_row = lane % lanes_of_row;
    T total{};
    constexpr int together = 4;  // rows side by side: each step of a scan waits for the one before it
#pragma unroll
    for (int first = 0; first < rows_of_lane; first += together) {
      T left[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        pack& row = x[first + k];
        row = get_pack<V>(own.at(first + k));
#pragma unroll
        for (int v = 1; v < V; ++v) row.of[v] = op(row.of[v - 1], row.of[v]);
        left[k] = row.of[V - 1];
      }
#pragma unroll
      for (int by = 1; by < lanes_of_row; by *= 2)
#pragma unroll
        for (int k = 0; k < together; ++k) {
          T const before = warp_shfl_up(left[k], by);
          if (of_row >= by) left[k] = op(before, left[k]);
        }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        T const all = warp_shfl(left[k], lane | (lanes_of_row - 1));
        if (of_row == first + k) total = all;
        left[k] = warp_shfl_up(left[k], 1);
        if (of_row > 0)
#pragma unroll
          for (int v = 0; v < V; ++v) x[first + k].of[v] = op(left[k], x[first + k].of[v]);
      }
    }
    optional<T> before{};
    if (how.across > 1) {
      if (of_row < rows_of_lane) before = left_of(own).template exchange<2, 200>(total, op);
      __syncwarp();
    }
    bool const follows = memory.column > 0;
#pragma unroll
    for (int r = 0; r < rows_of_lane; ++r) {
      if (follows) {
        T const left = warp_shfl(before.value, lane - of_row + r);
#pragma unroll
        for (int v = 0; v < V; ++v) x[r].of[v] = op(left, x[r].of[v]);
      }
      if (r > 0) x[r] = ops(x[r - 1], x[r]);
    }
  }

  /// What a row has on the left and columns have above, in other blocks.
  __device__ auto left_of(part const& own) const {
    int const row = own.row + static_cast<int>(threadIdx.x) % lanes_of_row;
    auto const band = (memory.layer + own.layer) * how.down + memory.row;
    auto const from = [&](std::int64_t first, std::int64_t tile) {
      return slots<T>{words.at + first + (tile * height + row) * slots<T>::words, words.stamp};
    };
    return told_of_rows{from(0, band * how.rows_tell() + memory.column), height, memory.column, how.across,
                        from(words.row_groups, band * how.row_groups_tell() + memory.column / how.group)};
  }
  __device__ auto above_of(part const& own) const {
    int const column = static_cast<int>(threadIdx.x) % 32 * beside;
    constexpr int of_tile = width / beside;
    auto const layer = memory.layer + own.layer;
    auto const from = [&](std::int64_t first, std::int64_t row) {
      auto const tile = row * how.across + memory.column;
      return slots<told>{words.at + first + (tile * of_tile + column / beside) * slots<told>::words,
                         words.stamp};
    };
    return told_of_columns{
        from(words.columns, layer * how.columns_tell() + memory.row), how.across * of_tile, memory.row,
        how.down, from(words.column_groups, layer * how.column_groups_tell() + memory.row / how.group)};
  }
  static __device__ told get_told(T const* columns) {
    told x;
#pragma unroll
    for (int k = 0; k < beside; ++k) put_bytes(x.of[k], columns[k]);
    return x;
  }

  /// One after the other the layers take the results of the one before, and leave theirs.
  __device__ void wait_for_turn(int layer, int part) const {
    scoped_atomic_ref<std::uint32_t, cuda::thread_scope_block> const turn(memory.turn[part]);
    if (threadIdx.x % 32 == 0)
      while (auto const left = static_cast<std::uint32_t>(layer) - turn.load(acquire)) __nanosleep(left * 32);
    __syncwarp();
  }
  __device__ void end_turn(int layer, int part) const {
    scoped_atomic_ref<std::uint32_t, cuda::thread_scope_block> const turn(memory.turn[part]);
    __syncwarp();
    if (threadIdx.x % 32 == 0) turn.store(static_cast<std::uint32_t>(layer + 1), release);
  }

  __device__ void run_layer(int layer) const {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x / 32);
    part const own{layer, lane / lanes_of_row * rows_of_lane, lane % lanes_of_row * V,
                   warps[warp].items.data()};
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    each_of_pack<decltype(op), beside> told_ops{op};
    bool const tells_columns = lane * beside < width;

    left_of(own).fetch();
    if (tells_columns) above_of(own).fetch();
    load(own, memory.in + layer * grid.layer.in);
    await_async_copies();
    __syncwarp();
    pack x[rows_of_lane];
    sum_rows(own, x);

    // Columns: down the lanes that have them, and down the blocks.
    pack last = x[rows_of_lane - 1];
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
      if (tells_columns) {
        int const c = lane * beside;
        auto const found = above_of(own).template exchange<1, 200>(get_told(columns + c), told_ops);
        if (found.present)
#pragma unroll
          for (int k = 0; k < beside; ++k) put_bytes(columns[c + k], found.value.of[k]);
      }
      __syncwarp();
      above = combine(optional<pack>{get_pack<V>(columns + own.column), memory.row > 0}, above, ops);
    }

    // And layers.
#pragma unroll
    for (int r = 0; r < rows_of_lane; ++r) x[r] = combine(above, x[r], ops);
    T* const kept = &memory.kept[own.row * width + own.column];
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      int const first = part * rows_of_part;
      wait_for_turn(layer, part);
      if (layer > 0) {
        pack before[rows_of_part];
#pragma unroll
        for (int k = 0; k < rows_of_part; ++k) before[k] = get_pack<V>(kept + (first + k) * width);
#pragma unroll
        for (int k = 0; k < rows_of_part; ++k) x[first + k] = ops(before[k], x[first + k]);
      }
#pragma unroll
      for (int k = 0; k < rows_of_part; ++k) put_pack(kept + (first + k) * width, x[first + k]);
      end_turn(layer, part);
    }

    auto const out = memory.out + layer * grid.layer.out;
    if (how.out_words && memory.columns == width) {
      auto to = out + own.column + own.row * grid.row.out;
#pragma unroll
      for (int r = 0; r < rows_of_lane; ++r, to += grid.row.out)
        if (own.row + r < memory.rows) store_pack(problem, to, x[r]);
    } else {
#pragma unroll
      for (int r = 0; r < rows_of_lane; ++r) put_pack(own.at(r), x[r]);
      __syncwarp();
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
#pragma unroll
      for (auto& turn : memory.turn) turn = 0;
    }
    __syncthreads();
    int const warps_of_block = static_cast<int>(blockDim.x / 32);
#pragma unroll 1
    for (int layer = static_cast<int>(threadIdx.x / 32); layer < grid.layers; layer += warps_of_block)
      run_layer(layer);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
