// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTED_SCAN_HPP
#define SWEEP_SEGMENTED_SCAN_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>
#include <sweep/segments.hpp>

/// \file
/// Segmented scans: a scan of every segment, all at once.

/// \defgroup segmented_scan Segmented scans
/// `#include <sweep/segmented_scan.hpp>`: a scan of every segment, all at once. Item i of the output is the
/// fold of the items of its segment up to it. Below x[i] is item i of [first, last) or of the values,
/// n = last - first, and h is the first item of i's segment.
///
/// - **segments**: sweep/segments.hpp: by_key, by_head_flags, by_head_bits, by_offsets, by_lengths. A set
///   flag marks a segment's first item; item 0 starts a segment whatever its flag says. Offsets or lengths
///   that do not fit the items start segments where they can and never lead outside the ranges.
/// - **backward**: `sweep::backward` as the last argument scans each segment from its last item to its first,
///   over the same segments.
/// - **types**: any random-access iterators; the accumulator is what the operator makes of (initial value or
///   item, item), decayed, and of numbers no narrower than the first of those. It must be default
///   constructible, and on the device trivially copyable; on `host` a type that is not is scanned in one
///   loop.
/// - **determinism** of what says "the same bits on every run": on one architecture with one plan, for one
///   placement of out within 16 bytes, on any number of host threads, for every operator.
/// - **scratch** is device memory from the policy's source.
/// - **Thrust's policies** that synchronise wait, as they do in Thrust; sweep's own never do.
/// - **exceptions** of an operator or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup segmented_scan
/// @{

/// Inclusive scan of every segment: out[i] = x[h] op ... op x[i], h being the first item of i's segment.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results
/// \param op          op(a, b) folds two values
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, its operands keep their order, and it is
///   never called on items of two segments.
/// - aliasing: out may be first; it overlaps nothing else, nor what describes the segments.
/// - waiting: never, but with .checked() by offsets or lengths; can be captured in a graph.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: O(n + segments) whatever their lengths; items, and what describes segments, are read once.
/// - scratch: less than 1 % of the input and 64 KiB, and n / 8 bytes where heads are not bits already, or of
///   small inputs by lengths 8 bytes a segment; scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   few head bits, too little scratch, a plan that the device cannot run, with .checked() a first or out
///   that it cannot reach, and offsets or lengths that do not fit n items.
/// - source: Blelloch 1990 (the operator on flagged values); Sengupta et al. 2007 (variant::tree); Dotsenko
///   et al. 2008 (packed flags, variant::matrix); docs/lookback.md.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::function_like Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
SWEEP_HD Out segmented_inclusive_scan(Policy const& policy, In first, In last, Segments segments, Out out,
                                      Op op, Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, decltype(dir)>(
      "segmented_inclusive_scan", policy, first, last, segments, out, op, detail::identity{});
}

/// Inclusive scan of every segment with +: out[i] = x[h] + ... + x[i]. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results; may be first
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out segmented_inclusive_scan(Policy const& policy, In first, In last, Segments segments, Out out,
                                      Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, decltype(dir)>(
      "segmented_inclusive_scan", policy, first, last, segments, out, detail::plus{}, detail::identity{});
}

/// Exclusive scan of every segment: out[i] = init op x[h] op ... op x[i - 1]; out[h] = init.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results
/// \param init        what each segment's first item in scan order gets
/// \param op          op(a, b) folds two values
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, its operands keep their order, and it is
///   never called on items of two segments.
/// - aliasing: out may be first; it overlaps nothing else, nor what describes the segments.
/// - waiting: never, but with .checked() by offsets or lengths; can be captured in a graph.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: O(n + segments) whatever their lengths; items, and what describes segments, are read once.
/// - scratch: less than 1 % of the input and 64 KiB, and n / 8 bytes where heads are not bits already, or of
///   small inputs by lengths 8 bytes a segment; scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   few head bits, too little scratch, a plan that the device cannot run, with .checked() a first or out
///   that it cannot reach, and offsets or lengths that do not fit n items.
/// - source: Blelloch 1990 (the operator on flagged values), and as segmented_inclusive_scan.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::no_direction Init, detail::function_like Op,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
SWEEP_HD Out segmented_exclusive_scan(Policy const& policy, In first, In last, Segments segments, Out out,
                                      Init init, Op op, Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::exclusive, decltype(dir)>(
      "segmented_exclusive_scan", policy, first, last, segments, out, op, detail::identity{}, init);
}

