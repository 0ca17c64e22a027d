// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_GROUPS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_GROUPS_CUH

#include <sweep/detail/block/shared_window.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/segmented_reduce/problem.hpp>
#include <sweep/detail/segmented_reduce/tile/group_grid.cuh>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether segments are told by lengths, of which a block makes offsets itself.
template <class Offsets>
inline constexpr bool may_sum_lengths = requires(Offsets const& x) {
  x.lengths;
};

/// A thread block that folds each of its segments by a group of neighbouring lanes, straight from where it
/// begins and ends. A warp loads the items of all its segments, or of as many as fit its window, side by
/// side; each group folds its segment from there. Segments that are longer than a window are all of the
/// block's, whose warps take their windows in turn. Those of at least two cells of items are cut where cells
/// begin, which are blocks of their own: nobody waits for another block, and the last cell to be done folds
/// what cells have of each.
template <class Problem>
class segment_groups {
  using V = typename Problem::value;
  using T = flagged<V>;
  using Op = segmented_op<decltype(Problem::op)>;
  using Raw = typename Problem::raw;
  using Source = source_of_t<decltype(Problem::in)>;

 public:
  using shape = group_shape<Source, V>;

 private:
  static constexpr int g = shape::group, most_threads = shape::threads, most_warps = most_threads / 32,
                       window_items = shape::window_items,
                       most_sums = std::min(256, std::max(1, 2048 / static_cast<int>(sizeof(V))));
  struct part {
    std::int64_t segment, begin, end;
  };
  struct no_window {};
  static constexpr auto window_type() {
    if constexpr (shape::in_streams)
      return std::type_identity<staged_row<Source, shape::unit, shape::lane_groups>>{};
    else return std::type_identity<no_window>{};
  }
  using row = typename decltype(window_type())::type;
  static constexpr auto memory_type() {
    if constexpr (shape::in_streams) return std::type_identity<typename row::shared>{};
    else if constexpr (shape::in_values) return std::type_identity<uninitialized<V, window_items>>{};
    else return std::type_identity<no_window>{};
  }

 public:
  /// Of each warp: where its items stand.
  using window = typename decltype(memory_type())::type;
  struct shared {
    uninitialized<T, most_warps> totals;
    part listed[most_threads];
    int first_window[most_threads + 1];  ///< of each that is listed
    uninitialized<V, most_sums> sums_of_windows;
    uninitialized<V, 2> carries;  ///< of a segment whose windows do not fit there
    std::int64_t sums_before[most_warps], sums[most_warps];
    part found[2];
    int listed_count;
    bool last;
  };

