// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a summed-area table is made of arrays
#include <sweep/summed_area_table.hpp>

#include <vector>

void summed(std::vector<float> const& image, std::vector<float>& out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::summed_area_table(sweep::seq, sweep::strided(image.data(), {4, 5}),
                           sweep::strided(out.data(), {4, 5}));
#else
  sweep::summed_area_table(sweep::seq, image, out);
#endif
}
