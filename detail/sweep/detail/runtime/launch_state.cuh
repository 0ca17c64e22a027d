// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_LAUNCH_STATE_CUH
#define SWEEP_DETAIL_RUNTIME_LAUNCH_STATE_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/runtime/stream_cache.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Numbers that a launch's blocks draw, 0 first, each once.
struct ticket_counter {
  std::uint64_t* at = nullptr;
  std::uint32_t first = 0;

  __device__ std::uint32_t draw() const {
    return atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(at)).fetch_add(1, relaxed) - first;
  }
};

/// State kept for a stream between launches, so that a scan is a single kernel: launches on one stream follow
/// each other. Its user holds the mutex until the kernel has been launched.
struct cached_tile_state {
  static constexpr std::size_t most_words = std::size_t{2} << 20;  ///< 16 MiB; larger state is not kept

  std::mutex mutex;
  std::uint32_t stamp = 1, next_ticket = 0;
  std::uint64_t* memory = nullptr;

  /// Memory for so many words, all of whose stamps are older than the next launch's.
  void reserve(char const* call, cudaStream_t stream, std::size_t words) {
    bool const too_small = words > capacity_, stamps_used_up = stamp == last_stamp;
    if (!too_small && !stamps_used_up) return;
    if (too_small) {
      auto const larger = std::max(words, 2 * capacity_);
      void* more = nullptr;
      check(cudaMallocAsync(&more, larger * sizeof(std::uint64_t), stream), call, "cudaMallocAsync");
      if (memory) (void)cudaFreeAsync(memory, stream);
      memory = static_cast<std::uint64_t*>(more);
      capacity_ = larger;
    }
    stamp = 1;
    next_ticket = 0;
    auto const cleared = cudaMemsetAsync(memory, 0, capacity_ * sizeof(std::uint64_t), stream);
    if (cleared != cudaSuccess) capacity_ = 0;
    check(cleared, call, "cudaMemsetAsync");
  }

 private:
  std::size_t capacity_ = 0;
};

/// The tile state of one launch, so many words, and the tickets that its blocks draw: kept for the stream
/// where scratch is the default's, else memory of this call, cleared first. The first word counts tickets,
/// the rest are tile state. Words whose stamp is not this launch's are as good as empty, and tickets count on
/// from the last launch's: what is kept needs no clearing.
template <class Source>
class launch_state {
 public:
  launch_state(Source const& source, char const* call, cudaStream_t stream, std::int64_t words)
      : kept_{kept(call, stream, bytes_of(words))},
        lock_{kept_ ? &kept_->mutex : nullptr},
        own_(source, call, stream, kept_ ? 0 : bytes_of(words)) {
    if (kept_) {
      kept_->reserve(call, stream, bytes_of(words) / sizeof(std::uint64_t));
    } else {
      clear_scratch(call, stream, own_.memory(), bytes_of(words));
    }
  }

  std::uint64_t* tiles() const { return words() + 1; }
  std::uint32_t stamp() const { return kept_ ? kept_->stamp : 1; }
  ticket_counter tickets() const { return {words(), kept_ ? kept_->next_ticket : 0}; }

  /// The kernel is on its way and will draw so many tickets.
  void launched(std::int64_t tickets) {
    if (!kept_ || only_obtains()) return;
    kept_->next_ticket += static_cast<std::uint32_t>(tickets);
    ++kept_->stamp;
  }

 private:
  static std::size_t bytes_of(std::int64_t words) {
    return (static_cast<std::size_t>(words) + 1) * sizeof(std::uint64_t);
  }
  static cached_tile_state* kept(char const* call, cudaStream_t stream, std::size_t bytes) {
    if constexpr (std::is_same_v<Source, pool_scratch>)
      if (bytes <= cached_tile_state::most_words * sizeof(std::uint64_t))
        return cached_for_stream<cached_tile_state>(call, stream);
    return nullptr;
  }
  std::uint64_t* words() const { return kept_ ? kept_->memory : static_cast<std::uint64_t*>(own_.memory()); }

  cached_tile_state* kept_;
  held_lock lock_;
  scratch<Source> own_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
