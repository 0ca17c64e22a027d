// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_JOBS_CUH
#define SWEEP_DETAIL_AXES_JOBS_CUH

#include <sweep/detail/axes/narrow_jobs.cuh>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/chunks.cuh>
#include <sweep/detail/axes/tile/columns.cuh>
#include <sweep/detail/axes/tile/dense_rows.cuh>
#include <sweep/detail/axes/tile/fold_totals.cuh>
#include <sweep/detail/axes/tile/folded_columns.cuh>
#include <sweep/detail/axes/tile/lines_of_run.cuh>
#include <sweep/detail/axes/tile/marched_columns.cuh>
#include <sweep/detail/axes/tile/rows.cuh>
#include <sweep/detail/axes/tile/short_lines.cuh>
#include <sweep/detail/axes/tile/staged_lines.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/window_of_columns.cuh>
#include <sweep/detail/axes/tile/windows.cuh>
#include <sweep/detail/axes/warp_jobs.cuh>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/runtime/launch_state.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Of lines that are one chain each, and of lines that are cut into chunks, there is a kernel for those that
// lie along the axis, and one for those across which neighbours lie; another where these fill words of 16
// bytes (packs), where a few lines are all that lies side by side (rows), and where rows of narrow items
// begin anywhere (words).

/// A thread for V neighbouring lines.
template <class Problem, int V>
struct march_packs_job {
  static constexpr int threads = 128, blocks = sizeof(typename Problem::value) * V <= 8 ? 7 : 4;
  Problem problem;

  __device__ void operator()() const {
    auto const line = (std::int64_t{blockIdx.x} * threads + threadIdx.x) * V;
    if (line < problem.grid.lines) march_lines<V>(problem, line, [](auto const&) { return true; });
  }
};

/// A warp for a window of 32 lines, a lane a line. Of short ones, whose lanes have few items on their way,
/// there are more at once.
template <class Problem, bool Short = false>
struct march_columns_job {
  static constexpr int size = static_cast<int>(sizeof(typename Problem::value)), threads = 128,
                       short_batch = 8, longest_short = size <= 4 ? 2 * short_batch : short_batch,
                       blocks = Short        ? (size <= 4 ? 12 : 9)
                                : size <= 8  ? 7
                                : size <= 16 ? 4
                                             : 2;
  /// Whether short lines have such a kernel: those of single numbers that are folded.
  static constexpr bool possible = Problem::what == line_result::total && size >= 4 && size <= 8 &&
                                   std::is_arithmetic_v<typename Problem::value>;
  Problem problem;
  column_windows windows;

  __device__ void operator()() const {
    auto const window = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / 32;
    if (window >= windows.count()) return;
    auto const column = windows.of(window, static_cast<int>(threadIdx.x) % 32);
    march_lines<1, Short ? short_batch : 0>(problem, column.of(static_cast<int>(threadIdx.x) % 32),
                                            [&](auto const& at) { return column.writes(problem.out, at); });
  }
};

/// A block for 256 lines, across which rows begin anywhere in sectors.
template <class Problem>
struct march_blocks_job {
  using tile = lines_of_block<Problem>;
  static constexpr int threads = tile::most_threads, blocks = 4;
  Problem problem;
  int sector;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    tile::run(problem, memory, sector, blockIdx.x);
  }
};

/// A block for all lines of a row, where rows lie one behind the other.
template <class Problem>
struct march_rows_job {
  using tile = rows_of_block<Problem>;
  static constexpr int threads = tile::most_lines, blocks = 2;  // of 48 registers a thread
  static constexpr std::size_t dynamic_bytes(int) { return tile::shared_bytes(tile::most_lines); }
  Problem problem;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    tile::run(problem, reinterpret_cast<typename tile::U*>(memory), blockIdx.x);
  }
};

/// A block for some whole lines that are one run in memory.
template <class Problem>
struct march_runs_job {
  using tile = lines_of_run<Problem>;
  static constexpr int threads = tile::threads, blocks = sizeof(typename Problem::value) <= 16 ? 7 : 4;
  static constexpr std::size_t dynamic_bytes(int) { return tile::most_bytes; }
  Problem problem;
  tile lines;
  int of_block;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const line = std::int64_t{blockIdx.x} * of_block;
    lines.run(problem, reinterpret_cast<typename Problem::value*>(memory), line,
              static_cast<int>(min(std::int64_t{of_block}, problem.grid.lines - line)));
  }
};

/// A block for some neighbouring short lines.
template <class Problem>
struct march_short_job {
  using tile = short_lines<Problem>;
  static constexpr int threads = tile::threads, blocks = 5;
  static constexpr std::size_t dynamic_bytes(int) { return tile::most_bytes; }
  Problem problem;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    tile::run(problem, reinterpret_cast<typename Problem::value*>(memory), blockIdx.x);
  }
};

