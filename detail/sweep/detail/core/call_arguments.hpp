// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_CALL_ARGUMENTS_HPP
#define SWEEP_DETAIL_CORE_CALL_ARGUMENTS_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/version.hpp>

#include <type_traits>
#include <utility>

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
  *it;
  ++it;
};

/// What stands where the canonical form of a call has an iterator: anything but a whole range, which another
/// form takes.
template <class T>
concept iterator_like = !is_range<T>;

template <class It>
using difference_of = typename std::iterator_traits<It>::difference_type;

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
