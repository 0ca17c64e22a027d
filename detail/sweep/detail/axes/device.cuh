// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_DEVICE_CUH
#define SWEEP_DETAIL_AXES_DEVICE_CUH

#include <sweep/detail/axes/layout.cuh>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/chunks.cuh>
#include <sweep/detail/axes/tile/columns.cuh>
#include <sweep/detail/axes/tile/contiguous.cuh>
#include <sweep/detail/axes/tile/fold_totals.cuh>
#include <sweep/detail/axes/tile/folded_lines.cuh>
#include <sweep/detail/axes/tile/marched_columns.cuh>
#include <sweep/detail/axes/tile/planes.cuh>
#include <sweep/detail/axes/tile/rows.cuh>
#include <sweep/detail/axes/tile/short_lines.cuh>
#include <sweep/detail/axes/tile/staged_lines.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/windows.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Of lines that are one chain each, and of lines that are cut into chunks, there is a kernel for those that
// lie along the axis, and one for those across which neighbours lie; another where these fill words of 16
// bytes (packs), and where a few lines are all that lies side by side (rows).

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

/// A warp for a window of 32 lines, a lane a line.
template <class Problem>
struct march_columns_job {
  static constexpr int threads = 128, blocks = sizeof(typename Problem::value) <= 8    ? 7
                                               : sizeof(typename Problem::value) <= 16 ? 4
                                                                                       : 2;
  Problem problem;
  column_windows windows;

  __device__ void operator()() const {
    auto const window = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / 32;
    if (window >= windows.windows * (problem.grid.lines / windows.extent)) return;
    auto const column = windows.of(window);
    march_lines<1>(problem, column.line, [&](auto const& at) { return column.writes(problem.out, at); });
  }
};

/// A block for 256 lines, across which rows begin anywhere in sectors.
template <class Problem>
struct march_blocks_job {
  using tile = lines_of_block<Problem>;
  static constexpr int threads = tile::threads, blocks = 4;
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
  static constexpr int threads = tile::most_lines, blocks = 3;
  static constexpr std::size_t dynamic_bytes(int) { return tile::shared_bytes(tile::most_lines); }
  Problem problem;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    tile::run(problem, reinterpret_cast<typename Problem::value*>(memory), blockIdx.x);
  }
};

/// A warp for 32 lines that lie along the axis. Its tile is told where they lie.
template <class Problem, class Tile, class Where, int Blocks>
struct lines_of_warps_job {
  using tile = Tile;
  static constexpr int warps = 4, threads = 32 * warps, blocks = Blocks;
  Problem problem;
  Where where;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory[warps];
    int const own = static_cast<int>(threadIdx.x) / 32;
    auto const line = (std::int64_t{blockIdx.x} * warps + own) * 32;
    if (line < problem.grid.lines) tile{problem, memory[own], where, line}.run();
  }
};
template <class Problem>
using march_windows_job = lines_of_warps_job<Problem, line_window<Problem>, line_layout,
                                             sizeof(typename Problem::value) <= 4 ? 4 : 3>;
/// Of lines that are folded, and whose items are neighbours in memory.
template <class Problem>
using fold_lines_job = lines_of_warps_job<Problem, folded_lines<Problem>, bytes_of_array, 8>;

/// A block for some whole lines that are one run in memory.
template <class Problem>
struct march_runs_job {
  using tile = lines_of_run<Problem>;
  static constexpr int threads = tile::threads, blocks = sizeof(typename Problem::value) <= 16 ? 8 : 4;
  static constexpr std::size_t dynamic_bytes(int) { return tile::shared_bytes(tile::longest, 1); }
  Problem problem;
  int lines, beside;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const line = std::int64_t{blockIdx.x} * lines;
    tile::run(problem, reinterpret_cast<typename Problem::value*>(memory), line,
              static_cast<int>(min(std::int64_t{lines}, problem.grid.lines - line)), beside);
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

/// A block for some chunks of some packs of V lines: of 8 packs, or of 4 where few lines of narrow values
/// wait for each other, so that more blocks are on their way. Of wider values 4 packs are too short a piece
/// of a row.
template <class Problem, int V, int Packs, wait_in Where = wait_in::registers>
struct split_packs_job {
  using tile = chunk_of_columns<Problem, V, Packs, Where>;
  static constexpr int threads = tile::threads, blocks = Packs == 4 ? 4
                                                         : tile::as_read && tile::bytes_in_registers <= 128
                                                             ? 3
                                                             : 2;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;

