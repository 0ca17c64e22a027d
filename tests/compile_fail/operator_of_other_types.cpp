// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: .*operator
#include <sweep/scan.hpp>

#include <string>

struct join {
#if defined(SWEEP_TEST_FIXED)
  int operator()(int a, int b) const { return a + b; }
#else
  std::string operator()(std::string const& a, std::string const& b) const { return a + b; }
#endif
};

int* scanned(int* first, int* last) { return sweep::inclusive_scan(sweep::host, first, last, first, join{}); }
