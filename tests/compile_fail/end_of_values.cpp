// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: values have no end of their own
#include <sweep/segmented_scan.hpp>

void sums(int const* keys, int const* keys_end, float const* x, float const* x_end, float* out) {
#if defined(SWEEP_TEST_FIXED)
  (void)x_end;
  sweep::inclusive_scan_by_key(sweep::host, keys, keys_end, x, out);
#else
  sweep::inclusive_scan_by_key(sweep::host, keys, keys_end, x, x_end, out);
#endif
}