  using grid_type = decltype(Problem::grid);
  static std::int64_t states(grid_type const& grid) { return grid.lines / V; }
  static SWEEP_HD std::int64_t blocks_across(grid_type const& grid) {
    return (grid.lines / V + tile::packs - 1) / tile::packs;
  }
  static std::int64_t chunks_of_block(grid_type const&) { return tile::chunks; }
  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char bytes[];
    auto& memory = *reinterpret_cast<typename tile::shared*>(bytes);
    auto const claimed = order.claim(), across = blocks_across(problem.grid);
    tile::run(problem, memory, claimed % across * tile::packs, claimed / across * tile::chunks, order);
    if constexpr (Problem::what == line_result::total) fold_totals_if_last<threads>(problem, order);
  }
};

/// A block for a chunk of a window of 32 lines.
template <class Problem>
struct split_columns_job {
  using tile = chunk_of_window<Problem>;
  static constexpr int threads = tile::threads, blocks = 3;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;
  column_windows windows;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const claimed = order.claim(), across = windows.windows * (problem.grid.lines / windows.extent);
    tile::run(problem, *reinterpret_cast<typename tile::shared*>(memory), windows, claimed % across,
              claimed / across, order);
    if constexpr (Problem::what == line_result::total) fold_totals_if_last<threads>(problem, order);
  }
};

/// A block for some chunks of all lines that lie side by side.
template <class Problem>
struct split_long_rows_job {
  using tile = chunks_of_rows<Problem>;
  static constexpr int threads = tile::threads, blocks = sizeof(typename Problem::value) <= 4 ? 6 : 4;
  Problem problem;
  chunk_order order;

  using grid_type = decltype(Problem::grid);
  static std::int64_t states(grid_type const& grid) {
    return blocks_across(grid) * tile::packs_of(grid.across[0].extent);
  }
  static SWEEP_HD std::int64_t blocks_across(grid_type const& grid) {
    return grid.lines / grid.across[0].extent;
  }
  static SWEEP_HD std::int64_t chunks_of_block(grid_type const& grid) {
    return tile::chunks_of_block(static_cast<int>(grid.across[0].extent));
  }
  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    auto const claimed = order.claim(), across = blocks_across(problem.grid);
    tile::run(problem, memory, claimed % across, static_cast<int>(problem.grid.across[0].extent),
              claimed / across * chunks_of_block(problem.grid), order);
    if constexpr (Problem::what == line_result::total) fold_totals_if_last<threads>(problem, order);
  }
};

/// A block for a group of a line's chunks, or for several lines of few chunks.
template <class Problem>
struct split_lines_job {
  using tile = chunks_of_lines<Problem>;
  static constexpr int threads = tile::threads, blocks = tile::folds ? 4 : tile::composed ? 3 : 2;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;
  line_layout how;
  int lines_of_block, chunks_of_block;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    std::int64_t claimed = blockIdx.x;
    if constexpr (!tile::folds) claimed = order.claim();  // else none waits for another
    auto const lines = problem.grid.lines;
    bool const whole = order.chunks <= chunks_of_block;
    // Else a block for each group of each line: fewer than 2^31.
    auto const group = whole ? 0 : static_cast<unsigned>(claimed) / static_cast<unsigned>(lines);
    auto const line = tile::of_warp(whole ? claimed * lines_of_block : claimed - group * lines);
    auto const chunk = tile::of_warp(std::int64_t{group} * chunks_of_block);
    tile{problem,
         *reinterpret_cast<typename tile::shared*>(memory),
         how,
         line,
         chunk,
         static_cast<int>(min(std::int64_t{lines_of_block}, lines - line)),
         static_cast<int>(min(std::int64_t{chunks_of_block}, order.chunks - chunk))}
        .run(order);
    if constexpr (Problem::what == line_result::total) fold_totals_if_last<threads>(problem, order);
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

/// A block for a tile of a plane, which is scanned along both of its axes.
template <class Problem>
struct scan_planes_job {
  using tile = tile_of_plane<Problem>;
  /// As many tiles on their way as memory needs: those of six blocks wait longer for each other (a table of
  /// 8192 x 8192 floats on an H100: 275 us, not 256).
  static constexpr int threads = tile::threads, blocks = 4;
  Problem problem;
  plane_words<typename Problem::value> words;
  plane_layout how;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    tile::run(problem, memory, words, how);
  }
};

