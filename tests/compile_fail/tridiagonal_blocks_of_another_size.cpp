// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: coefficients of blocks are sweep::small_matrix with as many rows as a block has unknowns
#include <sweep/tridiagonal.hpp>

void solved(sweep::small_matrix<float, 2> const* diagonal, sweep::small_vector<float, 2>* two,
            sweep::small_vector<float, 3>* three) {
#if defined(SWEEP_TEST_FIXED)
  (void)three;
  sweep::tridiagonal_solve(sweep::seq, sweep::tridiagonal(-1, diagonal, -1, two, two, 10));
#else
  (void)two;
  sweep::tridiagonal_solve(sweep::seq, sweep::tridiagonal(-1, diagonal, -1, three, three, 10));
#endif
}
