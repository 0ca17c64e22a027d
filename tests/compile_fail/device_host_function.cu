// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// says: "above::operator \(\).*" is undefined in device code
#include <sweep/copy_if.hpp>

#if defined(SWEEP_TEST_FIXED)
#define HERE __host__ __device__
#else
#define HERE
#endif

struct above {
  HERE bool operator()(float x) const { return x > 1; }
};
float* kept(float const* first, float const* last, float* out) {
  return sweep::copy_if(sweep::device, first, last, out, above{});
}
