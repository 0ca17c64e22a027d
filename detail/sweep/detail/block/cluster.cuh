// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_CLUSTER_CUH
#define SWEEP_DETAIL_BLOCK_CLUSTER_CUH

#include <sweep/version.hpp>

namespace sweep::inline SWEEP_ABI::detail {

// Blocks that run at the same time, near each other, and read each other's shared memory: from sm_90 on.
// Before, a block is a cluster of its own.

inline constexpr int first_arch_with_clusters = 90;
/// Blocks of a cluster at most, on every device that has any.
inline constexpr int most_blocks_of_cluster = 8;

/// What this block's threads wrote before, all threads of the cluster see behind cluster_wait(). All threads
/// call both.
__device__ inline void cluster_arrive() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ inline void cluster_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __syncthreads();
#endif
}
/// What stands in shared memory here, of the cluster's block `rank`. No block may end before others have
/// read.
template <class T>
__device__ T* in_block_of_cluster(T* here, [[maybe_unused]] unsigned rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
  return there;
#else
  return here;
#endif
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
