// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_HOST_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_HOST_HPP

#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/tridiagonal/block.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/policy.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Rows of one solve from `first` on, as they were given.
template <class Problem>
struct host_rows {
  Problem const* problem;
  solve_place place;
  std::int64_t first;

  host_rows(Problem const& of, solve_place const& at, std::int64_t first_row)
      : problem{&of}, place{at}, first{first_row} {}
  auto operator()(std::int64_t j) const { return problem->row(place, first + j); }
};
/// The same in proportion to their coefficients.
template <class Problem>
struct host_equilibrated_rows : host_rows<Problem> {
  using host_rows<Problem>::host_rows;
  auto operator()(std::int64_t j) const { return equilibrated(host_rows<Problem>::operator()(j)); }
};

/// What an elimination keeps of its rows, in memory of the call, and where solutions go.
template <class Problem>
struct host_store {
  using number = typename Problem::number;
  Problem const* problem;
  kept_row<number>* rows;
  solve_place place;
  std::int64_t first;

  void keep(std::int64_t j, kept_row<number> const& row) const { rows[j] = row; }
  kept_row<number> const& kept(std::int64_t j) const { return rows[j]; }
  void solve(std::int64_t j, number const& x) const { problem->write_row(place, first + j, x); }
};

/// The lowest row of a batch that a zero pivot was found in; those of all systems count on.
class first_of_rows {
 public:
  void note(std::int64_t row) {
    if (row < first_) first_ = row;
  }
  std::int64_t first() const { return first_; }

 private:
  std::int64_t first_ = no_singular_row;
};

/// Rows that one member works on at a time where a system is shared among all. Results depend on it.
inline constexpr std::int64_t host_chunk_rows = 1 << 13;
/// A system is shared where it has so many rows and there are too few systems for a team.
inline constexpr std::int64_t least_shared_rows = 8 * host_chunk_rows;
constexpr bool is_shared_among_host(system_layout const& layout) {
  return layout.n >= least_shared_rows && layout.solves() < 8;
}

/// One system by one thread. A cyclic one is folded to the relation of its ends first.
template <class Problem>
void solve_one_system(Problem const& problem, solve_place const& place,
                      kept_row<typename Problem::number>* kept, first_of_rows& singular) {
  using number = typename Problem::number;
  host_store<Problem> const store{&problem, kept, place, 0};
  constexpr int width = width_of<number>;
  auto const note = [&](std::int64_t unknown) { singular.note(problem.row_of(place, unknown)); };
  if (!problem.layout.cyclic)
    return solve_system<Problem::how, number>(host_rows<Problem>(problem, place, 0), place.n, store, note);
  host_equilibrated_rows<Problem> const rows(problem, place, 0);
  auto const ends = close_system(relation_of_rows<Problem::how, number>(rows, place.n), true, [&](int which) {
    note(which < width ? which : (place.n - 2) * width + which);
  });
  solve_rows<Problem::how, number>(rows, place.n, ends.left, ends.right, store, note);
}

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

/// One loop over the systems.
template <class Problem>
void run_tridiagonal(seq_policy const&, char const*, Problem const& problem) {
  call_array<kept_row<typename Problem::number>> const kept(static_cast<std::size_t>(problem.layout.n));
  if (only_obtains()) return;
  first_of_rows singular;
  auto const solve = [&](solve_place const& place) {
    solve_one_system(problem, place, kept->data(), singular);
  };
  if constexpr (Problem::is_cut) {
    for_each_cut_system(problem, 0, problem.layout.n, [&](std::int64_t first, std::int64_t n) {
      for (std::int64_t right = 0; right < problem.layout.rights; ++right)
        solve(problem.place_of_rows(right, first, n));
    });
  } else {
    for (std::int64_t nth = 0; nth < problem.layout.solves(); ++nth) solve(problem.place_of(nth));
  }
  tell_singular(problem, singular.first());
}

/// Memory that large systems of at most so many rows are solved in by all members.
template <class Problem>
struct host_shared_memory {
  using number = typename Problem::number;
  call_array<typename chain_links<number>::link> links;
  call_array<kept_row<number>> kept;
  call_array<std::int64_t> singular_of_chunk;

  static std::int64_t chunks_of(std::int64_t rows) { return (rows + host_chunk_rows - 1) / host_chunk_rows; }
  explicit host_shared_memory(std::int64_t rows)
      : links(static_cast<std::size_t>(rows == 0 ? 0 : chunks_of(rows) + 1)),
        kept(static_cast<std::size_t>(rows)),
        singular_of_chunk(static_cast<std::size_t>(chunks_of(rows))) {}
};

