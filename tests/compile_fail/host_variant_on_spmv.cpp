// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: variants of sparse products are for sweep::device
#include <sweep/spmv.hpp>

void product(int const* offsets, int const* columns, float const* values, float const* x, float* y) {
  sweep::csr_view const a(100, 100, 500, offsets, columns, values);
#if defined(SWEEP_TEST_FIXED)
  sweep::spmv(sweep::host, a, x, y);
#else
  sweep::spmv(sweep::host.with(sweep::variant::row_vector), a, x, y);
#endif
}
