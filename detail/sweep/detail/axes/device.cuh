// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_DEVICE_CUH
#define SWEEP_DETAIL_AXES_DEVICE_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/chunks.cuh>
#include <sweep/detail/axes/tile/columns.cuh>
#include <sweep/detail/axes/tile/contiguous.cuh>
#include <sweep/detail/axes/tile/planes.cuh>
#include <sweep/detail/axes/tile/rows.cuh>
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
    if (line < problem.grid.lines) march_lines<V>(problem, line, [](std::int64_t) { return true; });
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
    march_lines<1>(problem, column.line, [&](std::int64_t at) { return column.writes(problem.out, at); });
  }
};

/// A warp for 32 lines that lie along the axis.
template <class Problem>
struct march_windows_job {
  using tile = line_window<Problem>;
  static constexpr int warps = 4, threads = 32 * warps, blocks = sizeof(typename Problem::value) <= 4 ? 4 : 3;
  Problem problem;
  line_layout how;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory[warps];
    int const own = static_cast<int>(threadIdx.x) / 32;
    auto const line = (std::int64_t{blockIdx.x} * warps + own) * 32;
    if (line < problem.grid.lines) tile{problem, memory[own], how, line}.run();
  }
};

/// A block for some whole lines that are one run in memory.
template <class Problem>
struct march_runs_job {
  using tile = lines_of_run<Problem>;
  static constexpr int threads = tile::threads, blocks = sizeof(typename Problem::value) <= 16 ? 8 : 4;
  static constexpr std::size_t dynamic_bytes(int) { return tile::shared_bytes(tile::longest); }
  Problem problem;
  int lines;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const line = std::int64_t{blockIdx.x} * lines;
    tile::run(problem, reinterpret_cast<typename Problem::value*>(memory), line,
              static_cast<int>(min(std::int64_t{lines}, problem.grid.lines - line)));
  }
};

/// A block for a chunk of 8 packs of V lines.
template <class Problem, int V>
struct split_packs_job {
  using tile = chunk_of_columns<Problem, V>;
  static constexpr int threads = tile::threads, blocks = tile::as_read ? 3 : 2;
  Problem problem;
  chunk_order order;

  static std::int64_t states(line_grid const& grid) { return grid.lines / V; }
  static SWEEP_HD std::int64_t blocks_across(line_grid const& grid) {
    return (grid.lines / V + tile::packs - 1) / tile::packs;
  }
  static std::int64_t chunks_of_block(line_grid const&) { return 1; }
  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    auto const claimed = order.claim(), across = blocks_across(problem.grid);
    tile::run(problem, memory, claimed % across * tile::packs, claimed / across, order);
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
  }
};

/// A block for some chunks of all lines that lie side by side.
template <class Problem>
struct split_long_rows_job {
  using tile = chunks_of_rows<Problem>;
  static constexpr int threads = tile::threads, blocks = sizeof(typename Problem::value) <= 4 ? 4 : 2;
  Problem problem;
  chunk_order order;

  static std::int64_t states(line_grid const& grid) {
    return blocks_across(grid) * tile::packs_of(grid.across[0].extent);
  }
  static SWEEP_HD std::int64_t blocks_across(line_grid const& grid) {
    return grid.lines / grid.across[0].extent;
  }
  static SWEEP_HD std::int64_t chunks_of_block(line_grid const& grid) {
    return tile::chunks_of_block(static_cast<int>(grid.across[0].extent));
  }
  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    auto const claimed = order.claim(), across = blocks_across(problem.grid);
    tile::run(problem, memory, claimed % across, static_cast<int>(problem.grid.across[0].extent),
              claimed / across * chunks_of_block(problem.grid), order);
  }
};

/// A block for a group of a line's chunks, or for several lines of few chunks.
template <class Problem>
struct split_lines_job {
  using tile = chunks_of_lines<Problem>;
  static constexpr int threads = tile::threads, blocks = 2;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;
  line_layout how;
  int lines_of_block;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const claimed = order.claim();
    auto const lines = problem.grid.lines;
    bool const whole = order.chunks <= tile::most_chunks;
    auto const line = whole ? claimed * lines_of_block : claimed % lines;
    auto const chunk = whole ? 0 : claimed / lines * tile::most_chunks;
    tile{problem,
         *reinterpret_cast<typename tile::shared*>(memory),
         how,
         line,
         chunk,
         static_cast<int>(min(std::int64_t{lines_of_block}, lines - line)),
         static_cast<int>(min(std::int64_t{tile::most_chunks}, order.chunks - chunk))}
        .run(order);
  }
};

