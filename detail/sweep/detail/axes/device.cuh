// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_DEVICE_CUH
#define SWEEP_DETAIL_AXES_DEVICE_CUH

#include <sweep/detail/axes/few_lines.cuh>
#include <sweep/detail/axes/jobs.cuh>
#include <sweep/detail/axes/launch_chunks.cuh>
#include <sweep/detail/axes/layout.cuh>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/reductions.cuh>
#include <sweep/detail/axes/rows_as_segments.cuh>
#include <sweep/detail/axes/tables.cuh>
#include <sweep/detail/axes/tile/copied_windows.cuh>
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

/// One launch of long lines that pass through the stages of a pipeline, where the device has those and there
/// are more tiles than blocks of one each would run at once; else nothing, and false. Which it is does not
/// show in the bits.
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
  if (tiles <= split_lines_job<Problem>::blocks * blocks) return false;
  order.words_of_state = state::words(order.chunks);
  launch_chunks(
      source, call, stream, order, grid.lines * order.words_of_state,
      tiles + pipeline_tickets(blocks, job::layout::stages), [&](chunk_order const& told) {
        launch_job(call, stream, blocks, job::threads, job{problem, told, tiles}, job::layout::shared_bytes);
      });
  return true;
}

/// One launch of lines that are one run in memory.
template <class Problem>
void lines_in_runs(char const* call, cudaStream_t stream, Problem const& problem, int beside, int chunks) {
  using job = march_runs_job<Problem>;
  auto const lines = problem.grid.lines;
  typename job::tile const tile{problem.grid.length, beside, chunks};
  int of_block = tile.lines();
  // Whole turns of its warps, and no more than all blocks at once have.
  if (int const turn = tile.lines_of_turn(); chunks > 0 || of_block > turn) {
    auto const most = std::min<std::int64_t>(of_block, lines / (multiprocessors(call) * job::blocks));
    of_block = static_cast<int>(std::max<std::int64_t>(most / turn, 1)) * turn;
  }
  launch_job(call, stream, (lines + of_block - 1) / of_block, job::threads, job{problem, tile, of_block},
             tile.shared_bytes(of_block));
}

/// One launch of narrow lines side by side whose rows are one run in memory, by tiles of as many rows as a
/// block has room for; else nothing, and false.
template <class Source, class Problem>
bool scan_rows(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  if constexpr (scanned_rows<Problem>::possible) {
    using job = scan_rows_job<Problem>;
    using tile = typename job::tile;
    if (!tile::lie_so(problem, multiprocessors(call))) return false;
    auto const how = tile::layout_of(problem);
    auto const lines = problem.grid.across[0].extent, blocks = tile::tiles_of(problem, how),
               across = blocks / how.chunks;
    chunk_order order{how.chunks};
    auto const launch = [&](chunk_order const& told) {
      launch_job(call, stream, blocks, job::threads, job{problem, told, how, across}, job::dynamic_bytes(0));
    };
    if (order.chunks == 1) {
      launch(order);
      return true;
    }
    order.words_of_state =
        tile_state<typename tile::told, across_tiles::ordered_lookback>::words(order.chunks);
    launch_chunks(source, call, stream, order,
                  across * tile::rows_tile::packs_of(lines) * order.words_of_state, blocks, launch);
    return true;
  } else {
    return false;
  }
}
/// Whether lines go so that would be one chain each; packs of them are less work as such.
template <class Problem>
bool wants_scanned_rows(char const* call, Problem const& problem) {
  return scanned_rows<Problem>::lie_so(problem, multiprocessors(call)) &&
         !in_packs<lines_of_pack<Problem>>(problem);
}

