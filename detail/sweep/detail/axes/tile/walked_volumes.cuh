// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_WALKED_VOLUMES_CUH
#define SWEEP_DETAIL_AXES_TILE_WALKED_VOLUMES_CUH

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/tile_of_warp.cuh>
#include <sweep/detail/axes/tile/told_in_groups.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A scan along the rows, the columns and the layers of volumes that reads and writes each item once. A block
// has the same tile of all layers, walks through these, and keeps the results of the last one in shared
// memory. Row sums come from the tiles on the left and column sums from those above, through memory.

/// How blocks share out volumes.
struct volume_walk {
  int across, down;  ///< tiles of a layer
  plane_access access{};

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

/// A block for a tile of all layers. A warp has every so many of them, so that many are on their way. Where
/// single items come, it asks for those of its next layer before it works on this one.
template <class Problem>
struct walk_of_volume {
  using tile = tile_of_warp<Problem>;
  using T = typename tile::T;
  using pack = typename tile::pack;
  static constexpr int V = tile::V, lanes_of_row = tile::lanes_of_row, width = tile::width,
                       height = tile::height, rows_of_lane = tile::rows_of_lane;
  /// Of its columns a lane hears for so many neighbours.
  static constexpr int beside = std::max(1, width / 32);
  using told = line_pack<T, beside>;
  using told_of_rows = told_in_groups<volume_walk::group, T, true>;
  using told_of_columns = told_in_groups<volume_walk::group, told, true>;

  using of_warp = typename tile::shared;
  /// A layer's results are taken in so many parts, so that the one behind it need not wait for all of them.
  static constexpr int parts = 4, rows_of_part = rows_of_lane / parts;

  struct of_block {
    alignas(16) uninitialized<T, tile::items_of_tile> kept;  ///< the results of the last layer
    std::uint32_t turn[parts];                               ///< the layer that may take each part of them
    std::int64_t in, out, layer;  ///< of the first layer, the tile's items and its number among all
    int row, column;              ///< of the tile, in its layer
    int rows, columns;            ///< it has
  };
  static constexpr int most_warps =
      std::clamp(static_cast<int>(200 * 1024 / sizeof(of_warp)), 1, sizeof(T) <= 4 ? 16 : 12);
  static constexpr std::size_t shared_bytes(int warps) { return sizeof(of_block) + warps * sizeof(of_warp); }

  Problem const& problem;
  of_block& memory;
  of_warp* warps;
  volume_words const& words;
  volume_walk const& how;

  /// What a warp works on.
  struct part {
    tile of_warp;
    int layer;      ///< of its volume
    bool in_words;  ///< its items
  };
  __device__ std::int64_t in_of(int layer) const { return memory.in + layer * problem.grid.layer.in; }

  /// Along the rows, in a lane, along the lanes and along the blocks, and then down a lane's rows.
  __device__ void sum_rows(part& own, pack (&x)[rows_of_lane]) const {
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
        row = own.of_warp.get(first + k, own.in_words, in_of(own.layer), memory.rows - 1);
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
    __syncwarp();
    auto const layer = own.layer;
    if (int const next = own.layer + static_cast<int>(blockDim.x / 32);
        !own.of_warp.are_vectors(memory.columns) && next < problem.grid.layers)
      own.in_words = own.of_warp.ask_for_items(in_of(next), memory.rows, memory.columns);
    optional<T> before{};
    if (how.across > 1) {
      if (of_row < rows_of_lane) before = left_of(layer).template exchange<2, 200>(total, op);
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
  __device__ auto left_of(int layer) const {
    int const row = tile::row_of_lane() + static_cast<int>(threadIdx.x) % lanes_of_row;
    auto const band = (memory.layer + layer) * how.down + memory.row;
    auto const from = [&](std::int64_t first, std::int64_t tile) {
      return slots<T>{words.at + first + (tile * height + row) * slots<T>::words, words.stamp};
    };
    return told_of_rows{from(0, band * how.rows_tell() + memory.column), height, memory.column, how.across,
                        from(words.row_groups, band * how.row_groups_tell() + memory.column / how.group)};
  }
  __device__ auto above_of(int layer) const {
    int const column = static_cast<int>(threadIdx.x) % 32 * beside;
    constexpr int of_tile = width / beside;
    auto const from = [&](std::int64_t first, std::int64_t row) {
      auto const tile = row * how.across + memory.column;
      return slots<told>{words.at + first + (tile * of_tile + column / beside) * slots<told>::words,
                         words.stamp};
    };
    return told_of_columns{from(words.columns, (memory.layer + layer) * how.columns_tell() + memory.row),
                           how.across * of_tile, memory.row, how.down,
                           from(words.column_groups,
                                (memory.layer + layer) * how.column_groups_tell() + memory.row / how.group)};
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

  __device__ void run_layer(part& own) const {
    auto const& grid = problem.grid;
    int const lane = tile::lane(), layer = own.layer;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    each_of_pack<decltype(op), beside> told_ops{op};
    bool const tells_columns = lane * beside < width;

    left_of(layer).fetch();
    if (tells_columns) above_of(layer).fetch();
    if (own.of_warp.are_vectors(memory.columns)) own.of_warp.ask_for_vectors(in_of(layer), memory.rows);
    own.of_warp.await();
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
      T* const columns = own.of_warp.memory.columns.data();
      if (lane + lanes_of_row >= 32) put_pack(columns + tile::column_of_lane(), last);
      __syncwarp();
      if (tells_columns) {
        int const c = lane * beside;
        auto const found = above_of(layer).template exchange<1, 200>(get_told(columns + c), told_ops);
        if (found.present)
#pragma unroll
          for (int k = 0; k < beside; ++k) put_bytes(columns[c + k], found.value.of[k]);
      }
      __syncwarp();
      above =
          combine(optional<pack>{get_pack<V>(columns + tile::column_of_lane()), memory.row > 0}, above, ops);
    }

    // And layers.
#pragma unroll
    for (int r = 0; r < rows_of_lane; ++r) x[r] = combine(above, x[r], ops);
    T* const kept = &memory.kept[tile::row_of_lane() * width + tile::column_of_lane()];
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

    own.of_warp.put(x, memory.out + layer * grid.layer.out, memory.rows, memory.columns);
  }

  __device__ void run() const {
    auto const& grid = problem.grid;
    if (threadIdx.x == 0) {  // the others find all of this in shared memory whenever they need it
      auto const of_layer = how.across * how.down;
      auto const claimed = std::int64_t{words.tickets.draw()};
      auto const nth = quotient(claimed, of_layer);
      auto const in_layer = static_cast<int>(claimed - nth * of_layer);
      auto const volume = grid.planes.place(nth);
      memory.row = in_layer / how.across;
      memory.column = in_layer % how.across;
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
    int const warp = static_cast<int>(threadIdx.x / 32), warps_of_block = static_cast<int>(blockDim.x / 32);
    part own{{problem, how.access, warps[warp]}, warp, false};
    if (!own.of_warp.are_vectors(memory.columns) && warp < grid.layers)
      own.in_words = own.of_warp.ask_for_items(in_of(warp), memory.rows, memory.columns);
#pragma unroll 1
    for (; own.layer < grid.layers; own.layer += warps_of_block) run_layer(own);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
