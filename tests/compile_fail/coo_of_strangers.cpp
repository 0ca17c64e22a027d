// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: single entries are given as a coo_view
#include <sweep/convert_csr.hpp>

void convert(int const* rows, int const* columns, float const* values, int* offsets, int* indices,
             float* to) {
#if defined(SWEEP_TEST_FIXED)
  sweep::coo_view const a(100, 100, 500, rows, columns, values);
#else
  sweep::csr_view const a(100, 100, 500, rows, columns, values);
#endif
  sweep::coo_to_csr(sweep::host, a, offsets, indices, to);
}
