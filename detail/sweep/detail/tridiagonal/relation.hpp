// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_RELATION_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_RELATION_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>

#include <cstdint>

SWEEP_BEGIN_LOOPS

namespace sweep::inline SWEEP_ABI::detail {

// A chunk of neighbouring rows says two equations of the four unknowns at its ends, once the others are
// eliminated: of the state to its left, (x[first - 1], x[first]), and of that to its right, (x[last], x[last
// + 1]). Two neighbouring chunks share a state, and eliminating it from their four equations gives the
// relation of both: an associative operation, so that a system is solved by a fold, and its states are found
// on the way back. Pivots are chosen among all equations that have the unknown: this is Gaussian elimination
// with row interchanges, in another order of the unknowns, and a pivot is zero only where the matrix is
// singular.

/// Two neighbouring unknowns.
template <class S>
struct state {
  S below, above;
};

/// left.below x + left.above y + right.below z + right.above w = value
template <class S>
struct equation {
  state<S> left, right;
  S value;
};

/// Multiplies an equation by a power of two, so that its largest coefficient is between 1 and 2. On the
/// device no zero has a sign then, so that nothing changes where nothing is taken away.
template <class S>
SWEEP_HD void equilibrate(equation<S>& e) {
  auto const scale = scale_of_largest(magnitude(e.left.below), magnitude(e.left.above),
                                      magnitude(e.right.below), magnitude(e.right.above));
  e = {{scaled(e.left.below, scale), scaled(e.left.above, scale)},
       {scaled(e.right.below, scale), scaled(e.right.above, scale)},
       scaled(e.value, scale)};
}

template <class S>
struct relation {
  equation<S> upper, lower;
};

/// Of no rows: the states are the same.
template <class S>
SWEEP_HD relation<S> no_rows() {
  S const zero{}, unit = one<S>();
  return {{{unit, zero}, {zero - unit, zero}, zero}, {{zero, unit}, {zero, zero - unit}, zero}};
}

/// How a state between two chunks follows from those at their other ends.
template <class S>
struct elimination {
  state<S> above_left, above_right;  ///< coefficients of the outer states in what gives middle.above
  S above_value;
  S below_above;  ///< coefficient of middle.above in what gives middle.below
  state<S> below_left, below_right;
  S below_value;

