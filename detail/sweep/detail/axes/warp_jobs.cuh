// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_WARP_JOBS_CUH
#define SWEEP_DETAIL_AXES_WARP_JOBS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/folded_lines.cuh>
#include <sweep/detail/axes/tile/folded_runs.cuh>
#include <sweep/detail/axes/tile/gathered_lines.cuh>
#include <sweep/detail/axes/tile/windows.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Jobs whose blocks are warps that work alone, each on some lines that are one chain each.

/// A warp for so many lines that lie along the axis. Its tile is told where they lie.
template <class Problem, class Tile, class Where, int Blocks, int Warps = 4, int Lines = 32>
struct lines_of_warps_job {
  using tile = Tile;
  static constexpr int warps = Warps, threads = 32 * warps, blocks = Blocks;
  Problem problem;
  Where where;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory[warps];
    int const own = static_cast<int>(threadIdx.x) / 32;
    auto const line = (std::int64_t{blockIdx.x} * warps + own) * Lines;
    if (line < problem.grid.lines) tile{problem, memory[own], where, line}.run();
  }
};
template <class Problem>
using march_windows_job = lines_of_warps_job<Problem, line_window<Problem>, line_layout,
                                             sizeof(typename Problem::value) <= 4 ? 4 : 3>;
/// Of lines that are folded, and whose items are neighbours in memory.
template <class Problem>
using fold_lines_job = lines_of_warps_job<Problem, folded_lines<Problem>, bytes_of_array, 8>;

/// Of short lines that lie one behind the other.
template <class Problem>
struct fold_runs_job {
  using tile = folded_runs<Problem>;
  static constexpr int threads = tile::threads, blocks = 8;
  static constexpr std::size_t dynamic_bytes(int) { return tile::warps * tile::most_bytes_of_warp; }
  Problem problem;
  tile runs;
  bytes_of_array array;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    int const warp = static_cast<int>(threadIdx.x) / 32;
    auto const line = (std::int64_t{blockIdx.x} * tile::warps + warp) * runs.lines();
    if (line < problem.grid.lines) runs.run(problem, memory + warp * runs.bytes_of_warp(), array, line);
  }
};

/// A block for short lines that lie along the axis, wherever each of them does.
template <class Problem>
struct gather_lines_job {
  using tile = gathered_lines<Problem>;
  static constexpr bool has_one_place =
      arrays_of_place<typename Problem::in_place> == 1 && arrays_of_place<typename Problem::out_place> == 1;
  static constexpr int threads = tile::threads,
                       blocks =
                           has_one_place && !Problem::looks && sizeof(typename Problem::value) <= 8 ? 8 : 5;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const line = std::int64_t{blockIdx.x} * tile::lines(static_cast<int>(problem.grid.length));
    tile::run(problem, *reinterpret_cast<typename tile::shared*>(memory), line);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
