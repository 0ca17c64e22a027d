// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTED_AXES_HPP
#define SWEEP_SEGMENTED_AXES_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/axes/segments.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/segments.hpp>
#include <sweep/strided.hpp>

/// \file
/// Scans of the segments of lines along an axis.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup axes
/// @{

/// Inclusive scan of every segment of every line along an axis: out[i] = x[h] op ... op x[i], h being the
/// first item of i's segment.
///
/// \param policy    where to run: seq, host, device, or a policy of Thrust's
/// \param in        an array
/// \param segments  of each line: by_head_flags or by_key of an array of in's extents; or of_lines, which
///                  says how many items each line has
/// \param out       an array of the same extents; where lines have lengths, nothing is written behind them
/// \param axis      sweep::along(which)
/// \param op        op(a, b), associative
/// \param dir       forward, or backward: from the last item of each segment to its first
/// \return          out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, its operands keep their order, and it is
///   never called on items of two segments, or on what is behind the end of a line.
/// - aliasing: out may be in, with the same strides; nothing else may overlap it, nor what describes the
///   segments.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(items) calls of op; each item is read once, flags and keys of it at most three times; of
///   lines that have lengths all places of the array are walked over, and those behind the ends not touched.
/// - scratch: as a scan along an axis, of values with a flag.
/// - errors, before anything is written: as a scan along an axis; bad_argument also for flags, keys or
///   lengths whose extents do not fit. Lengths that are negative count as 0, larger ones as the line's.
/// - source: Blelloch 1990 (the operator on flagged values); docs/axes.md.
template <detail::policy Policy, detail::array_like In, detail::segments_like Segments,
          detail::array_like Out, detail::no_direction Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out segmented_inclusive_scan(Policy const& policy, In in, Segments segments, Out out, along_axes<1> axis,
                             Op op, Dir dir = {}) {
  return detail::segmented_scan_along<decltype(dir)>("segmented_inclusive_scan", policy, in, segments, out,
                                                     axis, op, detail::identity{});
}

/// Inclusive scan with + of every segment of every line along an axis. Promises as with an operator.
///
/// \param policy    where to run: seq, host, device, or a policy of Thrust's
/// \param in        an array
/// \param segments  of each line: by_head_flags or by_key of an array of in's extents; or of_lines
/// \param out       an array of the same extents
/// \param axis      sweep::along(which)
/// \param dir       forward, or backward: from the last item of each segment to its first
/// \return          out
template <detail::policy Policy, detail::array_like In, detail::segments_like Segments,
          detail::array_like Out, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out segmented_inclusive_scan(Policy const& policy, In in, Segments segments, Out out, along_axes<1> axis,
                             Dir dir = {}) {
  return detail::segmented_scan_along<decltype(dir)>("segmented_inclusive_scan", policy, in, segments, out,
                                                     axis, detail::plus{}, detail::identity{});
}

/// Exclusive scan of every segment of every line along an axis: out[i] = init op x[h] op ... op x[i - 1], h
/// being the first item of i's segment; out[h] = init.
///
/// \param policy    where to run: seq, host, device, or a policy of Thrust's
/// \param in        an array
/// \param segments  of each line: by_head_flags or by_key of an array of in's extents; or of_lines, which
///                  says how many items each line has
/// \param out       an array of the same extents; where lines have lengths, nothing is written behind them
/// \param axis      sweep::along(which)
/// \param init      what each segment's first item in scan order gets
/// \param op        op(a, b), associative
/// \param dir       forward, or backward: from the last item of each segment to its first
/// \return          out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, its operands keep their order, and it is
///   never called on items of two segments, or on what is behind the end of a line.
/// - aliasing: out may be in, with the same strides; nothing else may overlap it, nor what describes the
///   segments.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(items) calls of op; each item is read once, flags and keys of it at most three times; of
///   lines that have lengths all places of the array are walked over, and those behind the ends not touched.
/// - scratch: as a scan along an axis, of values with a flag.
/// - errors, before anything is written: as a scan along an axis; bad_argument also for flags, keys or
///   lengths whose extents do not fit. Lengths that are negative count as 0, larger ones as the line's.
/// - source: Blelloch 1990 (the operator on flagged values); docs/axes.md.
template <detail::policy Policy, detail::array_like In, detail::segments_like Segments,
          detail::array_like Out, detail::no_direction Init, detail::no_direction Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out segmented_exclusive_scan(Policy const& policy, In in, Segments segments, Out out, along_axes<1> axis,
                             Init init, Op op, Dir dir = {}) {
  return detail::segmented_scan_along<decltype(dir)>("segmented_exclusive_scan", policy, in, segments, out,
                                                     axis, op, detail::identity{}, init);
}

