// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: sweep::tridiagonal makes of iterators the system that this call solves
#include <sweep/tridiagonal.hpp>

void solved(double const* lower, double const* diagonal, double const* upper, double* x) {
#if defined(SWEEP_TEST_FIXED)
  sweep::tridiagonal_solve(sweep::seq, sweep::tridiagonal(lower, diagonal, upper, x, x, 10));
#else
  sweep::tridiagonal_solve(sweep::seq, lower, diagonal, upper, x, x, 10);
#endif
}
