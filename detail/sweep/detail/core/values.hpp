// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_VALUES_HPP
#define SWEEP_DETAIL_CORE_VALUES_HPP

#include <sweep/detail/core/config.hpp>

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether values of a type can take others' place.
template <class T>
inline constexpr bool is_assigned = std::is_copy_assignable_v<T> || std::is_move_assignable_v<T>;

/// What a predicate of the library's stands for, where a call was not given one.
enum class asked_for { function, value, flag };
template <class Pred>
inline constexpr asked_for asks_for = asked_for::function;

/// Whether an item equals a value: what algorithms that take a value ask.
template <class T>
struct equal_to_value {
  T value;
  SWEEP_NO_EXEC_CHECK
  template <class X>
    requires requires(X const& x, T const& y) { x == y; }
  SWEEP_HD constexpr bool operator()(X const& x) const { return static_cast<bool>(x == value); }
};

template <class T>
inline constexpr asked_for asks_for<equal_to_value<T>> = asked_for::value;

/// Whether pred does not hold.
template <class Pred>
struct not_where {
  mutable Pred pred;  ///< the caller's function need not be const
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD constexpr bool operator()(X const& x) const {
    return !static_cast<bool>(pred(x));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
