// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_KEYS_HPP
#define SWEEP_TESTS_SUPPORT_KEYS_HPP

#include <support/values.hpp>

#include <cstdint>

namespace sweep_test {

/// The number that says what a value is like: its first part, where it has several.
template <class X>
SWEEP_TEST_HD std::uint64_t key_of(X const& x) {
  if constexpr (requires { x.a; }) return static_cast<std::uint64_t>(x.a);
  else if constexpr (requires { x.m; }) return static_cast<std::uint64_t>(x.m[0]);
  else return static_cast<std::uint64_t>(x);
}

/// An order of values in which many are equivalent: with no bits, all.
struct by_low_bits {
  std::uint64_t mask;
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& x, X const& y) const {
    return (key_of(x) & mask) < (key_of(y) & mask);
  }
};

/// Any two things by their keys.
struct by_key {
  template <class X, class Y>
  SWEEP_TEST_HD bool operator()(X const& x, Y const& y) const {
    return key_of(x) < key_of(y);
  }
};

struct is_below {
  std::uint64_t limit;
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& x) const {
    return key_of(x) < limit;
  }
};

}  // namespace sweep_test

#endif
