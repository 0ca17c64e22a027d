// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_REDUCE_HPP
#define SWEEP_REDUCE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/reduce/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

/// \file
/// Reductions: the fold of all items, init op x[0] op x[1] op ... .

/// \defgroup reduce Reductions
/// `#include <sweep/reduce.hpp>`: the fold of all items, init op x[0] op x[1] op ... . Below x[i] is item i
/// of [first, last), and n = last - first.
///
/// - **types**: any random-access iterators. The fold is made in the initial value's type, and is of that
///   type, as the standard's and Thrust's: floats summed from 0 are cut off to ints, bytes summed from no
///   initial value to a byte. Give an initial value of the type that the result is to have.
///   It must be default constructible, and on the device trivially copyable, or proclaimed trivially
///   relocatable.
/// - **two forms**: reduce and transform_reduce return the value, and so wait for it. Their forms that end in
///   `_into` write it through an iterator instead and never wait.
/// - **determinism** of what says "the same bits on every run": on any number of host threads; on devices
///   with one plan, however many multiprocessors they have (or a part of one has) and wherever first lies,
///   since the number of items and the plan alone cut the input into shares. For every operator.
/// - **one value**, given n times by a constant iterator (thrust::constant_iterator,
/// cuda::constant_iterator),
///   in any order, by a transform or a zip of such, or by two ranges of such, is folded on `host` and
///   `device` as its power: O(log n) calls of op, one of each other function. `seq` and the other variants
///   call them for every item.
/// - **scratch** is device memory from the policy's source. A returned value of at most 64 bytes comes back
///   through the host's memory (16 KiB, kept), and needs none.
/// - **exceptions** of an operator or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup reduce
/// @{

/// The fold of all items: init op x[0] op x[1] op ... op x[n - 1].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param init        the first operand, and the result for an empty range
/// \param op          op(a, b) folds two values
/// \return            the fold, of init's type
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order;
///   variant::atomic and variant::shared_atomic need a commutative op.
/// - waiting: for the result. Within a graph's capture use reduce_into.
/// - determinism: the same bits on every run; the atomic variants: only where op is exactly associative.
/// - complexity: O(n) calls of op; each item is read once.
/// - scratch: less than 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: Harris, Optimizing Parallel Reduction in CUDA (2007); the last block folds what the blocks have.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::no_direction Init,
          detail::no_direction Op>
SWEEP_HD auto reduce(Policy const& policy, In first, In last, Init init, Op op) {
  return detail::reduce_value("reduce", policy, first, last, init, op, detail::identity{});
}

/// The sum of all items and init: init + x[0] + ... + x[n - 1]. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param init        the first operand, and the result for an empty range
/// \return            the sum, of init's type
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::no_direction Init>
SWEEP_HD auto reduce(Policy const& policy, In first, In last, Init init) {
  return sweep::reduce(policy, first, last, init, detail::plus{});
}

/// The sum of all items, from a value-initialised item (0) on. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \return            the sum, of the items' type
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In>
SWEEP_HD auto reduce(Policy const& policy, In first, In last) {
  return sweep::reduce(policy, first, last, detail::value_of<In>{}, detail::plus{});
}

/// The fold of all items, written: *out = init op x[0] op x[1] op ... op x[n - 1].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one result
/// \param init        the first operand, and the result for an empty range
/// \param op          op(a, b) folds two values
/// \return            out + 1
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order;
///   variant::atomic and variant::shared_atomic need a commutative op.
/// - aliasing: nothing overlaps out.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run; the atomic variants: only where op is exactly associative.
/// - complexity: O(n) calls of op; each item is read once.
/// - scratch: less than 64 KiB.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, with .checked() a pointer that the device cannot reach.
/// - source: Harris, Optimizing Parallel Reduction in CUDA (2007); the last block folds what the blocks have.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Init, detail::no_direction Op>
SWEEP_HD Out reduce_into(Policy const& policy, In first, In last, Out out, Init init, Op op) {
  return detail::reduce_to("reduce_into", policy, first, last, out, init, op, detail::identity{});
}

/// The sum of all items and init, written to *out. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one result
/// \param init        the first operand, and the result for an empty range
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Init>
SWEEP_HD Out reduce_into(Policy const& policy, In first, In last, Out out, Init init) {
  return sweep::reduce_into(policy, first, last, out, init, detail::plus{});
}

