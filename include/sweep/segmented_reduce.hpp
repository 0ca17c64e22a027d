// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTED_REDUCE_HPP
#define SWEEP_SEGMENTED_REDUCE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/segmented_reduce/dispatch.hpp>
#include <sweep/pair.hpp>
#include <sweep/segments.hpp>

#include <utility>

/// \file
/// Segmented reductions: the fold of every segment, all at once, one result a segment.

/// \defgroup segmented_reduce Segmented reductions
/// `#include <sweep/segmented_reduce.hpp>`: the fold of every segment, all at once, one result a segment.
/// Below x[i] is item i of [first, last), n = last - first, and segment s is the items x[a], ..., x[b].
///
/// - **segments**: sweep/segments.hpp. By offsets or lengths there is a result for every segment, and that of
///   an empty one is the initial value. By keys, flags or bits there is a result for every segment found.
/// - **backward**: `sweep::backward` as the last argument folds each segment from its last item to its first.
/// - **types**: any random-access iterators; folds are made in the initial value's type, or in the items'
///   where there is none. It must be default constructible, and on the device trivially copyable.
/// - **determinism** of what says "the same bits on every run": on one architecture with one plan, for one
///   placement of first within 16 bytes, on any number of host threads, for every operator.
/// - **scratch** is device memory from the policy's source.
/// - **exceptions** of an operator or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup segmented_reduce
/// @{

/// Fold of every segment: out[s] = init op x[a] op ... op x[b]; backward init op x[b] op ... op x[a].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         a result for each segment
/// \param init        the first operand of each, and the result of an empty segment
/// \param op          op(a, b) folds two values
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + number of segments
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, its operands keep their order, and it is
///   never called on items of two segments.
/// - aliasing: out overlaps nothing else.
/// - waiting: by offsets or lengths never, but with .checked(); by keys, flags or bits for the number of
///   segments, which segmented_reduce_into does not.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: O(n + segments) whatever their lengths; each item is read once.
/// - scratch: as a segmented scan: less than 1 % of the input and 64 KiB, and n / 8 bytes where heads
///   are not bits already; by lengths 8 bytes a segment; by offsets or lengths of large inputs some more for
///   every hundred items, and with a variant or a plan 8 bytes a segment.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too few head bits, too little
///   scratch, with .checked() offsets or lengths that do not fit n items, and by keys, flags or bits a first
///   that the device cannot reach.
/// - source: a segmented scan (Blelloch 1990) that counts segment starts and writes at segment ends; on the
///   device by offsets a group of lanes a segment (docs/segments.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::no_direction Init, detail::function_like Op,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
SWEEP_HD Out segmented_reduce(Policy const& policy, In first, In last, Segments segments, Out out, Init init,
                              Op op, Dir dir = {}) {
  if constexpr (detail::has_own_count<Segments>) {
    detail::segmented_reduce_to<decltype(dir)>("segmented_reduce", policy, first, last, segments, out, init,
                                               op, detail::identity{}, detail::no_count{});
    return out + segments.count;
  } else {
    return out + detail::segmented_reduce_counted<decltype(dir)>("segmented_reduce", policy, first, last,
                                                                 segments, out, init, op, detail::identity{});
  }
}

/// Sum of every segment and init: out[s] = init + x[a] + ... + x[b]. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         a result for each segment
/// \param init        the first operand of each, and the result of an empty segment
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + number of segments
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
SWEEP_HD Out segmented_reduce(Policy const& policy, In first, In last, Segments segments, Out out, Init init,
                              Dir dir = {}) {
  return sweep::segmented_reduce(policy, first, last, segments, out, init, detail::plus{}, dir);
}

/// Sum of every segment, from a value-initialised item (0) on. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         a result for each segment
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + number of segments
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out segmented_reduce(Policy const& policy, In first, In last, Segments segments, Out out,
                              Dir dir = {}) {
  return sweep::segmented_reduce(policy, first, last, segments, out, detail::value_of<In>{}, detail::plus{},
                                 dir);
}

/// Fold of every segment, by keys, flags or bits, and how many there are: out[s] = init op x[a] op ... op
/// x[b], *count = number of segments.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, by keys, head flags or head bits
/// \param out         a result for each segment found
/// \param count       one integer
/// \param init        the first operand of each
/// \param op          op(a, b) folds two values
/// \param dir         forward, or backward: from the last item of each segment to its first
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, its operands keep their order, and it is
///   never called on items of two segments.
/// - aliasing: out and count overlap nothing else.
/// - waiting: never; can be captured in a graph.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: O(n); each item is read once.
/// - scratch: less than 1 % of the input and 64 KiB, and n / 8 bytes where heads are not bits already.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too few head bits, too little
///   scratch, with .checked() a first that the device cannot reach.
/// - source: as segmented_reduce: a segmented scan (Blelloch 1990) that writes at segment ends.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::output_for<Policy> CountOut, detail::no_direction Init,
          detail::function_like Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
SWEEP_HD void segmented_reduce_into(Policy const& policy, In first, In last, Segments segments, Out out,
                                    CountOut count, Init init, Op op, Dir dir = {}) {
  static_assert(
      !detail::has_own_count<Segments>,
      "sweep: offsets and lengths say how many segments there are; segmented_reduce never waits for them");
  auto const to = detail::unwrapped(count);
  detail::segmented_reduce_to<decltype(dir)>("segmented_reduce_into", policy, first, last, segments, out,
                                             init, op, detail::identity{},
                                             detail::written_count<std::remove_const_t<decltype(to)>>{to});
}

