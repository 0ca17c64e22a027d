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

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// A bound for each of many values. What all searches of a block begin with, items at equal distances, is
/// kept in shared memory: the root of a binary tree at 1, the children of node k at 2 k and 2 k + 1, so that
/// a level's nodes lie in different banks. A short range is in the tree whole. Of a longer one items in
/// memory are searched behind the tree, by sectors: first for the sector with the bound, by the last items of
/// sectors, then in the sector, which is read whole, at once. Each thread has several values, whose reads are
/// in flight together.
template <class Problem>
struct bounds_job {
  using Raw = typename Problem::raw;
  using Value = typename Problem::value;
  static constexpr int threads = 1024, blocks = 1, each = 2;

  /// Levels of the tree that so many bytes hold.
  static constexpr int levels_in(std::size_t bytes) {
    int levels = 0;
    if constexpr (relocatable<Raw>)
      while (levels < 15 && (std::size_t{2} << levels) * sizeof(Raw) <= bytes) ++levels;
    return levels;
  }
  static constexpr std::size_t tree_bytes(int levels) { return (std::size_t{1} << levels) * sizeof(Raw); }
  static constexpr std::size_t dynamic_bytes(int) { return tree_bytes(levels_in(128 * 1024)); }

  static constexpr bool by_sectors = std::is_pointer_v<decltype(Problem::in)> && relocatable<Raw> &&
                                     sizeof(Raw) <= 16 && alignof(Raw) == sizeof(Raw);
  static constexpr int sector_bytes = sizeof(Raw) < 4 ? 16 : 32;
  static constexpr int sector = by_sectors ? sector_bytes / static_cast<int>(sizeof(Raw)) : 1;  ///< items

  Problem problem;
  int levels;  ///< of the tree
  int steps;   ///< of a search behind the tree, at most; none where all items are in the tree

  __device__ void operator()() const {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    auto mine = problem;
    auto* const tree = reinterpret_cast<Raw*>(shared_bytes);
    if constexpr (relocatable<Raw>) {
      if (steps == 0) plant_all(mine, tree);
      else plant_some(mine, tree);
      __syncthreads();
    }
    // All blocks make a tile each in turn, and share out evenly what is less than one for each.
    auto const tile = blockDim.x * each, all = gridDim.x * tile;
    for (std::int64_t from = 0; from < mine.m; from += all) {
      auto const left = mine.m - from;
      auto const share = left >= all ? tile : (static_cast<unsigned>(left) + gridDim.x - 1) / gridDim.x;
      auto const first = from + blockIdx.x * share;
      search(mine, first + threadIdx.x, min(mine.m, first + share), tree);
    }
  }

 private:
  /// The item that stands behind so many parts of the range, of 2^levels.
  __device__ std::int64_t item_of(int parts) const { return (problem.n * parts) >> levels; }

  __device__ void plant_some(Problem& mine, Raw* tree) const {
#pragma unroll 4
    for (int k = static_cast<int>(threadIdx.x); k < 1 << levels; k += static_cast<int>(blockDim.x))
      if (k > 0) {
        int const level = 31 - __clz(k), place = k - (1 << level);
        put_bytes(tree[k], static_cast<Raw>(mine.in[item_of((2 * place + 1) << (levels - 1 - level))]));
      }
  }

