// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_BLOCK_BINS_CUH
#define SWEEP_DETAIL_SORT_TILE_BLOCK_BINS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/version.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What a thread block's warps tell each other: a slot a warp, written once between barriers.
template <int Warps>
struct warp_slots {
  static_assert(Warps <= 32 && (Warps & (Warps - 1)) == 0);
  unsigned of[32];

  __device__ void put(unsigned x) {
    if (threadIdx.x % 32 == 0) of[threadIdx.x / 32] = x;
  }
  __device__ unsigned smallest() const { return __reduce_min_sync(~0u, of[threadIdx.x % Warps]); }
  __device__ unsigned largest() const { return __reduce_max_sync(~0u, of[threadIdx.x % Warps]); }
  __device__ unsigned any() const { return __reduce_or_sync(~0u, of[threadIdx.x % Warps]); }
  __device__ unsigned sum_before_warp() const {
    unsigned const w = threadIdx.x % 32;
    return __reduce_add_sync(~0u, w < threadIdx.x / 32 ? of[w] : 0);
  }
};

/// Places [begin, end).
struct places_range {
  int begin, end;
};

/// The least power of two that is not below n.
constexpr int power_of_two_for(int n) { return n <= 1 ? 1 : 2 * power_of_two_for((n + 1) / 2); }
constexpr int bits_below(int power_of_two) {
  return power_of_two <= 1 ? 0 : 1 + bits_below(power_of_two / 2);
}

/// How a thread block brings keys in order without a pass for each digit: they are split into about as many
/// bins as there are keys, in the bins' order, and each finds its rank in its bin by comparing. In which
/// order keys come to a bin is not determined; so ranks depend on nothing else than words and, where equal
/// words may stand for different items, numbers. It takes keys that are spread: where too many come to one
/// bin, something else must be done.
template <int Threads, int Bins>
struct block_bins {
  static constexpr int warps = Threads / 32, bins = Bins, bits = bits_below(bins), of_thread = bins / Threads,
                       bins_from = 4;
  static_assert(of_thread >= 1 && bins <= 65536);

  struct shared {
    /// Zero, and for each bin how many keys it has, then where it begins, and where it ends once they are
    /// there.
    alignas(16) unsigned ends[bins_from + bins];
  };

  /// All threads call, before a barrier.
  static __device__ void clear(shared& smem) {
    if (threadIdx.x == 0) smem.ends[bins_from - 1] = 0;
#pragma unroll
    for (int i = 0; i < of_thread; ++i)
      smem.ends[bins_from + i * Threads + static_cast<int>(threadIdx.x)] = 0;
  }
  /// A key of a bin.
  static __device__ void count(shared& smem, unsigned bin) { atomicAdd(&smem.ends[bins_from + bin], 1u); }
  /// Where a key of a bin goes, once bins have places.
  static __device__ int take_place(shared& smem, unsigned bin) {
    return static_cast<int>(atomicAdd(&smem.ends[bins_from + bin], 1u));
  }
  /// Behind that.
  static __device__ places_range range_of(shared const& smem, unsigned bin) {
    return {static_cast<int>(smem.ends[bins_from - 1 + bin]), static_cast<int>(smem.ends[bins_from + bin])};
  }

  /// Bins get places, behind the barrier that all keys were counted before; the other slots' readers have
  /// passed it too. Whether no bin has more keys than may be. A warp's bins are rows of some for each lane,
  /// side by side, so that lanes meet in no bank; first they get places among the warp's.
  static __device__ bool place(shared& smem, warp_slots<warps>& slots, unsigned most_in_bin) {
    constexpr int of_lane = of_thread < 4 ? of_thread : 4, rows = of_thread / of_lane;
    struct alignas(4 * of_lane) some_bins {
      unsigned of[of_lane];
    };
    int const t = static_cast<int>(threadIdx.x), lane = t % 32;
    auto* const own = reinterpret_cast<some_bins*>(smem.ends + bins_from) + t / 32 * rows * 32 + lane;
    unsigned of_warp = 0, most = 0;
#pragma unroll 2
    for (int r = 0; r < rows; ++r) {
      auto some = own[r * 32];
      unsigned sum = 0;
#pragma unroll
      for (int i = 0; i < of_lane; ++i) {
        unsigned const count = some.of[i];
        most = max(most, count);
        some.of[i] = sum;
        sum += count;
      }
      unsigned through = sum;
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        unsigned const left = __shfl_up_sync(~0u, through, by);
        if (lane >= by) through += left;
      }
#pragma unroll
      for (int i = 0; i < of_lane; ++i) some.of[i] += of_warp + through - sum;
      own[r * 32] = some;
      of_warp += __shfl_sync(~0u, through, 31);
    }
    slots.put(of_warp);
    __syncthreads();
    unsigned const first = slots.sum_before_warp();
#pragma unroll 2
    for (int r = 0; r < rows; ++r) {
      auto some = own[r * 32];
#pragma unroll
      for (int i = 0; i < of_lane; ++i) some.of[i] += first;
      own[r * 32] = some;
    }
    return __syncthreads_or(most > most_in_bin ? 1 : 0) == 0;
  }
};

