// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_STREAM_CACHE_CUH
#define SWEEP_DETAIL_RUNTIME_STREAM_CACHE_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/asked_once.cuh>
#include <sweep/detail/runtime/error.cuh>
#include <sweep/detail/runtime/pool.cuh>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

// What the library keeps for a stream between calls: the state of tiles, so that a scan is a single kernel,
// and small pieces of scratch. Launches on one stream follow each other, so that what one call has given back
// is the next one's.
//
// Nobody says when a stream is destroyed, and its work may go on after that. So the memory of a stream that
// makes no more calls is given back once an event says that its last call is done. An event costs a call time
// and a kernel its early start; none is recorded while what is kept is little (quiet_streams, quiet_bytes).
// So much may stay with streams that nobody uses any more, beside the most that one stream has kept, until
// release_kept().

inline constexpr std::size_t quiet_streams = 1024, most_streams = 2048;  ///< of a device
inline constexpr std::size_t quiet_bytes = std::size_t{32} << 20, most_bytes = std::size_t{256} << 20;
/// Calls on other streams after which a stream counts as idle.
inline constexpr std::uint64_t idle_calls = 16 * most_streams;

/// The state of tiles. Its user holds the mutex until the kernel has been launched.
struct cached_tile_state {
  static constexpr std::size_t most_words = std::size_t{8} << 20;  ///< 64 MiB; larger state is not kept

  std::mutex mutex;
  std::uint32_t stamp = 1, next_ticket = 0;
  std::uint64_t* memory = nullptr;

  /// How many bytes more it has with memory for so many words. Without the mutex that is what it was lately.
  std::size_t more_for(std::size_t words) {
    auto const capacity = atomic_ref<std::uint64_t>(capacity_).load(relaxed);
    return words > capacity ? (wider(words, capacity) - capacity) * sizeof(std::uint64_t) : 0;
  }
  /// Memory for so many words, all of whose stamps are older than the next launch's.
  void reserve(char const* call, cudaStream_t stream, std::size_t words) {
    bool const too_small = words > capacity_, stamps_used_up = stamp == last_stamp;
    if (!too_small && !stamps_used_up) return;
    if (too_small) {
      auto const larger = wider(words, capacity_);
      void* const memory_for_it = pool_allocate(call, stream, larger * sizeof(std::uint64_t));
      if (memory) (void)cudaFreeAsync(memory, stream);
      memory = static_cast<std::uint64_t*>(memory_for_it);
      set_capacity(larger);
    }
    stamp = 1;
    next_ticket = 0;
    auto const cleared = cudaMemsetAsync(memory, 0, capacity_ * sizeof(std::uint64_t), stream);
    if (cleared != cudaSuccess) set_capacity(0);
    check(cleared, call, "cudaMemsetAsync");
  }

 private:
  static std::size_t wider(std::size_t words, std::uint64_t capacity) {
    return std::max(words, std::min(static_cast<std::size_t>(2 * capacity), most_words));
  }
  void set_capacity(std::size_t words) { atomic_ref<std::uint64_t>(capacity_).store(words, relaxed); }

  std::uint64_t capacity_ = 0;
};

/// Small pieces of device memory that calls on one stream use in turn. Asking the driver takes longer than a
/// small kernel.
class scratch_cache {
 public:
  /// So many bytes; none where too much would be kept, or has_room(more) says no.
  template <class HasRoom>
  void* take(char const* call, cudaStream_t stream, std::size_t bytes, HasRoom has_room) {
    held_lock const lock(&mutex_);
    for (auto& one : pieces_)
      if (!one.taken && one.bytes >= bytes) {
        one.taken = true;
        return one.memory;
      }
    auto const larger = std::max(least, 2 * bytes);
    if (larger > most - kept_ || !has_room(larger)) return nullptr;
    pieces_.reserve(pieces_.size() + 1);
    pieces_.push_back({pool_allocate(call, stream, larger), larger, true});
    kept_ += larger;
    return pieces_.back().memory;
  }
  void give_back(void* memory) {
    held_lock const lock(&mutex_);
    for (auto& one : pieces_)
      if (one.memory == memory) one.taken = false;
  }
  template <class F>
  void for_each_piece(F f) {
    for (auto const& one : pieces_) f(one.memory);
  }

