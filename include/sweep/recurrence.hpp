// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_RECURRENCE_HPP
#define SWEEP_RECURRENCE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/axes.hpp>
#include <sweep/detail/axes/recurrence.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/tiling.hpp>
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
/// \param a       the factors: an array of x's extents, or one without the axis, which has a factor a line,
///                or one value for all
/// \param x       an array
/// \param y       an array of the same extents
/// \param axis    sweep::along(which)
/// \param init    what stands before the first item: one value, of y's type, or an array of one a line,
///                without the axis
/// \param dir     forward, or backward: y[i] = a[i] y[i + 1] + x[i], from the last item of a line to the
///                first
/// \return        y
///
/// \par Promises
/// - order: factors are multiplied in the order of the items, and need not commute; but where lines are cut
///   into chunks products of factors are made first, as associativity allows, in y's type where that is a
///   wider number than the factors are.
/// - aliasing: y may be x, with the same strides; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run, as all calls along an axis.
/// - complexity: O(items) products and sums; each item is read once, each result written once. Factors with
///   the strides of x, or one for all, cost the least.
/// - scratch: as a scan along an axis, of values twice as wide.
/// - errors, before anything is written: as a scan along an axis.
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
/// \param a       the factors: an array of x's extents, or one without the axis, which has a factor a line,
///                or one value for all
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

/// Solves a linear recurrence of a range, from y[0] = a[0] init + x[0] on. Promises as along an axis, but for
/// determinism and scratch on the device: there it is a scan, and they are as a scan's.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param a           the factors: n of them, by an iterator, or one value for all
/// \param first,last  n items, x
/// \param out         n results, y; may be first
/// \param init        what stands before the first item: one value, of the results' type
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
template <detail::policy Policy, class A, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out linear_recurrence(Policy const& policy, A a, In first, In last, Out out, Init init, Dir dir = {}) {
  return detail::recur_range<decltype(dir)>("linear_recurrence", policy, a, first, last, out, init);
}

/// Solves a linear recurrence of a range, from y[0] = x[0] on. Promises as with an initial value.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param a           the factors: n of them, by an iterator, or one value for all
/// \param first,last  n items, x
/// \param out         n results, y; may be first
/// \param dir         forward, or backward: from the last item to the first
/// \return            out + n
template <detail::policy Policy, class A, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out linear_recurrence(Policy const& policy, A a, In first, In last, Out out, Dir dir = {}) {
  return detail::recur_range<decltype(dir)>("linear_recurrence", policy, a, first, last, out);
}

/// The gradients of a linear recurrence y[i] = a[i] y[i - 1] + x[i], in one pass: from gy, that of its
/// results, gx[n - 1] = gy[n - 1], gx[i] = gy[i] + a[i + 1] gx[i + 1], and ga[i] = gx[i] y[i - 1], where
/// y[-1] is init. That of an initial value is a[0] gx[0]; that of a factor a line, or of one for all, is the
/// sum of ga along the axis, or along all of them (sweep::reduce).
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param a       the factors, as linear_recurrence was given them
/// \param y       what linear_recurrence has made
/// \param gy      the gradient of the results: an array of y's extents
/// \param ga      takes the gradient of the factors, item by item: an array of y's extents
/// \param gx      takes the gradient of x, likewise
/// \param axis    sweep::along(which)
/// \param init    what stood before the first item: one value, or an array of one a line, without the axis
/// \param dir     the direction that linear_recurrence had
/// \return        gx
///
/// \par Promises
/// - order: the product is a[i + 1] gx[i + 1] and gx[i] y[i - 1]; of complex numbers nothing is conjugated,
///   of matrices nothing transposed.
/// - aliasing: gx may be gy, with the same strides; nothing else may overlap ga or gx.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run, as all calls along an axis.
/// - complexity: O(items) products and sums; a, y and gy are read once, ga and gx written once.
/// - scratch: as a scan along an axis, of values twice as wide.
/// - errors, before anything is written: as a scan along an axis; bad_argument also for ga or gx that begin
///   where something begins that is still read.
/// - source: the recurrence of the adjoint, which is linear too: Martin and Cundy, Parallelizing linear
///   recurrent neural nets over sequence length (2018).
template <detail::policy Policy, class A, detail::array_like Y, detail::array_like Gy, detail::array_like Ga,
          detail::array_like Gx, detail::no_direction Init, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Gx linear_recurrence_gradient(Policy const& policy, A a, Y y, Gy gy, Ga ga, Gx gx, along_axes<1> axis,
                              Init init, Dir dir = {}) {
  return detail::recurrence_gradient<decltype(dir)>("linear_recurrence_gradient", policy, a, y, gy, ga, gx,
                                                    axis, init);
}

