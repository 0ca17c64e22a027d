// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_TILE_OF_WARP_CUH
#define SWEEP_DETAIL_AXES_TILE_TILE_OF_WARP_CUH

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// How items come to shared memory, and results leave.
struct plane_access {
  bool in_vectors, out_vectors;  ///< neighbouring columns are vectors in memory
  bool in_items;                 ///< items stand on boundaries of their size
  std::uintptr_t from, to;  ///< the bytes of the array, where columns of narrow items are neighbours in it
};

/// A tile of a plane that a warp has to itself: lanes have V neighbouring columns of some rows, 16 of them
/// those of a row. Its items can be asked for, into shared memory, while the warp works on another.
template <class Problem>
struct tile_of_warp {
  using T = typename Problem::value;
  using raw = typename Problem::raw;
  static constexpr int V = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;
  static constexpr int lanes_of_row = 16, width = lanes_of_row * V, rows_of_lane = 16,
                       height = rows_of_lane * (32 / lanes_of_row), items_of_tile = height * width;
  using pack = line_pack<T, V>;

  /// In shared memory items are as they were read, where they can be, but for narrow ones, which are values
  /// there unless they come in words.
  static constexpr bool keeps_raw = relocatable<raw> && sizeof(raw) >= 4 && sizeof(raw) <= sizeof(T);
  using kept = std::conditional_t<keeps_raw, raw, T>;
  static constexpr bool of_memory = std::is_pointer_v<decltype(Problem::in)> && relocatable<raw> &&
                                    fills_words<raw> && sizeof(raw) <= sizeof(T);
  /// Such come in words of 4 bytes, wherever rows begin, and are shifted when they are taken out.
  static constexpr bool comes_in_words = of_memory && sizeof(raw) < 4;
  static constexpr int vector_bytes = V * static_cast<int>(sizeof(raw));
  static constexpr bool in_vectors =
      of_memory && pack_as_read<V, Problem>::in_words &&
      (comes_in_words || vector_bytes == 4 || vector_bytes == 8 || vector_bytes == 16);
  static constexpr int row_bytes = width * static_cast<int>(sizeof(kept)),
                       row_of_words = width * static_cast<int>(sizeof(raw)) + 4;  ///< its bytes
  /// Results that are no vectors in memory leave so many rows of each lane at a time.
  static constexpr int rows_at_once = 4, groups = 32 / lanes_of_row, rows_of_stage = rows_at_once * groups;
  /// Neighbours that are no vectors in memory are taken by neighbouring lanes, of so many rows at a time.
  static constexpr int lanes_beside = std::min(32, width), rows_beside = 32 / lanes_beside;

  struct shared {
    // Words are read in pairs.
    alignas(
        16) unsigned char items[std::max(height * row_bytes, comes_in_words ? height* row_of_words + 4 : 0)];
    alignas(16) uninitialized<T, rows_of_stage * width> stage;
    alignas(16) uninitialized<T, width> columns;
  };

