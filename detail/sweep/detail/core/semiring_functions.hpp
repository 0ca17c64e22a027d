// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_SEMIRING_FUNCTIONS_HPP
#define SWEEP_DETAIL_CORE_SEMIRING_FUNCTIONS_HPP

#include <sweep/detail/core/complex_number.hpp>
#include <sweep/detail/core/config.hpp>

#include <limits>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// The operations of the semirings that come with the library, each in one type T.

template <class T>
inline constexpr T greatest_value = [] {
  static_assert(std::is_arithmetic_v<T>, "sweep: this semiring is of an arithmetic type");
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::max();
}();
template <class T>
inline constexpr T least_value = [] {
  static_assert(std::is_arithmetic_v<T>, "sweep: this semiring is of an arithmetic type");
  return std::numeric_limits<T>::has_infinity ? static_cast<T>(-std::numeric_limits<T>::infinity())
                                              : std::numeric_limits<T>::lowest();
}();

/// A complex product is four real ones, whatever infinities do in it: what a library does to keep these takes
/// several times as long.
template <class T>
struct times_in {
  SWEEP_NO_EXEC_CHECK
  template <class A, class X>
  SWEEP_HD constexpr T operator()(A const& a, X const& x) const {
    if constexpr (complex_number<T>) {
      T const s = static_cast<T>(a), t = static_cast<T>(x);
      return T(s.real() * t.real() - s.imag() * t.imag(), s.real() * t.imag() + s.imag() * t.real());
    } else {
      return static_cast<T>(static_cast<T>(a) * static_cast<T>(x));
    }
  }
};
/// Sums of which an integer's largest value is infinite.
template <class T>
struct plus_in {
  template <class A, class X>
  SWEEP_HD constexpr T operator()(A const& a, X const& x) const {
    auto const s = static_cast<T>(a), t = static_cast<T>(x);
    if constexpr (!std::numeric_limits<T>::has_infinity) {
      constexpr T infinite = greatest_value<T>;
      if (s == infinite || t == infinite) return infinite;
    }
    return static_cast<T>(s + t);
  }
};
template <class T>
struct first_in {
  SWEEP_NO_EXEC_CHECK
  template <class A, class X>
  SWEEP_HD constexpr T operator()(A const& a, X const&) const {
    return static_cast<T>(a);
  }
};
/// A GPU has one instruction for the lesser of two floats, which for the sake of NaN no comparison becomes.
template <class T>
struct lesser_of {
  SWEEP_HD constexpr T operator()(T const& s, T const& t) const {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) return ::fminf(s, t);
    else return t < s ? t : s;
#else
    return t < s ? t : s;
#endif
  }
};
template <class T>
struct greater_of {
  SWEEP_HD constexpr T operator()(T const& s, T const& t) const {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) return ::fmaxf(s, t);
    else return s < t ? t : s;
#else
    return s < t ? t : s;
#endif
  }
};
struct logical_or {
  SWEEP_HD constexpr bool operator()(bool s, bool t) const { return s || t; }
};
struct logical_and {
  SWEEP_NO_EXEC_CHECK
  template <class A, class X>
  SWEEP_HD constexpr bool operator()(A const& a, X const& x) const {
    return static_cast<bool>(a) && static_cast<bool>(x);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
