// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: adjacent_difference has no variants
#include <sweep/adjacent_difference.hpp>

int* differences(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::adjacent_difference(sweep::host, first, last, first);
#else
  return sweep::adjacent_difference(sweep::host.with(sweep::variant::chained), first, last, first);
#endif
}
