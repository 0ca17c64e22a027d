// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_FINISH_CUH
#define SWEEP_DETAIL_SORT_RADIX_FINISH_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/block_radix.cuh>
#include <sweep/detail/sort/large_groups.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix_pass.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Windows of so many items each: a window has the groups that begin in it, and leaves large ones to others.
struct alignas(8) window_bound {
  std::uint32_t begin;       ///< of a window
  std::uint32_t before_end;  ///< of what the window before has, but for a large group
};
struct radix_windows {
  window_bound* bounds = nullptr;  ///< of windows, and behind the last
  large_group* large = nullptr;    ///< in any order
  std::int64_t items = 0, count = 0, most_of_group = 0;
};

/// A block sorts the groups of neighbouring windows, of as many of a range of them as fit it.
template <class Key, class Value, class Order>
struct radix_finish_job {
  static constexpr bool has_values = !std::is_same_v<Value, keys_alone>;
  using values_in = std::conditional_t<has_values, Value const*, no_values>;
  using values_to = std::conditional_t<has_values, Value*, no_values>;
  using group = sort_problem<Key const*, values_in, Key*, values_to, Order>;
  // As many rows as registers hold.
  static constexpr int bytes_of_thread = Order::bits > 32      ? (has_values ? 80 : 88)
                                         : has_values          ? 44
                                         : Order::has_exponent ? 64
                                                               : 56;
  using block_job = radix_block_job<group, 512, bytes_of_thread>;
  static constexpr int threads = block_job::threads, blocks = block_job::blocks;
  static constexpr std::size_t dynamic_bytes(int) { return block_job::bytes; }
  /// Small groups fill a block together, and have many short windows. Each of these is looked for, so that
  /// large groups, of two digits, have the longest windows, one a block.
  static constexpr bool has_small_groups(std::int64_t n) { return (n >> 16) * 4 <= block_job::most_items; }
  /// Of a group, and at most of a window, whose groups end before the block is full. Pairs of 2^28 narrow
  /// items have groups that nearly fill it.
  static constexpr std::int64_t most_of_group = has_values && Order::bits <= 32
                                                    ? block_job::most_items * 13 / 16
                                                : Order::has_exponent && Order::bits <= 32
                                                    ? block_job::most_items * 3 / 4
                                                    : block_job::most_items * 2 / 3,
                                most_of_window = block_job::most_items - most_of_group;
  static constexpr std::int64_t window_items(std::int64_t n) {
    return has_small_groups(n) ? block_job::most_items / 16 : most_of_window;
  }
  static constexpr int windows_of_range(std::int64_t n) { return has_small_groups(n) ? 14 : 1; }
  /// Blocks of a range of windows: two of any three neighbouring ones have more together than fits a block,
  /// or all do, and a range has fewer than twice as many. Large groups begin behind ten windows more.
  static constexpr int blocks_of_range(std::int64_t n) { return has_small_groups(n) ? 3 : 1; }

  radix_memory<Key> key_memory;
  radix_memory<Value> value_memory;
  Order order;
  radix_digits digits;
  radix_windows windows;
  unsigned ranges;  ///< of windows
  int of_range;     ///< windows, fewer than 32

  __device__ void operator()() const {
    if (!digits.shorter->has_groups()) return;
    // Its windows are put together from the first on, as many as fit; nth is how many times that was done.
    auto const nth = blockIdx.x / ranges,
               first = (blockIdx.x - nth * ranges) * static_cast<unsigned>(of_range);
    int const count = static_cast<int>(min(windows.count - first, std::int64_t{of_range})),
              lane = static_cast<int>(threadIdx.x % 32);
    bool const has_bound = lane <= count;
    auto const [bound, until] =
        has_bound ? windows.bounds[first + lane] : window_bound{0, 0};  // of the lane's window
    unsigned const cuts = __ballot_sync(~0u, until != bound);           // before large groups
    std::uint32_t begin = 0, end = 0;
    int at = 0;
#pragma unroll 1
    for (unsigned k = 0; k <= nth;) {
      if (at >= count) return;
      begin = __shfl_sync(~0u, bound, at);
      unsigned const behind = ~0u << (at + 1), cut = cuts & behind,
                     fit = __ballot_sync(~0u,
                                         has_bound && until - begin <= std::uint32_t{block_job::most_items}) &
                           behind & (cut ^ (cut - 1));
      at = 31 - __clz(static_cast<int>(fit));
      end = __shfl_sync(~0u, until, at);
      if (begin < end) ++k;
    }
    sort_groups(begin, end);
  }

 private:
  __device__ void sort_groups(std::int64_t begin, std::int64_t end) const {
    if constexpr (has_values) {  // read anew where values are moved, not kept in registers
      __shared__ std::uint32_t range[2];
      if (threadIdx.x == 0) {
        range[0] = static_cast<std::uint32_t>(begin);
        range[1] = static_cast<std::uint32_t>(end);
      }
      __syncthreads();
      begin = range[0];
      end = range[1];
    }
    // Kept in no registers: behind a pass or more they are in one of two memories.
    bool const is_last = digits.shorter->digits % 2 == 0;
    auto const* const keys = (is_last ? key_memory.last : key_memory.between) + begin;
    auto* const keys_out = key_memory.last + begin;
    if constexpr (has_values)
      block_job{group{nullptr, keys, (is_last ? value_memory.last : value_memory.between) + begin, keys_out,
                      value_memory.last + begin, end - begin, order},
                digits}();
    else block_job{group{nullptr, keys, {}, keys_out, {}, end - begin, order}, digits}();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
