// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_LARGE_GROUPS_CUH
#define SWEEP_DETAIL_SORT_RADIX_LARGE_GROUPS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/version.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Items of a group that no block has room for.
struct large_group {
  std::uint32_t begin, end;
};
/// With more of them the way by groups is gone in vain.
inline constexpr int most_large_groups = 2048;

/// All of them in their order, as a block has them in shared memory. Taken together their items are in the
/// order of groups too, and so are a range, of which every block has a share. All threads call.
struct large_groups {
  std::uint32_t begins[most_large_groups], before[most_large_groups + 1];

  /// From a list in any order; behind a barrier, and before one.
  __device__ void read(large_group const* list, int count) {
#pragma unroll 1
    for (int t = static_cast<int>(threadIdx.x); t < count; t += static_cast<int>(blockDim.x)) {
      auto const own = list[t];
      int place = 0;
      std::uint32_t sum = 0;
#pragma unroll 4
      for (int g = 0; g < count; ++g)
        if (auto const other = list[g]; other.begin < own.begin) {
          ++place;
          sum += other.end - other.begin;
        }
      begins[place] = own.begin;
      before[place] = sum;
      if (place == count - 1) before[count] = sum + (own.end - own.begin);
    }
    __syncthreads();
  }
  /// f(index among all items, among those of these groups, how many, the group's first) for each run of a
  /// block's share of these.
  template <class F>
  __device__ void for_each_run(int count, F f) const {
    std::int64_t const all = before[count], each = (all + gridDim.x - 1) / gridDim.x,
                       begin = blockIdx.x * each, end = min(begin + each, all);
#pragma unroll 1
    for (int g = 0; g < count; ++g) {
      auto const from = max(begin, std::int64_t{before[g]}), to = min(end, std::int64_t{before[g + 1]});
      if (from < to) f(begins[g] + (from - before[g]), from, to - from, std::int64_t{begins[g]});
    }
  }
};

/// f(item, its place) for so many items, by a block's threads, each of which asks for some at once.
template <int Threads, class T, class F>
__device__ void look_at_run(T const* from, std::int64_t count, F f) {
  constexpr int at_once = 8;
#pragma unroll 1
  for (std::int64_t i = threadIdx.x; i < count; i += at_once * Threads) {
    T x[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) put_bytes(x[k], from[min(i + k * Threads, count - 1)]);
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (i + k * Threads < count) f(x[k], i + k * Threads);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