/// The sum of all items, from a value-initialised item (0) on, written to *out. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one result
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out>
SWEEP_HD Out reduce_into(Policy const& policy, In first, In last, Out out) {
  return sweep::reduce_into(policy, first, last, out, detail::value_of<In>{}, detail::plus{});
}

/// The fold of f(x[0]), f(x[1]), ..., f being `unary`: init op f(x[0]) op ... op f(x[n - 1]).
///
/// Thrust's order, (unary, init, op), is known by its first argument: that takes one item, and not two.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param init        the first operand, and the result for an empty range
/// \param op          op(a, b) folds two values
/// \param unary       what is folded of an item: unary(x[i])
/// \return            the fold, of init's type
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order;
///   variant::atomic and variant::shared_atomic need a commutative op.
/// - waiting: for the result. Within a graph's capture use transform_reduce_into.
/// - determinism: the same bits on every run; the atomic variants: only where op is exactly associative.
/// - complexity: O(n) calls of both operators; each item is read once.
/// - scratch: less than 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: as reduce: Harris 2007.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::no_direction Init,
          detail::no_direction Op, detail::no_direction Unary>
  requires(!detail::is_range_start<Init, In, Op>)
SWEEP_HD auto transform_reduce(Policy const& policy, In first, In last, Init init, Op op, Unary unary) {
  if constexpr (detail::thrust_order<Init, Unary, In>)  // they are (unary, init, op)
    return detail::reduce_value("transform_reduce", policy, first, last, op, unary, init);
  else return detail::reduce_value("transform_reduce", policy, first, last, init, op, unary);
}

/// The fold of f(x[0], y[0]), f(x[1], y[1]), ..., f being `binary`: init op f(x[0], y[0]) op ... .
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  n items x[i]
/// \param first2        n items y[i]
/// \param init          the first operand, and the result for an empty range
/// \param op            op(a, b) folds two values
/// \param binary        what is folded of two items: binary(x[i], y[i])
/// \return              the fold, of init's type
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order;
///   variant::atomic and variant::shared_atomic need a commutative op.
/// - waiting: for the result.
/// - determinism: the same bits on every run; the atomic variants: only where op is exactly associative.
/// - complexity: O(n) calls of both operators; each item is read once.
/// - scratch: less than 64 KiB.
/// - errors: cuda_error; bad_argument for last1 before first1, a null pointer, too little scratch.
/// - source: as reduce: Harris 2007.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::no_direction Init, detail::no_direction Op, detail::function_like Binary>
SWEEP_HD auto transform_reduce(Policy const& policy, In1 first1, In1 last1, In2 first2, Init init, Op op,
                               Binary binary) {
  auto const both = detail::zipped_input("transform_reduce", first1, last1, first2);
  return detail::reduce_value("transform_reduce", policy, both, both + (last1 - first1), init, op,
                              detail::apply_pair{detail::device_functor(binary)});
}

/// The inner product: init + x[0] * y[0] + ... + x[n - 1] * y[n - 1]. Promises as with two operators.
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  n items x[i]
/// \param first2        n items y[i]
/// \param init          the first operand, and the result for an empty range
/// \return              the sum, of init's type
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::no_direction Init>
SWEEP_HD auto transform_reduce(Policy const& policy, In1 first1, In1 last1, In2 first2, Init init) {
  return sweep::transform_reduce(policy, first1, last1, first2, init, detail::plus{}, detail::multiplies{});
}

/// Thrust's and the standard's name for transform_reduce of two ranges: init op f(x[0], y[0]) op f(x[1],
/// y[1]) op ..., f being `binary`. Promises as transform_reduce of two ranges.
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  n items x[i]
/// \param first2        n items y[i]
/// \param init          the first operand, and the result for an empty range
/// \param op            op(a, b) folds two values; by default +
/// \param binary        what is folded of two items: binary(x[i], y[i]); by default *
/// \return              the fold, of init's type
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::no_direction Init, detail::no_direction Op = detail::plus,
          detail::function_like Binary = detail::multiplies>