/// One launch of long lines that pass through the stages of a pipeline, where the device has those and there
/// is more than one tile for most blocks; else nothing, and false. Which it is does not show in the bits.
template <class Source, class Problem>
bool stage_lines(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  using T = typename Problem::value;
  using job = staged_lines_job<Problem>;
  using state = tile_state<T, across_tiles::ordered_lookback>;
  if (auto const [arch, fits] = facts_of<job>(call); arch < 90 || !fits) return false;
  auto const& grid = problem.grid;
  chunk_order order{chunks_of_line<T, Problem::what>(grid.length)};
  auto const tiles = (order.chunks + job::layout::most_chunks - 1) / job::layout::most_chunks * grid.lines;
  std::int64_t const blocks = multiprocessors(call);
  if (2 * tiles < 3 * blocks) return false;
  order.words_of_state = state::words(order.chunks);
  launch_state<Source> kept(source, call, stream, grid.lines * order.words_of_state);
  order.words = kept.tiles();
  order.stamp = kept.stamp();
  order.tickets = kept.tickets();
  launch_job(call, stream, blocks, job::threads, job{problem, order, tiles}, job::layout::shared_bytes);
  kept.launched(tiles + pipeline_tickets(blocks, job::layout::stages));
  return true;
}

/// How many chunks of a line that lies along the axis a block has. Those of a line that is folded are shared
/// out evenly: a block has them all where there are lines for all blocks that run at once; else so many that
/// these have some, and its warps one.
template <class Problem>
std::int64_t chunks_of_block(char const* call, Problem const& problem) {
  using job = split_lines_job<Problem>;
  using tile = typename job::tile;
  auto const chunks = chunks_of_line<typename Problem::value, Problem::what>(problem.grid.length),
             lines = problem.grid.lines;
  constexpr std::int64_t most = tile::most_chunks;
  if (Problem::what != line_result::total || chunks <= most) return std::min(chunks, most);
  std::int64_t const at_once = multiprocessors(call) * job::blocks;
  if (chunks <= tile::most_totals && lines >= at_once) return chunks;
  auto const each = std::clamp<std::int64_t>((chunks * lines + at_once - 1) / at_once, tile::warps, most),
             blocks = (chunks + each - 1) / each;
  return (chunks + blocks - 1) / blocks;
}

/// Whether blocks of a reduction have whole lines, though these are cut into chunks: then it is one launch.
template <class Problem>
bool folds_whole_lines(char const* call, Problem const& problem) {
  auto const chunks = chunks_of_line<typename Problem::value, Problem::what>(problem.grid.length);
  return chunks == 1 || (layout_of(problem, false).in_along && chunks_of_block(call, problem) == chunks);
}

/// Whether the totals of a reduction's chunks are few: then the block that is the last to leave some folds
/// them.
template <class T, class Grid>
bool folds_in_one_launch(Grid const& grid) {
  return chunks_of_line<T, line_result::total>(grid.length) * grid.lines <= 4096;
}