/// Fold of every segment of f(x[0]), f(x[1]), ..., f being `unary`, by offsets or lengths: out[s] = init op
/// f(x[a]) op ... op f(x[b]).
///
/// Items may be their own numbers: of counting iterators (std::views::iota, thrust::counting_iterator) this
/// is a fold of any function of an index, which nothing need be stored for. A sparse product is one: f(k) =
/// values[k] * x[columns[k]].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    of the n items, by offsets or lengths
/// \param out         a result for each segment; a range that has fewer places is refused
/// \param init        the first operand of each, and the result of an empty segment
/// \param op          op(a, b) folds two values
/// \param unary       what is folded of an item: unary(x[i])
/// \param dir         forward, or backward: from the last item of each segment to its first
/// \return            out + number of segments
///
/// \par Promises
/// - order, aliasing, determinism, complexity, scratch, errors and source: as segmented_reduce by offsets.
/// - waiting: never, but with .checked(); can be captured in a graph.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::no_direction Init, detail::function_like Op,
          detail::function_like Unary, class Dir = forward_t>
  requires(detail::has_own_count<Segments>)
SWEEP_HD Out segmented_transform_reduce(Policy const& policy, In first, In last, Segments segments, Out out,
                                        Init init, Op op, Unary unary, Dir dir = {}) {
  detail::segmented_reduce_to<decltype(dir)>("segmented_transform_reduce", policy, first, last, segments, out,
                                             init, op, unary, detail::no_count{});
  return out + segments.count;
}

/// Thrust's reduction by key: for each run of equal neighbouring keys its first key, and the fold of the
/// run's values.
///
/// \param policy               where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last n keys
/// \param values               n items
/// \param keys_out             a key for each run
/// \param out                  a result for each run
/// \param equal                equal(a, b): whether two neighbouring keys are the same; by default ==
/// \param op                   op(a, b) folds two values; by default +
/// \return                     keys_out and out, each + number of runs
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, its operands keep their order, and it is
///   never called on items of two runs.
/// - aliasing: outputs overlap nothing else.
/// - waiting: for the number of runs, which reduce_by_key_into does not.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: O(n) calls of equal and op; each key and each item is read once.
/// - scratch: less than 1 % of the keys and items, and 64 KiB.
/// - errors: cuda_error; bad_argument for keys_last before keys_first, a null pointer, too little scratch,
///   with .checked() a range that the device cannot reach.
/// - source: a segmented scan (Blelloch 1990) that writes where the next run begins; on the device one pass
///   over keys and items, whose brackets do not depend on where in memory these begin.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> In,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> Out,
          detail::function_like Eq = segments::equal_keys, detail::function_like Op = detail::plus>
SWEEP_HD pair<KeysOut, Out> reduce_by_key(Policy const& policy, Keys keys_first, Keys keys_last, In values,
                                          KeysOut keys_out, Out out, Eq equal = {}, Op op = {}) {
  if (keys_first == keys_last) return {keys_out, out};
  auto const found = detail::reduce_by_key_counted("reduce_by_key", policy, keys_first, keys_last, values,
                                                   keys_out, out, equal, op);
  return {keys_out + found, out + found};
}

/// reduce_by_key that writes how many runs there are, *count = number of runs, and never waits. Other
/// promises as reduce_by_key.
///
/// \param policy               where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last n keys
/// \param values               n items
/// \param keys_out             a key for each run
/// \param out                  a result for each run
/// \param count                one integer
/// \param equal                equal(a, b): whether two neighbouring keys are the same; by default ==
/// \param op                   op(a, b) folds two values, associative; by default +
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> In,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> Out,
          detail::output_for<Policy> CountOut, detail::function_like Eq = segments::equal_keys,
          detail::function_like Op = detail::plus>
SWEEP_HD void reduce_by_key_into(Policy const& policy, Keys keys_first, Keys keys_last, In values,
                                 KeysOut keys_out, Out out, CountOut count, Eq equal = {}, Op op = {}) {
  detail::reduce_by_key_to("reduce_by_key_into", policy, keys_first, keys_last, values, keys_out, out, count,
                           equal, op);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto segmented_reduce = [](auto const&... all) -> decltype(sweep::segmented_reduce(all...)) {
  return sweep::segmented_reduce(all...);
};
inline constexpr auto segmented_reduce_into =
    [](auto const&... all) -> decltype(sweep::segmented_reduce_into(all...)) {
  return sweep::segmented_reduce_into(all...);
};
inline constexpr auto segmented_transform_reduce =
    [](auto const&... all) -> decltype(sweep::segmented_transform_reduce(all...)) {
  return sweep::segmented_transform_reduce(all...);
};
inline constexpr auto reduce_by_key = [](auto const&... all) -> decltype(sweep::reduce_by_key(all...)) {
  return sweep::reduce_by_key(all...);
};
inline constexpr auto reduce_by_key_into =
    [](auto const&... all) -> decltype(sweep::reduce_by_key_into(all...)) {
  return sweep::reduce_by_key_into(all...);
};

/// An output that is a range has a place for each segment, where their number is known.
inline constexpr auto has_segments = [](auto const& input, auto const& segments, auto& out, auto&...) {
  input.require_room("out", out, told_count(segments));
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto segmented_reduce(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2>("segmented_reduce", detail::canonical::has_segments,
                                          detail::canonical::segmented_reduce, first, rest...);
}
template <class First, class... Rest>
auto segmented_reduce_into(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::segmented_reduce_into, first, rest...);
}
template <class First, class... Rest>
auto segmented_transform_reduce(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2>("segmented_transform_reduce", detail::canonical::has_segments,
                                          detail::canonical::segmented_transform_reduce, first, rest...);
}
template <class First, class... Rest>
auto reduce_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<3, 1>("reduce_by_key", detail::canonical::reduce_by_key, first, rest...);
}
template <class First, class... Rest>
auto reduce_by_key_into(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<4, 1>("reduce_by_key_into", detail::canonical::reduce_by_key_into, first,
                                           rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
