// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_TEAMS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_TEAMS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/segmented_reduce/tile/segment_places.cuh>
#include <sweep/detail/segmented_reduce/tile/segment_windows.cuh>
#include <sweep/detail/segmented_reduce/tile/stream_windows.cuh>
#include <sweep/detail/segmented_reduce/tile/team_grid.cuh>
#include <sweep/detail/warp/reduce.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that folds long segments, each by a team of its warps with equal shares of it. Segments of
/// at least two cells of items, or more, are cut where cells begin: a block has a cell beside its segments.
/// What cells have of a segment is joined by the last of them, so nobody waits for anybody.
template <class Problem>
class segment_teams {
  using V = typename Problem::value;
  using Op = decltype(Problem::op);
  using Source = source_of_t<decltype(Problem::in)>;

 public:
  using shape = team_shape<Source, V>;

 private:
  static constexpr int W = shape::warps, S = shape::slots;
  using windows = typename std::conditional_t<shape::of_stream, std::type_identity<stream_windows<Problem>>,
                                              std::type_identity<segment_windows<Problem>>>::type;
  using places = segment_places<decltype(Problem::offsets)>;

 public:
  struct shared {
    typename places::shared places;
    uninitialized<V, W> sums[2];  ///< of warps; rounds take turns
    bool has_sum[2][W];
    bool last;
  };

  using window = typename windows::memory;

