// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_SCRATCH_CUH
#define SWEEP_DETAIL_RUNTIME_SCRATCH_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/runtime/error.cuh>
#include <sweep/detail/runtime/stream_cache.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

inline constexpr std::size_t scratch_alignment = 256;

// Device memory for one call, given back in stream order. The source is what the policy says.

/// Memory that stays with the library's pool, for each device, when the host waits: mapping it anew takes
/// longer than many a call.
inline constexpr std::uint64_t pool_release_threshold = std::uint64_t{64} << 20;

/// The current device's pool. The device's own is the caller's to set up.
inline cudaMemPool_t scratch_pool(char const* call) {
  static std::mutex mutex;
  static auto& pools = *new std::vector<cudaMemPool_t>;  // outlives the CUDA context's own teardown
  int device = 0;
  check(cudaGetDevice(&device), call, "cudaGetDevice");
  auto const at = static_cast<std::size_t>(device);
  std::lock_guard const lock(mutex);
  if (pools.size() <= at) pools.resize(at + 1);
  if (!pools[at]) {
    cudaMemPoolProps wanted{};
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location.type = cudaMemLocationTypeDevice;
    wanted.location.id = device;
    cudaMemPool_t pool{};
    // A pool is no part of a graph, whatever is being captured meanwhile.
    auto mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode), call, "cudaThreadExchangeStreamCaptureMode");
    auto created = cudaMemPoolCreate(&pool, &wanted);
    auto kept = pool_release_threshold;
    if (created == cudaSuccess)
      created = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    check(cudaThreadExchangeStreamCaptureMode(&mode), call, "cudaThreadExchangeStreamCaptureMode");
    check(created, call, "cudaMemPoolCreate");
    pools[at] = pool;
  }
  return pools[at];
}

inline void* obtain(pool_scratch const&, char const* call, cudaStream_t stream, std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocFromPoolAsync(&memory, bytes, scratch_pool(call), stream), call, "cudaMallocFromPoolAsync");
  return memory;
}
inline void give_back(pool_scratch const&, cudaStream_t stream, void* memory, std::size_t) {
  (void)cudaFreeAsync(memory, stream);  // an error here is one that the next call on this stream reports
}

template <class Resource>
void* obtain(resource_scratch<Resource> const& from, char const*, cudaStream_t stream, std::size_t bytes) {
  if constexpr (requires { from.resource->allocate(stream, bytes, scratch_alignment); })
    return from.resource->allocate(stream, bytes, scratch_alignment);
  else if constexpr (requires { from.resource->allocate_async(bytes, scratch_alignment, stream); })
    return from.resource->allocate_async(bytes, scratch_alignment, stream);
  else
    static_assert(never<Resource>, "sweep: a scratch resource needs allocate(stream, bytes, alignment) or "
                                   "allocate_async(bytes, alignment, stream)");
}
template <class Resource>
void give_back(resource_scratch<Resource> const& from, cudaStream_t stream, void* memory, std::size_t bytes) {
  if constexpr (requires { from.resource->deallocate(stream, memory, bytes, scratch_alignment); })
    from.resource->deallocate(stream, memory, bytes, scratch_alignment);
  else from.resource->deallocate_async(memory, bytes, scratch_alignment, stream);
}

/// What is left of the caller's memory for a call's second piece.
struct rest_of_span_scratch {
  std::span<std::byte> bytes;
  std::size_t used;
};
template <class Source>
Source behind(Source const& source, std::byte*) {
  return source;
}
inline rest_of_span_scratch behind(span_scratch const& source, std::byte* used_end) {
  auto const used = static_cast<std::size_t>(used_end - source.bytes.data());
  return {source.bytes.subspan(used), used};
}
inline rest_of_span_scratch behind(rest_of_span_scratch const& source, std::byte* used_end) {
  auto const used = static_cast<std::size_t>(used_end - source.bytes.data());
  return {source.bytes.subspan(used), source.used + used};
}

inline void* obtain(rest_of_span_scratch const& from, char const* call, cudaStream_t, std::size_t bytes) {
  void* memory = from.bytes.data();
  auto space = from.bytes.size();
  if (!std::align(scratch_alignment, bytes, memory, space))
    throw bad_argument(call, "scratch",
                       "has " + std::to_string(from.used + from.bytes.size()) + " bytes, but " +
                           std::to_string(from.used + bytes) + " bytes aligned to 256 are needed (" +
                           std::to_string(from.used + bytes + scratch_alignment - 1) +
                           " serve at any alignment)");
  return memory;
}
inline void* obtain(span_scratch const& from, char const* call, cudaStream_t stream, std::size_t bytes) {
  return obtain(rest_of_span_scratch{from.bytes, 0}, call, stream, bytes);
}
inline void give_back(span_scratch const&, cudaStream_t, void*, std::size_t) {}
inline void give_back(rest_of_span_scratch const&, cudaStream_t, void*, std::size_t) {}

/// So many bytes for the time of a call; none are no memory at all.
template <class Source>
class scratch {
 public:
  scratch(Source const& source, char const* call, cudaStream_t stream, std::size_t bytes)
      : source_{source}, stream_{stream}, bytes_{bytes} {
    if (bytes == 0) return;
    if constexpr (std::is_same_v<Source, pool_scratch>)
      if ((kept_ = cached_for_stream<scratch_cache>(call, stream)))
        memory_ = kept_->take(bytes, [&](std::size_t all) { return obtain(source, call, stream, all); });
    if (memory_) return;
    kept_ = nullptr;
    memory_ = obtain(source, call, stream, bytes);
  }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;
  ~scratch() {
    if (!memory_) return;
    if (kept_) kept_->give_back(memory_);
    else give_back(source_, stream_, memory_, bytes_);
  }

  void* memory() const { return memory_; }

 private:
  Source source_;
  cudaStream_t stream_;
  std::size_t bytes_;
  scratch_cache* kept_ = nullptr;
  void* memory_ = nullptr;
};

/// The policy for what else a call needs scratch for while the first so many bytes of it are taken.
template <class Source, class... Tags>
auto rest_of(device_policy<Source, Tags...> const& policy, scratch<Source> const& taken, std::size_t bytes) {
  auto const rest = behind(policy.scratch_source(), static_cast<std::byte*>(taken.memory()) + bytes);
  return device_policy<std::remove_const_t<decltype(rest)>, Tags...>(policy.stream(), rest);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
