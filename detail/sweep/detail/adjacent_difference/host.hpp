// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_ADJACENT_DIFFERENCE_HOST_HPP
#define SWEEP_DETAIL_ADJACENT_DIFFERENCE_HOST_HPP

#include <sweep/detail/adjacent_difference/problem.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/host/tile_size.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

/// The results of items [first, end), from the one whose neighbour is given on: the meaning of
/// adjacent_difference. An item is read before its place is written; where results lie elsewhere, neighbours
/// are read again, so that no result waits for another.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void write_differences(Problem const& problem, std::int64_t first, std::int64_t end,
                                typename Problem::raw neighbour) {
  if constexpr (Problem::in_contiguous && Problem::out_contiguous) {
    auto* __restrict const out = problem.out;
    auto const* __restrict const in = problem.in;
    if (first < end && !overlap(in, problem.grid.n, out, problem.grid.n)) {
      constexpr int next = Problem::backward ? 1 : -1, block = 64;
      auto const edge = Problem::backward ? end - 1 : first;
      auto op = problem.op;
      using result = typename Problem::out_value;
      out[edge] = static_cast<result>(op(in[edge], neighbour));
      auto i = first + (Problem::backward ? 0 : 1);
      auto const last = end - (Problem::backward ? 1 : 0);
      for (; i + block <= last; i += block) {  // of so many a compiler makes vectors without a remainder
        SWEEP_INDEPENDENT_ITEMS
        for (int k = 0; k < block; ++k) out[i + k] = static_cast<result>(op(in[i + k], in[i + k + next]));
      }
      for (; i < last; ++i) out[i] = static_cast<result>(op(in[i], in[i + next]));
      return;
    }
  }
  for (auto k = first; k < end; ++k) {
    auto const i = Problem::backward ? first + end - 1 - k : k;
    typename Problem::raw x = problem.in[i];
    problem.out[i] = problem.of(x, neighbour);
    neighbour = std::move(x);
  }
}
/// The same where the item without a neighbour is one of them.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void write_differences(Problem const& problem, std::int64_t first, std::int64_t end) {
  typename Problem::raw x = problem.in[problem.lone()];
  problem.out[problem.lone()] = problem.of_lone(x);
  write_differences(problem, first + (Problem::backward ? 0 : 1), end - (Problem::backward ? 1 : 0),
                    std::move(x));
}

/// One loop.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_adjacent_difference(seq_policy const&, char const*, Problem const& problem) {
  write_differences(problem, 0, problem.grid.n);
}

/// A loop for each tile, by whoever claims it; in place, after the tiles' neighbours have been kept.
template <class... Tags, class Problem>
void run_adjacent_difference(host_policy<Tags...> const& policy, char const*, Problem problem) {
  using raw = typename Problem::raw;
  auto const n = problem.grid.n;
  problem.grid.tile_items = host_tile_items(sizeof(raw));
  auto const tiles = problem.grid.tiles();
  std::vector<raw> kept;
  if (problem.in_place()) {
    kept.reserve(static_cast<std::size_t>(tiles));
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      auto const i = problem.neighbour_of_tile(tile);
      kept.push_back(problem.in[i < 0 || i >= n ? problem.lone() : i]);
    }
  }
  team members(policy.threads());
  members.for_each_tile(tiles, [&](std::int64_t tile) {
    auto const mine = problem;  // a copy: functors may have a state
    auto const window = mine.grid.window(tile);
    auto const first = window.base, end = window.base + window.valid_end, i = mine.neighbour_of_tile(tile);
    if (i < 0 || i >= n) write_differences(mine, first, end);
    else if (kept.empty()) write_differences(mine, first, end, mine.in[i]);
    else write_differences(mine, first, end, kept[static_cast<std::size_t>(tile)]);
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
