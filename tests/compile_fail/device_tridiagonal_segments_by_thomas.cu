// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: systems by segments are solved by the default of tridiagonal_solve
#include <sweep/tridiagonal.hpp>

void solved(float const* right, float* x, int const* offsets) {
  auto const systems =
      sweep::tridiagonal(-1, 2, -1, right, x, 10).batch(sweep::segments::by_offsets(offsets, offsets + 4));
#if defined(SWEEP_TEST_FIXED)
  sweep::tridiagonal_solve(sweep::device, systems);
#else
  sweep::tridiagonal_solve(sweep::device.with(sweep::variant::thomas), systems);
#endif
}