 private:
  static constexpr std::size_t least = std::size_t{16} << 10, most = std::size_t{4} << 20;
  struct piece {
    void* memory;
    std::size_t bytes;
    bool taken;
  };
  std::mutex mutex_;
  std::vector<piece> pieces_;
  std::size_t kept_ = 0;
};

/// All that is kept for one stream.
struct kept_for_stream {
  kept_for_stream(int its_device, unsigned long long its_stream) : device{its_device}, stream{its_stream} {}
  kept_for_stream(kept_for_stream const&) = delete;
  kept_for_stream& operator=(kept_for_stream const&) = delete;
  ~kept_for_stream() {
    if (done) (void)cudaEventDestroy(done);
  }

  int const device;
  unsigned long long const stream;
  cached_tile_state tiles;
  scratch_cache pieces;

  std::mutex mutex;      ///< of what follows
  int users = 0;         ///< calls under way
  bool records = false;  ///< `done`, behind each call
  bool covered = false;  ///< it has been recorded behind the last one
  cudaEvent_t done = nullptr;

  std::uint64_t last_use = 0;  ///< these under the lock of all_kept
  std::size_t bytes = 0;
  kept_for_stream* next = nullptr;                     ///< in the bucket
  kept_for_stream *older = nullptr, *newer = nullptr;  ///< by last use
};

/// What is kept for all streams, by device and stream: a hash table with lists. Streams are known by their
/// id, which the driver does not reuse.
class all_kept {
 public:
  static all_kept& instance() {
    static auto& all = *new all_kept;  // outlives the CUDA context's own teardown
    return all;
  }

  /// What is kept for a stream, with one user more; null where there is no room for another stream.
  kept_for_stream* use(int device, unsigned long long id, cudaStream_t stream) {
    held_lock const lock(&mutex_);
    ++calls_;
    auto** at = find(device, id);
    if (!*at) {
      of_device& here = totals(device);
      // Looking for idle ones takes longer than a call.
      if (here.streams >= most_streams || here.bytes >= most_bytes || (crowded(here) && ++made_ % 16 == 0)) {
        make_room(device, stream, 1, 0);
        at = find(device, id);
      }
      if (here.streams >= most_streams || here.bytes >= most_bytes) return nullptr;
      auto made = std::make_unique<kept_for_stream>(device, id);
      if (streams_ >= buckets_.size()) {
        widen();
        at = find(device, id);
      }
      *at = made.release();
      append(**at);
      ++here.streams;
      ++streams_;
    }
    auto& found = **at;
    touch(found);
    held_lock const its(&found.mutex);
    ++found.users;
    found.covered = false;
    found.records = crowded(totals(device));
    return &found;
  }

  /// A user is done with it: what it has launched is behind it on the stream.
  void done(kept_for_stream& kept, cudaStream_t stream) noexcept {
    held_lock const its(&kept.mutex);
    if (kept.records && kept.users == 1) {
      if (!kept.done) {
        outside_of_captures const outside;
        if (cudaEventCreateWithFlags(&kept.done, cudaEventDisableTiming) != cudaSuccess) kept.done = nullptr;
      }
      kept.covered = kept.done && cudaEventRecord(kept.done, stream) == cudaSuccess;
    }
    --kept.users;
  }

  /// Whether there is room for so many bytes more.
  bool has_room(int device, cudaStream_t stream, std::size_t more) {
    if (more == 0) return true;
    held_lock const lock(&mutex_);
    auto& here = totals(device);
    if (here.bytes + more > most_bytes) make_room(device, stream, 0, more);
    return totals(device).bytes + more <= most_bytes;
  }
  void grown(kept_for_stream& kept, std::size_t more) {
    if (more == 0) return;
    held_lock const lock(&mutex_);
    kept.bytes += more;
    auto& here = totals(kept.device);
    here.bytes += more;
    here.largest = std::max(here.largest, kept.bytes);
  }

