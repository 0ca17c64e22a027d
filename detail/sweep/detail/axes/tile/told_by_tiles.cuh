// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_TOLD_BY_TILES_CUH
#define SWEEP_DETAIL_AXES_TILE_TOLD_BY_TILES_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The ordered look-back of lookback/tile_state.hpp, in the same brackets, of tiles that have several chunks
/// and tell one total of them: 1 << bits neighbours of a group of 32 chunks. A lane hears of one tile of the
/// last 32, so that the totals of as many groups as tiles have chunks are not waited for.
template <class T>
struct told_by_tiles {
  static constexpr std::int64_t fan = 32;
  static std::int64_t words(std::int64_t chunks, int bits) {
    return ((chunks >> bits) + chunks / fan + chunks / (fan * fan) + 3) * slots<T>::words;
  }

  int bits;
  std::int64_t far_supers;  ///< from the first group's total to what comes before supergroups
  slots<T> tiles, groups;
  __device__ told_by_tiles(std::uint64_t* at, std::int64_t chunks, int chunk_bits, std::uint32_t stamp)
      : bits{chunk_bits},
        far_supers{chunks / fan},
        tiles{at, stamp},
        groups{at + ((chunks >> bits) + 1) * slots<T>::words, stamp} {}

  /// By a warp, of which lane c has the fold `up_to` of the tile's `count` chunks up to c: what comes before
  /// chunk c. Only the last tile, of which nobody hears, has fewer than others.
  template <int Windows, class Op>
  __device__ optional<T> exchange(std::int64_t tile, int count, T const& up_to, Op& op) const {
    int const lane = static_cast<int>(threadIdx.x % 32), each = 1 << bits, of_group = 32 >> bits;
    bool const whole = count == each;
    auto const group = tile >> (5 - bits), super = group / fan;
    int const nth = static_cast<int>(tile & (of_group - 1)), nth_group = static_cast<int>(group % fan),
              near = min(nth_group, Windows * each - 1), to = 32 - of_group + nth;
    if (lane == each - 1 && whole) tiles.publish(tile, up_to);
    auto const first = (group - (each - 1)) * of_group;
    // Of groups no more than 31 are asked for: the last lane hears of all that comes before them.
    bool lacks_tile[Windows], lacks_above = lane < nth_group - near || (lane == 31 && super > 0);
    auto const nth_above = lane == 31 ? far_supers + super : super * fan + lane;  // counted from groups
    auto const hears =
        [&](int w) {  // of a tile of this supergroup in window w, behind which are those before
          return lane >> (5 - bits) >= each * (w + 1) - 1 - nth_group && (w > 0 || lane < to);
        };
    T x[Windows], above{};
#pragma unroll
    for (int w = 0; w < Windows; ++w) {
      x[w] = {};
      lacks_tile[w] = hears(w);
    }
    auto const wait = [&](bool for_tiles_alone) {
      for (;;) {
        typename slots<T>::found of_tile[Windows], of_above;
        bool lacks = false;
#pragma unroll
        for (int w = 0; w < Windows; ++w)
          if (lacks_tile[w]) of_tile[w] = tiles.look(first - 32 * w + lane);
        if (lacks_above) of_above = groups.look(nth_above);
#pragma unroll
        for (int w = 0; w < Windows; ++w) {
          if (lacks_tile[w]) lacks_tile[w] = !tiles.accept(of_tile[w], x[w]);
          lacks |= lacks_tile[w];
        }
        if (lacks_above) lacks_above = !groups.accept(of_above, above);
        if (__all_sync(~0u, !lacks && (for_tiles_alone || !lacks_above))) return;
        __nanosleep(100);
      }
    };
    bool const ends = whole && nth == of_group - 1;
    wait(ends);
    // The last lane has what comes before the tile in its group.
    T in_group = up_to;
    bool present = lane < count;
#pragma unroll 1
    for (int by = 1; by < of_group; by *= 2) {
      if ((nth & by) != 0) {
        T const block = warp_shfl(x[0], (to & ~(by - 1)) - 1);
        if (present) in_group = op(block, in_group);
        else if (lane == 31) in_group = block;
        present |= lane == 31;
      }
#pragma unroll
      for (int w = 0; w < Windows; ++w) {
        T const left = warp_shfl(x[w], ((lane & ~(by - 1)) - 1) & 31);
        if ((lane & by) != 0 && hears(w)) x[w] = op(left, x[w]);
      }
    }
    if (ends) {
      if (lane == each - 1) groups.publish(group, in_group);
      wait(false);
    }
    int const back = nth_group - lane;  // groups
#pragma unroll
    for (int w = 0; w < Windows; ++w) {
      T const nearby = warp_shfl(x[w], ((each * (w + 1) - back) * of_group - 1) & 31);
      if (back > 0 && back <= near && back >> bits == w) above = nearby;
    }
#pragma unroll 1
    for (int by = 1; by < nth_group; by *= 2) {
      T const right = warp_shfl_down(above, by);
      if (lane + by < nth_group) above = op(above, right);
    }
    optional<T> all{warp_shfl(above, 31), super > 0};
    all = combine(all, optional<T>{warp_shfl(above, 0), nth_group > 0}, op);
    if (ends && nth_group == fan - 1 && lane == each - 1)
      groups.publish(far_supers + super + 1, combine(all, in_group, op));
    T const left = warp_shfl(in_group, (lane + 31) % 32);
    if (lane >= count) return {};
    return combine(all, optional<T>{left, lane > 0 || nth > 0}, op);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
