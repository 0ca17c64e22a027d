// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_LANES_CUH
#define SWEEP_DETAIL_LOOKBACK_LANES_CUH

#include <sweep/detail/block/warp.cuh>
#include <sweep/detail/lookback/slots.hpp>

namespace sweep::detail {

/// One warp as the lanes of a look-back: lane i waits for the i-th value, shuffles fold them in operand
/// order.
class warp_lanes {
 public:
  __device__ warp_lanes() : lane_{static_cast<int>(threadIdx.x % 32)} {}

  static constexpr int near_groups =
      2;  ///< whose totals are read one by one, which saves waiting for their sum

  __device__ bool leads() const { return lane_ == 0; }

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

    /// One more value behind the others, given in lane 0.
    __device__ void append(T const& next) {
      T const everywhere = warp_shfl(next, 0);
      if (static_cast<int>(threadIdx.x % 32) == count) value = everywhere;
      ++count;
    }

    /// Valid in lane 0.
    template <class Op>
    __device__ maybe<T> fold(Op& op) const {
      if (count == 0) return {};
      return {warp_fold_right(value, count, op), true};
    }
  };

  template <class T>
  __device__ gathered<T> gather(slots<T> const& from, std::int64_t first, int count) const {
    gathered<T> g{from, first + lane_, count, T{}, lane_ >= count};
    g.poll();
    return g;
  }

  template <class... Gathered>
  __device__ void wait(Gathered&... all) const {
    while (!__all_sync(~0u, (all.poll() & ...))) {}
  }

  /// The window's lane order is operand order: lane 31 holds the nearest predecessor.
  template <class T, class Op>
  __device__ T look_back(slots<T> const& prefixes, slots<T> const& totals, std::int64_t tile, Op& op) const {
    maybe<T> all{};
    for (auto end = tile;; end -= 32) {
      auto const i = end - 32 + lane_;
      T value{};
      bool prefix = false, ready = i < 0;
      do {
        if (!ready) ready = (prefix = prefixes.get(i, value)) || totals.get(i, value);
      } while (!__all_sync(~0u, ready));
      unsigned const with_prefix = __ballot_sync(~0u, prefix);
      int const from = with_prefix ? 31 - __clz(with_prefix) : 0;
      T const here = warp_shfl(warp_fold_right(value, 32, op, from), from);
      all = {all.present ? static_cast<T>(op(here, all.value)) : here, true};
      if (with_prefix) return all.value;
    }
  }

 private:
  int lane_;
};

}  // namespace sweep::detail

#endif
