// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_TILE_REGISTER_SHARE_CUH
#define SWEEP_DETAIL_REDUCE_TILE_REGISTER_SHARE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A block's share in registers: each warp reduces neighbouring rows of (32 lanes, V items), R of them in
/// flight. What folds in any order is kept apart by lanes until the end; all else is folded row after row.
template <class Problem, reduce_plan P>
class register_share {
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  static_assert((P.rows & (P.rows - 1)) == 0 && P.rows <= 32,
                "sweep: a plan of reduce needs a power of two of rows");
  static constexpr int V = Problem::vector_items, row_items = 32 * V, warps = P.threads / 32;
  /// Rows in flight: fewer where items fill longer vectors, or make many values of one.
  static constexpr int R = [] {
    int const bytes = V * static_cast<int>(sizeof(Raw)),
              values = Problem::in_any_order && sizeof(Raw) < 4 ? 32 : 0;
    int rows = P.rows;
    while (rows > 1 && rows * std::max(bytes, values) > P.rows * 16) rows /= 2;
    return rows;
  }();

 public:
  struct shared {
    uninitialized<T, warps> sums;
  };

  __device__ register_share(Problem& problem, shared& smem)
      : problem_{problem}, sums_{smem.sums.data()}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  static __device__ std::int64_t shares(Problem const& problem, std::int64_t of) {
    auto const each = rows_of_warp(problem, of) * warps;
    return each == 0 ? 0 : (rows(problem) + each - 1) / each;
  }

  __device__ optional<T> reduce(std::int64_t block, std::int64_t of) {
    int const warp = static_cast<int>(threadIdx.x / 32);
    auto const each = rows_of_warp(problem_, of), all = rows(problem_);
    auto const first = min(all, (block * warps + warp) * each), end = min(all, first + each);
    optional<T> sum{};  // of this warp, in lane 0
    bool by_rows = true;
    if constexpr (Problem::in_contiguous) by_rows = vector_aligned<V>(problem_.in, -problem_.shift);
    auto row = first;
    for (; row < end && !whole(row); ++row) add(sum, reduce_part(row));
    if (by_rows) {
      if constexpr (Problem::in_any_order) {
        optional<T> of_lane{};  // present in all lanes or in none
        for (; row + R <= end && whole(row + R - 1); row += R) fold_rows<R>(row, of_lane);
        for (; row < end && whole(row); ++row) fold_rows<1>(row, of_lane);
        any_order<decltype(problem_.op)> join{problem_.op};
        T const one[1] = {of_lane.value};
        if (of_lane.present) add(sum, warp_reduce_rows(one, join));
      } else {
        for (; row + R <= end && whole(row + R - 1); row += R) reduce_rows<R>(row, sum);
        for (; row < end && whole(row); ++row) reduce_rows<1>(row, sum);
      }
    }
    for (; row < end; ++row) add(sum, reduce_part(row));

    if (lane_ == 0 && first < end) put_bytes(sums_[warp], sum.value);
    __syncthreads();
    if (warp > 0) return {};
    auto const mine =
        min(std::int64_t{warps},
            each == 0 ? 0 : (max(std::int64_t{0}, all - block * warps * each) + each - 1) / each);
    int const count = static_cast<int>(mine);
    T const share = lane_ < count ? sums_[lane_] : T{};
    return {warp_reduce_right(share, count, problem_.op), count > 0};
  }

 private:
  static __device__ std::int64_t rows(Problem const& problem) {
    return problem.n == 0 ? 0 : (problem.n + problem.shift + row_items - 1) / row_items;
  }
  static __device__ std::int64_t rows_of_warp(Problem const& problem, std::int64_t of) {
    return (rows(problem) + of * warps * R - 1) / (of * warps * R) * R;
  }
  /// Where a lane's word of a row begins.
  __device__ std::int64_t word(std::int64_t row) const {
    return row * row_items - problem_.shift + lane_ * V;
  }
  __device__ bool whole(std::int64_t row) const {
    return row * row_items >= problem_.shift && (row + 1) * row_items - problem_.shift <= problem_.n;
  }
  __device__ void add(optional<T>& sum, T const& next) {
    if (lane_ == 0) sum = {combine(sum, next, problem_.op), true};
  }

  /// Calls take(r, x) with what this lane's word of each row folds to, all words in flight.
  template <int Rows, class Take>
  __device__ void fold_words(std::int64_t row, Take take) {
    if constexpr (Problem::in_contiguous) {
      item_vector<Raw, V> items[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) load_vectors<P.load>(problem_.in + word(row + r), items[r]);
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        Raw raw[V];
        items[r].unpack(raw);
        take(r, fold_word(raw, word(row + r)));
      }
    } else {
      T items[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) items[r] = problem_.item(word(row + r));
#pragma unroll
      for (int r = 0; r < Rows; ++r) take(r, items[r]);
    }
  }
  __device__ T fold_word(Raw const (&raw)[V], std::int64_t i) {
    if constexpr (folds_neighbours<decltype(problem_.unary), Raw, V>) return problem_.unary.fold(raw, i);
    else {
      T x = problem_.of(raw[0], i);
#pragma unroll
      for (int v = 1; v < V; ++v) x = problem_.op(x, problem_.of(raw[v], i + v));
      return x;
    }
  }

  template <int Rows>
  __device__ void reduce_rows(std::int64_t row, optional<T>& sum) {
    T parts[Rows];
    fold_words<Rows>(row, [&](int r, T const& x) { parts[r] = x; });
    add(sum, warp_reduce_rows(parts, problem_.op));
  }
  template <int Rows>
  __device__ void fold_rows(std::int64_t row, optional<T>& of_lane) {
    T x{};
    fold_words<Rows>(row, [&](int r, T const& next) { x = r == 0 ? next : problem_.op(x, next); });
    of_lane = {combine(of_lane, x, problem_.op), true};
  }

  /// A row of any alignment, whose items need not all exist; they are neighbours.
  __device__ T reduce_part(std::int64_t row) {
    auto const from = max(std::int64_t{0}, word(row)), to = min(problem_.n, word(row) + V);
    T x{};
    for (auto i = from; i < to; ++i)
      x = i > from ? static_cast<T>(problem_.op(x, problem_.item(i))) : problem_.item(i);
    auto const have = __ballot_sync(~0u, from < to);
    warp_scan_some(x, have, problem_.op);
    return warp_shfl(x, 31);
  }

  Problem& problem_;
  T* sums_;
  int lane_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
