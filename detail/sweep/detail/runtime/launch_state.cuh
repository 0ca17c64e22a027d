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
  /// Drawn when work is done: who draws the last number sees what all others did before.
  __device__ std::uint32_t arrive() const {
    return atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(at)).fetch_add(1, acq_rel) - first;
  }
};

/// The tile state of one launch, so many words, and the tickets that its blocks draw: kept for the stream
/// where scratch is the default's, else memory of this call, cleared first. The first word counts tickets,
/// those from the third on are tile state. Words whose stamp is not this launch's are as good as empty, and
/// tickets count on from the last launch's: what is kept needs no clearing.
template <class Source>
class launch_state {
 public:
  launch_state(Source const& source, char const* call, cudaStream_t stream, std::int64_t words)
      : kept_{use(call, stream, bytes_of(words))},
        lock_{kept_ ? &kept_.tiles().mutex : nullptr},
        own_(source, call, stream, kept_ ? 0 : bytes_of(words)) {
    if (kept_) {
      kept_.reserve_tiles(call, bytes_of(words) / sizeof(std::uint64_t));
    } else {
      clear_scratch(call, stream, own_.memory(), bytes_of(words));
    }
  }

  std::uint64_t* tiles() const { return words() + before_tiles; }
  std::uint32_t stamp() const { return kept_ ? kept_.tiles().stamp : 1; }
  ticket_counter tickets() const { return {words(), kept_ ? kept_.tiles().next_ticket : 0}; }

  /// The kernel is on its way and will draw so many tickets.
  void launched(std::int64_t tickets) {
    if (!kept_ || only_obtains()) return;
    kept_.tiles().next_ticket += static_cast<std::uint32_t>(tickets);
    ++kept_.tiles().stamp;
  }

 private:
  static constexpr int before_tiles = 2;  ///< words: tile state begins on a boundary of 16 bytes
  static std::size_t bytes_of(std::int64_t words) {
    return (static_cast<std::size_t>(words) + before_tiles) * sizeof(std::uint64_t);
  }
  static kept_use use(char const* call, cudaStream_t stream, std::size_t bytes) {
    if constexpr (std::is_same_v<Source, pool_scratch>)
      if (bytes <= cached_tile_state::most_words * sizeof(std::uint64_t)) {
        kept_use kept(call, stream);
        if (kept && kept.has_room_for_tiles(bytes / sizeof(std::uint64_t))) return kept;
      }
    return {};
  }
  std::uint64_t* words() const {
    return kept_ ? kept_.tiles().memory : static_cast<std::uint64_t*>(own_.memory());
  }

  kept_use kept_;
  held_lock lock_;
  scratch<Source> own_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
