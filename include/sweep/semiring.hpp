// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEMIRING_HPP
#define SWEEP_SEMIRING_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/semiring_functions.hpp>

#include <type_traits>

/// \file
/// Semirings: what a sparse product multiplies and adds with.

/// \defgroup semiring Semirings
/// `#include <sweep/semiring.hpp>`: what a sparse product multiplies and adds with. Row i of a product is the
/// fold by `plus` of `times(a[i][j], x[j])` over the row's entries.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup semiring
/// @{

/// Two operations and a value: `semiring{plus, times, zero}`. The type of `zero` is what is added up in.
template <class Plus, class Times, class Zero>
struct semiring {
  Plus plus;    ///< plus(s, t) adds two values; associative, it need not be commutative: columns keep order
  Times times;  ///< times(a, x) multiplies an entry of the matrix and one of the vector
  Zero zero;    ///< what a row without entries gives; it takes no part in others, and need not absorb
};
/// \cond
template <class Plus, class Times, class Zero>
semiring(Plus, Times, Zero) -> semiring<Plus, Times, Zero>;
/// \endcond

namespace semirings {

/// Sums of products, in T: whatever the entries are, they become T first. A complex product is four real
/// ones, whatever infinities do in it.
///
/// \tparam T  a number type: float, double, an integer, a complex number
/// \return    the semiring (+, *, 0)
template <class T>
SWEEP_HD constexpr auto plus_times() {
  return semiring<detail::typed<T, detail::plus>, detail::times_in<T>, T>{{}, {}, T{}};
}

/// Shortest paths: the smallest of sums. An integer's largest value stands for a path that does not exist,
/// and stays what it is whatever is added to it. On the device no result is NaN where another float is not.
///
/// \tparam T  an arithmetic type
/// \return    the semiring (min, +, infinity)
template <class T>
SWEEP_HD constexpr auto min_plus() {
  return semiring<detail::lesser_of<T>, detail::plus_in<T>, T>{{}, {}, detail::greatest_value<T>};
}

/// Likeliest paths: the largest of products. A row without entries gives the least value, minus infinity
/// where there is one.
///
/// \tparam T  an arithmetic type
/// \return    the semiring (max, *, -infinity)
template <class T>
SWEEP_HD constexpr auto max_times() {
  return semiring<detail::greater_of<T>, detail::times_in<T>, T>{{}, {}, detail::least_value<T>};
}

/// Reachability: whether any entry of the row and that of the vector are both set.
///
/// \return  the semiring (or, and, false)
SWEEP_HD constexpr auto or_and() {
  return semiring<detail::logical_or, detail::logical_and, bool>{{}, {}, false};
}

/// Sums of the matrix's entries alone; the vector is not looked at.
///
/// \tparam T  a number type
/// \return    the semiring (+, first, 0)
template <class T>
SWEEP_HD constexpr auto plus_first() {
  return semiring<detail::typed<T, detail::plus>, detail::first_in<T>, T>{{}, {}, T{}};
}

}  // namespace semirings

/// @}

namespace detail {

template <class T>
inline constexpr bool is_semiring = false;
template <class Plus, class Times, class Zero>
inline constexpr bool is_semiring<semiring<Plus, Times, Zero>> = true;

}  // namespace detail

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
