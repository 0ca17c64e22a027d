// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_GROUPS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_GROUPS_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/segmented_reduce/problem.hpp>
#include <sweep/detail/segmented_reduce/tile/cut_records.cuh>
#include <sweep/detail/segmented_reduce/tile/group_grid.cuh>
#include <sweep/detail/segmented_reduce/tile/segment_places.cuh>
#include <sweep/detail/segmented_reduce/tile/segment_windows.cuh>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that folds each of its segments by a group of neighbouring lanes, straight from where it
/// begins and ends. A warp loads the items of all its segments, or of as many as fit its window, side by
/// side; each group folds its segment from there. Segments that are longer than a window are all of the
/// block's, whose warps take their windows in turn. Those of at least two cells of items are cut where cells
/// begin, which are blocks of their own: nobody waits for another block, and the last cell to be done folds
/// what cells have of each.
template <class Problem>
class segment_groups {
  using V = typename Problem::value;
  using Op = decltype(Problem::op);
  using Source = source_of_t<decltype(Problem::in)>;

 public:
  using shape = group_shape<Source, V>;

 private:
  static constexpr int most_threads = shape::threads, most_warps = most_threads / 32,
                       window_items = shape::window_items,
                       most_sums = std::min(256, std::max(1, 2048 / static_cast<int>(sizeof(V))));
  using part = segment_part;
  using places = segment_places<decltype(Problem::offsets)>;
  using windows = segment_windows<Problem>;

 public:
  /// Of each warp: where its items stand.
  using window = typename windows::memory;
  struct shared {
    uninitialized<V, most_warps> of_warps;
    part listed[most_threads];
    int first_window[most_threads + 1];  ///< of each that is listed
    uninitialized<V, most_sums> sums_of_windows;
    uninitialized<V, 2> carries;  ///< of a segment whose windows do not fit there
    typename places::shared places;
    int listed_count;
    bool last[2];  ///< of a cell's segments, whether it is their last cell to arrive
  };

