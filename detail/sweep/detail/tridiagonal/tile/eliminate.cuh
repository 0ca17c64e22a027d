// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TILE_ELIMINATE_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_TILE_ELIMINATE_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>
#include <sweep/detail/tridiagonal/tile/relation_tree.cuh>
#include <sweep/detail/tridiagonal/tile/rows.cuh>
#include <sweep/detail/tridiagonal/tuning.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// One thread of the device eliminates the unknowns of neighbouring rows. An equation whose unknown outweighs
// its other coefficients, and has not lost against the row that it began as, is the pivot as it stands:
// normalized it has no coefficient above one, so that taking it out of others makes nothing grow, whatever
// they are. Where it is not, pivots are chosen in proportion to the rows that equations began as. Either way
// what happens depends on the equations alone, but for powers of two in them, so that the quick loops, which
// go on while all outweigh, and the careful step give the same bits; but in a chunk of one system, where the
// careful step takes the largest: there is no other system whose bits could tell.

/// Whether a pivot can be taken as it stands. `size` is the largest coefficient of the row that the equation
/// began as, but for what stands among the others.
template <pivots How, class Real, class S, class... Others>
__device__ bool outweighs(S pivot, Real size, Others... others) {
  auto const mine = magnitude(pivot);
  if constexpr (How == pivots::chosen)
    return (((mine != 0) & (mine * 8 >= size)) & ... & (mine >= magnitude(others)));
  else return mine != 0;
}
/// The same without having been scaled: not near the ends of the numbers' range.
template <pivots How, class Real, class S, class... Others>
__device__ bool outweighs_unscaled(S pivot, Real size, Others... others) {
  auto const mine = magnitude(pivot);
  bool in_range;
  if constexpr (sizeof(Real) == 4) {
    in_range = mine >= static_cast<Real>(0x1p-60) & mine <= static_cast<Real>(0x1p60);
  } else {  // by the exponent: 2^-400 to 2^400
    auto const exponent = static_cast<unsigned>(__double2hiint(mine)) >> 20;
    in_range = exponent - (1023 - 400) < 800;
  }
  if constexpr (How == pivots::chosen)
    return ((in_range & (mine * 8 >= size)) & ... & (mine >= magnitude(others)));
  else return in_range;
}

/// x[j] = value - left . (the chunk's left state) - next x[j + 1] - beyond x[j + 2]: what the elimination of
/// a relation keeps of an unknown. Where the row behind was the pivot, there is nothing left of it, and else
/// nothing beyond.
template <class S>
struct spiked_row {
  state<S> left;
  S next, beyond, value;
  bool by_row;
};

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
  from.left.below = minus_product(from.left.below, coefficient, pivot.left.below);
  from.left.above = minus_product(from.left.above, coefficient, pivot.left.above);
  from.right.below = minus_product(from.right.below, coefficient, pivot.next);
  from.right.above = minus_product(from.right.above, coefficient, pivot.beyond);
  from.value = minus_product(from.value, coefficient, pivot.value);
}

