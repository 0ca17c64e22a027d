// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: beside two iterators factors are an iterator or one value
#include <sweep/recurrence.hpp>

#include <vector>

void solve(std::vector<double> const& a, std::vector<double> const& x, double* y) {
#if defined(SWEEP_TEST_FIXED)
  sweep::linear_recurrence(sweep::host, a, x, y);
#else
  sweep::linear_recurrence(sweep::host, a, x.data(), x.data() + 10, y);
#endif
}
