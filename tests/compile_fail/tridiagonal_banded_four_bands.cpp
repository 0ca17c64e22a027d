// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a banded system has 3, 5, 7 or 9 bands
#include <sweep/tridiagonal.hpp>

void solved(float const* right, float* x) {
#if defined(SWEEP_TEST_FIXED)
  sweep::banded_solve(sweep::seq, sweep::banded(right, x, 10, 1, 4, 1));
#else
  sweep::banded_solve(sweep::seq, sweep::banded(right, x, 10, 1, 4, 1, 1));
#endif
}
