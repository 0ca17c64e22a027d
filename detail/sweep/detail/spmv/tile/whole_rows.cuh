// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_WHOLE_ROWS_CUH
#define SWEEP_DETAIL_SPMV_TILE_WHOLE_ROWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/segmented_reduce/tile/cut_records.cuh>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tile/product_window.cuh>
#include <sweep/detail/spmv/tuning.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that folds a tile of neighbouring rows whole: it loads where the tile begins and ends, then
/// a window of its entries side by side, and while those and what they lead to in the vector are on their way
/// also where its rows end; the lanes of each row fold its products from shared memory. So there are three
/// loads from the launch to the result, one behind the other, nothing is looked for and nobody is waited for;
/// while one block waits for its loads others work. Shape of a window: (U, threads). Heavy tiles are others'
/// work: blocks for ranges of neighbouring entries, which look for such tiles there; of a row that is cut the
/// last block to be done with a part of its tile folds what the parts have.
template <class Problem, row_tile_shape S>
class whole_rows : product_window<Problem, S> {
  using base = product_window<Problem, S>;
  using typename base::V, typename base::offset, typename base::place;
  using base::U, base::threads, base::window, base::problem_, base::n_, base::offset_of, base::fold,
      base::lane, base::product, base::fold_long_or_short;

 public:
  struct shared {
    alignas(16) typename base::memory folds;
    uninitialized<V, 2> carries;   ///< what the row that goes on has before the next window, in turn
    int first;                     ///< of neighbouring tiles
    unsigned heavy[threads / 32];  ///< which of them are
    int is_last;                   ///< whether the block is the last to be done with a part of a tile
  };

  /// Where the rows of a tile begin and end stands in so many bytes of shared memory more: no more than a
  /// tile has, for what blocks do not share is their first-level cache.
  static constexpr std::size_t bytes_of_ends(int rows) {
    return (static_cast<std::size_t>(rows + 1) * sizeof(place) + 15) / 16 * 16;
  }

  __device__ whole_rows(Problem const& problem, std::int64_t n, row_tiling const& by, int ranges_before,
                        shared& smem, void* ends)
      : base{problem, n, smem.folds},
        by_{by},
        ranges_before_{ranges_before},
        smem_{smem},
        ends_{static_cast<place*>(ends)} {}

  __device__ void fold_tile(int number) const {
    auto const tile = find(number);
    if (!is_heavy(tile))
      fold_entries<true>(tile, tile.from, tile.to,
                         [&](int r, rows_part const&, V const& sum) { problem_.put(tile.row + r, sum); });
  }

  /// What heavy tiles have in range number `number` of entries.
  __device__ void fold_range(int number, cut_records<V> const& records) const {
    int const thread = static_cast<int>(threadIdx.x);
    int const begin = tile_at(begin_of_range(number));
    if (thread == 0) smem_.first = begin;
    __syncthreads();
    bool more = true;
#pragma unroll 1
    while (more) {
      // Neighbouring tiles, one a thread.
      int const mine = smem_.first + thread;
      bool is_there = mine < by_.tiles, is_here = false;
      if (is_there) {
        auto const tile = find(mine);
        is_there = tile.from < end_of_range(number);
        is_here = is_there && is_heavy(tile) && tile.to > begin_of_range(number);
      }
      unsigned const found = __ballot_sync(~0u, is_here);
      if (lane() == 0) smem_.heavy[thread / 32] = found;
      more = __syncthreads_and(is_there) != 0;
#pragma unroll 1
      while (next_heavy() < threads / 32) {
        // Asked for twice: no register keeps it while a part is folded.
        fold_part(find(smem_.first + heavy_tile(next_heavy())), number, records);
        int const w = next_heavy();
        __syncthreads();
        if (thread == 0) smem_.heavy[w] &= smem_.heavy[w] - 1;
        __syncthreads();
      }
      __syncthreads();
      if (thread == 0) smem_.first += threads;
      __syncthreads();
    }
  }

 private:
  struct tile_of_rows {
    std::int64_t row;  ///< the first of so many
    int rows;
    place from, to;  ///< entries
  };
  struct rows_part {
    place begin, end;
  };

