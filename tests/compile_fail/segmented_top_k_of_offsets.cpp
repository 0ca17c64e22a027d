// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: segments are made of offsets by sweep::segments::by_offsets
#include <sweep/segmented_top_k.hpp>

#include <vector>

void best(std::vector<float> const& x, std::vector<int> const& offsets, std::vector<float>& out) {
#if defined(SWEEP_TEST_FIXED)
  auto const segments = sweep::segments::by_offsets(offsets);
#else
  auto const segments = offsets.begin();
#endif
  sweep::segmented_top_k(x, segments, 3, out);
}
