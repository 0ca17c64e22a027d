// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_COLUMN_WALK_CUH
#define SWEEP_DETAIL_SPMV_TILE_COLUMN_WALK_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tile/entry_stage.cuh>
#include <sweep/detail/spmv/tile/path_walk.cuh>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A warp that folds the rows of its share of the merge path where the vector has C items a row: C lanes have
/// an entry, a column each, so that a row of x is read side by side. Shape of a window, in memory order:
/// (32 / C groups of lanes, G entries); a group folds its entries one after the other and writes the rows
/// that it has from their beginning. What it has of the row before and of the row behind is joined with the
/// other groups'. G keeps the groups on different banks.
template <class Problem, path_shape S>
class column_walk {
  using V = typename Problem::value;
  using products = decltype(Problem::in);
  using index = typename products::index;
  using entry_value = typename products::entry_value;
  using item = std::remove_cvref_t<decltype(std::declval<V>().of[0])>;
  using vector_item = std::remove_cvref_t<decltype(std::declval<typename products::vector_value>().of[0])>;
  using offset = value_of<decltype(Problem::offsets)>;
  using place = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr int C = columns_of_value<V>, groups = 32 / C, U = S.row_items, window = S.window_items(),
                       G = window / groups, R = G % 10 == 0 ? 10 : G,
                       stages = Problem::item_bytes <= 16 ? 2 : 1;
  using column_stage = entry_stage<decltype(products::indices), U>;
  using value_stage = entry_stage<decltype(products::values), U>;

 public:
  struct shared {
    struct stage {
      typename column_stage::shared columns;
      typename value_stage::shared values;
    } entries[stages];
    /// Of each entry: 0, or one more than the number of the row that ends with it, of those in the window.
    alignas(16) unsigned ends_row[window];
    path_ends<V> ends;
  };

  __device__ column_walk(Problem const& problem, std::int64_t n, shared& smem)
      : problem_{problem},
        n_{n},
        smem_{smem},
        lane_{static_cast<int>(threadIdx.x % 32)},
        column_{lane_ % C},
        has_column_{column_ < problem.in.x.count} {}

  __device__ void operator()(path_place begin, path_place end) const {
    auto base = begin.entry / stage_unit * stage_unit;
    if constexpr (stages > 1) fill(base, 0);
    auto row = begin.row;
    auto const first_begin = static_cast<std::int64_t>(problem_.offsets[row]);
    auto row_begin = static_cast<place>(first_begin);
    if (lane_ == 0) smem_.ends.carried = -1;
    bool cut = first_begin < begin.entry;  // whether the first row began before the share and has not ended
    item carry = problem_.zero.of[0];      // what the row that goes on has before the window
    bool has_carry = false;
    int own = static_cast<int>(begin.entry - base);
    int stage = 0;
#pragma unroll 1
    for (;; base += window, own = 0) {
      auto const left = end.entry - base;
      int const to = static_cast<int>(min(max(left, std::int64_t{0}), std::int64_t{window}));
      if constexpr (stages == 1) fill(base, 0);
      auto const next = mark_rows(base, row, end.row, row_begin);
      await_async_copies();
      __syncwarp();
      if constexpr (stages > 1)
        if (left > window) fill(base + window, stage ^ 1);
      fold_window(smem_.entries[stage], base, row, own, to, cut, carry, has_carry);
      row = next;
      __syncwarp();
      if constexpr (stages > 1) stage ^= 1;
      if (left <= window) break;
    }
    if (lane_ < C)
      put_bytes(smem_.ends.total.value().value.of[column_], has_carry ? carry : problem_.zero.of[0]);
    if (lane_ == 0) smem_.ends.total.value().heads = !cut;
  }

 private:
  using stage_memory = typename shared::stage;

  __device__ void fill(std::int64_t base, int stage) const {
    column_stage::fill(smem_.entries[stage].columns, problem_.in.indices, base, n_);
    value_stage::fill(smem_.entries[stage].values, problem_.in.values, base, n_);
  }

