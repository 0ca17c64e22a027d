// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_STREAM_CACHE_CUH
#define SWEEP_DETAIL_RUNTIME_STREAM_CACHE_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/runtime/error.cuh>

#include <cstddef>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

/// What the library keeps of one kind for a stream between calls, made when it is first asked for. None where
/// it cannot be kept: the stream is being captured, or very many streams have theirs already. Streams are
/// known by their id, which the driver does not reuse.
template <class Kept>
Kept* cached_for_stream(char const* call, cudaStream_t stream) {
  constexpr std::size_t most_streams = 64;
  struct entry {
    int device;
    unsigned long long stream;
    std::unique_ptr<Kept> kept;
  };
  cudaStreamCaptureStatus capture{};
  check(cudaStreamIsCapturing(stream, &capture), call, "cudaStreamIsCapturing");
  if (capture != cudaStreamCaptureStatusNone) return nullptr;
  int device = 0;
  unsigned long long id = 0;
  check(cudaGetDevice(&device), call, "cudaGetDevice");
  check(cudaStreamGetId(stream, &id), call, "cudaStreamGetId");
  static std::mutex mutex;
  static auto& all = *new std::vector<entry>;  // outlives the CUDA context's own teardown
  std::lock_guard const lock(mutex);
  for (auto const& one : all)
    if (one.stream == id && one.device == device) return one.kept.get();
  if (all.size() >= most_streams) return nullptr;
  all.push_back({device, id, std::make_unique<Kept>()});
  return all.back().kept.get();
}

/// Small pieces of device memory that calls on one stream use in turn: a piece that a call has given back is
/// the next one's, whose kernels follow on the stream. Asking the driver takes longer than a small kernel.
class scratch_cache {
 public:
  /// So many bytes, by obtain(bytes) where no piece is free; none where too much would be kept.
  template <class Obtain>
  void* take(std::size_t bytes, Obtain obtain) {
    std::lock_guard const lock(mutex_);
    for (auto& one : pieces_)
      if (!one.taken && one.bytes >= bytes) {
        one.taken = true;
        return one.memory;
      }
    auto const larger = std::max(least, 2 * bytes);
    if (larger > most - kept_) return nullptr;
    pieces_.reserve(pieces_.size() + 1);
    pieces_.push_back({obtain(larger), larger, true});
    kept_ += larger;
    return pieces_.back().memory;
  }
  void give_back(void* memory) {
    std::lock_guard const lock(mutex_);
    for (auto& one : pieces_)
      if (one.memory == memory) one.taken = false;
  }

 private:
  static constexpr std::size_t least = std::size_t{64} << 10, most = std::size_t{4} << 20;
  struct piece {
    void* memory;
    std::size_t bytes;
    bool taken;
  };
  std::mutex mutex_;
  std::vector<piece> pieces_;
  std::size_t kept_ = 0;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
