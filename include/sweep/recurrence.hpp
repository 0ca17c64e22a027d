// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_RECURRENCE_HPP
#define SWEEP_RECURRENCE_HPP

#include <sweep/axes.hpp>
#include <sweep/detail/axes/recurrence.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/strided.hpp>

/// \file
/// First-order linear recurrences: y[i] = a[i] y[i - 1] + x[i].

/// \defgroup recurrence Linear recurrences
/// `#include <sweep/recurrence.hpp>`: y[i] = a[i] y[i - 1] + x[i] along every line of an array: filters,
/// discounted sums, the state of a selective state-space layer, compound interest. It is the scan of the
/// affine maps y -> a[i] y + x[i], in one pass. a, x and y are of anything that has + and *, the product
/// being a[i] y: numbers, complex numbers, small matrices and vectors of one type.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup recurrence
/// @{

/// Solves a linear recurrence along an axis: of each line y[0] = a[0] init + x[0], y[i] = a[i] y[i - 1] +
/// x[i].
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param a       the factors: an array of x's extents and strides, or one value for all
/// \param x       an array
/// \param y       an array of the same extents
/// \param axis    sweep::along(which)
/// \param init    what stands before the first item: one value, of y's type
/// \param dir     forward, or backward: y[i] = a[i] y[i + 1] + x[i], from the last item of a line to the
/// first \return        y
///
/// \par Promises
/// - order: factors are multiplied in the order of the items, and need not commute; but where lines are cut
/// into
///   chunks products of factors are made first, as associativity allows.
/// - aliasing: y may be x, with the same strides; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run, as all calls along an axis.
/// - complexity: O(items) products and sums; each item is read once, each result written once.
/// - scratch: as a scan along an axis, of values twice as wide.
/// - errors, before anything is written: as a scan along an axis; bad_argument also for factors whose strides
/// are
///   not those of x.
/// - source: Blelloch, Prefix sums and their applications (1990), section 1.4.
template <detail::policy Policy, class A, detail::array_like X, detail::array_like Y,
          detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Y linear_recurrence(Policy const& policy, A a, X x, Y y, along_axes<1> axis, Init init, Dir dir = {}) {
  return detail::recur<decltype(dir)>("linear_recurrence", policy, a, x, y, axis, init);
}

/// Solves a linear recurrence along an axis from y[0] = x[0] on. Promises as with an initial value.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param a       the factors: an array of x's extents and strides, or one value for all
/// \param x       an array
/// \param y       an array of the same extents
/// \param axis    sweep::along(which)
/// \param dir     forward, or backward: from the last item of a line to the first
/// \return        y
template <detail::policy Policy, class A, detail::array_like X, detail::array_like Y, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Y linear_recurrence(Policy const& policy, A a, X x, Y y, along_axes<1> axis, Dir dir = {}) {
  return detail::recur<decltype(dir)>("linear_recurrence", policy, a, x, y, axis);
}

/// \cond
// The same without a policy, which the arrays' iterators then choose.
template <class A, detail::array_like X, detail::array_like Y, class... Rest>
  requires(!detail::policy<A>)
auto linear_recurrence(A a, X x, Y y, along_axes<1> axis, Rest... rest) {
  return sweep::linear_recurrence(detail::policy_of<detail::array_iterator<X>, detail::array_iterator<Y>>(),
                                  a, x, y, axis, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#endif
