// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_KNOWN_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_KNOWN_SEGMENTS_CUH

#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/sort/block_segments.cuh>
#include <sweep/detail/sort/few_windows.cuh>
#include <sweep/detail/sort/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segment_heads.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

template <class Keys, class Values, class Source, class Key, class Value, class Order>
struct sort_known_segments_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using segment = segment_of_block<Keys, Values, Key, Value, Order, 1024>;
  using groups_type = runs_of_segments<merge_sort_shape<Key, has_values, true>, 0>;
  using merge_job = merge_few_windows_job<Key, Value, Order, groups_type>;
  static constexpr bool possible = segment::possible;
  static constexpr int threads = segment::threads, blocks = 1, most_items = segment::most_items,
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

  Keys keys;
  Values values;
  windows_type windows;
  bool alone;  ///< whether no segment can be too long for a block
  merge_job merges;

  __device__ void operator()() const {
    if (alone) {
      let_next_kernel_start();
      return sort_own(0);
    }
    grid_barrier grid(merges.tickets, most_meetings);
    bool const some_are_long = find_long();
    if (!some_are_long) {
      grid.leave();
      if (threadIdx.x == 0) let_next_kernel_start();
    }
    sort_own(count() > gridDim.x ? shorter_ones() : 0);
    if (!some_are_long) return;
    __shared__ typename windows_type::shared found;
    __syncthreads();  // what was sorted before has left the memory
#pragma unroll 1
    for (std::int64_t w = blockIdx.x; w < windows.heads.windows; w += gridDim.x)
      sort_parts(windows.find(found, w));
    grid.meet();
    merges.merge(grid, *reinterpret_cast<typename merge_job::runs_job::shared*>(memory()));
    grid.leave();
  }

 private:
  __device__ static unsigned char* memory() {
    extern __shared__ __align__(128) unsigned char bytes[];
    return bytes;
  }
  __device__ std::int64_t count() const { return windows.source.count; }
  __device__ std::int64_t length_of(std::int64_t s) const {
    if constexpr (requires { windows.source.offsets; }) {
      auto const [begin, end] = by_offsets(s);
      return end - begin;
    } else {
      return static_cast<std::int64_t>(windows.source.lengths[s]);
    }
  }
  /// Whether there is a segment that a block has no room for.
  __device__ bool find_long() const {
    bool is_long = false;
#pragma unroll 1
    for (auto s = std::int64_t{threadIdx.x}; s < count(); s += threads)
      is_long = is_long || length_of(s) > most_items;
    return __syncthreads_or(is_long ? 1 : 0) != 0;
  }
  /// How many blocks begin with a shorter segment: the one with the shortest takes the first of those that
  /// are left, and so on. Blocks are not more than threads.
  __device__ int shorter_ones() const {
    auto const own = length_of(blockIdx.x);
    bool is_shorter = false;
    if (threadIdx.x < gridDim.x) {
      auto const other = length_of(threadIdx.x);
      is_shorter = other < own || (other == own && threadIdx.x < blockIdx.x);
    }
    return __syncthreads_count(is_shorter ? 1 : 0);
  }
  /// The block's first, and of those behind all blocks' first every so many-th from `next` on.
  __device__ void sort_own(int next) const {
    __shared__ std::int64_t begin;  // takes no register while keys are sorted
    __shared__ int some;
    auto s = std::int64_t{blockIdx.x};
    if (s >= count()) return;
#pragma unroll 1
    while (true) {
      auto const [own, end] = find(s);
      if (threadIdx.x == 0) {
        begin = own;
        some = static_cast<int>(min(end - own, std::int64_t{most_items + 1}));
      }
      __syncthreads();
      if (some > 0 && some <= most_items)
        segment::sort(memory(), merges.order, keys, values, begin, some, merges.buffers.keys[0],
                      merges.buffers.values[0]);
      s += gridDim.x + (s < gridDim.x ? next - static_cast<std::int64_t>(blockIdx.x) : 0);
      if (s >= count()) return;
      __syncthreads();  // what was sorted before has left the memory
    }
  }
  /// Where a segment begins and ends.
  __device__ long_segment by_offsets(std::int64_t s) const {
    auto const& source = windows.source;
    return inside(static_cast<std::int64_t>(source.offsets[s]),
                  s + 1 < count() ? static_cast<std::int64_t>(source.offsets[s + 1]) : windows.heads.n);
  }
  __device__ long_segment inside(std::int64_t from, std::int64_t end) const {
    auto const n = windows.heads.n;
    from = max(std::int64_t{0}, min(from, n));
    return {from, max(from, min(end, n))};
  }
  /// The same by the whole block.
  __device__ long_segment find(std::int64_t s) const {
    if constexpr (requires { windows.source.offsets; }) {
      return by_offsets(s);
    } else {
      auto const from = sum_of_lengths(static_cast<int>(s));
      return inside(from, s + 1 < count() ? from + static_cast<std::int64_t>(windows.source.lengths[s])
                                          : windows.heads.n);
    }
  }
  /// Of those before one.
  __device__ std::int64_t sum_of_lengths(int s) const {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    unsigned own = 0;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < s; i += threads)
      own += static_cast<unsigned>(windows.source.lengths[i]);
    own = __reduce_add_sync(~0u, own);
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&sum, own);
    __syncthreads();
    return sum;
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
      segment::sort(memory(), merges.order, keys, values, one.begin, one.count,
                    merges.buffers.keys_at(one.passes), merges.buffers.values_at(one.passes));
      __syncthreads();
    }
    __syncthreads();  // the next window's may be found
  }
};

/// So many items are few enough for a block to have a segment each. Tests lower it.
inline std::int64_t most_items_of_known_segments = std::int64_t{1} << 20;
/// What segments have in the mean at least: windows of several take less time else.
inline constexpr std::int64_t least_of_known_segments = 32;
/// How many come to a multiprocessor at most. Tests raise it.
inline std::int64_t few_known_segments = 2;

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
  if (groups.heads.windows == 1)
    return launch_job(call, policy.stream(), source.count, Job::threads,
                      Job{keys, values, {source, groups.heads}, true, {buffers, groups, {}, order}},
                      Job::bytes);
  auto const blocks = std::max(
      blocks_for_tiles<Job>(call, groups, Job::bytes),
      std::min(source.count,
               multiprocessors(call) * std::int64_t{resident_blocks<Job>(call, Job::threads, Job::bytes)}));
  launch_state<scratch_source> state(policy.scratch_source(), call, policy.stream(), 0);
  launch_job(call, policy.stream(), blocks, Job::threads,
             Job{keys, values, {source, groups.heads}, false, {buffers, groups, state.tickets(), order}},
             Job::bytes, blocks_are::resident);
  state.launched(blocks * Job::most_meetings);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
