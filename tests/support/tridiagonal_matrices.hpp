// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_TRIDIAGONAL_MATRICES_HPP
#define SWEEP_TESTS_SUPPORT_TRIDIAGONAL_MATRICES_HPP

#include <support/random.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

// Matrices that the literature tries tridiagonal solvers on (Klein and Strzodka 2021, Venetis and others
// 2015), and what is known of them: their norms, their conditions and the solutions, in long double.
namespace sweep_test {

using wide_number = std::complex<long double>;

template <class T>
struct real_of {
  using type = T;
};
template <class T>
  requires requires { typename T::value_type; }
struct real_of<T> {
  using type = typename T::value_type;
};
template <class T>
using real_type = typename real_of<T>::type;

template <class T>
wide_number widened(T const& x) {
  if constexpr (std::is_same_v<T, real_type<T>>) return {static_cast<long double>(x), 0};
  else return {static_cast<long double>(x.real()), static_cast<long double>(x.imag())};
}
template <class T>
T narrowed(wide_number x) {
  using real = real_type<T>;
  if constexpr (std::is_same_v<T, real>) return static_cast<T>(x.real());
  else return T(static_cast<real>(x.real()), static_cast<real>(x.imag()));
}

/// One system; the first lower and the last upper coefficient are coupled to the other end where it is
/// cyclic.
template <class T>
struct tridiagonal_matrix {
  std::vector<T> lower, diagonal, upper;
  std::size_t size() const { return diagonal.size(); }
};

enum class matrix_kind {
  random,
  dominant,
  no_diagonal,       // zeros and ones of a random diagonal
  toeplitz,          // (1, 1e-3, 1)
  poisson,           // (-1, 2, -1)
  graded_rows,       // rows times random powers of two
  graded_geometric,  // entries that shrink from row to row
  near_singular,     // (-1, 2 cos(pi / (n + 1)) + tiny, -1): an eigenvalue of Poisson's away
  one_sided,         // large below, small above
  weak_diagonal,     // a diagonal much smaller than what is beside it
};
inline constexpr matrix_kind all_matrix_kinds[] = {matrix_kind::random,           matrix_kind::dominant,
                                                   matrix_kind::no_diagonal,      matrix_kind::toeplitz,
                                                   matrix_kind::poisson,          matrix_kind::graded_rows,
                                                   matrix_kind::graded_geometric, matrix_kind::near_singular,
                                                   matrix_kind::one_sided,        matrix_kind::weak_diagonal};
inline char const* name_of(matrix_kind kind) {
  constexpr char const* names[] = {"random",    "dominant",     "no diagonal",      "Toeplitz",
                                   "Poisson",   "graded rows",  "graded geometric", "near singular",
                                   "one-sided", "weak diagonal"};
  return names[static_cast<int>(kind)];
}

/// In [-1, 1], of both parts where there are two.
template <class T>
wide_number draw_unit(random_source& random) {
  auto const one = [&] { return static_cast<long double>(random.between(-1'000'000, 1'000'000)) / 1e6L; };
  if constexpr (std::is_same_v<T, real_type<T>>) return one();
  else {
    auto const re = one();
    return {re, one()};
  }
}

/// The last pivot of Gaussian elimination with row interchanges, of a matrix that is not cyclic: far from
/// zero where the others are too. Infinite of no rows.
template <class T>
long double last_pivot(tridiagonal_matrix<T> const& m) {
  if (m.size() == 0) return std::numeric_limits<long double>::infinity();
  wide_number here = widened(m.diagonal[0]), next = widened(m.upper[0]);
  for (std::size_t i = 1; i < m.size(); ++i) {
    wide_number pivot = here, beside = next, beyond{};
    wide_number below = widened(m.lower[i]), its_next = widened(m.diagonal[i]),
                its_beyond = widened(m.upper[i]);
    if (std::abs(below) > std::abs(pivot)) {
      std::swap(pivot, below);
      std::swap(beside, its_next);
      std::swap(beyond, its_beyond);
    }
    if (pivot == wide_number{}) return 0;
    here = its_next - below / pivot * beside;
    next = its_beyond - below / pivot * beyond;
  }
  return std::abs(here);
}

template <class T>
tridiagonal_matrix<T> draw_matrix(matrix_kind kind, std::size_t n, random_source& random) {
  tridiagonal_matrix<T> m;
  for (std::size_t i = 0; i < n; ++i) {
    wide_number a = draw_unit<T>(random), b = draw_unit<T>(random), c = draw_unit<T>(random);
    auto const at = static_cast<long double>(i);
    switch (kind) {
    case matrix_kind::random:
      break;
    case matrix_kind::dominant:
      b += 5.0L;
      break;
    case matrix_kind::no_diagonal:
      b = random() % 2 == 0 ? 0.0L : 1.0L;
      break;
    case matrix_kind::toeplitz:
      a = c = 1, b = 1e-3L;
      break;
    case matrix_kind::poisson:
      a = c = -1, b = 2;
      break;
    case matrix_kind::graded_rows: {
      auto const scale = std::ldexp(1.0L, static_cast<int>(random.between(-20, 20)));
      a *= scale, b *= scale, c *= scale;
      break;
    }
    case matrix_kind::graded_geometric: {
      auto const scale = std::pow(0.9L, std::min(at, 200.0L));
      a *= scale, b *= scale, c *= scale;
      break;
    }
    case matrix_kind::near_singular:
      a = c = -1, b = 2 * std::cos(std::acos(-1.0L) / static_cast<long double>(n + 1)) + 1e-4L;
      break;
    case matrix_kind::one_sided:
      a *= 1e3L, b = 1, c *= 1e-3L;
      break;
    case matrix_kind::weak_diagonal:
      b *= 1e-4L;
      break;
    }
    m.lower.push_back(narrowed<T>(a));
    m.diagonal.push_back(narrowed<T>(b));
    m.upper.push_back(narrowed<T>(c));
  }
  // Of a hundred thousand that are drawn, one would be singular but for rounding.
  return kind == matrix_kind::random && last_pivot(m) < 1e-4L ? draw_matrix<T>(kind, n, random) : m;
}

/// Whether row i has a coefficient of the unknown before or behind it.
template <class T>
wide_number lower_of(tridiagonal_matrix<T> const& m, std::size_t i, bool cyclic) {
  return i == 0 && !cyclic ? wide_number{} : widened(m.lower[i]);
}
template <class T>
wide_number upper_of(tridiagonal_matrix<T> const& m, std::size_t i, bool cyclic) {
  return i + 1 == m.size() && !cyclic ? wide_number{} : widened(m.upper[i]);
}

/// max |A x - b| / (|A| |x| + |b|), in the norm of the largest: how far off a matrix is whose solution x is.
template <class T>
long double backward_error(tridiagonal_matrix<T> const& m, std::vector<T> const& b, std::vector<T> const& x,
                           bool cyclic) {
  auto const n = m.size();
  long double residual = 0, norm = 0, of_x = 0, of_b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    auto const lower = lower_of(m, i, cyclic), diagonal = widened(m.diagonal[i]),
               upper = upper_of(m, i, cyclic);
    auto const r = lower * widened(x[(i + n - 1) % n]) + diagonal * widened(x[i]) +
                   upper * widened(x[(i + 1) % n]) - widened(b[i]);
    if (!(std::abs(r) <= residual)) residual = std::abs(r);  // a NaN stays
    norm = std::max(norm, std::abs(lower) + std::abs(diagonal) + std::abs(upper));
    of_x = std::max(of_x, std::abs(widened(x[i])));
    of_b = std::max(of_b, std::abs(widened(b[i])));
  }
  auto const scale = norm * of_x + of_b;
  return residual == 0 ? 0 : residual / scale;
}