/// Exclusive scan of every segment with +: the sum of init and what comes before each item in its segment.
/// Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results; may be first
/// \param init        what each segment's first item in scan order gets
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
SWEEP_HD Out segmented_exclusive_scan(Policy const& policy, In first, In last, Segments segments, Out out,
                                      Init init, Dir dir = {}) {
  return sweep::segmented_exclusive_scan(policy, first, last, segments, out, init, detail::plus{}, dir);
}

/// Exclusive scan of every segment with + from a value-initialised item (0). Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results; may be first
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out segmented_exclusive_scan(Policy const& policy, In first, In last, Segments segments, Out out,
                                      Dir dir = {}) {
  return sweep::segmented_exclusive_scan(policy, first, last, segments, out, detail::value_of<In>{},
                                         detail::plus{}, dir);
}

/// Inclusive scan of every segment of f(x[0]), f(x[1]), ..., f being `unary`: out[i] = f(x[h]) op ... op
/// f(x[i]).
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results
/// \param op          op(a, b) folds two values
/// \param unary       what is folded of an item: unary(x[i])
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
///
/// \par Promises
/// - order, aliasing, waiting, determinism, scratch, errors and source: as segmented_inclusive_scan with an
///   operator.
/// - complexity: O(n + segments); unary is called once or twice an item.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::function_like Op, detail::function_like Unary,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out segmented_transform_inclusive_scan(Policy const& policy, In first, In last, Segments segments,
                                                Out out, Op op, Unary unary, Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, decltype(dir)>(
      "segmented_transform_inclusive_scan", policy, first, last, segments, out, op, unary);
}

/// Exclusive scan of every segment of f(x[0]), f(x[1]), ..., f being `unary`: out[i] = init op f(x[h]) op ...
/// op f(x[i - 1]); out[h] = init.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results
/// \param init        what each segment's first item in scan order gets
/// \param op          op(a, b) folds two values
/// \param unary       what is folded of an item: unary(x[i])
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
///
/// \par Promises
/// - order, aliasing, waiting, determinism, scratch, errors and source: as segmented_exclusive_scan with an
///   operator.
/// - complexity: O(n + segments); unary is called once or twice an item.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::no_direction Init, detail::function_like Op,
          detail::function_like Unary, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out segmented_transform_exclusive_scan(Policy const& policy, In first, In last, Segments segments,
                                                Out out, Init init, Op op, Unary unary, Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::exclusive, decltype(dir)>(
      "segmented_transform_exclusive_scan", policy, first, last, segments, out, op, unary, init);
}

/// Thrust's inclusive scan by key: neighbours with equal keys are a segment, out[i] = x[h] op ... op x[i].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n keys
/// \param values      n items x[i]
/// \param out         n results
/// \param equal       equal(a, b): whether two neighbouring keys are the same; by default ==
/// \param op          op(a, b) folds two values; by default +
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, its operands keep their order, and it is
///   never called on items of two segments.
/// - aliasing: out may be values, or take the place of the keys where both are contiguous; it overlaps
///   nothing else.
/// - waiting: never; can be captured in a graph.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: O(n) calls of equal and op; keys and items are read once.
/// - scratch: n / 8 bytes, and less than 1 % of the input and 64 KiB; scan_then_propagate: n values more;
///   over the keys: n keys more where n is small.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, a plan that the device cannot run, with .checked() values or out that it cannot reach.
/// - source: Blelloch 1990 (the operator on flagged values), and as segmented_inclusive_scan.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> In,
          detail::output_for<Policy> Out, detail::function_like Eq = segments::equal_keys,
          detail::function_like Op = detail::plus, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out inclusive_scan_by_key(Policy const& policy, Keys first, Keys last, In values, Out out,
                                   Eq equal = {}, Op op = {}, Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, decltype(dir)>(
      "inclusive_scan_by_key", policy, values, values + (last - first), segments::by_key(first, equal), out,
      op, detail::identity{});
}

