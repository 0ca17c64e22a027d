// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_PROBLEM_HPP
#define SWEEP_DETAIL_REDUCE_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What a fold may say of its operators, so that an index costs no more than the items' own traffic does.

/// Whether a unary operator is called with an item and its index.
template <class Unary>
inline constexpr bool takes_index = false;
template <class Unary>
  requires requires { typename Unary::takes_index; }
inline constexpr bool takes_index<Unary> = true;

/// Whether a unary operator folds neighbours, the first of which has index i, better than one by one.
template <class Unary, class Raw, int V>
concept folds_neighbours = requires(Unary const& unary, Raw const (&x)[V], std::int64_t i) {
  unary.fold(x, i);
};

/// Whether values may be folded in any order and brackets with the same bits in the result: integers that are
/// added, and operators with a join(a, b) that does not ask which of the two stands first.
template <class Op, class T>
inline constexpr bool folds_in_any_order = adds<Op, T>&& std::is_integral_v<T>;
template <class Op, class T>
  requires requires(Op& op, T const& x) { op.join(x, x); }
inline constexpr bool folds_in_any_order<Op, T> = true;

/// Such an operator, of values that stand in any order.
template <class Op>
struct any_order {
  Op& op;
  SWEEP_NO_EXEC_CHECK
  template <class T>
  SWEEP_HD T operator()(T const& a, T const& b) const {
    if constexpr (requires { op.join(a, b); }) return op.join(a, b);
    else return static_cast<T>(op(a, b));
  }
};

/// Everything a reduction was asked for, with its types complete.
template <class T, class In, class Out, class Op, class Unary>
struct reduce_problem {
  static constexpr bool in_contiguous = std::is_pointer_v<In> && relocatable<value_of<In>>;
  using value = T;
  using raw = value_of<In>;
  static constexpr int vector_items = in_contiguous ? items_per_16_bytes(sizeof(raw)) : 1;
  static constexpr bool in_any_order = folds_in_any_order<Op, T>;

  In in;
  std::int64_t n;
  Out out;
  T init;
  Op op;
  mutable Unary unary;  ///< a caller's function need not be const
  int shift = 0;  ///< items before the data at which rows begin, so that vectors fall on 16-byte boundaries

  /// What is folded of item i, which is x.
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD T of(X&& x, std::int64_t i) const {
    if constexpr (takes_index<Unary>) return static_cast<T>(unary(x, i));
    else return static_cast<T>(unary(static_cast<X&&>(x)));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T item(std::int64_t i) const { return of(in[i], i); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void write(T const& result) const {
    if constexpr (std::is_same_v<Out, T*> && relocatable<T>) put_bytes(*out, result);
    else *out = static_cast<written_value<Out, T>>(result);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
