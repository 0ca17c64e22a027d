// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_SCALAR_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_SCALAR_HPP

#include <sweep/detail/core/complex_number.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/small_matrix.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What eliminations compute with: real numbers, and complex ones that every library's become on the way in,
// so that a product is four operations, whatever infinities do in it. On the device it is said which of these
// round once: where compilers may choose what of a sum of products does, the same operations in two places
// give different bits.

template <class Real>
struct alignas(2 * sizeof(Real)) complex_scalar {
  Real re, im;

  friend SWEEP_HD constexpr complex_scalar operator+(complex_scalar a, complex_scalar b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend SWEEP_HD constexpr complex_scalar operator-(complex_scalar a, complex_scalar b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend SWEEP_HD complex_scalar operator*(complex_scalar a, complex_scalar b) {
#if defined(__CUDA_ARCH__)
    return {fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im)};
#else
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
#endif
  }
  friend SWEEP_HD constexpr complex_scalar operator*(complex_scalar a, Real b) {
    return {a.re * b, a.im * b};
  }
  friend SWEEP_HD constexpr bool operator==(complex_scalar a, complex_scalar b) {
    return a.re == b.re && a.im == b.im;
  }
  friend SWEEP_HD constexpr bool operator!=(complex_scalar a, complex_scalar b) { return !(a == b); }
};

template <class T>
struct scalar_of {
  using type = T;
};
template <complex_number T>
struct scalar_of<T> {
  using type = complex_scalar<typename T::value_type>;
};
/// What a T is computed as.
template <class T>
using scalar = typename scalar_of<T>::type;

/// M unknowns that stand in equations together.
template <class S, int M>
struct block_of {
  S at[M];
};
template <class S>
inline constexpr bool is_block = false;
template <class S, int M>
inline constexpr bool is_block<block_of<S, M>> = true;
/// Numbers of several systems side by side, that a host thread works on at a time: lanes.hpp.
template <class S>
inline constexpr bool is_lanes = false;
/// Unknowns of a row.
template <class S>
inline constexpr int width_of = 1;
template <class S, int M>
inline constexpr int width_of<block_of<S, M>> = M;

/// How many unknowns a value has as a block of them: a small_vector, or an array with its size in its type.
template <class T>
inline constexpr int block_size = 0;
template <class T, int M>
inline constexpr int block_size<small_vector<T, M>> = M;
template <class T>
  requires requires(T const& x) {
    typename T::value_type;
    std::tuple_size<T>::value;
    x[0];
  }
inline constexpr int block_size<T> = static_cast<int>(std::tuple_size<T>::value);
template <class T>
concept block_number = block_size<T>
>= 1 && block_size<T> <= 4 && (real_number<typename T::value_type> || complex_number<typename T::value_type>);
/// What systems can be of.
template <class T>
concept solvable_number = real_number<T> || complex_number<T> || block_number<T>;

template <block_number T>
struct scalar_of<T> {
  using type = block_of<typename scalar_of<typename T::value_type>::type, block_size<T>>;
};

/// What unknowns are multiplied by.
template <class S>
struct coefficient_type {
  using type = S;
};

template <class S>
struct real_part_of {
  using type = S;
};
template <class Real>
struct real_part_of<complex_scalar<Real>> {
  using type = Real;
};
template <class S>
using real_of = typename real_part_of<S>::type;

/// An item that converts to a T, as what a T is computed as.
SWEEP_NO_EXEC_CHECK
template <class T, class X>
SWEEP_HD scalar<T> to_scalar(X const& x) {
  if constexpr (block_number<T>) {
    scalar<T> all{};
    for (int k = 0; k < block_size<T>; ++k) all.at[k] = to_scalar<typename T::value_type>(x[k]);
    return all;
  } else if constexpr (complex_number<T>) {
    if constexpr (complex_number<X>)
      return {static_cast<typename T::value_type>(x.real()), static_cast<typename T::value_type>(x.imag())};
    else return {static_cast<typename T::value_type>(x), 0};
  } else {
    return static_cast<T>(x);
  }
}
SWEEP_NO_EXEC_CHECK
template <class T>
SWEEP_HD T from_scalar(scalar<T> const& x) {
  if constexpr (block_number<T>) {
    T all{};
    for (int k = 0; k < block_size<T>; ++k) all[k] = from_scalar<typename T::value_type>(x.at[k]);
    return all;
  } else if constexpr (complex_number<T>) {
    return T(x.re, x.im);
  } else {
    return x;
  }
}
/// Coefficients of what is computed as T: of blocks a matrix, or a number for a multiple of the identity.
SWEEP_NO_EXEC_CHECK
template <class T, class X>
SWEEP_HD auto to_coefficient(X const& x) {
  if constexpr (block_number<T>) {
    using number = typename T::value_type;
    typename coefficient_type<scalar<T>>::type all{};
    for (int i = 0; i < block_size<T>; ++i)
      if constexpr (small_matrix_rows<X> != 0)
        for (int k = 0; k < block_size<T>; ++k) all.at[i][k] = to_scalar<number>(x(i, k));
      else all.at[i][i] = to_scalar<number>(x);
    return all;
  } else {
    return to_scalar<T>(x);
  }
}
/// Whether an item can be such.
template <class T, class X>
constexpr bool is_coefficient_of() {
  constexpr int rows = small_matrix_rows<X>;
  if constexpr (block_number<T>)
    return rows == 0 ? std::is_arithmetic_v<X> || complex_number<X> : rows == block_size<T>;
  else return rows == 0;
}

SWEEP_HD inline float magnitude(float x) { return fabsf(x); }
SWEEP_HD inline double magnitude(double x) { return fabs(x); }
/// The sum of the parts' magnitudes, which LAPACK chooses pivots by too.
template <class Real>
SWEEP_HD Real magnitude(complex_scalar<Real> x) {
  return magnitude(x.re) + magnitude(x.im);
}

template <class S>
SWEEP_HD constexpr S one() {
  if constexpr (real_number<S>) return S{1};
  else if constexpr (is_lanes<S>) return S::all_of(1);
  else return S{1, 0};
}

/// 1 / x to the last bit or two; infinite or NaN where x is zero or on the device below the normal numbers.
SWEEP_HD inline float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return 1 / x;
#endif
}
SWEEP_HD inline double reciprocal(double x) {
#if defined(__CUDA_ARCH__)
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  double const off = fma(-x, r, 1.0);  // below 2^-22: its powers up to the second are the rest
  return fma(r, fma(off, off, off), r);
#else
  return 1 / x;
#endif
}
/// Neither overflows nor underflows where the result does not (Smith 1962).
template <class Real>
SWEEP_HD complex_scalar<Real> reciprocal(complex_scalar<Real> x) {
  bool const wide = magnitude(x.re) >= magnitude(x.im);
  Real const large = wide ? x.re : x.im, small = wide ? x.im : x.re;
  Real const ratio = small * reciprocal(large);
#if defined(__CUDA_ARCH__)
  Real const by = reciprocal(fma(small, ratio, large));
#else
  Real const by = reciprocal(large + small * ratio);
#endif
  return wide ? complex_scalar<Real>{by, -ratio * by} : complex_scalar<Real>{ratio * by, -by};
}