/// A large system by all members: the relations of its chunks, the states between these, and what is in them.
template <class Problem>
void solve_shared_system(team& members, Problem const& problem, solve_place const& place,
                         host_shared_memory<Problem> const& memory, first_of_rows& singular) {
  using number = typename Problem::number;
  constexpr int width = width_of<number>;
  auto const n = place.n, chunks = memory.chunks_of(n);
  chain_links<number> const links{memory.links->data()};
  auto* const kept = memory.kept->data();
  auto* const singular_of_chunk = memory.singular_of_chunk->data();
  auto const rows_of = [=](std::int64_t chunk) {
    return std::min(host_chunk_rows, n - chunk * host_chunk_rows);
  };
  members.for_each_tile(chunks, [&](std::int64_t chunk) {
    auto const mine = problem;  // a copy: iterators may have a state
    links.at[chunk].related = relation_of_rows<Problem::how, number>(
        host_equilibrated_rows<Problem>(mine, place, chunk * host_chunk_rows), rows_of(chunk));
  });
  solve_chain<number>(links, chunks, problem.layout.cyclic, [&](std::int64_t state, int which) {
    auto const row = state == chunks ? n : state * host_chunk_rows;
    singular.note(problem.row_of(place, (row - 1) * width + which));
  });
  members.for_each_tile(chunks, [&](std::int64_t chunk) {
    auto const mine = problem;
    auto const first = chunk * host_chunk_rows;
    first_of_rows here;
    solve_rows<Problem::how, number>(
        host_equilibrated_rows<Problem>(mine, place, first), rows_of(chunk), links.at[chunk].known,
        links.at[chunk + 1].known, host_store<Problem>{&mine, kept + first, place, first},
        [&](std::int64_t unknown) { here.note(mine.row_of(place, first * width + unknown)); });
    singular_of_chunk[chunk] = here.first();
  });
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) singular.note(singular_of_chunk[chunk]);
}

/// Systems of varying length: those that begin in a tile by one member, but for large ones, which wait for
/// all members.
template <class Problem>
void run_cut_systems(team& members, Problem const& problem) {
  using number = typename Problem::number;
  struct system {
    std::int64_t first, n;  ///< n = 0: none
  };
  auto const n = problem.layout.n, rights = problem.layout.rights;
  auto const tiles = (n + host_chunk_rows - 1) / host_chunk_rows;
  std::int64_t const most = members.members_for(tiles), most_alone = std::min(n, least_shared_rows);
  call_array<kept_row<number>> const kept(static_cast<std::size_t>(most * most_alone));
  call_array<first_of_rows> const singular(static_cast<std::size_t>(most));
  call_array<system> const large(static_cast<std::size_t>(tiles));  // no more than one begins in a tile
  host_shared_memory<Problem> const shared(n >= least_shared_rows ? n : 0);
  if (only_obtains()) return;
  std::fill(singular->data(), singular->data() + most, first_of_rows{});
  members.for_each_tile(tiles, [&](std::int64_t tile, int member) {
    auto const mine = problem;
    large->data()[tile] = {0, 0};
    auto const begin = tile * host_chunk_rows;
    for_each_cut_system(mine, begin, std::min(n, begin + host_chunk_rows),
                        [&](std::int64_t first, std::int64_t rows) {
                          if (rows >= least_shared_rows) {
                            large->data()[tile] = {first, rows};
                            return;
                          }
                          for (std::int64_t right = 0; right < rights; ++right)
                            solve_one_system(mine, mine.place_of_rows(right, first, rows),
                                             kept->data() + member * most_alone, singular->data()[member]);
                        });
  });
  first_of_rows all;
  for (int member = 0; member < most; ++member) all.note(singular->data()[member].first());
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    for (std::int64_t right = 0; right < rights && large->data()[tile].n > 0; ++right)
      solve_shared_system(members, problem,
                          problem.place_of_rows(right, large->data()[tile].first, large->data()[tile].n),
                          shared, all);
  tell_singular(problem, all.first());
}

/// A system a member, or the few large ones one after the other by all members.
template <class... Tags, class Problem>
void run_tridiagonal(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  using number = typename Problem::number;
  auto const& layout = problem.layout;
  team members(policy.threads());
  if constexpr (Problem::is_cut) return run_cut_systems(members, problem);
  if (is_shared_among_host(layout)) {
    host_shared_memory<Problem> const memory(layout.n);
    if (only_obtains()) return;
    first_of_rows singular;
    for (std::int64_t solve = 0; solve < layout.solves(); ++solve)
      solve_shared_system(members, problem, problem.place_of(solve), memory, singular);
    return tell_singular(problem, singular.first());
  }
  // Systems of a tile follow each other in memory, or stand side by side.
  auto const each = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, layout.n));
  auto const tiles = (layout.solves() + each - 1) / each;
  auto const most = members.members_for(tiles);
  call_array<kept_row<number>> const kept(static_cast<std::size_t>(most * layout.n));
  call_array<first_of_rows> const singular(static_cast<std::size_t>(most));
  if (only_obtains()) return;
  std::fill(singular->data(), singular->data() + most, first_of_rows{});
  members.for_each_tile(tiles, [&](std::int64_t tile, int member) {
    auto const mine = problem;
    for (auto solve = tile * each; solve < std::min(layout.solves(), (tile + 1) * each); ++solve)
      solve_one_system(mine, mine.place_of(solve), kept->data() + member * layout.n,
                       singular->data()[member]);
  });
  first_of_rows all;
  for (int member = 0; member < most; ++member) all.note(singular->data()[member].first());
  tell_singular(problem, all.first());
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
