// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_TOLD_IN_GROUPS_CUH
#define SWEEP_DETAIL_AXES_TILE_TOLD_IN_GROUPS_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Tiles side by side tell those behind them what they fold to. They form groups: each tells its own fold,
/// but the last of a group that of all tiles up to it. So each hears what is before it from the last of the
/// group before and from those of its own, and no chain is longer than there are groups. This is what number
/// `nth` of so many hears; its own place is `own`, and `step` lies between neighbours. What a group's last
/// tells may stand apart, in `all` for its own group: where many wait, for whom it is the first they ask for.
template <int Group, class T, bool Apart = false>
struct told_in_groups {
  static constexpr int group = Group;
  slots<T> own;
  int step;
  int nth, tiles;
  slots<T> all{};

  __device__ int before() const { return min(nth, nth % Group + 1); }
  /// What the one so many before it tells: the first of those it hears if `first`.
  __device__ typename slots<T>::found look(int before, bool first) const {
    if constexpr (Apart)
      if (first && nth >= Group) return all.look(-step);
    return own.look(-before * step);
  }

  /// ((first o second) o third) ... of those before, of which so many are asked for at a time.
  template <int AtOnce, unsigned Pause, class Op>
  __device__ optional<T> hear(Op& op) const {
    int const count = before();
    optional<T> sum{};
#pragma unroll
    for (int first = 0; first < Group; first += AtOnce) {
      if (first >= count) break;
      T next[AtOnce];
      bool told[AtOnce] = {};
      for (bool whole = false; !whole;) {  // those that are missing are asked for again
        typename slots<T>::found now[AtOnce];
#pragma unroll
        for (int k = 0; k < AtOnce; ++k)
          if (!told[k] && first + k < count) now[k] = look(count - first - k, first + k == 0);
        whole = true;
#pragma unroll
        for (int k = 0; k < AtOnce; ++k)
          if (!told[k] && first + k < count) {
            told[k] = own.accept(now[k], next[k]);
            whole &= told[k];
          }
        if (!whole) __nanosleep(Pause);
      }
#pragma unroll
      for (int k = 0; k < AtOnce; ++k)
        if (first + k < count) sum = {combine(sum, next[k], op), true};
    }
    return sum;
  }
  /// The fold of all before this tile, absent for the first, where those behind it are told.
  template <int AtOnce, unsigned Pause, class Op>
  __device__ optional<T> exchange(T const& total, Op& op) const {
    bool const tells = nth + 1 < tiles, ends = nth % Group == Group - 1;
    if (tells && !ends) own.publish(0, total);
    auto const heard = hear<AtOnce, Pause>(op);
    if (tells && ends) (Apart ? all : own).publish(0, combine(heard, total, op));
    return heard;
  }
  /// What will be asked for comes to the second-level cache, which tiles that are ahead wrote it to long ago.
  __device__ void fetch() const {
    int count = before();
    if constexpr (Apart)
      if (nth >= Group) {
        all.fetch(-step);
        --count;
      }
    for (int k = 1; k <= count; ++k) own.fetch(-k * step);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
