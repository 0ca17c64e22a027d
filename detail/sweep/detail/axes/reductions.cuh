// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_REDUCTIONS_CUH
#define SWEEP_DETAIL_AXES_REDUCTIONS_CUH

#include <sweep/detail/axes/jobs.cuh>
#include <sweep/detail/axes/layout.cuh>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// How the chunks of lines are shared out to blocks, of reductions above all: which lines have any, which
// blocks have whole lines, and who folds the totals of the others.

/// Of fewer chunks of a multiprocessor the last block, which folds their totals, is what takes the time: it
/// has more threads elsewhere.
inline constexpr std::int64_t few_chunks_of_columns = 4;

/// From how many bytes on narrow rows are: tests lower it.
inline std::int64_t fewest_bytes_of_narrow_rows = std::int64_t{8} << 20;

/// Whether chunks of a few lines that lie side by side are brought as they lie.
template <class Problem>
bool folds_rows_in_run(char const* call, Problem const& problem) {
  if constexpr (folded_columns<Problem>::possible) {
    using tile = folded_columns<Problem>;
    auto const& grid = problem.grid;
    if (!tile::lie_in_run(grid)) return false;
    auto const lines = grid.across[0].extent,
               chunks = chunks_of_line<typename Problem::value, line_result::total>(grid.length);
    // Rows that are vectors, with gaps between them, are less work as such.
    if (leading(grid.in) != lines && in_packs<lines_of_pack<Problem>>(problem)) return false;
    // Blocks of narrow items have more chunks each: of fewer bytes there are too few of them.
    if (tile::size <= 2 && grid.lines * grid.length * tile::size < fewest_bytes_of_narrow_rows) return false;
    return grid.lines / lines * chunks >= few_chunks_of_columns * multiprocessors(call);
  }
  return false;
}

/// Whether each line of a reduction is one chain. Where brackets do not show, long ones take less time in
/// chunks, as they lie, however many they are.
template <class Problem>
bool is_one_chain(Problem const& problem) {
  using lying = chunk_as_it_lies<Problem>;
  auto const& grid = problem.grid;
  if (!in_one_chain<typename Problem::value>(grid)) return false;
  if constexpr (words_of_rows<Problem>::possible && of_integers<typename Problem::value>) {
    // A thread for each word of lines would have too little on its way.
    constexpr std::int64_t long_line = 512;
    if (in_words_across(problem) && grid.length >= long_line && grid.lines < 2 * lines_that_fill_a_device)
      return false;
  }
  if constexpr (lying::possible && lying::any_brackets && !lying::narrow) {
    constexpr std::int64_t long_line = 3400;  // bytes
    return !(leading(grid.in) == 1 && layout_of(problem, false).in_along &&
             grid.length * static_cast<std::int64_t>(sizeof(typename Problem::in_memory)) > long_line);
  }
  return true;
}

/// How many chunks of a line that lies along the axis a block has. Those of a line that is folded are shared
/// out evenly: a block has them all where there are lines for all blocks that run at once, or for half of the
/// multiprocessors; else so many that these have some, and its warps one.
template <class Problem>
std::int64_t chunks_of_block(char const* call, Problem const& problem) {
  using job = split_lines_job<Problem>;
  using tile = typename job::tile;
  auto const chunks = chunks_of_line<typename Problem::value, Problem::what>(problem.grid.length),
             lines = problem.grid.lines;
  constexpr std::int64_t most = tile::most_chunks;
  if (Problem::what != line_result::total || chunks <= most) return std::min(chunks, most);
  std::int64_t const at_once = multiprocessors(call) * job::blocks;
  // A block alone has a multiprocessor's share of memory on its way where it folds lines as they lie: then
  // one for whole lines takes less time than those that leave totals for another.
  auto const enough = tile::lines_lie(problem.grid) ? multiprocessors(call) / 2 : at_once;
  if (chunks <= tile::most_totals && lines >= enough) return chunks;
  auto const each = std::clamp<std::int64_t>((chunks * lines + at_once - 1) / at_once, tile::warps, most),
             blocks = (chunks + each - 1) / each;
  return (chunks + blocks - 1) / blocks;
}

/// Whether blocks of a reduction have whole lines, though these are cut into chunks: then it is one launch.
template <class Problem>
bool folds_whole_lines(char const* call, Problem const& problem) {
  auto const chunks = chunks_of_line<typename Problem::value, Problem::what>(problem.grid.length);
  if (chunks == 1) return true;
  if (layout_of(problem, false).in_along) return chunks_of_block(call, problem) == chunks;
  return in_rows(problem) && split_long_rows_job<Problem>::chunks_of_block(problem.grid) >= chunks;
}

/// Whether the totals of a reduction's chunks are few: then the block that is the last to leave some folds
/// them.
template <class Problem>
bool folds_in_one_launch(Problem const& problem) {
  auto const& grid = problem.grid;
  return chunks_of_line<typename Problem::value, line_result::total>(grid.length) * grid.lines <= 4096;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
