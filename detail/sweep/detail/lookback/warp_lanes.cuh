// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_WARP_LANES_CUH
#define SWEEP_DETAIL_LOOKBACK_WARP_LANES_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/shuffle.cuh>

namespace sweep::detail {

/// One warp as the lanes of a look-back: lane i waits for the i-th value, shuffles fold them in operand
/// order.
class warp_lanes {
 public:
  __device__ warp_lanes() : lane_{static_cast<int>(threadIdx.x % 32)} {}

  static constexpr int near_groups =
      2;  ///< whose totals are read one by one, which saves waiting for their sum

  __device__ bool elected() const { return lane_ == 0; }

  template <class T>
  struct gathered {
    slots<T> from;
    std::int64_t at;
    int count;
    T value;
    bool ready;

    __device__ bool poll() {
      if (!ready) ready = from.get(at, value);
      return ready;
    }

    /// Whether there is a value that those before it do not matter to, with all that follow it.
    __device__ bool complete() const {
      if constexpr (may_ignore_left<T>) {
        auto const missing = __ballot_sync(~0u, !ready);
        return absorbing() > missing;
      } else {
        return false;
      }
    }

    /// One more value behind the others, given in lane 0.
    __device__ void append(T const& next) {
      T const everywhere = warp_shfl(next, 0);
      if (static_cast<int>(threadIdx.x % 32) == count) value = everywhere;
      ++count;
    }

    /// Valid in lane 0. Begins at the last value that those before it do not matter to: the same one whether
    /// or not those had come.
    template <class Op>
    __device__ optional<T> fold(Op& op) const {
      if (count == 0) return {};
      if constexpr (may_ignore_left<T>) {
        auto const starts = absorbing();
        int const from = starts ? 31 - __clz(static_cast<int>(starts)) : 0;
        return {warp_shfl(warp_reduce_right(value, count, op, from), from), true};
      } else {
        return {warp_reduce_right(value, count, op), true};
      }
    }

   private:
    __device__ unsigned absorbing() const {
      int const lane = static_cast<int>(threadIdx.x % 32);
      return __ballot_sync(~0u, ready && lane < count && ignores_left(value));
    }
  };

  template <class T>
  __device__ gathered<T> gather(slots<T> const& from, std::int64_t first, int count) const {
    gathered<T> g{from, first + lane_, count, T{}, lane_ >= count};
    g.poll();
    return g;
  }

  /// Waits for all of them, the nearest given first; or until a value has come that those before it do not
  /// matter to, and all that are nearer.
  template <class Nearest, class... Farther>
  __device__ void wait(Nearest& nearest, Farther&... farther) const {
    while (!__all_sync(~0u, nearest.poll() & (farther.poll() & ... & true)))
      if (nearest.complete()) return;
  }

  /// The window's lane order is operand order: lane 31 holds the nearest predecessor.
  template <class T, class Op>
  __device__ T look_back(slots<T> const& prefixes, slots<T> const& totals, std::int64_t tile, Op& op) const {
    optional<T> all{};
    for (auto end = tile;; end -= 32) {
      auto const i = end - 32 + lane_;
      T value{};
      bool prefix = false, ready = i < 0;
      do {
        if (!ready) ready = (prefix = prefixes.get(i, value)) || totals.get(i, value);
      } while (!__all_sync(~0u, ready));
      unsigned const with_prefix = __ballot_sync(~0u, prefix);
      int const from = with_prefix ? 31 - __clz(with_prefix) : 0;
      T const here = warp_shfl(warp_reduce_right(value, 32, op, from), from);
      all = {all.present ? static_cast<T>(op(here, all.value)) : here, true};
      if (with_prefix) return all.value;
    }
  }

 private:
  int lane_;
};

}  // namespace sweep::detail

#endif