/// The power of two that brings a number of this magnitude to between 1 and 2: multiplying by it rounds
/// nothing. 1 for zero, so that what stands beside nothing but zeros stays what it is.
SWEEP_HD inline float scale_of(float magnitude) {
  if (magnitude == 0) return 1;
  std::uint32_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  auto const turned = 0x7f000000 - static_cast<std::int32_t>(bits & 0x7f800000u);
  bits = static_cast<std::uint32_t>(turned < 0x00800000 ? 0x00800000 : turned);
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}
SWEEP_HD inline double scale_of(double magnitude) {
  if (magnitude == 0) return 1;
  std::uint64_t bits;
  memcpy(&bits, &magnitude, sizeof bits);
  constexpr std::int64_t most = std::int64_t{0x7fe0} << 48, least = std::int64_t{0x0010} << 48;
  auto const turned = most - static_cast<std::int64_t>(bits & std::uint64_t{0x7ff0} << 48);
  bits = static_cast<std::uint64_t>(turned < least ? least : turned);
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

template <class Real>
SWEEP_HD Real larger_of(Real a, Real b) {
  return a < b ? b : a;
}

/// x times a power of two. On the device a zero without a sign, at no cost.
SWEEP_NO_EXEC_CHECK
template <class S, class Real>
SWEEP_HD S scaled(S x, Real scale) {
#if defined(__CUDA_ARCH__)
  if constexpr (real_number<S>) return fma(x, scale, S{0});
  else if constexpr (requires { x.re; }) return {fma(x.re, scale, Real{0}), fma(x.im, scale, Real{0})};
  else
#endif
    return x * scale;
}

/// scale_of() the largest of four magnitudes.
template <class Real>
SWEEP_HD Real scale_of_largest(Real a, Real b, Real c, Real d) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Real, double>) {
    // The upper words have the exponents.
    auto const upper = [](double x) { return __double2hiint(x); };
    return scale_of(__hiloint2double(max(max(upper(a), upper(b)), max(upper(c), upper(d))), 0));
  }
#endif
  return scale_of(larger_of(larger_of(a, b), larger_of(c, d)));
}

/// What values are multiplied by to be divided by a pivot: zero where that is zero, and with it all that
/// could be divided. A zero pivot then stays with the unknown that it is of.
template <class S>
SWEEP_HD S inverse_or_zero(S pivot, S inverse) {
  return pivot == S{} ? S{} : inverse;
}
template <class S>
SWEEP_HD S inverse_or_zero(S pivot) {
  return inverse_or_zero(pivot, reciprocal(pivot));
}

SWEEP_HD inline bool is_finite(float x) { return x - x == 0; }
SWEEP_HD inline bool is_finite(double x) { return x - x == 0; }
template <class Real>
SWEEP_HD bool is_finite(complex_scalar<Real> x) {
  return is_finite(x.re) && is_finite(x.im);
}

/// x - a b, on the device rounded in one way wherever it stands.
template <class S>
SWEEP_HD S minus_product(S x, S a, S b) {
#if defined(__CUDA_ARCH__)
  if constexpr (real_number<S>) return fma(-a, b, x);
  else if constexpr (!is_block<S>)
    return {fma(a.im, b.im, fma(-a.re, b.re, x.re)), fma(-a.im, b.re, fma(-a.re, b.im, x.im))};
  else
#endif
    return x - a * b;
}

/// x - a b, where a zero keeps a b out, whatever b is: equations that are not coupled do not learn of each
/// other.
template <class S>
SWEEP_HD S less_product(S x, S a, S b) {
  return a == S{} ? x : minus_product(x, a, b);
}

template <class T>
SWEEP_HD void swap_if(bool swapped, T& a, T& b) {
  T const x = swapped ? b : a, y = swapped ? a : b;
  a = x;
  b = y;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
