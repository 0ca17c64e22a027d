// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_RECURRENCE_HPP
#define SWEEP_DETAIL_AXES_RECURRENCE_HPP

#include <sweep/detail/axes/affine_map.hpp>
#include <sweep/detail/axes/composed.hpp>
#include <sweep/detail/axes/dispatch.hpp>
#include <sweep/detail/axes/neighbour_rows.hpp>
#include <sweep/detail/axes/walk.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/radix_word.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/strided.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// A factor and a term.
template <class As, class Xs>
struct factor_and_term {
  static constexpr int own = arrays_of_place<place_in<Xs>>, arrays = own + arrays_of_place<place_in<As>>;
  As factors;
  Xs terms;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD item_pair<value_of<As>, value_of<Xs>> operator()(places<arrays> const& at) const {
    return {factors[static_cast<difference_of<As>>(part_of<own, arrays - own>(at))],
            terms[static_cast<difference_of<Xs>>(part_of<0, own>(at))]};
  }
};
/// A gradient and the factor that leads on from its item, which is that of the item behind it; behind the
/// last one there is none.
template <class As, class Xs>
struct next_factor_and_term {
  /// Those of the terms, the factors', and the index along the axis.
  static constexpr int own = arrays_of_place<place_in<Xs>>, of_factors = arrays_of_place<place_in<As>>,
                       arrays = own + of_factors + 1;
  As factors;
  Xs terms;
  place_in<As> onwards;  ///< from a factor to the next one
  std::int64_t last;     ///< an index that has none
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD item_pair<value_of<As>, value_of<Xs>> operator()(places<arrays> const& at) const {
    bool const ends = at.at[arrays - 1] == last;  // read all the same: nothing is waited for between items
    auto const place = part_of<own, of_factors>(at);
    value_of<As> const factor = factors[static_cast<difference_of<As>>(ends ? place : place + onwards)];
    return {ends ? value_of<As>{} : factor, terms[static_cast<difference_of<Xs>>(part_of<0, own>(at))]};
  }
};

/// What stands before a line, as a map that makes it of anything.
template <class A, class T, class Values>
struct map_to_init {
  Values values;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD affine_map<A, T> operator()(std::int64_t i) const {
    return {A{}, static_cast<T>(values[static_cast<difference_of<Values>>(i)])};
  }
};
template <class A, class T, class Init>
auto init_map(char const* call, Init const& init) {
  if constexpr (array_like<Init>) {
    auto const view = as_strided(init);
    auto const values = unwrapped(view.first);
    if (items_of_extents(call, "init", view.extents) > 0) require_pointer(call, "init", values);
    using map = map_to_init<A, T, std::remove_const_t<decltype(values)>>;
    return strided(reader<affine_map<A, T>, map>{{values}}, view.extents, view.strides);
  } else {
    return affine_map<A, T>{A{}, static_cast<T>(init)};
  }
}

// Factors are given as one value, as an array, or as one a line: an array without the axis.
template <class A>
struct factor_of {
  using type = A;
};
template <array_like A>
struct factor_of<A> {
  using type = value_of<array_iterator<A>>;
};
template <class A, int Rank>
inline constexpr bool is_factor_a_line = false;
template <array_like A, int Rank>
inline constexpr bool is_factor_a_line<A, Rank> = rank_of<A> != Rank&& rank_of<A> == Rank - 1;

/// Those of a range.
template <class A>
struct factor_of_range {
  using type = A;
};
template <class A>
  requires is_iterator<A>
struct factor_of_range<A> {
  using type = value_of<A>;
};
template <class A>
constexpr bool require_factors_of_iterators() {
  static_assert(!is_range<A const>,
                "sweep: beside two iterators factors are an iterator or one value: give ranges for both");
  return !is_range<A const>;
}
template <class A>
auto factors_of_range(A const& a, std::int64_t n) {
  (void)require_factors_of_iterators<A>();
  if constexpr (is_iterator<A>) return strided(a, {n});
  else return a;
}

