// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: on the host a sort has the variants radix and merge
#include <sweep/top_k.hpp>

void best(int* first, int* last, int* out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::top_k(sweep::host.with(sweep::variant::merge), first, last, 3, out);
#else
  sweep::top_k(sweep::host.with(sweep::variant::chained), first, last, 3, out);
#endif
}
