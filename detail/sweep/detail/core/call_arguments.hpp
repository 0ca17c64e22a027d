// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_CALL_ARGUMENTS_HPP
#define SWEEP_DETAIL_CORE_CALL_ARGUMENTS_HPP

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/version.hpp>

#include <type_traits>
#include <utility>

// What an argument of a public call can be. The canonical forms ask for these, so that an argument in the
// wrong place is told from one in the right place before anything else is looked at.

namespace sweep::inline SWEEP_ABI {
template <int Count>
struct along_axes;
}  // namespace sweep::inline SWEEP_ABI

namespace sweep::inline SWEEP_ABI::detail {

/// A whole range: vectors, spans, views. Arrays are pointers, as they are everywhere.
template <class T>
inline constexpr bool is_range = requires(T& range) {
  range.begin();
  range.end();
};

/// Whether something stands at an item. How far it can go is asked elsewhere.
template <class T>
inline constexpr bool is_iterator = !is_range<T> && requires(T & it) {
  typename std::iterator_traits<T>::difference_type;
  *it;
};

/// What can go to any item at once.
template <class T>
concept iterator_like = !is_range<T> && requires(T & it) {
  it + 1;
  it[0];
};

/// An initial value, or in calls with two orders of arguments a function: anything but a direction that can
/// be copied, to threads and kernels.
template <class T>
concept no_direction = !is_direction<T> && std::is_copy_constructible_v<T>;

/// A function: an operator, a predicate, an equivalence.
template <class T>
concept function_like = (std::is_class_v<T> || std::is_function_v<std::remove_pointer_t<T>> ||
                         std::is_member_pointer_v<T>)&&!is_direction<T> &&
                        !is_range<T> && !is_iterator<T> && std::is_copy_constructible_v<T>;

template <class It>
using difference_of = typename std::iterator_traits<It>::difference_type;

/// Whether an iterator is of memory whose values cannot take others' place.
template <class It>
constexpr bool holds_unassigned() {
  if constexpr (!is_iterator<It>) return false;
  else if constexpr (!std::is_pointer_v<unwrapped_t<It>>) return false;
  else return !is_assigned<std::remove_cv_t<std::remove_pointer_t<unwrapped_t<It>>>>;
}

/// Whether nothing can be written through an iterator: what it gives is const, or a number, or has a const
/// member.
template <class It>
constexpr bool is_read_only() {
  using item = decltype(std::declval<It&>()[0]);
  if constexpr (std::is_const_v<std::remove_reference_t<item>>) return true;
  else if constexpr (!std::is_reference_v<item> && std::is_scalar_v<item>) return true;
  else if constexpr (std::is_pointer_v<unwrapped_t<It>>)
    return std::is_const_v<std::remove_pointer_t<unwrapped_t<It>>> || holds_unassigned<It>();
  else return false;
}

/// Whether an argument names axes.
template <class T>
inline constexpr bool is_axis = false;
template <int Count>
inline constexpr bool is_axis<along_axes<Count>> = true;

/// Whether a direction is the last of these, and no other.
template <class... Args>
inline constexpr bool last_is_direction = false;
template <class Last>
inline constexpr bool last_is_direction<Last> = is_direction<Last>;
template <class First, class Second, class... Rest>
inline constexpr bool last_is_direction<First, Second, Rest...> =
    !is_direction<First> && last_is_direction<Second, Rest...>;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
