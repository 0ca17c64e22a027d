// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the policy is the first argument
#include <sweep/scan.hpp>

int* scanned(int const* first, int const* last, int* out) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::inclusive_scan(sweep::host, first, last, out);
#else
  return sweep::inclusive_scan(first, last, out, sweep::host);
#endif
}
