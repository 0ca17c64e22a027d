// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_KNOWN_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_KNOWN_SEGMENTS_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/sort/block_segments.cuh>
#include <sweep/detail/sort/few_windows.cuh>
#include <sweep/detail/sort/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segment_heads.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Segments whose places and number the caller knows, where they are not short: a block each, and nothing is
// done before. Where there is one that a block has no room for, a second kernel, whose blocks run at the same
// time, sorts and merges parts of those.

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

/// What a kernel tells the one behind it: a word of tile state, which nobody clears.
struct launch_flag {
  std::uint64_t* word = nullptr;
  std::uint32_t stamp = 0;

  __device__ void raise() const { atomic_ref<std::uint64_t>(*word).store(raised(), relaxed); }
  __device__ bool is_raised() const { return atomic_ref<std::uint64_t>(*word).load(relaxed) == raised(); }

 private:
  __device__ std::uint64_t raised() const { return std::uint64_t{stamp} << 32 | 1; }
};

template <class Keys, class Values, class Source, class Key, class Value, class Order>
struct sort_known_segments_job {
  using segment = segment_of_block<Keys, Values, Key, Value, Order, 1024>;
  static constexpr bool possible = segment::possible;
  static constexpr int threads = segment::threads, blocks = segment::blocks, most_items = segment::most_items;
  static constexpr std::size_t bytes = segment::bytes;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Keys keys;
  Values values;
  Source source;
  std::int64_t n;
  launch_flag some_are_long;
  Key* keys_to;
  Value* values_to;
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ std::int64_t begin;  // takes no register while keys are sorted
    __shared__ int count;
    let_next_kernel_start();
    auto const [own, end] = find(blockIdx.x);
    if (threadIdx.x == 0) {
      begin = own;
      count = static_cast<int>(min(end - own, std::int64_t{most_items + 1}));
      if (count > most_items) some_are_long.raise();
    }
    __syncthreads();
    if (count == 0 || count > most_items) return;
    segment::sort(memory, order, keys, values, begin, count, keys_to, values_to);
  }

 private:
  /// Where a segment begins and ends, by the whole block.
  __device__ long_segment find(std::int64_t s) const {
    std::int64_t from = 0, end = n;
    if constexpr (requires { source.offsets; }) {
      from = static_cast<std::int64_t>(source.offsets[s]);
      if (s + 1 < source.count) end = static_cast<std::int64_t>(source.offsets[s + 1]);
    } else {
      from = sum_of_lengths(static_cast<int>(s));
      if (s + 1 < source.count) end = from + static_cast<std::int64_t>(source.lengths[s]);
    }
    from = max(std::int64_t{0}, min(from, n));
    return {from, max(from, min(end, n))};
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

/// Parts of long segments, if there are any, each of which lies in a window; and all passes that merge them.
template <class Keys, class Values, class Source, class Groups, class Key, class Value, class Order>
struct sort_parts_job {
  using merge_job = merge_few_windows_job<Key, Value, Order, Groups>;
  using segment = segment_of_block<Keys, Values, Key, Value, Order, merge_job::threads, 64>;
  static constexpr int threads = merge_job::threads, blocks = merge_job::blocks,
                       most_meetings = merge_job::most_meetings + 1;
  static constexpr std::size_t bytes = segment::bytes;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
  static constexpr int most_of_part = [] {
    int items = 1;
    while (2 * items <= segment::most_items) items *= 2;
    return items;
  }();
  using windows_type = own_windows<Source, Groups, 2 * most_of_part>;

  Keys keys;
  Values values;
  windows_type windows;
  launch_flag some_are_long;
  merge_job merges;

  __device__ void operator()() const {
    __shared__ typename windows_type::shared found;
    grid_barrier grid(merges.tickets, most_meetings);
    if (some_are_long.is_raised()) {
#pragma unroll 1
      for (std::int64_t w = blockIdx.x; w < windows.heads.windows; w += gridDim.x)
        sort_parts(windows.find(found, w));
      grid.meet();
      merges.merge(grid);
    }
    grid.leave();
  }

 private:
  struct part {
    std::int64_t begin;
    int count, passes;  ///< how many are to come
  };
  __device__ void sort_parts(window_items const& own) const {
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ part parts[2];
    if (threadIdx.x == 0) {
      parts[0] = {own.begin, own.over_count, own.to_over};
      parts[1] = {own.begin + own.from_first, own.count - own.from_first, own.to_from};
    }
    __syncthreads();
#pragma unroll 1
    for (auto const& one : parts) {
      if (one.count == 0) continue;
      segment::sort(memory, merges.order, keys, values, one.begin, one.count,
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

/// The jobs of a problem.
template <class Problem, class Source>
struct known_segments_jobs {
  using key = typename Problem::key;
  using value = typename riding_value<Problem>::type;
  using order = typename Problem::order_type;
  using keys = std::remove_cvref_t<decltype(Problem::keys_in)>;
  using values = std::conditional_t<riding_value<Problem>::is_index, index_itself,
                                    std::remove_cvref_t<decltype(Problem::values_in)>>;
  using groups = runs_of_segments<merge_sort_shape<key, Problem::has_values>, 0>;
  using whole = sort_known_segments_job<keys, values, Source, key, value, order>;
  using parts = sort_parts_job<keys, values, Source, groups, key, value, order>;
};

/// Sorts them, into the first of the buffers.
template <class Jobs, class Policy, class Keys, class Values, class Source, class Key, class Value,
          class Order>
void sort_by_known_segments(Policy const& policy, char const* call, Keys const& keys, Values const& values,
                            Source const& source, typename Jobs::groups groups,
                            merge_buffers<Key, Value> const& buffers, Order const& order) {
  using whole = typename Jobs::whole;
  using parts = typename Jobs::parts;
  using scratch_source = std::remove_cvref_t<decltype(policy.scratch_source())>;
  auto const sort_whole = [&](launch_flag some_are_long) {
    launch_job(
        call, policy.stream(), source.count, whole::threads,
        whole{keys, values, source, groups.heads.n, some_are_long, buffers.keys[0], buffers.values[0], order},
        whole::bytes);
  };
  if (groups.heads.windows == 1) return sort_whole({});
  auto const blocks = blocks_for_tiles<parts>(call, groups, parts::bytes);
  launch_state<scratch_source> state(policy.scratch_source(), call, policy.stream(), 1);
  launch_flag const some_are_long{state.tiles(), state.stamp()};
  sort_whole(some_are_long);
  launch_job(
      call, policy.stream(), blocks, parts::threads,
      parts{keys, values, {source, groups.heads}, some_are_long, {buffers, groups, state.tickets(), order}},
      parts::bytes, blocks_are::resident);
  state.launched(blocks * parts::most_meetings);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
