// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTS_HPP
#define SWEEP_SEGMENTS_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Segments of a range, in the notation that the caller has them in. A segment is a run of neighbouring
/// items; every item belongs to one, and item 0 starts one whatever the notation says. Nothing is copied:
/// what an iterator elected to must stay until the call (on the device: the stream) is done with it.

namespace sweep {

/// A range cut where neighbouring keys differ.
template <class It, class Eq>
struct key_segments {
  It keys;
  Eq equal;
};

/// A range cut before every item whose flag is set.
template <class It>
struct flag_segments {
  It flags;
};

/// The same with 32 flags a word: the flag of item i is bit i % 32 of word i / 32.
template <class It>
struct bit_segments {
  It words;
  std::int64_t word_count = -1;  ///< where it is known
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
  It lengths;
  std::int64_t count;
};

namespace segments {

/// Items are of one key until the next key differs.
using equal_keys = detail::equal_to;

/// A key for each item; items of neighbouring equal keys are a segment.
template <class It, class Eq = equal_keys>
constexpr key_segments<It, Eq> by_key(It keys, Eq equal = {}) {
  return {keys, equal};
}

/// A flag for each item, of any type that converts to bool; a set flag marks a segment's first item.
template <class It>
constexpr flag_segments<It> by_head_flags(It flags) {
  return {flags};
}

/// A bit for each item, 32 in a word, the lowest bit first; a set bit marks a segment's first item.
template <class It>
constexpr bit_segments<It> by_head_bits(It words) {
  static_assert(
      std::is_same_v<std::remove_cv_t<typename std::iterator_traits<It>::value_type>, std::uint32_t>,
      "sweep: head bits come in words of std::uint32_t");
  return {words};
}
/// The same with the words' end, so that too few of them are noticed.
template <class It>
constexpr bit_segments<It> by_head_bits(It first, It last) {
  auto all = by_head_bits(first);
  all.word_count = static_cast<std::int64_t>(last - first);
  return all;
}

/// count + 1 offsets [first, last), not decreasing, from 0 to the number of items (32 or 64 bits wide).
template <class It>
constexpr offset_segments<It> by_offsets(It first, It last) {
  static_assert(std::is_integral_v<typename std::iterator_traits<It>::value_type>,
                "sweep: offsets must be integers");
  return {first, static_cast<std::int64_t>(last - first) - 1};
}
/// The same from a range with begin() and end().
template <class Range>
constexpr auto by_offsets(Range const& offsets) {
  return by_offsets(offsets.begin(), offsets.end());
}

/// The lengths of the segments, [first, last); they add up to the number of items.
template <class It>
constexpr length_segments<It> by_lengths(It first, It last) {
  static_assert(std::is_integral_v<typename std::iterator_traits<It>::value_type>,
                "sweep: lengths must be integers");
  return {first, static_cast<std::int64_t>(last - first)};
}
template <class Range>
constexpr auto by_lengths(Range const& lengths) {
  return by_lengths(lengths.begin(), lengths.end());
}

}  // namespace segments
}  // namespace sweep

#endif
