// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: an array is reduced along as many axes as it has at most
#include <sweep/axes.hpp>

void reduced(float const* x, float* out) {
  auto const in = sweep::strided(x, {4, 5});
  auto const to = sweep::strided(out, {1});
#if defined(SWEEP_TEST_FIXED)
  sweep::reduce(sweep::seq, in, to, sweep::along(0, 1));
#else
  sweep::reduce(sweep::seq, in, to, sweep::along(0, 1, 2));
#endif
}
