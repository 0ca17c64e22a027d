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
/// While the warp works on one window, all that the entries of the next lead to in the vector is on its way,
/// with their values and the columns of the window behind it. So is where the next rows end, in a ring in
/// shared memory; those that end in the window mark there where others begin. Each lane folds K x N
/// neighbouring products in registers, a segmented scan joins the lanes, and what each row has up to its last
/// entry stands in shared memory; lanes then write the rows, neighbours side by side. A window in which more
/// rows end than are looked at at once is scanned again for the others, from the same products. So neither
/// long rows nor short ones, nor empty ones, keep a lane from its share. Little shared memory is used, for
/// the first-level cache needs a line for each sector of the vector that is on its way.
template <class Problem, path_shape S>
class path_walk : product_types<Problem> {
  using types = product_types<Problem>;
  using typename types::V, typename types::index, typename types::entry_value, typename types::vector_value,
      typename types::offset;
  using place = typename types::path_entry;
  static constexpr int K = S.rows, N = S.row_items, U = K * N, row_entries = 32 * N,
                       window = S.window_items();
  /// Rows that are looked at at once, and that are there or on their way.
  static constexpr int batch = 96, ring = 256;

 public:
  struct shared {
    alignas(16) uninitialized<V, window> folds;
    alignas(16) unsigned char heads[window + 16];
    alignas(16) place row_ends[ring];  ///< where row r ends: [r % ring]
    path_ends<V> ends;
  };

  __device__ path_walk(Problem const& problem, std::int64_t n, shared& smem)
      : problem_{problem}, n_{n}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  /// Two windows of entries around one are on their way to the second-level cache, before a warp knows where
  /// its share begins.
  static __device__ void ask_for_entries(Problem const& problem, std::int64_t n, std::int64_t entry) {
    auto const from = max(entry - stage_unit * 4, std::int64_t{0}) / stage_unit * stage_unit;
    ask_for_items(problem.in.indices, from, n);
    ask_for_items(problem.in.values, from, n);
  }

  __device__ void operator()(path_place begin, path_place end) const {
    auto base = begin.entry / stage_unit * stage_unit, left = max(end.entry - base, std::int64_t{0});
    bool const vectors = are_vectors(problem_.in.indices) && are_vectors(problem_.in.values);
    index columns[K][N];
    entry_value values[K][N];
    vector_value x[K][N];
    load_entries(problem_.in.indices, base, 0, vectors, columns);
    load_entries(problem_.in.values, base, 0, vectors, values);
    row_queue rows{begin.row, end.row - begin.row, 0, 0};
    fetch_rows(rows);
    end_first_async_copies();
    end_first_async_copies();  // none: the first window waits for those before
    auto const first_begin = static_cast<std::int64_t>(problem_.offsets[begin.row]);
    auto row_begin = static_cast<place>(first_begin);
    if (lane_ == 0) smem_.ends.carried = -1;
    bool cut = first_begin < begin.entry;  // whether the first row began before the share and has not ended
    V carry = problem_.zero;               // what the row that goes on has before the window
    int own = static_cast<int>(begin.entry - base);  // where the share begins in its first window
    gather(own, few(left), columns, x);
    if (left > window) load_entries(problem_.in.indices, base + window, few(left - window), vectors, columns);
#pragma unroll 1
    for (;; base += window, left -= window, own = -1) {
      int const near = few(left);
      V products[U];
      multiply(own, near, values, x, products);
      bool const more = near > window;
      if (more) {
        load_entries(problem_.in.values, base + window, near - window, vectors, values);
        gather(0, near - window, columns, x);
        if (near > 2 * window)
          load_entries(problem_.in.indices, base + 2 * window, near - 2 * window, vectors, columns);
      }
      clear_heads();
      if (lane_ == 0) {
        if (own >= 0) smem_.heads[own] = 1;
        mark_end(near);
      }
      int count = mark_rows(base, rows, row_begin);
      for (;;) {
        __syncwarp();
        scan(products, carry);
        __syncwarp();
        write_rows(base, rows, count, cut, row_begin);
        if (count > 0) cut = false;
        rows.first += count;
        rows.here -= count;
        rows.at = (rows.at + static_cast<unsigned>(count)) % ring;
        fetch_rows(rows);
        end_first_async_copies();
        if (count < batch) break;
        // As many as were looked at have ended: more may end in the window.
        clear_heads();
        if (lane_ == 0) mark_end(near);
        count = mark_rows(base, rows, row_begin);
        if (count == 0) break;
      }
      if (!more) break;
      __syncwarp();
    }
    if (lane_ == 0) {
      int const to = static_cast<int>(left);
      bool const goes_on = to > max(own, 0) && row_begin != static_cast<place>(end.entry);
      put_bytes(smem_.ends.total.value().value, goes_on ? smem_.folds[to - 1] : problem_.zero);
      smem_.ends.total.value().heads = !cut;
    }
  }