  __device__ int sub() const { return lane() & ((1 << by_.log_width) - 1); }
  __device__ place begin_of(std::int64_t tile) const {
    return offset_of(min(tile * by_.rows, problem_.count));
  }
  __device__ tile_of_rows find(int number) const {
    auto const row = std::int64_t{number} * by_.rows;
    int const rows = static_cast<int>(min(std::int64_t{by_.rows}, problem_.count - row));
    return {row, rows, offset_of(row), offset_of(row + rows)};
  }
  __device__ bool is_heavy(tile_of_rows const& tile) const {
    return tile.to - tile.from > static_cast<place>(by_.heavy);
  }
  __device__ place begin_of_range(int number) const { return static_cast<place>(number * by_.range); }
  __device__ place end_of_range(int number) const {
    return static_cast<place>(min((number + 1) * by_.range, static_cast<std::int64_t>(n_)));
  }
  __device__ int range_of(place at) const { return static_cast<int>(at / static_cast<place>(by_.range)); }
  /// Where a range's part of a row stands.
  __device__ int record_of(int range) const { return ranges_before_ + range; }
  /// Which word has the first heavy one of neighbouring tiles.
  __device__ int next_heavy() const {
    int w = 0;
    while (w < threads / 32 && smem_.heavy[w] == 0) ++w;
    return w;
  }
  __device__ int heavy_tile(int w) const { return w * 32 + __ffs(static_cast<int>(smem_.heavy[w])) - 1; }
  /// The first tile that ends behind a place, by all threads.
  __device__ int tile_at(place at) const {
    int low = 0, high = by_.tiles;
#pragma unroll 1
    while (low < high) {
      int const step = (high - low - 1) / threads + 1, probe = low + static_cast<int>(threadIdx.x) * step;
      int const before = __syncthreads_count(probe < high && begin_of(probe + 1) <= at);
      high = min(high, low + before * step);
      if (before > 0) low += (before - 1) * step + 1;
    }
    return low;
  }
  /// Where a tile's rows end is on its way.
  __device__ void fetch_ends(tile_of_rows const& tile) const {
#pragma unroll 1
    for (int r = static_cast<int>(threadIdx.x); r <= tile.rows; r += threads) {
      if constexpr (std::is_pointer_v<std::remove_cv_t<decltype(problem_.offsets)>> &&
                    sizeof(offset) == sizeof(place))
        copy_async<static_cast<int>(sizeof(place))>(&ends_[r], problem_.offsets + (tile.row + r));
      else ends_[r] = static_cast<place>(problem_.offsets[tile.row + r]);
    }
  }
  /// Of row r of a tile; of those behind the last, nothing.
  __device__ rows_part row_of(tile_of_rows const& tile, int r) const {
    if (r >= tile.rows) return {tile.to, tile.to};
    return {max(min(ends_[r], tile.to), tile.from), max(min(ends_[r + 1], tile.to), tile.from)};
  }
  /// f(r) for all rows of a tile, by as many neighbouring lanes each, and by all lanes of a warp at once.
  template <class F>
  __device__ void for_each_row(tile_of_rows const& tile, F f) const {
#pragma unroll 1
    for (int at = static_cast<int>(threadIdx.x); at - lane() < tile.rows << by_.log_width; at += threads)
      f(at >> by_.log_width);
  }

