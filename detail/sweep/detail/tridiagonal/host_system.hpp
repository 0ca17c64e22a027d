// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_HOST_SYSTEM_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_HOST_SYSTEM_HPP

#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/version.hpp>

#include <cstdint>
#include <type_traits>

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

/// Memory for what members keep of an elimination's rows. A row's value stands in the place of its unknown
/// where that can be, and what couples it to the row after the next, which only rows that have changed places
/// have, in memory that is touched where there is some: of what no cache holds each number is as dear as the
/// work on it, and pages that nobody writes are never made.
template <class Number>
class host_kept {
 public:
  static constexpr std::int64_t rows_together = 64;  ///< whose couplings are kept, or none of them
  struct of_member {
    Number *next, *beyond, *value;
    unsigned char* coupled;  ///< whether something is kept of so many rows
  };

  host_kept(std::int64_t rows, int members, bool in_place)
      : rows_{rows},
        next_(static_cast<std::size_t>(rows * members)),
        beyond_(static_cast<std::size_t>(groups() * rows_together * members)),
        rows_of_values_{in_place ? 0 : rows},
        value_(static_cast<std::size_t>(rows_of_values_ * members)),
        coupled_(static_cast<std::size_t>(groups() * members)) {}
  of_member of(int member) const {
    auto const group = member * groups();
    return {next_->data() + member * rows_, beyond_->data() + group * rows_together,
            value_->data() + member * rows_of_values_, coupled_->data() + group};
  }

 private:
  std::int64_t groups() const { return rows_ / rows_together + 1; }
  std::int64_t rows_;
  call_array<Number> next_, beyond_;
  std::int64_t rows_of_values_;
  call_array<Number> value_;
  call_array<unsigned char> coupled_;
};
template <class Block>
  requires is_block<Block>
class host_kept<Block> {
 public:
  using of_member = kept_row<Block>*;
  host_kept(std::int64_t rows, int members, bool)
      : rows_{rows}, kept_(static_cast<std::size_t>(rows * members)) {}
  of_member of(int member) const { return kept_->data() + member * rows_; }

 private:
  std::int64_t rows_;
  call_array<kept_row<Block>> kept_;
};
template <class Problem>
using host_kept_of = host_kept<typename Problem::number>;

/// Whether the values of rows can stand in the places of their unknowns.
template <class Problem>
bool keeps_in_place(Problem const& problem) {
  return std::is_same_v<decltype(problem.solution), typename Problem::number*> &&
         problem.layout.row_stride == 1;
}

/// What an elimination keeps of its rows, and where solutions go.
template <class Problem>
class host_store {
 public:
  using number = typename Problem::number;
  using memory = typename host_kept_of<Problem>::of_member;

  host_store(Problem const& problem, memory const& kept, solve_place const& place, std::int64_t first)
      : problem_{&problem}, kept_{kept}, place_{place}, first_{first} {
    if constexpr (std::is_same_v<decltype(problem.solution), number*>)
      if (keeps_in_place(problem)) kept_.value = problem.solution + place.values + first;
  }
  void keep(std::int64_t j, kept_row<number> const& row) const {
    kept_.next[j] = row.next;
    kept_.value[j] = row.value;
    if (j / together != here_) {
      leave();
      here_ = j / together;
      std::fill_n(beyond_, together, number{});
      changed_ = true;
    }
    beyond_[j % together] = row.beyond;
  }
  kept_row<number> kept(std::int64_t j) const {
    if (j / together != here_) {
      leave();
      here_ = j / together;
      if (kept_.coupled[here_])
        std::copy(kept_.beyond + here_ * together, kept_.beyond + (here_ + 1) * together, beyond_);
      else std::fill_n(beyond_, together, number{});
    }
    return {kept_.next[j], beyond_[j % together], kept_.value[j]};
  }
  void solve(std::int64_t j, number const& x) const { problem_->write_row(place_, first_ + j, x); }

 private:
  static constexpr auto together = host_kept_of<Problem>::rows_together;
  /// Puts the couplings that stand here where they are kept.
  void leave() const {
    if (!changed_) return;
    changed_ = false;
    bool some = false;
    for (auto const& x : beyond_) some |= x != number{};
    kept_.coupled[here_] = some;
    if (some) std::copy(beyond_, beyond_ + together, kept_.beyond + here_ * together);
  }

  Problem const* problem_;
  memory kept_;
  solve_place place_;
  std::int64_t first_;
  mutable std::int64_t here_ = -1;  ///< which rows' couplings stand here
  mutable bool changed_ = false;
  mutable number beyond_[together];
};
template <class Problem>
  requires is_block<typename Problem::number>
class host_store<Problem> {
 public:
  using number = typename Problem::number;
  using memory = typename host_kept_of<Problem>::of_member;

  host_store(Problem const& problem, memory kept, solve_place const& place, std::int64_t first)
      : problem_{&problem}, kept_{kept}, place_{place}, first_{first} {}
  void keep(std::int64_t j, kept_row<number> const& row) const { kept_[j] = row; }
  kept_row<number> const& kept(std::int64_t j) const { return kept_[j]; }
  void solve(std::int64_t j, number const& x) const { problem_->write_row(place_, first_ + j, x); }

 private:
  Problem const* problem_;
  memory kept_;
  solve_place place_;
  std::int64_t first_;
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
                      typename host_store<Problem>::memory const& kept, first_of_rows& singular) {
  using number = typename Problem::number;
  host_store<Problem> const store(problem, kept, place, 0);
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
