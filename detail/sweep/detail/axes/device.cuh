// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_DEVICE_CUH
#define SWEEP_DETAIL_AXES_DEVICE_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Many lines across which neighbours lie: a thread a line.
template <class Problem>
struct march_lines_job {
  static constexpr int threads = 128, blocks = sizeof(typename Problem::value) <= 8 ? 7 : 2;
  Problem problem;

  __device__ void operator()() const {
    auto const line = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (line < problem.grid.lines) march_line(problem, line);
  }
};

/// Many lines that lie along the axis: a warp for 32 of them.
template <class Problem>
struct march_windows_job {
  using tile = line_window<Problem>;
  static constexpr int warps = sizeof(typename Problem::value) <= 8 ? 4 : 2;
  static constexpr int threads = 32 * warps, blocks = sizeof(typename Problem::value) <= 4 ? 5 : 2;
  Problem problem;
  typename tile::layout how;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory[warps];
    int const own = static_cast<int>(threadIdx.x) / 32;
    auto const line = (std::int64_t{blockIdx.x} * warps + own) * 32;
    if (line < problem.grid.lines) tile{problem, memory[own]}.run(line, how);
  }
};

/// Fewer lines across which neighbours lie: a block for a chunk of 8 packs of lines.
template <class Problem, int V>
struct split_columns_job {
  using tile = chunk_of_columns<Problem, V>;
  static constexpr int threads = tile::threads, blocks = sizeof(typename tile::pack) <= 8 ? 4 : 2;
  Problem problem;
  chunk_order order;

  static std::int64_t blocks_for(line_grid const& grid) {
    return (grid.lines / V + tile::packs - 1) / tile::packs;
  }
  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    auto const claimed = order.claim();
    auto const across = (problem.grid.lines / V + tile::packs - 1) / tile::packs;
    tile::run(problem, memory, claimed % across * tile::packs, claimed / across, order);
  }
};

/// Fewer lines that lie along the axis: a warp for a chunk.
template <class Problem>
struct split_lines_job {
  using tile = chunk_of_line<Problem>;
  static constexpr int warps = sizeof(typename tile::shared) <= 5000 ? 8 : 4;
  static constexpr int threads = 32 * warps, blocks = sizeof(typename Problem::value) <= 4 ? 4 : 2;
  Problem problem;
  chunk_order order;
  bool by_line;  ///< a line's chunks one after the other, not all lines' first ones first

  __device__ void operator()() const {
    __shared__ typename tile::shared memory[warps];
    auto const claimed = order.claim();
    int const own = static_cast<int>(threadIdx.x) / 32;
    auto const nth = claimed * warps + own;
    if (nth >= problem.grid.lines * order.chunks) return;
    auto const line = by_line ? nth / order.chunks : nth % problem.grid.lines;
    auto const chunk = by_line ? nth % order.chunks : nth / problem.grid.lines;
    tile::run(problem, memory[own], line, chunk, order);
  }
};

/// A few lines whose items lie side by side, row after row: a block for a chunk of all of them.
template <class Problem>
struct split_long_rows_job {
  using tile = chunk_of_rows<Problem>;
  static constexpr int threads = tile::threads, blocks = sizeof(typename Problem::value) <= 4 ? 4 : 2;
  Problem problem;
  chunk_order order;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    auto const claimed = order.claim();
    auto const together = problem.grid.across[0].extent, groups = problem.grid.lines / together;
    tile::run(problem, memory, claimed % groups * together, static_cast<int>(together), claimed / groups,
              order);
  }
};
/// Whether such a block can take the lines: their rows must be what lies in memory, and leave no pack whole.
template <class Problem>
bool in_rows(line_grid const& grid) {
  if (grid.axes == 0) return false;
  auto const lines = grid.across[0].extent;
  return lines <= chunk_of_rows<Problem>::most_lines && grid.across[0].stride.in == 1 &&
         magnitude(grid.in) == lines &&
         (Problem::what == line_result::total || (grid.across[0].stride.out == 1 && grid.out == grid.in));
}

/// Neighbouring lines that a thread takes as one, where memory has them side by side: 16 bytes of the widest.
template <class Problem>
inline constexpr int lines_of_pack = [] {
  auto const widest = std::max(
      {sizeof(typename Problem::raw), sizeof(typename Problem::out_value), sizeof(typename Problem::value)});
  bool const in_memory =
      std::is_pointer_v<decltype(Problem::in)> || std::is_pointer_v<decltype(Problem::out)>;
  return in_memory && widest <= 8 && (widest & (widest - 1)) == 0 ? static_cast<int>(16 / widest) : 1;
}();

/// How lanes stand to the lines of a problem: neighbouring lanes take what lies nearer.
template <class Problem>
typename line_window<Problem>::layout layout_of(line_grid const& grid) {
  constexpr bool total = Problem::what == line_result::total;
  auto const across = grid.axes > 0 ? grid.across[0].stride : line_place{1 << 30, 1 << 30, 0};
  bool const packed = grid.axes == 1 && grid.length <= line_window<Problem>::width &&
                      magnitude(grid.in) == 1 && across.in == grid.length &&
                      (total || (grid.in == grid.out && across.out == grid.length));
  return {magnitude(grid.in) < magnitude(across.in), !total && magnitude(grid.out) < magnitude(across.out),
          packed};
}

