// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a conversion takes
#include <sweep/convert_csr.hpp>

#include <vector>

#if defined(SWEEP_TEST_FIXED)
using output = std::vector<int>;
#else
using output = std::vector<int> const;
#endif
void convert(int const* offsets, int const* columns, output& rows) {
  sweep::csr_to_coo(sweep::host, sweep::csr_view(100, 100, 500, offsets, columns, columns), rows);
}
