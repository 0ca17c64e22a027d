// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a plan is made of a whole matrix
#include <sweep/spmv_plan.hpp>

void product(int const* offsets, int const* columns, float const* values, char const* flags, float const* x,
             float* y) {
  sweep::csr_view const a(100, 100, 500, offsets, columns, values);
#if defined(SWEEP_TEST_FIXED)
  sweep::spmv_plan const plan(sweep::host, a);
  sweep::spmv(sweep::host, plan.where(flags), x, y);
#else
  sweep::spmv_plan const plan(sweep::host, a.where(flags));
  sweep::spmv(sweep::host, plan, x, y);
#endif
}
