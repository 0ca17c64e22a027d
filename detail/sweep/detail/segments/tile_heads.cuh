// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_TILE_HEADS_CUH
#define SWEEP_DETAIL_SEGMENTS_TILE_HEADS_CUH

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

struct told_nobody {
  template <class Where>
  __device__ void operator()(Where) const {}
};

/// The head bits of one tile of at most so many items and of the item behind it, in shared memory, which its
/// block finds from where segments begin.
template <int Items>
struct tile_heads {
  static SWEEP_HD constexpr int words_of(int items) { return (items + 1 + 31) / 32; }
  std::uint32_t bits[words_of(Items) + 1];
  unsigned sums[32];      ///< of warps
  unsigned before[3][2];  ///< of the offsets that are looked at in a round, how many lie before each end
  bool reach[2];          ///< whether the offsets at hand reach before and behind the tile
  int lead;               ///< how many items before the tile, in scan order, its first segment begins

  /// Those of so many items, by some threads, before any marks.
  __device__ void clear(int items, int thread, int threads) {
    for (int w = thread; w <= words_of(items); w += threads) bits[w] = 0;
    if (thread == 0) lead = 0x7fffffff;
    if (thread < 2) before[0][thread] = 0;
  }

  /// The tile's first item in scan order lies behind its edge, backward before it: a segment that begins so
  /// many items away is its own where none does that is nearer.
  __device__ void nearer_lead(std::int64_t items) { atomicMin(&lead, shortened(items)); }

  /// What a thread looks at first of so many offsets, where it looks at all.
  template <class Offsets>
  static __device__ value_of<Offsets> first_probe(Offsets const& offsets, std::int64_t count) {
    if (count <= static_cast<int>(blockDim.x)) return {};
    return offsets[min(probe_place(probe_shift(count)), count - 1)];
  }
  /// By the whole block: the segments that begin among the tile's `items` from item `base` on, and of those
  /// around them some, the nearest included. In each round every thread looks at one offset for either end,
  /// in the first at the same one, which it has asked for before; `synchronize` is called in each.
  struct segment_range {
    std::int64_t first, last;
  };
  template <class Offsets, class Synchronize>
  __device__ segment_range find(Offsets const& offsets, std::int64_t count, std::int64_t base, int items,
                                value_of<Offsets> const& first_probe, Synchronize synchronize) {
    int const threads = static_cast<int>(blockDim.x);
    std::int64_t low[2] = {0, 0}, width = count;  // the ends lie in [low, low + width]
    int cell = 0;
#pragma unroll 1
    for (bool first = true; width > threads; first = false) {
      int const shift = probe_shift(width);
      bool before_end[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        auto const s = probe_place(shift);
        before_end[k] = s < width && low[k] + s < count &&
                        static_cast<std::int64_t>(first ? first_probe : offsets[low[k] + s]) <
                            base + (k == 0 ? 0 : items + 1);
      }
      int const next = cell < 2 ? cell + 1 : 0, thread = static_cast<int>(threadIdx.x);
      if (thread < 2) before[next][thread] = 0;
#pragma unroll
      for (int k = 0; k < 2; ++k)
        if (unsigned const all = __ballot_sync(~0u, before_end[k]); all != 0 && thread % 32 == 0)
          atomicAdd(&before[cell][k], __popc(all));
      synchronize();
#pragma unroll
      for (int k = 0; k < 2; ++k) low[k] += std::int64_t{before[cell][k]} << shift;
      width = (std::int64_t{1} << shift) - 1;
      cell = next;
    }
    return {max(low[0] - 1, std::int64_t{0}), min(low[1] + width + 1, count)};
  }

