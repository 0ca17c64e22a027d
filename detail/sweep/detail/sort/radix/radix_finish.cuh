// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RADIX_FINISH_CUH
#define SWEEP_DETAIL_SORT_RADIX_RADIX_FINISH_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/block_radix.cuh>
#include <sweep/detail/sort/radix/large_groups.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>

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
  int of_range = 1;  ///< of a block that sorts groups

  /// Where the groups that begin in window w are, of n items in the order of groups. Whether there are more
  /// large ones than are listed.
  template <class GroupOf>
  __device__ bool place(std::int64_t w, std::int64_t n, unsigned& large_ones, GroupOf group_of) const {
    auto at = min(w * items, n), until = at;
    bool too_many = false;
    if (w > 0 && at < n) {
      auto const group = group_of(at - 1);
      auto begin = at - items, end = min(at + most_of_group, n);
      bool const is_large = end < n && group_of(end) == group,
                 begins_here = is_large && (begin == 0 || group_of(begin - 1) != group);
      for (auto step = most_of_group; end < n && group_of(end) == group;) {
        at = end + 1;
        step *= 2;
        end = min(at + step, n);
      }
      auto const search = [&](std::int64_t from, std::int64_t to, auto is_before) {
        while (from < to) {
          auto const middle = (from + to) / 2;
          if (is_before(middle)) from = middle + 1;
          else to = middle;
        }
        return from;
      };
      until = at = search(at, end, [&](std::int64_t i) { return group_of(i) == group; });
      if (begins_here) {
        until = search(begin, w * items - 1, [&](std::int64_t i) { return group_of(i) != group; });
        unsigned const nth = atomicAdd(&large_ones, 1u);
        too_many = nth >= most_large_groups;
        if (!too_many) large[nth] = {static_cast<std::uint32_t>(until), static_cast<std::uint32_t>(at)};
      }
    }
    bounds[w] = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(until)};
    return too_many;
  }
  /// The same of groups that are gaps between words, each of which has a range of windows; by a block's share
  /// of all. All threads call, and have done with the memory; totals are of bins.
  template <class Words>
  __device__ void place_gaps(Words const& words, std::uint64_t const* totals, std::int64_t n,
                             unsigned& large_ones, unsigned char* memory) const {
    auto* const sums = reinterpret_cast<std::uint64_t*>(memory);
    auto* const begins = reinterpret_cast<std::uint32_t*>(sums + 10);  // of bins, and behind the last
    unsigned const t = thread_here();
    __syncthreads();
    auto const own = t < parts_of_pass ? totals[t] : 0, before = sum_before<std::uint64_t>(own, sums);
    if (t < parts_of_pass) begins[t] = static_cast<std::uint32_t>(before);
    if (t == parts_of_pass) begins[t] = static_cast<std::uint32_t>(n);
    __syncthreads();
    auto const* const gaps = words.gaps;
    auto const count = static_cast<int>(words.count) + 1;
    auto const begin_of = [&](std::int64_t g) { return begins[g < count ? gaps[g] : parts_of_pass]; };
    auto const end_of = [&](std::int64_t g) { return begins[g < count ? gaps[g] + 1 : parts_of_pass]; };
    auto const is_large = [&](std::int64_t g) { return end_of(g) - begin_of(g) > most_of_group; };
    // What a range's block sorts ends there.
    auto const until = [&](std::int64_t g) { return is_large(g) ? begin_of(g) : end_of(g); };
#pragma unroll 1
    for (auto w = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; w <= this->count;
         w += std::int64_t{gridDim.x} * blockDim.x) {
      auto const g = w / of_range;
      bool const first = w % of_range == 0;
      bounds[w] = {first ? begin_of(g) : until(g), until(first && g > 0 ? g - 1 : g)};
      if (first && is_large(g)) large[atomicAdd(&large_ones, 1u)] = {begin_of(g), end_of(g)};
    }
  }
};