/// Exclusive scan with + of every segment of every line along an axis. Promises as with an operator.
///
/// \param policy    where to run: seq, host, device, or a policy of Thrust's
/// \param in        an array
/// \param segments  of each line: by_head_flags or by_key of an array of in's extents; or of_lines
/// \param out       an array of the same extents
/// \param axis      sweep::along(which)
/// \param init      what each segment's first item in scan order gets
/// \param dir       forward, or backward: from the last item of each segment to its first
/// \return          out
template <detail::policy Policy, detail::array_like In, detail::segments_like Segments,
          detail::array_like Out, detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
Out segmented_exclusive_scan(Policy const& policy, In in, Segments segments, Out out, along_axes<1> axis,
                             Init init, Dir dir = {}) {
  return detail::segmented_scan_along<decltype(dir)>("segmented_exclusive_scan", policy, in, segments, out,
                                                     axis, detail::plus{}, detail::identity{}, init);
}

/// Inclusive scan of f(x[h]), ..., f being `unary`, of every segment of every line along an axis. Promises as
/// without one.
///
/// \param policy    where to run: seq, host, device, or a policy of Thrust's
/// \param in        an array
/// \param segments  of each line: by_head_flags or by_key of an array of in's extents; or of_lines
/// \param out       an array of the same extents
/// \param axis      sweep::along(which)
/// \param op        op(a, b), associative
/// \param unary     what is folded of an item: unary(x[i])
/// \param dir       forward, or backward: from the last item of each segment to its first
/// \return          out
template <detail::policy Policy, detail::array_like In, detail::segments_like Segments,
          detail::array_like Out, detail::no_direction Op, detail::no_direction Unary, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Unary>)
Out segmented_transform_inclusive_scan(Policy const& policy, In in, Segments segments, Out out,
                                       along_axes<1> axis, Op op, Unary unary, Dir dir = {}) {
  return detail::segmented_scan_along<decltype(dir)>("segmented_transform_inclusive_scan", policy, in,
                                                     segments, out, axis, op, unary);
}

/// Exclusive scan of f(x[h]), ..., f being `unary`, of every segment of every line along an axis. Promises as
/// without one.
///
/// \param policy    where to run: seq, host, device, or a policy of Thrust's
/// \param in        an array
/// \param segments  of each line: by_head_flags or by_key of an array of in's extents; or of_lines
/// \param out       an array of the same extents
/// \param axis      sweep::along(which)
/// \param init      what each segment's first item in scan order gets
/// \param op        op(a, b), associative
/// \param unary     what is folded of an item: unary(x[i])
/// \param dir       forward, or backward: from the last item of each segment to its first
/// \return          out
template <detail::policy Policy, detail::array_like In, detail::segments_like Segments,
          detail::array_like Out, detail::no_direction Init, detail::no_direction Op,
          detail::no_direction Unary, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Unary>)
Out segmented_transform_exclusive_scan(Policy const& policy, In in, Segments segments, Out out,
                                       along_axes<1> axis, Init init, Op op, Unary unary, Dir dir = {}) {
  return detail::segmented_scan_along<decltype(dir)>("segmented_transform_exclusive_scan", policy, in,
                                                     segments, out, axis, op, unary, init);
}

/// \cond
// The same without a policy, which the arrays' iterators then choose.
template <detail::array_like In, detail::segments_like Segments, detail::array_like Out, class... Rest>
auto segmented_inclusive_scan(In in, Segments segments, Out out, along_axes<1> axis, Rest... rest) {
  return sweep::segmented_inclusive_scan(
      detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(), in, segments, out, axis,
      rest...);
}
template <detail::array_like In, detail::segments_like Segments, detail::array_like Out, class... Rest>
auto segmented_transform_inclusive_scan(In in, Segments segments, Out out, along_axes<1> axis, Rest... rest) {
  return sweep::segmented_transform_inclusive_scan(
      detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(), in, segments, out, axis,
      rest...);
}
template <detail::array_like In, detail::segments_like Segments, detail::array_like Out, class... Rest>
auto segmented_transform_exclusive_scan(In in, Segments segments, Out out, along_axes<1> axis, Rest... rest) {
  return sweep::segmented_transform_exclusive_scan(
      detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(), in, segments, out, axis,
      rest...);
}
template <detail::array_like In, detail::segments_like Segments, detail::array_like Out, class... Rest>
auto segmented_exclusive_scan(In in, Segments segments, Out out, along_axes<1> axis, Rest... rest) {
  return sweep::segmented_exclusive_scan(
      detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(), in, segments, out, axis,
      rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
