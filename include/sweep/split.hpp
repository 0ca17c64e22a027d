// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SPLIT_HPP
#define SWEEP_SPLIT_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/split/dispatch.hpp>

/// \file
/// Splits: in every segment the items of one kind first, then the others.

/// \defgroup split Splits
/// `#include <sweep/split.hpp>`: in every segment the items that a predicate holds for first, then the
/// others, each kind in its order. Takes the variants and plans of scans.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup split
/// @{

/// In every segment the items that pred holds for first, then the others.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n items
/// \param pred        pred(x): whether x goes first; its answer may depend on x alone
/// \return            out + n
///
/// \par Promises
/// - order: both kinds keep theirs.
/// - aliasing: out overlaps nothing else.
/// - waiting: never, but with .checked() by offsets or lengths; can be captured in a graph.
/// - determinism: always.
/// - complexity: O(n + segments): two segmented scans, which call pred some four times an item.
/// - scratch: less than 0.1 % of n integers of 8 bytes and 64 KiB, and n / 8 bytes where heads are not bits
///   already.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   few head bits, too little scratch, with .checked() offsets or lengths that do not fit n items.
/// - source: Blelloch 1990.
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::function_like Pred>
Out split(Policy const& policy, In first, In last, Segments segments, Out out, Pred pred) {
  return detail::split("split", policy, first, last, segments, out, pred);
}

/// In every segment the items that pred holds for first, then the others; and where the segments that this
/// makes begin: each segment becomes two, or stays one where all its items are of one kind.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n items
/// \param heads       n flags: whether item i of the output starts a segment
/// \param pred        pred(x): whether x goes first; its answer may depend on x alone
/// \return            out + n
///
/// \par Promises
/// - order: both kinds keep theirs.
/// - aliasing: out and heads overlap nothing else.
/// - waiting: never, but with .checked() by offsets or lengths; can be captured in a graph.
/// - determinism: always.
/// - complexity: O(n + segments): two segmented scans, which call pred some four times an item.
/// - scratch: as split, and n bytes.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   few head bits, too little scratch, with .checked() offsets or lengths that do not fit n items.
/// - source: Blelloch 1990.
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::output_for<Policy> HeadsOut, detail::function_like Pred>
Out split_and_segment(Policy const& policy, In first, In last, Segments segments, Out out, HeadsOut heads,
                      Pred pred) {
  return detail::split_and_segment("split_and_segment", policy, first, last, segments, out, heads, pred);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto split = [](auto const&... all) -> decltype(sweep::split(all...)) {
  return sweep::split(all...);
};
inline constexpr auto split_and_segment =
    [](auto const&... all) -> decltype(sweep::split_and_segment(all...)) {
  return sweep::split_and_segment(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto split(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("split", detail::canonical::split, first, rest...);
}
template <class First, class... Rest>
auto split_and_segment(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<3>("split_and_segment", detail::canonical::split_and_segment, first,
                                        rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
