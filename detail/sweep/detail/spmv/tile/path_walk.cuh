// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_PATH_WALK_CUH
#define SWEEP_DETAIL_SPMV_TILE_PATH_WALK_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/segments/flagged.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What a warp leaves of its share for its neighbours, in shared memory: the fold of the row that goes on
/// behind the share, if one does, and whether it begins there; and what it has of the row that began before
/// and ends in it.
template <class V>
struct path_ends {
  uninitialized<flagged<V>> total;
  uninitialized<V> carry;
  std::int64_t carried;  ///< the number of that row, or -1
};

/// A warp that folds the rows of its share of the merge path, entries [begin.entry, end.entry), window after
/// window. Shape of a window, in memory order: (K rows, 32 lanes, U entries).
/// All entries of a window are on their way at once, then what they lead to in the vector. Meanwhile the
/// offsets of the rows that end there mark in shared memory where rows begin. A segmented scan in registers
/// leaves in shared memory what each row has up to each entry; lanes then write the rows, neighbours side by
/// side. So neither long rows nor short ones, nor empty ones, keep a lane from its share.
template <class Problem, path_shape S>
class path_walk {
  using V = typename Problem::value;
  using products = decltype(Problem::in);
  using index = typename products::index;
  using entry_value = typename products::entry_value;
  using vector_value = typename products::vector_value;
  using offset = value_of<decltype(Problem::offsets)>;
  using place = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr int K = S.rows, U = S.lane_items, row_items = 32 * U, window = S.window_items();
  static constexpr int B = window >= 512 ? 4 : 2;  ///< rows of 32 offsets that are on their way at once

 public:
  struct shared {
    alignas(16) uninitialized<V, window> folds;
    alignas(16) unsigned char heads[window + 16];
    path_ends<V> ends;
  };

  __device__ path_walk(Problem const& problem, std::int64_t n, shared& smem)
      : problem_{problem}, n_{n}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  __device__ void operator()(path_place begin, path_place end) const {
    if (lane_ == 0) smem_.ends.carried = -1;
    auto row = begin.row;
    auto row_begin = static_cast<std::int64_t>(problem_.offsets[row]);
    bool cut = row_begin < begin.entry;  // whether that row began before the share
    V carry = problem_.zero;             // what the row that goes on has before the window
    auto base = begin.entry / row_items * row_items;
#pragma unroll 1
    for (;; base += window) {
      int const from = static_cast<int>(max(begin.entry - base, std::int64_t{0})),
                to = static_cast<int>(min(end.entry - base, std::int64_t{window}));
      V some[K][U];
      place ends[B];
      load_offsets(row, end.row, ends);
      load_products(base, from, to, some);
      clear_heads();
      if (auto const head = max(row_begin, begin.entry) - base; lane_ == 0 && head >= 0 && head < window)
        smem_.heads[head] = 1;
      auto const next = mark_rows(base, row, end.row, ends);
      __syncwarp();
      scan(some, carry);
      __syncwarp();
      write_rows(base, row, next, end.row, cut, ends, row_begin);
      cut = cut && next == row;
      row = next;
      if (base + window >= end.entry) break;
      __syncwarp();
    }
    if (lane_ == 0) {
      bool const goes_on = row_begin < end.entry && end.entry > begin.entry;
      put_bytes(smem_.ends.total.value().value,
                goes_on ? smem_.folds[static_cast<int>(end.entry - 1 - base)] : problem_.zero);
      smem_.ends.total.value().heads = row_begin >= begin.entry;
    }
  }

 private:
  // Offsets: where the rows from `row` on end.

