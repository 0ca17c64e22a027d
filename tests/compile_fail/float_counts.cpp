// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: counts must be integers
#include <sweep/expand.hpp>

#if defined(SWEEP_TEST_FIXED)
using count = int;
#else
using count = float;
#endif

int* repeat(int const* first, int const* last, count const* counts, int* out) {
  return sweep::expand(sweep::host, first, last, counts, out);
}