/// One launch of lines that are cut into chunks; `totals` are those of a reduction's chunks.
template <class Source, class Problem>
void split_lines(Source const& source, char const* call, cudaStream_t stream, Problem const& problem,
                 typename Problem::value* totals = nullptr) {
  constexpr bool total = Problem::what == line_result::total;
  auto const& grid = problem.grid;
  auto const chunks = chunks_of_line<typename Problem::value, Problem::what>(grid.length);
  auto const launch = [&]<class Job>(std::type_identity<Job>, std::int64_t states, std::int64_t blocks,
                                     auto... more) {
    using state = tile_state<typename Job::tile::told, across_tiles::ordered_lookback>;
    std::size_t dynamic = 0;
    if constexpr (requires { Job::dynamic_bytes(0); }) dynamic = Job::dynamic_bytes(0);
    chunk_order order{chunks};
    order.totals = totals;
    if constexpr (total) {
      if (totals == nullptr || !folds_in_one_launch<typename Problem::value>(grid))
        return launch_job(call, stream, blocks, Job::threads, Job{problem, order, more...}, dynamic);
      launch_state<Source> kept(source, call, stream, 0);
      order.arrivals = kept.tickets();
      launch_job(call, stream, blocks, Job::threads, Job{problem, order, more...}, dynamic);
      return kept.launched(blocks);
    }
    if (states == 0)
      return launch_job(call, stream, blocks, Job::threads, Job{problem, order, more...}, dynamic);
    order.words_of_state = state::words(chunks);
    launch_state<Source> kept(source, call, stream, states * order.words_of_state);
    order.words = kept.tiles();
    order.stamp = kept.stamp();
    order.tickets = kept.tickets();
    launch_job(call, stream, blocks, Job::threads, Job{problem, order, more...}, dynamic);
    kept.launched(blocks);
  };
  auto const how = layout_of(problem, false);
  if (total ? how.in_along : how.out_along) {
    using job = split_lines_job<Problem>;
    if constexpr (fits_stages<Problem>)
      if (chunks > job::tile::most_chunks && magnitude(grid.in) == 1 && grid.in == grid.out &&
          stage_lines(source, call, stream, problem))
        return;
    auto const each = chunks_of_block(call, problem), parts = (chunks + each - 1) / each;
    // Several whole lines where not all blocks of one would run at once.
    std::int64_t const at_once = multiprocessors(call) * job::blocks,
                       most = (job::tile::most_chunks << (5 - job::tile::lane_bits_of(grid.length))) / each,
                       lines = parts > 1 ? 1
                                         : std::max<std::int64_t>(
                                               1, std::min(most, (grid.lines + at_once - 1) / at_once));
    launch(std::type_identity<job>{}, parts > 1 ? grid.lines : 0, (grid.lines + lines - 1) / lines * parts,
           how, static_cast<int>(lines), static_cast<int>(each));
    return;
  }
  auto const side_by_side = [&]<class Job>(std::type_identity<Job> job) {
    auto const each = Job::chunks_of_block(grid);
    launch(job, chunks > 1 ? Job::states(grid) : 0, Job::blocks_across(grid) * ((chunks + each - 1) / each));
  };
  if (in_rows(problem)) return side_by_side(std::type_identity<split_long_rows_job<Problem>>{});
  constexpr int V = lines_of_pack<Problem>, of_arrays = lines_of_pack_in_shared<Problem>;
  // Of fewer lines, whose chunks wait for each other, totals of so many lines at a time are too much to ask
  // for.
  constexpr std::int64_t many_lines = 512;
  if constexpr (of_arrays > 1)
    if (grid.lines > many_lines && in_packs<of_arrays>(problem))
      return side_by_side(
          std::type_identity<split_packs_job<Problem, of_arrays, 4, wait_in::shared_memory>>{});
  if constexpr (V > 1)
    if (in_packs<V>(problem)) {
      constexpr std::int64_t few_lines = 64;  // of which the chunks wait for each other
      if constexpr (!total && sizeof(typename Problem::value) <= 4)
        if (grid.lines <= few_lines && chunks > 32)
          return side_by_side(std::type_identity<split_packs_job<Problem, V, 4>>{});
      return side_by_side(std::type_identity<split_packs_job<Problem, V, 8>>{});
    }
  if constexpr (fills_words<typename Problem::value> && sizeof(typename Problem::value) == 16) {
    side_by_side(std::type_identity<split_packs_job<Problem, 1, 8>>{});
  } else {
    using job = split_columns_job<Problem>;
    auto const windows = windows_of(problem);
    auto const across = windows.windows * (grid.lines / windows.extent);
    launch(std::type_identity<job>{}, chunks > 1 ? across * job::tile::packs : 0, across * chunks, windows);
  }
}

