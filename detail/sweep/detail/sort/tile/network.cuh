// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_NETWORK_CUH
#define SWEEP_DETAIL_SORT_TILE_NETWORK_CUH

#include <sweep/version.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// A sorting network in registers: which words are compared does not depend on how they compare, so that
/// lanes of a warp sort ranges of their own side by side. Sorts N * Lanes words, of which each of as many
/// neighbouring lanes has N, whichever: then lane l has those that come behind l * N others. By all lanes of
/// a warp.
template <int N, int Lanes>
class sorting_network {
 public:
  static __device__ void sort(unsigned (&x)[N]) {
    sort_lane(x);
    merge_lanes<1>(x);
  }

 private:
  static __device__ void exchange(unsigned& a, unsigned& b) {
    unsigned const low = min(a, b), high = max(a, b);
    a = low;
    b = high;
  }
  /// Batcher's odd-even merge sort.
  static __device__ void sort_lane(unsigned (&x)[N]) {
#pragma unroll
    for (int run = 1; run < N; run *= 2)
#pragma unroll
      for (int by = run; by >= 1; by /= 2)
#pragma unroll
        for (int i = 0; i < N; ++i) {
          int const from = i - by % run;
          if (from >= 0 && from % (2 * by) < by && i + by < N && i / (2 * run) == (i + by) / (2 * run))
            exchange(x[i], x[i + by]);
        }
  }
  /// Runs of so many lanes each: pairs of them become bitonic, and are halved until each lane has its own.
  template <int Run>
  static __device__ void merge_lanes(unsigned (&x)[N]) {
    if constexpr (Run < Lanes) {
      int const lane = static_cast<int>(threadIdx.x % 32);
      bool upper = (lane & Run) != 0;
#pragma unroll
      for (int k = 0; k < N / 2; ++k) {
        unsigned const low = __shfl_xor_sync(~0u, x[N - 1 - k], 2 * Run - 1),
                       high = __shfl_xor_sync(~0u, x[k], 2 * Run - 1);
        x[k] = half(x[k], low, upper);
        x[N - 1 - k] = half(x[N - 1 - k], high, upper);
      }
#pragma unroll
      for (int by = Run / 2; by >= 1; by /= 2) {
        upper = (lane & by) != 0;
#pragma unroll
        for (int k = 0; k < N; ++k) x[k] = half(x[k], __shfl_xor_sync(~0u, x[k], by), upper);
      }
#pragma unroll
      for (int by = N / 2; by >= 1; by /= 2)
#pragma unroll
        for (int k = 0; k < N; ++k)
          if (k % (2 * by) < by) exchange(x[k], x[k + by]);
      merge_lanes<2 * Run>(x);
    }
  }
  static __device__ unsigned half(unsigned own, unsigned other, bool upper) {
    return (own < other) != upper ? own : other;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
