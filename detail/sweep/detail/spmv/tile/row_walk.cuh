// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_ROW_WALK_CUH
#define SWEEP_DETAIL_SPMV_TILE_ROW_WALK_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/segmented_reduce/tile/team_grid.cuh>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that folds rows whole, a set of neighbouring ones for each of its warps: it loads where
/// they begin and end, then a window of their entries side by side, and the lanes of each row fold its
/// products from shared memory. So there are three loads from the launch to the result, one behind the other,
/// nothing is looked for and nobody is waited for. What sets have behind their first windows is shared out
/// among the block's warps; sets of a block lie far apart, for long rows are often neighbours. Shape of a
/// window: (U, 32 lanes). Rows that are cut are others' work: blocks for cells of neighbouring entries, of
/// which the last to be done folds what they have of a row.
template <class Problem, path_shape S>
class row_walk {
  using V = typename Problem::value;
  using products = decltype(Problem::in);
  using index = typename products::index;
  using entry_value = typename products::entry_value;
  using vector_value = typename products::vector_value;
  static constexpr int window = row_window(S), U = window / 32, warps = S.warps, all = warps * window;

 public:
  struct shared {
    alignas(16) uninitialized<V, all> folds;
    uninitialized<V, warps> sums;  ///< of a cell's windows
    std::int64_t rows[2];          ///< of a cell's first and last entry
    int counts[warps];
    std::int64_t begins[warps];  ///< of what sets have behind their first windows,
    std::int64_t ends[warps];    ///< and where it ends
  };