/// One launch of lines that are cut into chunks.
template <class Source, class Problem>
void split_lines(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  constexpr bool total = Problem::what == line_result::total;
  constexpr int V = lines_of_pack<Problem>;
  auto const& grid = problem.grid;
  auto const chunks = chunks_of_line<typename Problem::value>(grid.length);
  auto const launch = [&]<class Job>(std::type_identity<Job>, std::int64_t states, std::int64_t blocks,
                                     auto... more) {
    using state = typename Job::tile::state;
    chunk_order order{chunks};
    if (total || chunks == 1)
      return launch_job(call, stream, blocks, Job::threads, Job{problem, order, more...});
    order.words_of_line = state::words(chunks);
    launch_state<Source> kept(source, call, stream, states * order.words_of_line);
    order.words = kept.tiles();
    order.stamp = kept.stamp();
    order.tickets = kept.tickets();
    launch_job(call, stream, blocks, Job::threads, Job{problem, order, more...});
    kept.launched(blocks);
  };
  auto const how = layout_of<Problem>(grid);
  if (total ? how.in_along : how.out_along) {
    using job = split_lines_job<Problem>;
    launch(std::type_identity<job>{}, grid.lines, (grid.lines * chunks + job::warps - 1) / job::warps,
           chunks <= 64);
    return;
  }
  if (in_rows<Problem>(grid)) {
    using job = split_long_rows_job<Problem>;
    launch(std::type_identity<job>{}, grid.lines, grid.lines / grid.across[0].extent * chunks);
    return;
  }
  auto const columns = [&]<int Pack>(std::integral_constant<int, Pack>) {
    using job = split_columns_job<Problem, Pack>;
    launch(std::type_identity<job>{}, grid.lines / Pack, job::blocks_for(grid) * chunks);
  };
  if constexpr (V > 1)
    if (grid.across[0].extent % V == 0 && grid.across[0].stride.in == 1 &&
        (total || grid.across[0].stride.out == 1))
      return columns(std::integral_constant<int, V>{});
  columns(std::integral_constant<int, 1>{});
}

/// One launch of lines each of which is one chain.
template <class Problem>
void march_lines(char const* call, cudaStream_t stream, Problem const& problem) {
  auto const how = layout_of<Problem>(problem.grid);
  auto const lines = problem.grid.lines;
  if (how.in_along || how.out_along) {
    using job = march_windows_job<Problem>;
    launch_job(call, stream, (lines + job::threads - 1) / job::threads, job::threads, job{problem, how});
  } else {
    using job = march_lines_job<Problem>;
    launch_job(call, stream, (lines + job::threads - 1) / job::threads, job::threads, job{problem});
  }
}

template <class Problem>
void require_axis_reachable(char const* call, Problem const& problem) {
  if constexpr (std::is_pointer_v<decltype(problem.in)>) require_reachable(call, "in", problem.in);
  if constexpr (std::is_pointer_v<decltype(problem.out)>) require_reachable(call, "out", problem.out);
}

template <class Source, class... Tags, class Problem>
  requires(Problem::what != line_result::total)
void run_axis(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  if constexpr (has_checked<Tags...>) require_axis_reachable(call, problem);
  if (in_one_chain(problem.grid)) march_lines(call, policy.stream(), problem);
  else split_lines(policy.scratch_source(), call, policy.stream(), problem);
}

/// The totals of chunks, then the totals of those, until there are few enough for a chain. Those of a line's
/// chunks stand (chunks, lines).
template <class Source, class Problem>
void fold_chunks(Source const& source, char const* call, cudaStream_t stream, Problem const& problem,
                 typename Problem::value* totals) {
  using T = typename Problem::value;
  using In = decltype(problem.in);
  using Op = decltype(problem.op);
  using Unary = decltype(problem.unary);
  auto const& grid = problem.grid;
  if (in_one_chain(grid)) return march_lines(call, stream, problem);
  split_lines(source, call, stream,
              axis_problem<line_result::total, T, In, T*, Op, Unary, nothing_before>{
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
      axis_problem<line_result::total, T, T const*, decltype(problem.out), Op, identity,
                   decltype(problem.before)>{totals, problem.out, problem.op, {}, problem.before, next},
      totals + next.length * grid.lines);
}

template <class Source, class... Tags, class Problem>
  requires(Problem::what == line_result::total)
void run_axis(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using T = typename Problem::value;
  if constexpr (has_checked<Tags...>) require_axis_reachable(call, problem);
  std::int64_t totals = 0;
  auto level = problem.grid;
  while (!in_one_chain(level)) {
    level.length = chunks_of_line<T>(level.length);
    totals += level.length * level.lines;
  }
  if (totals == 0) return march_lines(call, policy.stream(), problem);
  with_memory<T>(policy, call, totals, [&](auto const& rest, T* memory) {
    fold_chunks(rest.scratch_source(), call, rest.stream(), problem, memory);
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
