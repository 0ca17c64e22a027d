// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TILE_ELIMINATE_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_TILE_ELIMINATE_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>
#include <sweep/detail/tridiagonal/tile/rows.cuh>

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// One thread of the device eliminates the unknowns of neighbouring rows. An equation whose unknown outweighs
// its other coefficients, and has not lost against the row that it began as, is the pivot as it stands:
// normalized it has no coefficient above one, so that taking it out of others makes nothing grow, whatever
// they are. Where it is not, pivots are chosen in proportion to the rows that equations began as. Either way
// what happens depends on the equations alone, but for powers of two in them, so that the quick loops, which
// go on while all outweigh, and the careful step give the same bits.

/// Whether a pivot can be taken as it stands. `size` is the largest coefficient of the row that the equation
/// began as, but for what stands among the others.
template <pivots How, class Real, class S, class... Others>
__device__ bool outweighs(S pivot, Real size, Others... others) {
  auto const mine = magnitude(pivot);
  if constexpr (How == pivots::chosen)
    return (mine != 0 & mine * 8 >= size & ... & (mine >= magnitude(others)));
  else return mine != 0;
}
/// The same without having been scaled: not near the ends of the numbers' range.
template <pivots How, class Real, class S, class... Others>
__device__ bool outweighs_unscaled(S pivot, Real size, Others... others) {
  constexpr Real most = sizeof(Real) == 4 ? static_cast<Real>(0x1p60) : static_cast<Real>(0x1p400),
                 least = 1 / most;
  auto const mine = magnitude(pivot);
  if constexpr (How == pivots::chosen)
    return (mine >= least & mine <= most & mine * 8 >= size & ... & (mine >= magnitude(others)));
  else return mine >= least & mine <= most;
}

/// An equation that is carried along, and the size of the row that it began as.
template <class Equation, class Real>
struct carried_equation {
  Equation now;
  Real size;
};
template <class S>
using carried = carried_equation<equation<S>, real_of<S>>;
template <class S>
__device__ real_of<S> size_of(tridiagonal_row<S> const& row) {
  return larger_of(magnitude(row.lower), magnitude(row.diagonal));
}

template <class S>
__device__ void subtract(equation<S>& from, S coefficient, spiked_row<S> const& pivot) {
  from.left.below = from.left.below - coefficient * pivot.left.below;
  from.left.above = from.left.above - coefficient * pivot.left.above;
  from.right.below = from.right.below - coefficient * pivot.next;
  from.right.above = from.right.above - coefficient * pivot.beyond;
  from.value = from.value - coefficient * pivot.value;
}

/// One unknown of a chunk's rows, which are in proportion to their coefficients: of the equations carried
/// along, of the left state and of the two unknowns that stand next, and of the row behind, one is given up.
/// zero_pivot says that none had the unknown.
template <pivots How, class S>
__device__ spiked_row<S> eliminate_carefully(carried<S>& carried_upper, carried<S>& carried_lower,
                                             tridiagonal_row<S> const& row, bool& zero_pivot) {
  S const zero{};
  equation<S>&upper = carried_upper.now, &lower = carried_lower.now;
  auto pivot_size = carried_lower.size, other_size = size_of(row);
  equation<S> pivot = lower, other{{zero, zero}, {row.lower, row.diagonal}, row.right};
  S beyond_pivot = zero, beyond_other = row.upper;  // of the unknown behind the row's own
  if constexpr (How == pivots::chosen) {
    bool const as_it_stands =
        outweighs<How>(lower.right.below, pivot_size, lower.right.above, lower.left.below, lower.left.above);
    bool const by_upper = !as_it_stands & (magnitude(upper.right.below) > magnitude(lower.right.below));
    swap_if(by_upper, upper.left.below, pivot.left.below);
    swap_if(by_upper, upper.left.above, pivot.left.above);
    swap_if(by_upper, upper.right.below, pivot.right.below);
    swap_if(by_upper, upper.right.above, pivot.right.above);
    swap_if(by_upper, upper.value, pivot.value);
    swap_if(by_upper, carried_upper.size, pivot_size);
    bool const by_row = !as_it_stands & (magnitude(row.lower) > magnitude(pivot.right.below));
    swap_if(by_row, pivot.left.below, other.left.below);
    swap_if(by_row, pivot.left.above, other.left.above);
    swap_if(by_row, pivot.right.below, other.right.below);
    swap_if(by_row, pivot.right.above, other.right.above);
    swap_if(by_row, pivot.value, other.value);
    swap_if(by_row, pivot_size, other_size);
    swap_if(by_row, beyond_pivot, beyond_other);
  }
  S const inverse = reciprocal(pivot.right.below);
  spiked_row<S> const kept{{pivot.left.below * inverse, pivot.left.above * inverse},
                           pivot.right.above * inverse,
                           beyond_pivot * inverse,
                           pivot.value * inverse};
  zero_pivot = pivot.right.below == zero;
  // What has no coefficient of the unknown learns nothing of it: it may be of another system.
  S const of_upper = upper.right.below, of_other = other.right.below;
  upper.right = {upper.right.above, zero};
  carried_lower = {{other.left, {other.right.above, beyond_other}, other.value}, other_size};
  if (of_upper != zero && !zero_pivot) subtract(upper, of_upper, kept);
  if (of_other != zero && !zero_pivot) subtract(lower, of_other, kept);
  return kept;
}

