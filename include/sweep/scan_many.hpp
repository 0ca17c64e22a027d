// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SCAN_MANY_HPP
#define SWEEP_SCAN_MANY_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/axes/ranges.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/strided.hpp>

/// \file
/// Scans of many ranges at once, each with a place and a length of its own.

/// \defgroup scan_many Many ranges at once
/// `#include <sweep/scan_many.hpp>`: scans of many ranges in one launch, each with a place and a length of
/// its own, which the host need not know. Where ranges follow each other in one array, segments
/// (sweep/segments.hpp) say the same; where all are of one length and stand equally far apart, they are lines
/// of an array (sweep/axes.hpp). Below x[i] is item i of a range, and n how many it has.
///
/// - **lengths**: any, and in any mixture; made for thousands of ranges of up to some thousand items. A very
///   long one among them is scanned by one thread block, or one host thread: give that to a call of its own.
/// - **types**: as those of the flat scans (sweep/scan.hpp); all ranges have the same iterators.
/// - **exceptions** of an operator or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup scan_many
/// @{

/// Inclusive scan of many ranges, with an initial value: of each out[i] = init op x[0] op ... op x[i].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  ranges, of sweep::scan_range; on the device they stand where it can read them
/// \param op          op(a, b), associative
/// \param init        what stands before the first item of each range
/// \param dir         forward, or backward: from the last item of a range to its first
/// \return            last
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: a range's results may stand where its items do; nothing else may overlap them.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph: ranges are read
///   when it runs.
/// - determinism: the same bits on every run. On the device they depend on the length of a range and the
///   types, on `host` each range is one chain of operations, as on `seq`.
/// - complexity: O(items) calls of op; each item is read once, each result written once, in one launch.
/// - scratch: none.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, with
///   .checked() a pointer to the ranges that the device cannot reach. What ranges point to is not looked at.
/// - source: docs/axes.md.
template <detail::policy Policy, detail::iterator_for<Policy> Ranges, detail::function_like Op,
          detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Ranges inclusive_scan_many(Policy const& policy, Ranges first, Ranges last, Op op, Init init, Dir dir = {}) {
  detail::scan_ranges<detail::line_result::inclusive, decltype(dir)>("inclusive_scan_many", policy, first,
                                                                     last, op, init);
  return last;
}

/// Inclusive scan of many ranges: of each out[i] = x[0] op ... op x[i]. Promises as with an initial value.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  ranges, of sweep::scan_range
/// \param op          op(a, b), associative
/// \param dir         forward, or backward: from the last item of a range to its first
/// \return            last
template <detail::policy Policy, detail::iterator_for<Policy> Ranges, detail::function_like Op,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Ranges inclusive_scan_many(Policy const& policy, Ranges first, Ranges last, Op op, Dir dir = {}) {
  detail::scan_ranges<detail::line_result::inclusive, decltype(dir)>("inclusive_scan_many", policy, first,
                                                                     last, op);
  return last;
}

/// Inclusive scan with + of many ranges. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  ranges, of sweep::scan_range
/// \param dir         forward, or backward: from the last item of a range to its first
/// \return            last
template <detail::policy Policy, detail::iterator_for<Policy> Ranges, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Ranges inclusive_scan_many(Policy const& policy, Ranges first, Ranges last, Dir dir = {}) {
  detail::scan_ranges<detail::line_result::inclusive, decltype(dir)>("inclusive_scan_many", policy, first,
                                                                     last, detail::plus{});
  return last;
}

/// Exclusive scan of many ranges: of each out[i] = init op x[0] op ... op x[i - 1]; out[0] = init.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  ranges, of sweep::scan_range; on the device they stand where it can read them
/// \param init        what stands before the first item of each range
/// \param op          op(a, b), associative
/// \param dir         forward, or backward: from the last item of a range to its first
/// \return            last
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: a range's results may stand where its items do; nothing else may overlap them.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph: ranges are read
///   when it runs.
/// - determinism: the same bits on every run. On the device they depend on the length of a range and the
///   types, on `host` each range is one chain of operations, as on `seq`.
/// - complexity: O(items) calls of op; each item is read once, each result written once, in one launch.
/// - scratch: none.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, with
///   .checked() a pointer to the ranges that the device cannot reach. What ranges point to is not looked at.
/// - source: docs/axes.md.
template <detail::policy Policy, detail::iterator_for<Policy> Ranges, detail::no_direction Init,
          detail::function_like Op, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Ranges exclusive_scan_many(Policy const& policy, Ranges first, Ranges last, Init init, Op op, Dir dir = {}) {
  detail::scan_ranges<detail::line_result::exclusive, decltype(dir)>("exclusive_scan_many", policy, first,
                                                                     last, op, init);
  return last;
}

/// Exclusive scan with + of many ranges. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  ranges, of sweep::scan_range
/// \param init        what stands before the first item of each range
/// \param dir         forward, or backward: from the last item of a range to its first
/// \return            last
template <detail::policy Policy, detail::iterator_for<Policy> Ranges, detail::no_direction Init,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Ranges exclusive_scan_many(Policy const& policy, Ranges first, Ranges last, Init init, Dir dir = {}) {
  detail::scan_ranges<detail::line_result::exclusive, decltype(dir)>("exclusive_scan_many", policy, first,
                                                                     last, detail::plus{}, init);
  return last;
}

/// Ranges whose beginnings, lengths and results are said by three ranges, as an iterator over
/// sweep::scan_range.
///
/// \param inputs   where each begins: iterators
/// \param counts   how many items each has: integers
/// \param outputs  where the results of each go: iterators
/// \return         the first of the ranges; the end is so many further
template <class Inputs, class Counts, class Outputs>
auto scan_ranges(Inputs inputs, Counts counts, Outputs outputs) {
  static_assert(std::is_integral_v<detail::value_of<Counts>>, "sweep: lengths must be integers");
  using read = detail::read_scan_range<detail::unwrapped_t<Inputs>, detail::unwrapped_t<Counts>,
                                       detail::unwrapped_t<Outputs>>;
  using range = scan_range<detail::value_of<Inputs>, detail::value_of<Outputs>>;
  return detail::reader<range, read>{
      {detail::unwrapped(inputs), detail::unwrapped(counts), detail::unwrapped(outputs)}};
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto inclusive_scan_many =
    [](auto const&... all) -> decltype(sweep::inclusive_scan_many(all...)) {
  return sweep::inclusive_scan_many(all...);
};
inline constexpr auto exclusive_scan_many =
    [](auto const&... all) -> decltype(sweep::exclusive_scan_many(all...)) {
  return sweep::exclusive_scan_many(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto inclusive_scan_many(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::inclusive_scan_many, first, rest...);
}
template <class First, class... Rest>
auto exclusive_scan_many(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::exclusive_scan_many, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
