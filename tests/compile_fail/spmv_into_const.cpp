// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a sparse product takes
#include <sweep/spmv.hpp>

#include <vector>

void product(sweep::csr_view<int const*, int const*, float const*> const& a, std::vector<float> const& x,
             std::vector<float>& y) {
#if defined(SWEEP_TEST_FIXED)
  sweep::spmv(sweep::host, a, x, y);
#else
  sweep::spmv(sweep::host, a, y, x);
#endif
}
