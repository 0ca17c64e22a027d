// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TILE_BETWEEN_STATES_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_TILE_BETWEEN_STATES_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>
#include <sweep/detail/tridiagonal/tile/eliminate.cuh>

namespace sweep::inline SWEEP_ABI::detail {

// A thread's chunk once the states at its ends are known: from what its elimination kept in the places of its
// rows, or by the same elimination once more.

/// What an elimination reads of a chunk's rows; those that follow from it add what it keeps.
template <class Rows>
struct rows_read {
  Rows& all;
  __device__ auto arriving(int j) { return all.arriving(j); }
  __device__ void arrive() { all.arrive(); }
  __device__ auto row(int j) { return all.row(j); }
  __device__ auto rows(int j) { return all.rows(j); }
};

/// The rows of a chunk that is folded and stays: what unknowns follow from takes the places of their rows as
/// long as all outweigh. Behind that rows stay as they are.
template <class S, class Rows>
struct rows_kept_in_place : rows_read<Rows> {
  int quick_end = 0, overwritten = 0;

  __device__ void keep_quick(int j, kept_group<S> const& group) {
#pragma unroll
    for (int i = 0; i < rows_of_group<S>; ++i)
      this->all.keep_spike(j + i, group.left_above.at[i], group.next.at[i], group.value.at[i]);
    quick_end = overwritten = j + rows_of_group<S>;
  }
  template <class Kept>
  __device__ void keep(int, Kept const&) {}
  __device__ void keep_nothing_quick() { quick_end = 0; }
};

/// The unknowns of m rows, groups of them, between two states, from what was kept in the places of all.
template <class S, class Rows>
__device__ void unfold_quick(Rows const& rows, int m, state<S> const& left, state<S> const& right) {
  constexpr int G = rows_of_group<S>;
  S next = right.below;
  int j = m - 1;  // next is x[j]
  for (; j >= 0; j -= G) {
    int const begin = j + 1 - G;
    S x[G], here = next;
#pragma unroll
    for (int i = G - 1; i >= 0; --i) {
      x[i] = here;
      here = minus_product(minus_product(rows.value(begin + i), rows.left_above(begin + i), left.above),
                           rows.next(begin + i), here);
      if (i == 1 && begin == 0) here = left.above;
    }
    if (!is_finite(begin == 0 ? x[G > 2 ? 1 : 0] : here)) break;
#pragma unroll
    for (int i = 0; i < G; ++i) rows.solve(begin + i, x[i]);
    next = here;
  }
  for (; j >= 0; --j) {
    S const x = next;
    next = j >= 2 ? less_product(less_product(rows.value(j), rows.left_above(j), left.above), rows.next(j), x)
                  : left.above;
    rows.solve(j, x);
  }
}

/// The unknowns of rows [first, end) from what was kept of them, of those below quick_end without beyond, and
/// the state behind them.
template <class S, class Rows>
__device__ void solve_back(Rows const& rows, int first, int end, int quick_end, state<S> const& behind) {
  S next = behind.below, beyond = behind.above;
  int j = end - 1;
  auto const singles = [&](int begin, bool with_beyond) {
    for (; j >= begin; --j) {
      kept_row<S> const row{rows.next(j), with_beyond ? rows.beyond(j) : S{}, rows.value(j)};
      S x = minus_product(minus_product(row.value, row.beyond, beyond), row.next, next);
      if (!is_finite(x)) x = row.solved(next, beyond);
      rows.solve(j, x);
      beyond = next;
      next = x;
    }
  };
  singles(max(first, quick_end), true);
  constexpr int unrolled = 4;
  while (j - (unrolled - 1) >= first) {
    S x[unrolled], at = next;
#pragma unroll
    for (int i = 0; i < unrolled; ++i) x[i] = at = minus_product(rows.value(j - i), rows.next(j - i), at);
    if (!is_finite(at)) break;
#pragma unroll
    for (int i = 0; i < unrolled; ++i) rows.solve(j - i, x[i]);
    next = at;
    j -= unrolled;
  }
  singles(first, false);
}

/// Those of a chunk whose left state is known.
template <class S, class Rows>
struct rows_between : rows_read<Rows> {
  state<S> left;
  int quick_end = 1;  ///< unknowns below have no beyond

  __device__ void keep_quick(int j, kept_group<S> const& group) {
#pragma unroll
    for (int i = 0; i < rows_of_group<S>; ++i)
      if (j + i >= 2)
        this->all.keep_quick(j + i - 1, group.next.at[i],
                             minus_product(group.value.at[i], group.left_above.at[i], left.above));
    quick_end = j + rows_of_group<S> - 1;
  }
  __device__ void keep(int j, spiked_row<S> const& row) {
    this->all.keep(j - 1, {row.next, row.beyond,
                           less_product(less_product(row.value, row.left.below, left.below), row.left.above,
                                        left.above)});
  }
  __device__ void keep(int j, kept_group<S> const& group) {
#pragma unroll
    for (int i = 0; i < rows_of_group<S>; ++i)
      if (j + i >= 2)
        keep(j + i, spiked_row<S>{{group.left_below.at[i], group.left_above.at[i]},
                                  group.next.at[i],
                                  group.beyond.at[i],
                                  group.value.at[i],
                                  (group.by_row >> i & 1) != 0});
  }
  __device__ void keep_nothing_quick() { quick_end = 1; }
};

/// A chunk of m rows between two states: the same elimination once more, and back.
template <pivots How, class S, class Rows, class Singular>
__device__ void solve_between(Rows& rows, int m, state<S> const& left, state<S> const& right,
                              Singular const& singular) {
  if (m > 2) {
    rows_between<S, Rows> between{{rows}, left};
    bool quickly = is_finite(left.below + left.above);
    fold_rows<How, false, S>(
        between, m, quickly, [&](int j) { return rows.again(j); }, singular);
    solve_back<S>(rows, 1, m - 1, between.quick_end, right);
  } else {
    rows.arrive();
  }
  rows.solve(0, left.above);
  if (m > 1) rows.solve(m - 1, right.below);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
