// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_AXES_HPP
#define SWEEP_AXES_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/axes/composed.hpp>
#include <sweep/detail/axes/dispatch.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_axes.hpp>
#include <sweep/strided.hpp>

/// \file
/// Scans and reductions of arrays along any of their axes.

/// \defgroup axes Along an axis
/// `#include <sweep/axes.hpp>`: scans and reductions of arrays along any of their axes. An array is a
/// sweep::strided view or an mdspan. Along an axis it is many lines, each of which is scanned, or folded, by
/// itself: below x[i] is item i of a line, and n how many it has.
///
/// - **arrays**: 1 to 8 axes, any strides: permuted, padded, negative, in the input also zero. The output's
///   items lie in places of their own: each stride reaches beyond all that the shorter ones span.
/// - **types**: as those of the flat calls (sweep/scan.hpp, sweep/reduce.hpp).
/// - **determinism** of what says "the same bits on every run": on the device they depend on the extents, the
///   axis and the types alone, not on strides, alignment or how lines are shared out. Where there are at
///   least 65,536 lines, or they have at most 64 items, each is one chain of operations, as on `seq`. On any
///   number of host threads they are the same, too.
/// - **scratch** is device memory from the policy's source.
/// - **exceptions** of an operator or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup axes
/// @{

/// Inclusive scan along an axis, with an initial value: of each line out[i] = init op x[0] op ... op x[i].
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param op      op(a, b) folds two values; (op, init) is the standard's order, (init, op), which is
///                Thrust's, is understood too
/// \param init    what stands before the first item: one value, or an array of one a line, without the axis
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: out may be in, with the same strides; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(items) calls of op; each item is read once, each result written once (on `host`, where
///   there are fewer than 256 lines of more than 16,384 items, items are folded twice, the second time from
///   a core's cache).
/// - scratch: at most 2 % of the values that are folded where these have 4 to 16 bytes, 7 % of others up to
///   64 bytes; none where there are at least 65,536 lines, or these have at most 512 items (128 of more than
///   16 bytes).
/// - errors, before anything is written: cuda_error; bad_argument for an axis that is none, extents that
///   differ, are negative or too many, items of out in the same places, out that begins where in does with
///   other strides, a null pointer, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: docs/axes.md; the chunks of a line look back as tiles do in docs/lookback.md.
template <detail::policy Policy, detail::array_like In, detail::array_like Out, detail::no_direction Op,
          detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
Out inclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Op op, Init init, Dir dir = {}) {
  if constexpr (!detail::array_like<Init> && detail::init_first<Op, Init, detail::array_iterator<In>>)
    return detail::scan_along<detail::line_result::inclusive, decltype(dir)>(
        "inclusive_scan", policy, in, out, axis, init, detail::identity{}, op);
  else
    return detail::scan_along<detail::line_result::inclusive, decltype(dir)>(
        "inclusive_scan", policy, in, out, axis, op, detail::identity{}, init);
}

/// Inclusive scan along an axis: of each line out[i] = x[0] op ... op x[i]. Promises as with an initial
/// value.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param op      op(a, b), associative
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
template <detail::policy Policy, detail::array_like In, detail::array_like Out, detail::no_direction Op,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out inclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Op op, Dir dir = {}) {
  return detail::scan_along<detail::line_result::inclusive, decltype(dir)>("inclusive_scan", policy, in, out,
                                                                           axis, op, detail::identity{});
}

/// Inclusive scan with + along an axis: of each line out[i] = x[0] + ... + x[i]. Promises as with an
/// operator.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
template <detail::policy Policy, detail::array_like In, detail::array_like Out, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out inclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Dir dir = {}) {
  return detail::scan_along<detail::line_result::inclusive, decltype(dir)>(
      "inclusive_scan", policy, in, out, axis, detail::plus{}, detail::identity{});
}