/// One unknown of a chunk's rows, which are in proportion to their coefficients: of the equations carried
/// along, of the left state and of the two unknowns that stand next, and of the row behind, one is given up.
/// zero_pivot says that none had the unknown. Guarded, what has no coefficient of the unknown learns nothing
/// of it, whatever it is: it may be of another system. Where rows of several systems are Mixed in a chunk,
/// what outweighs stays, as where nothing was to be chosen.
template <pivots How, bool Mixed, bool Guarded, class S>
__device__ spiked_row<S> eliminate_choosing(carried<S>& carried_upper, carried<S>& carried_lower,
                                            tridiagonal_row<S> const& row, bool& zero_pivot) {
  S const zero{};
  equation<S>&upper = carried_upper.now, &lower = carried_lower.now;
  auto pivot_size = carried_lower.size, other_size = size_of(row);
  equation<S> pivot = lower, other{{zero, zero}, {row.lower, row.diagonal}, row.right};
  S beyond_pivot = zero, beyond_other = row.upper;  // of the unknown behind the row's own
  bool by_row = false;
  if constexpr (How == pivots::chosen) {
    bool as_it_stands = false;
    if constexpr (Mixed)
      as_it_stands = outweighs<How>(lower.right.below, pivot_size, lower.right.above, lower.left.below,
                                    lower.left.above);
    bool const by_upper = !as_it_stands & (magnitude(upper.right.below) > magnitude(lower.right.below));
    swap_if(by_upper, upper.left.below, pivot.left.below);
    swap_if(by_upper, upper.left.above, pivot.left.above);
    swap_if(by_upper, upper.right.below, pivot.right.below);
    swap_if(by_upper, upper.right.above, pivot.right.above);
    swap_if(by_upper, upper.value, pivot.value);
    swap_if(by_upper, carried_upper.size, pivot_size);
    by_row = !as_it_stands & (magnitude(row.lower) > magnitude(pivot.right.below));
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
                           pivot.value * inverse,
                           by_row};
  zero_pivot = pivot.right.below == zero;
  S const of_upper = upper.right.below, of_other = other.right.below;
  upper.right = {upper.right.above, zero};
  carried_lower = {{other.left, {other.right.above, beyond_other}, other.value}, other_size};
  if (!Guarded || (of_upper != zero && !zero_pivot)) subtract(upper, of_upper, kept);
  if (!Guarded || (of_other != zero && !zero_pivot)) subtract(lower, of_other, kept);
  return kept;
}

/// The same of a whole system from its begin on, where one equation is carried along.
template <pivots How, bool Guarded, class S>
__device__ kept_row<S> eliminate_choosing(carried_equation<short_equation<S>, real_of<S>>& carried_along,
                                          tridiagonal_row<S> const& row, bool& zero_pivot) {
  S const zero{};
  short_equation<S>& carried = carried_along.now;
  auto other_size = size_of(row);
  short_equation<S> pivot = carried, other{row.lower, row.diagonal, row.right};
  S beyond_pivot = zero, beyond_other = row.upper;
  if constexpr (How == pivots::chosen) {
    bool const by_row = !outweighs<How>(carried.here, carried_along.size, carried.next) &
                        (magnitude(row.lower) > magnitude(pivot.here));
    swap_equations_if(by_row, pivot, other);
    swap_if(by_row, beyond_pivot, beyond_other);
    other_size = by_row ? carried_along.size : other_size;
  }
  carried_along.size = other_size;
  kept_row<S> const kept = kept_of(pivot, beyond_pivot, reciprocal(pivot.here));
  zero_pivot = pivot.here == zero;
  carried = {other.next, beyond_other, other.value};
  if (!Guarded || (other.here != zero && !zero_pivot))
    carried = {minus_product(carried.here, other.here, kept.next),
               minus_product(carried.next, other.here, kept.beyond),
               minus_product(carried.value, other.here, kept.value)};
  return kept;
}

/// Rows that are worked on at a time.
template <class S>
inline constexpr int rows_of_group = sizeof(S) <= 4 ? 4 : 2;
template <class S>
struct alignas(16) number_group {
  S at[rows_of_group<S>];
};
template <class S>
__device__ number_group<S> load_group(S const* from) {
  number_group<S> group;
  uint4 words[sizeof group / 16];
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof group / 16); ++i)
    words[i] = reinterpret_cast<uint4 const*>(from)[i];
  memcpy(&group, words, sizeof group);
  return group;
}
template <class S>
__device__ void store_group(S* to, number_group<S> const& group) {
  uint4 words[sizeof group / 16];
  memcpy(words, &group, sizeof group);
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof group / 16); ++i) reinterpret_cast<uint4*>(to)[i] = words[i];
}
template <class S>
struct row_group {
  number_group<S> lower, diagonal, upper, right;
  __device__ tridiagonal_row<S> row(int i) const {
    return {lower.at[i], diagonal.at[i], upper.at[i], right.at[i]};
  }
};
/// What unknowns follow from, those before a group's rows.
template <class S>
struct kept_group {
  number_group<S> left_below, left_above, next, beyond, value;
  unsigned by_row;  ///< a bit a row
  __device__ void put(int i, spiked_row<S> const& row) {
    left_below.at[i] = row.left.below;
    left_above.at[i] = row.left.above;
    next.at[i] = row.next;
    beyond.at[i] = row.beyond;
    value.at[i] = row.value;
    by_row |= row.by_row ? 1u << i : 0u;
  }
};

