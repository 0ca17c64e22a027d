// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_PATH_WALK_CUH
#define SWEEP_DETAIL_SPMV_TILE_PATH_WALK_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/segments/flagged.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tile/entry_stage.cuh>
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
/// window. Shape of a window, in memory order: (K rows, 32 lanes, N entries).
/// The columns of the next window are on their way while the warp works on one: all that its entries lead to
/// in the vector is asked for at once, with the entries' values. Meanwhile the offsets of the rows that end
/// there mark in shared memory where rows begin. Each lane folds K x N neighbouring products in registers, a
/// segmented scan joins the lanes, and what each row has up to its last entry stands in shared memory; lanes
/// then write the rows, neighbours side by side. So neither long rows nor short ones, nor empty ones, keep a
/// lane from its share. Little shared memory is used, for the first-level cache needs a line for each sector
/// of the vector that is on its way.
template <class Problem, path_shape S>
class path_walk {
  using V = typename Problem::value;
  using products = decltype(Problem::in);
  using index = typename products::index;
  using entry_value = typename products::entry_value;
  using vector_value = typename products::vector_value;
  using offset = value_of<decltype(Problem::offsets)>;
  using place = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr int K = S.rows, N = S.row_items, U = K * N, row_entries = 32 * N,
                       window = S.window_items();
  static constexpr int B = window >= 256 ? 3 : 2;  ///< rows of 32 offsets that are on their way at once

 public:
  struct shared {
    alignas(16) uninitialized<V, window> folds;
    alignas(16) unsigned char heads[window + 16];
    alignas(16) place next_ends[32 * B];
    path_ends<V> ends;
  };

  __device__ path_walk(Problem const& problem, std::int64_t n, shared& smem)
      : problem_{problem}, n_{n}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  __device__ void operator()(path_place begin, path_place end) const {
    auto base = begin.entry / stage_unit * stage_unit;
    index columns[K][N];
    load_columns(base, columns);
    auto row = begin.row;
    fetch_ends(row, end.row);
    auto const first_begin = static_cast<std::int64_t>(problem_.offsets[row]);
    auto row_begin = static_cast<place>(first_begin);
    if (lane_ == 0) smem_.ends.carried = -1;
    bool cut = first_begin < begin.entry;  // whether the first row began before the share and has not ended
    V carry = problem_.zero;               // what the row that goes on has before the window
    int own = static_cast<int>(begin.entry - base);  // where the share begins in its first window
#pragma unroll 1
    for (;; base += window, own = -1) {
      auto const left = end.entry - base;
      int const from = max(own, 0),
                to = static_cast<int>(min(max(left, std::int64_t{0}), std::int64_t{window}));
      bool const more = left > window;
      entry_value values[K][N];
      vector_value x[K][N];
      load_entries(base, from, to, columns, values, x);
      if (more) load_columns(base + window, columns);
      clear_heads();
      if (lane_ == 0) {
        if (own >= 0) smem_.heads[own] = 1;
        if (auto const head = row_begin - static_cast<place>(base); head < window) smem_.heads[head] = 1;
        smem_.heads[to] = 1;  // so that what the last row has is complete, too
      }
      __syncwarp();
      place ends[B];
      take_ends(ends);
      int count = mark_rows(base, rows_at_most(end.row - row), ends);
      bool const one_batch = count < 32 * B;
      auto next = row + count;
      if (!one_batch) next = mark_more_rows(base, next, end.row, ends);
      if (more) fetch_ends(next, end.row);
      V mine[U];
      multiply(base, from, to, values, x, mine);
      scan(mine, carry);
      __syncwarp();
#pragma unroll 1
      for (auto r = row; r < next; r += 32 * B) {
        if (!one_batch) {
          load_ends(r, end.row, ends);
          count = rows_at_most(next - r);
        }
        write_rows(base, r, count, cut, ends, row_begin);
        cut = false;
      }
      row = next;
      if (!more) {
        if (lane_ == 0) {
          bool const goes_on = to > from && row_begin != static_cast<place>(end.entry);
          put_bytes(smem_.ends.total.value().value, goes_on ? smem_.folds[to - 1] : problem_.zero);
          smem_.ends.total.value().heads = !cut;
        }
        return;
      }
      __syncwarp();
    }
  }

