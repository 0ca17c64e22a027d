// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conjugate gradients: solves A x = b for a symmetric positive definite matrix, from a Matrix Market file or
// of the five-point Laplacian of a square grid, and plots how the residual falls.
//   example_conjugate_gradients [matrix.mtx]

#include "matrix_market.hpp"

#include <sweep/sweep.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

matrix_market::entries<double> laplacian(int side) {
  matrix_market::entries<double> all{side * side, side * side, {}, {}, {}};
  auto const add = [&](int r, int c, double value) {
    all.row.push_back(r);
    all.column.push_back(c);
    all.value.push_back(value);
  };
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      int const r = i * side + j;
      add(r, r, 4);
      if (i > 0) add(r, r - side, -1);
      if (j > 0) add(r, r - 1, -1);
      if (j + 1 < side) add(r, r + 1, -1);
      if (i + 1 < side) add(r, r + side, -1);
    }
  return all;
}

double dot(std::vector<double> const& a, std::vector<double> const& b) {
  return sweep::inner_product(sweep::host, a.begin(), a.end(), b.begin(), 0.0);
}
/// y = x + alpha y
void add_scaled(std::vector<double>& y, double alpha, std::vector<double> const& x) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + alpha * y[i];
}

}  // namespace

int main(int argc, char** argv) try {
  auto const read = argc > 1 ? matrix_market::read_file<double>(argv[1]) : laplacian(60);
  auto const matrix = matrix_market::compress(sweep::host, read);
  auto const a = matrix.view();
  if (a.rows != a.columns) throw std::runtime_error("the matrix is not square");
  auto const n = static_cast<std::size_t>(a.rows);
  std::vector<double> x(n, 0), r(n, 1), p = r, q(n);
  double const start = dot(r, r);
  double rr = start;
  int steps = 0;
  for (; rr > 1e-20 * start && steps < 2000; ++steps) {
    sweep::spmv(sweep::host, a, p, q);
    double const alpha = rr / dot(p, q);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    double const next = dot(r, r);
    add_scaled(p, next / rr, r);
    rr = next;
    if (steps % 10 == 0)
      std::printf("%4d %9.1e %s\n", steps, std::sqrt(rr / start),
                  std::string(static_cast<std::size_t>(60 + 3 * std::log10(rr / start)), '#').c_str());
  }
  // r = b - A x in one call, with nothing carried along.
  std::vector<double> check(n, 1);
  sweep::spmv(sweep::host, -1.0, a, x, 1.0, check);
  double const residual = std::sqrt(dot(check, check) / start);
  std::printf("%d steps, residual %.1e\n", steps, residual);
  return residual < 1e-8 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