  /// Folds a tile's entries [low, high): put(r, row, sum) of each row that has some of them, and with the
  /// tile's first of empty ones.
  template <bool Whole, class Put>
  __device__ void fold_entries(tile_of_rows const& tile, place low, place high, Put const& put) const {
    fetch_ends(tile);
    auto from = low;
#pragma unroll 1
    for (int turn = 0;; turn ^= 1) {
      auto const first_of = from / 32 * 32, to = min(high - first_of, place{window}) + first_of;
      if (to > first_of) multiply_some(first_of, static_cast<int>(to - first_of));
      await_async_copies();
      __syncthreads();
      bool const is_whole = Whole && from == low && to == high;
      if constexpr (Whole)
        if (is_whole && by_.log_width == 0)
          return fold_rows_alone(tile, static_cast<int>(low - first_of), static_cast<int>(high - first_of));
      for_each_row(tile, [&](int r) {
        auto const row = row_of(tile, r);
        int const first = static_cast<int>(max(row.begin, from) - first_of),
                  last = static_cast<int>(min(row.end, to) - first_of);
        V sum = fold_long_or_short(first, max(first, last), by_.log_width,
                                   [&](int i) -> V const& { return product(i); });
        if (sub() > 0 || r >= tile.rows) return;
        if (is_whole) return put(r, row, sum);
        bool const is_empty = row.end <= row.begin;
        if (is_empty ? from > tile.from : last <= first) return;
        if (row.begin < from && from > low) put_bytes(sum, fold(smem_.carries[turn], sum));
        if (!is_empty && row.end > to && to < high) put_bytes(smem_.carries[turn ^ 1], sum);
        else put(r, row, sum);
      });
      if (to >= high) break;
      __syncthreads();
      from = to;
    }
  }
  /// The rows of a tile whose products all stand in the window, in places [begin, end), a row a lane. Most of
  /// what short rows take is what each takes, whatever its length: a row has an end, which is the next one's
  /// beginning, and a place in y.
  __device__ void fold_rows_alone(tile_of_rows const& tile, int begin, int end) const {
    auto const first_of = tile.from - begin;
    int const thread = static_cast<int>(threadIdx.x), rows = tile.rows - thread;
    auto const* mine = ends_ + thread;
#pragma unroll 1
    for (int r = 0; r < rows + lane(); r += threads, mine += threads) {
      int low = end, high = end;
      if (r < rows) {
        low = max(min(static_cast<int>(mine[0] - first_of), end), begin);
        high = max(min(static_cast<int>(mine[1] - first_of), end), low);
      }
      V const sum = fold_long_or_short(low, high, 0, [&](int i) -> V const& { return product(i); });
      if (r < rows) problem_.put(tile.row + (r + thread), sum);
    }
  }

  /// The products of `count` entries from `base` on, into shared memory, by lanes that have as few as do.
  template <int N = (U + 3) / 4>
  __device__ void multiply_some(place from, int count) const {
    if constexpr (N < U)
      if (count > N * threads) return multiply_some<(N + (U + 3) / 4 < U ? N + (U + 3) / 4 : U)>(from, count);
    multiply_all<N>(from, count);
  }
  template <int N>
  __device__ void multiply_all(place from, int count) const {
    typename base::template loads<N> some;
    this->load(from, count, N, some);
    this->gather(N, some);
    this->multiply(N, some);
  }

  /// What a heavy tile has in range number `number`; the last block to be done with one of the tile's ranges
  /// folds the rows that are cut.
  __device__ void fold_part(tile_of_rows const& tile, int number, cut_records<V> const& records) const {
    auto const low = max(tile.from, begin_of_range(number)), high = min(tile.to, end_of_range(number));
    fold_entries<false>(tile, low, high, [&](int r, rows_part const& row, V const& sum) {
      if (row.end <= row.begin || (row.begin >= low && row.end <= high)) problem_.put(tile.row + r, sum);
      else if (row.begin < low) records.others(record_of(number)).publish(0, sum);
      else records.firsts().publish(record_of(number), sum);
    });
    int const first = range_of(tile.from), last = range_of(tile.to - 1);
    __syncthreads();
    if (first == last) return;
    if (threadIdx.x == 0) smem_.is_last = records.arrive(record_of(first)) == last - first;
    __syncthreads();
    if (smem_.is_last) join(tile, records);
    __syncthreads();
  }
  /// The rows of a tile that are cut where ranges begin.
  __device__ void join(tile_of_rows const& tile, cut_records<V> const& records) const {
    auto const others = records.others(record_of(0));
    for_each_row(tile, [&](int r) {
      auto const row = row_of(tile, r);
      int first = 0, last = 0;  // the ranges that have a part of the row
      if (row.end > row.begin) {
        first = range_of(row.begin);
        last = range_of(row.end - 1);
      }
      bool const is_cut = last > first;
      V const sum = fold_long_or_short(is_cut ? first + 1 : 0, is_cut ? last + 1 : 0, by_.log_width,
                                       [&](int k) { return others.read(k); });
      if (is_cut && sub() == 0)
        problem_.put(tile.row + r, fold(records.firsts().read(record_of(first)), sum));
    });
  }

  row_tiling const& by_;
  int ranges_before_;  ///< in products with the vectors before this one
  shared& smem_;
  place* ends_;  ///< where the tile's rows begin, and where the last one ends
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
