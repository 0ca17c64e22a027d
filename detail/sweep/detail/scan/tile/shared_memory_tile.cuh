// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_SHARED_MEMORY_TILE_CUH
#define SWEEP_DETAIL_SCAN_TILE_SHARED_MEMORY_TILE_CUH

#include <sweep/detail/block/shared_memory_scan.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>

namespace sweep::detail {

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
    alignas(T) unsigned char places[scanner::places * sizeof(T)];
    alignas(T) unsigned char prefix[sizeof(T)];
    bool has_prefix;
  };

  __device__ scan_shared_memory_tile(Problem const& problem, shared& smem)
      : problem_{problem}, smem_{smem}, at_{reinterpret_cast<T*>(smem.places)} {}

  /// Scans the tile. `exchange` is given the tile's total and answers with the fold of everything before the
  /// tile.
  template <writes What, class Op, class Exchange>
  __device__ void run(tile_window const& window, Op& op, Exchange exchange) {
    scan(window, op);
    lead(exchange);
    if constexpr (What == writes::results) store(op);
  }

 private:
  template <class Op>
  __device__ void scan(tile_window const& window, Op& op) {
    count_ = window.valid_end - window.valid_begin;
    first_ = backward ? window.base + items - 1 - window.valid_begin : window.base + window.valid_begin;
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += threads)
      at_[scanner::place(i)] = problem_.item(memory_of(i));
    __syncthreads();
    scanned_ = scanner::inclusive(at_, count_, op);
  }

  template <class Exchange>
  __device__ void lead(Exchange exchange) {
    if (threadIdx.x < 32) {
      optional<T> const before = exchange(warp_lanes{}, scanned_[scanner::place(count_ - 1)], [] {});
      if (threadIdx.x == 0) {
        *reinterpret_cast<T*>(smem_.prefix) = before.value;
        smem_.has_prefix = before.present;
      }
    }
    __syncthreads();
  }

  template <class Op>
  __device__ void store(Op& op) {
    optional<T> const before{*reinterpret_cast<T const*>(smem_.prefix), smem_.has_prefix};
    constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += threads) {
      T result = before.value;
      if (inclusive || i > 0) {
        T const sum = scanned_[scanner::place(inclusive ? i : i - 1)];
        result = combine(before, sum, op);
      }
      if constexpr (!inclusive) result = problem_.before(result, problem_.heads_at(memory_of(i), 1), 0);
      problem_.out[memory_of(i)] = static_cast<typename Problem::out_value>(result);
    }
  }

  __device__ std::int64_t memory_of(int i) const { return backward ? first_ - i : first_ + i; }

  Problem const& problem_;
  shared& smem_;
  T* at_;
  T* scanned_ = nullptr;
  int count_ = 0;
  std::int64_t first_ = 0;
};

}  // namespace sweep::detail

#endif
