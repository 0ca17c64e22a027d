// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a scan or a segmented reduction has variants across tiles and within a tile, and a scan_plan
#include <sweep/segmented_reduce.hpp>

float* reduced(float const* first, float const* last, int const* offsets, float* sums) {
  auto const rows = sweep::segments::by_offsets(offsets, offsets + 11);
#if defined(SWEEP_TEST_FIXED)
  return sweep::segmented_reduce(sweep::device, first, last, rows, sums);
#else
  return sweep::segmented_reduce(sweep::device.with(sweep::plan<sweep::reduce_plan{}>), first, last, rows,
                                 sums);
#endif
}
