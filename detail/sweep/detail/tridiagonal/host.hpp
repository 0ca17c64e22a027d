// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_HOST_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_HOST_HPP

#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/policy.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Rows of one solve from `first` on, as they were given.
template <class Problem>
struct host_rows {
  Problem const* problem;
  std::int64_t coefficients, values, first;

  host_rows(Problem const& of, std::int64_t solve, std::int64_t first_row)
      : problem{&of},
        coefficients{of.place_of(solve).coefficients},
        values{of.place_of(solve).values},
        first{first_row} {}
  auto operator()(std::int64_t j) const { return problem->row(coefficients, values, first + j); }
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
  std::int64_t values, first;

  void keep(std::int64_t j, kept_row<number> const& row) const { rows[j] = row; }
  kept_row<number> const& kept(std::int64_t j) const { return rows[j]; }
  void solve(std::int64_t j, number x) const {
    problem->write(values + (first + j) * problem->layout.row_stride, x);
  }
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
constexpr bool is_shared_among_host(system_layout const& layout) {
  return layout.n >= 8 * host_chunk_rows && layout.solves() < 8;
}

/// One system by one thread. A cyclic one is folded to the relation of its ends first.
template <class Problem>
void solve_one_system(Problem const& problem, std::int64_t solve, kept_row<typename Problem::number>* kept,
                      first_of_rows& singular) {
  using number = typename Problem::number;
  auto const n = problem.layout.n;
  host_store<Problem> const store{&problem, kept, problem.place_of(solve).values, 0};
  auto const base = problem.place_of(solve).row;
  auto const note = [&](std::int64_t row) { singular.note(base + row); };
  if (!problem.layout.cyclic)
    return solve_system<Problem::how, number>(host_rows<Problem>(problem, solve, 0), n, store, note);
  host_equilibrated_rows<Problem> const rows(problem, solve, 0);
  auto const ends = close_system(relation_of_rows<Problem::how, number>(rows, n), true,
                                 [&](int which) { note(which == 0 ? 0 : n - 1); });
  solve_rows<Problem::how, number>(rows, n, ends.left, ends.right, store, note);
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
  for (std::int64_t solve = 0; solve < problem.layout.solves(); ++solve)
    solve_one_system(problem, solve, kept->data(), singular);
  tell_singular(problem, singular.first());
}

/// The links of a chain in memory of the call.
template <class S>
struct host_links {
  union link {
    relation<S> related;
    elimination<S> eliminated;
    state<S> known;
  };
  link* at;

  relation<S> const& related(std::int64_t k) const { return at[k].related; }
  void keep(std::int64_t k, elimination<S> const& how) const { at[k].eliminated = how; }
  elimination<S> kept(std::int64_t k) const { return at[k].eliminated; }
  void put(std::int64_t k, state<S> const& x) const { at[k].known = x; }
};

/// A large system by all members: the relations of its chunks, the states between these, and what is in them.
template <class Problem>
void solve_shared_system(team& members, Problem const& problem, std::int64_t solve, std::int64_t chunks,
                         host_links<typename Problem::number> const& links,
                         kept_row<typename Problem::number>* kept, std::int64_t* singular_of_chunk,
                         first_of_rows& singular) {
  using number = typename Problem::number;
  auto const n = problem.layout.n;
  auto const base = problem.place_of(solve).row;
  auto const rows_of = [=](std::int64_t chunk) {
    return std::min(host_chunk_rows, n - chunk * host_chunk_rows);
  };
  members.for_each_tile(chunks, [&](std::int64_t chunk) {
    auto const mine = problem;  // a copy: iterators may have a state
    links.at[chunk].related = relation_of_rows<Problem::how, number>(
        host_equilibrated_rows<Problem>(mine, solve, chunk * host_chunk_rows), rows_of(chunk));
  });
  solve_chain<number>(links, chunks, problem.layout.cyclic, [&](std::int64_t state, int which) {
    singular.note(base + (state == chunks ? n : state * host_chunk_rows) - 1 + which);
  });
  members.for_each_tile(chunks, [&](std::int64_t chunk) {
    auto const mine = problem;
    auto const first = chunk * host_chunk_rows;
    first_of_rows here;
    solve_rows<Problem::how, number>(
        host_equilibrated_rows<Problem>(mine, solve, first), rows_of(chunk), links.at[chunk].known,
        links.at[chunk + 1].known,
        host_store<Problem>{&mine, kept + first, mine.place_of(solve).values, first},
        [&](std::int64_t row) { here.note(base + first + row); });
    singular_of_chunk[chunk] = here.first();
  });
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) singular.note(singular_of_chunk[chunk]);
}

/// A system a member, or the few large ones one after the other by all members.
template <class... Tags, class Problem>
void run_tridiagonal(host_policy<Tags...> const& policy, char const*, Problem const& problem) {
  using number = typename Problem::number;
  auto const& layout = problem.layout;
  team members(policy.threads());
  if (is_shared_among_host(layout)) {
    auto const chunks = (layout.n + host_chunk_rows - 1) / host_chunk_rows;
    call_array<typename host_links<number>::link> const links(static_cast<std::size_t>(chunks + 1));
    call_array<kept_row<number>> const kept(static_cast<std::size_t>(layout.n));
    call_array<std::int64_t> const singular_of_chunk(static_cast<std::size_t>(chunks));
    if (only_obtains()) return;
    first_of_rows singular;
    for (std::int64_t solve = 0; solve < layout.solves(); ++solve)
      solve_shared_system(members, problem, solve, chunks, {links->data()}, kept->data(),
                          singular_of_chunk->data(), singular);
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
      solve_one_system(mine, solve, kept->data() + member * layout.n, singular->data()[member]);
  });
  first_of_rows all;
  for (int member = 0; member < most; ++member) all.note(singular->data()[member].first());
  tell_singular(problem, all.first());
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