/// One thread's rows of a tile, from `first` on, where 16 bytes begin. What row j - 1's unknown follows from
/// takes the place of row j, where the tile Keeps it: left.below and beyond, of which there is one, the same
/// one.
template <class S, bool Keeps>
struct tile_chunk {
  using bits_of_rows = std::conditional_t<(most_chunk_rows(sizeof(S)) > 32), std::uint64_t, unsigned>;
  staged_rows<S> all;
  int first;
  int quick_end = 0;        ///< below, what is kept has no left.below and no beyond
  bits_of_rows by_row = 0;  ///< a bit a row

  __device__ row_group<S> arriving(int j) const { return rows(j); }
  __device__ void arrive() const {}
  __device__ tridiagonal_row<S> row(int j) const {
    int const i = first + j;
    return {all.lower[i], all.diagonal[i], all.upper[i], all.right[i]};
  }
  __device__ row_group<S> rows(int j) const {
    int const i = first + j;
    return {load_group(all.lower + i), load_group(all.diagonal + i), load_group(all.upper + i),
            load_group(all.right + i)};
  }
  __device__ void keep_quick(int j, kept_group<S> const& group) {
    if constexpr (Keeps) {
      int const i = first + j;
      store_group(all.lower + i, group.left_above);
      store_group(all.diagonal + i, group.next);
      store_group(all.right + i, group.value);
      quick_end = j + rows_of_group<S>;
    }
  }
  __device__ void keep(int j, kept_group<S> const& group) {
    if constexpr (Keeps) {
      int const i = first + j;
      number_group<S> either;
#pragma unroll
      for (int k = 0; k < rows_of_group<S>; ++k)
        either.at[k] = group.by_row >> k & 1 ? group.beyond.at[k] : group.left_below.at[k];
      store_group(all.lower + i, group.left_above);
      store_group(all.diagonal + i, group.next);
      store_group(all.upper + i, either);
      store_group(all.right + i, group.value);
      constexpr bits_of_rows whole = (1u << rows_of_group<S>)-1;
      by_row = (by_row & ~(whole << j)) | bits_of_rows{group.by_row} << j;
    }
  }
  __device__ void keep(int j, spiked_row<S> const& row) {
    if constexpr (Keeps) {
      int const i = first + j;
      all.lower[i] = row.left.above;
      all.diagonal[i] = row.next;
      all.upper[i] = row.by_row ? row.beyond : row.left.below;
      all.right[i] = row.value;
      by_row = (by_row & ~(bits_of_rows{1} << j)) | bits_of_rows{row.by_row} << j;
    }
  }
  __device__ void keep_nothing_quick() { quick_end = 0; }
  __device__ bool is_by_row(int j) const { return by_row >> j & 1; }
  __device__ spiked_row<S> kept(int j) const {
    int const i = first + j;
    bool const is_quick = j < quick_end, row_behind = is_by_row(j);
    S const zero{}, either = is_quick ? zero : all.upper[i];
    return {{row_behind ? zero : either, all.lower[i]},
            all.diagonal[i],
            row_behind ? either : zero,
            all.right[i],
            row_behind};
  }
};

/// The equations that a chunk's elimination carries along while all pivots outweigh: the upper one is of
/// x[first - 1], x[first] and `here`, the lower one of x[first], `here` and `next`.
template <class S>
struct quick_equations {
  S upper_below, upper_above, upper_here, upper_value;
  S above, here, next, value;
  real_of<S> upper_size, size;  ///< largest coefficients of the rows that they began as; but for `next`

