// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the matrix has values: give an output for them, too
#include <sweep/convert_csr.hpp>

void convert(int const* rows, int const* columns, float const* values, int* offsets, int* indices) {
#if defined(SWEEP_TEST_FIXED)
  static_cast<void>(values);
  sweep::coo_view const a(100, 100, 500, rows, columns);
#else
  sweep::coo_view const a(100, 100, 500, rows, columns, values);
#endif
  sweep::coo_to_csr(sweep::host, a, offsets, indices);
}
