// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_SCATTER_CHUNK_CUH
#define SWEEP_DETAIL_PARTITION_TILE_SCATTER_CHUNK_CUH

#include <sweep/detail/partition/tile/direct_scatter.cuh>
#include <sweep/detail/partition/tile/ordered_scatter.cuh>

namespace sweep::inline SWEEP_ABI::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// A scanner warp brings the items of its chunk to their places: few of them directly, others as the problem
/// has it. `ordered`: the warp's shared memory; drained() when the buffer has been read and what comes before
/// the tile is needed.
template <class Problem, partition_plan P, class Drained>
__device__ void scatter_chunk(Problem const& problem, unsigned char* ordered, partition_stage<Problem, P>& at,
                              typename partition_stage<Problem, P>::buffer& in, int chunk,
                              Drained const& drained) {
  if constexpr (few_items<Problem, P>::possible && moved_at_once<Problem> == 1) {
    few_items<Problem, P> const few(at, chunk, static_cast<int>(threadIdx.x % 32));
    if (int const most = few.most(); most <= few.most_kept)
      return direct_scatter<Problem, P>(problem).run_few(at, in, chunk, few, most, drained);
  }
  if constexpr (orders_in_shared_memory<Problem>)
    ordered_scatter<Problem, P>(problem, ordered).run(at, in, chunk, drained);
  else direct_scatter<Problem, P>(problem).run(at, in, chunk, drained);
}

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