 private:
  // Rows. Where the next ones end is on its way to shared memory, 32 at a time, until a ring of them is full.

  struct row_queue {
    std::int64_t first;   ///< the next row
    std::int64_t behind;  ///< how many are not yet on their way
    int here;             ///< how many are there or on their way
    unsigned at;          ///< where the next one is in the ring
  };
  __device__ place& end_of(row_queue const& rows, int i) const {
    return smem_.row_ends[(rows.at + static_cast<unsigned>(i)) % ring];
  }
  __device__ void fetch_rows(row_queue& rows) const {
    __syncwarp();
    while (rows.here <= ring - 32 && rows.behind > 0) {
      if (lane_ < rows.behind) {
        auto const row = rows.first + (rows.here + lane_ + 1);
        auto& to = end_of(rows, rows.here + lane_);
        if constexpr (std::is_pointer_v<std::remove_cv_t<decltype(problem_.offsets)>> &&
                      (sizeof(offset) == 4 || sizeof(offset) == 8))
          copy_async<static_cast<int>(sizeof(offset))>(&to, problem_.offsets + row);
        else to = static_cast<place>(problem_.offsets[row]);
      }
      int const some = static_cast<int>(min(rows.behind, std::int64_t{32}));
      rows.here += some;
      rows.behind -= some;
    }
  }
  /// Marks where rows begin: the next one, and those that follow such as end in the window. Returns how many
  /// these are, of a batch at most.
  __device__ int mark_rows(std::int64_t base, row_queue const& rows, place row_begin) const {
    // The last that were asked for are not yet needed: a batch has come before them.
    static_assert(ring >= 2 * batch + 31);
    await_async_copies_but<1>();
    __syncwarp();
    if (auto const p = row_begin - static_cast<place>(base); lane_ == 0 && p < window) smem_.heads[p] = 1;
    int count = 0;
#pragma unroll
    for (int b = 0; b < batch; b += 32) {
      auto const p = end_of(rows, b + lane_) - static_cast<place>(base);
      bool const in = b + lane_ < rows.here && p <= window;
      if (in) smem_.heads[p] = 1;
      int const ended = __popc(__ballot_sync(~0u, in));
      count += ended;
      if (ended < 32) break;
    }
    return count;
  }
  /// So that what the last row of a share has is complete, too.
  __device__ void mark_end(int left) const {
    if (left < window) smem_.heads[max(left, 0)] = 1;
  }
  __device__ void clear_heads() const {
    for (int i = lane_; i < (window + 16) / 16; i += 32) reinterpret_cast<uint4*>(smem_.heads)[i] = uint4{};
    __syncwarp();
  }
  /// So many next rows, which end in the window. The first, where it is cut, is not written yet.
  __device__ void write_rows(std::int64_t base, row_queue const& rows, int count, bool cut,
                             place& row_begin) const {
#pragma unroll
    for (int b = 0; b < batch; b += 32) {
      if (b >= count) break;
      place const end = end_of(rows, b + lane_);
      place begin = __shfl_up_sync(~0u, end, 1);
      if (lane_ == 0) begin = row_begin;
      row_begin = __shfl_sync(~0u, end, min(count - b, 32) - 1);
      bool const empty = end == begin;
      auto const p = end - static_cast<place>(base) - 1;
      V const fold =
          empty ? problem_.zero : smem_.folds[static_cast<int>(min(p, static_cast<place>(window - 1)))];
      bool writes = b + lane_ < count && (empty || p < static_cast<place>(window));
      auto const s = rows.first + b + lane_;
      if (b == 0 && cut && lane_ == 0 && writes && !empty) {
        put_bytes(smem_.ends.carry.value(), fold);
        smem_.ends.carried = s;
        writes = false;
      }
      if (writes) problem_.put(s, fold);
    }
  }

  // Entries. Those beside the share have columns, too, and heads keep their products apart.

  template <class It>
  static __device__ void ask_for_items(It const& items, std::int64_t from, std::int64_t n) {
    if constexpr (is_near_columns<It>) {
      ask_for_items(items.low, from, n);
    } else if constexpr (std::is_pointer_v<It>) {
      constexpr int of_line = sizeof(*items) < 128 ? 128 / static_cast<int>(sizeof(*items)) : 1;
      for (int i = static_cast<int>(threadIdx.x % 32) * of_line; i < 2 * window; i += 32 * of_line)
        if (from + i < n) ask_for_line(items + from + i);
    }
  }

