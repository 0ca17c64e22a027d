// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BOUNDS_DEVICE_CUH
#define SWEEP_DETAIL_BOUNDS_DEVICE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/bounds/problem.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/device.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// One bound, by one warp.
template <class Problem>
struct bound_job {
  static constexpr int threads = 32, blocks = 1;
  Problem problem;

  __device__ void operator()() const {
    auto mine = problem;
    auto const bound = warp_find_first(0, mine.n, [&](std::int64_t i) { return !mine.stands_before(i); });
    if (threadIdx.x == 0) mine.write(bound);
  }
};

template <class Source, class... Tags, class Problem>
void run_bound(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  launch_job(call, policy.stream(), 1, bound_job<Problem>::threads, bound_job<Problem>{problem});
}

/// A bound for each of many values. Each thread has several values, whose reads are in flight together. What
/// all searches of a block begin with, some items at equal distances, is kept in shared memory: the root of a
/// binary tree at 1, the children of node k at 2 k and 2 k + 1, so that a level's nodes lie in different
/// banks.
template <class Problem>
struct bounds_job {
  using Raw = typename Problem::raw;
  using Value = typename Problem::value;
  static constexpr int threads = 512, blocks = 2, each = 4;
  /// Levels of the tree, in 16 KiB.
  static constexpr int most_levels = [] {
    if constexpr (!relocatable<Raw>) return 0;
    else {
      int levels = 0;
      while (levels < 12 && (std::size_t{2} << levels) * sizeof(Raw) <= 16384) ++levels;
      return levels;
    }
  }();

  Problem problem;
  int levels;  ///< of which there are items enough
  int steps;   ///< behind the tree, at most

  __device__ void operator()() const {
    auto mine = problem;
    __shared__ uninitialized<Raw, 1 << most_levels> tree;
    if constexpr (most_levels > 0) {
      for (int k = static_cast<int>(threadIdx.x); k < 1 << levels; k += threads)
        if (k > 0) {
          int const level = 31 - __clz(k), place = k - (1 << level);
          put_bytes(tree.data()[k],
                    static_cast<Raw>(mine.in[item_of((2 * place + 1) << (levels - 1 - level))]));
        }
      __syncthreads();
    }
    constexpr int tile = threads * each;
    for (auto first = std::int64_t{blockIdx.x} * tile; first < mine.m;
         first += std::int64_t{gridDim.x} * tile)
      if (first + tile <= mine.m) search<true>(mine, first + threadIdx.x, tree.data());
      else search<false>(mine, first + threadIdx.x, tree.data());
  }

 private:
  /// The item that stands behind so many parts of the range, of 2^levels.
  __device__ std::int64_t item_of(int parts) const { return (problem.n * parts) >> levels; }

  template <bool Whole>
  __device__ void search(Problem& mine, std::int64_t first, Raw const* tree) const {
    Value values[each];
    bool here[each];
#pragma unroll
    for (int e = 0; e < each; ++e) {
      here[e] = Whole || first + e * threads < mine.m;
      if (here[e]) values[e] = mine.values[first + e * threads];
    }
    std::int64_t low[each], length[each];
    int node[each];
#pragma unroll
    for (int e = 0; e < each; ++e) node[e] = 1;
    if constexpr (most_levels > 0)
      for (int level = 0; level < levels; ++level)
#pragma unroll
        for (int e = 0; e < each; ++e)
          if (here[e]) node[e] = 2 * node[e] + (mine.before(tree[node[e]], values[e]) ? 1 : 0);
#pragma unroll
    for (int e = 0; e < each; ++e) {
      int const part = node[e] - (1 << levels);  // how many items of the tree stand before
      low[e] = part == 0 ? 0 : item_of(part) + 1;
      length[e] = here[e] ? item_of(part + 1) - low[e] : 0;
    }
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (length[e] > 0) {
          auto const half = length[e] / 2;
          bool const behind = mine.stands_before(low[e] + half, values[e]);
          low[e] += behind ? half + 1 : 0;
          length[e] = behind ? length[e] - half - 1 : half;
        }
#pragma unroll
    for (int e = 0; e < each; ++e)
      if (here[e]) mine.write(first + e * threads, low[e], values[e]);
  }
};

template <class Source, class... Tags, class Problem>
void run_bounds(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = bounds_job<Problem>;
  static_assert(relocatable<typename Problem::value> &&
                    std::is_default_constructible_v<typename Problem::value>,
                "sweep: on the device the values must be trivially copyable and default constructible");
  if (problem.m == 0) return;
  int levels = 0, steps = 0;
  while (levels < job::most_levels && problem.n >> (levels + 1) > 0) ++levels;
  while ((problem.n >> levels) + 1 >= std::int64_t{1} << steps) ++steps;
  auto const blocks =
      blocks_for(problem.m, std::int64_t{job::threads} * job::each, std::int64_t{multiprocessors(call)} * 4);
  launch_job(call, policy.stream(), blocks, job::threads, job{problem, levels, steps});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