  SWEEP_HD state<S> middle(state<S> const& left, state<S> const& right) const {
    state<S> m;
    m.above =
        less_product(less_product(above_value, above_left.below, left.below), above_left.above, left.above);
    m.above =
        less_product(less_product(m.above, above_right.below, right.below), above_right.above, right.above);
    m.below =
        less_product(less_product(below_value, below_left.below, left.below), below_left.above, left.above);
    m.below =
        less_product(less_product(m.below, below_right.below, right.below), below_right.above, right.above);
    m.below = less_product(m.below, below_above, m.above);
    return m;
  }
};

/// Whether pivots are chosen.
enum class pivots { chosen, as_they_stand };

/// An equation of three states while the one in the middle is eliminated.
template <class S>
struct three_states {
  S below, above;  // of the middle
  state<S> left, right;
  S value;
};
template <class S>
SWEEP_HD void swap_equations_if(bool swapped, three_states<S>& a, three_states<S>& b) {
  swap_if(swapped, a.below, b.below);
  swap_if(swapped, a.above, b.above);
  swap_if(swapped, a.left.below, b.left.below);
  swap_if(swapped, a.left.above, b.left.above);
  swap_if(swapped, a.right.below, b.right.below);
  swap_if(swapped, a.right.above, b.right.above);
  swap_if(swapped, a.value, b.value);
}
/// Takes as many times the pivot's equation from another, but for middle.below, as that has a `coefficient`
/// of the pivot's unknown: Guarded, none where it has not, whatever the pivot's equation says.
template <bool Guarded, class S>
SWEEP_HD void subtract(three_states<S>& from, S coefficient, S by, three_states<S> const& pivot) {
  if (Guarded && coefficient == S{}) return;
  S const factor = coefficient * by;
  from.above = minus_product(from.above, factor, pivot.above);
  from.left.below = minus_product(from.left.below, factor, pivot.left.below);
  from.left.above = minus_product(from.left.above, factor, pivot.left.above);
  from.right.below = minus_product(from.right.below, factor, pivot.right.below);
  from.right.above = minus_product(from.right.above, factor, pivot.right.above);
  from.value = minus_product(from.value, factor, pivot.value);
}
/// Eliminates the state between two neighbouring chunks; what is left is not yet in proportion.
/// singular(which) is told of a pivot that is zero: 0 that of middle.below, 1 that of middle.above. What is
/// not finite beside a zero is kept out where this is Guarded; else the operations are the same but for that.
///
/// A relation's upper equation is always of the system that the chunk's first unknown is of, its lower one of
/// the last unknown's. Equations change places only where both have the same unknown; and where none has an
/// unknown, the one that is given up for it is of the unknown's system. So systems that follow each other in
/// a chunk, without coefficients between them, stay apart, whatever becomes of one.
template <bool Guarded, class S, class Singular>
SWEEP_HD relation<S> eliminate_between(relation<S> const& left, relation<S> const& right, elimination<S>& how,
                                       Singular const& singular) {
  state<S> const none{};
  auto const of_left = [&](equation<S> const& e) {
    return three_states<S>{e.right.below, e.right.above, e.left, none, e.value};
  };
  auto const of_right = [&](equation<S> const& e) {
    return three_states<S>{e.left.below, e.left.above, none, e.right, e.value};
  };
  auto const divisor = [](S pivot, S inverse) { return Guarded ? inverse_or_zero(pivot, inverse) : inverse; };
  three_states<S> first = of_left(left.upper), pivot = of_left(left.lower), next = of_right(right.upper),
                  last = of_right(right.lower);
  swap_equations_if(magnitude(first.below) > magnitude(pivot.below), first, pivot);
  swap_equations_if(magnitude(next.below) > magnitude(pivot.below), next, pivot);
  swap_equations_if(magnitude(last.below) > magnitude(pivot.below), last, pivot);
  if (pivot.below == S{}) singular(0);
  S const inverse = reciprocal(pivot.below), by = divisor(pivot.below, inverse);
  subtract<Guarded>(first, first.below, by, pivot);
  subtract<Guarded>(next, next.below, by, pivot);
  subtract<Guarded>(last, last.below, by, pivot);
  how.below_above = pivot.above * inverse;
  how.below_left = {pivot.left.below * inverse, pivot.left.above * inverse};
  how.below_right = {pivot.right.below * inverse, pivot.right.above * inverse};
  how.below_value = pivot.value * inverse;

  swap_equations_if(magnitude(first.above) > magnitude(next.above), first, next);
  swap_equations_if(magnitude(last.above) > magnitude(next.above), last, next);
  if (next.above == S{}) singular(1);
  S const next_inverse = reciprocal(next.above), next_by = divisor(next.above, next_inverse);
  subtract<Guarded>(first, first.above, next_by, next);
  subtract<Guarded>(last, last.above, next_by, next);
  how.above_left = {next.left.below * next_inverse, next.left.above * next_inverse};
  how.above_right = {next.right.below * next_inverse, next.right.above * next_inverse};
  how.above_value = next.value * next_inverse;
  return {{first.left, first.right, first.value}, {last.left, last.right, last.value}};
}
/// The relation of both of two neighbouring chunks.
template <class S, class Singular>
SWEEP_HD relation<S> join(relation<S> const& left, relation<S> const& right, elimination<S>& how,
                          Singular const& singular) {
  auto both = eliminate_between<true>(left, right, how, singular);
  equilibrate(both.upper);
  equilibrate(both.lower);
  return both;
}

/// The states at both ends of a whole system.
template <class S>
struct end_states {
  state<S> left, right;
};

/// Of a system there is nothing outside, so that x[-1] and x[n] are zero; a cyclic one goes on with its other
/// end. singular(which): 0 the pivot of x[0], 1 that of x[n - 1].
template <class S, class Singular>
SWEEP_HD end_states<S> close_system(relation<S> const& all, bool cyclic, Singular const& singular) {
  // Two equations of x[0] and x[n - 1].
  auto const of_first = [&](equation<S> const& e) {
    return cyclic ? e.left.above + e.right.above : e.left.above;
  };
  auto const of_last = [&](equation<S> const& e) {
    return cyclic ? e.right.below + e.left.below : e.right.below;
  };
  S a = of_first(all.upper), b = of_last(all.upper), f = all.upper.value;
  S c = of_first(all.lower), d = of_last(all.lower), g = all.lower.value;
  bool const swapped = magnitude(c) > magnitude(a);
  swap_if(swapped, a, c);
  swap_if(swapped, b, d);
  swap_if(swapped, f, g);
  if (a == S{}) singular(0);
  S const inverse = reciprocal(a), factor = c == S{} ? c : c * inverse_or_zero(a, inverse);
  S const pivot = less_product(d, factor, b);
  if (pivot == S{}) singular(1);
  S const last = less_product(g, factor, f) * reciprocal(pivot);
  S const first = less_product(f, b, last) * inverse;
  S const zero{};
  return cyclic ? end_states<S>{{last, first}, {last, first}} : end_states<S>{{zero, first}, {last, zero}};
}

}  // namespace sweep::inline SWEEP_ABI::detail

SWEEP_END_LOOPS

#endif
