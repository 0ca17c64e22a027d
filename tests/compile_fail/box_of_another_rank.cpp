// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a window and the output must have as many axes as the table
#include <sweep/summed_area_table.hpp>

void blurred(float const* table, float* out) {
  auto const sums = sweep::strided(table, {4, 5});
#if defined(SWEEP_TEST_FIXED)
  sweep::box_sum(sweep::seq, sums, sweep::around(1, 1), sweep::strided(out, {4, 5}));
#else
  sweep::box_sum(sweep::seq, sums, sweep::around(1, 1, 1), sweep::strided(out, {4, 5}));
#endif
}
