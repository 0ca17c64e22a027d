// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: on the device the accumulator must be trivially copyable
#include <sweep/scan.hpp>

struct amount {
  int value = 0;
#if !defined(SWEEP_TEST_FIXED)
  __host__ __device__ amount() {}
  __host__ __device__ amount(amount const& other) : value(other.value) {}
  __host__ __device__ amount& operator=(amount const& other) {
    value = other.value;
    return *this;
  }
#endif
};
struct join {
  __host__ __device__ amount operator()(amount const& a, amount const& b) const {
    amount sum;
    sum.value = a.value + b.value;
    return sum;
  }
};

amount* scanned(amount* first, amount* last) {
  return sweep::inclusive_scan(sweep::device, first, last, first, join{});
}
