// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: this policy runs where it does not reach the items
#include <sweep/reduce.hpp>

#include <thrust/device_vector.h>

float sum(thrust::device_vector<float> const& x) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::reduce(sweep::device, x.begin(), x.end(), 0.f);
#else
  return sweep::reduce(sweep::host, x.begin(), x.end(), 0.f);
#endif
}
