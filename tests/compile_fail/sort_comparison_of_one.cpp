// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the comparison cannot be called with two items
#include <sweep/sort.hpp>

#include <vector>

void sorted(std::vector<int>& x) {
#if defined(SWEEP_TEST_FIXED)
  auto const by_last_digit = sweep::radix_key([](int a) { return a % 10; });
#else
  auto const by_last_digit = [](int a) { return a % 10; };
#endif
  sweep::sort(x, by_last_digit);
}
