// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: forward or backward is the last argument
#include <sweep/scan.hpp>

#include <functional>

int* scanned(int const* first, int const* last, int* out) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::inclusive_scan(sweep::host, first, last, out, std::plus<>{}, sweep::backward);
#else
  return sweep::inclusive_scan(sweep::host, first, last, out, sweep::backward, std::plus<>{});
#endif
}
