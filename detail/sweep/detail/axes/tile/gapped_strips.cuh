// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_GAPPED_STRIPS_CUH
#define SWEEP_DETAIL_AXES_TILE_GAPPED_STRIPS_CUH

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/divisors.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// How many items are left out behind a strip of all of so many lines, that copies find their boundaries and
/// lanes that have neighbouring lines, and then those of the next strip, meet in few banks.
SWEEP_HD constexpr int gap_of_strips(int lines, int strip, int size, int copied) {
  int const lanes = 128 / (size < 4 ? 4 : size), width = 128 / lanes, each = copied / size;
  int best = 0, best_cost = 1 << 20;
  for (int gap = 0; gap * size < 128; gap += each) {
    int in_bank[32] = {}, most = 0;
    for (int u = 0; u < lanes; ++u) {
      int const at = (u / lines * (strip * lines + gap) + u % lines) * size / width;
      most = ++in_bank[at % lanes] > most ? in_bank[at % lanes] : most;
    }
    // A pass more over the banks costs as much as a sixth of the room.
    int const cost = 6 * gap + most * strip * lines;
    if (cost < best_cost) {
      best = gap;
      best_cost = cost;
    }
  }
  return best;
}

/// Where every so many items from one on stand in shared memory, one after the other, if gaps are left behind
/// strips.
class gapped_places {
 public:
  __device__ gapped_places(small_divisor by_strip, int strip, int gap, int first, int by)
      : strip_{strip}, gap_{gap} {
    int const nth = by_strip.quotient(first), strips = by_strip.quotient(by);
    at_ = first + gap * nth;
    rest_ = first - strip * nth;
    step_ = by + gap * strips;
    rest_of_step_ = by - strip * strips;
  }
  __device__ int at() const { return at_; }
  __device__ void next() {
    at_ += step_;
    rest_ += rest_of_step_;
    if (rest_ >= strip_) {
      rest_ -= strip_;
      at_ += gap_;
    }
  }

 private:
  int strip_, gap_, at_, rest_, step_, rest_of_step_;  ///< rest: items behind the beginning of a strip
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
