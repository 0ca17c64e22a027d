// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a \[\] __device__ lambda cannot be called on the host
#include <sweep/scan.hpp>

#if defined(SWEEP_TEST_FIXED)
#define HERE __host__ __device__
#else
#define HERE __device__
#endif

float* scanned(float* first, float* last) {
  return sweep::inclusive_scan(sweep::host, first, last, first, [] HERE(float a, float b) { return a + b; });
}
