// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_HOST_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_HOST_HPP

#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/tridiagonal/block.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/host_lanes.hpp>
#include <sweep/detail/tridiagonal/host_system.hpp>
#include <sweep/detail/tridiagonal/lanes.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/policy.hpp>

#include <algorithm>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Where the systems are that begin in rows [begin, end) of what is cut: f(first, n).
template <class Problem, class F>
void for_each_cut_system(Problem const& problem, std::int64_t begin, std::int64_t end, F f) {
  auto const next_cut = [&](std::int64_t row, std::int64_t before) {
    while (row < before && !problem.cuts(row)) ++row;
    return row;
  };
  for (auto first = next_cut(begin, end); first < end;) {
    auto const behind = next_cut(first + 1, problem.layout.n);
    f(first, behind - first);
    first = behind;
  }
}

/// What tells of zero pivots at the end of a call.
template <class Problem>
void tell_singular(Problem const& problem, std::int64_t first) {
  if (problem.first_singular) *problem.first_singular = std::min(*problem.first_singular, first);
}

/// Whether threads work on several systems, or chunks of one, at a time.
template <class Problem>
inline constexpr bool works_in_lanes = real_number<typename Problem::number>;
template <class Problem>
struct no_lanes {
  using number = typename Problem::number;
  static constexpr int count = 1;
};
template <class Problem>
using lanes_if_any = std::conditional_t<works_in_lanes<Problem>, host_lanes<Problem>, no_lanes<Problem>>;

/// What a call's threads solve whole systems in, and what they find.
template <class Problem>
struct host_batch_memory {
  using lanes = lanes_if_any<Problem>;
  std::int64_t rows;
  int members;
  host_kept_of<Problem> kept;
  call_array<kept_row<typename lanes::number>> kept_in_lanes;
  call_array<first_of_rows> singular;

  host_batch_memory(Problem const& problem, std::int64_t most_rows, int most_members, bool in_lanes)
      : rows{most_rows},
        members{most_members},
        kept(rows, members, keeps_in_place(problem)),
        kept_in_lanes(static_cast<std::size_t>(in_lanes ? rows * members : 0)),
        singular(static_cast<std::size_t>(members)) {
    if (only_obtains()) return;
    std::fill(singular->data(), singular->data() + members, first_of_rows{});
  }
  auto kept_of(int member) const { return kept.of(member); }
  kept_row<typename lanes::number>* kept_in_lanes_of(int member) const {
    return kept_in_lanes->data() + member * rows;
  }
  first_of_rows& singular_of(int member) const { return singular->data()[member]; }
  first_of_rows all_singular() const {
    first_of_rows all;
    for (int member = 0; member < members; ++member) all.note(singular_of(member).first());
    return all;
  }
};

/// A system is shared among all members where it has so many rows; none that threads would work on singly
/// where there are enough for a team.
inline constexpr std::int64_t least_shared_rows = 1 << 16;
template <class Problem>
bool is_shared_among_host(Problem const& problem) {
  return problem.layout.n >= least_shared_rows && problem.layout.solves() < 8;
}

/// How the solves of a batch are shared out: as many at a time as there are lanes. Those of one matrix are in
/// one group, or in groups that follow each other, so that it is read from far once.
template <class Problem>
struct host_groups {
  static constexpr int lanes = lanes_if_any<Problem>::count;
  bool in_lanes;      ///< where it is worth it, and what is kept of all lanes is not too much
  bool side_by_side;  ///< whether a group's systems are neighbours in memory
  std::int64_t most;  ///< solves of a group
  std::int64_t count;

  explicit host_groups(system_layout const& layout)
      : in_lanes{works_in_lanes<Problem> && layout.n < least_shared_rows &&
                 layout.solves() >= lanes_worth_it<lanes>},
        side_by_side{in_lanes && layout.system_stride == 1 && layout.systems >= lanes_worth_it<lanes>},
        most{in_lanes ? lanes : 1},
        count{side_by_side ? (layout.systems + most - 1) / most * layout.rights
                           : (layout.solves() + most - 1) / most} {}

  void solve(Problem const& mine, std::int64_t group, host_batch_memory<Problem> const& memory,
             int member) const {
    auto const& layout = mine.layout;
    auto const first = side_by_side ? group / layout.rights * most : group * most;
    auto const end = std::min(first + most, side_by_side ? layout.systems : layout.solves());
    if constexpr (!works_in_lanes<Problem>) {
      for (auto k = first; k < end; ++k)
        solve_one_system(mine, mine.place_of(k), memory.kept_of(member), memory.singular_of(member));
    } else {
      auto const place = [&](std::int64_t k) {
        return side_by_side ? mine.place_of(group % layout.rights, k)
                            : mine.place_of(k % layout.rights, k / layout.rights);
      };
      if (in_lanes && end - first >= lanes_worth_it<lanes>) {
        host_lanes<Problem> all{&mine, {}, {}, layout.n, 0, side_by_side};
        for (auto k = first; k < end; ++k) all.add(place(k), 0);
        return solve_lanes_of_systems(all, memory.kept_in_lanes_of(member), memory.singular_of(member));
      }
      for (auto k = first; k < end; ++k)
        solve_one_system(mine, place(k), memory.kept_of(member), memory.singular_of(member));
    }
  }
};

