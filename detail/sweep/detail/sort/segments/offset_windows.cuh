// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_OFFSET_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_OFFSET_WINDOWS_CUH

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/sort/segments/segment_heads.cuh>
#include <sweep/detail/warp/search.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// In place of a source of heads: offsets, of which the heads of all windows are found by one kernel, and
/// memory for their bits.
template <class Offsets>
struct offset_heads {
  Offsets offsets;
  std::int64_t count;
  std::uint32_t* words;
  bit_source<std::uint32_t const*> bits() const { return {words}; }
};
template <class Heads>
inline constexpr bool are_offset_heads = false;
template <class Offsets>
inline constexpr bool are_offset_heads<offset_heads<Offsets>> = true;

/// A warp has a window: it finds the offsets in it, and so all that is to be known of it. Where most segments
/// are empty a window may have many offsets, which the block looks through.
template <class Offsets, class Groups>
struct find_offset_windows_job {
  static constexpr int threads = 256, blocks = 4, warps = threads / 32, most_items = Groups::most_of_window;
  static_assert(most_items > 0 && most_items % 32 == 0);
  static constexpr int parts = 2048;  ///< of a window's offsets, where these are many
  static constexpr bool waits_itself = true;
  offset_heads<Offsets> source;
  windows_to_list<Groups> to;

  __device__ void operator()() const {
    struct around {
      std::int64_t before, next, last, end;
      int most;
    };
    __shared__ unsigned words[warps][most_items / 32];
    __shared__ int lasts[parts];
    __shared__ around found[warps];
    __shared__ places places_of[warps];
    runs_in_row const turn({false, false});
    auto const& heads = to.heads;
    int const warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    auto const w = window_of(warp);
    auto* const own = words[warp];
    bool is_crowded = false;
    if (w < heads.windows) {
      auto const begin = heads.begin(w), end = min(begin + heads.items, heads.n);
      int const items = static_cast<int>(end - begin);
      for (int i = lane; i < most_items / 32; i += 32) own[i] = 0;
      clear_counts(w);
      __syncwarp();
      if (w == 0 && lane == 0) own[0] = 1;
      __syncwarp();
      // Half a warp finds where the window's offsets begin, the other one where they end.
      auto const edge = lane < 16 ? begin : end;
      auto const guess = static_cast<std::int64_t>(static_cast<float>(edge) / static_cast<float>(heads.n) *
                                                   static_cast<float>(source.count));
      auto const place =
          half_warp_find_first(0, source.count, guess, [&](std::int64_t s) { return offset(s) >= edge; });
      auto const first = __shfl_sync(~0u, place, 0), behind = __shfl_sync(~0u, place, 16);
      if (lane == 0) places_of[warp] = {first, behind};
      is_crowded = behind - first > items;
      if (!is_crowded) {
#pragma unroll 8
        for (auto s = first + lane; s < behind; s += 32) set(own, static_cast<int>(offset(s) - begin), items);
      }
    }
    unsigned const crowded = crowded_windows(is_crowded);
#pragma unroll 1
    for (unsigned left = crowded; left != 0; left &= left - 1) {
      int const k = __ffs(static_cast<int>(left)) - 1;
      auto const begin = heads.begin(window_of(k));
      mark(words[k], lasts, places_of[k], begin, static_cast<int>(min(begin + heads.items, heads.n) - begin));
      __syncthreads();
    }
    if (w < heads.windows) {
      auto const begin = heads.begin(w);
      int const items = static_cast<int>(min(begin + heads.items, heads.n) - begin);
      auto const [first, behind] = places_of[warp];
      for (int i = lane; i * 32 < items; i += 32) source.words[begin / 32 + i] = own[i];
      auto const some = heads_between::find(items, [&](int at) { return own[at / 32]; });
      if (lane == 0) {
        auto const before = first > 0 ? max(offset(first - 1), std::int64_t{0}) : 0,
                   next = behind < source.count ? min(offset(behind), heads.n) : heads.n,
                   last = some.last < 0 ? -1 : begin + some.last;
        found[warp] = {before, last < 0 ? next : begin + some.first, last, next, some.most};
        heads.first[w] = last < 0 ? -1 : begin + some.first;
        heads.last[w] = last;
      }
    }
    __syncthreads();
    if (warp > 0) return;
    wait_for_kernel_before();  // which clears what is counted
    auto const listed = window_of(lane);
    bool const exists = lane < warps && listed < heads.windows;
    auto const [before, next, last, end, most] = found[exists ? lane : 0];
    to.put(listed, exists, before, next, last, end, most);
  }

 private:
  /// A block's windows lie far from each other: those with many offsets are neighbours.
  static __device__ std::int64_t window_of(int warp) { return std::int64_t{warp} * gridDim.x + blockIdx.x; }
  /// A window's offsets.
  struct places {
    std::int64_t first, behind;
  };
  __device__ std::int64_t offset(std::int64_t s) const {
    return static_cast<std::int64_t>(source.offsets[s]);
  }
  __device__ void clear_counts(std::int64_t w) const {
    if (auto* const counts = to.heads.counts)
#pragma unroll
      for (int at = static_cast<int>(threadIdx.x % 32) * 4; at < 256; at += 32 * 4)
        *reinterpret_cast<uint4*>(counts + w * 256 + at) = uint4{};
  }
  static __device__ void set(unsigned* words, int at, int items) {
    if (at >= 0 && at < items) atomicOr(words + at / 32, 1u << at % 32);
  }
  /// A bit for each warp whose window is. All threads call; it ends with a barrier.
  static __device__ unsigned crowded_windows(bool is_crowded) {
    __shared__ bool crowded[warps];
    if (threadIdx.x % 32 == 0) crowded[threadIdx.x / 32] = is_crowded;
    __syncthreads();
    return __ballot_sync(~0u, threadIdx.x % 32 < warps && crowded[threadIdx.x % warps]);
  }
  /// Sets the bits of a window's offsets in its words, by a block: each item looks for one that begins with
  /// it. Each step of a search is a read that waits for the one before: the last of equal parts of the
  /// offsets are known first, and several searches go side by side.
  __device__ void mark(unsigned* own, int* lasts, places const& offsets, std::int64_t begin,
                       int items) const {
    constexpr int searches = 8;
    int const t = static_cast<int>(threadIdx.x);
    auto const first = offsets.first, some = offsets.behind - first, each = (some + parts - 1) / parts;
#pragma unroll
    for (int k = t; k < parts; k += threads)
      lasts[k] =
          (k + 1) * each <= some ? static_cast<int>(offset(first + (k + 1) * each - 1) - begin) : items;
    __syncthreads();
    int const steps = each > 1 ? 64 - __clzll(each - 1) : 0;
#pragma unroll 1
    for (int from = t; from < items; from += threads * searches) {
      std::int64_t before[searches];  // offsets in front of each item's
#pragma unroll
      for (int k = 0; k < searches; ++k) {
        int part = 0;
#pragma unroll
        for (int step = parts / 2; step > 0; step /= 2)
          if (lasts[part + step - 1] < from + threads * k) part += step;
        before[k] = part * each;
      }
#pragma unroll 1
      for (int step = steps - 1; step >= 0; --step)
#pragma unroll
        for (int k = 0; k < searches; ++k) {
          auto const ahead = before[k] + (std::int64_t{1} << step);
          if (ahead <= some && offset(first + ahead - 1) < begin + from + threads * k) before[k] = ahead;
        }
#pragma unroll
      for (int k = 0; k < searches; ++k)
        if (int const i = from + threads * k;
            i < items && before[k] < some && offset(first + before[k]) == begin + i)
          set(own, i, items);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
