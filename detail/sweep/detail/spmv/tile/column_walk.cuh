// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_COLUMN_WALK_CUH
#define SWEEP_DETAIL_SPMV_TILE_COLUMN_WALK_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/complex_number.hpp>
#include <sweep/detail/core/functional.hpp>
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

/// A warp that folds the rows of its share of the merge path where the vector has several columns: a group of
/// L lanes has an entry, W columns a lane, so that a row of x is read side by side, in vectors where memory
/// has them. L is as few as have all columns of the pass. Shape of a window, in memory order:
/// (32 / L groups, G entries); a group folds its entries one after the other and writes the rows that it has
/// from their beginning. What it has of the row before and of the row behind is joined with the other groups'
/// by a scan of the lanes that have the same columns.
template <class Problem, path_shape S>
class column_walk : product_types<Problem> {
  using types = product_types<Problem>;
  using typename types::V, typename types::products, typename types::index, typename types::entry_value,
      typename types::offset;
  using item = std::remove_cvref_t<decltype(std::declval<V>().of[0])>;
  using reader = decltype(products::x);
  using writer = decltype(Problem::out);
  using vector_items = typename types::vector_value;
  using vector_item = std::remove_cvref_t<decltype(std::declval<vector_items>().of[0])>;
  using place = typename types::path_entry;
  static constexpr int W = columns_of_value<V>, U = S.row_items, window = S.window_items();
  /// Sums begin with a zero that leaves what is added as it is: nothing asks whether there is a sum.
  static constexpr bool adds_up =
      adds<std::remove_cvref_t<decltype(std::declval<Problem>().op.plus)>, item> &&
      (std::is_arithmetic_v<item> || complex_number<item>);
  using column_stage = entry_stage<decltype(products::indices), U>;
  using value_stage = entry_stage<decltype(products::values), U>;

 public:
  struct shared {
    typename column_stage::shared columns;
    typename value_stage::shared values;
    unsigned row_ends[32];            ///< a bit for each entry, U to a word: whether a row ends with it
    unsigned ended_row[window];       ///< the number of that row, of those in the window
    alignas(16) place next_ends[32];  ///< where the next rows end
    place row_begin;                  ///< where the first of them begins
    alignas(16) uninitialized<V, 32> heads;  ///< what each lane has of the first row that ends in its group
    path_ends<V> ends[column_lanes(sizeof(item))];
  };

  __device__ column_walk(Problem const& problem, std::int64_t n, shared& smem)
      : problem_{problem},
        n_{n},
        smem_{smem},
        lane_{static_cast<int>(threadIdx.x % 32)},
        lanes_{lanes_of(problem)} {}

  /// How many lanes have the columns of an entry.
  static SWEEP_HD int lanes_of(Problem const& problem) {
    int lanes = 1;
    while (lanes * W < problem.in.x.count) lanes *= 2;
    return lanes;
  }

  __device__ void operator()(path_place begin, path_place end) const {
    auto base = begin.entry / stage_unit * stage_unit;
    auto row = begin.row;
    auto left = end.entry - base;
    int rows = static_cast<int>(end.row - row);
    auto const first_begin = static_cast<std::int64_t>(problem_.offsets[row]);
    fetch_ends(row, rows);
    if (lane_ == 0) smem_.row_begin = static_cast<place>(first_begin);
    // What the row that goes on has before a window is the total that the share will have.
    if (lane_ < lanes_) {
      smem_.ends[lane_].carried = -1;
      put_bytes(smem_.ends[lane_].total.value().value, problem_.zero);
    }
    unsigned state = first_begin < begin.entry ? cut : 0;
    int own = static_cast<int>(begin.entry - base);
#pragma unroll 1
    for (;; base += window, left -= window, own = 0) {
      int const to = static_cast<int>(min(max(left, std::int64_t{0}), std::int64_t{window}));
      fill(base);
      await_async_copies();
      int const ended = mark_rows(base, row, rows);
      __syncwarp();
      fetch_ends(row + ended, rows - ended);
      state = fold_window(base, row, own, to, state);
      row += ended;
      rows -= ended;
      __syncwarp();
      if (left <= window) break;
    }
    if (lane_ < lanes_) smem_.ends[lane_].total.value().heads = (state & cut) == 0;
  }

