// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_GRID_BARRIER_CUH
#define SWEEP_DETAIL_RUNTIME_GRID_BARRIER_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/runtime/launch_state.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A barrier of all blocks of a launch, which run at the same time (launch_job, blocks_are::resident). Blocks
/// arrive by drawing tickets; a launch draws as many as its blocks times `most`, whether it met so often or
/// not, so that the host knows where the next launch's tickets begin.
/// One a kernel: how often blocks have met is in shared memory, where it takes no register.
class grid_barrier {
 public:
  __device__ grid_barrier(ticket_counter tickets, unsigned most)
      : at_{reinterpret_cast<std::uint32_t*>(tickets.at)}, first_{tickets.first}, most_{most} {
    if (threadIdx.x == 0) met() = 0;
  }

  /// What this block's threads wrote before, all others see behind wait(). All threads call.
  __device__ void arrive() const {
    __syncthreads();
    if (threadIdx.x == 0) {
      ++met();
      atomic_ref<std::uint32_t>(*at_).fetch_add(1, acq_rel);
    }
  }
  /// All threads call.
  __device__ void wait() const {
    if (threadIdx.x == 0) {
      auto const goal = met() * gridDim.x;
      while (static_cast<std::int32_t>(atomic_ref<std::uint32_t>(*at_).load(acquire) - first_ - goal) < 0) {}
    }
    __syncthreads();
  }
  /// Both.
  __device__ void meet() const {
    arrive();
    wait();
  }
  /// Behind the last wait.
  __device__ void leave() const {
    if (threadIdx.x == 0 && met() < most_) atomic_ref<std::uint32_t>(*at_).fetch_add(most_ - met(), relaxed);
  }

 private:
  __device__ static unsigned& met() {
    __shared__ unsigned met;
    return met;
  }

  std::uint32_t* at_;
  std::uint32_t first_;
  unsigned most_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
