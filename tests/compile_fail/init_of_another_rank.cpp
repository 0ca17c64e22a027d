// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: an array of initial values has one axis less than the input
#include <sweep/axes.hpp>

void scanned(float const* x, float const* init, float* out) {
  auto const in = sweep::strided(x, {4, 5});
  auto const to = sweep::strided(out, {4, 5});
#if defined(SWEEP_TEST_FIXED)
  sweep::exclusive_scan(sweep::seq, in, to, sweep::along(1), sweep::strided(init, {4}));
#else
  sweep::exclusive_scan(sweep::seq, in, to, sweep::along(1), sweep::strided(init, {4, 1}));
#endif
}
