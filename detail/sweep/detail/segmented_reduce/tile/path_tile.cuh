// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_PATH_TILE_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_PATH_TILE_CUH

#include <sweep/detail/block/shared_window.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/segmented_reduce/problem.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What stands in shared memory of an item: the bytes that it is made of, where these are one stream of
/// neighbours in memory (core/iterator.hpp), else what is folded of it.
template <class Problem>
struct path_item {
  using source = source_of_t<decltype(Problem::in)>;
  static constexpr bool as_bytes = [] {
    if constexpr (source::streams == 1) {
      using stream = decltype(std::declval<source const&>().template stream<0>());
      return !source::reads_elsewhere && !stream::reversed &&
             std::is_default_constructible_v<typename stream::value_type>;
    } else {
      return false;
    }
  }();
  static constexpr auto type_of() {
    if constexpr (as_bytes)
      return std::type_identity<
          typename decltype(std::declval<source const&>().template stream<0>())::value_type>{};
    else return std::type_identity<typename Problem::value>{};
  }
  using type = typename decltype(type_of())::type;
};

/// How the merge path of n items and so many segment ends is cut. A step of the path is an item, or one of
/// the `weight` steps that the end of a segment takes: as many as its result and its place fill of items'
/// memory. So every tile has as much memory and about as much work, wherever segments begin and however many
/// are empty.
template <class Item, class V>
struct path_shape {
  static constexpr int size = static_cast<int>(sizeof(Item)), threads = size <= 256 ? 128 : 32,
                       warps = threads / 32;
  /// Of a multiprocessor: what registers allow.
  static constexpr std::size_t widest = sizeof(V) > sizeof(Item) ? sizeof(V) : sizeof(Item);
  static constexpr int blocks = widest <= 4 ? 7 : widest <= 8 ? 6 : widest <= 16 ? 5 : widest <= 32 ? 4 : 2;
  static constexpr int weight = (static_cast<int>(sizeof(V)) + 2 + size - 1) / size;
  /// Items that a lane has in registers: an odd number of 4-byte words where they are narrow, so that the
  /// lanes of a warp read different banks; and how many such groups a lane has at most.
  static constexpr int group = size < 20 ? 20 / size : 1;
  static constexpr int most_groups = [] {
    int const fit = 192 / (group * size);
    return fit < 1 ? 1 : fit % 2 == 0 ? fit - 1 : fit;
  }();
  static SWEEP_HD constexpr int tile_steps(int groups) { return threads * group * groups; }
  static_assert(threads * group * most_groups < 0x10000, "ends are counted in 16 bits");

  static constexpr int align = alignof(V) > 16 ? static_cast<int>(alignof(V)) : 16;
  /// Shared memory of a tile: items from where they lie in their 16 bytes on, results, ends; and what the
  /// last lane reads beyond.
  static SWEEP_HD constexpr std::size_t bytes(int groups) {
    auto const least = static_cast<std::size_t>(tile_steps(groups) + weight) * sizeof(Item) +
                       static_cast<std::size_t>(2 * align + group * size + 32);
    return (least + 15) / 16 * 16;
  }
};

/// The path of a call, cut into shares of blocks, and these into tiles.
struct path_grid {
  std::int64_t n, count;  ///< of items and of segments
  std::int64_t steps;
  int groups, tile_steps;
  std::int64_t share_steps, shares;
};

/// What a share has of the segment that began before it and ends in it.
template <class V>
struct path_end {
  std::int64_t segment;  ///< or -1
  V fold;
  bool has_items;
};
template <class V>
inline constexpr bool relocatable<path_end<V>> = relocatable<V>;

/// What shares leave for the join of all: the fold from the share's last segment start on, whether a segment
/// starts in the share, and the end.
template <class V>
struct path_records {
  slots<flagged<V>> totals;
  slots<path_end<V>> ends;
  ticket_counter arrivals;

  static constexpr std::int64_t words(std::int64_t shares) {
    return shares * (slots<flagged<V>>::words + slots<path_end<V>>::words);
  }
  path_records() = default;
  path_records(std::uint64_t* at, std::int64_t shares, std::uint32_t stamp, ticket_counter const& drawn)
      : totals{at, stamp}, ends{at + shares * slots<flagged<V>>::words, stamp}, arrivals{drawn} {}
};

