// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: on the device a lambda is
#include <sweep/partition.hpp>

int* even(int const* first, int const* last, int* out) {
#if defined(SWEEP_TEST_FIXED)
  auto const is_even = [] __device__(int x) { return x % 2 == 0; };
#else
  auto const is_even = [](int x) { return x % 2 == 0; };
#endif
  return sweep::copy_if(sweep::device, first, last, out, is_even);
}
