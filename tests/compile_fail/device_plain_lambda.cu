// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: .*lambda
#include <sweep/scan.hpp>

#if defined(SWEEP_TEST_FIXED)
#define HERE __host__ __device__
#else
#define HERE
#endif

float* scanned(float* first, float* last) {
  return sweep::inclusive_scan(sweep::device, first, last, first,
                               [] HERE(float a, float b) { return a + b; });
}