  /// Notes where rows from `row` on end that do so in the window, and writes those that are empty. Returns
  /// the first row that does not end there.
  __device__ std::int64_t mark_rows(std::int64_t base, std::int64_t row, std::int64_t last,
                                    place& row_begin) const {
#pragma unroll
    for (int u = 0; u < U; ++u) smem_.ends_row[u * 32 + lane_] = 0;
    __syncwarp();
    auto const first = row;
    for (;;) {
      auto const s = row + lane_;
      place end = 0;
      if (s < last) end = static_cast<place>(problem_.offsets[s + 1]);
      place begin = __shfl_up_sync(~0u, end, 1);
      if (lane_ == 0) begin = row_begin;
      auto const p = end - static_cast<place>(base);
      bool const in = s < last && p <= window;
      if (in) {
        if (end == begin) problem_.put_empty(s);
        else if (p > 0) smem_.ends_row[p - 1] = static_cast<unsigned>(s - first) + 1;
      }
      int const count = __popc(__ballot_sync(~0u, in));
      if (count > 0) row_begin = __shfl_sync(~0u, end, count - 1);
      row += count;
      if (count < 32) return row;
    }
  }

  __device__ item fold(item const& a, item const& b) const {
    return static_cast<item>(problem_.op.plus(a, b));
  }
  __device__ void put(std::int64_t row, item const& sum) const {
    if (!has_column_ || !problem_.wants(row)) return;
    auto const& to = problem_.out;
    strided_column<std::remove_cvref_t<decltype(to.first)>> const column{
        to.first + column_ * to.column_stride, to.row_stride};
    put_result(column, row, sum, problem_.op.plus, problem_.in.times.times, problem_.result);
  }

  __device__ void fold_window(stage_memory const& entries, std::int64_t base, std::int64_t row, int own,
                              int to, bool& cut, item& carry, bool& has_carry) const {
    int const group = lane_ / C, from = max(group * G, own), last = min(group * G + G, to);
    auto const& x = problem_.in.x;
    auto const beside = (has_column_ ? column_ : 0) * x.column_stride;
    item sum = carry, head = carry;
    bool has = false;
    unsigned head_row = 0;
#pragma unroll 1
    for (int i = from; i < last; i += R) {
      vector_item some[R];
      entry_value values[R];
      unsigned ends[R];
      // Places that do not exist are the last one again: without branches no load waits for another.
#pragma unroll
      for (int r = 0; r < R; ++r) {
        auto const column =
            column_stage::at(entries.columns, problem_.in.indices, base, min(i + r, last - 1));
        put_bytes(some[r], static_cast<vector_item>(
                               x.first[static_cast<std::int64_t>(column) * x.row_stride + beside]));
      }
#pragma unroll
      for (int r = 0; r < R; ++r) {
        int const at = min(i + r, last - 1);
        put_bytes(values[r], value_stage::at(entries.values, problem_.in.values, base, at));
        ends[r] = smem_.ends_row[at];
      }
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (i + r < last) {
          auto const product = static_cast<item>(problem_.in.times.times(values[r], some[r]));
          sum = has ? fold(sum, product) : product;
          has = true;
          if (ends[r] != 0) {
            if (head_row == 0) {
              head_row = ends[r];
              head = sum;
            } else {
              put(row + ends[r] - 1, sum);
            }
            has = false;
          }
        }
    }
    __syncwarp();
    // The groups' first rows, in order: all lanes of a column know what comes before each.
#pragma unroll 1
    for (int g = 0; g < groups; ++g) {
      int const from_lane = g * C + column_;
      unsigned const ended = __shfl_sync(~0u, head_row, from_lane);
      bool const goes_on = __shfl_sync(~0u, has, from_lane) != 0;
      item const of_head = warp_shfl(head, from_lane), of_sum = warp_shfl(sum, from_lane);
      if (ended != 0) {
        item const whole = has_carry ? fold(carry, of_head) : of_head;
        auto const s = row + ended - 1;
        if (g == group) {
          if (cut) {
            put_bytes(smem_.ends.carry.value().of[column_], whole);
            if (column_ == 0) smem_.ends.carried = s;
          } else {
            put(s, whole);
          }
        }
        cut = false;
        has_carry = false;
      }
      if (goes_on) {
        carry = has_carry ? fold(carry, of_sum) : of_sum;
        has_carry = true;
      }
    }
  }

  Problem const& problem_;
  std::int64_t n_;  ///< of entries
  shared& smem_;
  int lane_, column_;
  bool has_column_;
};

/// Whether a problem's columns are lanes'.
template <class Problem>
inline constexpr bool columns_are_lanes = [] {
  constexpr int C = columns_of_value<typename Problem::value>;
  if constexpr (C >= 2 && C <= 32 && (C & (C - 1)) == 0) return requires(Problem const& p) {
      p.op.plus;
      p.in.times.times;
      p.in.x.row_stride;
      p.out.row_stride;
    };
  else return false;
}();

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
