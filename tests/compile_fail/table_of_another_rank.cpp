// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the input and the output must have as many axes
#include <sweep/summed_area_table.hpp>

void summed(float const* image, float* out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::summed_area_table(sweep::seq, sweep::strided(image, {4, 5}), sweep::strided(out, {4, 5}));
#else
  sweep::summed_area_table(sweep::seq, sweep::strided(image, {4, 5}), sweep::strided(out, {20}));
#endif
}
