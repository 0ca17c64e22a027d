// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_CONVERT_SEGMENTS_HPP
#define SWEEP_CONVERT_SEGMENTS_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/convert_segments/dispatch.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/segmented_reduce.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// One notation of segments from another.

/// \defgroup convert_segments Notations of segments
/// `#include <sweep/convert_segments.hpp>`: one notation of segments from another. Each takes the segments of
/// a range of n items; item 0 starts one. From offsets and lengths, offsets and lengths keep empty segments;
/// keys, flags and bits have none.

namespace sweep::inline SWEEP_ABI::segments {

/// \addtogroup convert_segments
/// @{

/// Head flags: flags[i] = whether item i starts a segment.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param from    segments of n items, in any notation
/// \param n       how many items there are
/// \param flags   n flags, of any type that a bool converts to
/// \return        flags + n
///
/// \par Promises
/// - aliasing: flags overlap nothing else.
/// - waiting: never, but with .checked() by offsets or lengths; can be captured in a graph.
/// - determinism: always.
/// - complexity: O(n + segments).
/// - scratch: n / 8 bytes where heads are not bits already, and less than 64 KiB and 0.1 % of the lengths.
/// - errors, before anything is written: cuda_error; bad_argument for a null pointer, too few head bits, too
///   little scratch, a negative n, with .checked() offsets or lengths that do not fit n items.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::segments_like Segments, class N, detail::output_for<Policy> Out>
  requires(std::is_integral_v<N>)
SWEEP_HD Out to_head_flags(Policy const& policy, Segments from, N n, Out flags) {
  return detail::write_heads("segments::to_head_flags", "flags", policy, from, static_cast<std::int64_t>(n),
                             flags, static_cast<std::int64_t>(n), [](auto const& source, auto to) {
                               return detail::flag_head{source, to};
                             });
}

/// Head bits: bit i % 32 of words[i / 32] = whether item i starts a segment. Bits behind the last item are 0.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param from    segments of n items, in any notation
/// \param n       how many items there are
/// \param words   (n + 31) / 32 words of std::uint32_t
/// \return        words + (n + 31) / 32
///
/// \par Promises
/// - aliasing: words overlap nothing else.
/// - waiting, determinism, complexity, scratch, errors: as to_head_flags.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::segments_like Segments, class N, detail::output_for<Policy> Out>
  requires(std::is_integral_v<N>)
SWEEP_HD Out to_head_bits(Policy const& policy, Segments from, N n, Out words) {
  return detail::write_heads("segments::to_head_bits", "words", policy, from, static_cast<std::int64_t>(n),
                             words, (static_cast<std::int64_t>(n) + 31) / 32,
                             [n](auto const& source, auto to) {
                               return detail::word_of_heads{source, static_cast<std::int64_t>(n), to};
                             });
}

/// Offsets: where each segment begins, and n behind them.
///
/// \param policy   where to run: seq, host, device, or a policy of Thrust's
/// \param from     segments of n items, in any notation
/// \param n        how many items there are
/// \param offsets  segments + 1 integers; n + 1 are always enough where no segment is empty
/// \return         offsets + segments + 1
///
/// \par Promises
/// - aliasing: offsets overlap nothing else.
/// - waiting: by offsets or lengths never, but with .checked(); by keys, flags or bits for the number of
///   segments.
/// - determinism: always.
/// - complexity: O(n + segments).
/// - scratch: n / 8 bytes where heads are not bits already, and less than 64 KiB and 0.1 % of n integers.
/// - errors: cuda_error; bad_argument for a null pointer, too few head bits, too little scratch, a negative
///   n, with .checked() offsets or lengths that do not fit n items.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::segments_like Segments, class N, detail::output_for<Policy> Out>
  requires(std::is_integral_v<N>)
SWEEP_HD Out to_offsets(Policy const& policy, Segments from, N n, Out offsets) {
  return detail::to_offsets("segments::to_offsets", policy, from, static_cast<std::int64_t>(n), offsets);
}

/// Lengths: how many items each segment has.
///
/// \param policy   where to run: seq, host, device, or a policy of Thrust's
/// \param from     segments of n items, in any notation
/// \param n        how many items there are
/// \param lengths  an integer for each segment; n are always enough where no segment is empty
/// \return         lengths + segments
///
/// \par Promises
/// - aliasing: lengths overlap nothing else.
/// - waiting, determinism, complexity, scratch, errors: as to_offsets.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::segments_like Segments, class N, detail::output_for<Policy> Out>
  requires(std::is_integral_v<N>)
SWEEP_HD Out to_lengths(Policy const& policy, Segments from, N n, Out lengths) {
  constexpr auto call = "segments::to_lengths";
  auto const items = static_cast<std::int64_t>(n);
  detail::require_not_negative(call, items);
  if constexpr (detail::has_own_count<Segments>)
    return detail::to_lengths(call, policy, from, items, lengths);
  else
    return lengths + detail::segmented_reduce_counted<forward_t>(
                         call, policy, detail::ones{}, detail::ones{{}, items}, from, lengths,
                         std::int64_t{0}, detail::plus{}, detail::identity{});
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace canonical {

inline constexpr auto to_head_flags =
    [](auto const&... all) -> decltype(sweep::segments::to_head_flags(all...)) {
  return sweep::segments::to_head_flags(all...);
};
inline constexpr auto to_head_bits =
    [](auto const&... all) -> decltype(sweep::segments::to_head_bits(all...)) {
  return sweep::segments::to_head_bits(all...);
};
inline constexpr auto to_offsets = [](auto const&... all) -> decltype(sweep::segments::to_offsets(all...)) {
  return sweep::segments::to_offsets(all...);
};
inline constexpr auto to_lengths = [](auto const&... all) -> decltype(sweep::segments::to_lengths(all...)) {
  return sweep::segments::to_lengths(all...);
};

/// Outputs that are ranges have a flag or bit for each item, an offset or length for each segment that is
/// known.
inline constexpr auto has_flags = [](auto const& input, auto const&, auto& flags) {
  input.require_room("flags", flags, input.n);
};
inline constexpr auto has_words = [](auto const& input, auto const&, auto& words) {
  input.require_room("words", words, input.n / 32 + (input.n % 32 > 0 ? 1 : 0));
};
inline constexpr auto has_offsets = [](auto const& input, auto const& segments, auto& offsets) {
  input.require_room("offsets", offsets, sweep::detail::told_count(segments) + 1);
};
inline constexpr auto has_lengths = [](auto const& input, auto const& segments, auto& lengths) {
  input.require_room("lengths", lengths, sweep::detail::told_count(segments));
};

}  // namespace canonical

template <class First, class... Rest>
auto to_head_flags(First const& first, Rest&&... rest) {
  return sweep::detail::complete_checked_call<2>("segments::to_head_flags", canonical::has_flags,
                                                 canonical::to_head_flags, first, rest...);
}
template <class First, class... Rest>
auto to_head_bits(First const& first, Rest&&... rest) {
  return sweep::detail::complete_checked_call<2>("segments::to_head_bits", canonical::has_words,
                                                 canonical::to_head_bits, first, rest...);
}
template <class First, class... Rest>
auto to_offsets(First const& first, Rest&&... rest) {
  return sweep::detail::complete_checked_call<2>("segments::to_offsets", canonical::has_offsets,
                                                 canonical::to_offsets, first, rest...);
}
template <class First, class... Rest>
auto to_lengths(First const& first, Rest&&... rest) {
  return sweep::detail::complete_checked_call<2>("segments::to_lengths", canonical::has_lengths,
                                                 canonical::to_lengths, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI::segments

#include <sweep/detail/macros/back.hpp>

#endif