  /// By the whole block, of these segments, from item `base` on. Of those around them begins(where) is told
  /// where they begin, counted from there.
  template <class Offsets, class Begins = told_nobody>
  __device__ void mark(Offsets const& offsets, segment_range among, std::int64_t base, int items,
                       Begins begins = {}) {
    auto const [first, last] = among;
    auto const threads = static_cast<int>(blockDim.x);
    if (last - first > 8 * Items) {  // most of them are empty: each item looks for one that begins with it
      for (int k = static_cast<int>(threadIdx.x); k <= items; k += threads) {
        auto const s = first_from(offsets, first, last, base + k);
        auto const told = [&](std::int64_t other) {
          begins(static_cast<std::int64_t>(offsets[other]) - base);
        };
        if (s < last && static_cast<std::int64_t>(offsets[s]) == base + k)
          atomicOr(bits + k / 32, 1u << k % 32);
        if (k == 0 && s > first) told(s - 1);
        if ((k == 0 || k == items) && s < last) told(s);
      }
      return;
    }
    constexpr int at_once = 4;  // rows of offsets that are asked for together
    for (auto row = first; row < last; row += at_once * threads) {
      std::int64_t const mine = row + threadIdx.x;
      value_of<Offsets> asked[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) asked[k] = offsets[min(mine + k * threads, last - 1)];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (row + k * threads >= last) break;
        auto const where = static_cast<std::int64_t>(asked[k]) - base;
        begins(where);
        // Lanes whose bits share a word set them together.
        auto const at = mine + k * threads < last ? static_cast<std::uint64_t>(where) : ~std::uint64_t{0};
        bool const marks = at <= static_cast<std::uint64_t>(items);
        unsigned const word = marks ? static_cast<unsigned>(at) / 32 : ~0u, bit = 1u << at % 32,
                       with = __match_any_sync(~0u, word);
        unsigned const all = __reduce_or_sync(with, bit);
        if (marks && __ffs(static_cast<int>(with)) - 1 == static_cast<int>(threadIdx.x % 32))
          atomicOr(bits + word, all);
      }
    }
  }

  /// The offsets of n items that stand about where the mean length tells that those of a tile do, and the one
  /// that this thread looks at first where all are searched, as they were read: whoever asks for more waits
  /// for none of them.
  template <class Offset>
  struct near_offsets {
    static constexpr int rows = 2;
    std::int64_t start, count;
    Offset at[rows], probe;
    __device__ std::int64_t operator[](int r) const { return static_cast<std::int64_t>(at[r]); }
  };
  /// Which they are, and what is read of them, by the whole block; Probes: with the one that it looks at
  /// first.
  static __device__ std::int64_t first_near(std::int64_t count, std::int64_t n, std::int64_t base,
                                            int items) {
    auto const some = static_cast<std::int64_t>(near_offsets<int>::rows) * blockDim.x;
    auto const middle = static_cast<std::int64_t>(static_cast<float>(base + items / 2) *
                                                  (static_cast<float>(count) / static_cast<float>(n)));
    return max(min(middle - some / 2, count - some), std::int64_t{0});
  }
  template <bool Probes, class Offsets>
  static __device__ auto ask_near(Offsets const& offsets, std::int64_t count, std::int64_t start) {
    near_offsets<value_of<Offsets>> near{start, count, {}, {}};
    int const threads = static_cast<int>(blockDim.x);
    if (count > 0) {
#pragma unroll
      for (int r = 0; r < near.rows; ++r)
        near.at[r] = offsets[min(start + r * threads + static_cast<int>(threadIdx.x), count - 1)];
      if (Probes && count > near.rows * threads) near.probe = first_probe(offsets, count);
    }
    return near;
  }

  /// By the whole block, in place of find() and mark(), which it is sooner than, since no load waits for
  /// another. Once all have, has_near() says whether the offsets hold all that lead into the tile.
  template <class Offset>
  __device__ void mark_near(near_offsets<Offset> const& near, std::int64_t base, int items) {
    constexpr int rows = near_offsets<Offset>::rows;
    int const threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    if (thread == 0) reach[0] = near.start == 0 || near[0] <= base;
    if (thread == threads - 1)
      reach[1] = near.start + rows * threads >= near.count || near[rows - 1] > base + items;
    if (near.count <= 0) return;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      // Of segments that begin in one place the last is enough.
      bool const repeated = warp_shfl_down(near.at[r], 1) == near.at[r] && thread % 32 < 31;
      auto const place = static_cast<std::uint64_t>(near[r]) - static_cast<std::uint64_t>(base);
      if (place <= static_cast<std::uint64_t>(items) && !repeated)
        atomicOr(bits + place / 32, 1u << place % 32);
    }
  }
  __device__ bool has_near() const { return reach[0] && reach[1]; }

  /// By the whole block.
  template <direction Towards, class Offset>
  __device__ void find_lead(near_offsets<Offset> const& near, std::int64_t edge) {
    int const lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int r = 0; r < near.rows; ++r) {
      auto const at = near[r];
      if constexpr (Towards == direction::forward) {
        unsigned const before = __ballot_sync(~0u, at <= edge);
        if (before != 0 && lane == 31 - __clz(static_cast<int>(before))) nearer_lead(edge - at);
      } else {
        unsigned const behind = __ballot_sync(~0u, at >= edge);
        if (behind != 0 && lane == __ffs(static_cast<int>(behind)) - 1) nearer_lead(at - edge);
      }
    }
  }

  /// By the whole block, in place of find() and mark(): segments begin where the lengths before them end, of
  /// which there are few, and of items, too: 32 bits hold what they add up to. Each thread adds up
  /// neighbouring lengths, then `synchronize` is called once by all; whose lengths do not lead into the tile
  /// has nothing to mark. Of those that do begins(where) is told where they begin and end, from `base` on.
  template <class Lengths, class Synchronize, class Begins = told_nobody>
  __device__ void mark_lengths(Lengths const& lengths, std::int64_t few, std::int64_t n, std::int64_t base,
                               int items, Synchronize synchronize, Begins begins = {}) {
    constexpr int at_once = 4;  // lengths that a thread asks for together
    detail::plus add{};
    int const threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x),
              lane = thread % 32, warp = thread / 32, count = static_cast<int>(few),
              each = (count + threads - 1) / threads, begin = min(thread * each, count),
              end = min(begin + each, count);
    unsigned some[at_once], sum = 0;
    auto const ask = [&](int s) {  // for all before the first is looked at
#pragma unroll
      for (int b = 0; b < at_once; ++b) some[b] = static_cast<unsigned>(lengths[min(s + b, count - 1)]);
    };