/// Rows of a chunk of a system that is shared among all members. Results depend on it.
template <class Problem>
inline constexpr std::int64_t host_chunk_rows = works_in_lanes<Problem> ? 1 << 10 : 1 << 13;
/// Memory that large systems of at most so many rows are solved in by all members.
template <class Problem>
struct host_shared_memory {
  using number = typename Problem::number;
  static constexpr auto chunk_rows = host_chunk_rows<Problem>;
  static constexpr int lanes = lanes_if_any<Problem>::count;
  call_array<typename chain_links<number>::link> links;
  host_batch_memory<Problem> of_members;

  static std::int64_t chunks_of(std::int64_t rows) { return (rows + chunk_rows - 1) / chunk_rows; }
  /// Groups of whole chunks, one in each lane, and the rest by itself.
  static std::int64_t tiles_of(std::int64_t rows) {
    return (rows / chunk_rows + lanes - 1) / lanes + (rows % chunk_rows > 0);
  }
  host_shared_memory(team const& members, Problem const& problem, std::int64_t rows)
      : links(static_cast<std::size_t>(rows == 0 ? 0 : chunks_of(rows) + 1)),
        of_members(problem, rows == 0 ? 0 : chunk_rows, members.members_for(tiles_of(rows)), true) {}
};

/// A large system by all members: the relations of its chunks, the states between these, and what is in them.
template <class Problem>
void solve_shared_system(team& members, Problem const& problem, solve_place const& place,
                         host_shared_memory<Problem> const& memory, first_of_rows& singular) {
  using number = typename Problem::number;
  using shared = host_shared_memory<Problem>;
  constexpr int width = width_of<number>;
  constexpr auto chunk_rows = shared::chunk_rows;
  auto const n = place.n, chunks = shared::chunks_of(n), whole = n / chunk_rows;
  chain_links<number> const links{memory.links->data()};
  // In the lanes of a tile, or of one chunk.
  auto const for_each_tile = [&](auto const& of_lanes, auto const& of_chunk) {
    members.for_each_tile(shared::tiles_of(n), [&](std::int64_t tile, int member) {
      auto const mine = problem;  // a copy: iterators may have a state
      auto const first = tile * shared::lanes, end = std::min(first + shared::lanes, whole);
      if constexpr (works_in_lanes<Problem>)
        if (first < end) {
          host_lanes<Problem> all{&mine, {}, {}, chunk_rows, 0, false};
          for (auto chunk = first; chunk < end; ++chunk) all.add(place, chunk * chunk_rows);
          return of_lanes(mine, all, first, member);
        }
      auto const chunk = first < end ? first : whole;
      of_chunk(mine, chunk, std::min(chunk_rows, n - chunk * chunk_rows), member);
    });
  };
  for_each_tile(
      [&](auto const&, auto const& all, std::int64_t first, int) {
        auto const related = relation_of_lanes(all);
        for (int lane = 0; lane < all.used; ++lane)
          links.at[first + lane].related = relation_of_lane(related, lane);
      },
      [&](auto const& mine, std::int64_t chunk, std::int64_t rows, int) {
        links.at[chunk].related = relation_of_rows<Problem::how, number>(
            host_equilibrated_rows<Problem>(mine, place, chunk * chunk_rows), rows);
      });
  solve_chain<number>(links, chunks, problem.layout.cyclic, [&](std::int64_t state, int which) {
    auto const row = state == chunks ? n : state * chunk_rows;
    singular.note(problem.row_of(place, (row - 1) * width + which));
  });
  for_each_tile(
      [&](auto const&, auto const& all, std::int64_t first, int member) {
        using in_lanes = typename std::decay_t<decltype(all)>::number;
        auto const known = [&](std::int64_t from) {
          return states_of_lanes<in_lanes>(all.used, [&](int lane) { return links.at[from + lane].known; });
        };
        auto& here = memory.of_members.singular_of(member);
        solve_lanes_of_rows(all, known(first), known(first + 1), memory.of_members.kept_in_lanes_of(member),
                            here);
      },
      [&](auto const& mine, std::int64_t chunk, std::int64_t rows, int member) {
        auto const first = chunk * chunk_rows;
        auto& here = memory.of_members.singular_of(member);
        solve_rows<Problem::how, number>(
            host_equilibrated_rows<Problem>(mine, place, first), rows, links.at[chunk].known,
            links.at[chunk + 1].known,
            host_store<Problem>(mine, memory.of_members.kept_of(member), place, first),
            [&](std::int64_t unknown) { here.note(mine.row_of(place, first * width + unknown)); });
      });
  singular.note(memory.of_members.all_singular().first());
}