  __device__ segment_teams(Problem const& problem, team_grid const& grid, shared& smem, window* memory,
                           Op& op)
      : problem_{problem},
        grid_{grid},
        smem_{smem},
        op_{op},
        places_(problem.offsets, grid.n, grid.count, smem.places),
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)},
        windows_(windows_of(problem, grid, memory + S * min(warp_, W - 1), op)) {}

  __device__ void operator()(std::int64_t block, cut_records<V> const& records) {
    bool const has_cell = block < grid_.cells, folds = warp_ < W;
    auto const from = block * grid_.cell_items, to = min(from + grid_.cell_items, grid_.n);
    int log = grid_.log_team;
    segment_part mine{};
    if (folds || places_.sums()) mine = places_.at(block * (W >> log), warp_ >> log, 32 << log);
    if (has_cell && !folds) places_.find(from, to - 1);
    bool const owned = folds && mine.segment < grid_.count;
    if (owned && mine.end <= mine.begin && lane_ == 0 && rank(log) == 0) problem_.put_empty(mine.segment);
    if (!owned || is_cut(mine)) mine.end = mine.begin;
#pragma unroll 1
    for (int round = 0, side = 0;; ++round, side = 1 - side) {
      V sum{};
      bool const has = folds && fold_share(mine, log, sum);
      if (round == 0 && log == 0 && !has_cell) {
        if (has && lane_ == 0) problem_.put(mine.segment, sum);
        return;
      }
      if (folds && lane_ == 0) {
        put_bytes(smem_.sums[side][warp_], sum);
        smem_.has_sum[side][warp_] = has;
      }
      __syncthreads();
      if (has && lane_ == 0 && rank(log) == 0) {
        for (int w = 1; w < 1 << log; ++w)
          if (smem_.has_sum[side][warp_ + w]) sum = static_cast<V>(op_(sum, smem_.sums[side][warp_ + w]));
        if (round == 0) problem_.put(mine.segment, sum);
        else publish(block, mine, round, sum, records);
      }
      if (!has_cell) return;
      if (round > 0) {
        __syncthreads();
        if (smem_.last) join_cells(places_.found(round - 1), records);
      }
      // The cell's segments that are cut.
      log = log_warps;
      while (true) {
        if (round == 2) return;
        mine = places_.found(round);
        if (is_cut(mine) && (round == 0 || mine.segment != places_.found(0).segment)) break;
        ++round;
      }
      mine.begin = max(mine.begin, from);
      mine.end = min(mine.end, to);
    }
  }

 private:
  static constexpr int log_warps = 3;
  static_assert(W == 1 << log_warps);

  __device__ int rank(int log) const { return warp_ & ((1 << log) - 1); }
  __device__ bool is_cut(segment_part const& one) const {
    return grid_.cells > 0 && one.end - one.begin >= grid_.cut_items;
  }

  static __device__ windows windows_of(Problem const& problem, team_grid const& grid, window* memory,
                                       Op& op) {
    if constexpr (shape::of_stream) return {problem, grid.n, grid.narrow, memory, op};
    else return {problem, grid.n, memory, op};
  }

  // Of a warp's two windows, or of the only one.

  __device__ void ask(std::int64_t at, int nth, int skip, int count) {
    if constexpr (shape::of_stream) windows_.ask(nth, count - skip, nth % S);
    else windows_.ask(at, count);
  }
  __device__ void await(bool another_is_on_its_way) {
    if constexpr (S > 1)
      if (another_is_on_its_way) return windows_.await_first();
    windows_.await();
  }
  __device__ V fold_window(std::int64_t at, int nth, int skip, int count) {
    if constexpr (shape::of_stream) return windows_.fold(at + skip, nth, count - skip, nth % S);
    else return windows_.fold(at, skip, count);
  }

  /// This warp's share of a part of a segment, if it has one; for lane 0. A team's shares are equal numbers
  /// of windows.
  __device__ bool fold_share(segment_part const& of, int log, V& sum) {
    if (of.end <= of.begin) return false;
    int const window_items = grid_.narrow ? shape::narrow_items : shape::window_items;
    auto const base = of.begin / shape::unit * shape::unit, items = of.end - base,
               all = grid_.narrow ? (items + shape::narrow_items - 1) / shape::narrow_items
                                  : (items + shape::window_items - 1) / shape::window_items,
               each = (all + (1 << log) - 1) >> log, begin = rank(log) * each;
    int const count = static_cast<int>(min(each, all - begin));
    if (count <= 0) return false;
    auto const first = base + begin * window_items;
    auto const items_at = [&](std::int64_t at) {
      return static_cast<int>(min(of.end - at, std::int64_t{window_items}));
    };
    int skip = static_cast<int>(max(of.begin - first, std::int64_t{0}));
    if constexpr (shape::of_stream) windows_.begin_with(first, skip);
    if (S > 1) {
      ask(first, 0, skip, items_at(first));
      end_first_async_copies();
    }
#pragma unroll 1
    for (int w = 0; w < count; ++w) {
      auto const at = first + std::int64_t{w} * window_items, next = at + window_items;
      bool const more = S > 1 && w + 1 < count;
      if (more) ask(next, w + 1, 0, items_at(next));
      if (S == 1) ask(at, w, skip, items_at(at));
      await(more);
      V const fold = fold_window(at, w, skip, items_at(at));
      sum = w > 0 ? static_cast<V>(op_(sum, fold)) : fold;
      skip = 0;
      __syncwarp();
    }
    return true;
  }

  // Segments that are cut, by one thread.

  __device__ void publish(std::int64_t cell, segment_part const& mine, int round, V const& sum,
                          cut_records<V> const& records) {
    auto const whole = places_.found(round - 1);
    auto const first = whole.begin / grid_.cell_items, last = (whole.end - 1) / grid_.cell_items;
    if (cell == first) records.firsts().publish(cell, sum);
    else records.others(cell).publish(0, sum);
    smem_.last = records.arrive(first) == last - first;
  }
  /// By the whole block. Shape: (warps, 32 lanes, records of a lane). Nothing is waited for: where segments
  /// are described badly, fewer may be there.
  __device__ void join_cells(segment_part const& whole, cut_records<V> const& records) {
    constexpr int warps = W + 1;
    auto const first = whole.begin / grid_.cell_items;
    int const count = static_cast<int>((whole.end - 1) / grid_.cell_items - first),
              each = (count + 32 * warps - 1) / (32 * warps), from = static_cast<int>(threadIdx.x) * each,
              to = min(from + each, count), holding = (count + each - 1) / each;  // threads that have some
    auto const others = records.others(first + 1);
    V sum{};
#pragma unroll 4
    for (int i = from; i < to; ++i) {
      V const next = others.read(i);
      sum = i > from ? static_cast<V>(op_(sum, next)) : next;
    }
    sum = warp_reduce_briefly(sum, min(max(holding - warp_ * 32, 0), 32), op_);
    __shared__ uninitialized<V, warps> of_warps;
    if (lane_ == 0) put_bytes(of_warps[warp_], sum);
    __syncthreads();
    if (threadIdx.x > 0) return;
    sum = records.firsts().read(first);
    for (int w = 0; 32 * w < holding; ++w) sum = static_cast<V>(op_(sum, of_warps[w]));
    problem_.put(whole.segment, sum);
  }

  Problem const& problem_;
  team_grid const& grid_;
  shared& smem_;
  Op& op_;
  places places_;
  int lane_, warp_;
  windows windows_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