/// Where many keys are in some of a block's bins, these are taken together by fours, and each of those gets
/// as many bins as it has keys, or somewhat fewer, by the bits that follow.
template <class Bins, int Rows>
struct block_inner_bins {
  static constexpr int log_together = 2, wide_bins = Bins::bins >> log_together, threads = Bins::warps * 32,
                       most_in_bin = 96;
  using all = block_bins<threads, threads*((Rows + 3) / 4 * 4)>;
  struct begins {
    std::uint16_t of[wide_bins + 1];  ///< of bins that were taken together
  };

  /// Of n keys, by where each bin begins, in memory that is free behind it. Whether no bin has most of them.
  template <class BeginOf>
  static __device__ bool begin(begins& to, BeginOf begin_of, int n) {
    int const t = static_cast<int>(threadIdx.x);
#pragma unroll 1
    for (int b = t; b <= wide_bins; b += threads)
      to.of[b] = static_cast<std::uint16_t>(b < wide_bins ? begin_of(b << log_together) : n);
    __syncthreads();
    bool most = false;
#pragma unroll 1
    for (int b = t; b < wide_bins; b += threads) most = most || 4 * (to.of[b + 1] - to.of[b]) > n;
    return __syncthreads_or(most ? 1 : 0) == 0;
  }
  /// The bin of a key that is so far above the least, of which all but so many bits tell bins apart.
  static __device__ unsigned of(begins const& from, unsigned above_least, unsigned shift) {
    shift += log_together;
    unsigned const wide = above_least >> shift, below = above_least & ((1u << shift) - 1),
                   begin = from.of[wide],
                   bits = 31 - static_cast<unsigned>(__clz(static_cast<int>(from.of[wide + 1] - begin)));
    return begin + (bits < shift ? below >> (shift - bits) : below);
  }
};

/// What words are split into bins by: so many of their highest bits as a block's words differ in, less the
/// least of them. Words count by the bits of a mask, or whole.
template <class Word, bool Whole>
struct bins_of_words {
  static constexpr bool wide = sizeof(Word) > 4;
  Word mask;
  int skip = 0;  ///< bits below the 32 that are looked at
  unsigned least = 0, range = 0;
  int shift = 0;        ///< to the left, where there is a fraction of the range
  unsigned growth = 0;  ///< what makes the range a power of two

  __device__ unsigned head(Word word) const {
    auto const counts = static_cast<Word>(Whole ? word : word & mask);
    if constexpr (wide) return static_cast<unsigned>(counts >> skip);
    else return counts;
  }
  /// So that of(word) is below 2^bits.
  __device__ void cut(int bits) { shift = max(32 - __clz(static_cast<int>(range)) - bits, 0); }
  __device__ unsigned of(Word word) const { return (head(word) - least) >> shift; }

  /// So that fraction(word), in 2^-32, is nearly spread over all from 0 to 1.
  __device__ void stretch() {
    shift = __clz(static_cast<int>(range | 1));
    auto const most = static_cast<float>(((range | 1) << shift) + ((1u << shift) - 1));
    growth = static_cast<unsigned>(fmaxf(4294967296.0f / most - 1.000001f, 0.0f) * 4294967040.0f);
  }
  __device__ unsigned fraction(Word word) const {
    unsigned const x = (head(word) - least) << shift;
    return x + __umulhi(x, growth);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