#pragma unroll 1
    for (int s = begin; s < end; s += at_once) {
      ask(s);
#pragma unroll
      for (int b = 0; b < at_once; ++b) sum += s + b < end ? some[b] : 0;
    }
    auto const with = warp_scan(sum, add);
    if (lane == 31) sums[warp] = with;
    synchronize();
    auto const of_warps = warp_scan(lane < warp ? sums[lane] : 0u, add);
    auto const before = warp_shfl_up(with, 1);
    unsigned at = warp_shfl(of_warps, 31) + (lane > 0 ? before : 0) - static_cast<unsigned>(base);
    if (static_cast<int>(at + sum) < 0 || static_cast<int>(at) > items) return;
    auto const behind = static_cast<unsigned>(n - base);
#pragma unroll 1
    for (int s = begin; s < end; s += at_once) {
      if (each > at_once) ask(s);  // else they are there
#pragma unroll
      for (int b = 0; b < at_once; ++b) {
        if (s + b >= end) break;
        if (at <= static_cast<unsigned>(items) && at < behind) atomicOr(bits + at / 32, 1u << at % 32);
        begins(static_cast<int>(at));
        at += some[b];
      }
    }
    begins(static_cast<int>(at));
  }

  /// Some bits from that of the tile's k-th item on; what is above them is unspecified.
  __device__ unsigned at(int k) const { return __funnelshift_r(bits[k / 32], bits[k / 32 + 1], k % 32); }

 private:
  /// Of so many offsets, more than threads, those at equal distances that are one a thread: a power of two,
  /// and the thread's own.
  static __device__ int probe_shift(std::int64_t width) {
    return max(0, 33 + __clz(static_cast<int>(blockDim.x)) - __clzll(width));
  }
  static __device__ std::int64_t probe_place(int shift) {
    return ((static_cast<int>(threadIdx.x) + std::int64_t{1}) << shift) - 1;
  }

  static __device__ int shortened(std::int64_t items) {
    return static_cast<int>(max(std::int64_t{0}, min(items, std::int64_t{0x7fffffff})));
  }

  /// The first of some segments that does not begin before an item.
  template <class Offsets>
  static __device__ std::int64_t first_from(Offsets const& offsets, std::int64_t low, std::int64_t high,
                                            std::int64_t item) {
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (static_cast<std::int64_t>(offsets[middle]) < item) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
