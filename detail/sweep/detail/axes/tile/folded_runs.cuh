// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_FOLDED_RUNS_CUH
#define SWEEP_DETAIL_AXES_TILE_FOLDED_RUNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/folded_lines.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/optional.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Short lines that lie one behind the other in memory, each of which is one chain, by a warp: its run of
/// memory comes as it lies, in words of 16 bytes by asynchronous copies, and each lane folds one line after
/// the other, every 32nd, in shared memory. So whole sectors are read, all of a warp's at once, however few
/// bytes a line has.
template <class Problem>
struct folded_runs {
  using T = typename Problem::value;
  using raw = typename Problem::in_memory;
  static constexpr bool possible = folded_lines<Problem>::possible;
  static constexpr int size = static_cast<int>(sizeof(raw)), V = possible ? 16 / size : 1;
  static constexpr bool narrow = size < 4;
  /// Bytes of a line at most: longer ones of plain items come at memory's rate as runs of a block's. And
  /// those that a warp wants on their way, fewer where they are made into wider results.
  static constexpr int longest = Problem::makes_of_memory || narrow ? 256 : 56,
                       wanted = Problem::makes_of_memory ? 1536 : 4096, warps = 4, threads = 32 * warps;

  int length, lines_of_lane;

  static bool are_worth(Problem const& problem) {
    auto const& grid = problem.grid;
    return grid.length > 0 && grid.axes == 1 && leading(grid.in) == 1 &&
           leading(grid.across[0].stride.in) == grid.length && on_items(problem.memory()) &&
           grid.length * size <= longest;
  }
  static folded_runs of(std::int64_t length) {
    auto const bytes = 32 * length * size;
    return {static_cast<int>(length), static_cast<int>(std::clamp<std::int64_t>(wanted / bytes, 1, 16))};
  }
  SWEEP_HD constexpr int lines() const { return 32 * lines_of_lane; }  ///< of a warp
  /// Bytes of shared memory of a warp. Behind every 128 bytes a word is left out, so that lines that are a
  /// power of two apart begin in different banks.
  SWEEP_HD constexpr int bytes_of_warp() const { return skewed_byte(lines() * length * size + 32) / 16 * 16; }
  static SWEEP_HD constexpr int skewed_byte(int b) { return b + (b >> 7 << 4); }
  /// Of the longest lines, or of as many as a warp wants.
  static constexpr int most_bytes_of_warp = skewed_byte(std::max(32 * longest, wanted) + 32) / 16 * 16;

  __device__ void run(Problem const& problem, unsigned char* memory, bytes_of_array const& array,
                      std::int64_t line0) const {
    auto const& grid = problem.grid;
    int const lane = static_cast<int>(threadIdx.x) % 32,
              there = static_cast<int>(min(grid.lines - line0, std::int64_t{lines()}));
    auto const first = grid.place(line0);
    auto const begin = reinterpret_cast<std::uintptr_t>(problem.memory() + leading(first.in));
    int const shift = static_cast<int>(begin % 16);
    {
      int const all = shift + there * length * size;
      auto const from = begin - static_cast<unsigned>(shift);
#pragma unroll 4
      for (int at = 16 * lane; at < all; at += 512) {
        auto* const to = memory + skewed_byte(at);
        auto const place = from + static_cast<unsigned>(at);
        if (place >= array.from && place + 16 <= array.to) {
          copy_16_bytes_async(to, reinterpret_cast<void const*>(place));
        } else {
          for (unsigned b = 0; b < 16; ++b)
            if (place + b >= array.from && place + b < array.to)
              to[b] = reinterpret_cast<unsigned char const*>(place)[b];
        }
      }
    }
    await_async_copies();
    __syncwarp();
    bool const in_words = V > 1 && shift == 0 && length % V == 0;
#pragma unroll 1
    for (int nth = lane; nth < there; nth += 32) {
      auto op = problem.op;
      auto const at = grid.place(line0 + nth);
      auto sum = problem.before_line(at);
      auto next = at.in;
      auto const fold = [&](raw const& x) {
        sum = {combine(sum, problem.of_read(x, next), op), true};
        next += grid.in;
      };
      int place = shift + nth * length * size;
      if (in_words) {
#pragma unroll 2
        for (int k = 0; k < length; k += V, place += 16) {
          item_vector<raw, V> vector;
          load_shared(memory + skewed_byte(place), vector);
          raw x[V];
          vector.unpack_numbers(x);
#pragma unroll
          for (int v = 0; v < V; ++v) fold(x[v]);
        }
      } else if constexpr (narrow) {
        fold_narrow(memory, place, fold);
      } else {
#pragma unroll 4
        for (int k = 0; k < length; ++k, place += size) {
          raw x;
          put_bytes(x, get_one(reinterpret_cast<raw const*>(memory + skewed_byte(place))));
          fold(x);
        }
      }
      problem.put(at.out, sum.value);
    }
  }

 private:
  /// Narrow items of a line from a place on, by the words of 4 bytes that they are in.
  template <class Fold>
  __device__ void fold_narrow(unsigned char const* memory, int place, Fold const& fold) const {
    constexpr int each = 4 / size;
    auto const word = [&](int at) { return *reinterpret_cast<unsigned const*>(memory + skewed_byte(at)); };
    auto const by = static_cast<unsigned>(place) * 8;
    int at = place & ~3;
    unsigned low = word(at);
    auto const take = [&](int count) {
      at += 4;
      unsigned const high = word(at);
      item_vector<raw, each> vector;
      vector.word[0] = __funnelshift_r(low, high, by);
      low = high;
      raw x[each];
      vector.unpack_numbers(x);
#pragma unroll
      for (int v = 0; v < each; ++v)
        if (v < count) fold(x[v]);
    };
    int left = length;
#pragma unroll 4
    for (; left >= each; left -= each) take(each);
    if (left > 0) take(left);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
