// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTED_TOP_K_HPP
#define SWEEP_SEGMENTED_TOP_K_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/top_k/segmented.hpp>
#include <sweep/radix_key.hpp>
#include <sweep/segments.hpp>

#include <concepts>
#include <type_traits>

/// \file
/// The k items of each segment that come first in an order.

/// \defgroup segmented_top_k Selections in segments
/// `#include <sweep/segmented_top_k.hpp>`: the k items of each segment that come first in an order. Segments
/// are in any notation of sweep/segments.hpp, rows of a matrix by `segments::by_rows(rows, length)`. Below n
/// is the number of items.
///
/// - **results** are a matrix of k columns: result j of segment s goes to place s k + j, j below k and below
///   the segment's size. The other places of a segment with less than k items stay as they are.
/// - **order**, **method**, **floating-point numbers** and **types** are those of sweep/top_k.hpp: by default
///   the greatest items, in order, and of equivalent items the first ones first.
/// - **determinism**: always the same results, on seq, host and device.
/// - **waiting**: never.
/// - **in a kernel** `seq` takes rows and offsets; it reads a segment once a result.
/// - **exceptions** of an iterator or a comparison on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup segmented_top_k
/// @{

/// The k items of each segment that come first, in order: by default the greatest.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    where segments begin
/// \param k           how many of each are asked for, not negative; all of a segment that has no more
/// \param out         k places for each segment
/// \param comp        comp(a, b): whether a goes before b; by default >
///
/// \par Promises
/// - order: that of a stable sort of each segment.
/// - aliasing: out overlaps nothing.
/// - waiting: never; can be captured in a graph. With .checked() for its answer.
/// - determinism: always.
/// - complexity: on the device numbers are read once by a warp for each segment where k is 32 at most and
///   segments have 32,768 items at most on an average; else, where k is 2,048 at most (1,024 of words of more
///   than 32 bits), by a block, short segments once and longer ones two to seven times; all else is sorted.
///   On host O(n log k).
/// - scratch: of rows and offsets none where nothing is sorted; of lengths 8 bytes a segment, of other
///   notations 8 bytes an item; where segments are sorted what segmented_sort takes, and 16 bytes an item.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, k below 0, places
///   that 63 bits do not count, an out that is a range and has fewer than (segments - 1) k + min(k, n) places
///   of segments by offsets or lengths, rows that are not n items, a null pointer, segments that do not fit,
///   too little scratch, with .checked() offsets that decrease and a pointer that the device cannot reach.
/// - source: warps bring what is below a bound in order by bitonic networks (Batcher 1968; Johnson, Douze and
///   Jegou 2019), blocks select by digits.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments, class Count,
          detail::output_for<Policy> Out, detail::function_like Comp = detail::greater>
  requires(std::is_integral_v<Count>)
SWEEP_HD void segmented_top_k(Policy const& policy, In first, In last, Segments segments, Count k, Out out,
                              Comp comp = {}) {
  detail::top_k_of_segments("segmented_top_k", policy, first, last, detail::no_values{}, segments,
                            detail::asked_count(k), out, detail::no_values{}, comp);
}

/// The k keys of each segment that come first, in order, and their values. Promises as segmented_top_k.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param segments              where segments begin
/// \param k                     how many of each are asked for, not negative; all of one that has no more
/// \param keys_out              k places for each segment
/// \param values_out            the same for their values
/// \param comp                  comp(a, b): whether key a goes before key b; by default >
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::segments_like Segments, class Count, detail::output_for<Policy> KeysOut,
          detail::output_for<Policy> ValuesOut, detail::function_like Comp = detail::greater>
  requires(std::is_integral_v<Count>)
SWEEP_HD void segmented_top_k_by_key(Policy const& policy, Keys keys_first, Keys keys_last,
                                     Values values_first, Segments segments, Count k, KeysOut keys_out,
                                     ValuesOut values_out, Comp comp = {}) {
  detail::top_k_of_segments("segmented_top_k_by_key", policy, keys_first, keys_last, values_first, segments,
                            detail::asked_count(k), keys_out, values_out, comp);
}

