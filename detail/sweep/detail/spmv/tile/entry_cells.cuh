// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_ENTRY_CELLS_CUH
#define SWEEP_DETAIL_SPMV_TILE_ENTRY_CELLS_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tile/path_walk.cuh>
#include <sweep/detail/spmv/tile/product_window.cuh>
#include <sweep/detail/spmv/tuning.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that folds what rows have in a cell of neighbouring entries. Its entries are on their way
/// before the block knows whose they are: which rows these are it looks for meanwhile, all threads at once.
/// As many lanes fold a row as all rows of the cell leave, a block's warps where there are few. What a row
/// has that is cut stays in shared memory for others, to be joined by the look-back.
template <class Problem, row_tile_shape S>
class entry_cells : product_window<Problem, S> {
  using base = product_window<Problem, S>;
  using typename base::V, typename base::place;
  using base::U, base::threads, base::problem_, base::n_, base::offset_of, base::fold, base::lane,
      base::product, base::fold_items, base::fold_long_or_short;
  static constexpr int warps = threads / 32;

 public:
  using position = place;
  struct shared {
    alignas(16) typename base::memory folds;
    uninitialized<V, warps> of_warps;
    alignas(8) place ends[threads + 1];
    path_ends<V> left;  ///< for the neighbours
  };

  __device__ entry_cells(Problem const& problem, std::int64_t n, shared& smem)
      : base{problem, n, smem.folds}, smem_{smem} {}

  __device__ void operator()(place from, place to) const {
    if (threadIdx.x == 0) {
      smem_.left.carried = -1;
      put_bytes(smem_.left.total.value().value, problem_.zero);
      smem_.left.total.value().heads = true;
    }
    place row = 0;
    found_row found{};
    multiply_some(
        from, static_cast<int>(to - from), [&] { row = rows_before(from); },
        [&] { found = find(from, to, row); });
#pragma unroll 1
    for (;;) {
      int const first = __syncthreads_count(found.is_before), rows = __syncthreads_count(found.is_here);
      fold_rows(from, to, row + first, smem_.ends + first, rows);
      if (first + rows < threads || row + threads >= problem_.count) break;
      __syncthreads();
      row += threads;
      found = find(from, to, row);
    }
  }

 private:
  /// The products, by as few loads a thread as do. While columns and values are on their way, `look` is
  /// called, and `look_again` while what they lead to is.
  template <int N = (U + 3) / 4, class Look, class LookAgain>
  __device__ void multiply_some(place from, int count, Look const& look, LookAgain const& look_again) const {
    if constexpr (N < U)
      if (count > N * threads)
        return multiply_some<(N + (U + 3) / 4 < U ? N + (U + 3) / 4 : U)>(from, count, look, look_again);
    typename base::template loads<N> some;
    this->load(from, count, N, some);
    look();
    this->gather(N, some);
    look_again();
    this->multiply(N, some);
  }
  struct found_row {
    bool is_before, is_here;
  };
  /// Neighbouring rows from `row` on, one a thread: where they lie is known to all.
  __device__ found_row find(place from, place to, place row) const {
    auto const mine = row + static_cast<place>(threadIdx.x);
    if (mine >= problem_.count) return {};
    auto const begin = offset_of(mine), end = offset_of(mine + 1);
    if (threadIdx.x == 0) smem_.ends[0] = begin;
    smem_.ends[threadIdx.x + 1] = end;
    bool const is_empty = end <= begin, is_before = is_empty ? begin < from : end <= from;
    return {is_before, !is_before && (begin < to || (is_empty && to == n_))};
  }
  /// A row, less than so many of which as there are threads are before the first that does not end before a
  /// place.
  __device__ place rows_before(place at) const {
    place low = 0, high = static_cast<place>(problem_.count);
#pragma unroll 1
    while (high - low > threads) {
      auto const step = (high - low - 1) / threads + 1, probe = low + static_cast<place>(threadIdx.x) * step;
      int const before = __syncthreads_count(probe < high && offset_of(probe + 1) < at);
      high = min(high, low + before * step);
      if (before > 0) low += (before - 1) * step + 1;
    }
    return low;
  }
  /// So many neighbouring rows from `row` on, that begin and end at `ends`.
  __device__ void fold_rows(place from, place to, place row, place const* ends, int count) const {
    int log = 0;
    while (log < 5 && 2 * count << log <= threads) ++log;
    int const warp = static_cast<int>(threadIdx.x / 32), warps_of_row = max(warps / max(count, 1), 1);
    auto const place_of = [&](int i) { return static_cast<int>(max(min(ends[i], to), from) - from); };
    auto const item = [&](int i) -> V const& { return product(i); };
    if (warps_of_row > 1) {
      int const r = warp / warps_of_row, nth = warp % warps_of_row;
      int const low = r < count ? place_of(r) : 0, high = r < count ? max(low, place_of(r + 1)) : 0;
      int const each = ((high - low + warps_of_row - 1) / warps_of_row + 31) / 32 * 32;
      V sum = fold_items(min(low + nth * each, high), min(low + nth * each + each, high), 5, item);
      if (lane() == 0) put_bytes(smem_.of_warps[warp], sum);
      __syncthreads();
      if (nth == 0 && lane() == 0 && r < count) {
        for (int w = 1; w < warps_of_row && low + w * each < high; ++w)
          put_bytes(sum, fold(sum, smem_.of_warps[warp + w]));
        put(from, to, row + r, ends[r], ends[r + 1], sum);
      }
    } else {
#pragma unroll 1
      for (int i = static_cast<int>(threadIdx.x); i - lane() < count << log; i += threads) {
        int const r = i >> log;
        int const low = r < count ? place_of(r) : 0, high = r < count ? max(low, place_of(r + 1)) : 0;
        V const sum = fold_long_or_short(low, high, log, item);
        if (r < count && (lane() & ((1 << log) - 1)) == 0) put(from, to, row + r, ends[r], ends[r + 1], sum);
      }
    }
  }
  /// Writes what a row has, or keeps it for the neighbours.
  __device__ void put(place from, place to, place row, place begin, place end, V const& sum) const {
    if (begin < end && end > to) {
      put_bytes(smem_.left.total.value().value, sum);
      smem_.left.total.value().heads = begin >= from;
    } else if (begin < end && begin < from) {
      put_bytes(smem_.left.carry.value(), sum);
      smem_.left.carried = row;
    } else {
      problem_.put(row, sum);
    }
  }

  shared& smem_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