/// The same of a whole system from its begin on, where one equation is carried along.
template <pivots How, class S>
__device__ kept_row<S> eliminate_carefully(carried_equation<short_equation<S>, real_of<S>>& carried_along,
                                           tridiagonal_row<S> const& row, bool& zero_pivot) {
  S const zero{};
  short_equation<S>& carried = carried_along.now;
  auto other_size = size_of(row);
  short_equation<S> pivot = carried, other{row.lower, row.diagonal, row.right};
  S beyond_pivot = zero, beyond_other = row.upper;
  if constexpr (How == pivots::chosen) {
    bool const by_row = !outweighs<How>(carried.here, carried_along.size, carried.next) & (magnitude(row.lower) > magnitude(pivot.here));
    swap_equations_if(by_row, pivot, other);
    swap_if(by_row, beyond_pivot, beyond_other);
    other_size = by_row ? carried_along.size : other_size;
  }
  carried_along.size = other_size;
  kept_row<S> const kept = kept_of(pivot, beyond_pivot, reciprocal(pivot.here));
  zero_pivot = pivot.here == zero;
  carried = {other.next, beyond_other, other.value};
  if (other.here != zero && !zero_pivot)
    carried = {carried.here - other.here * kept.next, carried.next - other.here * kept.beyond,
               carried.value - other.here * kept.value};
  return kept;
}

/// Neighbours in shared memory as one vector.
template <class S>
struct alignas(16) number_group {
  static constexpr int count = 16 / static_cast<int>(sizeof(S));
  S at[count];
};
template <class S>
__device__ number_group<S> load_group(S const* from) {
  number_group<S> group;
  auto const words = *reinterpret_cast<uint4 const*>(from);
  memcpy(&group, &words, sizeof group);
  return group;
}
template <class S>
__device__ void store_group(S* to, number_group<S> const& group) {
  uint4 words;
  memcpy(&words, &group, sizeof group);
  *reinterpret_cast<uint4*>(to) = words;
}

/// One thread's rows of a tile, from `first` on, in groups that begin on 16 bytes. What follows of row j - 1's
/// unknown takes the place of row j, that of its left.below a place of its own.
template <class S>
struct tile_chunk {
  staged_rows<S> all;
  S* left_below;
  int first;

  __device__ tridiagonal_row<S> row(int j) const {
    int const i = first + j;
    return {all.lower[i], all.diagonal[i], all.upper[i], all.right[i]};
  }
  __device__ void keep(int j, spiked_row<S> const& row) const {
    int const i = first + j;
    left_below[i] = row.left.below;
    all.lower[i] = row.left.above;
    all.diagonal[i] = row.next;
    all.upper[i] = row.beyond;
    all.right[i] = row.value;
  }
  __device__ spiked_row<S> kept(int j) const {
    int const i = first + j;
    return {{left_below[i], all.lower[i]}, all.diagonal[i], all.upper[i], all.right[i]};
  }
};

/// The equations that a chunk's elimination carries along while all pivots outweigh: the upper one is of
/// x[first - 1], x[first] and `here`, the lower one of x[first], `here` and `next`.
template <class S>
struct quick_equations {
  S upper_below, upper_above, upper_here, upper_value;
  S above, here, next, value;
  real_of<S> upper_size, size;  ///< largest coefficients of the rows that they began as; but for `next`

