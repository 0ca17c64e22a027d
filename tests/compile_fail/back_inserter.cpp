// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: outputs and further inputs must have random-access iterators
#include <sweep/copy_if.hpp>

#include <iterator>
#include <vector>

struct is_even {
  bool operator()(int x) const { return x % 2 == 0; }
};

void even(std::vector<int> const& x, std::vector<int>& out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::copy_if(x, out, is_even{});
#else
  sweep::copy_if(x.begin(), x.end(), std::back_inserter(out), is_even{});
#endif
}
