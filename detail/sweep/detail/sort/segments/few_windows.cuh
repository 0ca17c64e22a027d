// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_FEW_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_FEW_WINDOWS_CUH

#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/segments/tile_heads.cuh>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>
#include <sweep/detail/sort/segments/segment_windows.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Where items are few what a sort takes is its kernels. Two do then: in one blocks find the heads of their
// windows themselves and sort these; in the other those that all run at the same time make all merge passes,
// if there is a segment that is long.

/// In place of a source of heads: it is asked by blocks, each for its window, of so many items.
template <class Source>
struct few_heads {
  Source source;
  int window;
};
template <class Heads>
inline constexpr bool are_few_heads = false;
template <class Source>
inline constexpr bool are_few_heads<few_heads<Source>> = true;

/// A block's window, whose heads, and those of the next, it finds itself.
template <class Source, class Groups, int MostItems>
struct own_windows {
  static constexpr bool may_be_counted = false, waits_itself = false;
  struct turn {};
  struct shared {
    tile_heads<MostItems> heads;
    int first, last, before, behind;  ///< first and last of the window's own, from its begin on, or -1
  };
  Source source;
  window_heads heads;

  __device__ turn begin() const { return {}; }
  __device__ window_items own(shared& smem, listed_windows::kind) const {
    let_next_kernel_start();
    return find(smem, blockIdx.x);
  }
  /// Of any window, by the whole block.
  __device__ window_items find(shared& smem, std::int64_t w) const {
    auto const begin = heads.begin(w);
    int const left = static_cast<int>(heads.n - begin), window = min(heads.items, left),
              items = static_cast<int>(min(heads.items + heads.most_whole, std::int64_t{left})),
              t = static_cast<int>(threadIdx.x);
    smem.heads.clear(items, t, static_cast<int>(blockDim.x));
    if (t == 0) {
      smem.before = 0;
      smem.behind = static_cast<int>(heads.n);
    }
    __syncthreads();
    if (t == 0 && begin == 0) atomicOr(smem.heads.bits, 1u);
    mark(smem, begin, items);
    __syncthreads();
    if (t < 32) look_over(smem, begin, window, items);
    __syncthreads();
    auto const first = smem.first < 0 ? -1 : begin + smem.first,
               last = smem.last < 0 ? -1 : begin + smem.last, before = std::int64_t{smem.before},
               behind = std::int64_t{smem.behind}, next = first < 0 ? behind : first;
    if (t == 0 && !heads.all_are_whole()) {
      heads.first[w] = first;
      heads.last[w] = last;
      heads.before[w] = before;
      heads.next[w] = next;
    }
    return window_items::of<Groups>(heads, w, before, next, last, behind);
  }
  __device__ unsigned head_bits(shared const& smem, window_items const& own, int j) const {
    int const from = static_cast<int>(own.begin - heads.begin(blockIdx.x));
    return own.head_bits(j, [&](int i) { return smem.heads.at(from + i); });
  }

 private:
  /// Sets the bits of the heads among some items, and of the head behind them; finds the nearest around.
  __device__ void mark(shared& smem, std::int64_t begin, int items) const {
    auto const around = [&](std::int64_t where) {
      if (where < 0) atomicMax(&smem.before, static_cast<int>(begin + where));
      if (where > items && begin + where < heads.n) atomicMin(&smem.behind, static_cast<int>(begin + where));
    };
    auto const meet = [] { __syncthreads(); };
    if constexpr (requires { source.offsets; }) {
      auto const among = smem.heads.find(source.offsets, source.count, begin, items,
                                         smem.heads.first_probe(source.offsets, source.count), meet);
      smem.heads.mark(source.offsets, among, begin, items, around);
    } else if constexpr (requires { source.lengths; }) {
      smem.heads.mark_lengths(source.lengths, source.count, heads.n, begin, items, meet, around);
    } else {
      find_bits(smem, begin, items);
    }
  }
  __device__ void find_bits(shared& smem, std::int64_t begin, int items) const {
    int const t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    auto const bits_at = [&](std::int64_t at, std::int64_t end) {
      int const count = static_cast<int>(min(end - at, std::int64_t{32}));
      return count > 0 ? source.bits(at, count, heads.n) & ~0u >> (32 - count) : 0;
    };
    for (int j = t; j * 32 < items; j += threads)
      if (unsigned const bits = bits_at(begin + j * 32, begin + items); bits != 0)
        atomicOr(smem.heads.bits + j, bits);
    for (auto end = begin; end > 0; end -= 32 * threads) {
      auto const at = max(end - 32 * (t + 1), std::int64_t{0});
      unsigned const bits = bits_at(at, end - 32 * t);
      if (bits != 0) atomicMax(&smem.before, static_cast<int>(at) + 31 - __clz(static_cast<int>(bits)));
      if (__syncthreads_or(bits != 0 ? 1 : 0) != 0) break;
    }
    for (auto from = begin + items; from < heads.n; from += 32 * threads) {
      auto const at = from + 32 * t;
      unsigned const bits = bits_at(at, heads.n);
      if (bits != 0) atomicMin(&smem.behind, static_cast<int>(at) + __ffs(static_cast<int>(bits)) - 1);
      if (__syncthreads_or(bits != 0 ? 1 : 0) != 0) break;
    }
  }
  /// By a warp: the window's first head and its last, and the first behind it.
  __device__ void look_over(shared& smem, std::int64_t begin, int window, int items) const {
    int const lane = static_cast<int>(threadIdx.x);
    int first = MostItems, last = -1, behind = smem.behind - static_cast<int>(begin);
    for (int i = lane * 32; i <= items; i += 32 * 32) {
      unsigned const bits = smem.heads.bits[i / 32],
                     own = window - i >= 32 ? bits
                           : window > i     ? bits & ~(~0u << (window - i))
                                            : 0,
                     other = bits & ~own;
      if (own != 0) {
        first = min(first, i + __ffs(static_cast<int>(own)) - 1);
        last = max(last, i + 31 - __clz(static_cast<int>(own)));
      }
      if (other != 0) behind = min(behind, i + __ffs(static_cast<int>(other)) - 1);
    }
    first = __reduce_min_sync(~0u, first);
    last = __reduce_max_sync(~0u, last);
    behind = __reduce_min_sync(~0u, behind);
    __syncwarp();
    if (lane == 0) {
      smem.first = last < 0 ? -1 : first;
      smem.last = last;
      smem.behind = static_cast<int>(begin) + behind;
    }
  }
};