  __device__ segment_groups(Problem const& problem, group_grid const& grid, shared& smem, window* memory,
                            Op& op)
      : problem_{problem},
        grid_{grid},
        smem_{smem},
        op_{op},
        places_(problem.offsets, grid.n, grid.count, smem.places),
        threads_{static_cast<int>(blockDim.x)},
        warps_{threads_ / 32},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)},
        windows_(problem, grid.n, memory + warp_, op, true) {}

  __device__ void operator()(std::int64_t block, cut_records<V> const& records) {
    // Cells have the longest segments, and their join is long: they come first.
    bool const has_cell = block < grid_.cells;
    int const group = static_cast<int>(threadIdx.x) / grid_.width, groups = threads_ / grid_.width;
    auto const cell = block;
    auto first = (block - grid_.cells) * grid_.rounds * groups;
    auto const from = has_cell ? cell * grid_.cell_items : 0,
               to = has_cell ? min(from + grid_.cell_items, grid_.n) : grid_.n;
    if (has_cell && (warp_ == 0 || places_.sums())) places_.find(from, to - 1);
    part mine{};
    if (!has_cell) mine = places_.at(first, group, grid_.width);
#pragma unroll 1
    for (int round = has_cell ? grid_.rounds : 1; round <= grid_.rounds; ++round) {
      part next{};
      first += groups;
      if (round < grid_.rounds) next = places_.at(first, group, grid_.width);  // on its way meanwhile
      if (has_cell ? list_cut_ones() : fold_short_ones(mine))
        fold_listed_ones(from, to, has_cell ? 1 : warps_, [&](part const& one, V const& fold) {
          if (!has_cell) problem_.put(one.segment, fold);
          else smem_.last[&one - smem_.listed] = records.leave(cell, fold, one, grid_.cell_items);
        });
      mine = next;
    }
    for (int k = 0; has_cell && k < smem_.listed_count; ++k) {
      if (!smem_.last[k]) continue;
      V const fold = records.join(smem_.listed[k], grid_.cell_items, smem_.of_warps, op_);
      if (threadIdx.x == 0) problem_.put(smem_.listed[k].segment, fold);
      __syncthreads();
    }
  }

 private:
  /// The groups' segments; those that are too long are listed. Returns whether there are any.
  __device__ bool fold_short_ones(part const& mine) {
    bool const first_lane = threadIdx.x % grid_.width == 0, empty = mine.end <= mine.begin;
    if (mine.segment < grid_.count && empty && first_lane) problem_.put_empty(mine.segment);
    auto const items = mine.end - mine.begin;
    bool const cut = grid_.cells > 0 && items >= 2 * grid_.cell_items,
               fits = items <= window_items - shape::unit, is_long = first_lane && !empty && !fits && !cut;
    fold_by_groups(mine, !empty && fits);
    if (threadIdx.x == 0) smem_.listed_count = 0;
    if (!__syncthreads_or(is_long)) return false;
    if (is_long) smem_.listed[atomicAdd(&smem_.listed_count, 1)] = mine;
    __syncthreads();
    return true;
  }

  /// Those of the segments that have been found which are cut. Returns whether there are any.
  __device__ bool list_cut_ones() {
    __syncthreads();
    int count = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      part const one = places_.found(k);
      bool const seen = k == 1 && one.segment == places_.found(0).segment;
      if (seen || one.end - one.begin < 2 * grid_.cell_items) continue;
      if (threadIdx.x == 0) smem_.listed[count] = one;
      ++count;
    }
    if (threadIdx.x == 0) smem_.listed_count = count;
    __syncthreads();
    return count > 0;
  }

  /// Segments that groups have, in as few windows as hold them.
  __device__ void fold_by_groups(part const& mine, bool has) {
    unsigned todo = __ballot_sync(~0u, has);
    int const width = grid_.width, log = 31 - __clz(width), sub = lane_ & (width - 1);
    while (todo != 0) {
      auto const base = warp_shfl(mine.begin, __ffs(static_cast<int>(todo)) - 1) / shape::unit * shape::unit;
      bool const fits = (todo >> lane_ & 1u) != 0 && mine.begin >= base && mine.end - base <= window_items;
      unsigned const taken = __ballot_sync(~0u, fits);
      int const from = fits ? static_cast<int>(mine.begin - base) : 0,
                to = fits ? static_cast<int>(mine.end - base) : 0, each = (to - from + width - 1) >> log,
                first = min(from + sub * each, to), last = min(first + each, to);
      int const count = __reduce_max_sync(~0u, to);
      windows_.ask(base, count);
      windows_.await();
      V const fold = windows_.fold_by_lanes(base, count, first, last, width);
      if (fits && sub == 0) problem_.put(mine.segment, fold);
      __syncwarp();
      todo &= ~taken;
    }
  }

  // Listed segments: their windows, one segment's behind the other's, are folded by the block's warps in
  // turn, side by side, so that a block reads one place of memory; what they make of a segment when all are
  // there.

  /// A segment's part in [from, to).
  static __device__ part within_range(part one, std::int64_t from, std::int64_t to) {
    one.begin = max(one.begin, from);
    one.end = min(one.end, to);
    return one;
  }
  static __device__ int windows_of(part const& one) {
    auto const items = one.end - one.begin / shape::unit * shape::unit;
    return static_cast<int>((items + window_items - 1) / window_items);
  }
  /// A segment's nth window; for lane 0.
  __device__ V fold_window(part const& one, int nth) {
    auto const base = one.begin / shape::unit * shape::unit + std::int64_t{nth} * window_items;
    int const count = static_cast<int>(min(one.end - base, std::int64_t{window_items})),
              skip = static_cast<int>(max(one.begin - base, std::int64_t{0}));
    windows_.ask(base, count);
    windows_.await();
    V const fold = windows_.fold(base, skip, count);
    __syncwarp();
    return fold;
  }
  __device__ void count_windows(int count, std::int64_t from, std::int64_t to) {
    detail::plus add;
    int before = 0;
    for (int first = 0; first < count; first += 32) {
      int const k = first + lane_, mine = k < count ? windows_of(within_range(smem_.listed[k], from, to)) : 0,
                with = warp_scan(mine, add);
      if (k < count) smem_.first_window[k] = before + with - mine;
      before += __shfl_sync(~0u, with, 31);
    }
    if (lane_ == 0) smem_.first_window[count] = before;
  }

  /// What [from, to) has of the segments that are listed: f(segment, fold) by the first lanes of so many
  /// warps.
  template <class F>
  __device__ void fold_listed_ones(std::int64_t from, std::int64_t to, int joining_warps, F f) {
    int const count = smem_.listed_count;
    auto const* const first_window = smem_.first_window;
    if (warp_ == 0) count_windows(count, from, to);
    __syncthreads();
    int const all = first_window[count];
    int here = 0, joined = 0;  // the segments of the next window, and of the next sum
#pragma unroll 1
    for (int begin = 0, nth = 0; begin < all; begin += most_sums, ++nth) {
      int const end = min(begin + most_sums, all);
#pragma unroll 1
      for (int w = begin + warp_; w < end; w += warps_) {
        while (w >= first_window[here + 1]) ++here;
        V const fold = fold_window(within_range(smem_.listed[here], from, to), w - first_window[here]);
        if (lane_ == 0) put_bytes(smem_.sums_of_windows[w - begin], fold);
      }
      __syncthreads();
      while (first_window[joined + 1] <= begin) ++joined;
#pragma unroll 1
      for (int k = joined + warp_; warp_ < joining_warps && k < count && first_window[k] < end;
           k += joining_warps) {
        int const low = max(first_window[k], begin), high = min(first_window[k + 1], end);
        V fold = warp_reduce_values(__builtin_addressof(smem_.sums_of_windows[low - begin]), high - low, op_);
        if (lane_ != 0) continue;
        if (low > first_window[k]) fold = static_cast<V>(op_(smem_.carries[nth % 2], fold));
        if (high < first_window[k + 1]) put_bytes(smem_.carries[1 - nth % 2], fold);
        else f(smem_.listed[k], fold);
      }
      __syncthreads();
    }
  }
  Problem const& problem_;
  group_grid const& grid_;
  shared& smem_;
  Op& op_;
  places places_;
  int threads_, warps_, lane_, warp_;
  windows windows_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
