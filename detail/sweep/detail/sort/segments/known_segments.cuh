// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_KNOWN_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_KNOWN_SEGMENTS_CUH

#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/block_segments.cuh>
#include <sweep/detail/sort/segments/few_windows.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Segments whose places and number the caller knows, where they are not short: a block each, in one kernel,
// and nothing is done before. Where there is one that a block has no room for, as all blocks see at once,
// they sort and merge parts of those, and meet in between.

/// In place of a source of heads: parts of long segments lie in windows of so many items; of all, where no
/// segment is long.
template <class Source>
struct known_segments {
  Source source;
  int window;
};
template <class Source>
inline constexpr bool are_few_heads<known_segments<Source>> = true;
template <class Heads>
inline constexpr bool are_known_segments = false;
template <class Source>
inline constexpr bool are_known_segments<known_segments<Source>> = true;

/// A block each, where none can be too long for it; of others those that are not.
template <class Keys, class Values, class Source, class Key, class Value, class Order>
struct sort_whole_segments_job {
  using segment = segment_of_block<Keys, Values, Key, Value, Order, 1024>;
  static constexpr bool possible = segment::possible;
  static constexpr int threads = segment::threads, blocks = segment::blocks, most_items = segment::most_items;
  static constexpr std::size_t bytes = segment::bytes;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Keys keys;
  Values values;
  Source source;
  std::int64_t n;
  Key* keys_to;
  Value* values_to;
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    let_next_kernel_start();
    sort(blockIdx.x, memory);
  }
  /// A segment, if it is not too long.
  __device__ void sort(std::int64_t s, unsigned char* memory) const {
    __shared__ std::int64_t begin;  // takes no register while keys are sorted
    __shared__ int count;
    auto const [own, end] = find(s);
    if (threadIdx.x == 0) {
      begin = own;
      count = static_cast<int>(min(end - own, std::int64_t{most_items + 1}));
    }
    __syncthreads();
    if (count == 0 || count > most_items) return;
    segment::sort(memory, order, keys, values, begin, count, keys_to, values_to);
  }
  __device__ std::int64_t length_of(std::int64_t s) const {
    if constexpr (requires { source.offsets; }) {
      auto const [begin, end] = by_offsets(s);
      return end - begin;
    } else {
      return static_cast<std::int64_t>(source.lengths[s]);
    }
  }

 private:
  __device__ long_segment by_offsets(std::int64_t s) const {
    return inside(static_cast<std::int64_t>(source.offsets[s]),
                  s + 1 < source.count ? static_cast<std::int64_t>(source.offsets[s + 1]) : n);
  }
  __device__ long_segment inside(std::int64_t from, std::int64_t end) const {
    from = max(std::int64_t{0}, min(from, n));
    return {from, max(from, min(end, n))};
  }
  /// Where a segment begins and ends, by the whole block.
  __device__ long_segment find(std::int64_t s) const {
    if constexpr (requires { source.offsets; }) {
      return by_offsets(s);
    } else {
      auto const from = sum_of_lengths(static_cast<int>(s));
      return inside(from, s + 1 < source.count ? from + static_cast<std::int64_t>(source.lengths[s]) : n);
    }
  }
  /// Of those before one.
  __device__ std::int64_t sum_of_lengths(int s) const {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    unsigned own = 0;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < s; i += threads)
      own += static_cast<unsigned>(source.lengths[i]);
    own = __reduce_add_sync(~0u, own);
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&sum, own);
    __syncthreads();
    return sum;
  }
};

