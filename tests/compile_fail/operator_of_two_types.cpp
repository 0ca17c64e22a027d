// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the operator of a scan must fold two of its results
#include <sweep/scan.hpp>

#include <string>
#include <vector>

#if defined(SWEEP_TEST_FIXED)
using letter = std::string;
#else
using letter = char;
#endif

void scan(std::vector<letter> const& x, std::vector<std::string>& out) {
  sweep::inclusive_scan(
      sweep::host, x.begin(), x.end(), out.begin(),
      [](std::string const& text, letter const& next) { return text + next; }, std::string());
}
