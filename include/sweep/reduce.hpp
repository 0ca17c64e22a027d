// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_REDUCE_HPP
#define SWEEP_REDUCE_HPP

#include <sweep/detail/reduce/dispatch.hpp>

/// \file
/// Reductions: the fold of all items, init op x[0] op x[1] op ... .
///
/// Common to all of them:
/// - **order**: the operator must be associative; it need not be commutative, and its operands keep their
///   order (variant::atomic and variant::shared_atomic need a commutative one).
/// - **types**: any random-access iterators. The result is what the operator makes of (init, item), decayed;
///   on the device it must be trivially copyable and default constructible.
/// - **waiting**: reduce and transform_reduce return a value: on the device they wait for it. reduce_into and
///   transform_reduce_into write it through an iterator, never wait and can be captured in a CUDA graph.
/// - **determinism**: the same bits on every run on one model of device, on any number of host threads, for
///   every operator (variant::atomic and variant::shared_atomic: only for operators that are exactly
///   associative).
/// - **complexity**: O(n) of both operators; each item is read once.
/// - **scratch**: less than 64 KiB from the policy's source.
/// - **errors**: bad_argument: last before first, a null pointer, scratch too small, with .checked() a
///   pointer that the device cannot reach. cuda_error: what CUDA reports.
/// - **source**: Harris, Optimizing Parallel Reduction in CUDA, for the variants; the last block folds the
///   blocks' parts.

namespace sweep {

/// init op x[0] op x[1] op ... op x[n - 1]; init for an empty range.
template <detail::policy Policy, class In, class Init, class Op>
auto reduce(Policy const& policy, In first, In last, Init init, Op op) {
  return detail::reduce_value("reduce", policy, first, last, init, op, detail::identity{});
}
template <detail::policy Policy, class In, class Init>
auto reduce(Policy const& policy, In first, In last, Init init) {
  return sweep::reduce(policy, first, last, init, detail::plus{});
}
/// The initial value is a value-initialised item.
template <detail::policy Policy, class In>
auto reduce(Policy const& policy, In first, In last) {
  return sweep::reduce(policy, first, last, detail::value_of<In>{}, detail::plus{});
}

/// The same, written to *out. Returns out + 1.
template <detail::policy Policy, class In, class Out, class Init, class Op>
Out reduce_into(Policy const& policy, In first, In last, Out out, Init init, Op op) {
  return detail::reduce_to("reduce_into", policy, first, last, out, init, op, detail::identity{});
}
template <detail::policy Policy, class In, class Out, class Init>
Out reduce_into(Policy const& policy, In first, In last, Out out, Init init) {
  return sweep::reduce_into(policy, first, last, out, init, detail::plus{});
}
template <detail::policy Policy, class In, class Out>
Out reduce_into(Policy const& policy, In first, In last, Out out) {
  return sweep::reduce_into(policy, first, last, out, detail::value_of<In>{}, detail::plus{});
}

/// init op f(x[0]) op ... op f(x[n - 1]). Arguments in the standard's order (init, op, unary), or in Thrust's
/// (unary, init, op) where the two can be told apart.
template <detail::policy Policy, class In, class F, class G, class H>
  requires(!detail::is_range_start<F, In, G>)
auto transform_reduce(Policy const& policy, In first, In last, F f, G g, H h) {
  if constexpr (detail::thrust_order<F, H, In>)
    return detail::reduce_value("transform_reduce", policy, first, last, g, h, f);
  else return detail::reduce_value("transform_reduce", policy, first, last, f, g, h);
}

/// init op f(x[0], y[0]) op ... op f(x[n - 1], y[n - 1]): by default the inner product.
template <detail::policy Policy, class In1, class In2, class Init, class Op, class F>
auto transform_reduce(Policy const& policy, In1 first1, In1 last1, In2 first2, Init init, Op op, F f) {
  return detail::reduce_value("transform_reduce", policy, detail::zipped(first1, first2),
                              detail::zipped(last1, first2 + (last1 - first1)), init, op,
                              detail::apply_pair{detail::device_functor(f)});
}
template <detail::policy Policy, class In1, class In2, class Init>
auto transform_reduce(Policy const& policy, In1 first1, In1 last1, In2 first2, Init init) {
  return sweep::transform_reduce(policy, first1, last1, first2, init, detail::plus{}, detail::multiplies{});
}

/// transform_reduce written to *out. Returns out + 1.
template <detail::policy Policy, class In, class Out, class F, class G, class H>
Out transform_reduce_into(Policy const& policy, In first, In last, Out out, F f, G g, H h) {
  if constexpr (detail::thrust_order<F, H, In>)
    return detail::reduce_to("transform_reduce_into", policy, first, last, out, g, h, f);
  else return detail::reduce_to("transform_reduce_into", policy, first, last, out, f, g, h);
}

}  // namespace sweep

#endif