/// Exclusive scan along an axis: of each line out[i] = init op x[0] op ... op x[i - 1]; out[0] = init.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param init    what stands before the first item: one value, or an array of one a line, without the axis
/// \param op      op(a, b), associative
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: out may be in, with the same strides; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(items) calls of op; each item is read once, each result written once (on `host`, where
///   there are fewer than 256 lines of more than 16,384 items, items are folded twice, the second time from
///   a core's cache).
/// - scratch: at most 2 % of the values that are folded where these have 4 to 16 bytes, 7 % of others up to
///   64 bytes; none where there are at least 65,536 lines, or these have at most 512 items (128 of more than
///   16 bytes).
/// - errors, before anything is written: cuda_error; bad_argument for an axis that is none, extents that
///   differ, are negative or too many, items of out in the same places, out that begins where in does with
///   other strides, a null pointer, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: docs/axes.md; the chunks of a line look back as tiles do in docs/lookback.md.
template <detail::policy Policy, detail::array_like In, detail::array_like Out, detail::no_direction Init,
          detail::no_direction Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out exclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Init init, Op op, Dir dir = {}) {
  return detail::scan_along<detail::line_result::exclusive, decltype(dir)>(
      "exclusive_scan", policy, in, out, axis, op, detail::identity{}, init);
}

/// Exclusive scan with + along an axis. Promises as with an operator.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param init    what stands before the first item: one value, or an array of one a line, without the axis
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
template <detail::policy Policy, detail::array_like In, detail::array_like Out, detail::no_direction Init,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
Out exclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Init init, Dir dir = {}) {
  return detail::scan_along<detail::line_result::exclusive, decltype(dir)>(
      "exclusive_scan", policy, in, out, axis, detail::plus{}, detail::identity{}, init);
}

/// Exclusive scan with + along an axis, from a value-initialised item (0). Promises as with an operator.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
template <detail::policy Policy, detail::array_like In, detail::array_like Out, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out exclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Dir dir = {}) {
  return detail::scan_along<detail::line_result::exclusive, decltype(dir)>(
      "exclusive_scan", policy, in, out, axis, detail::plus{}, detail::identity{},
      detail::value_of<detail::array_iterator<In>>{});
}

/// Inclusive scan of f(x[0]), f(x[1]), ... along an axis, f being `unary`, with an initial value: of each
/// line out[i] = init op f(x[0]) op ... op f(x[i]).
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param op      op(a, b), associative
/// \param unary   what is folded of an item: unary(x[i])
/// \param init    what stands before the first item: one value, or an array of one a line, without the axis
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: out may be in, with the same strides; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(items) calls of op; each item is read once, each result written once (on `host`, where
///   there are fewer than 256 lines of more than 16,384 items, items are folded twice, the second time from
///   a core's cache).
/// - scratch: at most 2 % of the values that are folded where these have 4 to 16 bytes, 7 % of others up to
///   64 bytes; none where there are at least 65,536 lines, or these have at most 512 items (128 of more than
///   16 bytes).
/// - errors, before anything is written: cuda_error; bad_argument for an axis that is none, extents that
///   differ, are negative or too many, items of out in the same places, out that begins where in does with
///   other strides, a null pointer, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: docs/axes.md; the chunks of a line look back as tiles do in docs/lookback.md.
template <detail::policy Policy, detail::array_like In, detail::array_like Out, detail::no_direction Op,
          detail::no_direction Unary, detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
Out transform_inclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Op op, Unary unary,
                             Init init, Dir dir = {}) {
  return detail::scan_along<detail::line_result::inclusive, decltype(dir)>("transform_inclusive_scan", policy,
                                                                           in, out, axis, op, unary, init);
}

/// Inclusive scan of f(x[0]), f(x[1]), ... along an axis, f being `unary`. Promises as with an initial value.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param op      op(a, b), associative
/// \param unary   what is folded of an item: unary(x[i])
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
template <detail::policy Policy, detail::array_like In, detail::array_like Out, detail::no_direction Op,
          detail::no_direction Unary, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Unary>)
Out transform_inclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Op op, Unary unary,
                             Dir dir = {}) {
  return detail::scan_along<detail::line_result::inclusive, decltype(dir)>("transform_inclusive_scan", policy,
                                                                           in, out, axis, op, unary);
}