/// A block for some chunks of some packs of V lines: of 8 packs, or of 4 where these are 64 bytes of two
/// arrays that are read side by side.
template <class Problem, int V, int Packs, wait_in Where = wait_in::registers>
struct split_packs_job {
  using tile = chunk_of_columns<Problem, V, Packs, Where>;
  static constexpr int threads = tile::threads,
                       blocks = Packs == 4 ? 4
                                : tile::as_read && Where != wait_in::both && tile::bytes_in_registers <= 128
                                    ? 3
                                    : 2;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;
  column_windows windows;

  static int threads_for(decltype(Problem::grid) const& grid) { return tile::threads_of(grid.length); }
  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char bytes[];
    auto& memory = *reinterpret_cast<typename tile::shared*>(bytes);
    auto const claimed = order.claim(), across = windows.count();
    tile::run(problem, memory, windows, claimed % across, claimed / across * tile::chunks, order);
    if constexpr (Problem::what == line_result::total) fold_totals_if_last(problem, order);
  }
};

/// A block that stays, of teams that have one such tile after the other, where few lines are all that there
/// is. Blocks of one tile each would load, wait for each other and write at the same times, all of them, and
/// memory be idle in between: here the items of one team are on their way while the other's wait, or leave.
template <class Problem, int V, int Packs, wait_in Where>
struct split_packs_in_turns_job {
  using tile = chunk_of_columns<Problem, V, Packs, Where>;
  using team = team_of_block<tile::threads>;
  static constexpr int teams = 16 / Packs, threads = teams * tile::threads, blocks = 1;
  static constexpr std::size_t dynamic_bytes(int) { return teams * sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;
  column_windows windows;
  std::int64_t tiles;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char bytes[];
    __shared__ unsigned loading;
    __shared__ std::int64_t claimed[teams];
    if (threadIdx.x == 0) loading = 0;
    __syncthreads();
    team const own{&loading};
    auto& memory = reinterpret_cast<typename tile::shared*>(bytes)[team::nth()];
    auto const across = windows.count();
#pragma unroll 1
    for (;;) {
      // Tiles are claimed in the order in which they are loaded.
      if (team::thread() == 0) {
        own.await_turn();
        claimed[team::nth()] = order.tickets.draw();
      }
      team::synchronize();
      auto const nth = claimed[team::nth()];
      if (nth >= tiles) return own.has_loaded();
      tile::run(problem, memory, windows, nth % across, nth / across * tile::chunks, order, own);
    }
  }
};

/// A block for a chunk of a window of 32 lines.
template <class Problem>
struct split_columns_job {
  using tile = chunk_of_window<Problem>;
  using grid_type = decltype(Problem::grid);
  static constexpr int threads = tile::threads, blocks = 3;
  static constexpr std::size_t dynamic_bytes(int) { return tile::shared_bytes(tile::most_warps); }
  static int threads_for(grid_type const& grid) { return 32 * tile::warps_of(grid.length); }
  static std::size_t bytes_for(grid_type const& grid) {
    return tile::shared_bytes(tile::warps_of(grid.length));
  }
  Problem problem;
  chunk_order order;
  column_windows windows;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const claimed = order.claim(), across = windows.count();
    tile::run(problem, *reinterpret_cast<typename tile::shared*>(memory), windows, claimed % across,
              claimed / across, order);
    if constexpr (Problem::what == line_result::total) fold_totals_if_last(problem, order);
  }
};

/// A block for some chunks of some neighbouring lines, which are folded: brought as they lie where rows are
/// narrow and one run in memory.
template <class Problem, bool InRun>
struct fold_columns_job {
  using tile = folded_columns<Problem>;
  /// The more blocks, the more items on their way: of wide values registers are what is missing.
  static constexpr int threads = tile::threads, size = static_cast<int>(sizeof(typename Problem::value)),
                       blocks = size > 16 ? (InRun ? 4 : 5) : (size <= 4 && InRun ? 8 : 7);
  Problem problem;
  chunk_order order;
  int width;
  std::int64_t windows;

  static std::size_t bytes_for(decltype(Problem::grid) const& grid) {
    return InRun ? tile::shared_bytes(grid) : 0;
  }
  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char bytes[];
    __shared__ typename tile::shared memory;
    auto const nth = quotient(std::int64_t{blockIdx.x}, windows);
    tile::template run<InRun>(problem, memory, reinterpret_cast<typename tile::raw*>(bytes), width,
                              blockIdx.x - nth * windows, nth * tile::chunks(width), order);
    fold_totals_if_last(problem, order);
  }
};

/// A block for some chunks of all lines that lie side by side.
template <class Problem>
struct split_long_rows_job {
  using tile = chunks_of_rows<Problem>;
  static constexpr int threads = tile::threads,
                       blocks = sizeof(typename Problem::value) <= 4 ? 24 / tile::most_warps : 4;
  static constexpr std::size_t dynamic_bytes(int) { return tile::most_bytes; }
  Problem problem;
  chunk_order order;

