// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the operator .* returns nothing
#include <sweep/scan.hpp>

struct join {
#if defined(SWEEP_TEST_FIXED)
  int operator()(int a, int b) const { return a + b; }
#else
  void operator()(int a, int b) const { (void)(a + b); }
#endif
};

void scan(int const* first, int const* last, int* out) {
  sweep::inclusive_scan(sweep::host, first, last, out, join{});
}