 private:
  // Rows: a batch is the next 32 x B of them, a lane has where each 32nd ends.

  static __device__ int rows_at_most(std::int64_t rows) {
    return static_cast<int>(min(rows, std::int64_t{32 * B}));
  }
  __device__ void load_ends(std::int64_t row, std::int64_t last, place (&ends)[B]) const {
    int const rows = rows_at_most(last - row);
    auto const from = problem_.offsets + (row + 1 + lane_);
#pragma unroll
    for (int b = 0; b < B; ++b)
      if (b * 32 + lane_ < rows) ends[b] = static_cast<place>(from[b * 32]);
  }
  /// The same on its way to the lane's places in shared memory, where no register waits for it.
  __device__ void fetch_ends(std::int64_t row, std::int64_t last) const {
    int const rows = rows_at_most(last - row);
    auto const from = problem_.offsets + (row + 1 + lane_);
#pragma unroll
    for (int b = 0; b < B; ++b)
      if (int const i = b * 32 + lane_; i < rows) {
        if constexpr (std::is_pointer_v<std::remove_cv_t<decltype(problem_.offsets)>> &&
                      (sizeof(offset) == 4 || sizeof(offset) == 8))
          copy_async<static_cast<int>(sizeof(offset))>(&smem_.next_ends[i], from + b * 32);
        else smem_.next_ends[i] = static_cast<place>(from[b * 32]);
      }
  }
  __device__ void take_ends(place (&ends)[B]) const {
    await_async_copies();
#pragma unroll
    for (int b = 0; b < B; ++b) ends[b] = smem_.next_ends[b * 32 + lane_];
  }
  /// Marks where rows begin that follow those of a batch that end in the window. Returns how many these are.
  __device__ int mark_rows(std::int64_t base, int rows, place const (&ends)[B]) const {
    int count = 0;
#pragma unroll
    for (int b = 0; b < B; ++b) {
      auto const p = ends[b] - static_cast<place>(base);
      bool const in = b * 32 + lane_ < rows && p <= window;
      if (in) smem_.heads[p] = 1;
      int const ended = __popc(__ballot_sync(~0u, in));
      count += ended;
      if (ended < 32) break;
    }
    return count;
  }
  /// The same for the batches behind one that ends in the window. Returns the first row that does not.
  __device__ std::int64_t mark_more_rows(std::int64_t base, std::int64_t row, std::int64_t last,
                                         place (&ends)[B]) const {
    for (;;) {
      load_ends(row, last, ends);
      int const count = mark_rows(base, rows_at_most(last - row), ends);
      row += count;
      if (count < 32 * B) return row;
    }
  }

  __device__ void clear_heads() const {
    for (int i = lane_; i < (window + 16) / 16; i += 32) reinterpret_cast<uint4*>(smem_.heads)[i] = uint4{};
    __syncwarp();
  }

  // Entries. Those beside the share have columns, too, and heads keep their products apart.