  __device__ void begin(tridiagonal_row<S> const& first, tridiagonal_row<S> const& second) {
    upper_below = first.lower;
    upper_above = first.diagonal;
    upper_here = first.upper;
    upper_value = first.right;
    upper_size = larger_of(size_of(first), magnitude(first.upper));
    above = second.lower;
    here = second.diagonal;
    next = second.upper;
    value = second.right;
    size = size_of(second);
  }
  template <pivots How>
  __device__ bool go_on() const {
    return outweighs_unscaled<How>(here, size, next, above);
  }
  /// What is kept of the unknown.
  __device__ spiked_row<S> eliminate(tridiagonal_row<S> const& row) {
    S const zero{}, inverse = reciprocal(here);
    spiked_row<S> const kept{{zero, above * inverse}, next * inverse, zero, value * inverse, false};
    size = size_of(row);
    above = minus_product(zero, row.lower, kept.left.above);
    here = minus_product(row.diagonal, row.lower, kept.next);
    next = row.upper;
    value = minus_product(row.right, row.lower, kept.value);
    upper_above = minus_product(upper_above, upper_here, kept.left.above);
    upper_value = minus_product(upper_value, upper_here, kept.value);
    upper_here = minus_product(zero, upper_here, kept.next);
    return kept;
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

/// The relation of a chunk of m rows: in groups, as long as all outweigh and `quickly`, then choosing;
/// and one by one at the ends and where a pivot is zero. again(j) is row j from where it came from, for where
/// something was not finite, as what stands beside a zero is kept out one by one alone; singular(j) is told
/// of a zero pivot of row j's unknown.
template <pivots How, bool Mixed, class S, class Rows, class Again, class Singular>
__device__ relation<S> fold_rows(Rows& rows, int m, bool& quickly, Again const& again,
                                 Singular const& singular) {
  if (m < 2) {
    rows.arrive();
    auto all = relation_of_rows<How, S>([&](int j) { return equilibrated(rows.row(j)); }, m);
    equilibrate(all.upper);
    return all;
  }
  constexpr int G = rows_of_group<S>;
  quick_equations<S> quick;
  int j = 2;
  auto const quick_group = [&](int begin, auto which) {
    constexpr bool is_first = decltype(which)::value;
    auto const of = rows.arriving(begin);
    kept_group<S> kept{};
    auto before = quick;
#pragma unroll
    for (int i = 0; i < G; ++i) {
      if (is_first && i == 0) continue;
      if (is_first && i == 1) {
        quick.begin(of.row(0), of.row(1));
        before = quick;
      } else {
        quickly = quickly & quick.template go_on<How>();
        kept.put(i, quick.eliminate(of.row(i)));
      }
    }
    if (quickly) {
      j = begin + G;
      rows.keep_quick(begin, kept);
    } else {
      quick = before;
    }
  };
  if (m >= G) {
    quick_group(0, std::true_type{});
    while (quickly && j + G <= m) quick_group(j, std::false_type{});
  }
  rows.arrive();
  if (m < G) quick.begin(rows.row(0), rows.row(1));
  auto upper = quick.upper(), lower = quick.lower();
  // Unscaled, products may have left the range, and a row that is not coupled does not learn of it.
  if (j < m && !is_finite(sum_of(upper.now) + sum_of(lower.now))) j = m;
  int singles_end = 0;
  bool from_start = false;
  for (;;) {
    while (j < m) {
      bool zero_pivot = false;
      int const begin = j == 2 ? j - j % G : j;  // the first two rows are carried from the start
      if (begin % G == 0 && begin + G <= m && j >= singles_end) {
        auto const of = rows.rows(begin);
        kept_group<S> kept{};
        auto const upper_before = upper, lower_before = lower;
#pragma unroll
        for (int i = 0; i < G; ++i) {
          if (i < 2 && begin + i < 2) continue;
          bool zero;
          kept.put(i, eliminate_choosing<How, Mixed, false>(upper, lower, equilibrated(of.row(i)), zero));
          zero_pivot = zero_pivot | zero;
        }
        if (!zero_pivot) {
          rows.keep(begin, kept);
          j = begin + G;
          continue;
        }
        upper = upper_before;
        lower = lower_before;
        singles_end = begin + G;
      }
      auto const row = equilibrated(from_start ? again(j) : rows.row(j));
      rows.keep(j, eliminate_choosing<How, Mixed, true>(upper, lower, row, zero_pivot));
      if (zero_pivot) singular(j - 1);
      ++j;
    }
    if (from_start || is_finite(sum_of(upper.now) + sum_of(lower.now))) break;
    from_start = true;
    singles_end = m;
    rows.keep_nothing_quick();
    S const zero{};
    auto const one = equilibrated(again(0)), two = equilibrated(again(1));
    upper = {{{one.lower, one.diagonal}, {one.upper, zero}, one.right},
             larger_of(size_of(one), magnitude(one.upper))};
    lower = {{{zero, two.lower}, {two.diagonal, two.upper}, two.right}, size_of(two)};
    j = 2;
  }
  equilibrate(upper.now);
  equilibrate(lower.now);
  return {upper.now, lower.now};
}

/// The unknowns of m rows between two states, from what fold_rows kept of them, in the places of the
/// right-hand sides.
template <class S>
__device__ void unfold_chunk(tile_chunk<S, true> const& chunk, int m, state<S> const& left,
                             state<S> const& right) {
  if (m == 0) return;
  constexpr int G = rows_of_group<S>;
  S* const to = chunk.all.right + chunk.first;
  S next = m > 1 ? right.below : left.above, beyond = right.above;
  int j = m - 1;  // next is x[j]
  auto const singles = [&](int end) {
    for (; j >= end; --j) {
      S const x = next;
      if (j >= 2) {
        auto const kept = chunk.kept(j);
        next =
            minus_product(minus_product(minus_product(minus_product(kept.value, kept.left.below, left.below),
                                                      kept.left.above, left.above),
                                        kept.beyond, beyond),
                          kept.next, x);
        if (!is_finite(next))
          next = less_product(less_product(less_product(less_product(kept.value, kept.left.below, left.below),
                                                        kept.left.above, left.above),
                                           kept.beyond, beyond),
                              kept.next, x);
      } else {
        next = left.above;
      }
      beyond = x;
      to[j] = x;
    }
  };
  auto const group = [&](auto which) {
    constexpr bool is_quick = decltype(which)::value;
    int const begin = j + 1 - G, at = chunk.first + begin;
    auto const above = load_group(chunk.all.lower + at), coefficient = load_group(chunk.all.diagonal + at),
               value = load_group(to + begin);
    number_group<S> either, x;
    if constexpr (!is_quick) either = load_group(chunk.all.upper + at);
    S here = next, behind = beyond;
#pragma unroll
    for (int i = G - 1; i >= 0; --i) {
      x.at[i] = here;
      S known = minus_product(value.at[i], above.at[i], left.above);
      if constexpr (!is_quick) {
        S const zero{};
        bool const row_behind = chunk.is_by_row(begin + i);
        known = minus_product(
            minus_product(minus_product(value.at[i], row_behind ? zero : either.at[i], left.below),
                          above.at[i], left.above),
            row_behind ? either.at[i] : zero, behind);
      }
      behind = here;
      here = minus_product(known, coefficient.at[i], here);
      if (i == 1 && begin == 0) here = left.above;
    }
    if (!is_finite(begin == 0 ? x.at[G > 2 ? 1 : 0] : here)) return false;
    store_group(to + begin, x);
    next = here;
    beyond = behind;
    j = begin - 1;
    return true;
  };
  singles(m / G * G);
  bool regular = true;
  while (regular && j >= chunk.quick_end) regular = group(std::false_type{});
  while (regular && j >= 0) regular = group(std::true_type{});
  singles(0);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