template <class Source, class Problem, class Launch>
void split_lines_across(Source const& source, char const* call, cudaStream_t stream, Problem const& problem,
                        std::int64_t chunks, Launch const& launch);

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
    int threads = Job::threads;
    if constexpr (requires { Job::threads_for(grid); }) threads = Job::threads_for(grid);
    if constexpr (requires { Job::bytes_for(grid); }) dynamic = Job::bytes_for(grid);
    else if constexpr (requires { Job::dynamic_bytes(0); }) dynamic = Job::dynamic_bytes(0);
    chunk_order order{chunks};
    order.totals = totals;
    if constexpr (total) {
      if (totals == nullptr || !folds_in_one_launch(problem))
        return launch_job(call, stream, blocks, threads, Job{problem, order, more...}, dynamic);
      launch_state<Source> kept(source, call, stream, 0);
      order.arrivals = kept.tickets();
      launch_job(call, stream, blocks, threads, Job{problem, order, more...}, dynamic);
      return kept.launched(blocks);
    }
    if (states == 0) return launch_job(call, stream, blocks, threads, Job{problem, order, more...}, dynamic);
    order.words_of_state = state::words(chunks);
    launch_chunks(source, call, stream, order, states * order.words_of_state, blocks,
                  [&](chunk_order const& told) {
                    launch_job(call, stream, blocks, threads, Job{problem, told, more...}, dynamic);
                  });
  };
  if (!go_by_teams(problem) && scan_rows(source, call, stream, problem)) return;
  if (auto const beside = in_runs_of_strips(problem); beside > 0)
    return lines_in_runs(call, stream, problem, static_cast<int>(beside), static_cast<int>(chunks));
  auto const how = layout_of(problem, false);
  if (total ? how.in_along : how.out_along) {
    using job = split_lines_job<Problem>;
    if constexpr (fits_stages<Problem>)
      if (chunks > job::tile::most_chunks && magnitude(grid.in) == 1 && grid.in == grid.out &&
          stage_lines(source, call, stream, problem))
        return;
    auto const each = chunks_of_block(call, problem), parts = (chunks + each - 1) / each;
    // Several whole lines where not all blocks of one would run at once. Blocks have the most only where then
    // they all do: the last of larger ones would run alone for longer.
    using tile = typename job::tile;
    bool const lie = tile::lines_lie(grid), usual = tile::folds_lying && !tile::lying::narrow && !lie;
    std::int64_t const together = usual ? tile::most_chunks : tile::most_together,
                       in_waves = tile::most_in_waves, at_once = multiprocessors(call) * job::blocks,
                       wanted = (grid.lines + at_once - 1) / at_once,
                       room = wanted * each <= together ? together : std::min(together, in_waves),
                       most = (room << (5 - tile::lane_bits_of(grid.length))) / each,
                       lines = parts > 1 ? 1 : std::max<std::int64_t>(1, std::min(most, wanted));
    auto as_laid_out = how;
    as_laid_out.lie = lie;
    launch(std::type_identity<job>{}, parts > 1 ? grid.lines : 0, (grid.lines + lines - 1) / lines * parts,
           as_laid_out, static_cast<int>(lines), static_cast<int>(each), at_once);
    return;
  }
  if constexpr (!lie_one_by_one<Problem>) split_lines_across(source, call, stream, problem, chunks, launch);
}