  /// Writes what a lane has of a row.
  static __device__ void put(Problem const& problem, int lanes, int nth, std::int64_t row, V const& sums) {
    if (!problem.wants(row)) return;
    auto const& to = problem.out;
    if constexpr (writes_vectors)
      if (to.in_words) {
        if (nth * W < to.count) put_vector(to.first + (row * to.row_stride + nth * W), sums);
        return;
      }
    put_each(problem, lanes, nth, row, sums);
  }

 private:
  /// Of a share: whether its first row began before it and has not ended, and whether the row that goes on
  /// has anything before the window. Of a group of lanes: whether it has a sum, and whether a row has ended
  /// there.
  static constexpr unsigned cut = 1, carries = 2, some = 1, closed = 2;

  /// The lane's number in its group, and the group's.
  __device__ int nth() const { return lane_ & (lanes_ - 1); }
  __device__ int group() const { return lane_ >> (__ffs(lanes_) - 1); }
  static constexpr bool writes_vectors =
      std::is_same_v<std::remove_cv_t<decltype(Problem::result)>, as_it_is> &&
      is_vector_of<decltype(writer::first), W>;

  /// Whether a row of y is written as it was summed, so that a row that ends is one store, wherever its sums
  /// are needed.
  static constexpr bool writes_sums =
      writes_vectors && !Problem::masked && std::is_same_v<typename writer::item, item>;

  /// Columns of a lane side by side, at their place in y; nor is that to take the place of x in a cache.
  static __device__ void put_vector(void* at, V const& sums) {
    using T = typename writer::item;
    column_items<T, W> made;
#pragma unroll
    for (int w = 0; w < W; ++w) put_bytes(made.of[w], static_cast<T>(sums.of[w]));
    item_vector<T, W> vector;
    vector.pack(made.of);
    store_vectors<access::streaming>(static_cast<T*>(at), vector);
  }
  /// Sums into memory of any kind, where they pass the caches.
  static __device__ void store_passing(char* at, V const& sums) {
    constexpr int bytes = static_cast<int>(sizeof(V));
    static_assert(bytes <= 16);
    item_vector<item, W> vector;
    vector.pack(sums.of);
    auto const& word = vector.word;
    if constexpr (bytes == 16)
      asm volatile("st.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(word[0]), "r"(word[1]), "r"(word[2]),
                   "r"(word[3])
                   : "memory");
    else if constexpr (bytes == 8)
      asm volatile("st.cs.v2.u32 [%0], {%1, %2};" ::"l"(at), "r"(word[0]), "r"(word[1]) : "memory");
    else if constexpr (bytes == 4) asm volatile("st.cs.u32 [%0], %1;" ::"l"(at), "r"(word[0]) : "memory");
    else asm volatile("st.cs.u16 [%0], %1;" ::"l"(at), "h"(static_cast<unsigned short>(word[0])) : "memory");
  }
  /// So many of them, wherever they lie.
  __device__ void put_items(char* at, unsigned count, V const& sums) const {
    using T = typename writer::item;
#pragma unroll
    for (unsigned w = 0; w < W; ++w)
      if (w < count)
        put_bytes(reinterpret_cast<T*>(at)[w * problem_.out.column_stride], static_cast<T>(sums.of[w]));
  }
  static __device__ void put_each(Problem const& problem, int lanes, int nth, std::int64_t row,
                                  V const& sums) {
    auto const& to = problem.out;
#pragma unroll
    for (int w = 0; w < W; ++w)
      if (int const c = problem.in.x.in_words ? nth * W + w : w * lanes + nth; c < to.count) {
        strided_column<std::remove_cvref_t<decltype(to.first)>> const column{to.first + c * to.column_stride,
                                                                             to.row_stride};
        put_result(column, row, sums.of[w], problem.op.plus, problem.in.times.times, problem.result);
      }
  }

