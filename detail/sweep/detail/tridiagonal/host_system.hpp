// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_HOST_SYSTEM_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_HOST_SYSTEM_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/version.hpp>

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

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
