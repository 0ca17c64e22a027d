// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a reduction has variants of its own
#include <sweep/reduce.hpp>

int reduced(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::reduce(sweep::host, first, last);
#else
  return sweep::reduce(sweep::host.with(sweep::variant::chained), first, last);
#endif
}
