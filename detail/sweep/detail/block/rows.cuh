// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_ROWS_CUH
#define SWEEP_DETAIL_BLOCK_ROWS_CUH

#include <sweep/detail/block/access.cuh>
#include <sweep/detail/block/warp.cuh>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/lanes.cuh>

namespace sweep::detail {

/// A thread block that holds its tile in registers. Shape of a tile, in scan order:
///   (warps, R rows, 32 lanes, V items): a row is 32 neighbouring words of V items, so every access is coalesced,
/// and a warp's rows are neighbours, so that its scan is R warp scans of word totals and a running carry.
/// Problem gives the iterators, the types and the tiling; see scan/problem.hpp.
template <class Problem, scan_plan P>
class rows_block {
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  static constexpr int V = Problem::word_items, R = P.rows;
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
  // Narrow items wait in their own type beside what comes before each word (packed). Others wait converted with that
  // prefix folded in, which takes one register less per word and one operation less per item.
  static constexpr bool packed = sizeof(Raw) * V + sizeof(T) < sizeof(T) * V;

 public:
  static SWEEP_HD constexpr int tile_items(int block_threads) { return block_threads * R * V; }

  struct shared {
    alignas(T) unsigned char totals[32 * sizeof(T)];  ///< inclusive, one per warp
    alignas(T) unsigned char prefix[sizeof(T)];
    bool has_prefix;
  };