/// A block for a tile of a plane, which is scanned along both of its axes.
template <class Problem>
struct scan_planes_job {
  using tile = tile_of_plane<Problem>;
  static constexpr int threads = tile::threads, blocks = sizeof(typename Problem::value) <= 4 ? 3 : 2;
  Problem problem;
  plane_words<typename Problem::value> words;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    __shared__ std::int64_t claimed;
    if (threadIdx.x == 0) claimed = words.tickets.draw();
    __syncthreads();
    tile::run(problem, memory, words, claimed);
  }
};

/// Neighbouring lines that a thread takes as one, where memory has them side by side: `bytes` of the widest,
/// and no more than 4, since each item of a strip has a register of its own.
template <class Problem, int Bytes>
inline constexpr int lines_of_pack = [] {
  auto const widest = std::max(
      {sizeof(typename Problem::raw), sizeof(typename Problem::out_value), sizeof(typename Problem::value)});
  bool const in_memory = std::is_pointer_v<decltype(Problem::in)>;
  return in_memory && widest <= 8 && (widest & (widest - 1)) == 0
             ? static_cast<int>(std::min<std::size_t>(4, Bytes / widest))
             : 1;
}();
/// Whether memory begins on a boundary of its items' size, where items that fill words could be moved as
/// vectors: those whose alignment is less may begin between.
template <class It>
bool on_items(It const& it) {
  if constexpr (std::is_pointer_v<It>)
    if constexpr (fills_words<value_of<It>>) return reinterpret_cast<std::uintptr_t>(it) % sizeof(*it) == 0;
  return true;
}
template <class Problem>
bool memory_on_items(Problem const& problem) {
  return on_items(problem.in) && (Problem::what == line_result::total || on_items(problem.out));
}

/// Whether every line, and every item of it, begins on such a boundary of an iterator's memory.
template <int V, class It, class Stride>
bool on_boundaries(It const& it, line_grid const& grid, Stride stride) {
  if constexpr (std::is_pointer_v<It>) {
    auto const place = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(it) / sizeof(*it));
    bool on = on_items(it) && grid.axes > 0 && grid.across[0].extent % V == 0 &&
              stride(grid.across[0].stride) == 1 && (place + stride(grid.first)) % V == 0;
    for (int r = 1; r < grid.axes; ++r) on = on && stride(grid.across[r].stride) % V == 0;
    return on;
  } else {
    return false;
  }
}
template <int V, class Problem>
bool in_packs(Problem const& problem) {
  auto const& grid = problem.grid;
  return grid.in % V == 0 && on_boundaries<V>(problem.in, grid, [](line_place const& by) { return by.in; }) &&
         (Problem::what == line_result::total ||
          (grid.out % V == 0 &&
           on_boundaries<V>(problem.out, grid, [](line_place const& by) { return by.out; })));
}

/// Whether a few lines are what lies side by side, row after row.
template <class Problem>
bool in_rows(Problem const& problem) {
  auto const& grid = problem.grid;
  if (grid.axes == 0 || !memory_on_items(problem)) return false;
  auto const lines = grid.across[0].extent;
  return lines <= chunks_of_rows<Problem>::most_lines && grid.across[0].stride.in == 1 &&
         magnitude(grid.in) == lines &&
         (Problem::what == line_result::total || (grid.across[0].stride.out == 1 && grid.out == grid.in));
}