/// The gradients of a linear recurrence that had no initial value: ga[0] is 0. Promises as with one.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param a       the factors, as linear_recurrence was given them
/// \param y       what linear_recurrence has made
/// \param gy      the gradient of the results: an array of y's extents
/// \param ga      takes the gradient of the factors, item by item: an array of y's extents
/// \param gx      takes the gradient of x, likewise
/// \param axis    sweep::along(which)
/// \param dir     the direction that linear_recurrence had
/// \return        gx
template <detail::policy Policy, class A, detail::array_like Y, detail::array_like Gy, detail::array_like Ga,
          detail::array_like Gx, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Gx linear_recurrence_gradient(Policy const& policy, A a, Y y, Gy gy, Ga ga, Gx gx, along_axes<1> axis,
                              Dir dir = {}) {
  return detail::recurrence_gradient<decltype(dir)>("linear_recurrence_gradient", policy, a, y, gy, ga, gx,
                                                    axis);
}

/// The gradients of a linear recurrence of a range that had an initial value. Promises as along an axis.
///
/// \param policy            where to run: seq, host, device, or a policy of Thrust's
/// \param a                 the factors, as linear_recurrence was given them
/// \param y                 n results of linear_recurrence
/// \param gy_first,gy_last  the gradient of the results: n values
/// \param ga                takes the gradient of the factors: n values
/// \param gx                takes the gradient of x: n values; may be gy_first
/// \param init              what stood before the first item
/// \param dir               the direction that linear_recurrence had
/// \return                  gx + n
template <detail::policy Policy, class A, detail::iterator_for<Policy> Y, detail::iterator_for<Policy> Gy,
          detail::output_for<Policy> Ga, detail::output_for<Policy> Gx, detail::no_direction Init,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Gx linear_recurrence_gradient(Policy const& policy, A a, Y y, Gy gy_first, Gy gy_last, Ga ga, Gx gx,
                              Init init, Dir dir = {}) {
  auto const n =
      detail::checked_distance("linear_recurrence_gradient", gy_first, gy_last, "gy_last", "gy_first");
  detail::recurrence_gradient<decltype(dir)>(
      "linear_recurrence_gradient", policy, detail::factors_of_range(a, n), sweep::strided(y, {n}),
      sweep::strided(gy_first, {n}), sweep::strided(ga, {n}), sweep::strided(gx, {n}), along(0), init);
  return gx + n;
}

/// The gradients of a linear recurrence of a range that had no initial value. Promises as along an axis.
///
/// \param policy            where to run: seq, host, device, or a policy of Thrust's
/// \param a                 the factors, as linear_recurrence was given them
/// \param y                 n results of linear_recurrence
/// \param gy_first,gy_last  the gradient of the results: n values
/// \param ga                takes the gradient of the factors: n values
/// \param gx                takes the gradient of x: n values; may be gy_first
/// \param dir               the direction that linear_recurrence had
/// \return                  gx + n
template <detail::policy Policy, class A, detail::iterator_for<Policy> Y, detail::iterator_for<Policy> Gy,
          detail::output_for<Policy> Ga, detail::output_for<Policy> Gx, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Gx linear_recurrence_gradient(Policy const& policy, A a, Y y, Gy gy_first, Gy gy_last, Ga ga, Gx gx,
                              Dir dir = {}) {
  auto const n =
      detail::checked_distance("linear_recurrence_gradient", gy_first, gy_last, "gy_last", "gy_first");
  detail::recurrence_gradient<decltype(dir)>(
      "linear_recurrence_gradient", policy, detail::factors_of_range(a, n), sweep::strided(y, {n}),
      sweep::strided(gy_first, {n}), sweep::strided(ga, {n}), sweep::strided(gx, {n}), along(0));
  return gx + n;
}

