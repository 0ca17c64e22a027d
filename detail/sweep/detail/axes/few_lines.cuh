// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_FEW_LINES_CUH
#define SWEEP_DETAIL_AXES_FEW_LINES_CUH

#include <sweep/detail/axes/jobs.cuh>
#include <sweep/detail/axes/launch_chunks.cuh>
#include <sweep/detail/axes/layout.cuh>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// One launch of few long lines by blocks of teams, where the device has room for such; else nothing, and
/// false. Which it is does not show in the bits.
template <class Job, class Source, class Problem>
bool columns_in_turns(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  using tile = typename Job::tile;
  using state = tile_state<typename tile::told, across_tiles::ordered_lookback>;
  if (!facts_of<Job>(call).fits) return false;
  auto const windows = windows_of<tile::lines_of_lane, tile::lanes>(problem);
  chunk_order order{chunks_of_line<typename Problem::value, Problem::what>(problem.grid.length)};
  auto const tiles = windows.count() * ((order.chunks + tile::chunks - 1) / tile::chunks),
             blocks = std::min<std::int64_t>(multiprocessors(call), tiles);
  order.words_of_state = state::words(order.chunks);
  launch_chunks(source, call, stream, order, windows.count() * tile::packs * order.words_of_state,
                tiles + blocks * Job::teams, [&](chunk_order const& told) {
                  launch_job(call, stream, blocks, Job::threads, Job{problem, told, windows, tiles},
                             Job::dynamic_bytes(0));
                });
  return true;
}

template <int Lines, int Packs, wait_in Where, class Source, class Problem>
bool teams_in_turns(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  return columns_in_turns<split_packs_in_turns_job<Problem, Lines, Packs, Where>>(source, call, stream,
                                                                                  problem);
}

/// Packs of lines that a team has lanes for.
inline constexpr int packs_of_team = 8;
/// Whether lines are so few, and so long, that their chunks wait for each other.
template <class Problem>
bool are_few_and_long(Problem const& problem) {
  constexpr std::int64_t few_lines = 128, few_chunks = 32;
  auto const& grid = problem.grid;
  return grid.axes > 0 && grid.lines <= few_lines &&
         chunks_of_line<typename Problem::value, Problem::what>(grid.length) > few_chunks;
}
/// Whether such lines go by teams of packs below, however narrow their items are.
template <class Problem>
bool go_by_teams(Problem const& problem) {
  if constexpr (constexpr int V = lines_of_pack<Problem>; V > 1)
    return are_few_and_long(problem) && in_packs<V>(problem) &&
           problem.grid.across[0].extent > V * packs_of_team / 8;
  else return false;
}

/// One launch of few long lines by blocks that stay, where whole vectors of them lie side by side, and rows
/// leave no lanes idle that other ways have work for; else nothing, and false. Which it is does not show in
/// the bits.
template <class Source, class Problem>
bool split_few_lines(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  constexpr int V = lines_of_pack<Problem>, of_arrays = lines_of_pack_in_shared<Problem>,
                packs = packs_of_team;
  auto const& grid = problem.grid;
  if (!are_few_and_long(problem)) return false;
  auto const& across = grid.across[0];
  if (Problem::looks && grid.axes > 1 && in_rows(problem)) return false;  // groups go as their rows lie
  // Rows of fewer lines than a team has lanes for have teams of fewer threads, and as many more of them.
  auto const by_teams = [&]<int Lines, wait_in Where>() {
    constexpr int lanes = Lines * packs;
    if (!in_packs<Lines>(problem)) return false;
    if (across.extent > lanes / 2 || !in_rows(problem))
      return teams_in_turns<Lines, packs, Where>(source, call, stream, problem);
    if (across.extent > lanes / 4)
      return teams_in_turns<Lines, packs / 2, Where>(source, call, stream, problem);
    return across.extent > lanes / 8 &&
           teams_in_turns<Lines, packs / 4, Where>(source, call, stream, problem);
  };
  if constexpr (V > 1) {
    using input = std::remove_const_t<decltype(problem.in)>;
    if constexpr (vectors_in_shared<input, V, 1, 1>::exist) {
      return by_teams.template operator()<V, wait_in::both>();
    } else {
      if constexpr (of_arrays > 1)
        if (by_teams.template operator()<of_arrays, wait_in::shared_by_chunks>()) return true;
      return by_teams.template operator()<V, wait_in::registers>();
    }
  } else if constexpr (chunk_of_columns<Problem, 1, packs, wait_in::both>::waits_as_fetched) {
    if (leading(across.stride.in) == 1 && on_items(problem.memory()) &&
        (across.extent % packs == 0 || !in_rows(problem)))
      return teams_in_turns<1, packs, wait_in::both>(source, call, stream, problem);
  }
  return false;
}

/// One launch of few long lines whose rows are one run in memory, where a block has room for some chunks of
/// all of them; else nothing, and false. Which it is does not show in the bits.
template <bool Clusters, class Source, class Problem>
bool split_dense_rows_among(Source const& source, char const* call, cudaStream_t stream,
                            Problem const& problem) {
  if constexpr (chunks_of_dense_rows<Problem>::possible) {
    using job = split_dense_rows_job<Problem, Clusters>;
    using tile = typename job::tile;
    auto const& grid = problem.grid;
    chunk_order order{chunks_of_line<typename Problem::value, Problem::what>(grid.length)};
    auto const extent = grid.across[0].extent;
    if (extent < tile::least_lines || extent > tile::most_lines || !arrays_on_items(problem)) return false;
    int const lines = static_cast<int>(extent);
    auto const groups = grid.lines / lines;
    auto const [arch, fits] = facts_of<job>(call);
    int const room = job::shared_bytes(arch) / job::blocks - job::kept;
    auto how = tile::layout_of(lines, room, order.chunks * groups, multiprocessors(call));
    if (!fits || how.bytes() > static_cast<int>(job::dynamic_bytes(arch))) return false;
    auto const bytes = static_cast<std::size_t>(how.bytes());
    int const threads = job::threads_for(arch, how.bytes());
    if constexpr (Clusters) {
      // Where warps would tell of several packs of lines in turn, each of which waits, blocks share them.
      constexpr int cluster_bits = 3;
      how.cluster_bits = std::min(cluster_bits, 5 - how.bits);
      if (arch < first_arch_with_clusters || tile::packs_of(lines) <= threads / 32 ||
          order.chunks <= how.each << how.cluster_bits)
        return false;
    }
    int const cluster = 1 << how.cluster_bits, told = how.each * cluster;
    auto const tiles = groups * ((order.chunks + told - 1) / told);
    if (order.chunks == 1) {
      launch_job(call, stream, tiles, threads, job{problem, order, how, groups}, bytes);
      return true;
    }
    // Packs of values begin on boundaries of 16 bytes.
    order.words_of_state =
        (told_by_tiles<typename tile::told>::words(order.chunks, how.bits + how.cluster_bits) + 1) / 2 * 2;
    launch_chunks(source, call, stream, order, groups * tile::packs_of(lines) * order.words_of_state, tiles,
                  [&](chunk_order const& with_state) {
                    launch_job(call, stream, tiles * cluster, threads, job{problem, with_state, how, groups},
                               bytes, blocks_are::independent, cluster);
                  });
    return true;
  } else {
    return false;
  }
}
template <class Source, class Problem>
bool split_dense_rows(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  // Of values of 4 bytes a warp tells of two lines: there are no more packs than warps.
  if constexpr (sizeof(typename Problem::value) > 4)
    if (split_dense_rows_among<true>(source, call, stream, problem)) return true;
  return split_dense_rows_among<false>(source, call, stream, problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
