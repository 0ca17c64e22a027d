// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_POOL_CUH
#define SWEEP_DETAIL_RUNTIME_POOL_CUH

#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/runtime/asked_once.cuh>
#include <sweep/detail/runtime/error.cuh>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

/// The part of a device's memory that stays with the library's pool, unused, when the host waits. Mapping it
/// anew takes about 1 us a MB, which is a fifth of the time of a large sort; one of a 32nd of the memory
/// finds its scratch there.
inline constexpr std::size_t pool_keeps_part = 32;

/// While it lives this thread may make calls that another thread's capture forbids in general and that do it
/// no harm: nothing here is part of a graph.
class outside_of_captures {
 public:
  outside_of_captures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  outside_of_captures(outside_of_captures const&) = delete;
  outside_of_captures& operator=(outside_of_captures const&) = delete;
  ~outside_of_captures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// The library's pools, one for each device. The device's own is the caller's to set up.
class scratch_pools {
 public:
  static scratch_pools& all() {
    static auto& pools = *new scratch_pools;  // outlives the CUDA context's own teardown
    return pools;
  }
  /// The pool of the current device.
  cudaMemPool_t of(char const* call, int device) {
    auto const at = static_cast<std::size_t>(device);
    held_lock const lock(&mutex_);
    if (pools_.size() <= at) pools_.resize(at + 1);
    if (!pools_[at]) {
      cudaMemPoolProps wanted{};
      wanted.allocType = cudaMemAllocationTypePinned;
      wanted.location.type = cudaMemLocationTypeDevice;
      wanted.location.id = device;
      cudaMemPool_t pool{};
      outside_of_captures const outside;
      check(cudaMemPoolCreate(&pool, &wanted), call, "cudaMemPoolCreate");
      std::size_t unused = 0, total = 0;  // of the current device
      check(cudaMemGetInfo(&unused, &total), call, "cudaMemGetInfo");
      std::uint64_t kept = total / pool_keeps_part;
      check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), call,
            "cudaMemPoolSetAttribute");
      pools_[at] = pool;
    }
    return pools_[at];
  }
  /// None where nothing has been asked of a device yet.
  cudaMemPool_t if_made(int device) {
    held_lock const lock(&mutex_);
    auto const at = static_cast<std::size_t>(device);
    return at < pools_.size() ? pools_[at] : nullptr;
  }

 private:
  std::mutex mutex_;
  std::vector<cudaMemPool_t> pools_;
};

/// Memory of the current device's pool, from where the stream has got to.
inline void* pool_allocate(char const* call, cudaStream_t stream, std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocFromPoolAsync(&memory, bytes, scratch_pools::all().of(call, current_device(call)), stream),
        call, "cudaMallocFromPoolAsync");
  return memory;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