  __device__ rows_block(Problem const& problem, shared& smem)
      : problem_{problem}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)}, warp_{static_cast<int>(threadIdx.x / 32)} {}

  /// Loads the tile and scans it as far as each word: afterwards a word knows the fold of its warp before it.
  template <class Op>
  __device__ void scan(tile_window const& window, Op& op) {
    window_ = window;
    full_ = window.low == 0 && window.high == tile_items(static_cast<int>(blockDim.x));
    if (full_) scan_rows<true>(op);
    else scan_rows<false>(op);
  }

  /// The leading warp gives the tile's total to `exchange`, which answers with the fold of everything before the tile.
  template <class Op, class Exchange>
  __device__ void lead(Op& op, Exchange exchange) {
    auto* const totals = reinterpret_cast<T*>(smem_.totals);
    auto* const prefix = reinterpret_cast<T*>(smem_.prefix);
    int const warps = static_cast<int>(blockDim.x / 32);
    if (lane_ == 0) totals[warp_] = total_;
    __syncthreads();
    if (warp_ == 0) {
      int const from = lane_ * warp_items;
      T sum = lane_ < warps ? totals[lane_] : T{};
      warp_scan_some(sum, __ballot_sync(~0u, lane_ < warps && some(from, from + warp_items)), op);
      if (lane_ < warps) totals[lane_] = sum;
      maybe<T> const before = exchange(warp_lanes{}, warp_shfl(sum, 31));
      if (lane_ == 0) {
        *prefix = before.value;
        smem_.has_prefix = before.present;
      }
    }
    __syncthreads();
    before_ = {*prefix, smem_.has_prefix};
    if (some(0, warp_ * warp_items)) {
      T const warps_before = totals[warp_ - 1];
      before_ = {before_.present ? static_cast<T>(op(before_.value, warps_before)) : warps_before, true};
    }
  }

  /// Writes the tile's results.
  template <class Op>
  __device__ void store(Op& op) {
    if (full_) store_rows<true>(op);
    else store_rows<false>(op);
  }

 private:
  static constexpr int warp_items = R * 32 * V;

  /// Whether any of the places [from, to) exist in this tile.
  __device__ bool some(int from, int to) const { return max(from, window_.low) < min(to, window_.high); }
  template <bool Full>
  __device__ bool exists(int place) const {
    return Full || (place >= window_.low && place < window_.high);
  }
  __device__ int row_place(int r) const { return (warp_ * R + r) * 32 * V; }
  /// Where place + v, v < V, of a word lies in memory.
  __device__ std::int64_t memory_of(int place, int v) const {
    return window_.memory + (backward ? tile_items(static_cast<int>(blockDim.x)) - 1 - place - v : place + v);
  }
  __device__ T converted(Raw const& raw) { return static_cast<T>(problem_.unary(raw)); }

  template <bool Full>
  __device__ void load_row(int r, Raw (&items)[V], bool by_words) {
    int const place = row_place(r) + lane_ * V;
    if constexpr (Problem::in_contiguous) {
      if (Full && by_words) {
        Raw words[V];
        load_words<P.load>(problem_.in + memory_of(place, backward ? V - 1 : 0), words);
#pragma unroll
        for (int v = 0; v < V; ++v) items[v] = words[backward ? V - 1 - v : v];
        return;
      }
    }
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (exists<Full>(place + v)) items[v] = problem_.in[memory_of(place, v)];
  }

  template <bool Full, class Op>
  __device__ void scan_rows(Op& op) {
    bool by_words = false;
    if constexpr (Problem::in_contiguous) by_words = word_aligned<V>(problem_.in, window_.memory);
    Raw raw[R][V];
    if (Full && by_words) {
#pragma unroll
      for (int r = 0; r < R; ++r) load_row<Full>(r, raw[r], true);
    } else {
#pragma unroll
      for (int r = 0; r < R; ++r) load_row<Full>(r, raw[r], false);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int const row = row_place(r), place = row + lane_ * V, warp_start = warp_ * warp_items;
      T sum{};
      bool any = false;
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (exists<Full>(place + v)) {
          T const x = converted(raw[r][v]);
          sum = any ? static_cast<T>(op(sum, x)) : x;
          any = true;
        }
      if constexpr (Full) sum = warp_scan(sum, op);
      else warp_scan_some(sum, __ballot_sync(~0u, any), op);

      T const lanes_before = warp_shfl_up(sum, 1), row_total = warp_shfl(sum, 31);
      bool const has_lanes = Full ? lane_ > 0 : some(row, place), has_rows = Full ? r > 0 : some(warp_start, row);
      T before = has_rows ? (has_lanes ? static_cast<T>(op(total_, lanes_before)) : total_) : lanes_before;
      if (Full || some(row, row + 32 * V)) total_ = has_rows ? static_cast<T>(op(total_, row_total)) : row_total;

      if constexpr (packed) {
        words_before_[r] = before;
#pragma unroll
        for (int v = 0; v < V; ++v) raw_[r][v] = raw[r][v];
      } else {
        bool const has_before = has_lanes || has_rows;
#pragma unroll
        for (int v = V; v-- > 0;) {
          bool const first = Full ? v == 0 : place + v == max(place, window_.low);
          if (!exists<Full>(place + v)) continue;
          if constexpr (inclusive) {
            T const x = converted(raw[r][v]);
            kept_[r][v] = first && has_before ? static_cast<T>(op(before, x)) : x;
          } else {
            if (first) kept_[r][v] = before;
            else kept_[r][v] = converted(raw[r][v > 0 ? v - 1 : 0]);
          }
        }
      }
    }
  }

  template <bool Full, class Op>
  __device__ void store_rows(Op& op) {
    bool by_words = false;
    if constexpr (Problem::out_contiguous) by_words = Full && word_aligned<V>(problem_.out, window_.memory);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int const row = row_place(r), place = row + lane_ * V;
      bool const has_before = Full ? r > 0 || lane_ > 0 : some(warp_ * warp_items, place);
      T results[V];
      T sum{};
      bool has = false;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (!exists<Full>(place + v)) continue;
        bool const first = Full ? v == 0 : place + v == max(place, window_.low);
        if constexpr (packed) {
          if (first) {
            T const before = words_before_[r];
            sum = !has_before ? before_.value : before_.present ? static_cast<T>(op(before_.value, before)) : before;
            has = has_before || before_.present;
          }
          if constexpr (!inclusive) results[v] = sum;
          T const x = converted(raw_[r][v]);
          sum = has ? static_cast<T>(op(sum, x)) : x;
          has = true;
          if constexpr (inclusive) results[v] = sum;
        } else {
          T const x = kept_[r][v];
          if constexpr (inclusive) {
            if (first) sum = before_.present ? static_cast<T>(op(before_.value, x)) : x;
            else sum = op(sum, x);
          } else if (first) {
            sum = !has_before ? before_.value : before_.present ? static_cast<T>(op(before_.value, x)) : x;
            has = has_before || before_.present;
          } else {
            sum = has ? static_cast<T>(op(sum, x)) : x;
            has = true;
          }
          results[v] = sum;
        }
      }
      store_row<Full>(place, results, by_words);
    }
  }

  template <bool Full>
  __device__ void store_row(int place, T const (&results)[V], bool by_words) {
    if constexpr (Problem::out_contiguous) {
      using U = typename Problem::out_value;
      if (Full && by_words) {
        U words[V];
#pragma unroll
        for (int v = 0; v < V; ++v) words[backward ? V - 1 - v : v] = static_cast<U>(results[v]);
        store_words<P.store>(problem_.out + memory_of(place, backward ? V - 1 : 0), words);
        return;
      }
    }
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (exists<Full>(place + v)) problem_.out[memory_of(place, v)] = static_cast<typename Problem::out_value>(results[v]);
  }

  struct nothing {};
  Problem const& problem_;
  shared& smem_;
  int lane_, warp_;
  tile_window window_{};
  bool full_ = false;
  T total_{};          ///< of this warp
  maybe<T> before_{};  ///< everything before this warp
  T kept_[packed ? 1 : R][packed ? 1 : V];
  T words_before_[packed ? R : 1];
  Raw raw_[packed ? R : 1][packed ? V : 1];
};

}  // namespace sweep::detail

#endif
