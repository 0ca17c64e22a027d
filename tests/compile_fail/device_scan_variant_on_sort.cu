// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a sort has the variants radix, radix_msd, sample, merge
#include <sweep/sort.hpp>

void sorted(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  auto const policy = sweep::device.with(sweep::variant::split_radix);
#else
  auto const policy = sweep::device.with(sweep::variant::merge);
#endif
  sweep::sort(policy.with(sweep::variant::blelloch), first, last);
}
