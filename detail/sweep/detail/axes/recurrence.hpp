// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_RECURRENCE_HPP
#define SWEEP_DETAIL_AXES_RECURRENCE_HPP

#include <sweep/detail/axes/dispatch.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/strided.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The map y -> factor y + term. As a result it is its term: what it makes of what stood before the line is
/// in there already.
template <class A, class T>
struct affine_map {
  A factor;
  T term;
  SWEEP_NO_EXEC_CHECK
  template <class Result>
    requires requires(T const& x) { static_cast<Result>(x); }
  SWEEP_HD constexpr explicit operator Result() const { return static_cast<Result>(term); }
};
template <class A, class T>
inline constexpr bool relocatable<affine_map<A, T>> = relocatable<A>&& relocatable<T>;

/// The first map, then the second.
struct then {
  SWEEP_NO_EXEC_CHECK
  template <class A, class T>
  SWEEP_HD constexpr affine_map<A, T> operator()(affine_map<A, T> const& x, affine_map<A, T> const& y) const {
    return {static_cast<A>(y.factor * x.factor), static_cast<T>(y.factor * x.term + y.term)};
  }
};

template <class A, class T>
struct map_with_factor {
  A factor;
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD constexpr affine_map<A, T> operator()(X const& x) const {
    return {factor, static_cast<T>(x)};
  }
};
template <class A, class T>
struct map_of_pair {
  SWEEP_NO_EXEC_CHECK
  template <class Pair>
  SWEEP_HD constexpr affine_map<A, T> operator()(Pair const& x) const {
    return {static_cast<A>(x.first), static_cast<T>(x.second)};
  }
};

template <class Dir, class Policy, class A, class X, class Y, class... Init>
Y recur(char const* call, Policy const& policy, A const& a, X const& x, Y const& y, along_axes<1> axis,
        Init const&... init) {
  using T = value_of<array_iterator<Y>>;
  if constexpr (array_like<A>) {
    static_assert(rank_of<A> == rank_of<X>, "sweep: the factors and the input must have as many axes");
    using factor = value_of<array_iterator<A>>;
    auto const factors = as_strided(a);
    auto const items = as_strided(x);
    require_same_extents(call, "a", factors.extents, items.extents);
    for (int r = 0; r < rank_of<X>; ++r)
      if (factors.strides[r] != items.strides[r] && items.extents[r] > 1)
        throw_bad_argument(call, "a", "has a stride of ", factors.strides[r], " along axis ", std::int64_t{r},
                           ", but x has one of ", items.strides[r]);
    if (items_of_extents(call, "x", items.extents) > 0) {
      require_pointer(call, "a", unwrapped(factors.first));
      require_pointer(call, "x", unwrapped(items.first));
    }
    auto const both = strided(zipped(factors.first, items.first), items.extents, items.strides);
    scan_along<line_result::inclusive, Dir>(call, policy, both, y, axis, then{}, map_of_pair<factor, T>{},
                                            affine_map<factor, T>{factor{}, static_cast<T>(init)}...);
  } else {
    scan_along<line_result::inclusive, Dir>(call, policy, x, y, axis, then{}, map_with_factor<A, T>{a},
                                            affine_map<A, T>{A{}, static_cast<T>(init)}...);
  }
  return y;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
