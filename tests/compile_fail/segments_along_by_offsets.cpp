// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: segments along an axis are by_head_flags or by_key of an array, or of_lines
#include <sweep/axes.hpp>

void scanned(float const* x, int const* offsets, float* out) {
  auto const in = sweep::strided(x, {4, 5});
  auto const to = sweep::strided(out, {4, 5});
#if defined(SWEEP_TEST_FIXED)
  auto const lengths = sweep::segments::of_lines(sweep::strided(offsets, {4}));
  sweep::segmented_inclusive_scan(sweep::seq, in, lengths, to, sweep::along(1));
#else
  auto const segments = sweep::segments::by_offsets(offsets, offsets + 5);
  sweep::segmented_inclusive_scan(sweep::seq, in, segments, to, sweep::along(1));
#endif
}