/// One loop over the systems.
template <class Problem>
void run_tridiagonal(seq_policy const&, char const*, Problem const& problem) {
  host_groups<Problem> const groups(problem.layout);
  host_batch_memory<Problem> const memory(problem, problem.layout.n, 1, !Problem::is_cut && groups.in_lanes);
  if (only_obtains()) return;
  if constexpr (Problem::is_cut) {
    for_each_cut_system(problem, 0, problem.layout.n, [&](std::int64_t first, std::int64_t n) {
      for (std::int64_t right = 0; right < problem.layout.rights; ++right)
        solve_one_system(problem, problem.place_of_rows(right, first, n), memory.kept_of(0),
                         memory.singular_of(0));
    });
  } else {
    for (std::int64_t group = 0; group < groups.count; ++group) groups.solve(problem, group, memory, 0);
  }
  tell_singular(problem, memory.all_singular().first());
}

/// Systems of varying length: those that begin in a tile by one member, but for large ones, which wait for
/// all members.
template <class Problem>
void run_cut_systems(team& members, Problem const& problem) {
  struct system {
    std::int64_t first, n;  ///< n = 0: none
  };
  auto const n = problem.layout.n, rights = problem.layout.rights;
  constexpr std::int64_t tile_rows = 1 << 13;
  auto const tiles = (n + tile_rows - 1) / tile_rows;
  host_batch_memory<Problem> const memory(problem, std::min(n, least_shared_rows), members.members_for(tiles),
                                          false);
  call_array<system> const large(static_cast<std::size_t>(tiles));  // no more than one begins in a tile
  host_shared_memory<Problem> const shared(members, problem, n >= least_shared_rows ? n : 0);
  if (only_obtains()) return;
  members.for_each_tile(tiles, [&](std::int64_t tile, int member) {
    auto const mine = problem;
    large->data()[tile] = {0, 0};
    auto const begin = tile * tile_rows;
    for_each_cut_system(mine, begin, std::min(n, begin + tile_rows),
                        [&](std::int64_t first, std::int64_t rows) {
                          if (rows >= least_shared_rows) {
                            large->data()[tile] = {first, rows};
                            return;
                          }
                          for (std::int64_t right = 0; right < rights; ++right)
                            solve_one_system(mine, mine.place_of_rows(right, first, rows),
                                             memory.kept_of(member), memory.singular_of(member));
                        });
  });
  auto all = memory.all_singular();
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    for (std::int64_t right = 0; right < rights && large->data()[tile].n > 0; ++right)
      solve_shared_system(members, problem,
                          problem.place_of_rows(right, large->data()[tile].first, large->data()[tile].n),
                          shared, all);
  tell_singular(problem, all.first());
}

/// Systems a member, or large ones one after the other by all members.
template <class... Tags, class Problem>
void run_tridiagonal(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  auto const& layout = problem.layout;
  team members(policy.threads());
  if constexpr (Problem::is_cut) return run_cut_systems(members, problem);
  if (is_shared_among_host(problem)) {
    host_shared_memory<Problem> const memory(members, problem, layout.n);
    if (only_obtains()) return;
    first_of_rows singular;
    for (std::int64_t solve = 0; solve < layout.solves(); ++solve)
      solve_shared_system(members, problem, problem.place_of(solve), memory, singular);
    return tell_singular(problem, singular.first());
  }
  host_groups<Problem> const groups(problem.layout);
  auto const each = std::max<std::int64_t>(1, 1024 / (layout.n * groups.most));
  auto const tiles = (groups.count + each - 1) / each;
  int const count = members.members_for(tiles, layout.n * layout.solves() / 1024);
  host_batch_memory<Problem> const memory(problem, layout.n, count, groups.in_lanes);
  if (only_obtains()) return;
  members.for_each_tile(
      tiles, count, [](int member) { return member; },
      [&](std::int64_t tile, int member) {
        auto const mine = problem;
        for (auto group = tile * each; group < std::min(groups.count, (tile + 1) * each); ++group)
          groups.solve(mine, group, memory, member);
      });
  tell_singular(problem, memory.all_singular().first());
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
