// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a result does not become what the output has
#include <sweep/segmented_reduce.hpp>

#include <string>

#if defined(SWEEP_TEST_FIXED)
using kept = long;
#else
using kept = std::string;
#endif

kept* totals(int const* first, int const* last, float const* x, kept* keys, float* out) {
  return sweep::reduce_by_key(sweep::host, first, last, x, keys, out).first;
}
