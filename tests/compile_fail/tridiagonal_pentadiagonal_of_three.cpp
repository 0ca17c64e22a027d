// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: sweep::pentadiagonal or sweep::banded makes of iterators the system that this call solves
#include <sweep/tridiagonal.hpp>

void solved(float const* right, float* x) {
#if defined(SWEEP_TEST_FIXED)
  sweep::pentadiagonal_solve(sweep::seq, sweep::pentadiagonal(1, 1, 6, 1, 1, right, x, 10));
#else
  sweep::pentadiagonal_solve(sweep::seq, sweep::tridiagonal(1, 4, 1, right, x, 10));
#endif
}
