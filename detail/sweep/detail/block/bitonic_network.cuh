// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_BITONIC_NETWORK_CUH
#define SWEEP_DETAIL_BLOCK_BITONIC_NETWORK_CUH

#include <sweep/version.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// By so many threads, a warp's or a block's, which meet() lets wait for each other: brings numbers in shared
/// memory in order, however they lie, by a bitonic network (Batcher 1968), as if ones stood behind them.
/// There is room for a power of two of numbers, at least one for each thread.
template <int Threads, class Number, class Meet>
__device__ void sort_by_network(Number* numbers, int count, Meet const& meet) {
  int const thread = static_cast<int>(threadIdx.x % Threads);
  int padded = Threads;
  while (padded < count) padded *= 2;
  for (int i = count + thread; i < padded; i += Threads) numbers[i] = static_cast<Number>(~Number{0});
  meet();
#pragma unroll 1
  for (int length = 2; length <= padded; length *= 2)
#pragma unroll 1
    for (int apart = length / 2; apart > 0; apart /= 2) {
#pragma unroll 2
      for (int pair = thread; pair < padded / 2; pair += Threads) {
        int const a = 2 * pair - (pair & (apart - 1)), b = a + apart;
        Number const x = numbers[a], y = numbers[b];
        if ((y < x) == ((a & length) == 0)) {
          numbers[a] = y;
          numbers[b] = x;
        }
      }
      meet();
    }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
