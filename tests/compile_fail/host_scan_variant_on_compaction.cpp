// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a compaction has no such variant across tiles
#include <sweep/copy_if.hpp>

struct is_even {
  SWEEP_HD bool operator()(int v) const { return v % 2 == 0; }
};

int* selected(int* first, int* last, int* out) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::copy_if(sweep::host.with(sweep::variant::chained), first, last, out, is_even{});
#else
  return sweep::copy_if(sweep::host.with(sweep::variant::reduce_then_scan), first, last, out, is_even{});
#endif
}