  Problem const& problem;
  plane_access const& how;
  shared& memory;

  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }
  static __device__ int row_of_lane() { return lane() / lanes_of_row * rows_of_lane; }
  static __device__ int column_of_lane() { return lane() % lanes_of_row * V; }

  /// Whether the items of a tile come in words: all of these must be in the array.
  __device__ bool in_words(std::int64_t in, int rows, int columns) const {
    if constexpr (comes_in_words) {
      if (how.from == how.to || columns < width) return false;
      auto const other = in + (rows - 1) * problem.grid.row.in;
      auto const first = reinterpret_cast<std::uintptr_t>(problem.in + min(in, other)),
                 last = reinterpret_cast<std::uintptr_t>(problem.in + max(in, other) + width);
      return first - first % 4 >= how.from && last + 4 <= how.to;
    }
    return false;
  }
  /// Which byte of its first word row r begins with.
  __device__ unsigned first_byte(std::int64_t in, int r) const {
    auto const at =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(problem.in)) +
        static_cast<std::uint32_t>(in + r * problem.grid.row.in) * static_cast<std::uint32_t>(sizeof(raw));
    return at % 4;
  }

  __device__ kept* place(int r, int c) const {
    return reinterpret_cast<kept*>(memory.items + r * row_bytes) + c;
  }

  // What is missing of a tile is taken from the last row and column there are: no sum that is written has it,
  // and the operator sees nothing but items.

  /// Whether the items of a tile of so many columns are vectors in memory, and those of which so many rows
  /// exist, asked for.
  __device__ bool are_vectors(int columns) const { return in_vectors && how.in_vectors && columns == width; }
  __device__ void ask_for_vectors(std::int64_t in, int rows) const {
    if constexpr (in_vectors) {
      auto const& grid = problem.grid;
      int const row = row_of_lane(), column = column_of_lane(), last_row = rows - 1;
      auto at = in + column + min(row, last_row) * grid.row.in;
      auto const next = [&](int r) {
        auto const here = at;
        at += row + r < last_row ? grid.row.in : 0;
        return here;
      };
      if constexpr (comes_in_words) {
        pack_as_read<V, Problem> read[rows_of_lane];
#pragma unroll
        for (int r = 0; r < rows_of_lane; ++r) read[r].load(problem, next(r));
#pragma unroll
        for (int r = 0; r < rows_of_lane; ++r) put_pack(place(row + r, column), read[r].values(problem));
      } else {
#pragma unroll
        for (int r = 0; r < rows_of_lane; ++r) {
          if constexpr (vector_bytes == 16)
            copy_16_bytes_async_alone(place(row + r, column), problem.in + next(r));
          else copy_async<vector_bytes>(place(row + r, column), problem.in + next(r));
        }
      }
    }
  }
  /// The same of others. Whether they come in words.
  __device__ bool ask_for_items(std::int64_t in, int rows, int columns) const {
    auto const& grid = problem.grid;
    int const last_row = rows - 1, last_column = columns - 1;
    if constexpr (comes_in_words) {
      if (in_words(in, rows, columns)) {
        constexpr int words = row_of_words / 4, all = height * words, each = (all + 31) / 32;
#pragma unroll 6
        for (int k = 0; k < each; ++k) {
          int const nth = lane() + 32 * k, r = nth / words, w = nth - r * words;
          if (all % 32 != 0 && nth >= all) break;
          auto const at =
              reinterpret_cast<std::uintptr_t>(problem.in + (in + min(r, last_row) * grid.row.in));
          copy_async<4>(memory.items + 4 * nth, reinterpret_cast<void const*>(at - at % 4 + 4 * w));
        }
        return true;
      }
    } else if constexpr (of_memory && sizeof(raw) >= 4) {
      if (how.in_items) {
        int const own = lane() / lanes_beside, c = lane() % lanes_beside;
        auto const step = rows_beside * grid.row.in;
        auto at = in + min(own, last_row) * grid.row.in;
#pragma unroll 2
        for (int r = own; r < height; r += rows_beside) {
#pragma unroll
          for (int first = 0; first < width; first += lanes_beside)
            copy_async<static_cast<int>(sizeof(raw))>(
                place(r, first + c), problem.in + (at + min(first + c, last_column) * grid.column.in));
          if (r + rows_beside <= last_row) at += step;
        }
        return false;
      }
    }
    constexpr int together = 2;
#pragma unroll 1
    for (int first = lane(); first < items_of_tile; first += 32 * together) {
      pack_as_read<1, Problem> read[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        int const r = min((first + 32 * k) / width, last_row), c = min((first + 32 * k) % width, last_column);
        read[k].load(problem, in + r * grid.row.in + c * grid.column.in);
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
        auto* const to = place((first + 32 * k) / width, (first + 32 * k) % width);
        if constexpr (keeps_raw) put_bytes(*to, read[k].items.of[0]);
        else put_bytes(*to, read[k].values(problem).of[0]);
      }
    }
    return false;
  }
  /// What was asked for has come.
  __device__ void await() const {
    await_async_copies();
    __syncwarp();
  }

  /// This lane's items of row r of its own.
  __device__ pack get(int r, [[maybe_unused]] bool words, [[maybe_unused]] std::int64_t in,
                      [[maybe_unused]] int last_row) const {
    int const row = row_of_lane() + r;
    pack x;
    if constexpr (comes_in_words)
      if (words) {
        constexpr int count = (vector_bytes + 3) / 4;
        unsigned const at = static_cast<unsigned>(column_of_lane() * static_cast<int>(sizeof(raw))) +
                            first_byte(in, min(row, last_row));
        auto const* const from =
            reinterpret_cast<unsigned const*>(memory.items + row * row_of_words + at / 4 * 4);
        unsigned word[count + 1];
#pragma unroll
        for (int w = 0; w <= count; ++w) word[w] = from[w];
        item_vector<raw, V> vector;
#pragma unroll
        for (int w = 0; w < count; ++w) vector.word[w] = __funnelshift_r(word[w], word[w + 1], at * 8);
        raw own[V];
        vector.unpack_numbers(own);
#pragma unroll
        for (int v = 0; v < V; ++v) x.of[v] = problem.of(own[v]);
        return x;
      }
    auto const own = get_pack<V>(static_cast<kept const*>(place(row, column_of_lane())));
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if constexpr (keeps_raw) x.of[v] = problem.of(own.of[v]);
      else x.of[v] = own.of[v];
    }
    return x;
  }

  /// Writes what a tile's rows and columns have come to.
  __device__ void put(pack const (&x)[rows_of_lane], std::int64_t out, int rows, int columns) const {
    auto const& grid = problem.grid;
    if (how.out_vectors && columns == width) {
      auto to = out + column_of_lane() + row_of_lane() * grid.row.out;
#pragma unroll
      for (int r = 0; r < rows_of_lane; ++r, to += grid.row.out)
        if (row_of_lane() + r < rows) store_pack(problem, to, x[r]);
      return;
    }
    T* const stage = memory.stage.data();
#pragma unroll
    for (int first = 0; first < rows_of_lane; first += rows_at_once) {
      __syncwarp();
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r)
        put_pack(stage + (r * groups + lane() / lanes_of_row) * width + column_of_lane(), x[first + r]);
      __syncwarp();
      int const own = lane() / lanes_beside, c = lane() % lanes_beside;
#pragma unroll 1
      for (int k = 0; k < rows_at_once; ++k) {
        int r = own * rows_of_lane + first + k;
        auto at = out + c * grid.column.out + r * grid.row.out;
        T const* from = stage + (k * groups + own) * width + c;
#pragma unroll
        for (int g = 0; g < groups; g += rows_beside) {
#pragma unroll
          for (int beside = 0; beside < width; beside += lanes_beside)
            if (r < rows && beside + c < columns) problem.put(at + beside * grid.column.out, from[beside]);
          r += rows_beside * rows_of_lane;
          at += rows_beside * rows_of_lane * grid.row.out;
          from += rows_beside * width;
        }
      }
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
