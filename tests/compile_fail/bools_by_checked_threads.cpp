// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: neighbours in a std::vector<bool> share words
#include <sweep/scan.hpp>

#include <functional>
#include <vector>

void parities(std::vector<int> const& x, std::vector<bool>& out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::inclusive_scan(sweep::host, x.begin(), x.end(), out.begin(), std::not_equal_to<bool>{});
#else
  sweep::inclusive_scan(sweep::host.checked(), x.begin(), x.end(), out.begin(), std::not_equal_to<bool>{});
#endif
}
