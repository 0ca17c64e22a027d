// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: what with_index makes is for items: it cannot be a table of sums
#include <sweep/sweep.hpp>

void called(float const* x, float* out) {
  auto const in = sweep::strided(x, {4, 5});
  auto const to = sweep::strided(out, {4, 5});
#if defined(SWEEP_TEST_FIXED)
  auto const table = in;
#else
  auto const table = sweep::with_index(in, sweep::along(0));
#endif
  sweep::box_sum(sweep::seq, table, sweep::around(1, 1), to);
}
