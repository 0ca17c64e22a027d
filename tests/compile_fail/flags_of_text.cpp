// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a flag must be what becomes bool
#include <sweep/copy_if.hpp>

#include <string>
#include <vector>

void packed(std::vector<int> const& x, std::vector<std::string> const& flags, std::vector<int>& out) {
#if defined(SWEEP_TEST_FIXED)
  (void)flags;
  sweep::pack(sweep::host, x, x, out);
#else
  sweep::pack(sweep::host, x, flags, out);
#endif
}