  __device__ void fill(std::int64_t base) const {
    column_stage::fill(smem_.columns, problem_.in.indices, base, n_);
    value_stage::fill(smem_.values, problem_.in.values, base, n_);
  }
  /// Where the lane's row of the next 32 ends.
  __device__ place load_end(std::int64_t row, int rows) const {
    return lane_ < rows ? static_cast<place>(problem_.offsets[row + lane_ + 1]) : place{0};
  }
  /// The same on its way to the lane's place in shared memory, where no register waits for it.
  __device__ void fetch_ends(std::int64_t row, int rows) const {
    if (lane_ < rows) {
      auto const from = problem_.offsets + (row + lane_ + 1);
      if constexpr (std::is_pointer_v<std::remove_cv_t<decltype(problem_.offsets)>> &&
                    (sizeof(offset) == 4 || sizeof(offset) == 8))
        copy_async<static_cast<int>(sizeof(offset))>(&smem_.next_ends[lane_], from);
      else smem_.next_ends[lane_] = static_cast<place>(*from);
    }
  }

  /// Notes where those of so many rows from `row` on end that do so in the window, and writes those that are
  /// empty. Returns how many these are.
  __device__ int mark_rows(std::int64_t base, std::int64_t row, int rows) const {
    smem_.row_ends[lane_] = 0;
    __syncwarp();
    place end = smem_.next_ends[lane_], row_begin = lane_ == 0 ? smem_.row_begin : place{0};
    for (int ended = 0;;) {
      int const i = ended + lane_;
      place begin = __shfl_up_sync(~0u, end, 1);
      if (lane_ == 0) begin = row_begin;
      auto const p = end - static_cast<place>(base);
      bool const in = i < rows && p <= window, empty = in && end == begin;
      if (in && !empty && p > 0) {
        atomicOr(&smem_.row_ends[(p - 1) / U], 1u << (p - 1) % U);
        smem_.ended_row[p - 1] = static_cast<unsigned>(i);
      }
      if (unsigned const which = __ballot_sync(~0u, empty)) put_empty(row + ended, which);
      int const count = __popc(__ballot_sync(~0u, in));
      if (count > 0) row_begin = __shfl_sync(~0u, end, count - 1);
      ended += count;
      if (count < 32) {
        if (lane_ == 0) smem_.row_begin = row_begin;
        return ended;
      }
      end = load_end(row + ended, rows - ended);
    }
  }
  /// Those of 32 rows that have no entry: each group writes some.
  __device__ void put_empty(std::int64_t row, unsigned which) const {
#pragma unroll 1
    for (int i = 0; i < lanes_; ++i)
      if (int const r = group() * lanes_ + i; which >> r & 1u)
        put(problem_, lanes_, nth(), row + r, problem_.zero);
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

  /// What a group has of a window, beside what its lanes keep in shared memory of the row that ends first.
  struct folded {
    V sum;                  ///< of the row that goes on behind
    unsigned head_row = 0;  ///< one more than the number of the row that ends first, if one does
    bool has = false;       ///< whether there is a sum
  };

  /// What sums begin with, where that is a zero.
  __device__ void begin_sum(V& sum) const {
    if constexpr (adds_up) {
#pragma unroll
      for (int w = 0; w < W; ++w) put_bytes(sum.of[w], empty_sum<item>());
    }
  }

  /// How many bytes row `row` is from row 0, where rows of vectors are `apart`: less than 2^31, so that one
  /// multiplication of 32 bits each finds it.
  static __device__ std::uint64_t bytes_to(unsigned row, unsigned apart) {
    asm("" : "+r"(row), "+r"(apart));
    return std::uint64_t{row} * apart;
  }

  /// Reads of row `column` of x what the lane has of it.
  template <bool Vectors>
  __device__ void load(index column, [[maybe_unused]] unsigned apart, vector_items& some) const {
    auto const& x = problem_.in.x;
    if constexpr (Vectors) {
      vector_item const* at;
      if constexpr (sizeof(index) <= 4)
        at = reinterpret_cast<vector_item const*>(reinterpret_cast<char const*>(x.first + first_column()) +
                                                  bytes_to(static_cast<unsigned>(column), apart));
      else at = x.first + (static_cast<std::int64_t>(column) * x.row_stride + first_column());
      load_aligned(at, some.of);
    } else {
      auto at = static_cast<std::int64_t>(column) * x.row_stride + (exists(0) ? nth() : 0) * x.column_stride;
      auto const step = lanes_ * x.column_stride;
#pragma unroll
      for (int w = 0; w < W; ++w, at += step)
        if (w == 0 || exists(w)) put_bytes(some.of[w], static_cast<vector_item>(x.first[at]));
    }
  }
  /// Whether there is the lane's column w where items are no vectors. In place of one that there is not
  /// stands the first again, so that functions see nothing that is not in x.
  __device__ bool exists(int w) const { return w * lanes_ + nth() < problem_.in.x.count; }
  template <bool Vectors>
  __device__ vector_item item_of(vector_items const& some, int w) const {
    if constexpr (Vectors || W == 1) return some.of[w];
    else return select_registers(exists(w), some.of[w], some.of[0]);
  }
  /// Of lanes that have vectors; one without columns reads the first.
  __device__ int first_column() const { return nth() * W < problem_.in.x.count ? nth() * W : 0; }

  /// Folds entries [from, last) of a window; of a whole one these are as many in each group. Where rows of y
  /// are vectors, too, what a row has is stored in one place: that of the row, or where the first one of a
  /// group waits for the groups before. A lane without columns has no other.
  template <bool Vectors, bool Whole, bool OnePlace = false>
  __device__ void fold_group(std::int64_t base, std::int64_t row, int from, int last, folded& mine) const {
    // Entries whose items are on their way at once: of vectors more, for a lane has fewer addresses.
    constexpr int R = Whole ? U : Vectors || W == 1 ? 4 : 3;
    auto const& to = problem_.out;
    // How far rows lie apart, and where the first is: kept, for otherwise each entry, and each row that ends,
    // computes it anew.
    [[maybe_unused]] unsigned from_apart = 0, to_apart = 0, writes = 0;
    [[maybe_unused]] char* to_row = nullptr;
    if constexpr (Vectors)
      from_apart = static_cast<unsigned>(problem_.in.x.row_stride) * unsigned{sizeof(vector_item)};
    if constexpr (Vectors && writes_vectors) {
      to_row = reinterpret_cast<char*>(to.first + (row * to.row_stride + nth() * W * to.column_stride));
      to_apart = static_cast<unsigned>(to.row_stride) * unsigned{sizeof(*to.first)};
      writes = static_cast<unsigned>(max(0, to.count - nth() * W));
      if constexpr (OnePlace) {
        if (writes == 0) {
          to_row = reinterpret_cast<char*>(&smem_.heads[lane_]);
          to_apart = 0;
        }
        asm("" : "+l"(to_row), "+r"(to_apart));
      } else {
        asm("" : "+l"(to_row), "+r"(writes));
        __builtin_assume(__isGlobal(to_row));
      }
    }
    begin_sum(mine.sum);
#pragma unroll 1
    for (int i = from; i < last; i += R) {
      vector_items some[R];
      // Places that do not exist are the last one again: without branches no load waits for another.
      auto const place_of = [&](int r) { return Whole ? i + r : min(i + r, last - 1); };
#pragma unroll
      for (int r = 0; r < R; ++r)
        load<Vectors>(column_stage::at(smem_.columns, problem_.in.indices, base, place_of(r)), from_apart,
                      some[r]);
      auto const entry_of = [&](int r) {
        return value_stage::at(smem_.values, problem_.in.values, base, place_of(r));
      };
      // Asked for before what is written: no read passes a write.
      unsigned ends = 0;
      if constexpr (Whole) {
        static_assert(R == U);
        ends = smem_.row_ends[static_cast<unsigned>(i) / U];
      } else {
#pragma unroll
        for (int r = 0; r < R; ++r) {
          auto const p = static_cast<unsigned>(place_of(r));
          ends |= (smem_.row_ends[p / U] >> p % U & 1u) << r;
        }
      }
      entry_value next = entry_of(0);
      if constexpr (Whole) __syncwarp();  // all of them are asked for before one is waited for
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (Whole || i + r < last) {
          auto const value = next;
          if (r + 1 < R) next = entry_of(r + 1);
#pragma unroll
          for (int w = 0; w < W; ++w) {
            auto const product =
                static_cast<item>(problem_.in.times.times(value, item_of<Vectors>(some[r], w)));
            put_bytes(mine.sum.of[w], adds_up || mine.has ? fold(mine.sum.of[w], product) : product);
          }
          mine.has = (ends >> r & 1u) == 0;
          if (!mine.has) {
            auto const ended = smem_.ended_row[place_of(r)];
            if constexpr (OnePlace) {
              bool const first = mine.head_row == 0;
              auto* const row_at = to_row + bytes_to(ended, to_apart);
              store_passing(first ? reinterpret_cast<char*>(&smem_.heads[lane_]) : row_at, mine.sum);
              mine.head_row = first ? ended + 1 : mine.head_row;
            } else if (mine.head_row == 0) {
              mine.head_row = ended + 1;
              put_bytes(smem_.heads[lane_], mine.sum);
            } else if constexpr (Vectors && writes_vectors) {
              if (writes != 0 && problem_.wants(row + ended)) {
                auto* const at = to_row + bytes_to(ended, to_apart);
                if (to.in_words) put_vector(at, mine.sum);
                else put_items(at, writes, mine.sum);
              }
            } else {
              if (problem_.wants(row + ended)) put_each(problem_, lanes_, nth(), row + ended, mine.sum);
            }
            begin_sum(mine.sum);
          }
        }
    }
  }

  template <bool OnePlace>
  __device__ void fold_vectors(std::int64_t base, std::int64_t row, int from, int last, bool is_whole,
                               folded& mine) const {
    if (is_whole) fold_group<true, true, OnePlace>(base, row, from, last, mine);
    else fold_group<true, false, OnePlace>(base, row, from, last, mine);
  }

  /// Folds entries [own, to) of a window. `of_share` is the share's state before, and what is returned
  /// behind.
  __device__ unsigned fold_window(std::int64_t base, std::int64_t row, int own, int to,
                                  unsigned of_share) const {
    // Groups have equally many entries, also of a window that is the share's in part.
    int const log_groups = 6 - __ffs(lanes_), each = (to - own + (1 << log_groups) - 1) >> log_groups,
              from = min(own + group() * each, to), last = min(from + each, to);
    folded mine;
    if constexpr (is_vector_of<decltype(reader::first), W>) {
      bool const is_whole = own == 0 && to == window;
      if (!problem_.in.x.in_words) fold_group<false, false>(base, row, from, last, mine);
      else if (writes_sums && problem_.out.in_words)
        fold_vectors<writes_sums>(base, row, from, last, is_whole, mine);
      else fold_vectors<false>(base, row, from, last, is_whole, mine);
    } else {
      fold_group<false, false>(base, row, from, last, mine);
    }
    __syncwarp();
    // A segmented scan of what goes on behind each group; a row that ends in a group closes it.
    V tail = mine.sum;
    unsigned state = (mine.has ? some : 0) | (mine.head_row != 0 ? closed : 0);
#pragma unroll 1
    for (int by = lanes_; by < 32; by *= 2) {
      if (!__any_sync(~0u, lane_ >= by && (state & closed) == 0)) break;
      V const left = warp_shfl_up(tail, by);
      unsigned const of_left = __shfl_up_sync(~0u, state, by);
      if (lane_ >= by && (state & closed) == 0) {
        if (of_left & some) tail = state & some ? fold(left, tail) : left;
        state |= of_left;
      }
    }
    V before = warp_shfl_up(tail, lanes_);
    unsigned of_before = __shfl_up_sync(~0u, state, lanes_);
    if (group() == 0) of_before = 0;
    if ((of_before & closed) == 0 && (of_share & carries) != 0) {
      auto const& carry = smem_.ends[nth()].total.value().value;
      before = of_before & some ? fold(carry, before) : carry;
      of_before |= some;
    }
    if (mine.head_row != 0) {
      V const& head = smem_.heads[lane_];
      V const whole = of_before & some ? fold(before, head) : head;
      auto const s = row + mine.head_row - 1;
      if ((of_share & cut) != 0 && (of_before & closed) == 0) {
        put_bytes(smem_.ends[nth()].carry.value(), whole);
        smem_.ends[nth()].carried = s;
      } else {
        put(problem_, lanes_, nth(), s, whole);
      }
    }
    __syncwarp();
    if (lane_ + lanes_ >= 32 && (state & some) != 0) {
      auto& carry = smem_.ends[nth()].total.value().value;
      put_bytes(carry, (state & closed) == 0 && (of_share & carries) != 0 ? fold(carry, tail) : tail);
    }
    state = __shfl_sync(~0u, state, 31);
    if (state & closed) of_share = 0;
    return state & some ? of_share | carries : of_share;
  }

  Problem const& problem_;
  std::int64_t n_;  ///< of entries
  shared& smem_;
  int lane_, lanes_;
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
