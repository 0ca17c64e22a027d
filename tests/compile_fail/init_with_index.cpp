// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: what with_index makes is for items: it cannot be the initial values
#include <sweep/axes.hpp>
#include <sweep/recurrence.hpp>

void called(float const* x, float* out) {
  auto const in = sweep::strided(x, {4, 5});
  auto const to = sweep::strided(out, {4, 5});
  auto const first = sweep::strided(x, {4});
#if defined(SWEEP_TEST_FIXED)
  auto const init = first;
#else
  auto const init = sweep::with_index(first, sweep::along(0));
#endif
  sweep::linear_recurrence(sweep::seq, 0.5f, in, to, sweep::along(1), init);
}
