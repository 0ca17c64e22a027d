// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the map must have integers
#include <sweep/gather.hpp>

struct place {
  int row, column;
};

void move(place const* map, int const* fixed_map, float const* x, float* out) {
#if defined(SWEEP_TEST_FIXED)
  static_cast<void>(map);
  sweep::gather(sweep::host, fixed_map, fixed_map + 100, x, out);
#else
  static_cast<void>(fixed_map);
  sweep::gather(sweep::host, map, map + 100, x, out);
#endif
}
