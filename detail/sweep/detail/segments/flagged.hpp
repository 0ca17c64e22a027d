// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_FLAGGED_HPP
#define SWEEP_DETAIL_SEGMENTS_FLAGGED_HPP

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The fold of a run of items, from the last segment start in the run on, and how many segments start in the
/// run (Count bool: whether any does). With segmented_op these are a monoid wherever the values are a
/// semigroup: a segmented scan is a scan of them (Blelloch 1990).
template <class V, class Count = bool>
struct flagged {
  V value;
  Count heads;

  template <class U>
    requires(!std::is_same_v<U, flagged> && requires(V const& x) { static_cast<U>(x); })
  SWEEP_HD constexpr explicit operator U() const { return static_cast<U>(value); }
};

template <class V, class Count>
inline constexpr bool relocatable<flagged<V, Count>> = relocatable<V>;

/// What stands before a segment's start does not matter to the fold; a count of starts needs all of them.
template <class V>
SWEEP_HD constexpr bool ignores_left(flagged<V, bool> const& x) {
  return x.heads;
}

template <class V>
inline constexpr bool may_ignore_left<flagged<V, bool>> = true;

template <class V>
struct slot_form<flagged<V, bool>> {
  using stored = V;
  static constexpr bool has_bit = true;
  static SWEEP_HD V const& value(flagged<V, bool> const& x) { return x.value; }
  static SWEEP_HD bool bit(flagged<V, bool> const& x) { return x.heads; }
  static SWEEP_HD void join(flagged<V, bool>& x, V const& value, bool bit) { x = {value, bit}; }
};

SWEEP_HD constexpr bool joined(bool a, bool b) { return a | b; }
template <class Count>
SWEEP_HD constexpr Count joined(Count a, Count b) {
  return a + b;
}

template <class Op>
struct segmented_op {
  Op op;
  SWEEP_NO_EXEC_CHECK
  template <class V, class Count>
  SWEEP_HD constexpr flagged<V, Count> operator()(flagged<V, Count> const& a, flagged<V, Count> const& b) {
    return {b.heads != Count{} ? b.value : static_cast<V>(op(a.value, b.value)), joined(a.heads, b.heads)};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
