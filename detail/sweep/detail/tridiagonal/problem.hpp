// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_PROBLEM_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_PROBLEM_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/tridiagonal/block.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// In place of a row where no matrix is singular.
inline constexpr std::int64_t no_singular_row = std::int64_t{~std::uint64_t{0} >> 1};

/// Where the items of systems stand.
struct system_layout {
  std::int64_t n = 0;  ///< unknowns of a system
  std::int64_t systems = 1;
  std::int64_t row_stride = 1;     ///< items from one row of a system to the next
  std::int64_t system_stride = 0;  ///< items from one system to the next
  std::int64_t rights = 1;         ///< right-hand sides of each system
  std::int64_t right_stride = 0;   ///< items from one right-hand side to the next, and from one solution
  bool cyclic = false;

  /// Solves: one for each system and right-hand side, those of a right-hand side side by side.
  SWEEP_HD constexpr std::int64_t solves() const { return systems * rights; }
};

/// How many items there are of what was given as ranges; -1 where nobody says.
struct system_sizes {
  std::int64_t lower = -1, diagonal = -1, upper = -1, right = -1, solution = -1;
  std::int64_t bands[9] = {};  ///< of a banded system, the lowest first
};

/// What a thread does with a chunk of rows: solves it as a whole system, folds it to its relation, or solves
/// it from its states.
enum class chunk_work { whole_system, fold, solve };

/// Where one system with one of its right-hand sides is.
struct solve_place {
  std::int64_t coefficients, values;  ///< item 0
  std::int64_t row;                   ///< row 0, among those of all systems
  std::int64_t n;                     ///< rows
};

/// Nothing cuts systems but their layout.
struct no_cuts {
  static constexpr bool cuts = false;
};
/// Systems of varying length, one behind the other: whether a row is the first of one.
template <class Source>
struct cuts_at_heads {
  static constexpr bool cuts = true;
  Source source;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(std::int64_t row) const { return row == 0 || source(row); }
};

/// Everything that was asked for, with its types complete. T is what solutions are written as.
template <class T, pivots How, class Lower, class Diagonal, class Upper, class Right, class Solution,
          class Cuts>
struct tridiagonal_problem {
  using value_type = T;
  using number = scalar<T>;
  using coefficient = typename coefficient_type<number>::type;
  static constexpr pivots how = How;
  static constexpr bool is_cut = Cuts::cuts;

  Lower lower;
  Diagonal diagonal;
  Upper upper;
  Right right;
  Solution solution;
  system_layout layout;
  std::int64_t* first_singular = nullptr;  ///< where somebody wants to know: the lowest row with a zero pivot
  Cuts cuts{};

  SWEEP_HD solve_place place_of(std::int64_t nth_right, std::int64_t system) const {
    auto const first = system * layout.system_stride;
    return {first, first + nth_right * layout.right_stride, system * layout.n, layout.n};
  }
  SWEEP_HD solve_place place_of(std::int64_t solve) const {
    return layout.rights == 1 ? place_of(0, solve) : place_of(solve / layout.systems, solve % layout.systems);
  }

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD coefficient lower_at(std::int64_t i) const {
    return to_coefficient<T>(static_cast<value_of<Lower>>(lower[i]));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD coefficient diagonal_at(std::int64_t i) const {
    return to_coefficient<T>(static_cast<value_of<Diagonal>>(diagonal[i]));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD coefficient upper_at(std::int64_t i) const {
    return to_coefficient<T>(static_cast<value_of<Upper>>(upper[i]));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD number right_at(std::int64_t i) const {
    return to_scalar<T>(static_cast<value_of<Right>>(right[i]));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void write(std::int64_t i, number const& x) const { solution[i] = from_scalar<T>(x); }

  /// Rows [first, first + n) of what stands one behind the other, with one of its right-hand sides.
  SWEEP_HD solve_place place_of_rows(std::int64_t nth_right, std::int64_t first, std::int64_t n) const {
    return {first, first + nth_right * layout.right_stride, first, n};
  }

  SWEEP_HD void write_row(solve_place const& place, std::int64_t row, number const& x) const {
    write(place.values + row * layout.row_stride, x);
  }
  /// Where a system's unknown is told of, each of a block counted: the row.
  SWEEP_HD std::int64_t row_of(solve_place const& place, std::int64_t unknown) const {
    return place.row + unknown / width_of<number>;
  }

  /// Row `row` of a system. What would couple the ends of one that is not cyclic is not looked at.
  SWEEP_HD tridiagonal_row<number> row(solve_place const& place, std::int64_t row) const {
    auto const i = row * layout.row_stride;
    coefficient const zero{};
    return {row > 0 || layout.cyclic ? lower_at(place.coefficients + i) : zero,
            diagonal_at(place.coefficients + i),
            row + 1 < place.n || layout.cyclic ? upper_at(place.coefficients + i) : zero,
            right_at(place.values + i)};
  }
  /// The same among systems that are cut, which are taken as one: what would couple them is zero.
  SWEEP_HD tridiagonal_row<number> cut_row(solve_place const& place, std::int64_t row) const {
    auto whole = this->row(place, row);
    if constexpr (is_cut) {
      if (cuts(row)) whole.lower = coefficient{};
      if (row + 1 < layout.n && cuts(row + 1)) whole.upper = coefficient{};
    }
    return whole;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