  __device__ segment_groups(Problem const& problem, group_grid const& grid, shared& smem, window* windows,
                            Op& op)
      : problem_{problem},
        grid_{grid},
        smem_{smem},
        op_{op},
        source_{source_of(problem.in)},
        threads_{static_cast<int>(blockDim.x)},
        warps_{threads_ / 32},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)},
        window_{windows[warp_]} {}

  __device__ void operator()(std::int64_t block, cell_records<V> const& records) {
    // Cells have the longest segments, and their join is long: they come first.
    bool const has_cell = block < grid_.cells;
    int const group = static_cast<int>(threadIdx.x) / grid_.width, groups = threads_ / grid_.width;
    auto const cell = block;
    auto first = (block - grid_.cells) * grid_.rounds * groups;
    auto const from = has_cell ? cell * grid_.cell_items : 0,
               to = has_cell ? min(from + grid_.cell_items, grid_.n) : grid_.n;
    cell_end<V> left{};
    left.segment = -1;
    T total{};
    total.heads = true;
    part mine{};
    if (!has_cell) mine = segment_at(first, group);
#pragma unroll 1
    for (int round = has_cell ? grid_.rounds : 1; round <= grid_.rounds; ++round) {
      part next{};
      first += groups;
      if (round < grid_.rounds) next = segment_at(first, group);  // on its way meanwhile
      if (has_cell ? list_cut_ones(from, to - 1) : fold_short_ones(mine))
        fold_listed_ones(from, to, has_cell ? 1 : warps_, [&](part const& one, V const& fold) {
          if (!has_cell) {
            problem_.put(one.segment, fold);
          } else if (one.end <= to) {
            left.segment = one.segment;
            put_bytes(left.fold, fold);
          } else {
            put_bytes(total.value, fold);
            total.heads = one.begin >= from;
          }
        });
      mine = next;
    }
    if (!has_cell) return;
    if (threadIdx.x == 0) {
      records.totals.publish(cell, total);
      records.ends.publish(cell, left);
      smem_.last = records.arrivals.arrive() + 1 == grid_.cells;
    }
    __syncthreads();
    if (smem_.last) join_cells(records);
  }

 private:
  /// The groups' segments; those that are too long are listed. Returns whether there are any.
  __device__ bool fold_short_ones(part const& mine) {
    bool const first_lane = threadIdx.x % grid_.width == 0, empty = mine.end <= mine.begin;
    if (mine.segment < grid_.count && empty && first_lane) problem_.put_empty(mine.segment);
    auto const items = mine.end - mine.begin;
    bool const cut = grid_.cells > 0 && items >= 2 * grid_.cell_items,
               fits = grid_.width <= 32 && items <= window_items - shape::unit,
               is_long = first_lane && !empty && !fits && !cut;
    if (grid_.width <= 32) fold_by_groups(mine, !empty && fits);
    if (threadIdx.x == 0) smem_.listed_count = 0;
    if (!__syncthreads_or(is_long)) return false;
    if (is_long) smem_.listed[atomicAdd(&smem_.listed_count, 1)] = mine;
    __syncthreads();
    return true;
  }

  /// Segments that are cut and that these items are in. Returns whether there are any.
  __device__ bool list_cut_ones(std::int64_t first, std::int64_t last) {
    find(first, last);
    __syncthreads();
    int count = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      part const one = smem_.found[k];
      bool const seen = k == 1 && one.segment == smem_.found[0].segment;
      if (seen || one.end - one.begin < 2 * grid_.cell_items) continue;
      if (threadIdx.x == 0) smem_.listed[count] = one;
      ++count;
    }
    if (threadIdx.x == 0) smem_.listed_count = count;
    __syncthreads();
    return count > 0;
  }

  // Where segments lie.

  __device__ std::int64_t within(std::int64_t at) const { return min(max(at, std::int64_t{0}), grid_.n); }
  /// The group's segment, of the block's from `first` on.
  __device__ part segment_at(std::int64_t first, int group) {
    part mine{first + group, 0, 0};
    bool const exists = mine.segment < grid_.count;
    if constexpr (may_sum_lengths<decltype(Problem::offsets)>)
      if (!problem_.offsets.offsets) {
        sum_lengths(mine, exists, first);
        return mine;
      }
    look_up(mine, exists);
    return mine;
  }
  __device__ void look_up(part& mine, bool exists) const {
    if (!exists) return;
    mine.begin = within(static_cast<std::int64_t>(problem_.offsets[mine.segment]));
    mine.end = within(static_cast<std::int64_t>(problem_.offsets[mine.segment + 1]));
  }

  static __device__ std::int64_t less(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
  /// Offsets of the block's segments, of which the first is `first`.
  __device__ void sum_lengths(part& mine, bool exists, std::int64_t first) {
    wrapping_plus add{};
    auto const& lengths = problem_.offsets.lengths;
    std::int64_t before = 0;
    constexpr int batch = 8;
    for (auto s = static_cast<std::int64_t>(threadIdx.x); s < first; s += batch * threads_) {
      std::int64_t some[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b)
        some[b] = static_cast<std::int64_t>(lengths[min(s + b * threads_, first - 1)]);
#pragma unroll
      for (int b = 0; b < batch; ++b) before = add(before, s + b * threads_ < first ? some[b] : 0);
    }
    auto const length = exists ? static_cast<std::int64_t>(lengths[mine.segment]) : 0;
    bool const counts = exists && threadIdx.x % grid_.width == 0;
    auto const ends = warp_scan(counts ? length : std::int64_t{0}, add);
    before = warp_scan(before, add);
    if (lane_ == 31) {
      smem_.sums_before[warp_] = before;
      smem_.sums[warp_] = ends;
    }
    __syncthreads();
    std::int64_t begin = 0;
    for (int w = 0; w < warps_; ++w) {
      begin = add(begin, smem_.sums_before[w]);
      if (w < warp_ && grid_.width <= 32) begin = add(begin, smem_.sums[w]);
    }
    if (grid_.width <= 32) begin = add(begin, less(warp_shfl(ends, lane_ & ~(grid_.width - 1)), length));
    if (exists) {
      mine.begin = within(begin);
      mine.end = within(add(begin, length));
    }
  }

  /// The segments that two items are in.
  __device__ void find(std::int64_t first, std::int64_t last) {
    if constexpr (may_sum_lengths<decltype(Problem::offsets)>)
      if (!problem_.offsets.offsets) return find_by_lengths(first, last);
    for (int k = warp_; k < 2; k += warps_) {
      auto const at = k == 0 ? first : last;
      auto const ends_behind = [&](std::int64_t s) {
        return static_cast<std::int64_t>(problem_.offsets[s + 1]) > at;
      };
      part found{warp_find_first(0, grid_.count, ends_behind), 0, 0};
      if (lane_ != 0) continue;
      look_up(found, found.segment < grid_.count);
      if (at < found.begin || at >= found.end) found.end = found.begin;
      smem_.found[k] = found;
    }
  }

  /// The same where each thread adds up neighbouring lengths.
  __device__ void find_by_lengths(std::int64_t first, std::int64_t last) {
    wrapping_plus add{};
    auto const& lengths = problem_.offsets.lengths;
    auto const each = (grid_.count + threads_ - 1) / threads_, from = min(threadIdx.x * each, grid_.count),
               to = min(from + each, grid_.count);
    std::int64_t sum = 0;
    for (auto s = from; s < to; ++s) sum = add(sum, static_cast<std::int64_t>(lengths[s]));
    auto const with = warp_scan(sum, add);
    if (lane_ == 31) smem_.sums[warp_] = with;
    if (threadIdx.x < 2) smem_.found[threadIdx.x] = {-1 - static_cast<std::int64_t>(threadIdx.x), 0, 0};
    __syncthreads();
    auto begin = less(with, sum);
    for (int w = 0; w < warp_; ++w) begin = add(begin, smem_.sums[w]);
    if (first >= add(begin, sum) || last < begin) return;
    for (auto s = from; s < to; ++s) {
      auto const end = add(begin, static_cast<std::int64_t>(lengths[s]));
      part const one{s, within(begin), within(end)};
      if (begin <= first && first < end) smem_.found[0] = one;
      if (begin <= last && last < end) smem_.found[1] = one;
      begin = end;
    }
  }

  // Windows of a warp.

  /// Brings items [base, base + count).
  __device__ void load(std::int64_t base, int count) {
    if constexpr (shape::in_streams) {
      row_of(count).fill(base);
      await_async_copies();
      __syncwarp();
    } else if constexpr (shape::in_values) {
      constexpr int batch = shape::size <= 4 ? 8 : shape::size <= 16 ? 4 : 2;
      auto& values = window_;
      int i = lane_;
#pragma unroll 1
      for (; i - lane_ + batch * 32 <= count;
           i += batch * 32) {  // without branches: no load waits for another
        V some[batch];
#pragma unroll
        for (int b = 0; b < batch; ++b)
          put_bytes(some[b], static_cast<V>(problem_.unary(problem_.in[base + i + b * 32])));
#pragma unroll
        for (int b = 0; b < batch; ++b) put_bytes(values[i + b * 32], some[b]);
      }
#pragma unroll 1
      for (; i < count; i += 32) put_bytes(values[i], static_cast<V>(problem_.unary(problem_.in[base + i])));
      __syncwarp();
    }
  }
  __device__ auto row_of(int count) {
    return row(source_, grid_.n, (count + 32 * shape::unit - 1) / (32 * shape::unit), window_);
  }

  /// Items [from, to) of a window of `count` that begins with item `base`; there is one.
  __device__ V fold_items(std::int64_t base, int count, int from, int to) {
    if constexpr (shape::in_streams) {
      auto const window = row_of(count);
      return fold_run(
          from, to,
          [&](int at, V(&some)[g]) {
            stream_items<Source, g> items;
            if constexpr (shape::reads_anywhere) load_from_window(window.place_of(at), items.items);
            else window.load(at / g, items);
#pragma unroll
            for (int v = 0; v < g; ++v)
              put_bytes(some[v], of(source_.item(base + at + v, [&](auto k) -> decltype(auto) {
                          return items.template at<decltype(k)::value>(v);
                        })));
          },
          [&](int at) {
            stream_items<Source, 1> items;
            window.load_one(at, items);
            return of(source_.item(base + at, [&](auto k) -> decltype(auto) {
              return items.template at<decltype(k)::value>(0);
            }));
          });
    } else {
      auto const one = [&](int at) -> V {
        if constexpr (shape::in_values) return window_[at];
        else return static_cast<V>(problem_.unary(problem_.in[base + at]));
      };
      return fold_run(
          from, to,
          [&](int at, V(&some)[g]) {
#pragma unroll
            for (int v = 0; v < g; ++v) put_bytes(some[v], one(at + v));
          },
          one);
    }
  }
  template <class X>
  __device__ V of(X const& x) const {
    return static_cast<V>(problem_.unary(static_cast<Raw>(x)));
  }
  /// Whole groups by load(at, some), others by load_one(at).
  template <class Load, class LoadOne>
  __device__ V fold_run(int from, int to, Load load, LoadOne load_one) {
    V sum = load_one(from);
    ++from;
#pragma unroll 1
    for (; !shape::reads_anywhere && from < to && from % g != 0; ++from)
      sum = static_cast<V>(op_.op(sum, load_one(from)));
#pragma unroll 1
    for (; from + g <= to; from += g) {
      V some[g];
      load(from, some);
      V part = some[0];  // short chains, so that groups overlap
#pragma unroll
      for (int v = 1; v < g; ++v) part = static_cast<V>(op_.op(part, some[v]));
      sum = static_cast<V>(op_.op(sum, part));
    }
#pragma unroll 1
    for (; from < to; ++from) sum = static_cast<V>(op_.op(sum, load_one(from)));
    return sum;
  }

  /// All of a window, of which each lane has as many neighbours; for lane 0.
  __device__ V fold_whole(std::int64_t base) {
    constexpr int run = window_items / 32, groups = run / g;
    V sum{};
    if constexpr (shape::in_streams) {
      auto const window = row_of(window_items);
      auto const at_once = [&](auto const& aligned) {
#pragma unroll(g >= 8 ? 2 : 4)
        for (int k = 0; k < groups; ++k) {
          int const at = lane_ * run + k * g;
          stream_items<Source, g> items;
          if constexpr (shape::reads_anywhere) load_from_window(window.place_of(at), items.items);
          else window.template load<std::remove_cvref_t<decltype(aligned)>::value>(at / g, items);
          auto const item = [&](int v) {
            return of(source_.item(base + at + v, [&](auto stream) -> decltype(auto) {
              return items.template at<decltype(stream)::value>(v);
            }));
          };
          V part = item(0);
#pragma unroll
          for (int v = 1; v < g; ++v) part = static_cast<V>(op_.op(part, item(v)));
          sum = k > 0 ? static_cast<V>(op_.op(sum, part)) : part;
        }
      };
      if (!shape::reads_anywhere && window.aligned()) at_once(std::true_type{});
      else at_once(std::false_type{});
#pragma unroll
      for (int v = groups * g; v < run; ++v) {
        int const at = lane_ * run + v;
        stream_items<Source, 1> items;
        window.load_one(at, items);
        sum = static_cast<V>(op_.op(sum, of(source_.item(base + at, [&](auto stream) -> decltype(auto) {
                                      return items.template at<decltype(stream)::value>(0);
                                    }))));
      }
    } else {
      auto const one = [&](int at) -> V {
        if constexpr (shape::in_values) return window_[at];
        else return static_cast<V>(problem_.unary(problem_.in[base + at]));
      };
      sum = one(lane_ * run);
#pragma unroll(shape::size <= 16 ? 8 : 2)
      for (int v = 1; v < run; ++v) sum = static_cast<V>(op_.op(sum, one(lane_ * run + v)));
    }
    return warp_reduce_right(sum, 32, op_.op);
  }

  /// The same by as many neighbouring lanes, each with a run of `each` places from a multiple of it on; for
  /// the first lane that has some. All lanes of the warp call it.
  __device__ V fold_by_lanes(std::int64_t base, int count, int first, int last, int width) {
    int const sub = lane_ & (width - 1);
    V sum{};
    if (first < last) sum = fold_items(base, count, first, last);
    bool has = first < last;
    if (__all_sync(~0u, has) && width == 32) return warp_reduce_right(sum, 32, op_.op);
#pragma unroll 1
    for (int by = 1; by < width; by *= 2) {
      V const right = warp_shfl_down(sum, by);
      bool const right_has = __shfl_down_sync(~0u, has, by) && sub + by < width && (sub & (2 * by - 1)) == 0;
      if (right_has) sum = has ? static_cast<V>(op_.op(sum, right)) : right;
      has = has || right_has;
    }
    return sum;
  }

  /// Segments that groups have, in as few windows as hold them.
  __device__ void fold_by_groups(part const& mine, bool has) {
    unsigned todo = __ballot_sync(~0u, has);
    int const width = grid_.width, log = 31 - __clz(width), sub = lane_ & (width - 1);
    while (todo != 0) {
      auto const base = warp_shfl(mine.begin, __ffs(static_cast<int>(todo)) - 1) / shape::unit * shape::unit;
      bool const fits = (todo >> lane_ & 1u) != 0 && mine.begin >= base && mine.end - base <= window_items;
      unsigned const taken = __ballot_sync(~0u, fits);
      int const from = fits ? static_cast<int>(mine.begin - base) : 0,
                to = fits ? static_cast<int>(mine.end - base) : 0, each = (to - from + width - 1) >> log,
                first = min(from + sub * each, to), last = min(first + each, to);
      int const count = __reduce_max_sync(~0u, to);
      load(base, count);
      V const fold = fold_by_lanes(base, count, first, last, width);
      if (fits && sub == 0) problem_.put(mine.segment, fold);
      __syncwarp();
      todo &= ~taken;
    }
  }

  // Listed segments: their windows, one segment's behind the other's, are folded by the block's warps in
  // turn, side by side, so that a block reads one place of memory; what they make of a segment when all are
  // there.

  /// A segment's part in [from, to).
  static __device__ part within_range(part one, std::int64_t from, std::int64_t to) {
    one.begin = max(one.begin, from);
    one.end = min(one.end, to);
    return one;
  }
  static __device__ int windows_of(part const& one) {
    auto const items = one.end - one.begin / shape::unit * shape::unit;
    return static_cast<int>((items + window_items - 1) / window_items);
  }
  /// A segment's nth window; for lane 0.
  __device__ V fold_window(part const& one, int nth) {
    auto const base = one.begin / shape::unit * shape::unit + std::int64_t{nth} * window_items;
    int const count = static_cast<int>(min(one.end - base, std::int64_t{window_items})),
              skip = static_cast<int>(max(one.begin - base, std::int64_t{0})),
              each = (count + 32 * g - 1) / (32 * g) * g, first = max(min(lane_ * each, count), skip),
              last = min((lane_ + 1) * each, count);
    load(base, count);
    V const fold =
        count == window_items && skip == 0 ? fold_whole(base) : fold_by_lanes(base, count, first, last, 32);
    __syncwarp();
    return fold;
  }
  __device__ void count_windows(int count, std::int64_t from, std::int64_t to) {
    detail::plus add;
    int before = 0;
    for (int first = 0; first < count; first += 32) {
      int const k = first + lane_, mine = k < count ? windows_of(within_range(smem_.listed[k], from, to)) : 0,
                with = warp_scan(mine, add);
      if (k < count) smem_.first_window[k] = before + with - mine;
      before += __shfl_sync(~0u, with, 31);
    }
    if (lane_ == 0) smem_.first_window[count] = before;
  }

  /// What [from, to) has of the segments that are listed: f(segment, fold) by the first lanes of so many
  /// warps.
  template <class F>
  __device__ void fold_listed_ones(std::int64_t from, std::int64_t to, int joining_warps, F f) {
    int const count = smem_.listed_count;
    auto const* const first_window = smem_.first_window;
    if (warp_ == 0) count_windows(count, from, to);
    __syncthreads();
    int const all = first_window[count];
    int here = 0, joined = 0;  // the segments of the next window, and of the next sum
#pragma unroll 1
    for (int begin = 0, nth = 0; begin < all; begin += most_sums, ++nth) {
      int const end = min(begin + most_sums, all);
#pragma unroll 1
      for (int w = begin + warp_; w < end; w += warps_) {
        while (w >= first_window[here + 1]) ++here;
        V const fold = fold_window(within_range(smem_.listed[here], from, to), w - first_window[here]);
        if (lane_ == 0) put_bytes(smem_.sums_of_windows[w - begin], fold);
      }
      __syncthreads();
      while (first_window[joined + 1] <= begin) ++joined;
#pragma unroll 1
      for (int k = joined + warp_; warp_ < joining_warps && k < count && first_window[k] < end;
           k += joining_warps) {
        int const low = max(first_window[k], begin), high = min(first_window[k + 1], end);
        V fold = fold_sums(low - begin, high - begin);
        if (lane_ != 0) continue;
        if (low > first_window[k]) fold = static_cast<V>(op_.op(smem_.carries[nth % 2], fold));
        if (high < first_window[k + 1]) put_bytes(smem_.carries[1 - nth % 2], fold);
        else f(smem_.listed[k], fold);
      }
      __syncthreads();
    }
  }
  /// Those of neighbouring windows; for lane 0.
  __device__ V fold_sums(int first, int last) {
    int const each = (last - first + 31) / 32, from = min(first + lane_ * each, last),
              to = min(from + each, last);
    V sum{};
    for (int i = from; i < to; ++i)
      sum = i > from ? static_cast<V>(op_.op(sum, smem_.sums_of_windows[i])) : smem_.sums_of_windows[i];
    return warp_reduce_briefly(sum, (last - first + each - 1) / max(each, 1), op_.op);
  }

  /// Segments that are cut. Shape: (lanes, records of a lane).
  __device__ void join_cells(cell_records<V> const& records) {
    int const cells = static_cast<int>(grid_.cells), each = (cells + threads_ - 1) / threads_,
              first = static_cast<int>(threadIdx.x) * each, last = min(first + each, cells);
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
      cell_end<V> const here = records.ends.read(i);
      T const next = records.totals.read(i);
      if (here.segment >= 0) problem_.put(here.segment, static_cast<V>(op_.op(before.value, here.fold)));
      before = i > 0 ? op_(before, next) : next;
    }
  }

  Problem const& problem_;
  group_grid const& grid_;
  shared& smem_;
  Op& op_;
  Source source_;
  int threads_, warps_, lane_, warp_;
  window& window_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
