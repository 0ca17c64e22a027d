// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_HOST_HPP
#define SWEEP_DETAIL_AXES_HOST_HPP

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_axis(seq_policy const&, char const*, Problem const& given) {
  if (only_obtains()) return;
  auto const problem = given;
  for (std::int64_t line = 0; line < problem.grid.lines; ++line) {
    auto const at = problem.grid.place(line);
    auto sum = problem.before_line(at);
    walk_line(problem, at, 0, problem.grid.length, sum);
    if constexpr (Problem::what == line_result::total) problem.put(at.out, sum.value);
  }
}

/// Lines that a host thread advances together: their items are neighbours in memory, or else their chains of
/// operations overlap.
inline constexpr int host_lines_together = 64;

/// Neighbouring lines, an item of each at a time.
template <class Problem>
void walk_lines_together(Problem const& given, std::int64_t line, int lines) {
  using T = typename Problem::value;
  auto const problem = given;  // a copy: functors may have a state
  auto op = problem.op;
  auto const& grid = problem.grid;
  line_place at[host_lines_together];
  optional<T> sum[host_lines_together];
  for (int b = 0; b < lines; ++b) {
    at[b] = grid.place(line + b);
    sum[b] = problem.before_line(at[b]);
  }
  for (std::int64_t i = 0; i < grid.length; ++i)
    for (int b = 0; b < lines; ++b) {
      T const result = next_of_line<Problem::what>(sum[b], problem.item(at[b].in + i * grid.in), op);
      if constexpr (Problem::what != line_result::total) problem.put(at[b].out + i * grid.out, result);
    }
  if constexpr (Problem::what == line_result::total)
    for (int b = 0; b < lines; ++b) problem.put(at[b].out, sum[b].value);
}

/// Lines are shared out; where they are few and long, chunks of them are, once for their totals and once for
/// the results. Which of the two is a matter of extents alone.
template <class... Tags, class Problem>
void run_axis(host_policy<Tags...> const& policy, char const* call, Problem const& given) {
  using T = typename Problem::value;
  if constexpr (!std::is_default_constructible_v<T> || !std::is_copy_assignable_v<T>) {
    run_axis(seq, call, given);
  } else {
    constexpr std::int64_t chunk = 1 << 14, enough_lines = 256;
    auto const& grid = given.grid;
    team members(policy.threads());
    auto const chunks = (grid.length + chunk - 1) / chunk;
    if (chunks == 1 || grid.lines >= enough_lines) {
      bool const along = grid.axes == 0 || magnitude(grid.in) < magnitude(grid.across[0].stride.in);
      std::int64_t const together = along ? 4 : host_lines_together;
      members.for_each_tile((grid.lines + together - 1) / together, [&](std::int64_t tile) {
        auto const first = tile * together;
        walk_lines_together(given, first, static_cast<int>(std::min(together, grid.lines - first)));
      });
      return;
    }
    // (lines, chunks) totals, then what comes before each chunk.
    call_array<optional<T>> const of_chunks(static_cast<std::size_t>(chunks * grid.lines));
    auto* const totals = of_chunks->data();
    members.for_each_tile(chunks * grid.lines, [&](std::int64_t tile) {
      auto const mine = given;
      auto const first = tile % chunks * chunk, end = std::min(grid.length, first + chunk);
      auto const at = grid.place(tile / chunks);
      auto op = mine.op;
      optional<T> sum{};
      for (auto i = first; i < end; ++i) sum = {combine(sum, mine.item(at.in + i * grid.in), op), true};
      totals[tile] = sum;
    });
    if (only_obtains()) return;
    auto op = given.op;
    for (std::int64_t line = 0; line < grid.lines; ++line) {
      auto const at = grid.place(line);
      auto before = given.before_line(at);
      for (std::int64_t c = 0; c < chunks; ++c) {
        auto const with = combine(before, totals[line * chunks + c], op);
        totals[line * chunks + c] = before;
        before = with;
      }
      if constexpr (Problem::what == line_result::total) given.put(at.out, before.value);
    }
    if constexpr (Problem::what != line_result::total)
      members.for_each_tile(chunks * grid.lines, [&](std::int64_t tile) {
        auto const mine = given;
        auto const first = tile % chunks * chunk;
        auto sum = totals[tile];
        walk_line(mine, grid.place(tile / chunks), first, std::min(grid.length, first + chunk), sum);
      });
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
