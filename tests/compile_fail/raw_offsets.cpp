// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: segments are made of offsets by sweep::segments::by_offsets
#include <sweep/segmented_reduce.hpp>

#include <vector>

void sums(std::vector<float> const& x, std::vector<int> const& offsets, std::vector<float>& out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::segmented_reduce(sweep::host, x.begin(), x.end(), sweep::segments::by_offsets(offsets), out.begin());
#else
  sweep::segmented_reduce(sweep::host, x.begin(), x.end(), offsets.begin(), offsets.end(), out.begin());
#endif
}