/// The same where neighbours lie across lines, of so many chunks each: by launch(job, how many totals are
/// told to others, blocks, ...).
template <class Source, class Problem, class Launch>
void split_lines_across(Source const& source, char const* call, cudaStream_t stream, Problem const& problem,
                        std::int64_t chunks, Launch const& launch) {
  constexpr bool total = Problem::what == line_result::total;
  auto const& grid = problem.grid;
  if constexpr (folded_columns<Problem>::possible) {
    using tile = folded_columns<Problem>;
    bool const whole_lines = chunks > 1 && folds_whole_lines(call, problem);
    if (!whole_lines && folds_rows_in_run(call, problem)) {
      auto const beside = grid.across[0].extent, windows = grid.lines / beside;
      int const width = tile::width(beside), of_block = tile::chunks(width);
      auto const blocks = windows * ((chunks + of_block - 1) / of_block);
      if constexpr (Problem::of_memory && !tile::of_words)
        return launch(std::type_identity<fold_columns_job<Problem, true>>{}, 0, blocks, width, windows);
    }
    if constexpr (!tile::only_in_run) {
      int const width = tile::width(grid.lines), of_block = tile::chunks(width);
      auto const windows = tile::windows(grid.lines), blocks = windows * ((chunks + of_block - 1) / of_block);
      if (windows * chunks >= few_chunks_of_columns * multiprocessors(call) && !in_rows(problem) &&
          tile::lie_in_words(problem))
        return launch(std::type_identity<fold_columns_job<Problem, false>>{}, 0, blocks, width, windows);
    }
  }
  if (in_rows(problem)) {
    if constexpr (!total)
      if (split_few_lines(source, call, stream, problem) || split_dense_rows(source, call, stream, problem))
        return;
    // Where all dense rows of no more lines go as they lie, the few others are windows' below.
    using tile = chunks_of_rows<Problem>;
    if constexpr (total || !chunks_of_dense_rows<Problem>::possible || tile::most_lines > tile::few_lines) {
      using job = split_long_rows_job<Problem>;
      auto const each = job::chunks_of_block(grid);
      return launch(std::type_identity<job>{}, chunks > 1 ? job::states(grid) : 0,
                    job::blocks_across(grid) * ((chunks + each - 1) / each));
    }
  }
  if constexpr (words_of_rows<Problem>::possible)
    if (in_words_across(problem)) {
      auto const words = words_of_rows<Problem>::of(grid);
      auto const windows = chunk_of_words<Problem>::windows_of(words);
      return launch(std::type_identity<split_words_job<Problem>>{}, 0, windows * chunks, words,
                    bytes_of_input(problem), windows);
    }
  auto const tell_lane_by_lane = [&]<class Job>(std::type_identity<Job>, auto const& windows,
                                                std::int64_t words, std::size_t dynamic) {
    using tile = typename Job::tile;
    auto const of_line = tile::chunks_of(grid.length);
    auto const blocks = windows.count * of_line;
    launch_chunks(source, call, stream, chunk_order{of_line}, blocks * words, blocks,
                  [&](chunk_order const& told) {
                    launch_job(call, stream, blocks, Job::threads,
                               Job{problem, told, windows, bytes_of_input(problem), of_line}, dynamic);
                  });
  };
  if constexpr (narrow_chunks<Problem>::possible)
    if (in_narrow_chunks(problem))
      return tell_lane_by_lane(std::type_identity<scan_narrow_chunks_job<Problem>>{},
                               narrow_window<Problem>::windows_of(problem),
                               narrow_chunks<Problem>::words_of_state, 0);
  if constexpr (scanned_word_chunks<Problem>::possible)
    if (in_words_across(problem)) {
      using job = scan_word_chunks_job<Problem>;
      constexpr std::int64_t few_windows = 8;  // of which the chunks wait for each other
      if (auto const windows = job::tile::windows_of(problem); windows.count >= few_windows)
        return tell_lane_by_lane(std::type_identity<job>{}, windows,
                                 job::tile::words * slots<typename job::tile::pack>::words,
                                 job::dynamic_bytes(0));
    }
  if constexpr (!total)
    if (split_few_lines(source, call, stream, problem)) return;
  auto const in_windows = [&]<class Job>(std::type_identity<Job> job) {
    using tile = typename Job::tile;
    auto const windows = windows_of<tile::lines_of_lane, tile::lanes>(problem);
    launch(job, chunks > 1 ? windows.count() * tile::packs : 0,
           windows.count() * ((chunks + tile::chunks - 1) / tile::chunks), windows);
  };
  constexpr int V = lines_of_pack<Problem>, of_arrays = lines_of_pack_in_shared<Problem>;
  // Of fewer lines, whose chunks wait for each other, totals of so many lines at a time are too much to ask
  // for.
  constexpr std::int64_t many_lines = 512;
  if constexpr (of_arrays > 1)
    if (grid.lines > many_lines && in_packs<of_arrays>(problem)) {
      constexpr int packs = packs_in_shared<Problem>;
      return in_windows(
          std::type_identity<split_packs_job<Problem, of_arrays, packs, wait_in::shared_memory>>{});
    }
  // What is looked at before results are written takes the registers of packs.
  if constexpr (V > 1 && !Problem::looks)
    if (in_packs<V>(problem)) return in_windows(std::type_identity<split_packs_job<Problem, V, 8>>{});
  if constexpr (fills_words<typename Problem::value> && sizeof(typename Problem::value) == 16) {
    in_windows(std::type_identity<split_packs_job<Problem, 1, 8>>{});
  } else {
    in_windows(std::type_identity<split_columns_job<Problem>>{});
  }
}

template <class Problem, class Launch>
void march_lines_across(char const* call, cudaStream_t stream, Problem const& problem, Launch const& launch);

