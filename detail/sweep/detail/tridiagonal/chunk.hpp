// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_CHUNK_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_CHUNK_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/tridiagonal/relation.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>

#include <cstdint>

SWEEP_BEGIN_LOOPS

namespace sweep::inline SWEEP_ABI::detail {

// What one thread does with neighbouring rows, on the device and on the host. Rows come from rows(j), j
// counted from the chunk's first.

/// lower x[j - 1] + diagonal x[j] + upper x[j + 1] = right
template <class S>
struct tridiagonal_row {
  S lower, diagonal, upper, right;
};

/// The same multiplied by a power of two, so that rows are compared by their coefficients in proportion:
/// scaled partial pivoting.
template <class S>
SWEEP_HD tridiagonal_row<S> equilibrated(tridiagonal_row<S> const& row) {
  auto const scale =
      scale_of(larger_of(larger_of(magnitude(row.lower), magnitude(row.diagonal)), magnitude(row.upper)));
  return {row.lower * scale, row.diagonal * scale, row.upper * scale, row.right * scale};
}

template <class S>
SWEEP_HD void subtract(equation<S>& from, S factor, equation<S> const& pivot) {
  from = {{from.left.below - factor * pivot.left.below, from.left.above - factor * pivot.left.above},
          {from.right.below - factor * pivot.right.below, from.right.above - factor * pivot.right.above},
          from.value - factor * pivot.value};
}

/// The relation of m rows. Two equations are carried along, of the left state and of the two unknowns that
/// stand next: each row has one of these, and takes it out of one of the three.
template <pivots How, class S, class Rows, class Index>
  requires(!is_block<S>)
SWEEP_HD relation<S> relation_of_rows(Rows const& rows, Index m) {
  S const zero{};
  if (m == 0) return no_rows<S>();
  tridiagonal_row<S> const first = rows(Index{0});
  if (m == 1)
    return {{{first.lower, first.diagonal}, {zero, first.upper}, first.right},
            {{zero, one<S>()}, {zero - one<S>(), zero}, zero}};
  tridiagonal_row<S> const second = rows(Index{1});
  equation<S> upper{{first.lower, first.diagonal}, {first.upper, zero}, first.right};
  equation<S> lower{{zero, second.lower}, {second.diagonal, second.upper}, second.right};
  for (Index j = 2; j < m; ++j) {
    tridiagonal_row<S> const row = rows(j);
    equation<S> pivot = lower, other{{zero, zero}, {row.lower, row.diagonal}, row.right};
    S beyond_pivot = zero, beyond_other = row.upper;  // of the unknown behind the row's own
    if constexpr (How == pivots::chosen) {
      auto const by_upper = magnitude(upper.right.below) > magnitude(lower.right.below);
      swap_if(by_upper, upper.left.below, pivot.left.below);
      swap_if(by_upper, upper.left.above, pivot.left.above);
      swap_if(by_upper, upper.right.below, pivot.right.below);
      swap_if(by_upper, upper.right.above, pivot.right.above);
      swap_if(by_upper, upper.value, pivot.value);
      auto const by_row = magnitude(row.lower) > magnitude(pivot.right.below);
      swap_if(by_row, pivot.left.below, other.left.below);
      swap_if(by_row, pivot.left.above, other.left.above);
      swap_if(by_row, pivot.right.below, other.right.below);
      swap_if(by_row, pivot.right.above, other.right.above);
      swap_if(by_row, pivot.value, other.value);
      swap_if(by_row, beyond_pivot, beyond_other);
    }
    S const inverse = reciprocal(pivot.right.below), by = inverse_or_zero(pivot.right.below, inverse);
    // What has no coefficient of the unknown learns nothing of it: it may be of another system.
    equation<S> const rest{pivot.left, {pivot.right.above, beyond_pivot}, pivot.value};
    S const of_upper = upper.right.below, of_other = other.right.below;
    upper.right = {upper.right.above, zero};
    lower = {other.left, {other.right.above, beyond_other}, other.value};
    if constexpr (is_lanes<S>) {  // each lane's chunk is of one system
      subtract(upper, of_upper * by, rest);
      subtract(lower, of_other * by, rest);
    } else {
      if (of_upper != zero) subtract(upper, of_upper * by, rest);
      if (of_other != zero) subtract(lower, of_other * by, rest);
    }
  }
  equilibrate(upper);
  equilibrate(lower);
  return {upper, lower};
}

/// x[j] = value - next x[j + 1] - beyond x[j + 2]: what an elimination keeps of an unknown.
template <class S>
struct kept_row {
  S next, beyond, value;