  __device__ void load_offsets(std::int64_t row, std::int64_t last, place (&ends)[B]) const {
    int const left = static_cast<int>(min(last - row, std::int64_t{32 * B}));
    auto const from = problem_.offsets + (row + 1 + lane_);
#pragma unroll
    for (int b = 0; b < B; ++b)
      if (b * 32 + lane_ < left) ends[b] = static_cast<place>(from[b * 32]);
  }
  /// How far behind `base` row number `nth` of a batch of so many ends; a large number where it is none.
  static __device__ place place_of(place end, std::int64_t base, int nth, int left) {
    return nth < left ? end - static_cast<place>(base) : ~place{0};
  }
  /// Marks where rows begin that follow others. Returns the first row that does not end in the window; the
  /// last batch stays in `ends`.
  __device__ std::int64_t mark_rows(std::int64_t base, std::int64_t row, std::int64_t last,
                                    place (&ends)[B]) const {
    for (;;) {
      int const left = static_cast<int>(min(last - row, std::int64_t{32 * B}));
      int count = 0;
#pragma unroll
      for (int b = 0; b < B; ++b) {
        auto const p = place_of(ends[b], base, b * 32 + lane_, left);
        if (p <= window) smem_.heads[p] = 1;
        count += __popc(__ballot_sync(~0u, p <= window));
      }
      row += count;
      if (count < 32 * B) return row;
      load_offsets(row, last, ends);
    }
  }

  __device__ void clear_heads() const {
    for (int i = lane_; i < (window + 16) / 16; i += 32) reinterpret_cast<uint4*>(smem_.heads)[i] = uint4{};
    __syncwarp();
  }