/// The strides of factors along the axes of x, whose extents theirs must be.
template <int Rank, array_like A>
void factor_strides(char const* call, A const& a, std::int64_t const (&extents)[Rank], int axis,
                    place_in<array_iterator<A>> (&strides)[Rank]) {
  static_assert(rank_of<A> == Rank || is_factor_a_line<A, Rank>,
                "sweep: an array of factors has as many axes as the input, or one less: a factor a line");
  auto const factors = as_strided(a);
  if constexpr (rank_of<A> == Rank) {
    require_same_extents(call, "a", factors.extents, extents);
    copy_strides(factors.strides, strides);
  } else if constexpr (is_factor_a_line<A, Rank>) {
    std::int64_t want[rank_of<A>];
    leave_out(extents, axis, want);
    require_same_extents(call, "a", factors.extents, want);
    strides_across<Rank>(factors.strides, axis, strides);
  }
  if (items_of_extents(call, "a", factors.extents) > 0) require_pointer(call, "a", unwrapped(factors.first));
}

template <class Dir, class Policy, class A, class X, class Y, class... Init>
Y recur(char const* call, Policy const& policy, A const& a, X const& x, Y const& y, along_axes<1> along,
        Init const&... init) {
  using T = value_of<array_iterator<Y>>;
  using factor = typename factor_of<A>::type;
  using kept = kept_factor<factor, T>;
  constexpr int rank = rank_of<X>;
  static_assert(rank_of<Y> == rank, "sweep: the input and the output must have as many axes");
  if constexpr (require_initial_values<rank - 1, Init...>() &&
                require_recurrence<factor, value_of<array_iterator<X>>, T>()) {
    auto const items = as_strided(x);
    auto const scan = [&](auto const& maps, auto unary) {
      scan_along<line_result::inclusive, Dir>(call, policy, maps, y, along, then{}, unary,
                                              init_map<kept, T>(call, init)...);
    };
    if constexpr (!array_like<A>) {
      scan(x, map_with_factor<kept, T>{static_cast<kept>(a)});
    } else {
      int const axis = checked_axis(call, along.axis[0], rank);
      auto const n = items_of_extents(call, "x", items.extents);
      place_in<array_iterator<A>> strides[rank];
      factor_strides(call, a, items.extents, axis, strides);
      if (n > 0) {
        require_pointer(call, "x", unwrapped(items.first));
        auto const results = as_strided(y);
        require_same_extents(call, "out", results.extents, items.extents);
        require_in_place(call, items, results);
      }
      auto const factors = as_strided(a);
      if constexpr (rank_of<A> == rank && std::is_integral_v<place_in<array_iterator<A>>> &&
                    std::is_integral_v<place_in<array_iterator<X>>>) {
        if (n == 0 || same_strides(items.extents, items.strides, strides)) {
          scan(strided(zipped(factors.first, items.first), items.extents, items.strides),
               map_of_pair<kept, T>{});
          return y;
        }
      }
      using read = factor_and_term<unwrapped_t<array_iterator<A>>, unwrapped_t<array_iterator<X>>>;
      scan(composed_view(
               composed_input<item_pair<factor, value_of<array_iterator<X>>>, read>{
                   {unwrapped(factors.first), unwrapped(items.first)}},
               items.extents, [&](int r) { return joined_places(items.strides[r], strides[r]); }),
           map_of_pair<kept, T>{});
    }
  }
  return y;
}

