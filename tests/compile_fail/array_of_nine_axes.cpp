// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: an array has 1 to 8 axes
#include <sweep/axes.hpp>

auto seen(float const* x) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::strided(x, {1, 2, 1, 2, 1, 2, 1, 2});
#else
  return sweep::strided(x, {1, 2, 1, 2, 1, 2, 1, 2, 1});
#endif
}
