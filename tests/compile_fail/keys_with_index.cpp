// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: what with_index makes is for items: it cannot be flags, keys or lengths
#include <sweep/axes.hpp>

void called(int const* x, int* out) {
  auto const in = sweep::strided(x, {4, 5});
  auto const to = sweep::strided(out, {4, 5});
#if defined(SWEEP_TEST_FIXED)
  auto const keys = in;
#else
  auto const keys = sweep::with_index(in, sweep::along(0));
#endif
  sweep::segmented_inclusive_scan(sweep::seq, in, sweep::segments::by_key(keys), to, sweep::along(1));
}
