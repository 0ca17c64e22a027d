// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_PROBLEM_HPP
#define SWEEP_DETAIL_REDUCE_PROBLEM_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

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

/// Whether a fold of a row's items is as many least words of 32 bits, `keys` of them, to which an item and
/// its place in the row are made. Places are less than 2^16.
template <class Unary>
inline constexpr bool folds_keys = false;
template <class Unary>
  requires(Unary::keys > 0)
inline constexpr bool folds_keys<Unary> = true;

/// Whether a unary operator keeps less of a row's items, whose places there have 32 bits, than their indices.
template <class Unary>
inline constexpr bool folds_in_rows = false;
template <class Unary>
  requires requires { typename Unary::in_row; }
inline constexpr bool folds_in_rows<Unary> = true;

/// Whether a host's thread folds a run of items that lie anywhere in memory better than one by one.
template <class Unary>
inline constexpr bool folds_runs = false;
template <class Unary>
  requires(Unary::in_blocks)
inline constexpr bool folds_runs<Unary> = true;

/// Whether a unary operator's results are 0 and 1, and are added: those of a row in 32 bits.
template <class Unary>
inline constexpr bool counts_items = false;
template <class Unary>
  requires requires { typename Unary::counts_items; }
inline constexpr bool counts_items<Unary> = true;

/// Everything a reduction was asked for, with its types complete.
template <class T, class In, class Out, class Op, class Unary>
struct reduce_problem {
  using value = T;

  In in;
  std::int64_t n;
  Out out;
  T init;
  Op op;
  mutable Unary unary;  ///< a caller's function need not be const

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

  /// Whether all that is folded is one value.
  static constexpr bool of_one_value = gives_one_value<In> && !takes_index<Unary>;
  /// The result is then init and that value's power, which squares make: operands that are powers of one
  /// value may change places.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void write_power() requires of_one_value {
    if (n == 0) return write(init);
    T square = item(0);
    auto left = n;
    for (; left % 2 == 0; left /= 2) square = static_cast<T>(op(square, square));
    T power = square;
    while (left /= 2) {
      square = static_cast<T>(op(square, square));
      if (left % 2 != 0) power = static_cast<T>(op(power, square));
    }
    write(static_cast<T>(op(init, power)));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
