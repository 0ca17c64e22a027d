// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a search has no variants
#include <sweep/search.hpp>

int* search(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::find(sweep::host, first, last, 3);
#else
  return sweep::find(sweep::host.with(sweep::variant::chained), first, last, 3);
#endif
}
