// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a recurrence multiplies factors with each other and with results
#include <sweep/recurrence.hpp>

struct level {
  float height;
#if defined(SWEEP_TEST_FIXED)
  friend level operator*(level a, level b) { return {a.height * b.height}; }
#endif
  friend level operator+(level a, level b) { return {a.height + b.height}; }
};

level* filter(level a, level const* first, level const* last, level* out) {
  return sweep::linear_recurrence(sweep::host, a, first, last, out);
}