/// A thread block that folds the segments of one share of the merge path of items and segment ends, tile
/// after tile. Shape of a tile: (lanes, G groups, g items), then the ends of segments among them. Lanes fold
/// neighbouring items and put the fold of each segment that ends there side by side in shared memory, from
/// where it is written. Segments that began in an earlier lane get what is before them from a scan of the
/// lanes' folds, those that began in an earlier tile from what the tiles before have left. Nobody waits for
/// another block: the last one to be done gives the segments that began in an earlier share what is before
/// them.
template <class Problem>
class segmented_path_share {
  using item = path_item<Problem>;
  using E = typename item::type;
  using V = typename Problem::value;
  using T = flagged<V>;
  using Op = segmented_op<decltype(Problem::op)>;
  using shape = path_shape<E, V>;
  static constexpr int g = shape::group, threads = shape::threads, warps = shape::warps;

 public:
  struct shared {
    uninitialized<T, warps> totals;
    std::int64_t next_end[2];
    bool last;
  };

  __device__ segmented_path_share(Problem const& problem, path_grid const& grid, shared& smem,
                                  unsigned char* memory, Op& op)
      : problem_{problem},
        grid_{grid},
        smem_{smem},
        memory_{memory},
        op_{op},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)},
        ends_{reinterpret_cast<unsigned short*>(memory + shape::bytes(grid.groups))} {}

  __device__ void operator()(std::int64_t share, path_records<V> const& records) {
    auto const from = share * grid_.share_steps, to = min(from + grid_.share_steps, grid_.steps);
    auto diagonal = min(from + grid_.tile_steps, to);
    find(from, diagonal);
    share_base_ = base_;
    load_items(base_, 0, items_);
    load_ends();
    path_end<V> left{};
    left.segment = -1;
    while (true) {
      wait_for_window();
      __syncthreads();
      place_results();
      fold();
      __syncthreads();
      // The next tile's items are on their way while this one's results are: as many as this one has, or so.
      int const ahead =
          diagonal < to ? static_cast<int>(min(std::int64_t{max(items_ - 16, 0)}, grid_.n - base_ - items_))
                        : 0;
      load_items(base_ + items_, 0, ahead);
      T const total = join_lanes();
      __syncthreads();
      write(left);
      before_tile_ = has_before_tile_ ? op_(before_tile_, total) : total;
      has_before_tile_ = true;
      if (diagonal == to) break;
      diagonal = min(diagonal + grid_.tile_steps, to);
      find_next(diagonal);
      load_items(base_, ahead, items_);
    }
    if (grid_.shares == 1) return;
    if (threadIdx.x == 0) {
      records.totals.publish(share, before_tile_);
      records.ends.publish(share, left);
      smem_.last = records.arrivals.arrive() + 1 == grid_.shares;
    }
    __syncthreads();
    if (smem_.last) join_shares(records);
  }

 private:
  /// The cuts of the path at two diagonals: as many segments end before each as take no more steps. Found by
  /// the whole block, which looks at a place a thread in each step.
  __device__ void find(std::int64_t from, std::int64_t to) {
    std::int64_t const at[2] = {from, to};
    std::int64_t low[2] = {0, 0}, high[2] = {grid_.count, grid_.count};
    if (threadIdx.x < 2) smem_.next_end[threadIdx.x] = grid_.n;
    while (low[0] < high[0] || low[1] < high[1]) {
      probe found[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) found[k] = look(low[k], high[k], at[k]);
#pragma unroll
      for (int k = 0; k < 2; ++k) narrow(found[k], low[k], high[k], smem_.next_end[k]);
    }
    __syncthreads();
    first_ = low[0];
    base_ = item_at(from, low[0], 0);
    set_tile(low[1], item_at(to, low[1], 1));
    begin_ = first_ < grid_.count ? static_cast<std::int64_t>(problem_.offsets[first_]) : grid_.n;
  }

  /// The tile behind the last one, up to a diagonal, and its ends.
  __device__ void find_next(std::int64_t to) {
    auto low = first_ + ends_count_, high = min(grid_.count, low + threads);
    if (ends_count_ > 0) begin_ = base_ + end(ends_count_ - 1);
    first_ = low;
    base_ += items_;
    __syncthreads();  // results have left shared memory
    if (threadIdx.x == 0) smem_.next_end[1] = grid_.n;
    auto const nearest = look(low, high, to);  // few segments end in most tiles
    auto const all_nearest = high;
    narrow(nearest, low, high, smem_.next_end[1]);
    bool const few = low < all_nearest || low == grid_.count;
    if (!few) {
      high = min(grid_.count, low + grid_.tile_steps / shape::weight + 1);
      while (low < high) narrow(look(low, high, to), low, high, smem_.next_end[1]);
    }
    __syncthreads();
    set_tile(low, item_at(to, low, 1));
    if (!few) load_ends();
    else if (static_cast<int>(threadIdx.x) < ends_count_) put_end(static_cast<int>(threadIdx.x), nearest.end);
  }

  struct probe {
    std::int64_t step, end;
    bool exists, ended;
  };
  __device__ probe look(std::int64_t low, std::int64_t high, std::int64_t diagonal) const {
    auto const step = (high - low + 1 + threads) / (threads + 1);  // so many answers are left together
    auto const s = low + (threadIdx.x + 1) * step - 1;
    bool const exists = s < high;
    auto const end = exists ? static_cast<std::int64_t>(problem_.offsets[s + 1]) : 0;
    return {step, end, exists, exists && end + shape::weight * (s + 1) <= diagonal};
  }
  static __device__ void narrow(probe const& found, std::int64_t& low, std::int64_t& high,
                                std::int64_t& next_end) {
    int const ended = __syncthreads_count(found.ended);
    if (static_cast<int>(threadIdx.x) == ended && found.exists) next_end = found.end;
    high = min(high, low + (ended + 1) * found.step - 1);
    low += ended * found.step;
  }
  /// The item at a diagonal before which so many segments end.
  __device__ std::int64_t item_at(std::int64_t diagonal, std::int64_t segment, int k) const {
    return max(std::int64_t{0}, min(min(diagonal - shape::weight * segment, smem_.next_end[k]), grid_.n));
  }
  __device__ void set_tile(std::int64_t segment, std::int64_t item) {
    items_ = static_cast<int>(max(std::int64_t{0}, min(item - base_, std::int64_t{grid_.tile_steps})));
    ends_count_ = static_cast<int>(
        max(std::int64_t{0},
            min(segment - first_, std::int64_t{(grid_.tile_steps + shape::weight - 1) / shape::weight})));
  }

  // A tile in shared memory: items from the front on, ends from the back on, and between them results.

  /// The end of the tile's j-th segment, counted from its first item.
  __device__ unsigned short& end(int j) const { return ends_[-1 - j]; }
  __device__ void put_end(int j, std::int64_t at) const {
    end(j) = static_cast<unsigned short>(min(max(at - base_, std::int64_t{0}), std::int64_t{items_}));
  }
  __device__ void load_ends() const {
    for (int j = static_cast<int>(threadIdx.x); j < ends_count_; j += threads)
      put_end(j, static_cast<std::int64_t>(problem_.offsets[first_ + 1 + j]));
  }
  __device__ void place_results() {
    auto const back = static_cast<int>(shape::bytes(grid_.groups));
    results_ = reinterpret_cast<V*>(memory_ + (back - ends_count_ * (2 + static_cast<int>(sizeof(V)))) /
                                                  shape::align * shape::align);
    if constexpr (item::as_bytes) here_ = memory_ + window_shift(stream() + base_);
    else here_ = memory_;
  }
  /// Starts to bring items [from, to) of the tile that begins with item `base`.
  __device__ void load_items(std::int64_t base, int from, int to) const {
    if (from >= to) return;
    if constexpr (item::as_bytes) {
      load_window<threads>(memory_, stream(), grid_.n, base, from, to, static_cast<int>(threadIdx.x));
    } else {
      constexpr int batch = sizeof(V) <= 4 ? 8 : sizeof(V) <= 16 ? 4 : 2;
      auto* const items = reinterpret_cast<V*>(memory_);
      for (int i = from + static_cast<int>(threadIdx.x); i < to; i += batch * threads) {
        V some[batch];
#pragma unroll
        for (int b = 0; b < batch; ++b)
          if (i + b * threads < to)
            put_bytes(some[b], static_cast<V>(problem_.unary(problem_.in[base + i + b * threads])));
#pragma unroll
        for (int b = 0; b < batch; ++b)
          if (i + b * threads < to) put_bytes(items[i + b * threads], some[b]);
      }
    }
  }

  __device__ E const* stream() const { return source_of(problem_.in).template stream<0>().first; }
  /// What is folded of the tile's item at a place.
  __device__ V value_of_item(E const& x, int place) const {
    if constexpr (item::as_bytes)
      return static_cast<V>(problem_.unary(static_cast<typename Problem::raw>(
          source_of(problem_.in).item(base_ + place, [&](auto) -> E const& { return x; }))));
    else return x;
  }

  /// Every lane its items.
  __device__ void fold() {
    carried_ = begin_ < base_;
    int const share = grid_.groups * g, from = static_cast<int>(threadIdx.x) * share;
    int const mine = max(0, min(share, items_ - from));
    // The first segment that ends behind the lane's first item.
    int low = 0;
    for (int high = ends_count_; low < high;) {
      int const middle = (low + high) / 2;
      if (end(middle) > from) high = middle;
      else low = middle + 1;
    }
    bool const fresh = low > 0 ? end(low - 1) == from : from == 0 && !carried_;
    segment_ = low;
    pending_ = -1;
    T total{};
    total.heads = fresh;
    auto const* items = here_ + from * shape::size;
    int end_at =
        low < ends_count_ && mine > 0 ? end(low) - from : none;  // counted from the group's first item
    bool open = false;
#pragma unroll 1
    for (int k = 0; k < grid_.groups; ++k, items += g * shape::size, end_at -= g) {
      int const left = mine - k * g;
      bool const plain = !__any_sync(~0u, end_at <= g);
      if (left >= g) {
        E some[g];
        load_from_window(items, some);
        if (plain) fold_plain(some, from + k * g, open, total);
        else fold_segments(some, from + k * g, left, end_at, open, total);
      } else if (left > 0) {  // the tile's last items
        fold_some(items, from + k * g, left, end_at, open, total);
      }
    }
    unsigned const have = warp_scan_some(total, __ballot_sync(~0u, mine > 0), op_);
    before_ = warp_shfl_up(total, 1);
    has_before_ = lane_ > 0 && (have >> (lane_ - 1) & 1u) != 0;
    if (lane_ == 31 && have != 0) put_bytes(smem_.totals[warp_], total);
  }

  /// Items among which no segment ends; `open`: whether the fold of the segment under way has begun.
  __device__ void fold_plain(E const (&some)[g], int from, bool& open, T& total) {
    V part = value_of_item(some[0], from);  // short chains, so that groups overlap
#pragma unroll
    for (int i = 1; i < g; ++i) part = static_cast<V>(op_.op(part, value_of_item(some[i], from + i)));
    total.value = open ? static_cast<V>(op_.op(total.value, part)) : part;
    open = true;
  }

  /// Items from `from` on in the tile, of `left` that the lane has.
  __device__ void fold_segments(E const (&some)[g], int from, int left, int& end_at, bool& open, T& total) {
    int begin = open ? none : 0;  // where the next segment begins
#pragma unroll
    for (int i = 0; i < g; ++i) {
      V const x = value_of_item(some[i], from + i);
      total.value = begin == i ? x : static_cast<V>(op_.op(total.value, x));
      if (end_at == i + 1) {
        begin = i + 1;
        end_segment(from, left, end_at, total);
      }
    }
    open = begin != g;
  }

  __device__ void fold_some(unsigned char const* items, int from, int left, int& end_at, bool& open,
                            T& total) {
#pragma unroll 1
    for (int i = 0; i < left; ++i) {
      E one[1];
      load_from_window(items + i * shape::size, one);
      V const x = value_of_item(one[0], from + i);
      total.value = open ? static_cast<V>(op_.op(total.value, x)) : x;
      open = end_at != i + 1;
      if (!open) end_segment(from, left, end_at, total);
    }
  }

  /// The segment under way ends at `end_at`, counted from item `from` of the tile, as does its fold.
  __device__ void end_segment(int from, int left, int& end_at, T& total) {
    put_bytes(results_[segment_], total.value);
    if (!total.heads) pending_ = segment_;
    total.heads |= end_at < left;
    int next = 0;
    do next = ++segment_ < ends_count_ ? end(segment_) - from : none;
    while (next <= end_at);  // those without items
    end_at = next;
  }

  /// Gives what began in an earlier lane or tile what is before it. Returns the fold of the tile.
  __device__ T join_lanes() {
    int const share = grid_.groups * g, used = (items_ + 32 * share - 1) / (32 * share);  // warps with items
    T sum{}, of_warps{};
    sum.heads = true;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      if (w == warp_) of_warps = sum;
      if (w < used) sum = w > 0 ? op_(sum, smem_.totals[w]) : smem_.totals[0];
    }
    if (pending_ >= 0) {
      T before = before_;
      bool has = has_before_;
      if (warp_ > 0) {
        before = has ? op_(of_warps, before) : of_warps;
        has = true;
      }
      if (has_before_tile_) {
        before = has ? op_(before_tile_, before) : before_tile_;
        has = true;
      }
      if (has) put_bytes(results_[pending_], static_cast<V>(op_.op(before.value, results_[pending_])));
    }
    return sum;
  }

  /// The results of all segments but one that began before the share, which is left for the join of shares.
  __device__ void write(path_end<V>& left) const {
    for (int j = static_cast<int>(threadIdx.x); j < ends_count_; j += threads) {
      bool const has_items = end(j) > (j > 0 ? end(j - 1) : 0);
      if (j == 0 && carried_) {
        V fold = before_tile_.value;
        if (has_items) put_bytes(fold, results_[0]);
        if (begin_ >= share_base_) {
          problem_.put(first_, fold);
        } else {
          left.segment = first_;
          left.has_items = has_items || has_before_tile_;
          put_bytes(left.fold, fold);
        }
      } else if (has_items) {
        problem_.put(first_ + j, results_[j]);
      } else {
        problem_.put_empty(first_ + j);
      }
    }
  }

  /// The segments that began before the share in which they end. Shape: (lanes, records of a lane).
  __device__ void join_shares(path_records<V> const& records) {
    int const shares = static_cast<int>(grid_.shares), each = (shares + threads - 1) / threads,
              first = static_cast<int>(threadIdx.x) * each, last = min(first + each, shares);
    T sum{};
#pragma unroll 4
    for (int i = first; i < last; ++i) {
      T const next = records.totals.read(i);
      sum = i > first ? op_(sum, next) : next;
    }
    unsigned const have = warp_scan_some(sum, __ballot_sync(~0u, first < last), op_);
    if (lane_ == 31 && have != 0) put_bytes(smem_.totals[warp_], sum);
    T before = warp_shfl_up(sum, 1);
    __syncthreads();
    if (warp_ > 0 && first < last) {
      T of_warps = smem_.totals[0];
      for (int w = 1; w < warp_; ++w) of_warps = op_(of_warps, smem_.totals[w]);
      before = lane_ > 0 ? op_(of_warps, before) : of_warps;
    }
#pragma unroll 4
    for (int i = first; i < last; ++i) {
      path_end<V> const here = records.ends.read(i);
      T const next = records.totals.read(i);
      if (here.segment >= 0) {
        V fold = before.value;
        if (i == 0) put_bytes(fold, here.fold);
        else if (here.has_items) fold = static_cast<V>(op_.op(before.value, here.fold));
        problem_.put(here.segment, fold);
      }
      before = i > 0 ? op_(before, next) : next;
    }
  }

  static constexpr int none = 1 << 30;

  Problem const& problem_;
  path_grid const& grid_;
  shared& smem_;
  unsigned char* memory_;
  Op& op_;
  int lane_, warp_;
  unsigned short* ends_;  ///< behind the tile's shared memory

  std::int64_t first_ = 0, base_ = 0;  ///< segment, item
  int items_ = 0, ends_count_ = 0;
  bool carried_ = false;         ///< whether the first segment began before the tile
  std::int64_t begin_ = 0;       ///< of the first segment
  std::int64_t share_base_ = 0;  ///< the share's first item
  T before_tile_{};              ///< of the share's tiles before this one
  bool has_before_tile_ = false;
  unsigned char* here_ = nullptr;
  V* results_ = nullptr;

  T before_{};  ///< of the warp's lanes before this one
  bool has_before_ = false;
  int segment_ = 0;   ///< the first that ends behind what the lane has folded
  int pending_ = -1;  ///< the segment that began before the lane and ends in it
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
