// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TILE_INTERLEAVED_ROWS_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_TILE_INTERLEAVED_ROWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tile/between_states.cuh>
#include <sweep/detail/tridiagonal/tile/eliminate.cuh>
#include <sweep/detail/tridiagonal/tile/rows.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// One thread's rows of a system that stands beside others, in shared memory, a row of all Threads behind the
/// other. Some are on their way while those before them are eliminated; no thread waits for another's but
/// where a team brings all.
template <class Problem, int Threads>
class interleaved_rows {
  using T = typename Problem::value_type;
  using S = typename Problem::number;
  static constexpr int group = 8, ahead = 4;

 public:
  /// Rows [first, first + m) of a place, of arrays of so many rows of each thread. The first are on their way
  /// behind this, or none are where a team brings all: stage_all().
  __device__ interleaved_rows(Problem const& problem, solve_place const& place, std::int64_t first, int m,
                              void* memory, int rows, bool by_team = false)
      : problem_{&problem},
        place_{place},
        first_{first},
        all_{memory, rows * Threads},
        coefficients_{place.coefficients + first * problem.layout.row_stride},
        values_{place.values + first * problem.layout.row_stride},
        solutions_{values_},
        m_{m},
        by_team_{by_team},
        first_coupled_{first == 0 && !problem.layout.cyclic ? 1 : 0},
        end_coupled_{first + m == problem.layout.n && !problem.layout.cyclic ? m - 1 : m} {
    if (by_team) return;
#pragma unroll 1
    for (int g = 0; g < ahead; ++g) ask();
  }

  /// All rows, by threads that have a line's systems and chunks of the same rows, and that meet: this is
  /// number `nth` of Systems. They bring vectors where `whole`: all of them have a system, beside each other.
  /// Then half the rows are there behind this, and the threads meet once more for the rest.
  template <int Systems>
  __device__ void stage_all(int nth, bool whole) {
    int const half = m_ / 2 / group * group, lane = static_cast<int>(threadIdx.x) % 32;
    team_lanes_ = (~0u >> (32 - Systems)) << (lane - nth % 32);
    if (whole && stage_vectors<Systems>(nth, half)) {
      await_first_async_copies();
      arrived_ = half;
    } else {
#pragma unroll 1
      while (asked_ < m_) ask();
      await_async_copies();
      arrived_ = m_;
    }
    asked_ = m_;
    __syncwarp();
    if (m_ > 0) {
      if (first_coupled_ > 0) all_.lower[at(0)] = S{};
      if (end_coupled_ < m_) all_.upper[at(m_ - 1)] = S{};
    }
  }

  /// A group of rows from j on as they arrive; none before them has yet to be asked for.
  __device__ row_group<S> arriving(int j) {
    static_assert(group % rows_of_group<S> == 0);
    if (by_team_) {
      if (j >= arrived_) meet();
    } else {
      while (j >= arrived_) {
        await_async_copies_but<ahead - 1>();
        arrived_ += group;
        ask();
      }
    }
    return rows(j);
  }
  /// All have arrived, as the following take them.
  __device__ void arrive() {
    if (by_team_) {
      if (arrived_ < m_) meet();
      return;
    }
#pragma unroll 1
    while (asked_ < m_) ask();
    await_async_copies();
  }
  __device__ tridiagonal_row<S> row(int j) const {
    int const i = at(j);
    return {all_.lower[i], all_.diagonal[i], all_.upper[i], all_.right[i]};
  }
  __device__ row_group<S> rows(int j) const {
    row_group<S> of;
#pragma unroll
    for (int k = 0; k < rows_of_group<S>; ++k) {
      int const i = at(j + k);
      of.lower.at[k] = all_.lower[i];
      of.diagonal.at[k] = all_.diagonal[i];
      of.upper.at[k] = all_.upper[i];
      of.right.at[k] = all_.right[i];
    }
    return of;
  }
  /// Row j from where it came from.
  __device__ tridiagonal_row<S> again(int j) const { return problem_->row(place_, first_ + j); }

