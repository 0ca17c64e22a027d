// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: no form of this call takes these arguments
#include <sweep/top_k.hpp>

#include <vector>

void best(std::vector<float> const& x, std::vector<float>& out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::top_k(x, 3, out);
#else
  sweep::top_k(x, out, 3);  // as many are asked for behind the input
#endif
}