/// Exclusive scan of f(x[0]), f(x[1]), ... along an axis, f being `unary`: of each line
/// out[i] = init op f(x[0]) op ... op f(x[i - 1]); out[0] = init.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents
/// \param axis    sweep::along(which)
/// \param init    what stands before the first item: one value, or an array of one a line, without the axis
/// \param op      op(a, b), associative
/// \param unary   what is folded of an item: unary(x[i])
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: out may be in, with the same strides; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(items) calls of op; each item is read once, each result written once (on `host`, where
///   there are fewer than 256 lines of more than 16,384 items, items are folded twice, the second time from
///   a core's cache).
/// - scratch: at most 2 % of the values that are folded where these have 4 to 16 bytes, 7 % of others up to
///   64 bytes; none where there are at least 65,536 lines, or these have at most 512 items (128 of more than
///   16 bytes).
/// - errors, before anything is written: cuda_error; bad_argument for an axis that is none, extents that
///   differ, are negative or too many, items of out in the same places, out that begins where in does with
///   other strides, a null pointer, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: docs/axes.md; the chunks of a line look back as tiles do in docs/lookback.md.
template <detail::policy Policy, detail::array_like In, detail::array_like Out, detail::no_direction Init,
          detail::no_direction Op, detail::no_direction Unary, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Unary>)
Out transform_exclusive_scan(Policy const& policy, In in, Out out, along_axes<1> axis, Init init, Op op,
                             Unary unary, Dir dir = {}) {
  return detail::scan_along<detail::line_result::exclusive, decltype(dir)>("transform_exclusive_scan", policy,
                                                                           in, out, axis, op, unary, init);
}

/// Folds an array along one or several axes: out[...] = init op x[0] op ... op x[n - 1].
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the extents of the axes that are left, in their order; of one item where none
///                is
/// \param axes    sweep::along(which, ...): one axis, or several in any order
/// \param init    the first operand of each result, and the result where there is nothing to fold
/// \param op      op(a, b), associative
/// \return        out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative. Items are folded in the order of their
///   indices, the last of the axes fastest.
/// - aliasing: nothing overlaps out.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(items) calls of op; each item is read once.
/// - scratch: one axis: at most 1/256 of the values (1/64 of more than 16 bytes) and 512 bytes, none
///   where there are at least 65,536 lines or they have at most 64 items; several: also what is left after
///   each but the last of them, from the last axis on.
/// - errors, before anything is written: cuda_error; bad_argument for an axis that is none or is named twice,
///   extents that differ, are negative or too many, items of out in the same places, a null pointer, too
///   little scratch, with .checked() a pointer that the device cannot reach.
/// - source: docs/axes.md.
template <detail::policy Policy, detail::array_like In, detail::array_like Out, int Count,
          detail::no_direction Init, detail::no_direction Op>
Out reduce(Policy const& policy, In in, Out out, along_axes<Count> axes, Init init, Op op) {
  return detail::reduce_along("reduce", policy, in, out, axes, init, op, detail::identity{});
}

/// The sums along one or several axes, and init. Promises as with an operator.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the extents of the axes that are left, in their order; of one item where none
///                is
/// \param axes    sweep::along(which, ...): one axis, or several in any order
/// \param init    the first operand of each result, and the result where there is nothing to fold
/// \return        out
template <detail::policy Policy, detail::array_like In, detail::array_like Out, int Count,
          detail::no_direction Init>
Out reduce(Policy const& policy, In in, Out out, along_axes<Count> axes, Init init) {
  return detail::reduce_along("reduce", policy, in, out, axes, init, detail::plus{}, detail::identity{});
}

