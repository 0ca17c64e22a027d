// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_SHARED_MEMORY_TILE_CUH
#define SWEEP_DETAIL_SCAN_TILE_SHARED_MEMORY_TILE_CUH

#include <sweep/detail/block/shared_memory_scan.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that holds its tile in shared memory, one item per place, scanned there by one of the
/// classic algorithms (block/shared_memory_scan.cuh). The items that exist stand in places [0, count) of the
/// memory.
template <class Problem, within_tile How>
class scan_shared_memory_tile {
  using T = typename Problem::value;
  using scanner = shared_memory_scan<T, How>;
  static constexpr bool backward = Problem::towards == direction::backward;

 public:
  static constexpr int items = scanner::items, threads = scanner::threads;

  struct shared {
    uninitialized<T, scanner::places> places;
    uninitialized<T> prefix;
    bool has_prefix;
  };

  __device__ scan_shared_memory_tile(Problem const& problem, shared& smem) : problem_{problem}, smem_{smem} {}

  static constexpr bool has_look_back_warp = false;

  template <class Work>
  __device__ void with_items(tile_window const& window, Work work) {
    window_ = window;
    work(*this);
  }

  __device__ void load() {
    count_ = window_.count();
    first_ = backward ? window_.base + items - 1 - window_.valid_begin : window_.base + window_.valid_begin;
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += threads)
      put_bytes(smem_.places[scanner::place(i)], problem_.item(memory_of(i)));
    __syncthreads();
  }

  template <class Op>
  __device__ void scan(Op& op) {
    scanned_ = scanner::inclusive(smem_.places.data(), count_, op);
  }

  /// One warp's work; `publish` is given the tile's total and answers with the fold of everything before it.
  template <class Op, class Publish>
  __device__ void await_look_back(Op&, Publish publish) {
    if (threadIdx.x < 32) {
      optional<T> const before = publish(warp_lanes{}, scanned_[scanner::place(count_ - 1)], no_work{});
      if (threadIdx.x == 0) {
        put_bytes(smem_.prefix.value(), before.value);
        smem_.has_prefix = before.present;
      }
    }
    __syncthreads();
  }

  template <class Op>
  __device__ void store(Op& op) {
    optional<T> const before{smem_.prefix.value(), smem_.has_prefix};
    constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += threads) {
      T result = before.value;
      if (inclusive || i > 0) result = combine(before, scanned_[scanner::place(inclusive ? i : i - 1)], op);
      if constexpr (!inclusive) result = problem_.before(result, problem_.heads_at(memory_of(i), 1), 0);
      problem_.put(memory_of(i), result);
    }
  }

 private:
  __device__ std::int64_t memory_of(int i) const { return backward ? first_ - i : first_ + i; }

  Problem const& problem_;
  shared& smem_;
  T* scanned_ = nullptr;
  tile_window window_{};
  int count_ = 0;
  std::int64_t first_ = 0;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
