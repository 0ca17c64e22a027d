// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: segments say already where systems begin
#include <sweep/tridiagonal.hpp>

void solved(float const* right, float* x, int const* offsets) {
  auto const systems =
      sweep::tridiagonal(-1, 2, -1, right, x, 10).batch(sweep::segments::by_offsets(offsets, offsets + 4));
#if defined(SWEEP_TEST_FIXED)
  sweep::tridiagonal_solve(sweep::seq, systems);
#else
  sweep::tridiagonal_solve(sweep::seq, systems.batch(3));
#endif
}