  __device__ void begin(S lower, S diagonal, S upper, S right) {
    upper_below = lower;
    upper_above = diagonal;
    upper_here = upper;
    upper_value = right;
    upper_size = larger_of(larger_of(magnitude(lower), magnitude(diagonal)), magnitude(upper));
  }
  __device__ void begin_second(S lower, S diagonal, S upper, S right) {
    above = lower;
    here = diagonal;
    next = upper;
    value = right;
    size = larger_of(magnitude(lower), magnitude(diagonal));
  }
  template <pivots How>
  __device__ bool go_on() const {
    return outweighs_unscaled<How>(here, size, next, above);
  }
  /// In place of a row is put what is kept.
  __device__ void eliminate(S& lower, S& diagonal, S const& upper, S& right) {
    S const zero{}, inverse = reciprocal(here), of_row = lower;
    S const kept_above = above * inverse, kept_next = next * inverse, kept_value = value * inverse;
    size = larger_of(magnitude(lower), magnitude(diagonal));
    above = zero - of_row * kept_above;
    here = diagonal - of_row * kept_next;
    next = upper;
    value = right - of_row * kept_value;
    upper_above = upper_above - upper_here * kept_above;
    upper_value = upper_value - upper_here * kept_value;
    upper_here = zero - upper_here * kept_next;
    lower = kept_above;
    diagonal = kept_next;
    right = kept_value;
  }

  /// The two in proportion to those rows.
  __device__ carried<S> upper() const {
    auto const scale = scale_of(upper_size);
    return {{{upper_below * scale, upper_above * scale}, {upper_here * scale, S{}}, upper_value * scale},
            upper_size * scale};
  }
  __device__ carried<S> lower() const {
    auto const scale = scale_of(larger_of(size, magnitude(next)));
    return {{{S{}, above * scale}, {here * scale, next * scale}, value * scale}, size * scale};
  }
};

/// Rows [j, m) of a chunk one by one, quickly as long as all outweigh. keep(j, spiked_row, whether quickly) is
/// given what row j - 1's unknown follows from, restart() is told where all is done once more from again(j),
/// row j from where it came from, as something was not finite; singular(j) of a zero pivot of row j's unknown.
template <pivots How, class S, class Rows, class Keep, class Restart, class Again, class Singular>
__device__ relation<S> finish_fold(Rows const& rows, int m, quick_equations<S> quick, int j, bool all_outweigh,
                                   Keep const& keep, Restart const& restart, Again const& again,
                                   Singular const& singular) {
  S const zero{};
  for (; all_outweigh && j < m && quick.template go_on<How>(); ++j) {
    auto row = rows.row(j);
    quick.eliminate(row.lower, row.diagonal, row.upper, row.right);
    keep(j, spiked_row<S>{{zero, row.lower}, row.diagonal, zero, row.right}, true);
  }
  auto upper = quick.upper(), lower = quick.lower();
  bool from_start = false;
  for (;;) {
    for (; j < m; ++j) {
      bool zero_pivot;
      auto const kept =
          eliminate_carefully<How>(upper, lower, equilibrated(from_start ? again(j) : rows.row(j)), zero_pivot);
      keep(j, kept, false);
      if (zero_pivot) singular(j - 1);
    }
    // What is not finite and stands beside a zero is kept out by the careful step alone.
    auto const sum_of = [](equation<S> const& e) {
      return e.left.below + e.left.above + e.right.below + e.right.above + e.value;
    };
    if (from_start || is_finite(sum_of(upper.now) + sum_of(lower.now))) break;
    from_start = true;
    restart();
    auto const one = equilibrated(again(0)), two = equilibrated(again(1));
    upper = {{{one.lower, one.diagonal}, {one.upper, zero}, one.right}, size_of(one)};
    lower = {{{zero, two.lower}, {two.diagonal, two.upper}, two.right}, size_of(two)};
    j = 2;
  }
  equilibrate(upper.now);
  equilibrate(lower.now);
  return {upper.now, lower.now};
}

