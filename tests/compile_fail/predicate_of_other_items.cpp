// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the predicate cannot be called with an item
#include <sweep/copy_if.hpp>

#include <string>

struct is_long {
#if defined(SWEEP_TEST_FIXED)
  bool operator()(int x) const { return x > 9; }
#else
  bool operator()(std::string const& x) const { return x.size() > 9; }
#endif
};

int* long_ones(int const* first, int const* last, int* out) {
  return sweep::copy_if(sweep::host, first, last, out, is_long{});
}