  SWEEP_HD S solved(S x_next, S x_beyond) const {
    return less_product(less_product(value, beyond, x_beyond), next, x_next);
  }
};

/// The carried part of an equation whose left state is known.
template <class S>
struct short_equation {
  S here, next, value;
};

template <class Where, class S>
SWEEP_HD void swap_equations_if(Where const& swapped, short_equation<S>& a, short_equation<S>& b) {
  swap_if(swapped, a.here, b.here);
  swap_if(swapped, a.next, b.next);
  swap_if(swapped, a.value, b.value);
}

template <class S>
SWEEP_HD kept_row<S> kept_of(short_equation<S> const& pivot, S beyond, S inverse) {
  return {pivot.next * inverse, beyond * inverse, pivot.value * inverse};
}

/// Tells of the zero pivots of rows [first, end) where the smallest one is zero: what was kept of them is not
/// finite.
template <class S, class Store, class Index, class Singular>
  requires(!is_lanes<S>)
SWEEP_HD void tell_zero_pivots(real_of<S> smallest, Store const& store, Index first, Index end,
                               Singular const& singular) {
  if (smallest != 0) return;
  for (Index j = first; j < end; ++j)
    if (!is_finite(store.kept(j).value)) singular(j);
}

template <class Real>
SWEEP_HD Real smaller_of(Real a, Real b) {
  return b < a ? b : a;
}

/// The unknowns of rows [first, end) from what was kept of them and the state behind them. As long as all is
/// regular nothing needs to be kept out.
template <class S, class Store, class Index>
  requires(!is_lanes<S>)
SWEEP_HD void solve_back(Store const& store, Index first, Index end, state<S> const& behind, bool regular) {
  S next = behind.below, beyond = behind.above;
  Index j = end - 1;
  auto const take = [&](S x) {
    store.solve(j, x);
    beyond = next;
    next = x;
    --j;
  };
  while (regular && j >= first) {
    kept_row<S> const row = store.kept(j);
    take(row.value - row.beyond * beyond - row.next * next);
    regular = is_finite(next);
  }
  while (j >= first) take(store.kept(j).solved(next, beyond));
}

/// The unknowns of m rows whose states are known: the same elimination again, with the left state put in,
/// then back. store.keep(j, kept_row), store.kept(j), store.solve(j, x); a row is read before its place is
/// kept, and kept before it is solved. singular(j) is told of a pivot that is zero.
template <pivots How, class S, class Rows, class Index, class Store, class Singular>
  requires(!is_block<S>)
SWEEP_HD void solve_rows(Rows const& rows, Index m, state<S> const& left, state<S> const& right,
                         Store const& store, Singular const& singular) {
  if (m == 0) return;
  S const zero{};
  if (m > 2) {
    tridiagonal_row<S> const first = rows(Index{0}), second = rows(Index{1});
    short_equation<S> upper{
        first.upper, zero,
        less_product(less_product(first.right, first.lower, left.below), first.diagonal, left.above)};
    short_equation<S> lower{second.diagonal, second.upper,
                            less_product(second.right, second.lower, left.above)};
    auto smallest = magnitude(one<S>());
    for (Index j = 2; j < m; ++j) {
      tridiagonal_row<S> const row = rows(j);
      short_equation<S> pivot = lower, other{row.lower, row.diagonal, row.right};
      S beyond_pivot = zero, beyond_other = row.upper;
      if constexpr (How == pivots::chosen) {
        swap_equations_if(magnitude(upper.here) > magnitude(lower.here), upper, pivot);
        auto const by_row = magnitude(row.lower) > magnitude(pivot.here);
        swap_equations_if(by_row, pivot, other);
        swap_if(by_row, beyond_pivot, beyond_other);
      }
      smallest = smaller_of(smallest, magnitude(pivot.here));
      S const inverse = reciprocal(pivot.here), by = inverse_or_zero(pivot.here, inverse);
      S const of_upper = upper.here * by, of_other = other.here * by;
      upper = {upper.next - of_upper * pivot.next, zero - of_upper * beyond_pivot,
               upper.value - of_upper * pivot.value};
      lower = {other.next - of_other * pivot.next, beyond_other - of_other * beyond_pivot,
               other.value - of_other * pivot.value};
      store.keep(j - 1, kept_of(pivot, beyond_pivot, inverse));
    }
    tell_zero_pivots<S>(smallest, store, Index{1}, m - 1, singular);
    if constexpr (is_lanes<S>) {
      auto const regular = (smallest > zero) & is_finite(left.below + left.above + right.below + right.above);
      solve_back(store, Index{1}, m - 1, right, regular);
    } else {
      bool const regular = smallest != 0 && is_finite(left.below + left.above + right.below + right.above);
      solve_back(store, Index{1}, m - 1, right, regular);
    }
  }
  store.solve(Index{0}, left.above);
  if (m > 1) store.solve(m - 1, right.below);
}

/// A whole system of n rows that is not cyclic, by Gaussian elimination with partial pivoting (LAPACK's
/// gtsv): one equation is carried along.
template <pivots How, class S, class Rows, class Index, class Store, class Singular>
  requires(!is_block<S>)
SWEEP_HD void solve_system(Rows const& rows, Index n, Store const& store, Singular const& singular) {
  if (n == 0) return;
  S const zero{};
  tridiagonal_row<S> const first = rows(Index{0});
  short_equation<S> carried{first.diagonal, first.upper, first.right};
  auto smallest = magnitude(one<S>());
  for (Index j = 1; j < n; ++j) {
    tridiagonal_row<S> const row = rows(j);
    short_equation<S> pivot = carried, other{row.lower, row.diagonal, row.right};
    S beyond_pivot = zero, beyond_other = row.upper;
    if constexpr (How == pivots::chosen) {
      auto const by_row = magnitude(row.lower) > magnitude(pivot.here);
      swap_equations_if(by_row, pivot, other);
      swap_if(by_row, beyond_pivot, beyond_other);
    }
    smallest = smaller_of(smallest, magnitude(pivot.here));
    S const inverse = reciprocal(pivot.here), factor = other.here * inverse_or_zero(pivot.here, inverse);
    carried = {other.next - factor * pivot.next, beyond_other - factor * beyond_pivot,
               other.value - factor * pivot.value};
    store.keep(j - 1, kept_of(pivot, beyond_pivot, inverse));
  }
  tell_zero_pivots<S>(smallest, store, Index{0}, n - 1, singular);
  if constexpr (is_lanes<S>) tell_if_zero(carried.here, n - 1, singular);
  else if (carried.here == zero) singular(n - 1);
  S const last = carried.value * reciprocal(carried.here);
  store.solve(n - 1, last);
  solve_back(store, Index{0}, n - 1, state<S>{last, zero}, true);
}

struct join_by_pivots {
  template <class S, class Singular>
  SWEEP_HD relation<S> operator()(relation<S> const& left, relation<S> const& right, elimination<S>& how,
                                  Singular const& singular) const {
    return join(left, right, how, singular);
  }
};

/// The relation of a chain of relations; what eliminated the state before each is kept in its place. Links:
/// related(k), keep(k, elimination) in the place of relation k, kept(k), put(k, state). singular(k, which) is
/// told of the state before relation k: of which of its unknowns.
template <class S, class Join = join_by_pivots, class Links, class Singular>
SWEEP_HD relation<S> fold_chain(Links const& links, std::int64_t count, Singular const& singular) {
  relation<S> all = links.related(0);
  for (std::int64_t k = 1; k < count; ++k) {
    elimination<S> how;
    all = Join{}(all, links.related(k), how, [&](int which) { singular(k, which); });
    links.keep(k, how);
  }
  return all;
}
/// The states before each relation of a folded chain, in the places of what eliminated them.
template <class S, class Links>
SWEEP_HD void unfold_chain(Links const& links, std::int64_t count, state<S> const& left, state<S> right) {
  for (std::int64_t k = count - 1; k >= 1; --k) {
    right = links.kept(k).middle(left, right);
    links.put(k, right);
  }
  links.put(0, left);
}
/// The states of a whole chain: state k for k in [0, count] is written.
template <class S, class Join = join_by_pivots, class Links, class Singular>
SWEEP_HD void solve_chain(Links const& links, std::int64_t count, bool cyclic, Singular const& singular) {
  constexpr int width = width_of<S>;
  auto const all = fold_chain<S, Join>(links, count, singular);
  auto const ends = close_system(all, cyclic, [&](int which) {
    if (which < width) singular(0, width + which);
    else singular(count, which - width);
  });
  links.put(count, ends.right);
  unfold_chain<S>(links, count, ends.left, ends.right);
}

/// The links of a chain side by side in memory.
template <class S>
struct chain_links {
  union link {
    relation<S> related;
    elimination<S> eliminated;
    state<S> known;
  };
  link* at;

  SWEEP_HD relation<S> const& related(std::int64_t k) const { return at[k].related; }
  SWEEP_HD void keep(std::int64_t k, elimination<S> const& how) const { at[k].eliminated = how; }
  SWEEP_HD elimination<S> const& kept(std::int64_t k) const { return at[k].eliminated; }
  SWEEP_HD void put(std::int64_t k, state<S> const& x) const { at[k].known = x; }
};

}  // namespace sweep::inline SWEEP_ABI::detail

SWEEP_END_LOOPS

#endif
