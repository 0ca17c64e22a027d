// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_MARKED_PLACES_CUH
#define SWEEP_DETAIL_SORT_TILE_MARKED_PLACES_CUH

#include <sweep/detail/core/config.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// By a warp, whose lanes have 16 bytes of places each that follow one another: the first place of a bin is
/// marked by its number, others by zero, and each(i, bin) is called with the bin of the lane's place i, the
/// greatest mark up to it. `before` is the greatest of the places before, and then of these, too.
template <class Mark, class Each>
__device__ void each_bin_of_places(uint4 const& marks, unsigned& before, Each each) {
  constexpr int bits = 8 * static_cast<int>(sizeof(Mark)), of_word = 32 / bits, above = 32 - bits;
  unsigned const words[] = {marks.x, marks.y, marks.z, marks.w}, highest = marks.w != 0   ? marks.w
                                                                           : marks.z != 0 ? marks.z
                                                                           : marks.y != 0 ? marks.y
                                                                                          : marks.x;
  int const lane = static_cast<int>(threadIdx.x % 32);
  unsigned last = max(before, highest >> (above - (__clz(static_cast<int>(highest | 1)) & above)));
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    unsigned const left = __shfl_up_sync(~0u, last, by);
    if (lane >= by) last = max(last, left);
  }
  unsigned bin = __shfl_up_sync(~0u, last, 1);
  if (lane == 0) bin = before;
  before = __shfl_sync(~0u, last, 31);
#pragma unroll
  for (int i = 0; i < 4 * of_word; ++i) {
    bin = max(bin, words[i / of_word] >> i % of_word * bits & ((1u << bits) - 1));
    each(i, bin);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