  /// f(k, p) for all K rows of a window, whether or not they exist: p is the place of the lane's first entry
  /// in row k.
  template <class F>
  static __device__ void for_each_row(F f) {
#pragma unroll
    for (int k = 0; k < K; ++k) f(k, k * row_entries + static_cast<int>(threadIdx.x % 32) * N);
  }
  __device__ void load_columns(std::int64_t base, index (&columns)[K][N]) const {
    if (base + window <= n_) {
      auto const at = base + lane_ * N;
      if constexpr (is_near_columns<decltype(products::indices)>) {
        std::uint16_t low[K][N];
        load_rows<access::streaming>(problem_.in.indices.low, at, row_entries, low);
#pragma unroll
        for (int k = 0; k < K; ++k) {
          static_assert(stage_unit % N == 0 && near_group % stage_unit == 0, "neighbours are of one group");
          auto const least = problem_.in.indices.least[(at + k * row_entries) / near_group];
#pragma unroll
          for (int v = 0; v < N; ++v)
            columns[k][v] = static_cast<index>(least + static_cast<index>(low[k][v]));
        }
      } else {
        load_rows<access::streaming>(problem_.in.indices, at, row_entries, columns);
      }
    } else {
      for_each_row([&](int k, int p) {
#pragma unroll
        for (int v = 0; v < N; ++v)
          if (base + p + v < n_)
            put_bytes(columns[k][v], static_cast<index>(problem_.in.indices[base + p + v]));
      });
    }
  }
  /// What entries [from, to) lead to in the vector, and their values, which are on their way.
  __device__ void load_entries(std::int64_t base, int from, int to, index const (&columns)[K][N],
                               entry_value (&values)[K][N], vector_value (&x)[K][N]) const {
    if (base + window <= n_) {
      for_each_row([&](int k, int p) {
        if (p + N > from && p < to) {
#pragma unroll
          for (int v = 0; v < N; ++v) put_bytes(x[k][v], vector_item(columns[k][v]));
        }
      });
      load_rows<access::streaming>(problem_.in.values, base + lane_ * N, row_entries, values);
    } else {
      for_each_row([&](int k, int p) {
#pragma unroll
        for (int v = 0; v < N; ++v)
          if (p + v >= from && p + v < to) {
            put_bytes(x[k][v], vector_item(columns[k][v]));
            put_bytes(values[k][v], static_cast<entry_value>(problem_.in.values[base + p + v]));
          }
      });
    }
  }
  /// The products of U neighbours, by way of shared memory where rows are several; zeros where nothing was
  /// loaded.
  __device__ void multiply(std::int64_t base, int from, int to, entry_value const (&values)[K][N],
                           vector_value const (&x)[K][N], V (&mine)[U]) const {
    bool const whole = base + window <= n_;
    for_each_row([&](int k, int p) {
      V some[N];
      bool const all = whole && p + N > from && p < to;
#pragma unroll
      for (int v = 0; v < N; ++v) {
        bool const has = all || (!whole && p + v >= from && p + v < to);
        put_bytes(some[v], has ? static_cast<V>(problem_.in.times(values[k][v], x[k][v])) : problem_.zero);
      }
      if constexpr (K > 1) {
        store_folds(p, some);
      } else {
#pragma unroll
        for (int v = 0; v < N; ++v) put_bytes(mine[v], some[v]);
      }
    });
    __syncwarp();
    if constexpr (K > 1) load_folds(lane_ * U, mine);
  }
  __device__ vector_value vector_item(index column) const {
    return static_cast<vector_value>(problem_.in.x[static_cast<std::int64_t>(column)]);
  }

  __device__ unsigned heads_of_lane() const {
    auto const* const bytes = smem_.heads + lane_ * U;
    unsigned bits = 0;
    if constexpr (U % 4 == 0) {
#pragma unroll
      for (int u = 0; u < U; u += 4) bits |= bits_of_four(*reinterpret_cast<unsigned const*>(bytes + u)) << u;
    } else {
#pragma unroll
      for (int u = 0; u < U; ++u) bits |= static_cast<unsigned>(bytes[u]) << u;
    }
    return bits;
  }

