// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: segments are made of offsets by .*flags by by_head_flags
#include <sweep/segmented_scan.hpp>

#include <vector>

void sums(std::vector<float> const& x, std::vector<char> const& flags, std::vector<float>& out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::segmented_inclusive_scan(sweep::host, x, sweep::segments::by_head_flags(flags.begin()), out);
#else
  sweep::segmented_inclusive_scan(sweep::host, x, flags, out);
#endif
}
