// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_GATHER_DEVICE_CUH
#define SWEEP_DETAIL_GATHER_DEVICE_CUH

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/gather/problem.hpp>
#include <sweep/detail/gather/tile.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/device.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Moves that are under way in a thread: enough to hide the latency of memory, of wide items fewer.
template <class Problem>
inline constexpr int gather_rows = [] {
  constexpr int V = Problem::vector_items, items_in_flight = 8, bytes_in_flight = 128;
  auto const bytes =
      static_cast<int>(V * std::max(sizeof(typename Problem::raw), sizeof(typename Problem::index)));
  return std::max(1, std::min(items_in_flight / V, bytes_in_flight / bytes));
}();

/// Every block has a tile of its own; tiles of small inputs are of one row.
template <class Problem>
struct gather_job {
  static constexpr int threads = 128, blocks = 8, row_items = threads * Problem::vector_items,
                       rows = gather_rows<Problem>;
  Problem problem;

  __device__ void operator()() const {
    auto const tile = std::int64_t{blockIdx.x};
    if (rows > 1 && problem.grid.tile_items == row_items) gather_tile<Problem, 1>(problem, tile);
    else gather_tile<Problem, rows>(problem, tile);
  }
};

template <class Source, class... Tags, class Problem>
void run_gather(device_policy<Source, Tags...> const& policy, char const* call, Problem problem) {
  using job = gather_job<Problem>;
  static_assert(std::is_default_constructible_v<typename Problem::index>,
                "sweep: a map must have items that convert to integers");
  // Words of the output, or else of the map, fall on 16-byte boundaries.
  constexpr int V = Problem::vector_items;
  if constexpr (Problem::out_by_words) problem.grid.shift = items_before_vector<V>(problem.out);
  else if constexpr (Problem::template contiguous<decltype(problem.map)>)
    problem.grid.shift = items_before_vector<V>(problem.map);
  // Tiles of several rows for every multiprocessor: four, or two of items wider than their indices.
  constexpr bool wide = Problem::gathers && sizeof(typename Problem::raw) > sizeof(typename Problem::index);
  constexpr std::int64_t large = (wide ? 256 : 512) * job::row_items * job::rows;
  problem.grid.tile_items = job::row_items * (problem.grid.n < large ? 1 : job::rows);
  launch_job(call, policy.stream(), problem.grid.tiles(), job::threads, job{problem});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