  /// Gives back what streams keep that make no call just now, when the devices have done their work. Returns
  /// how many bytes that is.
  std::size_t release(char const* call) {
    std::vector<kept_for_stream*> idle;
    {
      held_lock const lock(&mutex_);
      idle.reserve(streams_);
      for (auto& bucket : buckets_)
        for (auto** at = &bucket; *at;) {
          held_lock const its(&(*at)->mutex);
          if ((*at)->users > 0) at = &(*at)->next;
          else idle.push_back(detach(at));
        }
    }
    std::size_t bytes = 0;
    int current = 0, devices = 0;
    check(cudaGetDevice(&current), call, "cudaGetDevice");
    check(cudaGetDeviceCount(&devices), call, "cudaGetDeviceCount");
    cudaError_t result = cudaSuccess;
    for (int device = 0; device < devices; ++device) {
      auto const pool = scratch_pools::all().if_made(device);
      if (!pool) continue;
      note(result, cudaSetDevice(device));
      auto const waited = cudaDeviceSynchronize();
      note(result, waited);
      for (auto*& one : idle) {
        if (!one || one->device != device) continue;
        if (waited == cudaSuccess) {
          bytes += one->bytes;
          give_back(*one, cudaStreamPerThread);
          delete one;
        } else {
          attach(one);  // as if nobody had asked
        }
        one = nullptr;
      }
      note(result, cudaStreamSynchronize(cudaStreamPerThread));
      note(result, cudaMemPoolTrimTo(pool, 0));
    }
    note(result, cudaSetDevice(current));
    check(result, call, "cudaDeviceSynchronize");
    return bytes;
  }

  std::size_t streams(int device) {
    held_lock const lock(&mutex_);
    return totals(device).streams;
  }
  std::size_t bytes(int device) {
    held_lock const lock(&mutex_);
    return totals(device).bytes;
  }

 private:
  struct of_device {
    std::size_t streams = 0, bytes = 0;
    std::size_t largest = 0;  ///< the most that one stream has kept since there were none
  };

