// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the value cannot be compared with an item by ==
#include <sweep/count.hpp>

#include <string>

long count(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::count(sweep::host, first, last, 3);
#else
  return sweep::count(sweep::host, first, last, std::string("3"));
#endif
}