/// One launch of lines each of which is one chain.
template <class Problem>
void march_lines(char const* call, cudaStream_t stream, Problem const& problem) {
  auto const lines = problem.grid.lines;
  auto const launch = [&]<class Job>(std::int64_t threads, Job const& job) {
    launch_job(call, stream, (threads + Job::threads - 1) / Job::threads, Job::threads, job);
  };
  if constexpr (sizeof(typename Problem::value) <= widest_in_chunks) {
    if constexpr (folded_lines<Problem>::possible) {
      constexpr std::int64_t short_line = 256;  // bytes
      if (problem.grid.in == 1 && on_items(problem.in) && are_worth_folding(problem) &&
          problem.grid.length * static_cast<std::int64_t>(sizeof(typename Problem::raw)) >= short_line)
        return launch(lines, fold_lines_job<Problem>{problem, bytes_of_input(problem)});
    }
    if (auto const beside = in_runs(problem) ? 1 : beside_in_runs(problem); beside > 0) {
      using job = march_runs_job<Problem>;
      int const of_block = job::tile::lines(problem.grid.length, beside);
      return launch_job(call, stream, (lines + of_block - 1) / of_block, job::threads,
                        job{problem, of_block, static_cast<int>(beside)},
                        job::tile::shared_bytes(problem.grid.length, beside));
    }
    if (auto const how = layout_of(problem, true); how.in_along || how.out_along)
      return launch(lines, march_windows_job<Problem>{problem, how});
  }
  constexpr int V = lines_of_pack<Problem>;
  bool const short_ones = in_short_lines(problem);
  if constexpr (V > 1) {
    // A thread wants so many bytes on their way.
    constexpr std::int64_t enough = 32 / (V * sizeof(typename Problem::raw));
    if (in_packs<V>(problem) && lines >= 2 * lines_that_fill_a_device &&
        !(short_ones && problem.grid.length < enough))
      return launch(lines / V, march_packs_job<Problem, V>{problem});
  }
  if constexpr (short_lines<Problem>::possible)
    if (short_ones) {
      using job = march_short_job<Problem>;
      auto const extent = problem.grid.across[0].extent;
      auto const of_block = job::tile::lines(problem.grid.length);
      return launch_job(call, stream, lines / extent * ((extent + of_block - 1) / of_block), job::threads,
                        job{problem}, job::tile::shared_bytes(problem.grid.length));
    }
  auto const windows = windows_of(problem);
  if constexpr (std::is_pointer_v<decltype(problem.in)> && std::is_pointer_v<decltype(problem.out)> &&
                Problem::what != line_result::total && sizeof(typename Problem::value) <= 8)
    if (windows.sector > 1) {
      if (auto const rows = lines / windows.extent; in_dense_rows(problem) && rows >= multiprocessors(call)) {
        using job = march_rows_job<Problem>;
        return launch_job(call, stream, rows, job::tile::threads(windows.extent), job{problem},
                          job::tile::shared_bytes(windows.extent));
      }
      using job = march_blocks_job<Problem>;
      return launch_job(call, stream, job::tile::blocks(lines, windows.sector), job::threads,
                        job{problem, windows.sector});
    }
  launch(32 * windows.windows * (lines / windows.extent), march_columns_job<Problem>{problem, windows});
}

template <class Problem>
void require_axis_reachable(char const* call, Problem const& problem) {
  if constexpr (std::is_pointer_v<decltype(problem.in)>) require_reachable(call, "in", problem.in);
  if constexpr (std::is_pointer_v<decltype(problem.out)>) require_reachable(call, "out", problem.out);
}

