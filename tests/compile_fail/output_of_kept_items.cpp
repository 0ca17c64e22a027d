// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a result does not become what the output has
#include <sweep/copy_if.hpp>

#include <string>

#if defined(SWEEP_TEST_FIXED)
using kept = long;
#else
using kept = std::string;
#endif

kept* keep(int const* first, int const* last, bool const* flags, kept* out) {
  return sweep::pack(sweep::host, first, last, flags, out);
}