/// A block has a range of windows and sorts the groups of neighbouring ones, of as many at once as fit it.
/// Ranges are long, since where groups are not to be finished their blocks are started in vain.
template <class Key, class Value, class Order>
struct radix_finish_job {
  static constexpr bool has_values = !std::is_same_v<Value, keys_alone>;
  using values_in = std::conditional_t<has_values, Value const*, no_values>;
  using values_to = std::conditional_t<has_values, Value*, no_values>;
  using group = sort_problem<Key const*, values_in, Key*, values_to, Order>;
  using block_job = radix_block_job<group, 512, bytes_of_looping_radix_thread<group>>;
  static constexpr int threads = block_job::threads, blocks = block_job::blocks;
  using sorter = block_radix_sort<Key, Value, Order, one_range_of_groups, threads, block_job::R, has_values>;
  static constexpr std::size_t bytes = block_job::possible ? sizeof(typename sorter::shared) : 0;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
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
  /// Fewer than 32. Of few items a range is what fits a block, so that blocks are about equally busy; groups
  /// of parts are less even.
  static constexpr int windows_of_range(std::int64_t n) {
    return n > std::int64_t{1} << 25 ? 31 : Order::has_exponent ? 14 : 15;
  }

  radix_memory<Key> key_memory;
  radix_memory<Value> value_memory;
  Order order;
  radix_digits digits;
  radix_windows windows;

  __device__ void operator()() const {
    if (!digits.shorter->has_groups()) return;
    // Kept in no registers while groups are sorted: bounds of the block's windows, up to which it has sorted
    // them, and what it sorts now.
    __shared__ window_bound bounds[32];
    __shared__ int reached, count;
    __shared__ std::uint32_t begin;
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (threadIdx.x < 32) {
      auto const first = static_cast<std::int64_t>(blockIdx.x) * windows.of_range;
      auto const own = min(windows.count - first, std::int64_t{windows.of_range});
      bounds[lane] = windows.bounds[first + min(std::int64_t{lane}, own)];
      reached = 0;
    }
    __syncthreads();
#pragma unroll 1
    while (true) {
      int at = reached;
      auto const from = bounds[at].begin;
      auto const [bound, until] = bounds[lane];
      unsigned const behind = ~0u << at << 1,
                     cut = __ballot_sync(~0u, until != bound) & behind,  // before large groups
          fit = __ballot_sync(~0u, until - from <= std::uint32_t{block_job::most_items}) & behind &
                (cut ^ (cut - 1));
      if (fit == 0) return;
      at = 31 - __clz(static_cast<int>(fit));
      auto const to = __shfl_sync(~0u, until, at);
      __syncthreads();  // what was sorted before has left the memory
      if (threadIdx.x == 0) {
        reached = at;
        begin = from;
        count = static_cast<int>(to - from);
      }
      __syncthreads();
      if (count > 0) sort_groups(begin, count);
    }
  }

 private:
  __device__ void sort_groups(std::uint32_t const& begin, int const& count) const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<typename sorter::shared*>(memory);
    // Behind a pass or more they are in one of two memories.
    auto const of = [&](auto const& some) {
      return digits.shorter->digits % 2 == 0 ? some.last : some.between;
    };
    {
      sorter const sort(smem, order, digits, one_range_of_groups{}, count);
      Key keys[block_job::R];
      auto const* const from = of(key_memory) + begin;
      auto const load = [&](int r, int i) { put_bytes(keys[r], from[i]); };
      auto const load_nothing = [&](int r) { put_bytes(keys[r], Key{}); };
      if constexpr (sizeof(typename Order::word) > 4) {
        sort.for_each_item(load, load_nothing);
      } else {  // takes less time than to ask for each row
#pragma unroll
        for (int r = 0; r < block_job::R; ++r) load_nothing(r);
        sort.for_each_item(load);
      }
      sort(keys);
    }
    sorter const sorted(smem, order, digits, one_range_of_groups{}, count);
    auto* const to = key_memory.last + begin;
    sorted.for_each_item([&](int, int i) { put_bytes(to[i], smem.keys()[i]); });
    if constexpr (has_values) {
      auto const* const from = of(value_memory) + begin;
      sorted.move_values([&](int i) { return from[i]; },
                         [&](int i, Value const& x) { put_bytes((value_memory.last + begin)[i], x); });
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