/// Where the k items of each segment stand that come first: indices count from the segment's first item.
/// Promises as segmented_top_k.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    where segments begin
/// \param k           how many of each are asked for, not negative; all of a segment that has no more
/// \param out         k places for each segment
/// \param comp        comp(a, b): whether a goes before b; by default >
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments, class Count,
          detail::output_for<Policy> Out, detail::function_like Comp = detail::greater>
  requires(std::is_integral_v<Count>)
SWEEP_HD void segmented_arg_top_k(Policy const& policy, In first, In last, Segments segments, Count k,
                                  Out out, Comp comp = {}) {
  detail::top_k_of_segments("segmented_arg_top_k", policy, first, last, detail::index_in_segment{}, segments,
                            detail::asked_count(k), detail::unwritten{}, out, comp);
}

/// The k items of each segment that come first, in order, and where they stand, counted from the segment's
/// first item: both results of torch.topk. Promises as segmented_top_k.
///
/// \param policy       where to run: seq, host, device, or a policy of Thrust's
/// \param first,last   n items
/// \param segments     where segments begin
/// \param k            how many of each are asked for, not negative; all of a segment that has no more
/// \param out          k places for each segment
/// \param indices_out  the same for their indices
/// \param comp         comp(a, b): whether a goes before b; by default >
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments, class Count,
          detail::output_for<Policy> Out, detail::output_for<Policy> Indices,
          detail::function_like Comp = detail::greater>
  requires(std::is_integral_v<Count>)
SWEEP_HD void segmented_top_k_with_indices(Policy const& policy, In first, In last, Segments segments,
                                           Count k, Out out, Indices indices_out, Comp comp = {}) {
  detail::top_k_of_segments("segmented_top_k_with_indices", policy, first, last, detail::index_in_segment{},
                            segments, detail::asked_count(k), out, indices_out, comp);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto segmented_top_k = [](auto const&... all) -> decltype(sweep::segmented_top_k(all...)) {
  return sweep::segmented_top_k(all...);
};
inline constexpr auto segmented_top_k_by_key =
    [](auto const&... all) -> decltype(sweep::segmented_top_k_by_key(all...)) {
  return sweep::segmented_top_k_by_key(all...);
};
inline constexpr auto segmented_arg_top_k =
    [](auto const&... all) -> decltype(sweep::segmented_arg_top_k(all...)) {
  return sweep::segmented_arg_top_k(all...);
};
inline constexpr auto segmented_top_k_with_indices =
    [](auto const&... all) -> decltype(sweep::segmented_top_k_with_indices(all...)) {
  return sweep::segmented_top_k_with_indices(all...);
};

/// Outputs that are ranges have k places for each segment, where their number is known, and values an item
/// for each key.
inline constexpr auto has_results = [](auto const& input, auto const& segments, std::integral auto const& k,
                                       auto& out, auto&...) {
  input.require_room("out", out, places_of_results(told_count(segments), asked_count(k), input.n));
};
inline constexpr auto has_results_by_key = [](auto const& input, auto& values, auto const& segments,
                                              std::integral auto const& k, auto& keys_out, auto& values_out,
                                              auto&...) {
  auto const places = places_of_results(told_count(segments), asked_count(k), input.n);
  input.require_room("values_first", values, input.n);
  input.require_room("keys_out", keys_out, places);
  input.require_room("values_out", values_out, places);
};
inline constexpr auto has_results_with_indices = [](auto const& input, auto const& segments,
                                                    std::integral auto const& k, auto& out, auto& indices_out,
                                                    auto&...) {
  auto const places = places_of_results(told_count(segments), asked_count(k), input.n);
  input.require_room("out", out, places);
  input.require_room("indices_out", indices_out, places);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto segmented_top_k(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<3>("segmented_top_k", detail::canonical::has_results,
                                          detail::canonical::segmented_top_k, first, rest...);
}
template <class First, class... Rest>
auto segmented_top_k_by_key(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<5>("segmented_top_k_by_key", detail::canonical::has_results_by_key,
                                          detail::canonical::segmented_top_k_by_key, first, rest...);
}
template <class First, class... Rest>
auto segmented_arg_top_k(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<3>("segmented_arg_top_k", detail::canonical::has_results,
                                          detail::canonical::segmented_arg_top_k, first, rest...);
}
template <class First, class... Rest>
auto segmented_top_k_with_indices(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<4>("segmented_top_k_with_indices",
                                          detail::canonical::has_results_with_indices,
                                          detail::canonical::segmented_top_k_with_indices, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
