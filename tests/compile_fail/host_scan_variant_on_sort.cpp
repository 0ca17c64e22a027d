// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: on the host a sort has the variants radix and merge
#include <sweep/sort.hpp>

void sorted(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  sweep::sort(sweep::host.with(sweep::variant::merge), first, last);
#else
  sweep::sort(sweep::host.with(sweep::variant::chained), first, last);
#endif
}
