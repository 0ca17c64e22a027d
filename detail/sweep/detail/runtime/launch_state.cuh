// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_LAUNCH_STATE_CUH
#define SWEEP_DETAIL_RUNTIME_LAUNCH_STATE_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/runtime/stream_cache.cuh>

#include <optional>

namespace sweep::detail {

/// Numbers that a launch's blocks draw, 0 first, each once.
struct ticket_counter {
  std::uint64_t* at = nullptr;
  std::uint32_t first = 0;

  __device__ std::uint32_t draw() const {
    return atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(at)).fetch_add(1, relaxed) - first;
  }
};

/// The state of one launch as its kernel sees it. The first word counts tickets, the rest are tile state.
/// Words whose tag is not this launch's are as good as empty, and tickets count on from `first_ticket`:
/// nothing needs clearing.
struct launch_state {
  std::uint64_t* words;
  std::uint32_t tag;
  std::uint32_t first_ticket;

  std::uint64_t* tiles() const { return words + 1; }
  ticket_counter tickets() const { return {words, first_ticket}; }
};

/// State kept for a stream between launches, so that a scan is a single kernel: launches on one stream follow
/// each other.
class cached_tile_state {
 public:
  /// The state of a launch on this stream, or none where it cannot be kept, or is large. Its lock is held
  /// until the kernel has been launched.
  class lease {
   public:
    launch_state state{};
    /// The kernel is on its way and will draw so many tickets.
    void launched(std::uint32_t tickets) {
      owner_->next_ticket += tickets;
      ++owner_->tag;
    }

   private:
    friend cached_tile_state;
    explicit lease(cached_tile_state& owner) : lock_{owner.mutex_}, owner_{&owner} {}
    held_lock lock_;
    cached_tile_state* owner_;
  };

  static std::optional<lease> acquire(char const* call, cudaStream_t stream, std::size_t words) {
    if (words > most_words) return std::nullopt;
    auto* const owner = cached_for_stream<cached_tile_state>(call, stream);
    if (!owner) return std::nullopt;
    lease taken(*owner);
    owner->reserve(call, stream, words);
    taken.state = {owner->memory_, owner->tag, owner->next_ticket};
    return taken;
  }

  std::uint32_t tag = 1, next_ticket = 0;

 private:
  static constexpr std::size_t most_words = std::size_t{2} << 20;  // 16 MiB

  /// Memory for so many words, all of whose tags are older than `tag`.
  void reserve(char const* call, cudaStream_t stream, std::size_t words) {
    bool const too_small = words > capacity_, tags_used_up = tag == last_tag;
    if (!too_small && !tags_used_up) return;
    if (too_small) {
      auto const larger = std::max(words, 2 * capacity_);
      void* memory = nullptr;
      check(cudaMallocAsync(&memory, larger * sizeof(std::uint64_t), stream), call, "cudaMallocAsync");
      if (memory_) (void)cudaFreeAsync(memory_, stream);
      memory_ = static_cast<std::uint64_t*>(memory);
      capacity_ = larger;
    }
    tag = 1;
    next_ticket = 0;
    auto const cleared = cudaMemsetAsync(memory_, 0, capacity_ * sizeof(std::uint64_t), stream);
    if (cleared != cudaSuccess) capacity_ = 0;
    check(cleared, call, "cudaMemsetAsync");
  }

  std::mutex mutex_;
  std::uint64_t* memory_ = nullptr;
  std::size_t capacity_ = 0;
};

/// Calls launch(state) with the state of one launch that needs so many words and draws so many tickets: kept
/// for the stream where scratch is the default's, else memory of this call, cleared first.
template <class Source, class Launch>
void with_launch_state(Source const& source, char const* call, cudaStream_t stream, std::int64_t words,
                       std::int64_t tickets, Launch launch) {
  auto const all_words = static_cast<std::size_t>(words) + 1;
  if constexpr (std::is_same_v<Source, pool_scratch>) {
    if (auto kept = cached_tile_state::acquire(call, stream, all_words)) {
      launch(kept->state);
      kept->launched(static_cast<std::uint32_t>(tickets));
      return;
    }
  }
  auto const bytes = all_words * sizeof(std::uint64_t);
  scratch<Source> memory(source, call, stream, bytes);
  check(cudaMemsetAsync(memory.memory(), 0, bytes, stream), call, "cudaMemsetAsync");
  launch(launch_state{static_cast<std::uint64_t*>(memory.memory()), 1, 0});
}

}  // namespace sweep::detail

#endif
