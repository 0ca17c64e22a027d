// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_FEW_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_FEW_SEGMENTS_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/segments/tile_heads.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/few_windows.cuh>
#include <sweep/detail/sort/tile/block_bins.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// So few items that each is a thread's: one block sorts them, and finds itself where segments begin. A key
/// counts those of its segment that stand before it among 32 neighbours; runs of these are merged by
/// searches, where there are longer segments.
template <class Problem, class Source>
struct sort_few_segments_job {
  using key = typename Problem::key;
  using value = typename Problem::value;
  static constexpr int threads = 1024, blocks = 1, most_items = threads;
  /// Keys that are read by others have their places, and values wait in registers.
  static constexpr bool possible = sizeof(key) <= 16 && sizeof(value) <= 16;
  static int threads_for(std::int64_t n) { return static_cast<int>((n + 63) / 64 * 64); }

  Problem problem;
  Source source;

  __device__ void operator()() const {
    __shared__ tile_heads<most_items> heads;
    __shared__ uninitialized<key, most_items> keys;
    auto const own = problem;  // a copy: iterators and functors may have a state
    auto const& order = own.order;
    int const t = static_cast<int>(threadIdx.x), n = static_cast<int>(own.n);
    bool const exists = t < n;
    key x;
    value beside;
    if (exists) {
      put_bytes(x, static_cast<key>(own.keys_in[t]));
      if constexpr (Problem::has_values) put_bytes(beside, static_cast<value>(own.values_in[t]));
      put_bytes(keys[t], x);
    }
    find_heads(heads, n);
    auto const segment = segment_of(heads.bits, n);
    // Whether key `other` stands before this one, which stands at `at`.
    auto const is_before = [&](int other, int at) {
      bool const ahead = other < at;
      key y;
      put_bytes(y, keys[other]);
      return order(select_registers(ahead, x, y), select_registers(ahead, y, x)) != ahead;
    };
    int at = t;
    bool const longer = __syncthreads_or(exists && segment.end - segment.begin > 32) != 0;
    if (exists) {
      int const base = longer ? t / 32 * 32 : 0, first = max(base, segment.begin),
                end = longer ? min(base + 32, segment.end) : segment.end;
      int before = 0;
#pragma unroll 4
      for (int other = first; other < end; ++other)
        if (other != t && is_before(other, t)) ++before;
      at = first + before;
    }
    if (longer) {
      put(keys, at, x, exists);
#pragma unroll 1
      for (int run = 32; run < n; run *= 2) {
        int const middle = at / (2 * run) * 2 * run + run;
        bool const left = at < middle;
        // Of the other run what is of the same segment.
        int low = max(left ? middle : middle - run, segment.begin), from = low,
            high = min(left ? middle + run : middle, segment.end);
        if (exists)
          while (low < high) {
            int const half = (low + high) / 2;
            if (is_before(half, at)) low = half + 1;
            else high = half;
          }
        // Those of the right run that go before, or of the left one that go behind.
        if (exists && high >= from) at += low - (left ? from : middle);
        put(keys, at, x, exists);
      }
    }
    if (!exists) return;
    own.put_key(at, x);
    own.put_value(at, beside);
  }