/// Thrust's exclusive scan by key: out[i] = init op x[h] op ... op x[i - 1]; out[h] = init. Promises as
/// inclusive_scan_by_key.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n keys
/// \param values      n items x[i]
/// \param out         n results; may be values
/// \param init        what each segment's first item in scan order gets
/// \param equal       equal(a, b): whether two neighbouring keys are the same; by default ==
/// \param op          op(a, b) folds two values, associative; by default +
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> In,
          detail::output_for<Policy> Out, detail::no_direction Init,
          detail::function_like Eq = segments::equal_keys, detail::function_like Op = detail::plus,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out exclusive_scan_by_key(Policy const& policy, Keys first, Keys last, In values, Out out, Init init,
                                   Eq equal = {}, Op op = {}, Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::exclusive, decltype(dir)>(
      "exclusive_scan_by_key", policy, values, values + (last - first), segments::by_key(first, equal), out,
      op, detail::identity{}, init);
}

/// Thrust's exclusive scan by key with + from a value-initialised item (0). Promises as
/// inclusive_scan_by_key.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n keys, compared by ==
/// \param values      n items x[i]
/// \param out         n results; may be values
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> In,
          detail::output_for<Policy> Out>
SWEEP_HD Out exclusive_scan_by_key(Policy const& policy, Keys first, Keys last, In values, Out out) {
  return sweep::exclusive_scan_by_key(policy, first, last, values, out, detail::value_of<In>{});
}

/// The inclusive scan by key with the operator first, for keys that compare with ==: out[i] = x[h] op ... op
/// x[i]. Promises as inclusive_scan_by_key.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n keys, compared by ==
/// \param values      n items x[i]
/// \param out         n results; may be values
/// \param op          op(a, b) folds two values, associative; by default +
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> In,
          detail::output_for<Policy> Out, detail::function_like Op = detail::plus, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
SWEEP_HD Out segmented_scan_by_key(Policy const& policy, Keys first, Keys last, In values, Out out,
                                   Op op = {}, Dir dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, decltype(dir)>(
      "segmented_scan_by_key", policy, values, values + (last - first), segments::by_key(first), out, op,
      detail::identity{});
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto segmented_inclusive_scan =
    [](auto const&... all) -> decltype(sweep::segmented_inclusive_scan(all...)) {
  return sweep::segmented_inclusive_scan(all...);
};
inline constexpr auto segmented_exclusive_scan =
    [](auto const&... all) -> decltype(sweep::segmented_exclusive_scan(all...)) {
  return sweep::segmented_exclusive_scan(all...);
};
inline constexpr auto segmented_transform_inclusive_scan =
    [](auto const&... all) -> decltype(sweep::segmented_transform_inclusive_scan(all...)) {
  return sweep::segmented_transform_inclusive_scan(all...);
};
inline constexpr auto segmented_transform_exclusive_scan =
    [](auto const&... all) -> decltype(sweep::segmented_transform_exclusive_scan(all...)) {
  return sweep::segmented_transform_exclusive_scan(all...);
};
inline constexpr auto inclusive_scan_by_key =
    [](auto const&... all) -> decltype(sweep::inclusive_scan_by_key(all...)) {
  return sweep::inclusive_scan_by_key(all...);
};
inline constexpr auto exclusive_scan_by_key =
    [](auto const&... all) -> decltype(sweep::exclusive_scan_by_key(all...)) {
  return sweep::exclusive_scan_by_key(all...);
};
inline constexpr auto segmented_scan_by_key =
    [](auto const&... all) -> decltype(sweep::segmented_scan_by_key(all...)) {
  return sweep::segmented_scan_by_key(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto segmented_inclusive_scan(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("segmented_inclusive_scan",
                                        detail::canonical::segmented_inclusive_scan, first, rest...);
}
template <class First, class... Rest>
auto segmented_exclusive_scan(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("segmented_exclusive_scan",
                                        detail::canonical::segmented_exclusive_scan, first, rest...);
}
template <class First, class... Rest>
auto segmented_transform_inclusive_scan(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("segmented_transform_inclusive_scan",
                                        detail::canonical::segmented_transform_inclusive_scan, first,
                                        rest...);
}
template <class First, class... Rest>
auto segmented_transform_exclusive_scan(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("segmented_transform_exclusive_scan",
                                        detail::canonical::segmented_transform_exclusive_scan, first,
                                        rest...);
}
template <class First, class... Rest>
auto inclusive_scan_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("inclusive_scan_by_key", detail::canonical::inclusive_scan_by_key,
                                        first, rest...);
}
template <class First, class... Rest>
auto exclusive_scan_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("exclusive_scan_by_key", detail::canonical::exclusive_scan_by_key,
                                        first, rest...);
}
template <class First, class... Rest>
auto segmented_scan_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("segmented_scan_by_key", detail::canonical::segmented_scan_by_key,
                                        first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
