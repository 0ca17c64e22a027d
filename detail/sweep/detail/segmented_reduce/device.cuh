// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_DEVICE_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_DEVICE_CUH

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/run_length/device.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/scan/device.cuh>
#include <sweep/detail/segmented_reduce/problem.hpp>
#include <sweep/detail/segmented_reduce/tile/path_tile.cuh>
#include <sweep/detail/segmented_reduce/tile/staged_tile.cuh>
#include <sweep/detail/segmented_reduce/tuning.hpp>
#include <sweep/detail/segmented_scan/device.cuh>
#include <sweep/detail/warp/search.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

template <class Problem>
struct segmented_reduce_config {
  static constexpr std::size_t item = sizeof(typename Problem::raw);
  static constexpr std::size_t staged_bytes(segmented_reduce_plan const& plan) {
    return segmented_reduce_staged_bytes(plan, Problem::vector_items, item, sizeof(typename Problem::value));
  }
  static constexpr segmented_reduce_plan plan(int arch) {
    return pick(segmented_reduce_table, [=](segmented_reduce_row const& row) {
      return arch >= static_cast<int>(row.since) && item <= row.item &&
             (row.plan.stages == 0 || staged_bytes(row.plan) <= shared_bytes_of(arch));
    });
  }
  static constexpr segmented_reduce_plan here = plan(arch_here());

  static constexpr std::size_t dynamic_bytes(int arch) {
    return plan(arch).stages > 0 ? staged_bytes(plan(arch)) : 0;
  }
  static constexpr int chunk_items(int arch) { return plan(arch).chunk_items(Problem::vector_items, item); }
  static constexpr int tile_items(int arch, int, std::int64_t) {
    return plan(arch).chunks * chunk_items(arch);
  }
  static constexpr int threads_for(int arch, std::int64_t) { return plan(arch).threads(); }
};

template <class Problem, class Tiles>
struct segmented_reduce_job {
  using config = segmented_reduce_config<Problem>;
  static constexpr int threads = config::here.stages > 0 ? config::here.threads() : 32, blocks = 1;
  static constexpr bool waits_itself = true;  ///< its marker does; items were there before the kernel before
  static constexpr std::size_t dynamic_bytes(int arch) { return config::dynamic_bytes(arch); }
  Problem problem;
  Tiles tiles;
  ticket_counter tickets;

  __device__ void operator()() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char memory[];
    segmented_op<decltype(problem.op)> op{problem.op};
    auto const claim = [this] { return std::int64_t{tickets.draw()}; };
    auto const publish = [&](auto const& lanes, std::int64_t tile, auto const& total) {
      return tiles.publish_and_look_back(lanes, tile, total, op);
    };
    using roles_type =
        segmented_reduce_staged_tile<Problem, config::here, decltype(claim), decltype(publish)>;
    auto& smem = *reinterpret_cast<typename roles_type::shared*>(memory);
    roles_type roles(problem, smem, op, claim, publish);
    roles_type::block::run(smem.block, problem.grid.tiles(), roles);
#endif
  }
};

/// before[i] = how many segments end before the i-th chunk of the tiles, or at its begin: those that begin
/// and end at item 0 belong to the first. Shape: (blocks, warps), a tile for each warp, all lanes together,
/// then its chunks, a lane each; one more warp looks up where the block's last tile ends.
template <class Offsets>
struct count_tails_job {
  static constexpr int tiles = 4, threads = 32 * (tiles + 1), blocks = 1;
  Offsets offsets;
  std::int64_t count;
  std::int64_t* before;
  tiling grid;
  int chunks, chunk_items;

  __device__ void operator()() const {
    let_next_kernel_start();
    __shared__ std::int64_t of_tile[tiles + 1];
    int const warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    auto const tile = std::int64_t{blockIdx.x} * tiles + warp;
    auto const first = warp_find_first(0, tile == 0 ? 0 : count, beyond(tile, 0));
    if (lane == 0) of_tile[warp] = first;
    __syncthreads();
    if (warp == tiles || tile > grid.tiles()) return;
    if (lane == 0) before[tile * chunks] = first;
    if (lane == 0 || lane >= chunks || tile == grid.tiles()) return;
    auto const ended = beyond(tile, lane);
    auto low = first, high = of_tile[warp + 1];
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (ended(middle)) high = middle;
      else low = middle + 1;
    }
    before[tile * chunks + lane] = low;
  }

 private:
  /// Whether segment s ends beyond where this chunk of a tile begins.
  __device__ auto beyond(std::int64_t tile, int chunk) const {
    auto const begin = min(tile * grid.tile_items + std::int64_t{chunk} * chunk_items - grid.shift, grid.n);
    return [=, this](std::int64_t s) { return static_cast<std::int64_t>(offsets[s + 1]) > begin; };
  }
};