  /// What an unknown follows from takes the place of its row; a quick one's has no beyond.
  __device__ void keep_quick(int j, S next, S value) const {
    all_.diagonal[at(j)] = next;
    all_.right[at(j)] = value;
  }
  __device__ void keep(int j, kept_row<S> const& row) const {
    keep_quick(j, row.next, row.value);
    all_.upper[at(j)] = row.beyond;
  }
  /// The same of a folded chunk, whose left state is not known.
  __device__ void keep_spike(int j, S left_above, S next, S value) const {
    all_.lower[at(j)] = left_above;
    keep_quick(j, next, value);
  }
  /// Row j stands again where it stood.
  __device__ void restore(int j) const {
    int const i = at(j);
    auto const row = again(j);
    all_.lower[i] = row.lower;
    all_.diagonal[i] = row.diagonal;
    all_.upper[i] = row.upper;
    all_.right[i] = row.right;
  }
  __device__ S left_above(int j) const { return all_.lower[at(j)]; }
  __device__ S next(int j) const { return all_.diagonal[at(j)]; }
  __device__ S beyond(int j) const { return all_.upper[at(j)]; }
  __device__ S value(int j) const { return all_.right[at(j)]; }
  __device__ void solve(int j, S x) const {
    problem_->write(solutions_ + j * problem_->layout.row_stride, x);
  }

 private:
  __device__ static int at(int j) { return j * Threads + static_cast<int>(threadIdx.x); }
  /// What the team's threads have brought is there for all of them. Each calls this once, wherever it needs
  /// the rows.
  __device__ void meet() {
    await_async_copies();
    __syncwarp(team_lanes_);
    arrived_ = m_;
  }
  /// Those before `half`, of whole steps, can be awaited alone. False where rows do not begin on 16 bytes.
  template <int Systems>
  __device__ bool stage_vectors(int nth, int half) {
    if constexpr (is_copied_as_bytes<T, decltype(Problem::lower)> &&
                  is_copied_as_bytes<T, decltype(Problem::diagonal)> &&
                  is_copied_as_bytes<T, decltype(Problem::upper)> &&
                  is_copied_as_bytes<T, decltype(Problem::right)>) {
      constexpr int V = 16 / sizeof(T), of_row = Systems / V, rows = Systems / of_row;
      auto const stride = problem_->layout.row_stride;
      int const begin = nth / of_row, column = nth % of_row * V;
      auto const offset = begin * stride + column - nth;
      T const *lower = problem_->lower + coefficients_ + offset,
              *diagonal = problem_->diagonal + coefficients_ + offset,
              *upper = problem_->upper + coefficients_ + offset, *right = problem_->right + values_ + offset;
      if ((reinterpret_cast<std::uintptr_t>(lower) | reinterpret_cast<std::uintptr_t>(diagonal) |
           reinterpret_cast<std::uintptr_t>(upper) | reinterpret_cast<std::uintptr_t>(right) |
           static_cast<std::uintptr_t>(stride) * sizeof(T)) %
              16 !=
          0)
        return false;
      static_assert(group % rows == 0);
      int i = at(begin) + column - nth;
      auto const step = rows * stride;
      int j = begin;
      auto const bring = [&] {
        if (j >= first_coupled_) copy_16_bytes_async_alone(all_.lower + i, lower);
        copy_16_bytes_async_alone(all_.diagonal + i, diagonal);
        if (j < end_coupled_) copy_16_bytes_async_alone(all_.upper + i, upper);
        copy_16_bytes_async_alone(all_.right + i, right);
        lower += step;
        diagonal += step;
        upper += step;
        right += step;
        i += rows * Threads;
        j += rows;
      };
#pragma unroll 2
      while (j < half) bring();
      end_first_async_copies();
#pragma unroll 4
      while (j < m_) bring();
      return true;
    }
    return false;
  }
  __device__ void ask() {
    auto const stride = problem_->layout.row_stride;
    auto const stage = [&](int j, bool with_lower, bool with_upper) {
      int const i = at(j);
      if (with_lower) stage_item<T>(problem_->lower, coefficients_, all_.lower[i]);
      else all_.lower[i] = S{};
      stage_item<T>(problem_->diagonal, coefficients_, all_.diagonal[i]);
      if (with_upper) stage_item<T>(problem_->upper, coefficients_, all_.upper[i]);
      else all_.upper[i] = S{};
      stage_item<T>(problem_->right, values_, all_.right[i]);
      coefficients_ += stride;
      values_ += stride;
    };
    if (asked_ + group < m_) {
#pragma unroll
      for (int k = 0; k < group; ++k) stage(asked_ + k, k > 0 || asked_ >= first_coupled_, true);
      asked_ += group;
    } else {
#pragma unroll 1
      for (int const end = min(asked_ + group, m_); asked_ < end; ++asked_)
        stage(asked_, asked_ >= first_coupled_, asked_ < end_coupled_);
    }
    end_first_async_copies();
  }