/// \cond
// The same without a policy, which the arrays' iterators then choose.
template <class A, detail::array_like X, detail::array_like Y, class... Rest>
  requires(!detail::policy<A>)
auto linear_recurrence(A a, X x, Y y, along_axes<1> axis, Rest... rest) {
  return sweep::linear_recurrence(detail::policy_of<detail::array_iterator<X>, detail::array_iterator<Y>>(),
                                  a, x, y, axis, rest...);
}
template <class A, detail::array_like Y, detail::array_like Gy, detail::array_like Ga, detail::array_like Gx,
          class... Rest>
  requires(!detail::policy<A>)
auto linear_recurrence_gradient(A a, Y y, Gy gy, Ga ga, Gx gx, along_axes<1> axis, Rest... rest) {
  return sweep::linear_recurrence_gradient(
      detail::policy_of<detail::array_iterator<Gy>, detail::array_iterator<Gx>>(), a, y, gy, ga, gx, axis,
      rest...);
}
template <class A, detail::iterator_like In, detail::iterator_like Out, class... Rest>
  requires(!detail::policy<A>)
auto linear_recurrence(A a, In first, In last, Out out, Rest... rest) {
  return sweep::linear_recurrence(detail::policy_of<In, Out>(), a, first, last, out, rest...);
}
template <class A, detail::iterator_like Y, detail::iterator_like Gy, detail::iterator_like Ga,
          detail::iterator_like Gx, class... Rest>
  requires(!detail::policy<A>)
auto linear_recurrence_gradient(A a, Y y, Gy gy_first, Gy gy_last, Ga ga, Gx gx, Rest... rest) {
  return sweep::linear_recurrence_gradient(detail::policy_of<Gy, Gx>(), a, y, gy_first, gy_last, ga, gx,
                                           rest...);
}

// And of ranges, with or without a policy (detail/runtime/call_forms.hpp), whose input comes first there.
namespace detail::canonical {

inline constexpr auto linear_recurrence =
    [](auto const& policy, auto const& first, auto const& last, auto const& a,
       auto const&... rest) -> decltype(sweep::linear_recurrence(policy, a, first, last, rest...)) {
  return sweep::linear_recurrence(policy, a, first, last, rest...);
};
inline constexpr auto linear_recurrence_gradient = [](auto const& policy, auto const& first, auto const& last,
                                                      auto const& a, auto const& y, auto const&... rest)
    -> decltype(sweep::linear_recurrence_gradient(policy, a, y, first, last, rest...)) {
  return sweep::linear_recurrence_gradient(policy, a, y, first, last, rest...);
};

}  // namespace detail::canonical

template <class A, detail::whole_range X, class... Rest>
  requires(!detail::policy<A>)
auto linear_recurrence(A const& a, X const& x, Rest&&... rest) {
  return detail::complete_sized_call<2>("linear_recurrence", detail::canonical::linear_recurrence, x, a,
                                        rest...);
}
template <detail::policy Policy, class A, detail::whole_range X, class... Rest>
auto linear_recurrence(Policy const& policy, A const& a, X const& x, Rest&&... rest) {
  return detail::complete_sized_call<2>("linear_recurrence", detail::canonical::linear_recurrence, policy, x,
                                        a, rest...);
}
template <class A, class Y, detail::whole_range Gy, class... Rest>
  requires(!detail::policy<A>)
auto linear_recurrence_gradient(A const& a, Y const& y, Gy const& gy, Rest&&... rest) {
  return detail::complete_sized_call<4>("linear_recurrence_gradient",
                                        detail::canonical::linear_recurrence_gradient, gy, a, y, rest...);
}
template <detail::policy Policy, class A, class Y, detail::whole_range Gy, class... Rest>
auto linear_recurrence_gradient(Policy const& policy, A const& a, Y const& y, Gy const& gy, Rest&&... rest) {
  return detail::complete_sized_call<4>(
      "linear_recurrence_gradient", detail::canonical::linear_recurrence_gradient, policy, gy, a, y, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
