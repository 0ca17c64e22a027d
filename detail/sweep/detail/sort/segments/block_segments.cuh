// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_BLOCK_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_BLOCK_SEGMENTS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sort/comparison/run_groups.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/block_radix.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>
#include <sweep/detail/sort/tile/block_bins.cuh>
#include <sweep/detail/sort/tile/block_radix_sort.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A block that sorts a segment alone, as it would sort a range.
template <class Keys, class Values, class Key, class Value, class Order, int Threads,
          int LeastBytesOfThread = 0>
struct segment_of_block {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using values_in = std::conditional_t<has_values, Value const*, no_values>;
  using values_out = std::conditional_t<has_values, Value*, no_values>;
  using range = sort_problem<Key const*, values_in, Key*, values_out, Order>;
  using block_job =
      radix_block_job<range, Threads, std::max(bytes_of_looping_radix_thread<range>, LeastBytesOfThread)>;
  static constexpr bool possible = block_job::possible;
  static constexpr int threads = block_job::threads, blocks = block_job::blocks, rows = block_job::R,
                       most_items = block_job::most_items;
  using sorter = block_radix_sort<Key, Value, Order, one_range_of_many, threads, rows, has_values>;

  /// Whether values come into shared memory while keys are sorted. They are read by index else.
  static constexpr std::size_t values_at = (block_job::bytes + 15) / 16 * 16,
                               bytes_with_values = values_at + most_items * sizeof(Value);
  static constexpr bool values_come_ahead = [] {
    if constexpr (std::is_same_v<Values, Value*> || std::is_same_v<Values, Value const*>)
      return (sizeof(Value) == 4 || sizeof(Value) == 8) && alignof(Value) == sizeof(Value) &&
             bytes_with_values <= shared_bytes_of(80);
    else return false;
  }();
  static constexpr std::size_t bytes = values_come_ahead ? bytes_with_values : block_job::bytes;

  /// `memory` is shared and has `bytes`; between two segments of a block is a barrier.
  static __device__ void sort(unsigned char* memory, Order const& order, Keys const& keys,
                              Values const& values, std::int64_t begin, int count, Key* keys_to,
                              Value* values_to) {
    auto& smem = *reinterpret_cast<typename sorter::shared*>(memory);
    [[maybe_unused]] auto* const ahead = reinterpret_cast<Value*>(memory + values_at);
    auto const digits = radix_digits::of_bits(order.begin, order.end);
    {
      sorter const sort(smem, order, digits, one_range_of_many{}, count);
      Key mine[rows];
      sort.for_each_item([&](int r, int i) { put_bytes(mine[r], static_cast<Key>(keys[begin + i])); },
                         [&](int r) { put_bytes(mine[r], Key{}); });
      if constexpr (values_come_ahead)
        for (int i = static_cast<int>(threadIdx.x); i < count; i += threads)
          copy_async<sizeof(Value)>(ahead + i, values + (begin + i));
      sort(mine);
    }
    sorter const sorted(smem, order, digits, one_range_of_many{}, count);
    auto* const to = keys_to + begin;
    if constexpr (values_come_ahead) {
      await_async_copies();
      __syncthreads();
    }
    sorted.for_each_item([&](int, int i) { put_bytes(to[i], smem.keys()[i]); });
    if constexpr (values_come_ahead)
      sorted.for_each_item([&](int, int i) { put_bytes(values_to[begin + i], ahead[smem.numbers[i]]); });
    else if constexpr (has_values)
      sorted.move_values([&](int i) { return static_cast<Value>(values[begin + i]); },
                         [&](int i, Value const& x) { put_bytes(values_to[begin + i], x); });
  }
};

/// Segments that are longer than a window, and that a block has room for: each block takes the next one until
/// there is none.
template <class Keys, class Values, class Key, class Value, class Order>
struct sort_block_segments_job {
  using segment = segment_of_block<Keys, Values, Key, Value, Order, 1024>;
  static constexpr bool possible = segment::possible;
  static constexpr int threads = segment::threads, blocks = segment::blocks, most_items = segment::most_items;
  static constexpr bool waits_itself = true;
  static constexpr std::size_t bytes = segment::bytes;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Keys keys;
  Values values;
  segment_list list;
  Key* keys_to;
  Value* values_to;
  Order order;
  kernel_in_row place;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ unsigned taken;
    runs_in_row const turn(place);
    unsigned const count = list.counts[0];
    while (true) {
      __syncthreads();  // what was sorted before has left the memory
      if (threadIdx.x == 0) taken = atomicAdd(list.counts + 1, 1u);
      __syncthreads();
      if (taken >= count) return;
      auto const& next = list.items[taken];
      segment::sort(memory, order, keys, values, next.begin, static_cast<int>(next.end - next.begin), keys_to,
                    values_to);
    }
  }
};

/// The same, and segments that no block has room for: a block sorts what of one of these lies in a window, as
/// many items as it has room for or nearly, and passes merge that. Those that fit a block are in the list.
template <class Keys, class Values, class Key, class Value, class Order>
struct sort_segment_parts_job {
  using whole_job = sort_block_segments_job<Keys, Values, Key, Value, Order>;
  using segment = typename whole_job::segment;
  static constexpr bool possible = whole_job::possible;
  static constexpr int threads = whole_job::threads, blocks = whole_job::blocks,
                       window = power_of_two_for(whole_job::most_items / 2 + 1);
  static constexpr std::size_t bytes = whole_job::bytes;
  /// What passes merge.
  using groups = runs_of_segments<merge_sort_shape<Key, !std::is_same_v<Value, absent_value>>, window>;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Keys keys;
  Values values;
  segment_list list;
  merge_buffers<Key, Value> buffers;
  window_heads heads;
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ part parts[2];
    __shared__ unsigned taken;
    while (true) {
      __syncthreads();  // what was sorted before has left the memory
      if (threadIdx.x == 0) {
        taken = atomicAdd(list.counts + 1, 1u);
        find(taken, parts);
      }
      __syncthreads();
      if (taken >= heads.windows + list.counts[0]) return;
#pragma unroll 1
      for (auto const& one : parts) {
        if (one.count == 0) continue;
        segment::sort(memory, order, keys, values, one.begin, one.count, buffers.keys_at(one.passes),
                      buffers.values_at(one.passes));
        __syncthreads();
      }
    }
  }

 private:
  struct part {
    std::int64_t begin;
    int count, passes;  ///< how many are to come
  };
  /// A window's, or a segment of the list.
  __device__ void find(unsigned turn, part (&parts)[2]) const {
    parts[0] = parts[1] = {};
    if (turn < heads.windows) {
      auto const start = heads.begin(turn), stop = min(start + heads.items, heads.n);
      parts[0] = part_of(heads.over(turn), start, stop);
      parts[1] = part_of(heads.from(turn), start, stop);
    } else if (turn < heads.windows + list.counts[0]) {
      auto const& next = list.items[turn - heads.windows];
      parts[0] = {next.begin, static_cast<int>(next.end - next.begin), 0};
    }
  }
  __device__ part part_of(long_segment const& one, std::int64_t start, std::int64_t stop) const {
    if (!one.exists()) return {};
    auto const begin = max(one.begin, start);
    return {begin, static_cast<int>(min(one.end, stop) - begin),
            groups::passes_of(heads.windows_of(one.begin, one.end))};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