  Problem const* problem_;
  solve_place place_;
  std::int64_t first_;
  staged_rows<S> all_;
  std::int64_t coefficients_, values_;  ///< of the row that is asked for next
  std::int64_t solutions_;
  int m_;
  bool by_team_;
  unsigned team_lanes_ = 0;  ///< its lanes
  int first_coupled_, end_coupled_;
  int asked_ = 0, arrived_ = 0;
};

/// The equation that is carried along while all pivots outweigh.
template <class S>
struct quick_equation {
  S here, next, value;
  real_of<S> size;  ///< the largest coefficient of the row that it began as, but for `next`

  __device__ void begin(tridiagonal_row<S> const& row) {
    here = row.diagonal;
    next = row.upper;
    value = row.right;
    size = magnitude(row.diagonal);
  }
  template <pivots How>
  __device__ bool go_on() const {
    return outweighs_unscaled<How>(here, size, next);
  }
  /// What is kept of the unknown.
  __device__ state<S> eliminate(tridiagonal_row<S> const& row) {
    S const inverse = reciprocal(here), kept_next = next * inverse, kept_value = value * inverse;
    here = minus_product(row.diagonal, row.lower, kept_next);
    next = row.upper;
    value = minus_product(row.right, row.lower, kept_value);
    size = size_of(row);
    return {kept_next, kept_value};
  }
  /// In proportion to that row.
  __device__ carried_equation<short_equation<S>, real_of<S>> scaled() const {
    auto const scale = scale_of(larger_of(size, magnitude(next)));
    return {{here * scale, next * scale, value * scale}, size * scale};
  }
};

/// A whole system of n rows: Gaussian elimination with partial pivoting (LAPACK's gtsv), in groups, quickly
/// as long as all outweigh. singular(j) is told of a zero pivot.
template <pivots How, class S, class Rows, class Singular>
__device__ void solve_system_of(Rows& rows, int n, Singular const& singular) {
  constexpr int G = rows_of_group<S>;
  quick_equation<S> quick;
  int j = 1;
  bool quickly = true;
  auto const quick_group = [&](int begin, auto which) {
    constexpr bool is_first = decltype(which)::value;
    auto const of = rows.arriving(begin);
    state<S> kept[G];
    auto before = quick;
#pragma unroll
    for (int i = 0; i < G; ++i) {
      if (is_first && i == 0) {
        quick.begin(of.row(0));
        before = quick;
      } else {
        quickly = quickly & quick.template go_on<How>();
        kept[i] = quick.eliminate(of.row(i));
      }
    }
    quickly = quickly & is_finite(quick.here + quick.value);  // unscaled, products may leave the range
    if (!quickly) {
      quick = before;
      return;
    }
    j = begin + G;
#pragma unroll
    for (int i = is_first ? 1 : 0; i < G; ++i) rows.keep_quick(begin + i - 1, kept[i].below, kept[i].above);
  };
  if (n >= G) {
    quick_group(0, std::true_type{});
    while (quickly && j + G <= n) quick_group(j, std::false_type{});
  }
  rows.arrive();
  if (n < G) quick.begin(rows.row(0));
  int const quick_end = j - 1;
  auto carried = quick.scaled();
  int singles_end = 0;
  while (j < n) {
    bool zero_pivot = false;
    if (j % G == 0 && j + G <= n && j >= singles_end) {
      auto const of = rows.rows(j);
      kept_row<S> kept[G];
      auto const before = carried;
#pragma unroll
      for (int i = 0; i < G; ++i) {
        bool zero;
        kept[i] = eliminate_choosing<How, false>(carried, equilibrated(of.row(i)), zero);
        zero_pivot = zero_pivot | zero;
      }
      if (!zero_pivot) {
#pragma unroll
        for (int i = 0; i < G; ++i) rows.keep(j + i - 1, kept[i]);
        j += G;
        continue;
      }
      carried = before;
      singles_end = j + G;
    }
    rows.keep(j - 1, eliminate_choosing<How, true>(carried, equilibrated(rows.row(j)), zero_pivot));
    if (zero_pivot) singular(j - 1);
    ++j;
  }
  if (carried.now.here == S{}) singular(n - 1);
  S const last = carried.now.value * reciprocal(carried.now.here);
  rows.solve(n - 1, last);
  solve_back<S>(rows, 0, n - 1, quick_end, {last, S{}});
}

/// The rows of a chunk that is folded and goes, for fold_rows.
template <class Rows>
struct folded_rows : rows_read<Rows> {
  template <class Kept>
  __device__ void keep_quick(int, Kept const&) {}
  template <class Kept>
  __device__ void keep(int, Kept const&) {}
  __device__ void keep_nothing_quick() {}
};
}  // namespace sweep::inline SWEEP_ABI::detail

#endif
