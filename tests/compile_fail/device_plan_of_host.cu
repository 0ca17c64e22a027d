// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: this plan was made with a policy of the other side
#include <sweep/spmv_plan.hpp>

void product(int const* offsets, int const* columns, float const* values, float const* x, float* y) {
  sweep::csr_view const a(100, 100, 500, offsets, columns, values);
#if defined(SWEEP_TEST_FIXED)
  sweep::spmv_plan const plan(sweep::device, a, sweep::transposed);
#else
  sweep::spmv_plan const plan(sweep::host, a, sweep::transposed);
#endif
  sweep::spmv(sweep::device, plan, x, y);
}