/// One launch of lines each of which is one chain.
template <class Problem>
void march_lines(char const* call, cudaStream_t stream, Problem const& problem) {
  auto const lines = problem.grid.lines;
  auto const launch = [&]<class Job>(std::int64_t threads, Job const& job) {
    launch_job(call, stream, (threads + Job::threads - 1) / Job::threads, Job::threads, job);
  };
  if constexpr (sizeof(typename Problem::value) <= widest_in_chunks) {
    if constexpr (folded_runs<Problem>::possible)
      if (folded_runs<Problem>::are_worth(problem)) {
        using job = fold_runs_job<Problem>;
        auto const runs = job::tile::of(problem.grid.length);
        auto const of_block = std::int64_t{job::tile::warps} * runs.lines();
        return launch_job(call, stream, (lines + of_block - 1) / of_block, job::threads,
                          job{problem, runs, bytes_of_input(problem)},
                          static_cast<std::size_t>(job::tile::warps * runs.bytes_of_warp()));
      }
    if constexpr (folded_lines<Problem>::possible) {
      constexpr std::int64_t short_line = Problem::makes_of_memory ? 64 : 256;  // bytes
      auto const line_bytes =
          problem.grid.length * static_cast<std::int64_t>(sizeof(typename Problem::in_memory));
      if (leading(problem.grid.in) == 1 && on_items(problem.memory()) && are_worth_folding(problem)) {
        if (line_bytes >= short_line)
          return launch(lines, fold_lines_job<Problem>{problem, bytes_of_input(problem)});
        // Shared memory has room for few values that are made of less, and caches keep what threads share.
        if constexpr (Problem::makes_of_memory) {
          auto const windows = windows_of<1, 32>(problem);
          return launch(32 * windows.count(), march_columns_job<Problem>{problem, windows});
        }
      }
    }
    if constexpr (comes_in_copied_windows<Problem>)
      if (auto const how = layout_of(problem, true);
          how.in_along && how.out_along &&
          (copied_windows<Problem>::are_worth(problem.grid.length) ||
           (lie_one_by_one<Problem> && !in_runs(problem)))) {
        // In small blocks, so that the warps of 2^16 lines may be on all multiprocessors at once.
        constexpr int of_warp = copied_windows<Problem>::lines_of_warp;
        using job = lines_of_warps_job<Problem, copied_windows<Problem>, line_layout, 8, 2, of_warp>;
        return launch((lines + of_warp - 1) / of_warp * 32, job{problem, how});
      }
    // Of long lines of single numbers a block has too few for its threads: they go in windows.
    constexpr std::int64_t long_chain = Problem::what != line_result::total &&
                                                sizeof(typename Problem::value) == 4 &&
                                                sizeof(typename Problem::raw) == 4
                                            ? 1000
                                            : std::int64_t{1} << 62;
    if (auto const beside = in_whole_windows(problem) ? 0
                            : in_runs(problem)        ? problem.grid.length < long_chain
                                                      : beside_in_runs(problem);
        beside > 0)
      return lines_in_runs(call, stream, problem, static_cast<int>(beside), 0);
    if constexpr (gathered_lines<Problem>::possible)
      if (gathered_lines<Problem>::are_worth(problem, layout_of(problem, true), multiprocessors(call))) {
        using job = gather_lines_job<Problem>;
        auto const of_block = job::tile::lines(static_cast<int>(problem.grid.length));
        return launch_job(call, stream, (lines + of_block - 1) / of_block, job::threads, job{problem},
                          job::dynamic_bytes(0));
      }
    if constexpr (!(comes_in_copied_windows<Problem> && lie_one_by_one<Problem>))
      if (auto const how = layout_of(problem, true); how.in_along || how.out_along)
        return launch(lines, march_windows_job<Problem>{problem, how});
  }
  if constexpr (!lie_one_by_one<Problem>) march_lines_across(call, stream, problem, launch);
}

