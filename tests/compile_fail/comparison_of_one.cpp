// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the comparison cannot be called with two items
#include <sweep/extrema.hpp>

#include <vector>

int* least(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  auto const by_last_digit = [](int a, int b) { return a % 10 < b % 10; };
#else
  auto const by_last_digit = [](int a) { return a % 10; };
#endif
  return sweep::min_element(sweep::host, first, last, by_last_digit);
}
