// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SCAN_HPP
#define SWEEP_SCAN_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/scan/dispatch.hpp>

#include <cstddef>

/// \file
/// Scans: item i of the output is the fold of the items up to it.

/// \defgroup scan Scans
/// `#include <sweep/scan.hpp>`: item i of the output is the fold of the items up to it. Below x[i] is item i
/// of [first, last), and n = last - first.
///
/// - **types**: any random-access iterators, difference type std::ptrdiff_t. The accumulator is what the
///   operator makes of (initial value or item, item), decayed, and of numbers no narrower than the first of
///   those: bytes are summed in ints. A `[] __device__` lambda without `-> type` does not show what it makes;
///   then it is the initial value's type, or the output's. It must be default constructible, and on the
///   device trivially copyable, or proclaimed trivially relocatable; on `host` a type that is not is scanned
///   in one loop.
/// - **backward**: `sweep::backward` as the last argument scans from the last item to the first: the same as
///   the forward scan over reverse iterators, item i of the output belonging to item i of the input.
/// - **determinism** of what says "the same bits on every run": on one architecture with one plan, for one
///   placement of out within 16 bytes, on any number of host threads, for every operator.
/// - **traffic** is what the default's is; sweep/variant.hpp has variants that read or write more.
/// - **scratch** is device memory from the policy's source.
/// - **Thrust's policies** that synchronise wait, as they do in Thrust; sweep's own never do.
/// - **exceptions** of an operator or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup scan
/// @{

/// Inclusive scan with an initial value: out[i] = init op x[0] op ... op x[i].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results
/// \param op          op(a, b) folds two values; (op, init) is the standard's order, (init, op), which is
///                    Thrust's, is understood too
/// \param init        folded in before the first item
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: out may be first; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: O(n) calls of op; each item is read once, each result written once.
/// - scratch: less than 0.1 % of the input (1 % for values of more than 16 bytes) and 64 KiB;
///   scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, a plan that the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: docs/lookback.md; decoupled_lookback: Merrill and Garland 2016; within a tile: Hillis and Steele
///   1986, Blelloch 1990, Brent and Kung 1982, Sengupta et al. 2007, Dotsenko et al. 2008.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Op, detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
SWEEP_HD Out inclusive_scan(Policy const& policy, In first, In last, Out out, Op op, Init init,
                            Dir dir = {}) {
  using towards = decltype(dir);
  if constexpr (detail::init_first<Op, Init, In>)
    return detail::scan<detail::scan_kind::inclusive, towards>("inclusive_scan", policy, first, last, out,
                                                               init, detail::identity{}, op);
  else
    return detail::scan<detail::scan_kind::inclusive, towards>("inclusive_scan", policy, first, last, out, op,
                                                               detail::identity{}, init);
}

/// Inclusive scan without an initial value: out[i] = x[0] op ... op x[i]. Promises as with one.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results; may be first
/// \param op          op(a, b), associative
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
SWEEP_HD Out inclusive_scan(Policy const& policy, In first, In last, Out out, Op op, Dir dir = {}) {
  return detail::scan<detail::scan_kind::inclusive, decltype(dir)>("inclusive_scan", policy, first, last, out,
                                                                   op, detail::identity{});
}

/// Inclusive scan with +: out[i] = x[0] + ... + x[i]. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results; may be first
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out inclusive_scan(Policy const& policy, In first, In last, Out out, Dir dir = {}) {
  return detail::scan<detail::scan_kind::inclusive, decltype(dir)>("inclusive_scan", policy, first, last, out,
                                                                   detail::plus{}, detail::identity{});
}

/// Exclusive scan: out[i] = init op x[0] op ... op x[i - 1]; out[0] = init.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results
/// \param init        what the first item in scan order gets, folded in before all items
/// \param op          op(a, b) folds two values
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: out may be first; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: O(n) calls of op; each item is read once, each result written once.
/// - scratch: less than 0.1 % of the input (1 % for values of more than 16 bytes) and 64 KiB;
///   scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, a plan that the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: as inclusive_scan: docs/lookback.md and the variants' papers.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Init, detail::no_direction Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
SWEEP_HD Out exclusive_scan(Policy const& policy, In first, In last, Out out, Init init, Op op,
                            Dir dir = {}) {
  return detail::scan<detail::scan_kind::exclusive, decltype(dir)>("exclusive_scan", policy, first, last, out,
                                                                   op, detail::identity{}, init);
}

/// Exclusive scan with +: the sum of init and what comes before each item. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results; may be first
/// \param init        what the first item in scan order gets
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
SWEEP_HD Out exclusive_scan(Policy const& policy, In first, In last, Out out, Init init, Dir dir = {}) {
  return sweep::exclusive_scan(policy, first, last, out, init, detail::plus{}, dir);
}

/// Exclusive scan with + from a value-initialised item (0), as in Thrust. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results; may be first
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out exclusive_scan(Policy const& policy, In first, In last, Out out, Dir dir = {}) {
  return sweep::exclusive_scan(policy, first, last, out, detail::value_of<In>{}, detail::plus{}, dir);
}

