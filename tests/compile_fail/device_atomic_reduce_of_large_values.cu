// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the atomic variants of reduce need values of at most 8 bytes
#include <sweep/reduce.hpp>

struct pair {
#if defined(SWEEP_TEST_FIXED)
  int a, b;
#else
  long long a, b;
#endif
};
struct join {
  __host__ __device__ pair operator()(pair const& x, pair const& y) const { return {x.a + y.a, x.b + y.b}; }
};

pair reduced(pair const* first, pair const* last) {
  return sweep::reduce(sweep::device.with(sweep::variant::atomic), first, last, pair{}, join{});
}
