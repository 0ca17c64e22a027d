// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_HOST_CELLS_CUH
#define SWEEP_DETAIL_RUNTIME_HOST_CELLS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/threads.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/error.cuh>
#include <sweep/detail/runtime/pool.cuh>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

// Where kernels leave a value for a host that waits for it: words of the host's own memory that every device
// can write, of which each says by its stamp that it is there. A copy and a wait for the stream take longer
// than a small kernel. A cell serves one call at a time and has as many stamps as calls.

/// One of them; none where at is null.
struct host_cell {
  std::uint64_t* at = nullptr;
  std::uint32_t stamp = 0;
};

class host_cells {
 public:
  static constexpr std::size_t most_bytes = 64;  ///< of a value

  static host_cells& instance() {
    static auto& cells = *new host_cells;  // outlives the CUDA context's own teardown
    return cells;
  }

  /// None where all are taken, or where devices cannot write the host's memory at its own address.
  host_cell take() noexcept {
    held_lock const lock(&mutex_);
    if (!asked_) {
      asked_ = true;
      map();
    }
    if (free_.empty()) return {};
    auto* const at = free_.back();
    free_.pop_back();
    auto& stamp = stamps_[static_cast<std::size_t>(at - words_) / words_of_one];
    if (stamp == last_stamp) {
      for (std::size_t w = 0; w < words_of_one; ++w) at[w] = 0;
      stamp = 0;
    }
    return {at, ++stamp};
  }
  void give_back(host_cell cell) noexcept {
    held_lock const lock(&mutex_);
    free_.push_back(cell.at);  // there was room for all
  }

 private:
  static constexpr std::size_t words_of_one = most_bytes / 4, count = 128, page = 4096;

  void map() noexcept {
    try {
      free_.reserve(count);
      stamps_.assign(count, 0);
    } catch (std::bad_alloc const&) { return; }
    constexpr std::size_t bytes = count * words_of_one * sizeof(std::uint64_t);
    auto* const memory = ::operator new (bytes, std::align_val_t{page}, std::nothrow);
    if (!memory) return;
    words_ = static_cast<std::uint64_t*>(memory);
    for (std::size_t w = 0; w < count * words_of_one; ++w) words_[w] = 0;
    outside_of_captures const outside;
    void* on_device = nullptr;
    auto const mapped =
        cudaHostRegister(memory, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped) == cudaSuccess;
    if (!mapped || cudaHostGetDevicePointer(&on_device, memory, 0) != cudaSuccess || on_device != memory) {
      if (mapped) (void)cudaHostUnregister(memory);
      (void)cudaGetLastError();
      return forget();
    }
    for (std::size_t i = count; i-- > 0;) free_.push_back(words_ + i * words_of_one);
  }
  void forget() noexcept {
    ::operator delete (words_, std::align_val_t{page});
    words_ = nullptr;
    free_.clear();
  }

  std::mutex mutex_;
  bool asked_ = false;
  std::uint64_t* words_ = nullptr;
  std::vector<std::uint64_t*> free_;
  std::vector<std::uint32_t> stamps_;
};

/// A little later, in a loop that polls.
inline void pause_polling() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
/// How often the host looks before it leaves the waiting to the driver: some tens of microseconds.
inline constexpr int most_polls = 1000;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
