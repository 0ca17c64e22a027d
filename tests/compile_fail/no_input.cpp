// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the input comes first
#include <sweep/reduce.hpp>

int sum(int const* first, int const* last) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::reduce(sweep::host, first, last, 0);
#else
  return sweep::reduce(sweep::host, 0, first, last);
#endif
}
