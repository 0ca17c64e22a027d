// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the input must have random-access iterators
#include <sweep/scan.hpp>

#include <list>
#include <vector>

#if defined(SWEEP_TEST_FIXED)
using items = std::vector<int>;
#else
using items = std::list<int>;
#endif

int* scanned(items const& from, int* to) {
  return sweep::inclusive_scan(sweep::host, from.begin(), from.end(), to);
}
