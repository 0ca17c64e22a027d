// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_LONE_TILE_CUH
#define SWEEP_DETAIL_SCAN_TILE_LONE_TILE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/segments/find_heads.cuh>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/segments/tile_heads.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that is the only one, of so few items that what counts is how many instructions follow each
/// other, since a launch finds none of them near. Shape, in scan order: (warps, R rows, 32 lanes), of which
/// as many rows are used as it takes; one row has code of its own.
template <class Problem, int Threads, int R>
class scan_lone_tile {
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  using heads_type = typename Problem::heads_type;
  using mask = typename Problem::mask;
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool marks = heads_type::marked_in_tiles;
  struct no_marks {};

 public:
  static constexpr int items = Threads * R;

  struct shared {
    [[no_unique_address]] std::conditional_t<marks, tile_heads<items>, no_marks> heads;
    uninitialized<T, Threads / 32> warps;  ///< totals
  };

  __device__ scan_lone_tile(Problem const& problem, shared& smem)
      : problem_{problem},
        smem_{smem},
        count_{static_cast<int>(problem.grid.n)},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)} {
#pragma unroll
    for (int r = 1; r < R; ++r)
      if (count_ > r * static_cast<int>(blockDim.x)) ++rows_;
  }

  __device__ void scan() {
    if (R == 1 || rows_ == 1) scan_rows<1>();
    else scan_rows<R>();
  }

 private:
  /// Whether another item stands in for one that does not exist, as a segment of its own: then the operator
  /// meets neither with what does, and no lane needs to be asked whether it has one.
  static constexpr bool has_stand_ins = heads_type::segmented && may_ignore_left<T>;

  template <int Q>
  __device__ void scan_rows() {
    auto op = problem_.op;
    if constexpr (marks) {
      smem_.heads.clear(items, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
      __syncthreads();
    }
    std::int64_t at[Q];
#pragma unroll
    for (int r = 0; r < Q; ++r) at[r] = exists(r) ? index(r) : 0;
    follow_kernel_before();
    Raw raw[Q];
#pragma unroll
    for (int r = 0; r < Q; ++r) put_bytes(raw[r], static_cast<Raw>(problem_.in[at[r]]));
    mask heads[Q];
    find_heads(at, heads);
    T sums[Q];
    unsigned have[Q];
#pragma unroll
    for (int r = 0; r < Q; ++r) {
      if constexpr (has_stand_ins) {
        have[r] = r < rows_ ? ~0u : 0u;
        put_bytes(sums[r], problem_.item(raw[r], heads[r] | (exists(r) ? 0u : 1u), 0));
      } else {
        T x{};
        if (exists(r)) put_bytes(x, problem_.item(raw[r], heads[r], 0));
        put_bytes(sums[r], x);
        have[r] = __ballot_sync(~0u, exists(r));
      }
    }
    if constexpr (has_stand_ins) {
#pragma unroll
      for (int r = 0; r < Q; ++r) sums[r] = warp_scan(sums[r], op);
    } else {
      warp_scan_rows_of_some(sums, have, op);
    }
    // What comes before a row of the warp; then the warps.
    optional<T> before[Q + 1]{};
#pragma unroll
    for (int r = 0; r < Q; ++r)
      before[r + 1] = combine(before[r], optional<T>{warp_shfl(sums[r], 31), (have[r] >> 31 & 1u) != 0}, op);
    if (lane_ == 0) put_bytes(smem_.warps[warp_], before[Q].value);
    __syncthreads();
    optional<T> all_before{};
    if constexpr (!heads_type::segmented) all_before = problem_.init;
    if (warp_ > 0) {
      T of_warps = smem_.warps[min(lane_, warp_ - 1)];
      if constexpr (has_stand_ins) {
        if (lane_ >= warp_) of_warps.heads = 1;
        of_warps = warp_scan(of_warps, op);
      } else {
        warp_scan_some(of_warps, ~0u >> (32 - warp_), op);
      }
      all_before = {combine(all_before, warp_shfl(of_warps, warp_ - 1), op), true};
    }
#pragma unroll
    for (int r = 0; r < Q; ++r) {
      auto to = combine(all_before, before[r], op);
      if constexpr (Problem::kind == scan_kind::exclusive) {
        T const in_row = warp_shfl_up(sums[r], 1);
        if (lane_ > 0 && exists(r)) to = {combine(to, in_row, op), true};
        if (exists(r)) problem_.put(index(r), problem_.before(to.value, heads[r], 0));
      } else {
        if (exists(r)) problem_.put(index(r), combine(to, sums[r], op));
      }
    }
  }

  __device__ int place(int r) const { return (warp_ * rows_ + r) * 32 + lane_; }
  __device__ bool exists(int r) const { return r < rows_ && place(r) < count_; }
  __device__ std::int64_t index(int r) const { return backward ? count_ - 1 - place(r) : place(r); }

  /// Which of the items start a segment, as masks of one.
  template <int Q>
  __device__ void find_heads(std::int64_t const (&at)[Q], mask (&heads)[Q]) {
    if constexpr (marks) {
      mark_heads();
#pragma unroll
      for (int r = 0; r < Q; ++r)
        heads[r] = problem_.heads.template with_edge<Problem::towards>(
            smem_.heads.at(static_cast<int>(at[r]) + (backward ? 1 : 0)), at[r], 1, count_);
    } else if constexpr (heads_type::segmented && Q == 1) {
      heads_of_rows<Problem::towards, 1>(
          problem_.heads, count_, [&](int) { return at[0]; }, heads);
    } else if constexpr (heads_type::segmented) {
      heads_of_rows<Problem::towards, 1, which_exist::some>(
          problem_.heads, count_, [this](int r) { return index(r); }, heads);
    }
  }
  __device__ void mark_heads() {
    auto const& source = problem_.heads.source;
    auto const synchronize = [] { __syncthreads(); };
    auto const mark = [&](auto const& begins) {
      auto const near = smem_.heads.template ask_near<false>(
          begins, source.count, smem_.heads.first_near(source.count, count_, 0, items));
      smem_.heads.mark_near(near, 0, items);
      synchronize();
      if (!smem_.heads.has_near()) smem_.heads.mark(begins, {0, source.count}, 0, items);
    };
    if constexpr (requires { source.lengths; }) {
      if (source.ends) mark(typename std::remove_cvref_t<decltype(source)>::begins{source.ends});
      else smem_.heads.mark_lengths(source.lengths, source.count, count_, 0, items, synchronize);
    } else {
      mark(source.offsets);
    }
    synchronize();
  }

  Problem const& problem_;
  shared& smem_;
  int count_, rows_ = 1, lane_, warp_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