/// Windows of lines. They overlap where results of neighbouring lines stand side by side and rows do not
/// begin where sectors do. In place a warp would read what another has written: there they do not.
template <class Problem>
column_windows windows_of(Problem const& problem) {
  auto const& grid = problem.grid;
  if constexpr (Problem::what != line_result::total && std::is_pointer_v<decltype(problem.in)> &&
                std::is_pointer_v<decltype(problem.out)>) {
    constexpr int sector = 32 / static_cast<int>(sizeof(*problem.out));
    void const* const in = problem.in;
    void const* const out = problem.out;
    if constexpr ((sector & (sector - 1)) == 0 && sector >= 2 && sector <= 8 &&
                  sector * sizeof(*problem.out) == 32) {
      bool aligned =
          reinterpret_cast<std::uintptr_t>(problem.out + grid.first.out) % 32 == 0 && grid.out % sector == 0;
      for (int r = 1; r < grid.axes; ++r) aligned = aligned && grid.across[r].stride.out % sector == 0;
      if (!aligned && in != out && grid.axes > 0 && grid.across[0].stride.out == 1 &&
          grid.across[0].extent > 64) {
        auto const extent = grid.across[0].extent, step = std::int64_t{32 - sector};
        return {extent, (extent - 32 + step - 1) / step + 1, static_cast<int>(step), sector};
      }
    }
  }
  return {grid.lines, (grid.lines + 31) / 32};
}

/// Where the first item of line 0 lies in memory, counted in items from a boundary of vectors; -1 where lines
/// do not lie along the axis, item by item.
template <class It>
std::int64_t place_in_vectors(It const& it, std::int64_t first, std::int64_t step) {
  if constexpr (std::is_pointer_v<It>) {
    if (magnitude(step) == 1 && fills_words<value_of<It>> && relocatable<value_of<It>> && on_items(it))
      return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(it) / sizeof(*it)) + first +
             (step < 0);
  }
  return -1;
}

/// Whether lines are one run in memory, and short, or such as begin anywhere in a sector of it.
template <class Problem>
bool in_runs(Problem const& problem) {
  constexpr bool total = Problem::what == line_result::total;
  auto const& grid = problem.grid;
  if (!memory_on_items(problem)) return false;
  if (grid.axes != 1 || magnitude(grid.in) != 1 || grid.across[0].stride.in != grid.length) return false;
  if (!total && (grid.in != grid.out || grid.across[0].stride.out != grid.length)) return false;
  constexpr auto bytes =
      std::int64_t{total ? sizeof(typename Problem::raw) : sizeof(typename Problem::out_value)};
  return grid.length < line_window<Problem>::width ||
         (grid.length <= lines_of_run<Problem>::longest && grid.length * bytes % 32 != 0);
}

/// How lanes stand to the lines of a problem: neighbouring lanes take what lies nearer. Windows begin on
/// boundaries of the output, or of the input where that alone lies along the axis; chunks where lines begin.
template <class Problem>
line_layout layout_of(Problem const& problem, bool in_windows) {
  using T = typename Problem::value;
  constexpr bool total = Problem::what == line_result::total;
  constexpr int V = word_items<T>;
  auto const& grid = problem.grid;
  auto const across = grid.axes > 0 ? grid.across[0].stride : line_place{1 << 30, 1 << 30, 0};
  line_layout how{magnitude(grid.in) < magnitude(across.in),
                  !total && magnitude(grid.out) < magnitude(across.out), false, false};
  if (!fills_words<T>) return how;
  auto const in = how.in_along ? place_in_vectors(problem.in, grid.first.in, grid.in) : -1;
  auto const out = how.out_along ? place_in_vectors(problem.out, grid.first.out, grid.out) : -1;
  auto const every = [&](auto stride) {
    for (int r = 0; r < grid.axes; ++r)
      if (stride(grid.across[r].stride) % V != 0) return false;
    return true;
  };
  bool const follows = in_windows && how.out_along;  // the input follows the output's windows
  if (in_windows && !how.out_along) how.in_words = in >= 0;
  else if (follows)
    how.in_words = in >= 0 && out >= 0 && (in - out) % V == 0 &&
                   every([](line_place const& by) { return by.in - by.out; });
  else how.in_words = in >= 0 && in % V == 0 && every([](line_place const& by) { return by.in; });
  how.out_words =
      out >= 0 && (in_windows || (out % V == 0 && every([](line_place const& by) { return by.out; })));
  return how;
}

