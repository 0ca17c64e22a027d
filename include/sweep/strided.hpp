// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_STRIDED_HPP
#define SWEEP_STRIDED_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/places.hpp>
#include <sweep/detail/core/standard.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Arrays of more than one dimension, and their axes.

/// \defgroup arrays Arrays and axes
/// `#include <sweep/strided.hpp>`: arrays of 1 to 8 axes over any random-access iterator. Wherever a call
/// takes an array it takes a sweep::strided view, or an mdspan (cuda::std's, std's, or any that looks like
/// them).

namespace sweep::inline SWEEP_ABI {

/// \addtogroup arrays
/// @{

/// An array over an iterator: item (i, j, ...) is first[i * strides[0] + j * strides[1] + ...]. It owns
/// nothing.
///
/// \tparam It    a random-access iterator
/// \tparam Rank  how many axes
template <class It, int Rank>
struct strided_view {
  static_assert(Rank >= 1 && Rank <= 8, "sweep: an array has 1 to 8 axes");
  It first;                    ///< item (0, 0, ...)
  std::int64_t extents[Rank];  ///< items along each axis
  /// How far neighbours along an axis lie apart; negative and zero are fine. Of arrays that are read as one
  /// (sweep::with_index) one number for each.
  detail::place_in<It> strides[Rank];
};

/// The axes that a call goes along: what sweep::along gives.
///
/// \tparam Count  how many
template <int Count>
struct along_axes {
  int axis[Count];  ///< 0 is the first; negative ones count from the last, which is -1
};

/// Names the axis, or for reductions the axes, that a call goes along.
///
/// \param axes  0 is the first; negative ones count from the last, which is -1
/// \return      an argument for calls on arrays
template <std::convertible_to<int>... Axis>
  requires(sizeof...(Axis) > 0)
constexpr along_axes<static_cast<int>(sizeof...(Axis))> along(Axis... axes) {
  return {{static_cast<int>(axes)...}};
}

/// A range that is scanned with many others (sweep/scan_many.hpp): where it begins, how many items it has,
/// and where its results go.
///
/// \tparam In   a random-access iterator
/// \tparam Out  another, to be written to
template <class In, class Out>
struct scan_range {
  In first;            ///< its items
  std::int64_t count;  ///< how many; none where it is negative
  Out out;             ///< as many results; may be first
};

/// A box of an array: along each axis r the items [first[r], last[r]).
///
/// \tparam Rank  how many axes
template <int Rank>
struct box {
  static_assert(Rank >= 1 && Rank <= 8, "sweep: an array has 1 to 8 axes");
  std::int64_t first[Rank];  ///< the box's first item along each axis
  std::int64_t last[Rank];   ///< where it ends along each axis: the item behind its last
};

/// The box around each item of an array: along each axis r so many items before it, itself, and so many
/// behind it.
///
/// \tparam Rank  how many axes
template <int Rank>
struct box_window {
  static_assert(Rank >= 1 && Rank <= 8, "sweep: an array has 1 to 8 axes");
  std::int64_t before[Rank];  ///< items before it along each axis
  std::int64_t behind[Rank];  ///< items behind it along each axis
};

/// The window that reaches as far to both sides of an item: around(2, 3) has 5 x 7 items.
///
/// \param reach  how far along each axis
/// \return       the window
template <std::convertible_to<std::int64_t>... Reach>
  requires(sizeof...(Reach) > 0)
constexpr box_window<static_cast<int>(sizeof...(Reach))> around(Reach... reach) {
  return {{static_cast<std::int64_t>(reach)...}, {static_cast<std::int64_t>(reach)...}};
}

namespace detail {

template <class T>
inline constexpr bool is_strided_view = false;
template <class It, int Rank>
inline constexpr bool is_strided_view<strided_view<It, Rank>> = true;

template <class X>
concept mdspan_like = requires(X const& x) {
  typename X::extents_type;
  typename X::accessor_type;
  X::rank();
  x.extent(0);
  x.stride(0);
  x.data_handle();
};

/// Anything that calls take as an array.
template <class X>
concept array_like = is_strided_view<X> || mdspan_like<X>;

template <int Rank, class Extents, class Strides, class It>
constexpr strided_view<It, Rank> strided_of(It first, Extents const& extents, Strides const& strides) {
  strided_view<It, Rank> view{first, {}, {}};
  for (int r = 0; r < Rank; ++r) {
    view.extents[r] = static_cast<std::int64_t>(extents[r]);
    view.strides[r] = static_cast<std::int64_t>(strides[r]);
  }
  return view;
}
template <int Rank, class Extents, class It>
constexpr strided_view<It, Rank> dense_of(It first, Extents const& extents) {
  strided_view<It, Rank> view{first, {}, {}};
  std::int64_t stride = 1;
  for (int r = Rank - 1; r >= 0; --r) {
    view.extents[r] = static_cast<std::int64_t>(extents[r]);
    view.strides[r] = stride;
    // Extents that no array has are refused by the call; here they must only not overflow.
    stride = static_cast<std::int64_t>(static_cast<std::uint64_t>(stride) *
                                       static_cast<std::uint64_t>(view.extents[r]));
  }
  return view;
}

/// Any array as a view.
template <array_like X>
constexpr auto as_strided(X const& x) {
  if constexpr (is_strided_view<X>) {
    return x;
  } else {
    constexpr int rank = static_cast<int>(X::rank());
    static_assert(rank >= 1 && rank <= 8, "sweep: an array has 1 to 8 axes");
    static_assert(std::is_pointer_v<typename X::data_handle_type>,
                  "sweep: an mdspan's accessor must be over a pointer (or make a sweep::strided view)");
    strided_view<typename X::data_handle_type, rank> view{x.data_handle(), {}, {}};
    using index = typename X::rank_type;
    for (int r = 0; r < rank; ++r) {
      view.extents[r] = static_cast<std::int64_t>(x.extent(static_cast<index>(r)));
      view.strides[r] = static_cast<std::int64_t>(x.stride(static_cast<index>(r)));
    }
    return view;
  }
}

/// An integer of any type, in lists of several types.
struct any_integer {
  std::int64_t value;
  template <std::integral Integer>
  constexpr any_integer(Integer x) : value{static_cast<std::int64_t>(x)} {}
  constexpr operator std::int64_t() const { return value; }
};

template <class X>
struct iterator_of_view;
template <class It, int Rank>
struct iterator_of_view<strided_view<It, Rank>> {
  using type = It;
  static constexpr int rank = Rank;
};
/// The iterator beneath an array.
template <array_like X>
using array_iterator = typename iterator_of_view<decltype(as_strided(std::declval<X const&>()))>::type;
template <array_like X>
inline constexpr int rank_of = iterator_of_view<decltype(as_strided(std::declval<X const&>()))>::rank;

}  // namespace detail

/// An array over an iterator, with strides of its own: permuted, padded, negative; zero where it is only
/// read.
///
/// \param first    item (0, 0, ...)
/// \param extents  items along each axis: `{rows, columns}` or a std::array
/// \param strides  how far neighbours along each axis lie apart, likewise
/// \return         the view
template <class It, std::integral Extent, int Rank, std::integral Stride>
constexpr strided_view<It, Rank> strided(It first, Extent const (&extents)[Rank],
                                         Stride const (&strides)[Rank]) {
  return detail::strided_of<Rank>(first, extents, strides);
}

/// The same of lists of several integer types, as `{rows, 3}` may be.
///
/// \param first    item (0, 0, ...)
/// \param extents  items along each axis: `{rows, columns}`
/// \param strides  how far neighbours along each axis lie apart, likewise
/// \return         the view
template <class It, int Rank>
constexpr strided_view<It, Rank> strided(It first, detail::any_integer const (&extents)[Rank],
                                         detail::any_integer const (&strides)[Rank]) {
  return detail::strided_of<Rank>(first, extents, strides);
}

/// The same of a std::array, or anything with its size in its type.
///
/// \param first    item (0, 0, ...)
/// \param extents  items along each axis
/// \param strides  how far neighbours along each axis lie apart
/// \return         the view
template <class It, class Extents, class Strides>
  requires(std::tuple_size<Extents>::value == std::tuple_size<Strides>::value)
constexpr auto strided(It first, Extents const& extents, Strides const& strides) {
  return detail::strided_of<static_cast<int>(std::tuple_size<Extents>::value)>(first, extents, strides);
}

/// A dense array: the last axis' neighbours are neighbours in memory, as in C.
///
/// \param first    item (0, 0, ...)
/// \param extents  items along each axis: `{rows, columns}`
/// \return         the view
template <class It, std::integral Extent, int Rank>
constexpr strided_view<It, Rank> strided(It first, Extent const (&extents)[Rank]) {
  return detail::dense_of<Rank>(first, extents);
}

/// The same of a list of several integer types.
///
/// \param first    item (0, 0, ...)
/// \param extents  items along each axis: `{rows, 3}`
/// \return         the view
template <class It, int Rank>
constexpr strided_view<It, Rank> strided(It first, detail::any_integer const (&extents)[Rank]) {
  return detail::dense_of<Rank>(first, extents);
}

/// The same of a std::array, or anything with its size in its type.
///
/// \param first    item (0, 0, ...)
/// \param extents  items along each axis
/// \return         the view
template <class It, class Extents>
  requires(std::tuple_size<Extents>::value > 0)
constexpr auto strided(It first, Extents const& extents) {
  return detail::dense_of<static_cast<int>(std::tuple_size<Extents>::value)>(first, extents);
}

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
