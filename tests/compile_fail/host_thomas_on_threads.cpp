// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the algorithms of tridiagonal_solve are for sweep::device
#include <sweep/tridiagonal.hpp>

void solved(double const* lower, double const* diagonal, double const* upper, double* x) {
#if defined(SWEEP_TEST_FIXED)
  auto const policy = sweep::host.with(sweep::variant::no_pivoting);
#else
  auto const policy = sweep::host.with(sweep::variant::thomas);
#endif
  sweep::tridiagonal_solve(policy, sweep::tridiagonal(lower, diagonal, upper, x, x, 10));
}