  __device__ row_walk(Problem const& problem, row_division const& rows, shared& smem)
      : problem_{problem},
        rows_{rows},
        smem_{smem},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)} {}

  /// Sets number `block`, `block` + blocks, ...
  __device__ void fold_sets(std::int64_t block) const {
    int const log = rows_.log_width, nth = lane_ >> log, first_lane = nth << log;
    auto const row = (warp_ * rows_.blocks + block) * rows_.rows + nth;
    std::int64_t begin = 0, end = 0;
    if (nth < rows_.rows && row < problem_.count) {
      begin = problem_.offset(row);
      end = problem_.offset(row + 1);
      if (end <= begin && lane_ == first_lane) problem_.put_empty(row);
    }
    bool const is_cut = end - begin >= rows_.cut;
    unsigned todo = __ballot_sync(~0u, end > begin && !is_cut);
    unsigned const cuts = __ballot_sync(~0u, is_cut);
    V sum = problem_.zero;
    bool more = true;  // whether any warp of the block has more than a window
#pragma unroll 1
    while (more) {
      // Rows up to the next that is cut; their entries follow each other.
      int const leader = todo != 0 ? __ffs(static_cast<int>(todo)) - 1 : 0;
      unsigned const behind = cuts & ~((1u << leader) - 1),
                     run = behind != 0 ? todo & ((behind & (0u - behind)) - 1) : todo;
      int const last = run != 0 ? 31 - __clz(static_cast<int>(run)) : 0;
      auto const base = warp_shfl(begin, leader), stop = run != 0 ? warp_shfl(end, last) : base;
      bool const mine = (run >> lane_ & 1u) != 0;
      todo &= ~run;
      bool has = false;
      // Windows that all sets have behind their first, that those before this warp's have, and that its has.
      int windows = 0, before = 0, own = 0;
#pragma unroll 1
      for (int round = -1;; ++round) {
        // Where the run's items of this round stand, and which window this warp has.
        int low = warp_ * window, high = low + window;
        auto first = base, end_of_window = stop;
        auto shift = low - base;
        if (round >= 0) {
          int const whole = before - round * warps;
          low = max(whole, 0) * window;
          high = min(whole + own, warps) * window;
          shift = whole * window - (base + window);
          find_window(round * warps + warp_, windows, first, end_of_window);
        }
        int const count = static_cast<int>(min(end_of_window - first, std::int64_t{window}));
        if (count > 0) multiply(first, count);
        if (round < 0) __syncwarp();
        else __syncthreads();
        auto const within = [&](std::int64_t at) {
          return static_cast<int>(max(min(at + shift, std::int64_t{high}), std::int64_t{low}));
        };
        fold_parts(mine && high > low ? within(begin) : 0, mine && high > low ? within(end) : 0, log, sum,
                   has);
        if (round < 0) {
          if (lane_ == 0) {
            smem_.begins[warp_] = base + window;
            smem_.ends[warp_] = stop;
          }
          more = __syncthreads_or(todo != 0 || stop - base > window) != 0;
          if (!more) break;
          count_windows(windows, before, own);
        } else {
          __syncthreads();
        }
        if ((round + 1) * warps >= windows) break;
      }
      if (mine && lane_ == first_lane) problem_.put(row, sum);
      if (more) more = __syncthreads_or(todo != 0) != 0;
    }
  }

  /// What cell number `cell` has of rows that are cut, two at most.
  __device__ void fold_cell(std::int64_t cell, cut_records<V> const& records) const {
    find_rows(cell);
#pragma unroll 1
    for (int k = 0; k < 2; ++k) {
      auto const row = smem_.rows[k];
      if (row >= problem_.count || (k > 0 && row == smem_.rows[0])) continue;
      auto const begin = problem_.offset(row), end = problem_.offset(row + 1);
      if (end - begin < rows_.cut) continue;
      auto const from = max(begin, cell * rows_.cell), to = min(end, (cell + 1) * rows_.cell);
      V sum = problem_.zero;
      bool has = false;
#pragma unroll 1
      for (auto base = from; base < to; base += all) {
        auto const mine = base + warp_ * window;
        int const items = static_cast<int>(min(to - mine, std::int64_t{window}));
        if (items > 0) {
          multiply(mine, items);
          __syncwarp();
          V const part = fold_window(warp_ * window, warp_ * window + items, 5);
          if (lane_ == 0) put_bytes(smem_.sums[warp_], part);
        }
        __syncthreads();
        int const count = static_cast<int>(min((to - base + window - 1) / window, std::int64_t{warps}));
        for (int w = 0; w < count; ++w, has = true)
          put_bytes(sum, has ? fold(sum, smem_.sums[w]) : smem_.sums[w]);
        __syncthreads();
      }
      if (warp_ > 0) continue;
      bool const joins = lane_ == 0 && leave(cell, row, sum, records);
      if (__any_sync(~0u, joins)) join(row, records);
    }
  }

 private:
  /// Products that a lane folds alone, at most, where more lanes could.
  static constexpr int most_of_lane = 16;

  /// How many windows sets have behind their first, before this warp's set, and in it.
  __device__ void count_windows(int& windows, int& before, int& own) const {
    windows = before = own = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      int const some = windows_of(w);
      if (w == warp_) {
        before = windows;
        own = some;
      }
      windows += some;
    }
  }
  __device__ int windows_of(int w) const {
    return static_cast<int>((max(smem_.ends[w] - smem_.begins[w], std::int64_t{0}) + window - 1) / window);
  }
  /// The entries of one of those windows, or none.
  __device__ void find_window(int nth, int windows, std::int64_t& from, std::int64_t& to) const {
    from = to = 0;
    if (nth >= windows) return;
    int w = 0;
    for (int some = windows_of(0); nth >= some; some = windows_of(++w)) nth -= some;
    from = smem_.begins[w] + std::int64_t{nth} * window;
    to = smem_.ends[w];
  }
  /// Adds items [from, to) to each row's sum, in its first lane.
  __device__ void fold_parts(int from, int to, int log, V& sum, bool& has) const {
    // What is long for a row's lanes alone is folded by all of them, too.
    bool const is_long = to - from > most_of_lane << log;
    unsigned longs = __ballot_sync(~0u, is_long && (lane_ & ((1 << log) - 1)) == 0);
    int who = -1, first = is_long ? to : from, last = to, by = log;
#pragma unroll 1
    while (true) {
      V some = fold_window(first, last, by);
      if (who >= 0) some = warp_shfl(some, 0);
      if (who >= 0 ? lane_ == who : !is_long && to > from) {
        put_bytes(sum, has ? fold(sum, some) : some);
        has = true;
      }
      if (longs == 0) break;
      who = __ffs(static_cast<int>(longs)) - 1;
      longs &= longs - 1;
      first = __shfl_sync(~0u, from, who);
      last = __shfl_sync(~0u, to, who);
      by = 5;
    }
  }

  /// The rows of a cell's first and of its last entry, by the halves of the block, whose threads look at so
  /// many places at once.
  __device__ void find_rows(std::int64_t cell) const {
    constexpr int searches = warps > 1 ? 2 : 1, of_one = warps / searches, places = 32 * of_one;
    auto const from = cell * rows_.cell, to = min(from + rows_.cell, problem_.n) - 1;
    int const nth = static_cast<int>(threadIdx.x) % places;
#pragma unroll 1
    for (int search = 0; search < 2; search += searches) {
      int const mine = searches > 1 ? warp_ / of_one : search;
      auto const entry = mine == 0 ? from : to;
      std::int64_t low = 0, high = problem_.count;
#pragma unroll 1
      while (__syncthreads_or(low < high)) {
        auto const step = (high - low + places - 1) / places, probe = low + nth * step;
        bool const beyond = probe >= high || problem_.offset(probe + 1) > entry;
        unsigned const before = __ballot_sync(~0u, !beyond);
        if (lane_ == 0) smem_.counts[warp_] = __popc(before);
        __syncthreads();
        int first = 0;
        for (int w = 0; w < of_one; ++w) first += smem_.counts[(searches > 1 ? mine * of_one : 0) + w];
        if (low >= high) continue;
        if (first < places) high = min(high, low + first * step);
        if (first > 0) low += (first - 1) * step + 1;
      }
      if (nth == 0) smem_.rows[mine] = low;
    }
    __syncthreads();
  }
  /// The products of `count` entries from `base` on, into shared memory; all that they read is on its way at
  /// once. Those behind are the last one again: without branches no load waits for another.
  __device__ void multiply(std::int64_t base, int count) const {
    index columns[U];
    entry_value values[U];
    vector_value x[U];
    auto const at = [&](int u) { return static_cast<unsigned>(min(u * 32 + lane_, count - 1)); };
    auto const indices = from_place(problem_.in.indices, base);
    auto const entries = from_place(problem_.in.values, base);
#pragma unroll
    for (int u = 0; u < U; ++u) put_bytes(columns[u], static_cast<index>(indices(at(u))));
#pragma unroll
    for (int u = 0; u < U; ++u) put_bytes(values[u], static_cast<entry_value>(entries(at(u))));
#pragma unroll
    for (int u = 0; u < U; ++u)
      put_bytes(x[u], static_cast<vector_value>(problem_.in.x[static_cast<std::int64_t>(columns[u])]));
#pragma unroll
    for (int u = 0; u < U; ++u)
      put_bytes(smem_.folds[warp_ * window + u * 32 + lane_],
                static_cast<V>(problem_.in.times(values[u], x[u])));
  }
  /// Items from a place on: of memory, one addition for each address.
  template <class It>
  static __device__ auto from_place(It const& items, std::int64_t base) {
    if constexpr (std::is_pointer_v<It>) {
      auto first = items + base;
      asm("" : "+l"(first));  // kept: it would be computed anew for each
      __builtin_assume(__isGlobal(first));
      return [first](unsigned i) { return first[i]; };
    } else {
      return [&items, base](unsigned i) { return items[base + i]; };
    }
  }
  /// Products [from, to) of the window, by 2^log neighbouring lanes; for the first of them. Odd shares keep
  /// lanes on different banks.
  __device__ V fold_window(int from, int to, int log) const {
    int const width = 1 << log, sub = lane_ & (width - 1), each = (to - from + width - 1) >> log | 1,
              first = min(from + sub * each, to), last = min(first + each, to);
    V sum = problem_.zero;
    if (first < last) put_bytes(sum, smem_.folds[first]);
#pragma unroll 4
    for (int i = first + 1; i < last; ++i) put_bytes(sum, fold(sum, smem_.folds[i]));
#pragma unroll 1
    for (int by = 1; by < width; by *= 2) {
      V const right = warp_shfl_down(sum, by);
      if ((sub & (2 * by - 1)) == 0 && from + (sub + by) * each < to) put_bytes(sum, fold(sum, right));
    }
    return sum;
  }

  // Rows that are cut. Nothing is waited for: where offsets are bad, fewer cells may have some of one.

  __device__ std::int64_t first_cell(std::int64_t row) const { return problem_.offset(row) / rows_.cell; }
  __device__ std::int64_t last_cell(std::int64_t row) const {
    return (problem_.offset(row + 1) - 1) / rows_.cell;
  }
  /// Leaves what a cell has of a row; true where all of the row's cells have now.
  __device__ bool leave(std::int64_t cell, std::int64_t row, V const& sum,
                        cut_records<V> const& records) const {
    auto const first = first_cell(row);
    if (cell == first) records.firsts().publish(cell, sum);
    else records.others(cell).publish(0, sum);
    return records.arrive(first) == last_cell(row) - first;
  }
  __device__ void join(std::int64_t row, cut_records<V> const& records) const {
    auto const first = first_cell(row);
    int const count = static_cast<int>(last_cell(row) - first), each = (count + 31) / 32, from = lane_ * each,
              to = min(from + each, count);
    auto const others = records.others(first + 1);
    V sum = problem_.zero;
#pragma unroll 4
    for (int i = from; i < to; ++i) {
      V const next = others.read(i);
      put_bytes(sum, i > from ? fold(sum, next) : next);
    }
    auto op = [&](V const& a, V const& b) { return fold(a, b); };
    sum = warp_reduce_briefly(sum, count > 0 ? (count + each - 1) / each : 0, op);
    if (lane_ > 0) return;
    V const head = records.firsts().read(first);
    problem_.put(row, count > 0 ? fold(head, sum) : head);
  }
  __device__ V fold(V const& a, V const& b) const { return static_cast<V>(problem_.op(a, b)); }

  Problem const& problem_;
  row_division const& rows_;
  shared& smem_;
  int lane_, warp_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