  /// All items, read as they lie; the last one also where the tree has more nodes.
  __device__ void plant_all(Problem& mine, Raw* tree) const {
    auto const last = static_cast<int>(mine.n) - 1;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < (1 << levels) - 1; i += static_cast<int>(blockDim.x)) {
      int const below = __ffs(i + 1) - 1;  // levels
      int const node = (1 << (levels - 1 - below)) + ((i + 1) >> (below + 1));
      put_bytes(tree[node], static_cast<Raw>(mine.in[i < last ? i : last]));
    }
  }

  __device__ void search(Problem& mine, std::int64_t first, std::int64_t end, Raw const* tree) const {
    Value values[each];
    bool here[each];
#pragma unroll
    for (int e = 0; e < each; ++e) {
      here[e] = first + e * blockDim.x < end;
      if (here[e]) values[e] = mine.values[first + e * blockDim.x];
    }
    int node[each];
#pragma unroll
    for (int e = 0; e < each; ++e) node[e] = 1;
    if constexpr (relocatable<Raw>)
      for (int level = 0; level < levels; ++level)
#pragma unroll
        for (int e = 0; e < each; ++e)
          if (here[e]) node[e] = 2 * node[e] + (mine.before(tree[node[e]], values[e]) ? 1 : 0);
    std::int64_t bound[each];
    if (steps == 0) {
#pragma unroll
      for (int e = 0; e < each; ++e) {
        auto const before = std::int64_t{node[e] - (1 << levels)};
        bound[e] = before < mine.n ? before : mine.n;
      }
    } else if constexpr (by_sectors) {
      search_sectors(mine, node, here, values, bound);
    } else {
      search_items(mine, node, here, values, bound);
    }
#pragma unroll
    for (int e = 0; e < each; ++e)
      if (here[e]) mine.write(first + e * blockDim.x, bound[e], values[e]);
  }

  /// The items [begin, end] that the bound is one of, or the end of the range.
  struct part {
    std::int64_t begin, end;
  };
  __device__ part part_of(int node) const {
    int const number = node - (1 << levels);  // so many items of the tree stand before
    return {number == 0 ? 0 : item_of(number) + 1, item_of(number + 1)};
  }

  __device__ void search_items(Problem& mine, int const (&node)[each], bool const (&here)[each],
                               Value const (&values)[each], std::int64_t (&bound)[each]) const {
    std::int64_t length[each];
#pragma unroll
    for (int e = 0; e < each; ++e) {
      auto const [begin, end] = part_of(node[e]);
      bound[e] = begin;
      length[e] = here[e] ? end - begin : 0;
    }
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (length[e] > 0) {
          auto const half = length[e] / 2;
          bool const behind = mine.stands_before(bound[e] + half, values[e]);
          bound[e] += behind ? half + 1 : 0;
          length[e] = behind ? length[e] - half - 1 : half;
        }
  }

  /// Sectors are counted from the one in which the range begins, which need not be whole.
  __device__ void search_sectors(Problem& mine, int const (&node)[each], bool const (&here)[each],
                                 Value const (&values)[each], std::int64_t (&bound)[each]) const {
    auto const skipped =
        static_cast<int>(reinterpret_cast<std::uintptr_t>(mine.in) % sector_bytes / sizeof(Raw));
    std::int64_t base[each];  // the sector in which a part begins
    std::remove_cvref_t<decltype(mine.in)>
        ends[each];  // its last item, those of the next follow at equal steps
    std::uint32_t low[each], length[each];
#pragma unroll
    for (int e = 0; e < each; ++e) {
      auto const [begin, end] = part_of(node[e]);
      base[e] = (begin + skipped) / sector;
      ends[e] = mine.in + (sector * base[e] + sector - 1 - skipped);
      low[e] = 0;
      length[e] = here[e] ? static_cast<std::uint32_t>((end + skipped) / sector - base[e]) : 0;
    }
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (length[e] > 0) {
          auto const half = length[e] / 2, middle = low[e] + half;
          bool const behind = mine.before(ends[e][std::size_t{middle} * sector], values[e]);
          low[e] = behind ? middle + 1 : low[e];
          length[e] = behind ? length[e] - half - 1 : half;
        }
#pragma unroll
    for (int e = 0; e < each; ++e)
      if (here[e]) bound[e] = bound_in_sector(mine, (base[e] + low[e]) * sector - skipped, values[e]);
  }

  __device__ std::int64_t bound_in_sector(Problem& mine, std::int64_t begin, Value const& value) const {
    if (begin >= 0 && begin + sector <= mine.n) {
      constexpr int vectors = sector_bytes / 16;
      uint4 words[vectors];
#pragma unroll
      for (int v = 0; v < vectors; ++v) words[v] = reinterpret_cast<uint4 const*>(mine.in + begin)[v];
      uninitialized<Raw, sector> items;
      memcpy(items.bytes, words, sector_bytes);
      int before = 0;
#pragma unroll
      for (int i = 0; i < sector; ++i) before += mine.before(items[i], value) ? 1 : 0;
      return begin + before;
    }
    auto const end = begin + sector < mine.n ? begin + sector : mine.n;
    if (begin < 0) begin = 0;
    while (begin < end && mine.stands_before(begin, value)) ++begin;
    return begin;
  }
};

template <class Source, class... Tags, class Problem>
void run_bounds(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = bounds_job<Problem>;
  static_assert(relocatable<typename Problem::value> &&
                    std::is_default_constructible_v<typename Problem::value>,
                "sweep: on the device the values must be trivially copyable and default constructible");
  if (problem.m == 0) return;
  // Few values are shared out over all multiprocessors; for many each has one block and a large tree. A level
  // of the tree spares each value of a block a read, and costs as many as it has nodes. A tree of all items
  // spares the whole search behind it, and is read as it lies.
  auto const processors = std::int64_t{multiprocessors(call)};
  int threads = problem.m >= processors * job::threads * job::each ? job::threads : 256;
  auto blocks = blocks_for(problem.m, std::int64_t{threads} * job::each, processors * (1024 / threads));
  int const most =
      facts_of<job>(call).fits ? job::levels_in(job::dynamic_bytes(0)) : job::levels_in(48 * 1024);
  int levels = std::bit_width(static_cast<std::uint64_t>(problem.n)), steps = 0;
  if (levels > most || problem.m / blocks < std::int64_t{1} << levels >> 2) {
    levels = 0;
    while (levels < most && problem.n >> (levels + 1) > 0 && problem.m / blocks >> (levels + 1) > 0) ++levels;
    auto const longest = (problem.n >> levels) / job::sector + 2;
    while (longest >= std::int64_t{1} << steps) ++steps;
  } else if (job::tree_bytes(levels) <= 2048) {  // many small blocks, for many reads in flight
    threads = 256;
    blocks = blocks_for(problem.m, std::int64_t{threads} * job::each, processors * 6);
  }
  launch_job(call, policy.stream(), blocks, threads, job{problem, levels, steps}, job::tree_bytes(levels));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
