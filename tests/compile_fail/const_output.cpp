// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: an output cannot be written
#include <sweep/scan.hpp>

#if defined(SWEEP_TEST_FIXED)
using output = int*;
#else
using output = int const*;
#endif

void scan(int const* first, int const* last, output out) {
  sweep::exclusive_scan(sweep::host, first, last, out, 0);
}
