// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_BLOCK_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_BLOCK_SEGMENTS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/block_radix.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segment_heads.cuh>
#include <sweep/detail/sort/tile/block_radix_sort.cuh>

#include <cstddef>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Segments that are longer than a window, and that a block has room for: it sorts each alone, as it would
// sort a range.

/// Each block takes the next segment until there is none.
template <class Keys, class Values, class Key, class Value, class Order>
struct sort_block_segments_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using values_in = std::conditional_t<has_values, Value const*, no_values>;
  using values_out = std::conditional_t<has_values, Value*, no_values>;
  using range = sort_problem<Key const*, values_in, Key*, values_out, Order>;
  using block_job = radix_block_job<range, 1024, bytes_of_looping_radix_thread<range>>;
  static constexpr bool possible = block_job::possible;
  static constexpr int threads = block_job::threads, blocks = block_job::blocks, rows = block_job::R,
                       most_items = block_job::most_items;
  static constexpr std::size_t bytes = block_job::bytes;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
  using sorter = block_radix_sort<Key, Value, Order, one_range_of_many, threads, rows, has_values>;

  Keys keys;
  Values values;
  segment_list list;
  Key* keys_to;
  Value* values_to;
  Order order;

  __device__ void operator()() const {
    __shared__ unsigned taken;
    unsigned const count = list.counts[0];
    while (true) {
      __syncthreads();  // what was sorted before has left the memory
      if (threadIdx.x == 0) taken = atomicAdd(list.counts + 1, 1u);
      __syncthreads();
      if (taken >= count) return;
      sort(list.items[taken]);
    }
  }

 private:
  __device__ void sort(long_segment const& segment) const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<typename sorter::shared*>(memory);
    auto const begin = segment.begin;
    int const count = static_cast<int>(segment.end - begin);
    auto const digits = radix_digits::of_bits(order.begin, order.end);
    {
      sorter const sort(smem, order, digits, one_range_of_many{}, count);
      Key mine[rows];
      sort.for_each_item([&](int r, int i) { put_bytes(mine[r], static_cast<Key>(keys[begin + i])); },
                         [&](int r) { put_bytes(mine[r], Key{}); });
      sort(mine);
    }
    sorter const sorted(smem, order, digits, one_range_of_many{}, count);
    auto* const to = keys_to + begin;
    sorted.for_each_item([&](int, int i) { put_bytes(to[i], smem.keys()[i]); });
    if constexpr (has_values)
      sorted.move_values([&](int i) { return static_cast<Value>(values[begin + i]); },
                         [&](int i, Value const& x) { put_bytes(values_to[begin + i], x); });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