auto inner_product(Policy const& policy, In1 first1, In1 last1, In2 first2, Init init, Op op = {},
                   Binary binary = {}) {
  auto const both = detail::zipped_input("inner_product", first1, last1, first2);
  return detail::reduce_value("inner_product", policy, both, both + (last1 - first1), init, op,
                              detail::apply_pair{detail::device_functor(binary)});
}

/// inner_product that writes the value, and never waits: it can be captured in a graph. Other promises as
/// transform_reduce of two ranges.
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  n items x[i]
/// \param first2        n items y[i]
/// \param out           one result
/// \param init          the first operand, and the result for an empty range
/// \param op            op(a, b) folds two values; by default +
/// \param binary        what is folded of two items: binary(x[i], y[i]); by default *
/// \return              out + 1
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::output_for<Policy> Out, detail::no_direction Init, detail::no_direction Op = detail::plus,
          detail::function_like Binary = detail::multiplies>
Out inner_product_into(Policy const& policy, In1 first1, In1 last1, In2 first2, Out out, Init init,
                       Op op = {}, Binary binary = {}) {
  auto const both = detail::zipped_input("inner_product_into", first1, last1, first2);
  return detail::reduce_to("inner_product_into", policy, both, both + (last1 - first1), out, init, op,
                           detail::apply_pair{detail::device_functor(binary)});
}

/// The fold of f(x[0]), f(x[1]), ..., f being `unary`, written: *out = init op f(x[0]) op ... op f(x[n - 1]).
///
/// Thrust's order, (unary, init, op), is known by its first argument: that takes one item, and not two.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one result
/// \param init        the first operand, and the result for an empty range
/// \param op          op(a, b) folds two values
/// \param unary       what is folded of an item: unary(x[i])
/// \return            out + 1
///
/// \par Promises
/// - order: op must be associative; it need not be commutative, and its operands keep their order;
///   variant::atomic and variant::shared_atomic need a commutative op.
/// - aliasing: nothing overlaps out.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run; the atomic variants: only where op is exactly associative.
/// - complexity: O(n) calls of both operators; each item is read once.
/// - scratch: less than 64 KiB.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, with .checked() a pointer that the device cannot reach.
/// - source: as reduce: Harris 2007.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::no_direction Init, detail::no_direction Op, detail::no_direction Unary>
SWEEP_HD Out transform_reduce_into(Policy const& policy, In first, In last, Out out, Init init, Op op,
                                   Unary unary) {
  if constexpr (detail::thrust_order<Init, Unary, In>)  // they are (unary, init, op)
    return detail::reduce_to("transform_reduce_into", policy, first, last, out, op, unary, init);
  else return detail::reduce_to("transform_reduce_into", policy, first, last, out, init, op, unary);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto reduce = [](auto const&... all) -> decltype(sweep::reduce(all...)) {
  return sweep::reduce(all...);
};
inline constexpr auto reduce_into = [](auto const&... all) -> decltype(sweep::reduce_into(all...)) {
  return sweep::reduce_into(all...);
};
inline constexpr auto transform_reduce = [](auto const&... all) -> decltype(sweep::transform_reduce(all...)) {
  return sweep::transform_reduce(all...);
};
inline constexpr auto inner_product = [](auto const&... all) -> decltype(sweep::inner_product(all...)) {
  return sweep::inner_product(all...);
};
inline constexpr auto inner_product_into =
    [](auto const&... all) -> decltype(sweep::inner_product_into(all...)) {
  return sweep::inner_product_into(all...);
};
inline constexpr auto transform_reduce_into =
    [](auto const&... all) -> decltype(sweep::transform_reduce_into(all...)) {
  return sweep::transform_reduce_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto reduce(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::reduce, first, rest...);
}
template <class First, class... Rest>
auto reduce_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("reduce_into", detail::canonical::reduce_into, first, rest...);
}
template <class First, class... Rest>
auto transform_reduce(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("transform_reduce", detail::canonical::transform_reduce, first,
                                        rest...);
}
template <class First, class... Rest>
auto inner_product(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("inner_product", detail::canonical::inner_product, first, rest...);
}
template <class First, class... Rest>
auto inner_product_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<2, 1, 1>("inner_product_into", detail::canonical::inner_product_into,
                                             first, rest...);
}
template <class First, class... Rest>
auto transform_reduce_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("transform_reduce_into", detail::canonical::transform_reduce_into,
                                       first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
