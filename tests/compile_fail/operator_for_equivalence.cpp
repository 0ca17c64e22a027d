// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: what compares the keys comes before the operator
#include <sweep/segmented_scan.hpp>

#include <functional>

float* totals(int const* first, int const* last, float const* x, float* out) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::inclusive_scan_by_key(sweep::host, first, last, x, out, std::equal_to<>{}, std::plus<>{});
#else
  return sweep::inclusive_scan_by_key(sweep::host, first, last, x, out, std::plus<>{});
#endif
}