 private:
  /// All have read what others write over.
  static __device__ void put(uninitialized<key, most_items>& keys, int at, key const& x, bool exists) {
    __syncthreads();
    if (exists) put_bytes(keys[at], x);
    __syncthreads();
  }
  __device__ void find_heads(tile_heads<most_items>& heads, int n) const {
    int const t = static_cast<int>(threadIdx.x);
    auto const own = source;
    if constexpr (requires { Source::marked_in_tiles; }) {
      heads.clear(most_items, t, static_cast<int>(blockDim.x));
      if constexpr (requires { own.lengths; }) {
        heads.mark_lengths(own.lengths, own.count, n, 0, most_items, [] { __syncthreads(); });
      } else {
        __syncthreads();
        heads.mark(own.offsets, {0, own.count}, 0, most_items);
      }
    } else {
      bool head = false;
      if (t > 0 && t < n) head = own(t);
      unsigned const word = __ballot_sync(~0u, head);
      if (t % 32 == 0) heads.bits[t / 32] = word;
    }
    __syncthreads();
  }
  /// Of this thread's item: a warp's are of one word.
  static __device__ places_range segment_of(std::uint32_t const* bits, int n) {
    int const lane = static_cast<int>(threadIdx.x % 32), w = static_cast<int>(threadIdx.x / 32);
    unsigned const left = static_cast<unsigned>(n - lane * 32);
    unsigned word = lane * 32 < n ? bits[lane] & (left >= 32 ? ~0u : ~(~0u << left)) : 0;
    if (lane == 0) word |= 1;
    unsigned const have = __ballot_sync(~0u, word != 0), here = __shfl_sync(~0u, word, w),
                   before = have & ((1u << w) - 1), behind = have & ~1u << w;
    int const last = 31 - __clz(static_cast<int>(before | 1)), next = __ffs(static_cast<int>(behind)) - 1;
    unsigned const in_last = __shfl_sync(~0u, word, last), in_next = __shfl_sync(~0u, word, max(next, 0)),
                   up_to = here & ((2u << lane) - 1), beyond = here & ~((2u << lane) - 1);
    return {up_to != 0 ? w * 32 + 31 - __clz(static_cast<int>(up_to))
                       : last * 32 + 31 - __clz(static_cast<int>(in_last)),
            beyond != 0 ? w * 32 + __ffs(static_cast<int>(beyond)) - 1
            : next >= 0 ? next * 32 + __ffs(static_cast<int>(in_next)) - 1
                        : n};
  }
};

/// So few items, or items whose segments have so few in the mean, a block with a thread for each sorts sooner
/// than one that sorts a window by bits.
inline constexpr std::int64_t least_items_of_threads = 256, mean_items_of_threads = 16;
/// Whether a block that sorts a window by bits takes no kernel more, and less time where items are not very
/// few.
template <class Problem>
inline constexpr bool windows_sort_sooner = [] {
  using key = typename Problem::key;
  using values_out = decltype(Problem::values_out);
  return sorts_windows_by_radix<key, typename Problem::order_type> && !riding_value<Problem>::is_index &&
         std::is_same_v<decltype(Problem::keys_out), key*> &&
         (!Problem::has_values || std::is_same_v<values_out, typename riding_value<Problem>::type*>);
}();

/// Whether items were so few that they have been sorted.
template <class Policy, class Problem, class Segments>
bool sort_few_segments(Policy const& policy, Problem const& problem, Segments const& segments) {
  auto const with = [&](auto const& source, std::int64_t count) {
    using job = sort_few_segments_job<Problem, std::remove_cvref_t<decltype(source)>>;
    if constexpr (!job::possible) {
      return false;
    } else {
      if (problem.n > job::most_items ||
          (windows_sort_sooner<Problem> && problem.n > least_items_of_threads && count > 0 &&
           problem.n > count * mean_items_of_threads))
        return false;
      launch_job(problem.call, policy.stream(), 1, job::threads_for(problem.n), job{problem, source});
      return true;
    }
  };
  constexpr std::int64_t most_segments = 4096;  // that a block looks at
  if constexpr (requires { segments.offsets; }) {
    auto const offsets = unwrapped(segments.offsets);
    return segments.count <= most_segments &&
           with(marked_offset_source<std::remove_const_t<decltype(offsets)>>{offsets, segments.count},
                segments.count);
  } else if constexpr (requires { segments.lengths; }) {
    auto const lengths = unwrapped(segments.lengths);
    return segments.count <= most_segments &&
           with(
               marked_length_source<std::remove_const_t<decltype(lengths)>>{lengths, nullptr, segments.count},
               segments.count);
  } else {
    return with(head_source_of(segments), 0);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