/// Results take the items' places; lanes read items as words.
template <class Problem>
inline constexpr bool reduces_in_stages = [] {
  using raw = typename Problem::raw;
  using V = typename Problem::value;
  return std::is_pointer_v<decltype(Problem::in)> && relocatable<raw> && relocatable<V> &&
         std::is_default_constructible_v<V> && sizeof(raw) % 4 == 0 && sizeof(raw) <= 16 &&
         sizeof(V) <= sizeof(raw) && sizeof(raw) % alignof(V) == 0;
}();

/// A share of the merge path for each block.
template <class Problem>
struct segmented_path_job {
  using share_type = segmented_path_share<Problem>;
  using shape = path_shape<typename path_item<Problem>::type, typename Problem::value>;
  static constexpr int threads = shape::threads, blocks = shape::blocks;
  static constexpr std::size_t dynamic_bytes(int) { return shape::bytes(shape::most_groups); }
  Problem problem;
  path_grid grid;
  path_records<typename Problem::value> records;

  __device__ void operator()() const {
    let_next_kernel_start();
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ typename share_type::shared smem;
    segmented_op<decltype(problem.op)> op{problem.op};
    share_type share(problem, grid, smem, memory, op);
    share(blockIdx.x, records);
  }
};

/// How the path of so many items and segments is cut. Part of what fixes the bits, so nothing of the
/// machine's.
template <class Shape>
path_grid path_grid_of(std::int64_t n, std::int64_t count) {
  constexpr std::int64_t few = 512, most = 128 * Shape::blocks;  // tiles and shares that all run at once
  path_grid grid{n, count, n + Shape::weight * count, 1, Shape::tile_steps(1), 0, 0};
  auto const tiles = [&] { return (grid.steps + grid.tile_steps - 1) / grid.tile_steps; };
  bool const one = grid.steps <= Shape::tile_steps(Shape::most_groups);  // a block does, and joins nothing
  while (grid.groups < Shape::most_groups && tiles() > (one ? 1 : few)) {
    grid.groups += 2;
    grid.tile_steps = Shape::tile_steps(grid.groups);
  }
  auto const tiles_of_share = (tiles() + most - 1) / most;
  grid.share_steps = tiles_of_share * grid.tile_steps;
  grid.shares = (grid.steps + grid.share_steps - 1) / grid.share_steps;
  return grid;
}

/// One kernel, for segments and items of any kind and number.
template <class Source, class Problem>
void reduce_along_path(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  using job = segmented_path_job<Problem>;
  using records = path_records<typename Problem::value>;
  auto const grid = path_grid_of<typename job::shape>(problem.grid.n, problem.count);
  auto const launch = [&](records const& at) {
    launch_job(call, policy.stream(), grid.shares, job::threads, job{problem, grid, at},
               job::shape::bytes(grid.groups));
  };
  if (grid.shares == 1) return launch({});
  launch_state<Source> memory(policy.scratch_source(), call, policy.stream(), records::words(grid.shares));
  launch({memory.tiles(), grid.shares, memory.stamp(), memory.tickets()});
  memory.launched(grid.shares);
}

/// From how many bytes of items on they are reduced in stages, where they can be.
inline constexpr std::int64_t reduced_in_stages_bytes = std::int64_t{8} << 20;

