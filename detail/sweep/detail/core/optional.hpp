// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_OPTIONAL_HPP
#define SWEEP_DETAIL_CORE_OPTIONAL_HPP

#include <sweep/detail/core/config.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// A value that may be missing: no operator is asked for an identity. An aggregate, whose value lies in
/// registers on both sides.
template <class T>
struct optional {
  T value{};
  bool present = false;
};

/// before op x, or x alone where nothing stands before it.
SWEEP_NO_EXEC_CHECK
template <class T, class Op>
SWEEP_HD T combine(optional<T> const& before, T const& x, Op& op) {
  return before.present ? static_cast<T>(op(before.value, x)) : x;
}

/// The same where either may be missing.
SWEEP_NO_EXEC_CHECK
template <class T, class Op>
SWEEP_HD optional<T> combine(optional<T> const& a, optional<T> const& b, Op& op) {
  return a.present && b.present ? optional<T>{static_cast<T>(op(a.value, b.value)), true} : a.present ? a : b;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