/// A recurrence of a range. On a device it is a scan of maps; along an axis, as threads of the host have it,
/// no factors are multiplied that only one chain needs.
template <class Dir, class Policy, class A, class In, class Out, class... Init>
Out recur_range(char const* call, Policy const& policy, A const& a, In first, In last, Out out,
                Init const&... init) {
  auto const n = checked_distance(call, first, last);
  if constexpr (!require_factors_of_iterators<A>()) {
    return out;
  } else if constexpr (runs_on_host<Policy>) {
    recur<Dir>(call, policy, factors_of_range(a, n), strided(first, {n}), strided(out, {n}), along(0),
               init...);
  } else if constexpr (require_initial_values<0, Init...>() &&
                       require_recurrence<typename factor_of_range<A>::type, value_of<In>,
                                          written_value<Out, value_of<In>>>()) {
    if (n == 0) return out;
    using T = written_value<Out, value_of<In>>;
    using kept = kept_factor<typename factor_of_range<A>::type, T>;
    auto const scan_maps = [&](auto from, auto to_map) {
      scan<scan_kind::inclusive, Dir>(call, policy, from, from + n, out, then{}, to_map,
                                      init_map<kept, T>(call, init)...);
    };
    if constexpr (is_iterator<A>) {
      require_pointer(call, "a", unwrapped(a));
      scan_maps(zipped(a, first), map_of_pair<kept, T>{});
    } else {
      scan_maps(first, map_with_factor<kept, T>{static_cast<kept>(a)});
    }
  }
  return out + n;
}

/// Writes of an item the gradient of x, and that of a, which is it times the result before the item.
template <class T, class Ys, class Gx, class Ga, class Init>
struct write_gradients {
  /// Those of the gradients of terms and of factors, initial values, the index along the axis, and results.
  static constexpr int own = arrays_of_place<place_in<Ys>>, arrays = 4 + own;
  Ys results;
  Gx of_terms;
  Ga of_factors;
  Init init;
  place_in<Ys> back;   ///< from a result to the one before
  std::int64_t first;  ///< an index that has none

