// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SMALL_MATRIX_HPP
#define SWEEP_SMALL_MATRIX_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/config.hpp>

#include <type_traits>

/// \file
/// Small matrices and vectors, as items of ranges.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup tridiagonal
/// @{

/// M numbers: the unknowns of a block of equations. An aggregate: `{1, 2}`.
///
/// \tparam T  a number
/// \tparam M  how many
template <class T, int M>
struct small_vector {
  static_assert(M >= 1, "sweep: a small vector has at least one number");
  using value_type = T;
  T at[M];  ///< the numbers

  /// Number i.
  ///
  /// \param i  which
  SWEEP_HD constexpr T& operator[](int i) { return at[i]; }
  /// Number i, to be read.
  ///
  /// \param i  which
  SWEEP_HD constexpr T const& operator[](int i) const { return at[i]; }
};

/// M rows of M numbers: the coefficients of a block of equations. An aggregate: `{{{2, 1}, {1, 2}}}`.
///
/// \tparam T  a number
/// \tparam M  rows, and columns
template <class T, int M>
struct small_matrix {
  static_assert(M >= 1, "sweep: a small matrix has at least one row");
  using value_type = T;
  T at[M][M];  ///< the numbers, row by row

  /// The number in row i and column j.
  ///
  /// \param i  row
  /// \param j  column
  SWEEP_HD constexpr T& operator()(int i, int j) { return at[i][j]; }
  /// The same, to be read.
  ///
  /// \param i  row
  /// \param j  column
  SWEEP_HD constexpr T const& operator()(int i, int j) const { return at[i][j]; }
};

// With these both are values of recurrences: states of several numbers, with matrices for factors.

/// The sum of two vectors.
///
/// \param x,y  vectors
/// \return     x + y
template <class T, int M>
SWEEP_HD constexpr small_vector<T, M> operator+(small_vector<T, M> const& x, small_vector<T, M> const& y) {
  small_vector<T, M> sum{};
  for (int i = 0; i < M; ++i) sum[i] = static_cast<T>(x[i] + y[i]);
  return sum;
}

/// The sum of two matrices.
///
/// \param x,y  matrices
/// \return     x + y
template <class T, int M>
SWEEP_HD constexpr small_matrix<T, M> operator+(small_matrix<T, M> const& x, small_matrix<T, M> const& y) {
  small_matrix<T, M> sum{};
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < M; ++j) sum(i, j) = static_cast<T>(x(i, j) + y(i, j));
  return sum;
}

/// A matrix times a vector.
///
/// \param x  a matrix
/// \param y  a vector
/// \return   x y
template <class T, int M>
SWEEP_HD constexpr small_vector<T, M> operator*(small_matrix<T, M> const& x, small_vector<T, M> const& y) {
  small_vector<T, M> product{};
  for (int i = 0; i < M; ++i) {
    T sum = static_cast<T>(x(i, 0) * y[0]);
    for (int k = 1; k < M; ++k) sum = static_cast<T>(sum + x(i, k) * y[k]);
    product[i] = sum;
  }
  return product;
}

/// The product of two matrices.
///
/// \param x,y  matrices
/// \return     x y
template <class T, int M>
SWEEP_HD constexpr small_matrix<T, M> operator*(small_matrix<T, M> const& x, small_matrix<T, M> const& y) {
  small_matrix<T, M> product{};
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < M; ++j) {
      T sum = static_cast<T>(x(i, 0) * y(0, j));
      for (int k = 1; k < M; ++k) sum = static_cast<T>(sum + x(i, k) * y(k, j));
      product(i, j) = sum;
    }
  return product;
}

/// @}

namespace detail {
template <class T>
inline constexpr int small_matrix_rows = 0;
template <class T, int M>
inline constexpr int small_matrix_rows<small_matrix<T, M>> = M;
}  // namespace detail

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