/// One launch of lines that are cut into chunks.
template <class Source, class Problem>
void split_lines(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  constexpr bool total = Problem::what == line_result::total;
  auto const& grid = problem.grid;
  auto const chunks = chunks_of_line<typename Problem::value>(grid.length);
  auto const launch = [&]<class Job>(std::type_identity<Job>, std::int64_t states, std::int64_t blocks,
                                     auto... more) {
    using state = tile_state<typename Job::tile::told, across_tiles::ordered_lookback>;
    std::size_t dynamic = 0;
    if constexpr (requires { Job::dynamic_bytes(0); }) dynamic = Job::dynamic_bytes(0);
    chunk_order order{chunks};
    if (total || states == 0)
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
    constexpr std::int64_t most = job::tile::most_chunks, enough_blocks = 264;
    if (chunks > most) {
      launch(std::type_identity<job>{}, grid.lines, (chunks + most - 1) / most * grid.lines, how, 1);
    } else {
      auto const lines = std::max<std::int64_t>(1, std::min(most / chunks, grid.lines / enough_blocks));
      launch(std::type_identity<job>{}, 0, (grid.lines + lines - 1) / lines, how, static_cast<int>(lines));
    }
    return;
  }
  auto const side_by_side = [&]<class Job>(std::type_identity<Job> job) {
    auto const each = Job::chunks_of_block(grid);
    launch(job, chunks > 1 ? Job::states(grid) : 0, Job::blocks_across(grid) * ((chunks + each - 1) / each));
  };
  if (in_rows(problem)) return side_by_side(std::type_identity<split_long_rows_job<Problem>>{});
  constexpr int V = lines_of_pack<Problem, 16>;
  if constexpr (V > 1)
    if (in_packs<V>(problem)) return side_by_side(std::type_identity<split_packs_job<Problem, V>>{});
  using job = split_columns_job<Problem>;
  auto const windows = windows_of(problem);
  auto const across = windows.windows * (grid.lines / windows.extent);
  launch(std::type_identity<job>{}, chunks > 1 ? across * job::tile::packs : 0, across * chunks, windows);
}

/// One launch of lines each of which is one chain.
template <class Problem>
void march_lines(char const* call, cudaStream_t stream, Problem const& problem) {
  auto const lines = problem.grid.lines;
  auto const launch = [&]<class Job>(std::int64_t threads, Job const& job) {
    launch_job(call, stream, (threads + Job::threads - 1) / Job::threads, Job::threads, job);
  };
  if constexpr (sizeof(typename Problem::value) <= widest_in_chunks) {
    if (in_runs(problem)) {
      using job = march_runs_job<Problem>;
      int const of_block = job::tile::lines(problem.grid.length);
      return launch_job(call, stream, (lines + of_block - 1) / of_block, job::threads, job{problem, of_block},
                        job::tile::shared_bytes(problem.grid.length));
    }
    if (auto const how = layout_of(problem, true); how.in_along || how.out_along)
      return launch(lines, march_windows_job<Problem>{problem, how});
  }
  constexpr int V = lines_of_pack<Problem, 16>;
  if constexpr (V > 1)
    if (in_packs<V>(problem) && lines >= 2 * lines_that_fill_a_device)
      return launch(lines / V, march_packs_job<Problem, V>{problem});
  auto const windows = windows_of(problem);
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
  launch_state<Source> kept(policy.scratch_source(), call, policy.stream(),
                            words::count(tiles, tile::height, tile::width));
  launch_job(call, policy.stream(), tiles, job::threads,
             job{problem, {kept.tiles(), kept.stamp(), tiles, kept.tickets()}});
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
  split_lines(source, call, stream,
              axis_problem<line_result::total, T, decltype(problem.in), T*, decltype(problem.op),
                           decltype(problem.unary), nothing_before>{
                  problem.in, totals, problem.op, problem.unary, {}, grid});
  auto next = grid;
  next.length = chunks_of_line<T>(grid.length);
  next.in = grid.lines;
  next.first.in = 0;
  std::int64_t stride = 1;
  for (int r = 0; r < next.axes; ++r) {
    next.across[r].stride.in = stride;
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
    std::int64_t totals = 0;
    for (auto level = problem.grid; !in_one_chain<T>(level); totals += level.length * level.lines)
      level.length = chunks_of_line<T>(level.length);
    if (totals > 0)
      return with_memory<T>(policy, call, totals, [&](auto const& rest, T* memory) {
        fold_chunks(rest.scratch_source(), call, rest.stream(), problem, memory);
      });
  }
  march_lines(call, policy.stream(), problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