  /// The result before an item.
  struct seen {
    value_of<Ys> before;
    bool begins;
  };
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD seen look(places<arrays> const& at) const {
    bool const begins = at.at[3] == first;
    auto const place = part_of<4, own>(at);
    seen found{results[static_cast<difference_of<Ys>>(begins ? place : place + back)], begins};
    if constexpr (!std::is_same_v<Init, nothing_before>)
      if (begins) found.before = static_cast<value_of<Ys>>(init.template of<T>(at.at[2]).value);
    return found;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(places<arrays> const& at, T const& gradient, seen const& found) const {
    using G = written_value<Ga, T>;
    put_item(of_terms, at.at[0], T(gradient));
    if (std::is_same_v<Init, nothing_before> && found.begins) put_item(of_factors, at.at[1], G{});
    else put_item(of_factors, at.at[1], static_cast<G>(gradient * found.before));
  }
};

/// Refuses to write where others still read.
template <class Written, class Read>
void require_elsewhere(char const* call, char const* argument, Written const& written, char const* what,
                       Read const& read) {
  if constexpr (std::is_pointer_v<unwrapped_t<Written>> && std::is_pointer_v<unwrapped_t<Read>>) {
    void const* const to = unwrapped(written);
    void const* const from = unwrapped(read);
    if (to == from)
      throw_bad_argument(call, argument, "begins where ", what, " does, which others still read");
  }
}

template <class It>
inline constexpr bool is_in_memory = std::is_pointer_v<unwrapped_t<It>>;
template <class A>
inline constexpr bool factors_in_memory = true;
template <array_like A>
inline constexpr bool factors_in_memory<A> = is_in_memory<array_iterator<A>>;
template <class Before>
inline constexpr bool is_before_each = false;
template <class Values>
inline constexpr bool is_before_each<each_before<Values>> = true;
/// Whether all that a device reads and writes of gradients are arrays in memory, and what stands before lines
/// is none.
template <class Policy, class A, class Y, class Gy, class Ga, class Gx, class Before>
inline constexpr bool gradients_in_rows =
    !runs_on_host<Policy> && factors_in_memory<A> && is_in_memory<array_iterator<Y>> &&
    is_in_memory<array_iterator<Gy>> && is_in_memory<array_iterator<Ga>> &&
    is_in_memory<array_iterator<Gx>> && !is_before_each<Before>;

/// The gradients of a recurrence's factors and terms: a recurrence the other way round, whose factors are
/// those of the items behind.
template <class Dir, class Policy, class A, class Y, class Gy, class Ga, class Gx, class... Init>
Gx recurrence_gradient(char const* call, Policy const& given, A const& a, Y const& y, Gy const& gy,
                       Ga const& ga, Gx const& gx, along_axes<1> along, Init const&... init) {
  constexpr int rank = rank_of<Gy>;
  constexpr bool fits = rank_of<Y> == rank && rank_of<Ga> == rank && rank_of<Gx> == rank;
  static_assert(fits, "sweep: a recurrence's results and all gradients must have as many axes");
  using T = value_of<array_iterator<Gx>>;
  using factor = typename factor_of<A>::type;
  if constexpr (fits && require_initial_values<rank - 1, Init...>() &&
                require_recurrence<factor, value_of<array_iterator<Gy>>, T>()) {
    using kept = kept_factor<factor, T>;
    using other_way = std::conditional_t<std::is_same_v<Dir, forward_t>, backward_t, forward_t>;
    constexpr bool forwards = std::is_same_v<Dir, forward_t>;
    auto const results = as_strided(y);
    auto const gradients = as_strided(gy);
    auto const of_factors = as_strided(ga);
    auto const of_terms = as_strided(gx);
    auto const& extents = gradients.extents;
    int const axis = checked_axis(call, along.axis[0], rank);
    auto const n = items_of_extents(call, "gy", extents);
    require_same_extents(call, "y", results.extents, extents);
    require_same_extents(call, "ga", of_factors.extents, extents);
    require_same_extents(call, "gx", of_terms.extents, extents);
    std::int64_t init_strides[rank] = {};
    [[maybe_unused]] auto const look_at_init = [&](auto const& one) {
      if constexpr (array_like<std::remove_cvref_t<decltype(one)>>) {
        auto const view = as_strided(one);
        std::int64_t want[rank > 1 ? rank - 1 : 1];
        leave_out(extents, axis, want);
        require_same_extents(call, "init", view.extents, want);
        if (n > 0) require_pointer(call, "init", unwrapped(view.first));
        if constexpr (rank > 1) strides_across<rank>(view.strides, axis, init_strides);
      }
    };
    (look_at_init(init), ...);
    if (n == 0) return gx;
    require_pointer(call, "y", unwrapped(results.first));
    require_pointer(call, "gy", unwrapped(gradients.first));
    require_pointer(call, "ga", unwrapped(of_factors.first));
    require_pointer(call, "gx", unwrapped(of_terms.first));
    require_places_of_their_own(call, extents, of_factors.strides, "ga");
    require_places_of_their_own(call, extents, of_terms.strides, "gx");
    require_in_place(call, gradients, of_terms);
    require_elsewhere(call, "gx", of_terms.first, "y", results.first);
    require_elsewhere(call, "ga", of_factors.first, "y", results.first);
    require_elsewhere(call, "ga", of_factors.first, "gy", gradients.first);
    require_elsewhere(call, "ga", of_factors.first, "gx", of_terms.first);
    if constexpr (array_like<A>) {
      require_elsewhere(call, "ga", of_factors.first, "a", as_strided(a).first);
      require_elsewhere(call, "gx", of_terms.first, "a", as_strided(a).first);
    }

    auto const before = before_of(init...);
    using before_type = std::remove_const_t<decltype(before)>;
    if constexpr (gradients_in_rows<Policy, A, Y, Gy, Ga, Gx, before_type>) {
      bool const alike = same_strides(extents, gradients.strides, results.strides) &&
                         same_strides(extents, gradients.strides, of_factors.strides) &&
                         same_strides(extents, gradients.strides, of_terms.strides);
      auto const from = unwrapped(gradients.first);
      /// One place in all arrays; false where factors lie otherwise.
      auto const run = [&](auto behind_to, auto before_to) {
        using step = decltype(behind_to);
        using write = product_with_row_before<T, value_of<array_iterator<Y>>, T, value_of<array_iterator<Ga>>,
                                              before_type, step>;
        auto const out = strided(write{{unwrapped(results.first), unwrapped(of_terms.first),
                                        unwrapped(of_factors.first), before, before_to}},
                                 extents, gradients.strides);
        auto const scan = [&](auto const& maps, auto unary) {
          scan_along<line_result::inclusive, other_way>(call, given, maps, out, along, then{}, unary);
        };
        if constexpr (!array_like<A>) {
          scan(gradients, map_with_factor<kept, T>{static_cast<kept>(a)});
          return true;
        } else if constexpr (rank_of<A> == rank) {
          auto const factors = as_strided(a);
          require_same_extents(call, "a", factors.extents, extents);
          if (same_strides(extents, gradients.strides, factors.strides)) {
            auto const behind = unwrapped(factors.first);
            require_pointer(call, "a", behind);
            using read = row_before_beside<std::remove_pointer_t<unwrapped_t<array_iterator<A>>>,
                                           std::remove_pointer_t<unwrapped_t<array_iterator<Gy>>>, step>;
            scan(strided(read{behind, from, behind_to}, extents, gradients.strides), map_of_pair<kept, T>{});
            return true;
          }
        }
        return false;
      };
      auto const towards = (forwards ? 1 : -1) * gradients.strides[axis];
      if (auto const lies = lies_along(extents, gradients.strides, axis); alike && lies.regular) {
        auto const neighbours = [&]<class Step>(std::type_identity<Step>) {
          return run(Step(lies, towards, extents[axis]), Step(lies, -towards, extents[axis]));
        };
        constexpr bool in_chunks = sizeof(affine_map<kept, T>) <= widest_in_chunks;
        bool const in_lines = lies.step == 1 && lies.block > 0;
        if (!in_lines && neighbours(std::type_identity<row_step>{})) return gx;
        if constexpr (in_chunks)
          if (in_lines && neighbours(std::type_identity<item_step>{})) return gx;
      }
    }
    auto const last = extents[axis] - 1;
    using write = write_gradients<T, unwrapped_t<array_iterator<Y>>, unwrapped_t<array_iterator<Gx>>,
                                  unwrapped_t<array_iterator<Ga>>, std::remove_const_t<decltype(before)>>;
    auto const out = composed_view(
        composed_output<T, write>{{unwrapped(results.first), unwrapped(of_terms.first),
                                   unwrapped(of_factors.first), before,
                                   (forwards ? -1 : 1) * results.strides[axis], forwards ? 0 : last}},
        extents, [&](int r) {
          return joined_places(of_terms.strides[r], of_factors.strides[r], init_strides[r],
                               index_stride(r, axis), results.strides[r]);
        });
    auto const scan = [&](auto const& maps, auto unary) {
      scan_along<line_result::inclusive, other_way>(call, given, maps, out, along, then{}, unary);
    };
    if constexpr (!array_like<A>) {
      scan(gradients, map_with_factor<kept, T>{static_cast<kept>(a)});
    } else {
      auto const factors = as_strided(a);
      place_in<array_iterator<A>> strides[rank];
      factor_strides(call, a, extents, axis, strides);
      using read = next_factor_and_term<unwrapped_t<array_iterator<A>>, unwrapped_t<array_iterator<Gy>>>;
      scan(composed_view(
               composed_input<item_pair<factor, value_of<array_iterator<Gy>>>, read>{
                   {unwrapped(factors.first), unwrapped(gradients.first), (forwards ? 1 : -1) * strides[axis],
                    forwards ? last : 0}},
               extents,
               [&](int r) { return joined_places(gradients.strides[r], strides[r], index_stride(r, axis)); }),
           map_of_pair<kept, T>{});
    }
  }
  return gx;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
