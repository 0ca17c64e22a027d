// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a result does not become what the output has
#include <sweep/scan.hpp>

#include <string>

#if defined(SWEEP_TEST_FIXED)
using result = long;
#else
using result = std::string;
#endif

void scan(int const* first, int const* last, result* out) {
  sweep::inclusive_scan(sweep::host, first, last, out);
}