/// The same where there may be longer ones, of which blocks sort and merge parts.
template <class Keys, class Values, class Source, class Key, class Value, class Order>
struct sort_known_segments_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using whole_job = sort_whole_segments_job<Keys, Values, Source, Key, Value, Order>;
  using segment = typename whole_job::segment;
  using groups_type = runs_of_segments<merge_sort_shape<Key, has_values, 1024>, 0>;
  using merge_job = merge_few_windows_job<Key, Value, Order, groups_type>;
  static constexpr int threads = whole_job::threads, blocks = 1, most_items = whole_job::most_items,
                       most_meetings = merge_job::most_meetings + 1;
  static_assert(threads == merge_job::threads);
  static constexpr std::size_t bytes = std::max(segment::bytes, sizeof(typename merge_job::runs_job::shared));
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
  static constexpr int most_of_part = [] {
    int items = 1;
    while (2 * items <= most_items) items *= 2;
    return items;
  }();
  using windows_type = own_windows<Source, groups_type, 2 * most_of_part>;

  whole_job whole;
  windows_type windows;
  merge_job merges;

  __device__ void operator()() const {
    __shared__ typename windows_type::shared found;
    grid_barrier grid(merges.tickets, most_meetings);
    bool const some_are_long = find_long();
    if (!some_are_long) {
      grid.leave();
      if (threadIdx.x == 0) let_next_kernel_start();
    } else {  // parts come first, since they are waited for
#pragma unroll 1
      for (std::int64_t w = blockIdx.x; w < windows.heads.windows; w += gridDim.x)
        sort_parts(windows.find(found, w));
      grid.arrive();
    }
    // Blocks that have parts begin with the last segments.
    sort_whole(some_are_long ? static_cast<unsigned>(windows.heads.windows % gridDim.x) : 0);
    if (!some_are_long) return;
    grid.wait();
    merges.merge(grid, *reinterpret_cast<typename merge_job::runs_job::shared*>(memory()));
    grid.leave();
  }

 private:
  __device__ static unsigned char* memory() {
    extern __shared__ __align__(128) unsigned char bytes[];
    return bytes;
  }
  __device__ std::int64_t count() const { return whole.source.count; }
  /// Whether there is a segment that a block has no room for.
  __device__ bool find_long() const {
    bool is_long = false;
#pragma unroll 1
    for (auto s = std::int64_t{threadIdx.x}; s < count(); s += threads)
      is_long = is_long || whole.length_of(s) > most_items;
    return __syncthreads_or(is_long ? 1 : 0) != 0;
  }
  /// A segment that is too long for a block takes it no time.
  __device__ std::int64_t work_of(unsigned s) const {
    auto const length = s < count() ? whole.length_of(s) : 0;
    return length > most_items ? 0 : length;
  }
  /// How many blocks begin with less: the one with the least takes the first segment of those that are left,
  /// and so on. Blocks are not more than threads; the first some begin behind a part.
  __device__ int shorter_ones(unsigned first, unsigned with_parts) const {
    auto const behind_part = [&](unsigned s) { return s >= gridDim.x - with_parts ? most_of_part : 0; };
    auto const own = work_of(first) + behind_part(first);
    bool is_shorter = false;
    if (threadIdx.x < gridDim.x) {
      auto const other = work_of(threadIdx.x) + behind_part(threadIdx.x);
      is_shorter = other < own || (other == own && threadIdx.x < first);
    }
    return __syncthreads_count(is_shorter ? 1 : 0);
  }
  /// The block's first, and every so many-th of those behind all blocks' first.
  __device__ void sort_whole(unsigned with_parts) const {
    unsigned const first =
        blockIdx.x < with_parts ? blockIdx.x + gridDim.x - with_parts : blockIdx.x - with_parts;
    // Behind the first all blocks' others follow, so many behind it or before.
    int const shift = (count() > gridDim.x ? shorter_ones(first, with_parts) : 0) - static_cast<int>(first);
    auto s = std::int64_t{first};
#pragma unroll 1
    while (s < count()) {
      whole.sort(s, memory());
      s += static_cast<int>(gridDim.x) + (s < gridDim.x ? shift : 0);
      __syncthreads();  // what was sorted has left the memory
    }
  }

  struct part {
    std::int64_t begin;
    int count, passes;  ///< how many are to come
  };
  /// Parts of long segments that lie in a window.
  __device__ void sort_parts(window_items const& own) const {
    __shared__ part parts[2];
    if (threadIdx.x == 0) {
      parts[0] = {own.begin, own.over_count, own.to_over};
      parts[1] = {own.begin + own.from_first, own.count - own.from_first, own.to_from};
    }
    __syncthreads();
#pragma unroll 1
    for (auto const& one : parts) {
      if (one.count == 0) continue;
      segment::sort(memory(), merges.order, whole.keys, whole.values, one.begin, one.count,
                    merges.buffers.keys_at(one.passes), merges.buffers.values_at(one.passes));
      __syncthreads();
    }
    __syncthreads();  // the next window's may be found
  }
};

/// So many items are few enough for a block to have a segment each, where some may fit none. Tests lower it.
inline std::int64_t most_items_of_known_segments = std::int64_t{1} << 20;
/// The same of rows that fit a block.
inline constexpr std::int64_t most_items_of_rows = std::numeric_limits<int>::max();
/// What segments have in the mean at least, and where a multiprocessor has one at most: windows of several
/// take less time else.
inline constexpr std::int64_t least_of_known_segments = 32, least_of_few_known_segments = 16;
/// How many come to a multiprocessor at most, unless they are long and all fit a block. Tests raise it.
inline std::int64_t few_known_segments = 2;
/// The same of those of which an eighth of what a block has room for is the mean: one is seldom too long.
inline constexpr std::int64_t few_short_known_segments = 3;

/// The job of a problem.
template <class Problem, class Source>
using known_segments_job =
    sort_known_segments_job<std::remove_cvref_t<decltype(Problem::keys_in)>,
                            std::conditional_t<riding_value<Problem>::is_index, index_itself,
                                               std::remove_cvref_t<decltype(Problem::values_in)>>,
                            Source, typename Problem::key, typename riding_value<Problem>::type,
                            typename Problem::order_type>;
/// And what its passes merge, or others'.
template <class Problem, class Heads, class Shape, int Window>
struct groups_of_segments {
  using type = runs_of_segments<Shape, Window>;
};
template <class Problem, class Source, class Shape, int Window>
struct groups_of_segments<Problem, known_segments<Source>, Shape, Window> {
  using type = typename known_segments_job<Problem, Source>::groups_type;
};

/// Sorts them, into the first of the buffers.
template <class Job, class Policy, class Keys, class Values, class Source, class Key, class Value,
          class Order>
void sort_by_known_segments(Policy const& policy, char const* call, Keys const& keys, Values const& values,
                            Source const& source, typename Job::groups_type groups,
                            merge_buffers<Key, Value> const& buffers, Order const& order) {
  using scratch_source = std::remove_cvref_t<decltype(policy.scratch_source())>;
  using whole_job = typename Job::whole_job;
  whole_job const whole{keys, values, source, groups.heads.n, buffers.keys[0], buffers.values[0], order};
  if (groups.heads.windows == 1)
    return launch_job(call, policy.stream(), source.count, whole_job::threads, whole, whole_job::bytes);
  auto const blocks = std::max(
      blocks_for_tiles<Job>(call, groups, Job::bytes),
      std::min(source.count,
               multiprocessors(call) * std::int64_t{resident_blocks<Job>(call, Job::threads, Job::bytes)}));
  launch_state<scratch_source> state(policy.scratch_source(), call, policy.stream(), 0);
  launch_job(call, policy.stream(), blocks, Job::threads,
             Job{whole, {source, groups.heads}, {buffers, groups, state.tickets(), order}}, Job::bytes,
             blocks_are::resident);
  state.launched(blocks * Job::most_meetings);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
