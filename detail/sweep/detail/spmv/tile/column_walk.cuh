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
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A warp that folds the rows of its share of the merge path where the vector has several columns: a group of
/// L lanes has an entry, W columns a lane, so that a row of x is read side by side, in vectors where memory
/// has them. L is as few as have all columns of the pass. Shape of a window, in memory order:
/// (32 / L groups, G entries); a group folds its entries one after the other and writes the rows that it has
/// from their beginning. What it has of the row before and of the row behind is joined with the other groups'
/// by a scan of the lanes that have the same columns.
template <class Problem, path_shape S>
class column_walk {
  using V = typename Problem::value;
  using products = decltype(Problem::in);
  using index = typename products::index;
  using entry_value = typename products::entry_value;
  using item = std::remove_cvref_t<decltype(std::declval<V>().of[0])>;
  using reader = decltype(products::x);
  using writer = decltype(Problem::out);
  using vector_items = typename products::vector_value;
  using vector_item = std::remove_cvref_t<decltype(std::declval<vector_items>().of[0])>;
  using offset = value_of<decltype(Problem::offsets)>;
  using place = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr int W = columns_of_value<V>, U = S.row_items, window = S.window_items(),
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
    path_ends<V> ends[column_lanes];
  };

  __device__ column_walk(Problem const& problem, std::int64_t n, shared& smem)
      : problem_{problem},
        n_{n},
        smem_{smem},
        lane_{static_cast<int>(threadIdx.x % 32)},
        lanes_{lanes_of(problem)},
        nth_{lane_ % lanes_},
        group_{lane_ / lanes_} {}

  /// How many lanes have the columns of an entry.
  static SWEEP_HD int lanes_of(Problem const& problem) {
    int lanes = 1;
    while (lanes * W < problem.in.x.count) lanes *= 2;
    return lanes;
  }

  __device__ void operator()(path_place begin, path_place end) const {
    auto base = begin.entry / stage_unit * stage_unit;
    if constexpr (stages > 1) fill(base, 0);
    auto row = begin.row;
    auto const first_begin = static_cast<std::int64_t>(problem_.offsets[row]);
    auto row_begin = static_cast<place>(first_begin);
    place next_end = load_end(row, end.row);
    if (lane_ < lanes_) smem_.ends[lane_].carried = -1;
    bool cut = first_begin < begin.entry;  // whether the first row began before the share and has not ended
    // What the row that goes on has before the window is the total that the share will have.
    bool has_carry = false;
    if (lane_ < lanes_) put_bytes(smem_.ends[lane_].total.value().value, problem_.zero);
    int own = static_cast<int>(begin.entry - base);
    int stage = 0;
#pragma unroll 1
    for (;; base += window, own = 0) {
      auto const left = end.entry - base;
      int const to = static_cast<int>(min(max(left, std::int64_t{0}), std::int64_t{window}));
      if constexpr (stages == 1) fill(base, 0);
      auto const next = mark_rows(base, row, end.row, row_begin, next_end);
      await_async_copies();
      __syncwarp();
      if constexpr (stages > 1)
        if (left > window) fill(base + window, stage ^ 1);
      next_end = load_end(next, end.row);
      fold_window(smem_.entries[stage], base, row, own, to, cut, has_carry);
      row = next;
      __syncwarp();
      if constexpr (stages > 1) stage ^= 1;
      if (left <= window) break;
    }
    if (lane_ < lanes_) smem_.ends[lane_].total.value().heads = !cut;
  }

  /// Writes what a lane has of a row.
  static __device__ void put(Problem const& problem, int lanes, int nth, std::int64_t row, V const& sums) {
    if (writes_vectors && problem.in.x.in_words) put<true>(problem, lanes, nth, row, 0, sums);
    else put<false>(problem, lanes, nth, row, 0, sums);
  }

 private:
  using stage_memory = typename shared::stage;
  static constexpr bool writes_vectors =
      std::is_same_v<std::remove_cv_t<decltype(Problem::result)>, as_it_is> &&
      is_vector_of<decltype(writer::first), W>;

  /// The same of row first + r, as vectors or not.
  template <bool Vectors>
  static __device__ void put(Problem const& problem, int lanes, int nth, std::int64_t first, unsigned r,
                             V const& sums) {
    if (!problem.wants(first + r)) return;
    auto const& to = problem.out;
    if constexpr (Vectors && writes_vectors) {
      if (nth * W >= to.count) return;
      using T = typename writer::item;
      column_items<T, W> made;
#pragma unroll
      for (int w = 0; w < W; ++w) put_bytes(made.of[w], static_cast<T>(sums.of[w]));
      auto const apart = static_cast<unsigned>(to.row_stride * static_cast<std::int64_t>(sizeof(T)));
      void* const at =
          reinterpret_cast<char*>(to.first + (first * to.row_stride + nth * W)) + std::uint64_t{r} * apart;
      std::memcpy(__builtin_assume_aligned(at, sizeof made < 16 ? sizeof made : 16),
                  static_cast<void const*>(&made), sizeof made);
    } else {
#pragma unroll
      for (int w = 0; w < W; ++w)
        if (int const c = problem.in.x.in_words ? nth * W + w : w * lanes + nth; c < to.count) {
          strided_column<std::remove_cvref_t<decltype(to.first)>> const column{
              to.first + c * to.column_stride, to.row_stride};
          put_result(column, first + r, sums.of[w], problem.op.plus, problem.in.times.times, problem.result);
        }
    }
  }

  __device__ void fill(std::int64_t base, int stage) const {
    column_stage::fill(smem_.entries[stage].columns, problem_.in.indices, base, n_);
    value_stage::fill(smem_.entries[stage].values, problem_.in.values, base, n_);
  }
  /// Where the lane's row of the next 32 ends.
  __device__ place load_end(std::int64_t row, std::int64_t last) const {
    return row + lane_ < last ? static_cast<place>(problem_.offsets[row + lane_ + 1]) : place{0};
  }

  /// Notes where rows from `row` on end that do so in the window, and writes those that are empty. Returns
  /// the first row that does not end there.
  __device__ std::int64_t mark_rows(std::int64_t base, std::int64_t row, std::int64_t last, place& row_begin,
                                    place end) const {
#pragma unroll
    for (int u = 0; u < U; ++u) smem_.ends_row[u * 32 + lane_] = 0;
    __syncwarp();
    auto const first = row;
    for (;;) {
      auto const s = row + lane_;
      place begin = __shfl_up_sync(~0u, end, 1);
      if (lane_ == 0) begin = row_begin;
      auto const p = end - static_cast<place>(base);
      bool const in = s < last && p <= window, empty = in && end == begin;
      if (in && !empty && p > 0) smem_.ends_row[p - 1] = static_cast<unsigned>(s - first) + 1;
      if (unsigned const which = __ballot_sync(~0u, empty)) put_empty(row, which);
      int const count = __popc(__ballot_sync(~0u, in));
      if (count > 0) row_begin = __shfl_sync(~0u, end, count - 1);
      row += count;
      if (count < 32) return row;
      end = load_end(row, last);
    }
  }
  /// Those of 32 rows that have no entry: each group writes some.
  __device__ void put_empty(std::int64_t row, unsigned which) const {
#pragma unroll 1
    for (int i = 0; i < lanes_; ++i)
      if (int const r = group_ * lanes_ + i; which >> r & 1u)
        put(problem_, lanes_, nth_, row + r, problem_.zero);
  }

  __device__ item fold(item const& a, item const& b) const {
    return static_cast<item>(problem_.op.plus(a, b));
  }
  __device__ V fold(V const& a, V const& b) const {
    V sums;
#pragma unroll
    for (int w = 0; w < W; ++w) put_bytes(sums.of[w], fold(a.of[w], b.of[w]));
    return sums;
  }

  /// What a group has of a window: of the row that ends first, if one does, and of the one that goes on
  /// behind.
  struct folded {
    V head, sum;
    unsigned head_row = 0;  ///< one more than its number
    bool has = false;       ///< whether there is a sum
  };

  /// Reads of row `column` of x what the lane has of it.
  template <bool Vectors>
  __device__ void load(index column, vector_items& some) const {
    auto const& x = problem_.in.x;
    if constexpr (Vectors) {
      constexpr auto aligned_to = reader::alignment;
      vector_item const* at;
      if constexpr (sizeof(index) == 4) {
        using factor = std::conditional_t<std::is_signed_v<index>, std::int32_t, std::uint32_t>;
        using wide = std::conditional_t<std::is_signed_v<index>, std::int64_t, std::uint64_t>;
        auto const apart = static_cast<factor>(x.row_stride * static_cast<std::int64_t>(sizeof(vector_item)));
        at = reinterpret_cast<vector_item const*>(reinterpret_cast<char const*>(x.first + first_column()) +
                                                  static_cast<wide>(column) * static_cast<wide>(apart));
      } else {
        at = x.first + (static_cast<std::int64_t>(column) * x.row_stride + first_column());
      }
      std::memcpy(static_cast<void*>(&some), __builtin_assume_aligned(at, aligned_to), sizeof some);
    } else {
      auto const at = static_cast<std::int64_t>(column) * x.row_stride;
#pragma unroll
      for (int w = 0; w < W; ++w) {
        int const c = w * lanes_ + nth_;
        put_bytes(some.of[w],
                  static_cast<vector_item>(x.first[at + (c < x.count ? c : 0) * x.column_stride]));
      }
    }
  }
  /// Of lanes that have vectors; one without columns reads the first.
  __device__ int first_column() const { return nth_ * W < problem_.in.x.count ? nth_ * W : 0; }

  /// Entries whose items are on their way at once: of vectors more, for a lane has fewer addresses.
  template <bool Vectors>
  __device__ void fold_group(stage_memory const& entries, std::int64_t base, std::int64_t row, int from,
                             int last, folded& mine) const {
    constexpr int R = Vectors || W == 1 ? PROBE_R : 2;
#pragma unroll 1
    for (int i = from; i < last; i += R) {
      vector_items some[R];
      entry_value values[R];
      unsigned ends[R];
      // Places that do not exist are the last one again: without branches no load waits for another.
#pragma unroll
      for (int r = 0; r < R; ++r)
        load<Vectors>(column_stage::at(entries.columns, problem_.in.indices, base, min(i + r, last - 1)),
                      some[r]);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        int const at = min(i + r, last - 1);
        put_bytes(values[r], value_stage::at(entries.values, problem_.in.values, base, at));
        ends[r] = smem_.ends_row[at];
      }
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (i + r < last) {
#pragma unroll
          for (int w = 0; w < W; ++w) {
            auto const product = static_cast<item>(problem_.in.times.times(values[r], some[r].of[w]));
            put_bytes(mine.sum.of[w], mine.has ? fold(mine.sum.of[w], product) : product);
          }
          mine.has = true;
          if (ends[r] != 0) {
            if (mine.head_row == 0) {
              mine.head_row = ends[r];
              mine.head = mine.sum;
            } else {
              put<Vectors>(problem_, lanes_, nth_, row, ends[r] - 1, mine.sum);
            }
            mine.has = false;
          }
        }
    }
  }

  __device__ void fold_window(stage_memory const& entries, std::int64_t base, std::int64_t row, int own,
                              int to, bool& cut, bool& has_carry) const {
    int const each = U * lanes_, from = max(group_ * each, own), last = min(group_ * each + each, to);
    folded mine;
    if constexpr (is_vector_of<decltype(reader::first), W>) {
      if (problem_.in.x.in_words) fold_group<true>(entries, base, row, from, last, mine);
      else fold_group<false>(entries, base, row, from, last, mine);
    } else {
      fold_group<false>(entries, base, row, from, last, mine);
    }
    __syncwarp();
    // A segmented scan of what goes on behind each group; a row that ends in a group closes it.
    constexpr unsigned some = 1, closed = 2;
    V tail = mine.sum;
    unsigned state = (mine.has ? some : 0) | (mine.head_row != 0 ? closed : 0);
#pragma unroll 1
    for (int by = lanes_; by < 32; by *= 2) {
      V const left = warp_shfl_up(tail, by);
      unsigned const of_left = __shfl_up_sync(~0u, state, by);
      if (lane_ >= by && (state & closed) == 0) {
        if (of_left & some) tail = state & some ? fold(left, tail) : left;
        state |= of_left;
      }
    }
    V before = warp_shfl_up(tail, lanes_);
    unsigned of_before = __shfl_up_sync(~0u, state, lanes_);
    if (group_ == 0) of_before = 0;
    if ((of_before & closed) == 0 && has_carry) {
      auto const& carry = smem_.ends[nth_].total.value().value;
      before = of_before & some ? fold(carry, before) : carry;
      of_before |= some;
    }
    if (mine.head_row != 0) {
      V const whole = of_before & some ? fold(before, mine.head) : mine.head;
      auto const s = row + mine.head_row - 1;
      if (cut && (of_before & closed) == 0) {
        put_bytes(smem_.ends[nth_].carry.value(), whole);
        smem_.ends[nth_].carried = s;
      } else {
        put(problem_, lanes_, nth_, s, whole);
      }
    }
    __syncwarp();
    if (lane_ + lanes_ >= 32 && (state & some) != 0) {
      auto& carry = smem_.ends[nth_].total.value().value;
      put_bytes(carry, (state & closed) == 0 && has_carry ? fold(carry, tail) : tail);
    }
    state = __shfl_sync(~0u, state, 31);
    if (state & closed) {
      cut = false;
      has_carry = false;
    }
    has_carry |= (state & some) != 0;
  }

  Problem const& problem_;
  std::int64_t n_;  ///< of entries
  shared& smem_;
  int lane_, lanes_, nth_, group_;
};

/// Whether a problem's columns are lanes'.
template <class Problem>
inline constexpr bool columns_are_lanes = columns_of_value<typename Problem::value> > 0 &&
                                          sizeof(typename Problem::value) <= 16 &&
                                          requires(Problem const& p) {
  p.op.plus;
  p.in.times.times;
  p.in.x.row_stride;
  p.out.row_stride;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
