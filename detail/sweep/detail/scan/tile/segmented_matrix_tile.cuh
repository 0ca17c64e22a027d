// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_SEGMENTED_MATRIX_TILE_CUH
#define SWEEP_DETAIL_SCAN_TILE_SEGMENTED_MATRIX_TILE_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/scan/tile/shared_memory_tile.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Dotsenko 2008, section 4.2: the segmented scan of H rows of 32 items, padded to 33, whose head flags are
/// packed, a word a row. One thread scans a row. The block's two shortcuts: a tile without a head is scanned
/// as if there were no segments, and what comes before a tile reaches its first head only.
template <class Problem>
  requires(Problem::heads_type::segmented)
class scan_shared_memory_tile<Problem, within_tile::matrix> {
  using T = typename Problem::value;
  using V = decltype(T::value);
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
  static constexpr int W = 32, H = shared_memory_items(sizeof(V) + sizeof(T) / W + 1) / W;

 public:
  static constexpr int items = H * W, threads = std::max(64, std::min(items, 256));

  struct shared {
    uninitialized<V, H*(W + 1)> places;
    uninitialized<T, H> column;
    uninitialized<T> prefix;
    std::uint32_t flags[H];
    bool has_prefix;
  };

  __device__ scan_shared_memory_tile(Problem const& problem, shared& smem) : problem_{problem}, smem_{smem} {}

  static constexpr bool has_look_back_warp = false;

  /// A warp loads a row at a time, and votes on its flags.
  template <class Work>
  __device__ void with_items(tile_window const& window, Work work) {
    window_ = window;
    work(*this);
  }

  __device__ void load() {
    count_ = window_.count();
    rows_ = (count_ + W - 1) / W;
    first_ = backward ? window_.base + items - 1 - window_.valid_begin : window_.base + window_.valid_begin;
    for (int i = static_cast<int>(threadIdx.x); i < rows_ * W; i += threads) {
      T x{};
      if (i < count_) {
        x = problem_.item(memory_of(i));
        put_bytes(smem_.places[place(i)], x.value);
      }
      auto const flags = __ballot_sync(~0u, x.heads != decltype(x.heads){});
      if (threadIdx.x % 32 == 0) smem_.flags[i / W] = flags;
    }
    __syncthreads();
  }

  /// The rows' totals.
  template <class Op>
  __device__ void scan(Op& op) {
    int const row = static_cast<int>(threadIdx.x);
    bool const segments = __syncthreads_or(row < rows_ && smem_.flags[row] != 0) != 0;
    if (row < rows_) put_bytes(smem_.column[row], segments ? fold_row(row, op) : fold_plain_row(row, op));
    __syncthreads();
    if (row == 0)
      for (int r = 1; r < rows_; ++r) smem_.column[r] = op(smem_.column[r - 1], smem_.column[r]);
    __syncthreads();
  }

  template <class Op, class Publish>
  __device__ void await_look_back(Op&, Publish publish) {
    if (threadIdx.x < 32) {
      optional<T> const before = publish(warp_lanes{}, smem_.column[rows_ - 1], no_work{});
      if (threadIdx.x == 0) {
        put_bytes(smem_.prefix.value(), before.value);
        smem_.has_prefix = before.present;
      }
    }
    __syncthreads();
  }

  /// Results take the items' places on their way to memory.
  template <class Op>
  __device__ void store(Op& op) {
    if (int const row = static_cast<int>(threadIdx.x); row < rows_) scan_row(row, op);
    __syncthreads();
    if constexpr (!keeps_flags)
      for (int i = static_cast<int>(threadIdx.x); i < count_; i += threads)
        problem_.put(memory_of(i), smem_.places[place(i)]);
  }

 private:
  static __device__ int place(int i) { return i / W * (W + 1) + i % W; }
  __device__ std::int64_t memory_of(int i) const { return backward ? first_ - i : first_ + i; }
  __device__ int end_of(int row) const { return min(count_ - row * W, W); }
  __device__ bool head(int row, int i) const { return (smem_.flags[row] >> i & 1u) != 0; }

  template <class Op>
  __device__ T fold_plain_row(int row, Op& op) const {
    V const* const x = smem_.places.data() + row * (W + 1);
    V sum = x[0];
    for (int i = 1; i < end_of(row); ++i) sum = op.op(sum, x[i]);
    return {sum, 0};
  }
  template <class Op>
  __device__ T fold_row(int row, Op& op) const {
    using count = decltype(T::heads);
    V const* const x = smem_.places.data() + row * (W + 1);
    V sum = x[0];
    for (int i = 1; i < end_of(row); ++i) sum = head(row, i) ? x[i] : static_cast<V>(op.op(sum, x[i]));
    return {sum, static_cast<count>(__popc(smem_.flags[row]))};
  }

  /// Results take the items' places; flagged ones, where somebody counts heads, go to memory at once.
  template <class Op>
  __device__ void scan_row(int row, Op& op) {
    optional<T> before{smem_.prefix.value(), smem_.has_prefix};
    if (row > 0) {
      T const rows_before = smem_.column[row - 1];
      before = {combine(before, rows_before, op), true};
    }
    V* const x = smem_.places.data() + row * (W + 1);
    for (int i = 0; i < end_of(row); ++i) {
      T const item{x[i], static_cast<decltype(T::heads)>(head(row, i))};
      T const with = combine(before, item, op);
      T const result =
          inclusive ? with : static_cast<T>(problem_.before(before.value, head(row, i) ? 1u : 0u, 0));
      if constexpr (keeps_flags) problem_.put(memory_of(row * W + i), result);
      else x[i] = result.value;
      before = {with, true};
    }
  }
  static constexpr bool keeps_flags = std::is_same_v<typename Problem::out_value, T>;

  Problem const& problem_;
  shared& smem_;
  tile_window window_{};
  int count_ = 0, rows_ = 0;
  std::int64_t first_ = 0;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
