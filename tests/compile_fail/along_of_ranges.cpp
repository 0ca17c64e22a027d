// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: along.axis. goes with arrays
#include <sweep/axes.hpp>

#include <vector>

void summed(std::vector<float> const& image, std::vector<float>& out) {
#if defined(SWEEP_TEST_FIXED)
  sweep::inclusive_scan(sweep::host, sweep::strided(image.data(), {4, 5}), sweep::strided(out.data(), {4, 5}),
                        sweep::along(0));
#else
  sweep::inclusive_scan(sweep::host, image, out, sweep::along(0));
#endif
}
