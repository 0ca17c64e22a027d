// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DISTRIBUTE_HPP
#define SWEEP_DISTRIBUTE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/segmented_scan/distribute.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_scan.hpp>

/// \file
/// Distribution: one item's value for all the items of its segment, or of the range.

/// \defgroup distribute Distribution
/// `#include <sweep/distribute.hpp>`: one item's value for all the items of its segment, or of the range. A
/// scan whose operator keeps its first operand (Sengupta et al. 2007); takes the variants and plans of scans.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup distribute
/// @{

/// The first item of each segment for all its items: out[i] = x[h], h being the first item of i's segment.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results
/// \param dir         forward, or backward: the last item of each segment instead of its first
/// \return            out + n
///
/// \par Promises
/// - aliasing: out may be first; it overlaps nothing else, nor what describes the segments.
/// - waiting: never, but with .checked() by offsets or lengths; can be captured in a graph.
/// - determinism: always.
/// - complexity: O(n + segments); items, and what describes segments, are read once.
/// - scratch: less than 1 % of the input and 64 KiB, and n / 8 bytes where heads are not bits already;
///   scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   few head bits, too little scratch, a plan that the device cannot run, with .checked() a first or out
///   that it cannot reach, and offsets or lengths that do not fit n items.
/// - source: Sengupta et al. 2007; a segmented scan.
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Out>)
Out distribute(Policy const& policy, In first, In last, Segments segments, Out out, Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, decltype(dir)>(
      "distribute", policy, first, last, segments, out, detail::keep_first{}, detail::identity{});
}

/// The first item of the range for all items: out[i] = x[0].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param out         n results
/// \param dir         forward, or backward: the last item instead of the first
/// \return            out + n
///
/// \par Promises
/// - aliasing: out may be first; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: always.
/// - complexity: O(n); each item is read once, each result written once.
/// - scratch: less than 0.1 % of the input (1 % for values of more than 16 bytes) and 64 KiB;
///   scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, a plan that the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: Sengupta et al. 2007; a scan.
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out distribute(Policy const& policy, In first, In last, Out out, Dir dir = {}) {
  return detail::scan<detail::scan_kind::inclusive, decltype(dir)>("distribute", policy, first, last, out,
                                                                   detail::keep_first{}, detail::identity{});
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto distribute = [](auto const&... all) -> decltype(sweep::distribute(all...)) {
  return sweep::distribute(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto distribute(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("distribute", detail::canonical::distribute, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
