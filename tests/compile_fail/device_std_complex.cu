// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: std::complex computes on the host alone: on the device use cuda::std::complex
#include <sweep/scan.hpp>

#include <cuda/std/complex>

#include <complex>

#if defined(SWEEP_TEST_FIXED)
using number = cuda::std::complex<float>;
#else
using number = std::complex<float>;
#endif

number* scanned(number* first, number* last) {
  return sweep::inclusive_scan(sweep::device, first, last, first);
}
