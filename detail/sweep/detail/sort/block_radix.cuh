// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_BLOCK_RADIX_CUH
#define SWEEP_DETAIL_SORT_BLOCK_RADIX_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix_pass.cuh>
#include <sweep/detail/sort/tile/block_radix_sort.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// So few items that one block sorts them: values are moved once.
template <class Problem, int Threads = 1024, int BytesOfThread = 64>
struct radix_block_job {
  using key = typename Problem::key;
  using value = typename Problem::value;
  static constexpr bool has_values = Problem::has_values;
  static constexpr bool possible = sizeof(key) <= 16 && sizeof(value) <= 16;
  static constexpr int threads = Threads, blocks = 1024 / Threads;
  static constexpr int bytes_of_item =
      static_cast<int>(std::max({sizeof(key), sizeof(value), std::size_t{4}}));
  static constexpr int R = possible ? BytesOfThread / bytes_of_item : 2, most_items = threads * R;
  using sorter =
      block_radix_sort<key, value, typename Problem::order_type, one_range, threads, R, has_values>;
  static constexpr std::size_t bytes = possible ? sizeof(typename sorter::shared) : 0;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Problem problem;
  radix_digits digits;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<typename sorter::shared*>(memory);
    sorter const sort(smem, problem.order, digits, one_range{}, static_cast<int>(problem.n));
    key keys[R];
    sort.for_each_row([&](int r, int i) { put_bytes(keys[r], static_cast<key>(problem.keys_in[i])); });
    sort(keys);
    sort.for_each_item([&](int, int i) { problem.put_key(i, smem.keys()[i]); });
    if constexpr (has_values)
      sort.move_values([&](int i) { return static_cast<value>(problem.values_in[i]); },
                       [&](int i, value const& x) { problem.put_value(i, x); });
  }
};

/// Where groups of items with the same last two digits begin, by windows of so many items: a window has the
/// groups that begin in it. None has any where the shorter way was not gone.
struct radix_windows_job {
  static constexpr int threads = 256, blocks = 1;
  std::uint64_t const* group_begins;
  std::uint32_t* window_begins;
  std::int64_t n, window_items, windows;
  radix_digits digits;

  __device__ void operator()() const {
    constexpr std::int64_t groups = std::int64_t{parts_of_pass} * parts_of_pass;
    auto const g = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (way_of(digits, digits.active()) != radix_way::finished) {
      for (auto w = g; w <= windows; w += std::int64_t{gridDim.x} * threads) window_begins[w] = 0;
      return;
    }
    if (g > groups) return;
    auto const begin = g < groups ? static_cast<std::int64_t>(group_begins[g]) : n;
    auto first = g == 0 ? 0 : static_cast<std::int64_t>(group_begins[g - 1]) / window_items + 1;
    auto const last = g < groups ? begin / window_items : windows;
    for (auto w = first; w <= last; ++w) window_begins[w] = static_cast<std::uint32_t>(begin);
  }
  static std::int64_t grid() { return std::int64_t{parts_of_pass} * parts_of_pass / threads + 1; }
};

/// Each block sorts the groups of a window where they are.
template <class Key, class Value, class Order>
struct radix_finish_job {
  static constexpr bool has_values = !std::is_same_v<Value, keys_alone>;
  using values_in = std::conditional_t<has_values, Value const*, no_values>;
  using values_to = std::conditional_t<has_values, Value*, no_values>;
  using group = sort_problem<Key const*, values_in, Key*, values_to, Order>;
  using block_job = radix_block_job<group, 512, (Order::bits > 32 ? 96 : 64)>;
  static constexpr int threads = block_job::threads, blocks = block_job::blocks;
  static constexpr std::size_t dynamic_bytes(int) { return block_job::bytes; }
  /// Of a window, and of a group: a window's groups end before the block is full.
  static constexpr std::int64_t most_of_group = block_job::most_items * 3 / 4,
                                window_items = block_job::most_items - most_of_group;

  Key* keys;
  radix_memory<Value> value_memory;
  Order order;
  radix_digits digits;
  std::uint32_t const* window_begins;

  __device__ void operator()() const {
    std::int64_t const begin = window_begins[blockIdx.x], end = window_begins[blockIdx.x + 1];
    if (begin >= end) return;
    auto const values = [&] {
      if constexpr (has_values) return value_memory.last + begin;
      else return no_values{};
    }();
    block_job{group{nullptr, keys + begin, values, keys + begin, values, end - begin, order}, digits}();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
