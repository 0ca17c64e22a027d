// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTS_HPP
#define SWEEP_SEGMENTS_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstdint>
#include <iterator>
#include <type_traits>

/// \file
/// Segments of a range, in the notation that the caller has them in.

/// \defgroup segments Segments
/// `#include <sweep/segments.hpp>`: segments of a range of n items, in the notation that the caller has them
/// in. A segment is a run of neighbouring items; every item belongs to one, and item 0 starts one whatever
/// the notation says. Nothing is copied: what an iterator points to must stay until the call (on the device:
/// the stream) is done with it.

namespace sweep::inline SWEEP_ABI {

namespace detail {
/// Multiples of a length.
struct begin_of_row {
  std::int64_t length;
  SWEEP_HD constexpr std::int64_t operator()(std::int64_t row) const { return row * length; }
};
using row_offsets = reader<std::int64_t, begin_of_row>;
}  // namespace detail

/// \addtogroup segments
/// @{

/// A range cut where neighbouring keys differ.
template <class It, class Eq>
struct key_segments {
  It keys;   ///< n of them
  Eq equal;  ///< whether two neighbouring keys are the same
};

/// A range cut before every item whose flag is set.
template <class It>
struct flag_segments {
  It flags;  ///< n of them
};

/// The same with 32 flags a word: the flag of item i is bit i % 32 of word i / 32.
template <class It>
struct bit_segments {
  It words;                      ///< (n + 31) / 32 of them
  std::int64_t word_count = -1;  ///< how many there are, where it is known
};

/// Segment s is [offsets[s], offsets[s + 1]): the row pointers of a sparse matrix. Segments may be empty.
template <class It>
struct offset_segments {
  It offsets;          ///< count + 1 of them
  std::int64_t count;  ///< segments
};

/// Segment s has lengths[s] items; segments may be empty.
template <class It>
struct length_segments {
  It lengths;          ///< count of them
  std::int64_t count;  ///< segments
};

/// The lines of an array along an axis, each of which has some items and then places that belong to nothing:
/// ragged rows.
template <class Array>
struct line_segments {
  Array lengths;  ///< one a line: an array without the axis
};

namespace segments {

/// The default of by_key: neighbouring keys are the same where they compare equal by ==.
using equal_keys = detail::equal_to;

/// Segments by a key for each item: neighbouring items with equal keys are a segment.
///
/// \param keys   n keys
/// \param equal  equal(a, b): whether neighbouring keys are of one segment
/// \return       the segments, to be given to a segmented algorithm
template <class It, class Eq = equal_keys>
SWEEP_HD constexpr key_segments<It, Eq> by_key(It keys, Eq equal = {}) {
  return {keys, equal};
}

/// Segments by a flag for each item: a set flag marks a segment's first item.
///
/// \param flags  n flags, of any type that converts to bool
/// \return       the segments, to be given to a segmented algorithm
template <class It>
SWEEP_HD constexpr flag_segments<It> by_head_flags(It flags) {
  return {flags};
}

/// Segments by a bit for each item, the lowest bit of a word first: a set bit marks a segment's first item.
///
/// \param words  (n + 31) / 32 words of std::uint32_t
/// \return       the segments, to be given to a segmented algorithm
template <class It>
SWEEP_HD constexpr bit_segments<It> by_head_bits(It words) {
  static_assert(std::is_same_v<std::remove_cv_t<detail::value_of<It>>, std::uint32_t>,
                "sweep: head bits come in words of std::uint32_t");
  return {words};
}

/// Segments by bits, with the words' end: too few of them are a bad_argument of the call that they are given
/// to.
///
/// \param first,last  (n + 31) / 32 words of std::uint32_t, or more
/// \return            the segments, to be given to a segmented algorithm
SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr bit_segments<It> by_head_bits(It first, It last) {
  auto all = by_head_bits(first);
  all.word_count = static_cast<std::int64_t>(last - first);
  return all;
}

/// Segments by where they begin: segment s is [first[s], first[s + 1]), the row pointers of a sparse matrix.
///
/// \param first,last  segments + 1 integers, not decreasing, from 0 to n
/// \return            the segments, to be given to a segmented algorithm
SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr offset_segments<It> by_offsets(It first, It last) {
  static_assert(std::is_integral_v<detail::value_of<It>>, "sweep: offsets must be integers");
  return {first, static_cast<std::int64_t>(last - first) - 1};
}

/// Segments by where they begin, from a container.
///
/// \param offsets  segments + 1 integers, not decreasing, from 0 to n; has begin() and end(), or is an array
/// \return         the segments, to be given to a segmented algorithm
template <class Range>
constexpr auto by_offsets(Range const& offsets) {
  return by_offsets(std::begin(offsets), std::end(offsets));
}

/// Segments that are rows of a matrix, one behind the other: segment s is [s length, (s + 1) length). It
/// takes no memory.
///
/// \param rows    how many there are
/// \param length  items of each; rows length is n
/// \return        the segments, to be given to a segmented algorithm
SWEEP_HD constexpr offset_segments<detail::row_offsets> by_rows(std::int64_t rows, std::int64_t length) {
  return {detail::row_offsets{{length}}, rows};
}

/// Segments by how many items each has: segment s has first[s] items, and may have none.
///
/// \param first,last  one integer a segment, not negative, n in sum
/// \return            the segments, to be given to a segmented algorithm
SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr length_segments<It> by_lengths(It first, It last) {
  static_assert(std::is_integral_v<detail::value_of<It>>, "sweep: lengths must be integers");
  return {first, static_cast<std::int64_t>(last - first)};
}

/// Segments of an array along an axis (sweep/axes.hpp): each line is one, of so many items; what is behind
/// them is neither read nor written.
///
/// \param lengths  an array of integers, one a line: of the array's extents but that of the axis
/// \return         the segments, to be given to a segmented scan along an axis
template <class Array>
constexpr line_segments<Array> of_lines(Array lengths) {
  return {lengths};
}

/// Segments by how many items each has, from a container.
///
/// \param lengths  one integer a segment, not negative, n in sum; has begin() and end(), or is an array
/// \return         the segments, to be given to a segmented algorithm
template <class Range>
constexpr auto by_lengths(Range const& lengths) {
  return by_lengths(std::begin(lengths), std::end(lengths));
}

}  // namespace segments

/// @}

namespace detail {

template <class T>
inline constexpr bool is_segments = false;
template <class It, class Eq>
inline constexpr bool is_segments<key_segments<It, Eq>> = true;
template <class It>
inline constexpr bool is_segments<flag_segments<It>> = true;
template <class It>
inline constexpr bool is_segments<bit_segments<It>> = true;
template <class It>
inline constexpr bool is_segments<offset_segments<It>> = true;
template <class It>
inline constexpr bool is_segments<length_segments<It>> = true;
template <class Array>
inline constexpr bool is_segments<line_segments<Array>> = true;

template <class T>
concept segments_like = is_segments<T>;

}  // namespace detail

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