/// The sums along one or several axes, of the items' type. Promises as with an operator.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the extents of the axes that are left, in their order; of one item where none
///                is
/// \param axes    sweep::along(which, ...): one axis, or several in any order
/// \return        out
template <detail::policy Policy, detail::array_like In, detail::array_like Out, int Count>
Out reduce(Policy const& policy, In in, Out out, along_axes<Count> axes) {
  return detail::reduce_along("reduce", policy, in, out, axes, detail::value_of<detail::array_iterator<In>>{},
                              detail::plus{}, detail::identity{});
}

/// Folds f(x[0]), f(x[1]), ... along one or several axes, f being `unary`.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the extents of the axes that are left, in their order; of one item where none
///                is
/// \param axes    sweep::along(which, ...): one axis, or several in any order
/// \param init    the first operand of each result, and the result where there is nothing to fold
/// \param op      op(a, b), associative
/// \param unary   what is folded of an item: unary(x[i])
/// \return        out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative. Items are folded in the order of their
///   indices, the last of the axes fastest.
/// - aliasing: nothing overlaps out.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(items) calls of op; each item is read once.
/// - scratch: one axis: at most 1/256 of the values (1/64 of more than 16 bytes) and 512 bytes, none
///   where there are at least 65,536 lines or they have at most 64 items; several: also what is left after
///   each but the last of them, from the last axis on.
/// - errors, before anything is written: cuda_error; bad_argument for an axis that is none or is named twice,
///   extents that differ, are negative or too many, items of out in the same places, a null pointer, too
///   little scratch, with .checked() a pointer that the device cannot reach.
/// - source: docs/axes.md.
template <detail::policy Policy, detail::array_like In, detail::array_like Out, int Count,
          detail::no_direction Init, detail::no_direction Op, detail::no_direction Unary>
Out transform_reduce(Policy const& policy, In in, Out out, along_axes<Count> axes, Init init, Op op,
                     Unary unary) {
  return detail::reduce_along("transform_reduce", policy, in, out, axes, init, op, unary);
}

/// An array whose items are pairs: an item, and its index along an axis. Scanned by an operator that takes
/// the larger of two pairs it makes running maxima with their indices; reduced, the place of the largest. It
/// is for items: it can be no call's flags, keys, lengths or initial values, nor the table of box_sum.
///
/// \param array  an array; nothing is copied
/// \param axis   sweep::along(which)
/// \return       an array of the same extents, of sweep::pair<item, std::int64_t>, to be read
///
/// \par Promises
/// - errors: bad_argument for an axis that is none, extents that are negative or too many.
template <detail::array_like Array>
auto with_index(Array array, along_axes<1> axis) {
  return detail::indexed_along("with_index", array, axis);
}

/// \cond
// The same without a policy, which the arrays' iterators then choose.
template <detail::array_like In, detail::array_like Out, class... Rest>
auto inclusive_scan(In in, Out out, along_axes<1> axis, Rest... rest) {
  return sweep::inclusive_scan(detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(),
                               in, out, axis, rest...);
}
template <detail::array_like In, detail::array_like Out, class... Rest>
auto exclusive_scan(In in, Out out, along_axes<1> axis, Rest... rest) {
  return sweep::exclusive_scan(detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(),
                               in, out, axis, rest...);
}
template <detail::array_like In, detail::array_like Out, class... Rest>
auto transform_inclusive_scan(In in, Out out, along_axes<1> axis, Rest... rest) {
  return sweep::transform_inclusive_scan(
      detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(), in, out, axis, rest...);
}
template <detail::array_like In, detail::array_like Out, class... Rest>
auto transform_exclusive_scan(In in, Out out, along_axes<1> axis, Rest... rest) {
  return sweep::transform_exclusive_scan(
      detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(), in, out, axis, rest...);
}
template <detail::array_like In, detail::array_like Out, int Count, class... Rest>
auto reduce(In in, Out out, along_axes<Count> axis, Rest... rest) {
  return sweep::reduce(detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(), in, out,
                       axis, rest...);
}
template <detail::array_like In, detail::array_like Out, int Count, class... Rest>
auto transform_reduce(In in, Out out, along_axes<Count> axis, Rest... rest) {
  return sweep::transform_reduce(detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(),
                                 in, out, axis, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