  /// Products of entries [from, to) of a window, and of some beside them; zeros in other places.
  __device__ void load_products(std::int64_t base, int from, int to, V (&some)[K][U]) const {
    if (base + window > n_) load_last_products(base, from, to, some);
    else if (from <= 0 && to >= window) load_vectors_of<true>(base, from, to, some);
    else load_vectors_of<false>(base, from, to, some);
  }
  template <bool Whole>
  __device__ void load_vectors_of(std::int64_t base, int from, int to, V (&some)[K][U]) const {
    index columns[K][U];
    entry_value values[K][U];
    vector_value x[K][U];
    auto const has = [&](int k) {
      int const p = k * row_items + lane_ * U;
      return Whole || (p + U > from && p < to);
    };
    if constexpr (Whole && !is_near_columns<decltype(products::indices)>) {
      load_rows<access::streaming>(problem_.in.indices, base + lane_ * U, row_items, columns);
      load_rows<access::streaming>(problem_.in.values, base + lane_ * U, row_items, values);
    } else {
#pragma unroll
      for (int k = 0; k < K; ++k)
        if (has(k)) {
          auto const at = base + k * row_items + lane_ * U;
          load_columns(at, columns[k]);
          load_neighbours<access::streaming>(problem_.in.values, at, values[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < K; ++k)
      if (has(k)) {
#pragma unroll
        for (int u = 0; u < U; ++u) put_bytes(x[k][u], vector_item(columns[k][u]));
      }
#pragma unroll
    for (int k = 0; k < K; ++k)
#pragma unroll
      for (int u = 0; u < U; ++u)
        put_bytes(some[k][u],
                  has(k) ? static_cast<V>(problem_.in.times(values[k][u], x[k][u])) : problem_.zero);
  }
  /// Columns in 16 bits are of one group here: a lane's entries are neighbours on a boundary of as many.
  __device__ void load_columns(std::int64_t at, index (&columns)[U]) const {
    if constexpr (is_near_columns<decltype(products::indices)>) {
      std::uint16_t low[U];
      load_neighbours<access::streaming>(problem_.in.indices.low, at, low);
      auto const least = problem_.in.indices.least[at / near_group];
#pragma unroll
      for (int u = 0; u < U; ++u) columns[u] = static_cast<index>(least + static_cast<index>(low[u]));
    } else {
      load_neighbours<access::streaming>(problem_.in.indices, at, columns);
    }
  }
  /// The same where the matrix ends in the window.
  __device__ void load_last_products(std::int64_t base, int from, int to, V (&some)[K][U]) const {
#pragma unroll
    for (int k = 0; k < K; ++k)
#pragma unroll
      for (int u = 0; u < U; ++u) {
        int const p = k * row_items + lane_ * U + u;
        put_bytes(some[k][u], p >= from && p < to ? problem_.in[base + p] : problem_.zero);
      }
  }
  __device__ vector_value vector_item(index column) const {
    return static_cast<vector_value>(problem_.in.x[static_cast<std::int64_t>(column)]);
  }

  __device__ unsigned heads_of_lane(int k) const {
    auto const* const mine = smem_.heads + k * row_items + lane_ * U;
    if constexpr (U == 4) return bits_of_four(*reinterpret_cast<unsigned const*>(mine));
    unsigned bits = 0;
#pragma unroll
    for (int u = 0; u < U; ++u) bits |= static_cast<unsigned>(mine[u]) << u;
    return bits;
  }

  /// The segmented scan of a window, into shared memory; `carry` is the fold of what the first row has
  /// before it, and afterwards behind it.
  __device__ void scan(V (&some)[K][U], V& carry) const {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      V(&mine)[U] = some[k];
      unsigned const heads = heads_of_lane(k);
#pragma unroll
      for (int u = 1; u < U; ++u)
        if ((heads >> u & 1u) == 0) put_bytes(mine[u], fold(mine[u - 1], mine[u]));
      unsigned const who = __ballot_sync(~0u, heads != 0), before = who & ((1u << lane_) - 1);
      int const start = 31 - __clz(static_cast<int>(who & (2u << lane_) - 1));  // -1 where there is none
      V sum = mine[U - 1];
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        V const left = warp_shfl_up(sum, by);
        if (lane_ - by >= max(start, 0)) sum = fold(left, sum);
      }
      V left = warp_shfl_up(sum, 1);
      if (lane_ == 0) left = carry;
      else if (before == 0) left = fold(carry, left);
#pragma unroll
      for (int u = 0; u < U; ++u)
        if ((heads & ((2u << u) - 1)) == 0) put_bytes(mine[u], fold(left, mine[u]));
      put_window(k, mine);
      carry = warp_shfl(mine[U - 1], 31);
    }
  }
  __device__ V fold(V const& a, V const& b) const { return static_cast<V>(problem_.op(a, b)); }
  __device__ void put_window(int k, V const (&mine)[U]) const {
    auto* const to = &smem_.folds[k * row_items + lane_ * U];
    if constexpr (U * sizeof(V) % 16 == 0 && U > 1) {
      item_vector<V, U> vector;
      vector.pack(mine);
#pragma unroll
      for (int w = 0; w < vector.words; w += 4)
        reinterpret_cast<uint4*>(to)[w / 4] =
            uint4{vector.word[w], vector.word[w + 1], vector.word[w + 2], vector.word[w + 3]};
    } else {
#pragma unroll
      for (int u = 0; u < U; ++u) put_bytes(to[u], mine[u]);
    }
  }

  /// Rows [row, next), which end in the window; `ends` has the offsets of the last batch of them.
  __device__ void write_rows(std::int64_t base, std::int64_t row, std::int64_t next, std::int64_t last,
                             bool cut, place (&ends)[B], std::int64_t& row_begin) const {
    bool const one_batch = next - row < 32 * B;
#pragma unroll 1
    for (; row < next; row += 32 * B) {
      if (!one_batch) load_offsets(row, last, ends);
      int const count = static_cast<int>(min(next - row, std::int64_t{32 * B}));
      auto before = static_cast<place>(row_begin);
#pragma unroll
      for (int b = 0; b < B; ++b) {
        if (b * 32 >= count) break;
        place begin = __shfl_up_sync(~0u, ends[b], 1);
        if (lane_ == 0) begin = before;
        before = __shfl_sync(~0u, ends[b], min(count - b * 32, 32) - 1);
        if (b * 32 + lane_ >= count) continue;
        auto const s = row + b * 32 + lane_;
        auto const p = ends[b] - static_cast<place>(base) - 1;
        if (ends[b] == begin) {
          problem_.put_empty(s);
        } else if (p < static_cast<place>(window)) {
          V const fold = smem_.folds[static_cast<int>(p)];
          if (cut && b == 0 && lane_ == 0) {
            put_bytes(smem_.ends.carry.value(), fold);
            smem_.ends.carried = s;
          } else {
            problem_.put(s, fold);
          }
        }
      }
      row_begin = static_cast<std::int64_t>(static_cast<offset>(before));
      cut = false;
    }
  }

  Problem const& problem_;
  std::int64_t n_;  ///< of entries
  shared& smem_;
  int lane_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