/// Two kernels, where the device has bulk copies and the shared memory; else nothing is done.
template <class Source, class Problem>
bool run_in_stages(device_policy<Source> const& policy, char const* call, Problem problem) {
  using state = tile_state<flagged<typename Problem::value>, across_tiles::ordered_lookback>;
  using config = segmented_reduce_config<Problem>;
  using job = segmented_reduce_job<Problem, state>;
  auto const [arch, fits] = facts_of<job>(call);
  auto const plan = config::plan(arch);
  if (plan.stages == 0 || !fits) return false;
  problem.grid.shift = items_before_vector<Problem::vector_items>(problem.in);
  problem.grid.tile_items = config::tile_items(arch, 0, problem.grid.n);
  auto const tiles = problem.grid.tiles();
  int const chunks = plan.chunks, chunk_items = config::chunk_items(arch);
  with_memory<std::int64_t>(policy, call, tiles * chunks + 1, [&](auto const& rest, std::int64_t* before) {
    using count_job = count_tails_job<decltype(problem.offsets)>;
    launch_job(call, policy.stream(), tiles / count_job::tiles + 1, count_job::threads,
               count_job{problem.offsets, problem.count, before, problem.grid, chunks, chunk_items});
    problem.segments_before = before;
    launch_single_pass<job, config, state>(rest.scratch_source(), call, policy.stream(), problem);
  });
  return true;
}

template <class Source, class Problem>
void run_segmented_reduce(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  if constexpr (reduces_in_stages<Problem>)
    if (problem.grid.n >=
            reduced_in_stages_bytes / static_cast<std::int64_t>(sizeof(typename Problem::raw)) &&
        run_in_stages(policy, call, problem))
      return;
  reduce_along_path(policy, call, problem);
}

// A way that needs no list of the segments that have items, for policies without variants and plans.

template <class V, class Source, class... Tags, class In, class It, class Out, class Op, class Unary,
          class Result>
  requires((is_on<Tags, checked_t> && ...))
std::true_type reduce_by_offsets(device_policy<Source, Tags...> const& policy, char const* call, In const& in,
                                 std::int64_t const& n, offset_segments<It> const& segments, Out const& out,
                                 Op const& op, Unary const& unary, Result const& result) {
  using problem = segmented_reduce_problem<V, In, unwrapped_t<It>, Out, Op, Unary, Result>;
  run_segmented_reduce(
      without_tags(policy), call,
      problem{in, unwrapped(segments.offsets), segments.count, out, op, unary, result, nullptr, {n}});
  return {};
}

/// Lengths become offsets first.
template <class V, class Source, class... Tags, class In, class It, class Out, class Op, class Unary,
          class Result>
  requires((is_on<Tags, checked_t> && ...))
std::true_type reduce_by_offsets(device_policy<Source, Tags...> const& policy, char const* call, In const& in,
                                 std::int64_t const& n, length_segments<It> const& segments, Out const& out,
                                 Op const& op, Unary const& unary, Result const& result) {
  using problem = segmented_reduce_problem<V, In, std::int64_t const*, Out, Op, Unary, Result>;
  with_memory<std::int64_t>(
      without_tags(policy), call, segments.count + 1, [&](auto const& rest, std::int64_t* offsets) {
        clear_scratch(call, policy.stream(), offsets, sizeof *offsets);
        run_scan(rest, call,
                 scan_problem<scan_kind::inclusive, direction::forward, std::int64_t, unwrapped_t<It>,
                              std::int64_t*, plus, identity>{
                     unwrapped(segments.lengths), offsets + 1, {}, {}, {}, {segments.count}});
        run_segmented_reduce(rest, call,
                             problem{in,
                                     static_cast<std::int64_t const*>(offsets),
                                     segments.count,
                                     out,
                                     op,
                                     unary,
                                     result,
                                     nullptr,
                                     {n}});
      });
  return {};
}

/// Reductions of runs of keys take one pass, whatever look-back they are asked for.
template <class Source, class... Tags>
inline constexpr bool reduces_runs_in_one_pass<device_policy<Source, Tags...>> =
    (is_on<Tags, across_tiles, checked_t> && ...) &&
    chosen<across_tiles, Tags...> != across_tiles::reduce_then_scan&& chosen<across_tiles, Tags...> !=
        across_tiles::scan_then_propagate;

template <class Source, class... Tags, class Problem>
void reduce_runs_in_one_pass(device_policy<Source, Tags...> const& policy, char const* call,
                             Problem const& problem) {
  if constexpr (has_checked<Tags...>) {
    auto const require = [call](char const* argument, auto const& it) {
      if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(it)>>)
        require_reachable(call, argument, it);
    };
    require("keys_first", problem.keys);
    require("values", problem.in);
    require("keys_out", problem.keys_out);
    require("out", problem.out);
  }
  run_over_runs<chosen<across_tiles, Tags...>>(policy, call, problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