/// The solution of a dense system by Gaussian elimination with partial pivoting, in long double; several
/// right-hand sides. Empty where a pivot is zero.
inline std::vector<std::vector<wide_number>> solve_dense(std::vector<std::vector<wide_number>> a,
                                                         std::vector<std::vector<wide_number>> b) {
  auto const n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    auto pivot = k;
    for (auto i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    if (a[pivot][k] == wide_number{}) return {};
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (auto i = k + 1; i < n; ++i) {
      if (a[i][k] == wide_number{}) continue;
      auto const factor = a[i][k] / a[k][k];
      for (auto j = k; j < n; ++j)
        if (a[k][j] != wide_number{}) a[i][j] -= factor * a[k][j];
      for (std::size_t j = 0; j < b[i].size(); ++j) b[i][j] -= factor * b[k][j];
    }
  }
  for (auto k = n; k-- > 0;)
    for (std::size_t j = 0; j < b[k].size(); ++j) {
      for (auto i = k + 1; i < n; ++i)
        if (a[k][i] != wide_number{}) b[k][j] -= a[k][i] * b[i][j];
      b[k][j] /= a[k][k];
    }
  return b;
}

/// The solution and the condition number |A| |A^-1|, of a matrix that is small enough to be looked at whole.
struct known_solution {
  std::vector<wide_number> x;
  long double condition = 0;
};
template <class T>
known_solution solve_widely(tridiagonal_matrix<T> const& m, std::vector<T> const& right, bool cyclic) {
  auto const n = m.size();
  std::vector<std::vector<wide_number>> a(n, std::vector<wide_number>(n)),
      b(n, std::vector<wide_number>(n + 1));
  long double norm = 0, inverse_norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    a[i][(i + n - 1) % n] += lower_of(m, i, cyclic);
    a[i][i] += widened(m.diagonal[i]);
    a[i][(i + 1) % n] += upper_of(m, i, cyclic);
    b[i][i] = 1;
    b[i][n] = widened(right[i]);
    norm = std::max(norm, std::abs(lower_of(m, i, cyclic)) + std::abs(widened(m.diagonal[i])) +
                              std::abs(upper_of(m, i, cyclic)));
  }
  auto const solved = solve_dense(a, b);
  known_solution known;
  for (auto const& row : solved) {
    long double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::abs(row[j]);
    inverse_norm = std::max(inverse_norm, sum);
    known.x.push_back(row[n]);
  }
  known.condition = norm * inverse_norm;
  return known;
}
/// max |x - known| / max |known|
template <class T>
long double forward_error(std::vector<T> const& x, std::vector<wide_number> const& known) {
  long double off = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const here = std::abs(widened(x[i]) - known[i]);
    if (!(here <= off)) off = here;
    largest = std::max(largest, std::abs(known[i]));
  }
  return off == 0 ? 0 : off / largest;
}