/// Inclusive scan of f(x[0]), f(x[1]), ..., f being `unary`, with an initial value:
/// out[i] = init op f(x[0]) op ... op f(x[i]).
///
/// Thrust's order, (unary, init, op), is known by its first argument: that takes one item, and not two.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results
/// \param op          op(a, b) folds two values
/// \param unary       what is folded of an item: unary(x[i])
/// \param init        folded in before the first item
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: out may be first; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: unary once or twice an item, O(n) calls of op; each item read, each result written once.
/// - scratch: less than 0.1 % of the input (1 % for values of more than 16 bytes) and 64 KiB;
///   scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, a plan that the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: as inclusive_scan: docs/lookback.md and the variants' papers.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Op, detail::no_direction Unary, detail::no_direction Init,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
SWEEP_HD Out transform_inclusive_scan(Policy const& policy, In first, In last, Out out, Op op, Unary unary,
                                      Init init, Dir dir = {}) {
  using towards = decltype(dir);
  if constexpr (detail::thrust_order<Op, Init, In>)  // they are (unary, init, op)
    return detail::scan<detail::scan_kind::inclusive, towards>("transform_inclusive_scan", policy, first,
                                                               last, out, init, op, unary);
  else
    return detail::scan<detail::scan_kind::inclusive, towards>("transform_inclusive_scan", policy, first,
                                                               last, out, op, unary, init);
}

/// Inclusive scan of f(x[0]), f(x[1]), ..., f being `unary`: out[i] = f(x[0]) op ... op f(x[i]). Promises as
/// with an initial value.
///
/// Thrust's order, (unary, op), is known by its first argument: that takes one item, and not two.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results; may be first
/// \param op          op(a, b), associative
/// \param unary       what is folded of an item: unary(x[i])
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Op, detail::no_direction Unary, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Unary>)
SWEEP_HD Out transform_inclusive_scan(Policy const& policy, In first, In last, Out out, Op op, Unary unary,
                                      Dir dir = {}) {
  using towards = decltype(dir);
  if constexpr (detail::thrust_order<Op, Unary, In, false>)  // they are (unary, op)
    return detail::scan<detail::scan_kind::inclusive, towards>("transform_inclusive_scan", policy, first,
                                                               last, out, unary, op);
  else
    return detail::scan<detail::scan_kind::inclusive, towards>("transform_inclusive_scan", policy, first,
                                                               last, out, op, unary);
}

/// Exclusive scan of f(x[0]), f(x[1]), ..., f being `unary`: out[i] = init op f(x[0]) op ... op f(x[i - 1]);
/// out[0] = init.
///
/// Thrust's order, (unary, init, op), is known by its first argument: that takes one item, and not two.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results
/// \param init        what the first item in scan order gets, folded in before all items
/// \param op          op(a, b) folds two values
/// \param unary       what is folded of an item: unary(x[i])
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order.
/// - aliasing: out may be first; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run; decoupled_lookback: only where op is exactly associative.
/// - complexity: unary once or twice an item, O(n) calls of op; each item read, each result written once.
/// - scratch: less than 0.1 % of the input (1 % for values of more than 16 bytes) and 64 KiB;
///   scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, a plan that the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: as inclusive_scan: docs/lookback.md and the variants' papers.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Init, detail::no_direction Op, detail::no_direction Unary,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Unary>)
SWEEP_HD Out transform_exclusive_scan(Policy const& policy, In first, In last, Out out, Init init, Op op,
                                      Unary unary, Dir dir = {}) {
  using towards = decltype(dir);
  if constexpr (detail::thrust_order<Init, Unary, In>)  // they are (unary, init, op)
    return detail::scan<detail::scan_kind::exclusive, towards>("transform_exclusive_scan", policy, first,
                                                               last, out, unary, init, op);
  else
    return detail::scan<detail::scan_kind::exclusive, towards>("transform_exclusive_scan", policy, first,
                                                               last, out, op, unary, init);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto inclusive_scan = [](auto const&... all) -> decltype(sweep::inclusive_scan(all...)) {
  return sweep::inclusive_scan(all...);
};
inline constexpr auto exclusive_scan = [](auto const&... all) -> decltype(sweep::exclusive_scan(all...)) {
  return sweep::exclusive_scan(all...);
};
inline constexpr auto transform_inclusive_scan =
    [](auto const&... all) -> decltype(sweep::transform_inclusive_scan(all...)) {
  return sweep::transform_inclusive_scan(all...);
};
inline constexpr auto transform_exclusive_scan =
    [](auto const&... all) -> decltype(sweep::transform_exclusive_scan(all...)) {
  return sweep::transform_exclusive_scan(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto inclusive_scan(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("inclusive_scan", detail::canonical::inclusive_scan, first, rest...);
}
template <class First, class... Rest>
auto exclusive_scan(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("exclusive_scan", detail::canonical::exclusive_scan, first, rest...);
}
template <class First, class... Rest>
auto transform_inclusive_scan(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("transform_inclusive_scan",
                                        detail::canonical::transform_inclusive_scan, first, rest...);
}
template <class First, class... Rest>
auto transform_exclusive_scan(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("transform_exclusive_scan",
                                        detail::canonical::transform_exclusive_scan, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