  using grid_type = decltype(Problem::grid);
  static std::int64_t states(grid_type const& grid) {
    return blocks_across(grid) * tile::packs_of(grid.across[0].extent);
  }
  static SWEEP_HD std::int64_t blocks_across(grid_type const& grid) {
    return grid.lines / grid.across[0].extent;
  }
  static SWEEP_HD int lines_of_row(grid_type const& grid) { return static_cast<int>(grid.across[0].extent); }
  static SWEEP_HD std::int64_t chunks_of_block(grid_type const& grid) {
    return tile::chunks_of_block(lines_of_row(grid));
  }
  static int threads_for(grid_type const& grid) { return 32 * tile::warps_of(lines_of_row(grid)); }
  static std::size_t bytes_for(grid_type const& grid) { return tile::shared_bytes(lines_of_row(grid)); }
  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char bytes[];
    auto& memory = *reinterpret_cast<typename tile::shared*>(bytes);
    auto const claimed = order.claim(), across = blocks_across(problem.grid);
    tile::run(problem, memory, claimed % across, static_cast<int>(problem.grid.across[0].extent),
              claimed / across * chunks_of_block(problem.grid), order);
    if constexpr (Problem::what == line_result::total) fold_totals_if_last(problem, order);
  }
};

/// A block for some chunks of all lines that lie side by side, where their rows are one run in memory.
template <class Problem, bool Clusters = false>
struct split_dense_rows_job {
  using tile = chunks_of_dense_rows<Problem, Clusters>;
  /// A tile of several chunks has a third of shared memory; smaller ones leave room for more blocks.
  static constexpr int threads = 256, blocks = 3, most_blocks = 6, kept = 1024;  ///< bytes of each block
  static int shared_bytes(int arch) { return static_cast<int>(shared_bytes_of(arch)) + kept; }
  static int threads_for(int arch, int bytes) {
    int const together = std::clamp(shared_bytes(arch) / (bytes + kept), blocks, most_blocks);
    return threads * blocks / together / 32 * 32;
  }
  static constexpr std::size_t dynamic_bytes(int) { return std::size_t{96} << 10; }  // all devices have them
  Problem problem;
  chunk_order order;
  typename tile::layout how;
  std::int64_t across;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char bytes[];
    int const lines = static_cast<int>(problem.grid.across[0].extent);
    tile{{}, problem, order, how, bytes, lines, across}.run();
  }
};

/// A block for a group of a line's chunks, or for several lines of few chunks.
template <class Problem>
struct split_lines_job {
  using tile = chunks_of_lines<Problem>;
  static constexpr int threads = tile::threads, blocks = tile::folds || tile::as_fetched ? 4
                                                         : tile::composed                ? 3
                                                                                         : 2;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;
  line_layout how;
  int lines_of_block, chunks_of_block;
  std::int64_t at_once;  ///< blocks that run

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    std::int64_t claimed = blockIdx.x;
    if constexpr (!tile::folds) claimed = order.claim();  // else none waits for another
    auto const lines = problem.grid.lines;
    bool const whole = order.chunks <= chunks_of_block;
    // Else a block for each group of each line: fewer than 2^31.
    auto const place = [&](std::int64_t block, std::int64_t& line, std::int64_t& chunk) {
      auto const group = whole ? 0 : static_cast<unsigned>(block) / static_cast<unsigned>(lines);
      line = whole ? block * lines_of_block : block - group * lines;
      chunk = std::int64_t{group} * chunks_of_block;
    };
    std::int64_t line, chunk;
    place(claimed, line, chunk);
    line = tile::of_warp(line);
    chunk = tile::of_warp(chunk);
    tile{problem,
         *reinterpret_cast<typename tile::shared*>(memory),
         how,
         line,
         chunk,
         static_cast<int>(min(std::int64_t{lines_of_block}, lines - line)),
         static_cast<int>(min(std::int64_t{chunks_of_block}, order.chunks - chunk))}
        .run(order, [&] {
          if constexpr (tile::asks_ahead)
            if (auto const later = claimed + at_once; later < gridDim.x) {
              place(later, line, chunk);
              tile::ask(problem, line, lines_of_block, chunk, chunks_of_block);
            }
        });
    if constexpr (Problem::what == line_result::total) fold_totals_if_last(problem, order);
  }
};

/// A block that stays, for one group of a line's chunks after the other.
template <class Problem>
struct staged_lines_job {
  using layout = lines_in_stages<Problem>;
  static constexpr int threads = layout::threads, blocks = 1;
  static constexpr std::size_t dynamic_bytes(int) { return layout::shared_bytes; }
  Problem problem;
  chunk_order order;
  std::int64_t tiles;

  __device__ void operator()() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char memory[];
    using tile = staged_lines<Problem>;
    tile roles(problem, order);
    tile::block::run(*reinterpret_cast<typename tile::block::shared*>(memory), tiles, roles);
#endif
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
