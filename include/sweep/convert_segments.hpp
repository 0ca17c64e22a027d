// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_CONVERT_SEGMENTS_HPP
#define SWEEP_CONVERT_SEGMENTS_HPP

#include <sweep/detail/convert_segments/dispatch.hpp>
#include <sweep/segmented_reduce.hpp>

/// \file
/// One notation of segments from another. Each takes the segments of a range of n items; item 0 starts one.
/// From offsets and lengths, offsets and lengths keep empty segments; keys, flags and bits have none.
///
/// Common to all of them:
/// - **aliasing**: outputs overlap nothing else.
/// - **waiting**: to_offsets and to_lengths wait where the number of segments is not known beforehand: from
///   keys, flags or bits. The others never wait and can be captured in a graph.
/// - **determinism**: always. **complexity**: O(n + segments).
/// - **scratch**: as a segmented scan. **errors**: as a segmented scan.

namespace sweep::segments {

/// flags[i] = whether item i starts a segment. Returns the end of the flags.
template <detail::policy Policy, class Segments, class Out>
Out to_head_flags(Policy const& policy, Segments const& from, std::int64_t n, Out flags) {
  return detail::write_heads("segments::to_head_flags", "flags", policy, from, n, flags, n,
                             [](auto const& source, auto to) {
                               return detail::flag_head{source, to};
                             });
}

/// Bit i % 32 of words[i / 32] = whether item i starts a segment; bits behind the last item are 0. Returns
/// the end of the words.
template <detail::policy Policy, class Segments, class Out>
Out to_head_bits(Policy const& policy, Segments const& from, std::int64_t n, Out words) {
  return detail::write_heads("segments::to_head_bits", "words", policy, from, n, words, (n + 31) / 32,
                             [n](auto const& source, auto to) {
                               return detail::word_of_heads{source, n, to};
                             });
}

/// Where each segment begins, and n. Returns the end of the offsets: one more than there are segments.
template <detail::policy Policy, class Segments, class Out>
Out to_offsets(Policy const& policy, Segments const& from, std::int64_t n, Out offsets) {
  auto const target = detail::resolve(policy);
  auto const to = detail::unwrapped(offsets);
  detail::require_pointer("segments::to_offsets", "offsets", to);
  detail::require_segments(target.policy, "segments::to_offsets", from, n);
  auto const count = detail::write_offsets("segments::to_offsets", target.policy, from, n, to);
  detail::finish("segments::to_offsets", target);
  return offsets + count + 1;
}

/// The length of each segment. Returns the end of the lengths.
template <detail::policy Policy, class Segments, class Out>
Out to_lengths(Policy const& policy, Segments const& from, std::int64_t n, Out lengths) {
  if constexpr (detail::has_own_count<Segments>) {
    auto const target = detail::resolve(policy);
    auto const to = detail::unwrapped(lengths);
    if (from.count > 0) detail::require_pointer("segments::to_lengths", "lengths", to);
    detail::require_segments(target.policy, "segments::to_lengths", from, n);
    detail::write_lengths("segments::to_lengths", target.policy, from, to);
    detail::finish("segments::to_lengths", target);
    return lengths + from.count;
  } else {
    return sweep::segmented_reduce(policy, detail::ones{}, detail::ones{{}, n}, from, lengths,
                                   std::int64_t{0}, detail::plus{});
  }
}

}  // namespace sweep::segments

#endif