/// The same where neighbours lie across lines: by launch(threads, job).
template <class Problem, class Launch>
void march_lines_across(char const* call, cudaStream_t stream, Problem const& problem, Launch const& launch) {
  auto const lines = problem.grid.lines;
  if constexpr (words_of_rows<Problem>::possible)
    if (in_words_across(problem) && words_of_rows<Problem>::are_worth(problem.grid.length)) {
      constexpr std::int64_t short_line = 16;
      auto const words = words_of_rows<Problem>::of(problem.grid);
      auto const array = bytes_of_input(problem);
      if (problem.grid.length <= short_line)
        return launch(words.count, march_words_job<Problem, short_line>{problem, words, array});
      return launch(words.count, march_words_job<Problem, 32>{problem, words, array});
    }
  bool const short_ones = in_short_lines(problem);
  if constexpr (narrow_chains<Problem>::possible)
    if (lines >= lines_that_fill_a_device &&
        narrow_chains<Problem>::are_worth(problem.grid.length, short_ones) &&
        (short_ones || !in_dense_rows(problem)) && in_narrow_windows(problem, short_ones)) {
      using job = scan_narrow_chains_job<Problem>;
      auto const windows = job::tile::window::windows_of(problem);
      return launch_job(call, stream, (windows.count + job::warps - 1) / job::warps, job::threads,
                        job{problem, windows, bytes_of_input(problem)});
    }
  if constexpr (scanned_words<Problem>::possible)
    if (scanned_words<Problem>::are_many(problem.grid) && in_words_across(problem)) {
      using job = scan_words_job<Problem>;
      auto const windows = job::tile::windows_of(problem, multiprocessors(call));
      return launch_job(call, stream, lines / windows.extent * windows.of_row, windows.threads,
                        job{problem, windows, bytes_of_input(problem)},
                        job::tile::shared_bytes(windows.threads));
    }
  auto const windows = windows_of<1, 32>(problem);
  constexpr bool writes_blocks =
      std::is_pointer_v<decltype(problem.in)> && std::is_pointer_v<decltype(problem.out)> &&
      Problem::what != line_result::total && sizeof(typename Problem::value) <= 8 &&
      sizeof(typename Problem::out_value) >= 4;  // else windows do not overlap
  if constexpr (writes_blocks)
    if (windows.sector > 1 && in_dense_rows(problem) && !short_ones) {
      // Of blocks of whole rows no multiprocessor may have many more than others.
      std::int64_t const at_once = multiprocessors(call), each = (windows.rows + at_once - 1) / at_once;
      using job = march_rows_job<Problem>;
      if (windows.rows >= at_once && 4 * windows.rows >= 3 * each * at_once)
        return launch_job(call, stream, windows.rows, job::tile::threads(windows.extent), job{problem},
                          job::tile::shared_bytes(windows.extent));
    }
  constexpr int V = lines_of_pack<Problem>;
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
  if constexpr (writes_blocks)
    if (windows.sector > 1 && memory_on_items(problem)) {
      using job = march_blocks_job<Problem>;
      int const threads = job::tile::threads(lines, windows.sector, multiprocessors(call));
      return launch_job(call, stream, job::tile::blocks(lines, windows.sector, threads), threads,
                        job{problem, windows.sector});
    }
  if constexpr (march_columns_job<Problem, true>::possible) {
    using job = march_columns_job<Problem, true>;
    if (problem.grid.length <= job::longest_short) return launch(32 * windows.count(), job{problem, windows});
  }
  launch(32 * windows.count(), march_columns_job<Problem>{problem, windows});
}

template <class Source, class... Tags, class Problem>
  requires(Problem::what != line_result::total)
void run_axis(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using T = typename Problem::value;
  if constexpr (has_checked<Tags...>) require_axis_reachable(call, problem);
  if (scan_rows_as_segments(policy, call, problem)) return;
  if constexpr (sizeof(T) <= widest_in_chunks)
    if (!in_one_chain<T>(problem.grid) || wants_word_chunks(problem) || wants_narrow_chunks(problem) ||
        wants_scanned_rows(call, problem))
      return split_lines(policy.scratch_source(), call, policy.stream(), problem);
  march_lines(call, policy.stream(), problem);
}

/// The totals of chunks, then the totals of those, until there are few enough for a chain. Those of a line's
/// chunks stand (chunks, lines).
template <class Source, class Problem>
void fold_chunks(Source const& source, char const* call, cudaStream_t stream, Problem const& problem,
                 typename Problem::value* totals) {
  using T = typename Problem::value;
  auto const& grid = problem.grid;
  if (is_one_chain(problem)) return march_lines(call, stream, problem);
  if (folds_whole_lines(call, problem)) return split_lines(source, call, stream, problem);
  split_lines(source, call, stream, problem, totals);
  if (folds_in_one_launch(problem)) return;
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
  if (reduce_rows_as_segments(policy, call, problem)) return;
  if constexpr (sizeof(T) <= widest_in_chunks) {
    if (!is_one_chain(problem)) {
      if (folds_whole_lines(call, problem))
        return split_lines(policy.scratch_source(), call, policy.stream(), problem);
      auto level = problem.grid;
      std::int64_t totals = 0;
      do {
        level.length = chunks_of_line<T, line_result::total>(level.length);
        totals += level.length * level.lines;
      } while (chunks_of_line<T, line_result::total>(level.length) > 1);
      return with_memory<T>(policy, call, totals, [&](auto const& rest, T* memory) {
        fold_chunks(rest.scratch_source(), call, rest.stream(), problem, memory);
      });
    }
  }
  march_lines(call, policy.stream(), problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
