// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_DEVICE_CUH
#define SWEEP_DETAIL_SPMV_DEVICE_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/segmented_reduce/device.cuh>
#include <sweep/detail/segments/flagged.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tile/path_walk.cuh>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

template <class Problem>
inline constexpr path_shape path_shape_of = [] {
  constexpr auto value = sizeof(typename Problem::value);
  for (auto const& row : path_table)
    if (value <= row.value && Problem::item_bytes <= row.entry) return row.shape;
  return path_table[std::size(path_table) - 1].shape;
}();

/// A thread block with a share of the merge path for each of its warps. Shape of the path:
/// (blocks, warps, steps of a warp).
template <class Problem, class Tiles>
struct path_job {
  static constexpr path_shape shape = path_shape_of<Problem>;
  static constexpr int threads = shape.threads(), blocks = shape.blocks, warps = shape.warps;
  using V = typename Problem::value;
  using walk = path_walk<Problem, shape>;
  struct shared {
    typename walk::shared warps_of[warps];
    path_ends<V> ends[warps];
    std::int64_t tile;
  };
  static_assert(sizeof(shared) <= 48 << 10,
                "sweep: on the device values of a sparse product have at most 1 KiB");
  Problem problem;
  std::int64_t steps_of_warp;  ///< 0 where only the device knows how many entries there are
  Tiles tiles;
  ticket_counter tickets;

  __device__ void operator()() const {
    __shared__ shared smem;
    let_next_kernel_start();
    int const warp = static_cast<int>(threadIdx.x / 32);
    auto const n = problem.n >= 0
                       ? problem.n
                       : max(static_cast<std::int64_t>(problem.offsets[problem.count]), std::int64_t{0});
    if (threadIdx.x == 0) smem.tile = tickets.draw();
    __syncthreads();
    auto const tile = smem.tile, steps = problem.count + n, shares = std::int64_t{gridDim.x} * warps,
               each = steps_of_warp > 0 ? steps_of_warp : (steps + shares - 1) / shares,
               from = min((tile * warps + warp) * each, steps), to = min(from + each, steps);
    walk(problem, n, smem.warps_of[warp], smem.ends[warp])(place_on_path(n, from), place_on_path(n, to));
    __syncthreads();
    if (warp == 0) join(smem, tile);
  }

 private:
  /// Where the path has made d steps; a row ends with its last entry, wherever its own step lies.
  __device__ path_place place_on_path(std::int64_t n, std::int64_t d) const {
    if (d == 0) return {0, 0};  // behind no row's end
    auto const row = warp_find_first(0, problem.count, [&](std::int64_t r) {
      return static_cast<std::int64_t>(problem.offsets[r + 1]) + r >= d;
    });
    auto const entry = min(max(d - row, std::int64_t{0}), n);
    bool const ends_here =
        row < problem.count && static_cast<std::int64_t>(problem.offsets[row + 1]) == entry;
    return {row + ends_here, entry};
  }

  /// Rows that are cut, by a warp: a lane for each share.
  __device__ void join(shared& smem, std::int64_t tile) const {
    using T = flagged<V>;
    segmented_op<decltype(Problem::op)> op{problem.op};
    int const lane = static_cast<int>(threadIdx.x % 32);
    auto const& ends = smem.ends[min(lane, warps - 1)];
    T sum = ends.total.value();
    unsigned const have = warp_scan_some(sum, (2u << (warps - 1)) - 1, op);
    optional<T> before = tiles.publish_and_look_back(warp_lanes{}, tile, warp_shfl(sum, warps - 1), op);
    before = {warp_shfl(before.value, 0), __shfl_sync(~0u, before.present, 0) != 0};
    T const shares_before = warp_shfl_up(sum, 1);
    static_cast<void>(have);
    if (lane >= warps || ends.carried < 0) return;
    if (lane > 0) before = {combine(before, shares_before, op), true};
    problem.put(ends.carried, before.present ? static_cast<V>(op.op(before.value.value, ends.carry.value()))
                                             : ends.carry.value());
  }
};

/// Blocks that share a matrix whose number of entries the host does not know.
SWEEP_HD constexpr std::int64_t path_blocks_of_rows(std::int64_t rows) {
  constexpr std::int64_t least = 32, most = 4096, rows_of_block = 1024;
  auto const blocks = rows / rows_of_block;
  return blocks < least ? least : blocks < most ? blocks : most;
}

template <class Source, class Problem>
void spmv_on_path(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  using state = tile_state<flagged<typename Problem::value>, across_tiles::ordered_lookback>;
  using job = path_job<Problem, state>;
  bool const known = problem.n >= 0;
  auto const steps = problem.count + problem.n, each = known ? path_steps_of_warp(steps, job::warps) : 0,
             tiles = known ? (steps + each * job::warps - 1) / (each * job::warps)
                           : path_blocks_of_rows(problem.count);
  launch_state<Source> memory(policy.scratch_source(), call, policy.stream(), state::words(tiles));
  launch_job(call, policy.stream(), tiles, job::threads,
             job{problem, each, state(memory.tiles(), tiles, memory.stamp()), memory.tickets()});
  memory.launched(tiles);
}

/// Rows as segments, each folded by neighbouring lanes (segmented_reduce/tile/segment_groups.cuh).
template <class Problem>
struct row_groups_problem : Problem {
  tiling grid;
};
template <class Source, class Problem>
void spmv_by_row_vectors(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  reduce_by_groups(policy, call, row_groups_problem<Problem>{problem, {problem.n}});
}

template <class Source, class... Tags>
inline constexpr spmv_by spmv_variant<device_policy<Source, Tags...>> = chosen<spmv_by, Tags...>;

template <class Source, class... Tags, class Problem>
void run_spmv(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  auto const plain = without_tags(policy);
  if constexpr (chosen<spmv_by, Tags...> == spmv_by::row_vector) spmv_by_row_vectors(plain, call, problem);
  else spmv_on_path(plain, call, problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