  /// The segmented scan of a window, into shared memory, where only what rows have up to their last entries
  /// is complete; `carry` is the fold of what the first row has before it, and afterwards behind it.
  __device__ void scan(V (&mine)[U], V& carry) const {
    static_assert(U <= 32);
    unsigned const heads = heads_of_lane();
#pragma unroll
    for (int u = 1; u < U; ++u)
      if ((heads >> u & 1u) == 0) put_bytes(mine[u], fold(mine[u - 1], mine[u]));
    store_folds(lane_ * U, mine);
    unsigned const who = __ballot_sync(~0u, heads != 0), before = who & ((1u << lane_) - 1);
    int const start = 31 - __clz(static_cast<int>(who & (2u << lane_) - 1));  // -1 where there is none
    int const reach = lane_ - max(start, 0);
    V sum = mine[U - 1];
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      V const left = warp_shfl_up(sum, by);
      if (reach >= by) sum = fold(left, sum);
    }
    V left = warp_shfl_up(sum, 1);
    if (lane_ == 0) left = carry;
    else if (before == 0) left = fold(carry, left);
    // The lane's last entry before the first row that begins in it.
    int const end = heads != 0 ? __ffs(static_cast<int>(heads)) - 2 : U - 1;
    if (end >= 0) {
      V const whole = fold(left, smem_.folds[lane_ * U + end]);
      put_bytes(smem_.folds[lane_ * U + end], whole);
      if (heads == 0) sum = whole;
    }
    carry = warp_shfl(sum, 31);
  }
  __device__ V fold(V const& a, V const& b) const { return static_cast<V>(problem_.op(a, b)); }
  /// So many neighbours from place p on of the window's values in shared memory.
  template <int M>
  __device__ void store_folds(int p, V const (&some)[M]) const {
    auto* const to = &smem_.folds[p];
    constexpr int bytes = M * static_cast<int>(sizeof(V)), width = vector_width(bytes);
    if constexpr (width >= 8 && relocatable<V>) {
      item_vector<V, M> vector;
      vector.pack(some);
      using W = typename vector_type<width>::type;
      W words[bytes / width];
      memcpy(words, vector.word, bytes);
#pragma unroll
      for (int w = 0; w < bytes / width; ++w) reinterpret_cast<W*>(to)[w] = words[w];
    } else {
#pragma unroll
      for (int v = 0; v < M; ++v) put_bytes(to[v], some[v]);
    }
  }
  template <int M>
  __device__ void load_folds(int p, V (&some)[M]) const {
    if constexpr (vector_width(M * sizeof(V)) >= 8 && relocatable<V>) {
      item_vector<V, M> vector;
      load_shared(smem_.folds.bytes + p * static_cast<int>(sizeof(V)), vector);
      vector.unpack_each(some);
    } else {
#pragma unroll
      for (int v = 0; v < M; ++v) put_bytes(some[v], smem_.folds[p + v]);
    }
  }

  /// So many rows of a batch, which end in the window. The first, where it is cut, is not written yet.
  __device__ void write_rows(std::int64_t base, std::int64_t row, int count, bool cut, place const (&ends)[B],
                             place& row_begin) const {
    auto before = row_begin;
#pragma unroll
    for (int b = 0; b < B; ++b) {
      if (b * 32 >= count) break;
      place const left = __shfl_sync(~0u, ends[b], (lane_ + 31) % 32), begin = lane_ == 0 ? before : left;
      before = left;  // lane 0 has the last one's
      if (count <= b * 32 + 32) row_begin = __shfl_sync(~0u, ends[b], count - b * 32 - 1);
      auto const s = row + b * 32 + lane_;
      auto const p = ends[b] - static_cast<place>(base) - 1;
      bool const empty = ends[b] == begin;
      V const fold =
          empty ? problem_.zero : smem_.folds[static_cast<int>(min(p, static_cast<place>(window - 1)))];
      bool writes = b * 32 + lane_ < count && (empty || p < static_cast<place>(window));
      if (b == 0 && cut && lane_ == 0 && writes && !empty) {
        put_bytes(smem_.ends.carry.value(), fold);
        smem_.ends.carried = s;
        writes = false;
      }
      if (writes) problem_.put(s, fold);
    }
  }

  Problem const& problem_;
  std::int64_t n_;  ///< of entries
  shared& smem_;
  int lane_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
