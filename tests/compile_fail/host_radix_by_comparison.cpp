// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: variant::radix sorts numbers by < or >
#include <sweep/sort.hpp>

void down(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  auto const order = sweep::radix_key([](int x) { return -x; });
#else
  auto const order = [](int a, int b) { return -a < -b; };
#endif
  sweep::sort(sweep::host.with(sweep::variant::radix), first, last, order);
}
