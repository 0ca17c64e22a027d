// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a histogram with a bin for each key needs keys that are integers
#include <sweep/histogram.hpp>

void count(float const* x, int* counts) {
#if defined(SWEEP_TEST_FIXED)
  sweep::histogram_even(sweep::host, x, x + 100, counts, 10, 0, 1);
#else
  sweep::histogram(sweep::host, x, x + 100, counts, 10);
#endif
}
