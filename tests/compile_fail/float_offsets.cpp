// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: offsets must be integers
#include <sweep/segmented_reduce.hpp>

#include <vector>

#if defined(SWEEP_TEST_FIXED)
using offset = int;
#else
using offset = float;
#endif

void sums(std::vector<float> const& x, std::vector<offset> const& offsets, std::vector<float>& out) {
  sweep::segmented_reduce(sweep::host, x, sweep::segments::by_offsets(offsets), out);
}