  /// So many entries, or so many that three windows have no more.
  static __device__ int few(std::int64_t left) {
    return static_cast<int>(min(left, std::int64_t{3 * window + 1}));
  }
  /// f(k, p) for all K rows of a window, whether or not they exist: p is the place of the lane's first entry
  /// in row k.
  template <class F>
  static __device__ void for_each_row(F f) {
#pragma unroll
    for (int k = 0; k < K; ++k) f(k, k * row_entries + static_cast<int>(threadIdx.x % 32) * N);
  }
  /// Whether N neighbours are vectors, wherever a lane has some. Items that are no memory's are neighbours of
  /// any kind.
  template <class It>
  static __device__ bool are_vectors(It const& items) {
    if constexpr (std::is_pointer_v<It>) return vector_aligned<N>(items, 0);
    else return true;
  }
  static __device__ bool are_vectors(near_columns<index> const& columns) {
    return vector_aligned<N>(columns.low, 0);
  }
  /// Items of a window that is on its way, of which so many are the share's: columns or values.
  template <class It, class Item>
  __device__ void load_entries(It const& items, std::int64_t base, int left, bool vectors,
                               Item (&some)[K][N]) const {
    auto const at = base + lane_ * N;
    if (vectors && (left >= window || base + window <= n_)) {
      if constexpr (is_near_columns<It>) {
        item_vector<std::uint16_t, N> low[K];
#pragma unroll
        for (int k = 0; k < K; ++k) load_vectors<access::streaming>(items.low + at + k * row_entries, low[k]);
#pragma unroll
        for (int k = 0; k < K; ++k) {
          static_assert(stage_unit % N == 0 && near_group % stage_unit == 0, "neighbours are of one group");
          auto const least = items.least[(at + k * row_entries) / near_group];
#pragma unroll
          for (int v = 0; v < N; ++v)
            some[k][v] = static_cast<index>(least + static_cast<index>(low[k].item(v)));
        }
      } else if constexpr (std::is_pointer_v<It> && relocatable<Item>) {
        item_vector<Item, N> vector[K];
#pragma unroll
        for (int k = 0; k < K; ++k) load_vectors<access::streaming>(items + at + k * row_entries, vector[k]);
#pragma unroll
        for (int k = 0; k < K; ++k) vector[k].unpack_each(some[k]);
      } else {
        for_each_row([&](int k, int p) {
#pragma unroll
          for (int v = 0; v < N; ++v) put_bytes(some[k][v], static_cast<Item>(items[base + p + v]));
        });
      }
    } else {
      for_each_row([&](int k, int p) {
#pragma unroll
        for (int v = 0; v < N; ++v)
          if (base + p + v < n_) put_bytes(some[k][v], static_cast<Item>(items[base + p + v]));
      });
    }
  }
  /// Whether a window has entries of the share alone, if the share begins at `own` and has so many from the
  /// window's beginning on.
  static __device__ bool is_whole(int own, int left) { return own <= 0 && left >= window; }
  /// What the entries lead to in the vector.
  __device__ void gather(int own, int left, index const (&columns)[K][N], vector_value (&x)[K][N]) const {
    if (is_whole(own, left)) {
      for_each_row([&](int k, int) {
#pragma unroll
        for (int v = 0; v < N; ++v) put_bytes(x[k][v], vector_item(columns[k][v]));
      });
    } else {
      int const to = min(left, window);
      for_each_row([&](int k, int p) {
#pragma unroll
        for (int v = 0; v < N; ++v)
          if (p + v >= own && p + v < to) put_bytes(x[k][v], vector_item(columns[k][v]));
      });
    }
  }
  /// The products of U neighbours, by way of shared memory where rows are several; zeros beside the share.
  __device__ void multiply(int own, int left, entry_value const (&values)[K][N],
                           vector_value const (&x)[K][N], V (&mine)[U]) const {
    V some[K][N];
    if (is_whole(own, left)) {
      for_each_row([&](int k, int) {
#pragma unroll
        for (int v = 0; v < N; ++v)
          put_bytes(some[k][v], static_cast<V>(problem_.in.times(values[k][v], x[k][v])));
      });
    } else {
      int const to = min(left, window);
      for_each_row([&](int k, int p) {
#pragma unroll
        for (int v = 0; v < N; ++v)
          put_bytes(some[k][v], p + v >= own && p + v < to
                                    ? static_cast<V>(problem_.in.times(values[k][v], x[k][v]))
                                    : problem_.zero);
      });
    }
    if constexpr (K > 1) {
      for_each_row([&](int k, int p) { store_folds(p, some[k]); });
      __syncwarp();
      load_folds(lane_ * U, mine);
    } else {
#pragma unroll
      for (int v = 0; v < N; ++v) put_bytes(mine[v], some[0][v]);
      __syncwarp();
    }
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
  __device__ void scan(V const (&products)[U], V& carry) const {
    static_assert(U <= 32);
    unsigned const heads = heads_of_lane();
    V mine[U];
#pragma unroll
    for (int u = 0; u < U; ++u) put_bytes(mine[u], products[u]);
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
    auto* const to = __builtin_addressof(smem_.folds[p]);
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

  Problem const& problem_;
  std::int64_t n_;  ///< of entries
  shared& smem_;
  int lane_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
