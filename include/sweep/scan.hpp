// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SCAN_HPP
#define SWEEP_SCAN_HPP

#include <sweep/detail/scan/dispatch.hpp>

/// \file
/// Scans: item i of the output is the fold of the items up to it.
///
/// Common to all of them:
/// - **order**: the operator must be associative; it need not be commutative, and its operands keep their
///   order. `sweep::backward` as the last argument scans from the last item to the first: the same as the
///   forward scan over reverse iterators, item i of the output belonging to item i of the input.
/// - **types**: any random-access iterators, offset type std::ptrdiff_t. The accumulator is what the operator
///   makes of (initial value or item, item), decayed. On the device it must be trivially copyable and default
///   constructible; on `host` a type that is not runs in one loop.
/// - **aliasing**: `out` may be `first`; other overlaps are not allowed.
/// - **waiting**: never: on the device the call is ordered on the policy's stream and can be captured in a
///   graph (Thrust's synchronous policies wait, as they do in Thrust).
/// - **determinism**: the same bits on every run on one architecture with one plan (for one placement of
///   `out` within 16 bytes), on any number of host threads, for every operator. variant::decoupled_lookback
///   alone promises that only for operators that are exactly associative.
/// - **complexity**: n applications of the unary operator at least once and at most twice an item, O(n) of
///   the operator; each item is read once and written once (see sweep/variant.hpp for the variants that do
///   more).
/// - **scratch**: less than 0.1 % of the input and 64 KiB from the policy's source; scan_then_propagate may
///   need n values.
/// - **errors**: bad_argument: last before first, a null pointer, scratch too small, with .checked() a
///   pointer that the device cannot reach. cuda_error: what CUDA reports. Nothing is written then.
/// - **source**: ordered look-back: docs/lookback.md. decoupled_lookback: Merrill and Garland 2016. Others:
///   Hillis and Steele 1986, Blelloch 1990, Brent and Kung 1982, Sengupta et al. 2007, Dotsenko et al. 2008.

namespace sweep {

/// out[i] = x[0] op x[1] op ... op x[i]. Returns the end of the output.
template <detail::policy Policy, class In, class Out, class Dir = forward_t>
  requires detail::is_direction<Dir> Out inclusive_scan(Policy const& policy, In first, In last, Out out,
                                                        Dir = {}) {
    return detail::scan<detail::scan_kind::inclusive, Dir>("inclusive_scan", policy, first, last, out,
                                                           detail::plus{}, detail::identity{});
  }

/// The same with an operator.
template <detail::policy Policy, class In, class Out, class Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out inclusive_scan(Policy const& policy, In first, In last, Out out, Op op, Dir = {}) {
  return detail::scan<detail::scan_kind::inclusive, Dir>("inclusive_scan", policy, first, last, out, op,
                                                         detail::identity{});
}

/// out[i] = init op x[0] op ... op x[i]. Arguments in the standard's order (op, init), or in Thrust's (init,
/// op).
template <detail::policy Policy, class In, class Out, class Op, class Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
Out inclusive_scan(Policy const& policy, In first, In last, Out out, Op op, Init init, Dir = {}) {
  if constexpr (detail::init_first<Op, Init, In>)
    return detail::scan<detail::scan_kind::inclusive, Dir>("inclusive_scan", policy, first, last, out, init,
                                                           detail::identity{}, op);
  else
    return detail::scan<detail::scan_kind::inclusive, Dir>("inclusive_scan", policy, first, last, out, op,
                                                           detail::identity{}, init);
}

/// out[i] = init op x[0] op ... op x[i - 1]; out[0] = init. Returns the end of the output.
template <detail::policy Policy, class In, class Out, class Init, class Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out exclusive_scan(Policy const& policy, In first, In last, Out out, Init init, Op op, Dir = {}) {
  return detail::scan<detail::scan_kind::exclusive, Dir>("exclusive_scan", policy, first, last, out, op,
                                                         detail::identity{}, init);
}

/// The sum of what comes before each item.
template <detail::policy Policy, class In, class Out, class Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
Out exclusive_scan(Policy const& policy, In first, In last, Out out, Init init, Dir dir = {}) {
  return sweep::exclusive_scan(policy, first, last, out, init, detail::plus{}, dir);
}

/// The initial value is a value-initialised item, as in Thrust.
template <detail::policy Policy, class In, class Out, class Dir = forward_t>
  requires detail::is_direction<Dir> Out exclusive_scan(Policy const& policy, In first, In last, Out out,
                                                        Dir dir = {}) {
    return sweep::exclusive_scan(policy, first, last, out, detail::value_of<In>{}, detail::plus{}, dir);
  }

/// out[i] = f(x[0]) op ... op f(x[i]). Arguments in the standard's order (op, unary), or in Thrust's (unary,
/// op) where the two can be told apart.
template <detail::policy Policy, class In, class Out, class F, class G, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<G>)
Out transform_inclusive_scan(Policy const& policy, In first, In last, Out out, F f, G g, Dir = {}) {
  if constexpr (detail::thrust_order<F, G, In>)
    return detail::scan<detail::scan_kind::inclusive, Dir>("transform_inclusive_scan", policy, first, last,
                                                           out, g, f);
  else
    return detail::scan<detail::scan_kind::inclusive, Dir>("transform_inclusive_scan", policy, first, last,
                                                           out, f, g);
}

/// out[i] = init op f(x[0]) op ... op f(x[i]). The standard's order (op, unary, init), or Thrust's (unary,
/// init, op).
template <detail::policy Policy, class In, class Out, class F, class G, class H, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<H>)
Out transform_inclusive_scan(Policy const& policy, In first, In last, Out out, F f, G g, H h, Dir = {}) {
  if constexpr (detail::thrust_order<F, H, In>)
    return detail::scan<detail::scan_kind::inclusive, Dir>("transform_inclusive_scan", policy, first, last,
                                                           out, h, f, g);
  else
    return detail::scan<detail::scan_kind::inclusive, Dir>("transform_inclusive_scan", policy, first, last,
                                                           out, f, g, h);
}

/// out[i] = init op f(x[0]) op ... op f(x[i - 1]); out[0] = init. The standard's order (init, op, unary), or
/// Thrust's (unary, init, op).
template <detail::policy Policy, class In, class Out, class F, class G, class H, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<H>)
Out transform_exclusive_scan(Policy const& policy, In first, In last, Out out, F f, G g, H h, Dir = {}) {
  if constexpr (detail::thrust_order<F, H, In>)
    return detail::scan<detail::scan_kind::exclusive, Dir>("transform_exclusive_scan", policy, first, last,
                                                           out, h, f, g);
  else
    return detail::scan<detail::scan_kind::exclusive, Dir>("transform_exclusive_scan", policy, first, last,
                                                           out, g, h, f);
}

}  // namespace sweep

#endif
