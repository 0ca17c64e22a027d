// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: no form of this call takes these arguments
#include <sweep/copy_if.hpp>

struct is_even {
  bool operator()(int x) const { return x % 2 == 0; }
};

int* even(int const* first, int const* last, int* out) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::copy_if(sweep::host, first, last, out, is_even{});
#else
  return sweep::copy_if(sweep::host, first, last, out);
#endif
}