/// The relation of a chunk of m rows. Where it Keeps, what the unknowns follow from takes the rows' places,
/// of the first by_groups of them without what is zero there. again(j) is row j from where it came from, for
/// where something was not finite; singular(j) is told of a zero pivot of row j's unknown.
template <pivots How, bool Keeps, class S, class Again, class Singular>
__device__ relation<S> fold_chunk(tile_chunk<S> const& chunk, int m, int& by_groups, Again const& again,
                                  Singular const& singular) {
  by_groups = 0;
  if (m == 0) return no_rows<S>();
  if (m == 1) return relation_of_rows<How, S>([&](int j) { return chunk.row(j); }, m);
  quick_equations<S> quick;
  constexpr int V = number_group<S>::count;
  int j = 2;
  bool all_outweigh = true;
  if constexpr (V >= 2) {
    auto const group = [&](int begin, auto which) {
      constexpr bool is_first = decltype(which)::value;
      S *const lower = chunk.all.lower + chunk.first + begin, *const diagonal = chunk.all.diagonal + chunk.first + begin,
        *const upper = chunk.all.upper + chunk.first + begin, *const right = chunk.all.right + chunk.first + begin;
      auto l = load_group(lower), d = load_group(diagonal), u = load_group(upper), r = load_group(right);
      auto before = quick;
#pragma unroll
      for (int i = 0; i < V; ++i) {
        if (is_first && i == 0) {
          quick.begin(l.at[0], d.at[0], u.at[0], r.at[0]);
        } else if (is_first && i == 1) {
          quick.begin_second(l.at[1], d.at[1], u.at[1], r.at[1]);
          before = quick;
        } else {
          all_outweigh = all_outweigh & quick.template go_on<How>();
          quick.eliminate(l.at[i], d.at[i], u.at[i], r.at[i]);
        }
      }
      if (!all_outweigh) {
        quick = before;
        return;
      }
      j = begin + V;
      if constexpr (Keeps) {
        by_groups = j;
        store_group(lower, l);
        store_group(diagonal, d);
        store_group(right, r);
      }
    };
    if (m >= V) {
      group(0, std::true_type{});
      while (all_outweigh && j + V <= m) group(j, std::false_type{});
    }
  }
  if (V < 2 || m < V) {
    auto const one = chunk.row(0), two = chunk.row(1);
    quick.begin(one.lower, one.diagonal, one.upper, one.right);
    quick.begin_second(two.lower, two.diagonal, two.upper, two.right);
  }
  return finish_fold<How, S>(
      chunk, m, quick, j, all_outweigh,
      [&](int at, spiked_row<S> const& row, bool) {
        if constexpr (Keeps) chunk.keep(at, row);
      },
      [&] { by_groups = 0; }, again, singular);
}

/// The unknowns of m rows between two states, from what fold_chunk kept of them, in the places of the
/// right-hand sides.
template <class S>
__device__ void unfold_chunk(tile_chunk<S> const& chunk, int m, int by_groups, state<S> const& left,
                             state<S> const& right) {
  if (m == 0) return;
  S* const to = chunk.all.right + chunk.first;
  constexpr int V = number_group<S>::count;
  S next = m > 1 ? right.below : left.above, beyond = right.above;
  int j = m - 1;  // next is x[j]
  bool regular = true;
  auto const singles = [&](int end, int quick_end) {
    for (; j >= end; --j) {
      S const x = next;
      if (j >= 2) {
        auto kept = chunk.kept(j);
        if (j < quick_end) kept.left.below = kept.beyond = S{};
        S before = kept.value - kept.left.below * left.below - kept.left.above * left.above - kept.beyond * beyond -
                   kept.next * next;
        if (!is_finite(before))
          before = less_product(less_product(less_product(less_product(kept.value, kept.left.below, left.below),
                                                          kept.left.above, left.above),
                                             kept.beyond, beyond),
                                kept.next, next);
        beyond = next;
        next = before;
      } else {
        next = left.above;
      }
      to[j] = x;
    }
  };
  singles(by_groups, by_groups);
  if constexpr (V >= 2) {
    while (j >= 0 && regular) {
      int const begin = j + 1 - V;
      auto const above = load_group(chunk.all.lower + chunk.first + begin),
                 coefficient = load_group(chunk.all.diagonal + chunk.first + begin), value = load_group(to + begin);
      number_group<S> x;
      S at = next;
#pragma unroll
      for (int i = V - 1; i >= 0; --i) {
        x.at[i] = at;
        at = value.at[i] - above.at[i] * left.above - coefficient.at[i] * at;
        if (i == 1 && begin == 0) at = left.above;
      }
      regular = is_finite(begin == 0 ? x.at[V > 2 ? 1 : 0] : at);
      if (!regular) break;
      store_group(to + begin, x);
      next = at;
      j = begin - 1;
    }
    if (!regular) singles(0, by_groups);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