/// All merge passes of long segments, if there is one.
template <class Key, class Value, class Order, class Groups>
struct merge_few_windows_job {
  using runs_job = merge_runs_job<Key, Value, Order, Groups>;
  static constexpr int threads = runs_job::threads, blocks = runs_job::blocks, most_meetings = 8;
  merge_buffers<Key, Value> buffers;
  Groups groups;
  ticket_counter tickets;
  Order order;

  __device__ void operator()() const {
    __shared__ typename runs_job::shared smem;
    grid_barrier grid(tickets, most_meetings);
    merge(grid, smem);
    grid.leave();
  }
  /// By all blocks of a barrier of most_meetings.
  __device__ void merge(grid_barrier& grid, typename runs_job::shared& smem) const {
    __shared__ std::int64_t widest;
    if (threadIdx.x == 0) widest = 0;
    __syncthreads();
    auto own = groups;
    for (auto w = std::int64_t{threadIdx.x}; w < own.heads.windows; w += threads)
      if (auto const from = own.heads.from(w); from.end > 0)
        atomicMax(reinterpret_cast<unsigned long long*>(&widest),
                  static_cast<unsigned long long>(own.heads.windows_of(from.begin, from.end)));
    __syncthreads();
    own.heads.widest = &widest;
    int const passes = Groups::passes_of(widest);
#pragma unroll 1
    for (own.pass = 0; own.pass < passes; ++own.pass) {
      if (own.pass > 0) { grid.meet(); }
      runs_job{buffers, own, nullptr, order}.merge(smem);
    }
  }
};

/// Merges windows, which sort_windows() sorts when there is memory for that too.
template <class Policy, class Groups, class Key, class Value, class Order, class SortWindows>
void merge_few_windows(Policy const& policy, char const* call, Groups groups,
                       merge_buffers<Key, Value> const& buffers, Order const& order,
                       SortWindows const& sort_windows) {
  using job = merge_few_windows_job<Key, Value, Order, Groups>;
  using source = std::remove_cvref_t<decltype(policy.scratch_source())>;
  auto const blocks = blocks_for_tiles<job>(call, groups, 0);
  launch_state<source> state(policy.scratch_source(), call, policy.stream(), 0);
  sort_windows();
  launch_job(call, policy.stream(), blocks, job::threads, job{buffers, groups, state.tickets(), order}, 0,
             blocks_are::resident);
  state.launched(blocks * job::most_meetings);
}

/// So many windows of a multiprocessor are few, of bytes alone half as many. Tests lower it.
inline std::int64_t few_windows_of_multiprocessor = 4;
/// But of so many items at most, where segments may be longer than a window, as parts of more are merged
/// sooner by kernels of their own; or where windows are sorted by a comparison.
inline constexpr std::int64_t most_items_of_any_length = std::int64_t{1} << 17;
/// The least items of a window.
inline constexpr std::int64_t least_items_of_window = 256;

/// How many items a window of few has: as many as let all multiprocessors work, and more where segments are
/// longer in the mean, which is 0 where nobody knows.
inline int few_window_items(char const* call, std::int64_t n, std::int64_t mean,
                            std::int64_t most_of_window) {
  auto const each = (n + multiprocessors(call) - 1) / multiprocessors(call);
  auto window = most_of_window;
  while (window / 2 >= std::max({each, 2 * mean, least_items_of_window})) window /= 2;
  return static_cast<int>(std::min(window, n));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
