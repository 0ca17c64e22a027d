// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: behind the input an output is missing
#include <sweep/scan.hpp>

#include <functional>

void scan(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  sweep::inclusive_scan(sweep::host, first, last, first, std::plus<>{});
#else
  sweep::inclusive_scan(sweep::host, first, last, std::plus<>{});
#endif
}
