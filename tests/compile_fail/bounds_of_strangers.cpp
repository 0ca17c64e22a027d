// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the comparison cannot be called with two items, or with an item and a value
#include <sweep/bounds.hpp>

#include <string>

int* position(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::lower_bound(sweep::host, first, last, 3);
#else
  return sweep::lower_bound(sweep::host, first, last, std::string("3"));
#endif
}
