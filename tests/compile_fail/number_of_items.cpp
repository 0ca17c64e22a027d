// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: behind the begin of the input comes its end
#include <sweep/reduce.hpp>

int sum(int const* x, int n) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::reduce(sweep::host, x, x + n);
#else
  return sweep::reduce(sweep::host, x, n);
#endif
}
