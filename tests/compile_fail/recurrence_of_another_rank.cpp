// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: an array of factors has as many axes as the input, or one less: a factor a line
#include <sweep/recurrence.hpp>

void solved(float const* a, float const* x, float* y) {
  auto const in = sweep::strided(x, {4, 5, 6});
  auto const out = sweep::strided(y, {4, 5, 6});
#if defined(SWEEP_TEST_FIXED)
  sweep::linear_recurrence(sweep::seq, sweep::strided(a, {4, 5}), in, out, sweep::along(2));
#else
  sweep::linear_recurrence(sweep::seq, sweep::strided(a, {4}), in, out, sweep::along(2));
#endif
}