  static void note(cudaError_t& first, cudaError_t result) {
    if (first == cudaSuccess) first = result;
  }
  static bool crowded(of_device const& here) {
    return here.streams > quiet_streams || here.bytes > quiet_bytes + here.largest;
  }
  of_device& totals(int device) {
    auto const at = static_cast<std::size_t>(device);
    if (devices_.size() <= at) devices_.resize(at + 1);
    return devices_[at];
  }
  std::size_t bucket_of(int device, unsigned long long id) const {
    auto const mixed = (id + static_cast<unsigned>(device) * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::size_t>(mixed >> 32) & (buckets_.size() - 1);
  }
  /// Where the pointer to it is, or would be.
  kept_for_stream** find(int device, unsigned long long id) {
    auto** at = &buckets_[bucket_of(device, id)];
    while (*at && ((*at)->stream != id || (*at)->device != device)) at = &(*at)->next;
    return at;
  }
  void widen() {
    std::vector<kept_for_stream*> before(2 * buckets_.size());
    before.swap(buckets_);
    for (auto* one : before)
      while (one) {
        auto* const rest = one->next;
        auto** const at = find(one->device, one->stream);
        one->next = nullptr;
        *at = one;
        one = rest;
      }
  }
  void attach(kept_for_stream* one) {
    held_lock const lock(&mutex_);
    auto** const at = find(one->device, one->stream);
    if (*at) return;  // the stream has other memory by now; this is lost
    one->next = nullptr;
    *at = one;
    append(*one);
    auto& here = totals(one->device);
    ++here.streams;
    ++streams_;
    here.bytes += one->bytes;
    here.largest = std::max(here.largest, one->bytes);
  }
  kept_for_stream* detach(kept_for_stream** at) {
    auto* const one = *at;
    *at = one->next;
    unlink(*one);
    auto& here = totals(one->device);
    --here.streams;
    --streams_;
    here.bytes -= one->bytes;
    if (here.streams == 0) here.largest = 0;
    return one;
  }
  static void give_back(kept_for_stream& one, cudaStream_t stream) {
    if (one.tiles.memory) (void)cudaFreeAsync(one.tiles.memory, stream);
    one.pieces.for_each_piece([&](void* piece) { (void)cudaFreeAsync(piece, stream); });
  }

  // By last use, the longest unused first.
  void append(kept_for_stream& one) {
    one.older = newest_;
    one.newer = nullptr;
    (newest_ ? newest_->newer : oldest_) = &one;
    newest_ = &one;
  }
  void unlink(kept_for_stream& one) {
    (one.older ? one.older->newer : oldest_) = one.newer;
    (one.newer ? one.newer->older : newest_) = one.older;
  }
  void touch(kept_for_stream& one) {
    one.last_use = calls_;
    if (newest_ == &one) return;
    unlink(one);
    append(one);
  }

  /// Gives back what idle streams of the device keep, longest unused first, and of others as long as there is
  /// no room for so many streams and bytes more. Only what is known to be done, so nobody waits.
  void make_room(int device, cudaStream_t stream, std::size_t for_streams, std::size_t for_bytes) {
    outside_of_captures const outside;
    auto& here = totals(device);
    int asked = 0;
    for (auto *one = oldest_, *newer = one; one && asked < 64; one = newer) {
      newer = one->newer;
      bool const over = here.streams + for_streams > most_streams || here.bytes + for_bytes > most_bytes;
      if (!over && calls_ - one->last_use <= idle_calls) return;
      if (one->device != device) continue;
      {
        held_lock const its(&one->mutex);
        if (one->users > 0 || !one->covered) continue;
      }
      ++asked;
      if (cudaEventQuery(one->done) == cudaSuccess) {
        std::unique_ptr<kept_for_stream> const gone(detach(find(device, one->stream)));
        give_back(*gone, stream);
      } else {
        if (cudaPeekAtLastError() == cudaErrorNotReady) (void)cudaGetLastError();
        touch(*one);  // not idle after all
      }
    }
  }

  std::mutex mutex_;
  std::uint64_t calls_ = 0, made_ = 0;
  std::size_t streams_ = 0;
  std::vector<kept_for_stream*> buckets_ = std::vector<kept_for_stream*>(256);
  std::vector<of_device> devices_;
  kept_for_stream *oldest_ = nullptr, *newest_ = nullptr;
};

/// The use of what is kept for a stream by one call; of nothing where the stream is being captured, for a
/// graph may run anywhere, or where there is no room for what it would keep.
class kept_use {
 public:
  kept_use() = default;
  kept_use(char const* call, cudaStream_t stream) : stream_{stream} {
    auto const place = place_of(call, stream);
    if (!place.captured) kept_ = all_kept::instance().use(current_device(call), place.id, stream);
  }
  kept_use(kept_use&& other) noexcept : stream_{other.stream_}, kept_{std::exchange(other.kept_, nullptr)} {}
  kept_use& operator=(kept_use&&) = delete;
  ~kept_use() {
    if (kept_) all_kept::instance().done(*kept_, stream_);
  }

  explicit operator bool() const { return kept_ != nullptr; }
  cached_tile_state& tiles() const { return kept_->tiles; }
  /// Whether it has so many words of tile state, or room for them.
  bool has_room_for_tiles(std::size_t words) const {
    return all_kept::instance().has_room(kept_->device, stream_, kept_->tiles.more_for(words));
  }
  /// Under the tiles' mutex.
  void reserve_tiles(char const* call, std::size_t words) const {
    auto const more = kept_->tiles.more_for(words);
    kept_->tiles.reserve(call, stream_, words);
    all_kept::instance().grown(*kept_, more);
  }
  void* take(char const* call, std::size_t bytes) const {
    std::size_t more = 0;
    void* const memory = kept_->pieces.take(call, stream_, bytes, [&](std::size_t wanted) {
      more = wanted;
      return all_kept::instance().has_room(kept_->device, stream_, wanted);
    });
    if (memory) all_kept::instance().grown(*kept_, more);
    return memory;
  }
  void give_back(void* memory) const { kept_->pieces.give_back(memory); }

 private:
  cudaStream_t stream_ = nullptr;
  kept_for_stream* kept_ = nullptr;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
