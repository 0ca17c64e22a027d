// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: tridiagonal systems are of float, double, or complex numbers of these
#include <sweep/tridiagonal.hpp>

void solved(int const* right, int* x, float* y) {
#if defined(SWEEP_TEST_FIXED)
  (void)x;
  sweep::tridiagonal_solve(sweep::seq, sweep::tridiagonal(-1, 2, -1, right, y, 10));
#else
  (void)y;
  sweep::tridiagonal_solve(sweep::seq, sweep::tridiagonal(-1, 2, -1, right, x, 10));
#endif
}