/// The solution of n equations of bandwidth `half` to each side, by Gaussian elimination with partial
/// pivoting of rows in long double, one row after the other. entry(i, j) and right(i) give the equations.
/// Empty where a pivot is zero.
template <class Entry, class Right>
std::vector<wide_number> solve_band(std::size_t n, std::size_t half, Entry entry, Right right) {
  auto const width = 3 * half + 1;  // of row i columns [i - half, i + 2 half], after interchanges too
  std::vector<std::vector<wide_number>> a(n, std::vector<wide_number>(width));
  std::vector<wide_number> b(n);
  std::vector<std::size_t> first(n);  // the column that a row's items begin with
  for (std::size_t i = 0; i < n; ++i) {
    first[i] = i < half ? 0 : i - half;
    for (auto j = first[i]; j < std::min(n, i + half + 1); ++j) a[i][j - first[i]] = entry(i, j);
    b[i] = right(i);
  }
  auto const at = [&](std::size_t i, std::size_t j) {
    return j < first[i] || j - first[i] >= width ? wide_number{} : a[i][j - first[i]];
  };
  for (std::size_t k = 0; k < n; ++k) {
    auto const end = std::min(n, k + half + 1);
    auto pivot = k;
    for (auto i = k; i < end; ++i)
      if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
    if (at(pivot, k) == wide_number{}) return {};
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    std::swap(first[k], first[pivot]);
    for (auto i = k + 1; i < end; ++i) {
      auto const factor = at(i, k) / at(k, k);
      std::vector<wide_number> row(width);
      for (auto j = k + 1; j < std::min(n, k + 1 + width); ++j) row[j - k - 1] = at(i, j) - factor * at(k, j);
      a[i] = row;
      first[i] = k + 1;
      b[i] -= factor * b[k];
    }
  }
  for (auto k = n; k-- > 0;) {
    for (auto j = k + 1; j < std::min(n, k + width); ++j) b[k] -= at(k, j) * b[j];
    b[k] /= at(k, k);
  }
  return b;
}

}  // namespace sweep_test

#endif
