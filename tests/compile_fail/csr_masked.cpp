// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a masked matrix is not converted
#include <sweep/convert_csr.hpp>

void transpose(int const* offsets, int const* columns, float const* values, char const* flags, int* to,
               int* indices, float* its_values) {
  sweep::csr_view const a(100, 100, 500, offsets, columns, values);
#if defined(SWEEP_TEST_FIXED)
  static_cast<void>(flags);
  sweep::transpose_csr(sweep::host, a, to, indices, its_values);
#else
  sweep::transpose_csr(sweep::host, a.where(flags), to, indices, its_values);
#endif
}
