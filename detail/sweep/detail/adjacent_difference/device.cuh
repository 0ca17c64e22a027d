// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_ADJACENT_DIFFERENCE_DEVICE_CUH
#define SWEEP_DETAIL_ADJACENT_DIFFERENCE_DEVICE_CUH

#include <sweep/detail/adjacent_difference/problem.hpp>
#include <sweep/detail/adjacent_difference/tile.cuh>
#include <sweep/detail/adjacent_difference/tuning.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The numbers of the architecture at hand. Own is the tag of the caller's plan.
template <class Problem, class Own>
struct adjacent_difference_config {
  static constexpr std::size_t widest =
      std::max(sizeof(typename Problem::raw), sizeof(typename Problem::out_value));
  static constexpr adjacent_difference_plan plan(int arch) {
    if constexpr (!std::is_same_v<Own, no_plan>) return Own::value;
    else
      return pick(adjacent_difference_table, [=](adjacent_difference_row const& row) {
        return arch >= static_cast<int>(row.since) && widest <= row.widest;
      });
  }
  static constexpr adjacent_difference_plan here = plan(arch_here());
  /// As many rows as the items of a block are where all blocks run at once, up to the plan's.
  static int tile_items(int arch, std::int64_t n, int multiprocessors) {
    auto const p = plan(arch);
    std::int64_t const row = p.threads * Problem::vector_items, at_once = row * p.blocks * multiprocessors,
                       most = vector_rows(p.rows, Problem::vector_items * widest);
    return static_cast<int>(row * std::clamp<std::int64_t>((n + at_once - 1) / at_once, 1, most));
  }
};

/// Every block has a tile of its own.
template <class Problem, class Config>
struct adjacent_difference_job {
  static constexpr int threads = Config::here.threads, blocks = Config::here.blocks;
  Problem problem;

  __device__ void operator()() const {
    using tile = adjacent_difference_tile<Problem, Config::here>;
    __shared__ typename tile::shared smem[threads / 32];
    tile(problem, std::int64_t{blockIdx.x}, smem[threadIdx.x / 32]);
  }
};

/// Keeps the neighbours of the tiles, before results take their places.
template <class Problem>
struct keep_neighbours_job {
  static constexpr int threads = 256, blocks = 1;
  Problem problem;
  typename Problem::raw* kept;

  __device__ void operator()() const {
    auto const tile = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    auto const i = problem.neighbour_of_tile(tile);
    if (tile < problem.grid.tiles() && i >= 0 && i < problem.grid.n)
      put_bytes(kept[tile], static_cast<typename Problem::raw>(problem.in[i]));
  }
};

template <class Source, class... Tags, class Problem>
void run_adjacent_difference(device_policy<Source, Tags...> const& policy, char const* call,
                             Problem problem) {
  using raw = typename Problem::raw;
  static_assert(relocatable<raw> && std::is_default_constructible_v<raw>,
                "sweep: on the device items must be trivially copyable and default constructible");
  using config = adjacent_difference_config<Problem, own_plan<adjacent_difference_plan, Tags...>>;
  using job = adjacent_difference_job<Problem, config>;
  if constexpr (has_checked<Tags...>) {
    if constexpr (std::is_pointer_v<decltype(problem.in)>) require_reachable(call, "first", problem.in);
    if constexpr (std::is_pointer_v<decltype(problem.out)>) require_reachable(call, "out", problem.out);
  }

  // Words of the output, or else of the input, fall on 16-byte boundaries, and tiles on lines.
  if constexpr (Problem::out_contiguous)
    problem.grid.shift = items_before_line<Problem::vector_items>(problem.out);
  else if constexpr (Problem::in_contiguous)
    problem.grid.shift = items_before_line<Problem::vector_items>(problem.in);
  int const arch = facts_of<job>(call).arch;
  problem.grid.tile_items = config::tile_items(arch, problem.grid.n, multiprocessors(call));
  auto const tiles = problem.grid.tiles();
  int const threads = config::plan(arch).threads;
  if constexpr (Problem::may_be_in_place)
    if (problem.in_place())
      return with_memory<raw>(policy, call, tiles, [&](auto const&, raw* kept) {
        using keep_job = keep_neighbours_job<Problem>;
        launch_job(call, policy.stream(), (tiles + keep_job::threads - 1) / keep_job::threads,
                   keep_job::threads, keep_job{problem, kept});
        problem.kept = kept;
        launch_job(call, policy.stream(), tiles, threads, job{problem});
      });
  launch_job(call, policy.stream(), tiles, threads, job{problem});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