template <class Source, class... Tags, class Problem>
  requires(Problem::what != line_result::total)
void run_axis(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using T = typename Problem::value;
  if constexpr (has_checked<Tags...>) require_axis_reachable(call, problem);
  if constexpr (sizeof(T) <= widest_in_chunks)
    if (!in_one_chain<T>(problem.grid))
      return split_lines(policy.scratch_source(), call, policy.stream(), problem);
  march_lines(call, policy.stream(), problem);
}

/// One launch of planes that are scanned along both of their axes.
template <class Source, class... Tags, class Problem>
void run_planes(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = scan_planes_job<Problem>;
  using tile = typename job::tile;
  using words = plane_words<typename Problem::value>;
  if constexpr (has_checked<Tags...>) require_axis_reachable(call, problem);
  auto const& grid = problem.grid;
  auto const tiles = grid.planes.lines * grid.down(tile::height) * grid.across(tile::width);
  auto const& first = grid.planes.first;
  plane_layout const how{
      columns_in_vectors<tile::V>(problem.in, grid, first, [](line_place const& by) { return by.in; }),
      columns_in_vectors<tile::V>(problem.out, grid, first, [](line_place const& by) { return by.out; })};
  launch_state<Source> kept(policy.scratch_source(), call, policy.stream(),
                            words::count(tiles, tile::height, tile::width));
  launch_job(call, policy.stream(), tiles, job::threads,
             job{problem, {kept.tiles(), kept.stamp(), tiles, kept.tickets()}, how});
  kept.launched(tiles);
}

/// The totals of chunks, then the totals of those, until there are few enough for a chain. Those of a line's
/// chunks stand (chunks, lines).
template <class Source, class Problem>
void fold_chunks(Source const& source, char const* call, cudaStream_t stream, Problem const& problem,
                 typename Problem::value* totals) {
  using T = typename Problem::value;
  auto const& grid = problem.grid;
  if (in_one_chain<T>(grid)) return march_lines(call, stream, problem);
  if (folds_whole_lines(call, problem)) return split_lines(source, call, stream, problem);
  split_lines(source, call, stream, problem, totals);
  if (folds_in_one_launch<T>(grid)) return;
  grid_of_lines<std::int64_t, typename Problem::out_place> next;
  next.length = chunks_of_line<T, line_result::total>(grid.length);
  next.lines = grid.lines;
  next.in = grid.lines;
  next.out = grid.out;
  next.first = {0, grid.first.out, grid.first.init};
  next.axes = grid.axes;
  std::int64_t stride = 1;
  for (int r = 0; r < next.axes; ++r) {
    next.across[r] = {grid.across[r].extent, {stride, grid.across[r].stride.out, grid.across[r].stride.init}};
    stride *= next.across[r].extent;
  }
  fold_chunks(
      source, call, stream,
      axis_problem<line_result::total, T, T const*, decltype(problem.out), decltype(problem.op), identity,
                   decltype(problem.before)>{totals, problem.out, problem.op, {}, problem.before, next},
      totals + next.length * grid.lines);
}

template <class Source, class... Tags, class Problem>
  requires(Problem::what == line_result::total)
void run_axis(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using T = typename Problem::value;
  if constexpr (has_checked<Tags...>) require_axis_reachable(call, problem);
  if constexpr (sizeof(T) <= widest_in_chunks) {
    if (!in_one_chain<T>(problem.grid) && folds_whole_lines(call, problem))
      return split_lines(policy.scratch_source(), call, policy.stream(), problem);
    std::int64_t totals = 0;
    for (auto level = problem.grid;
         !in_one_chain<T>(level) && chunks_of_line<T, line_result::total>(level.length) > 1;
         totals += level.length * level.lines)
      level.length = chunks_of_line<T, line_result::total>(level.length);
    if (totals > 0)
      return with_memory<T>(policy, call, totals, [&](auto const& rest, T* memory) {
        fold_chunks(rest.scratch_source(), call, rest.stream(), problem, memory);
      });
  }
  march_lines(call, policy.stream(), problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
