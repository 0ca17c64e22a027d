// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_DEVICE_CUH
#define SWEEP_DETAIL_RUN_LENGTH_DEVICE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/run_length/problem.hpp>
#include <sweep/detail/run_length/tile.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Tiles of one size, and of fewer rows where the input is small.
template <class Problem>
struct run_length_config {
  static constexpr int warps = 8, row_items = 32 * warps * Problem::vector_items;
  /// Rows of 64 bytes a thread whose tile takes no more than 40 KiB of shared memory: a multiprocessor holds
  /// five.
  static constexpr int rows = [] {
    constexpr auto item = sizeof(typename Problem::raw), staged = (item <= 16 ? item : 0) + 2;
    int most = static_cast<int>(64 / (Problem::vector_items * item));
    while (most > 1 && static_cast<std::size_t>(most * row_items) * staged > 40 * 1024) --most;
    return std::clamp(most, 1, 4);
  }();
  using tile = run_length_tile<Problem, warps, rows>;
  using small_tile = run_length_tile<Problem, warps, 1>;
  static constexpr std::int64_t small_bytes = 2 << 20;

  struct no_stages {
    int stages = 0;
  };
  static constexpr no_stages plan(int) { return {}; }
  static constexpr std::size_t dynamic_bytes(int) { return 0; }
  static constexpr int threads_for(int, std::int64_t) { return tile::threads; }
  static constexpr int tile_items(int, int, std::int64_t n) {
    return n * static_cast<std::int64_t>(sizeof(typename Problem::raw)) < small_bytes ? small_tile::items
                                                                                      : tile::items;
  }
};

/// Tiles are numbered in the order in which blocks claim them: a block waits only for blocks that run.
template <class Problem, class Tiles>
struct run_length_job {
  using config = run_length_config<Problem>;
  static constexpr int threads = config::tile::threads, blocks = 3;
  Problem problem;
  Tiles tiles;
  ticket_counter tickets;

  __device__ void operator()() const {
    using tile = typename config::tile;
    using small_tile = typename config::small_tile;
    __shared__ uninitialized<typename tile::shared> memory;
    __shared__ std::uint32_t claimed;
    if (threadIdx.x == 0) claimed = tickets.draw();
    __syncthreads();
    if constexpr (!std::is_same_v<small_tile, tile>)
      if (problem.grid.tile_items == small_tile::items)
        return small_tile(problem, reinterpret_cast<typename small_tile::shared&>(memory), claimed)
            .encode(tiles);
    tile(problem, memory.value(), claimed).encode(tiles);
  }
};

template <class Source, class... Tags, class Problem>
void run_run_length(device_policy<Source, Tags...> const& policy, char const* call, Problem problem) {
  using raw = typename Problem::raw;
  static_assert(relocatable<raw> && std::is_default_constructible_v<raw>,
                "sweep: on the device items must be trivially copyable and default constructible");
  static_assert(sizeof(raw) <= 256, "sweep: on the device an item may have at most 256 bytes");
  using state = tile_state<runs_so_far, across_tiles::ordered_lookback>;
  using job = run_length_job<Problem, state>;
  if constexpr (has_checked<Tags...>) {
    if (problem.grid.n > 0) {
      if constexpr (std::is_pointer_v<decltype(problem.in)>) require_reachable(call, "first", problem.in);
      if constexpr (std::is_pointer_v<decltype(problem.values)>)
        require_reachable(call, "values", problem.values);
      if constexpr (std::is_pointer_v<decltype(problem.lengths)>)
        require_reachable(call, "lengths", problem.lengths);
    }
    if constexpr (std::is_same_v<decltype(problem.count), integers>)
      require_reachable(call, "count", problem.count.first);
  }
  if constexpr (Problem::in_contiguous)
    problem.grid.shift = items_before_vector<Problem::vector_items>(problem.in);
  launch_single_pass<job, run_length_config<Problem>, state>(policy.scratch_source(), call, policy.stream(),
                                                             problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
