// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_DEVICE_CUH
#define SWEEP_DETAIL_RUN_LENGTH_DEVICE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/packed_value.hpp>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/run_length/problem.hpp>
#include <sweep/detail/run_length/tile/register_tile.cuh>
#include <sweep/detail/run_length/tile/staged_tile.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/device.cuh>
#include <sweep/variant.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Items of a lane that are worked on together, of at most so many bytes: so many that lanes begin in
/// different banks of shared memory and, where items are folded, that registers hold their folds.
template <class Problem>
struct runs_shape {
  static constexpr int key_bytes = Problem::stages_keys ? static_cast<int>(sizeof(typename Problem::key)) : 0,
                       staged_bytes = Problem::folds ? static_cast<int>(sizeof(typename Problem::staged)) : 0,
                       item_bytes = std::max(1, key_bytes + staged_bytes),
                       widest = std::max(key_bytes, staged_bytes);
  static constexpr bool wide = [] {  ///< folds, of which a lane's few take most of the registers
    if constexpr (Problem::folds) return sizeof(typename Problem::value) > 20;
    else return false;
  }();
  /// Of more bytes than a register has, each in one of its own.
  static constexpr bool dear = [] {
    if constexpr (Problem::folds)
      return spreads_in_registers<typename Problem::value> && sizeof(typename Problem::value) > 4;
    else return false;
  }();
  /// keeps: whether a lane keeps a fold for each of its items.
  static constexpr int lane_items(int bytes, bool keeps) {
    constexpr int unit = widest == 1 ? 4 : widest == 2 ? 2 : 1;
    int most = std::min(31, bytes / item_bytes);
    if (Problem::folds) {
      using value = typename Problem::value;
      // Of wide ones a few, that a warp's scan of lanes, and what tiles tell each other, serve more items.
      constexpr int size = static_cast<int>(sizeof(value));
      int const folds = keeps && spreads_in_registers<value> ? 33 / registers_of<value>
                        : wide && size <= 32                 ? 96 / size
                                                             : 64 / size;
      most = std::min(std::min(most, folds), 20);
    }
    int units = most / unit;
    if (units > 1 && units % 2 == 0) --units;
    return units == 0 ? std::max(most, 1) : units * unit;
  }
  /// Of narrow keys alone several rows of such.
  SWEEP_HD static constexpr int rows(int lane) {
    int const fit = 64 / (lane * item_bytes);
    return Problem::folds || fit < 1 ? 1 : fit;
  }
};

/// Tiles that blocks come and go for, of one size, and of fewer items where the input is small.
template <class Problem>
struct runs_config {
  using shape = runs_shape<Problem>;
  static constexpr int warps = [] {
    int most = 8;
    while (most > 1 && most * 32 * shape::item_bytes > 32 * 1024) most /= 2;
    return most;
  }();
  static constexpr int lane = shape::lane_items(120, true), small_lane = shape::lane_items(24, true);
  using tile = runs_register_tile<Problem, warps, lane, shape::rows(lane)>;
  using small_tile = runs_register_tile<Problem, warps, small_lane, 1>;
  static constexpr std::int64_t small_bytes = 2 << 20;

  struct no_stages {
    int stages = 0;
  };
  static constexpr no_stages plan(int) { return {}; }
  static constexpr std::size_t dynamic_bytes(int) { return 0; }
  static constexpr int threads_for(int, std::int64_t) { return tile::threads; }
  static constexpr int tile_items(int, int, std::int64_t n) {
    return n * shape::item_bytes < small_bytes ? small_tile::items : tile::items;
  }
};

/// Tiles are numbered in the order in which blocks claim them: a block waits only for blocks that run.
template <class Problem, class Tiles>
struct runs_job {
  using config = runs_config<Problem>;
  static constexpr int threads = config::tile::threads, blocks = runs_shape<Problem>::wide ? 2 : 4;
  Problem problem;
  Tiles tiles;
  ticket_counter tickets;

  __device__ void operator()() const {
    using tile = typename config::tile;
    using small_tile = typename config::small_tile;
    using small_shared = typename small_tile::shared;
    using shared = typename tile::shared;
    __shared__
        uninitialized<std::conditional_t<(sizeof(shared) < sizeof(small_shared)), small_shared, shared>>
            memory;
    __shared__ std::uint32_t claimed;
    if (threadIdx.x == 0) claimed = tickets.draw();
    __syncthreads();
    if constexpr (!std::is_same_v<small_tile, tile>)
      if (problem.grid.tile_items == small_tile::items)
        return small_tile(problem, reinterpret_cast<small_shared&>(memory), claimed).run(tiles);
    tile(problem, reinterpret_cast<shared&>(memory), claimed).run(tiles);
  }
};

/// Tiles in stages, of what lies in memory.
template <class Problem>
struct runs_staged_config {
  using shape = runs_shape<Problem>;
  /// Of items of whole words more warps have fewer a lane: what a chunk takes whatever it holds goes on side
  /// by side. Of narrow ones more warps find the runs, and more fold structs of bytes.
  static constexpr bool of_words = Problem::folds && shape::staged_bytes % 4 == 0 && shape::staged_bytes <= 8;
  static constexpr int chunks = of_words || (Problem::folds && shape::item_bytes <= 2) ? 12
                                : shape::dear                                          ? 10
                                                                                       : 8,
                       lane = shape::lane_items(of_words ? 88 : 120, false), least_stages = 3,
                       most_stages = Problem::folds ? 6 : 8;
  using layout = runs_in_stages<Problem, chunks, lane, shape::rows(lane)>;

  struct staged_plan {
    int stages = 0;
  };
  static constexpr staged_plan plan(int arch) {
    if (arch < 90) return {};
    int stages = most_stages;
    while (stages > 0 && layout::bytes(stages) > shared_bytes_of(arch)) --stages;
    return {stages < least_stages ? 0 : stages};
  }
  static constexpr staged_plan here = plan(arch_here());
  static constexpr std::size_t dynamic_bytes(int arch) { return layout::bytes(plan(arch).stages); }
  static constexpr int threads_for(int arch, std::int64_t) { return layout::threads(plan(arch).stages); }
  static constexpr int tile_items(int, int, std::int64_t) { return layout::items; }
};

template <class Problem, class Tiles>
struct runs_staged_job {
  using config = runs_staged_config<Problem>;
  static constexpr int threads = config::layout::threads(config::here.stages), blocks = 1;
  static constexpr std::size_t dynamic_bytes(int arch) { return config::dynamic_bytes(arch); }
  Problem problem;
  Tiles tiles;
  ticket_counter tickets;

  __device__ void operator()() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (config::here.stages > 0) {
      extern __shared__ __align__(128) unsigned char memory[];
      auto const claim = [this] { return std::int64_t{tickets.draw()}; };
      auto const publish = [this](auto const& lanes, std::int64_t tile, auto const& total) {
        auto op = problem.joining();
        return tiles.publish_and_look_back(lanes, tile, total, op);
      };
      using roles_type =
          runs_staged_tile<Problem, config::chunks, config::lane, config::shape::rows(config::lane),
                           config::here.stages, decltype(claim), decltype(publish)>;
      auto& smem = *reinterpret_cast<typename roles_type::shared*>(memory);
      roles_type roles(problem, smem, claim, publish);
      roles_type::block::run(smem.block, problem.grid.tiles(), roles);
    }
#endif
  }
};

/// Whether bulk copies can bring all that a problem reads: what its keys and its items are made of.
template <class Problem>
constexpr bool runs_lie_in_memory() {
  using key_source = source_of_t<decltype(Problem::keys)>;
  bool all = Problem::stages_keys && key_source::streams > 0 && !key_source::reads_elsewhere;
  if constexpr (Problem::folds) all = all && !Problem::source::reads_elsewhere;
  return all && runs_staged_config<Problem>::plan(90).stages > 0;
}

/// Runs are found in stages where tiles in registers, so many a multiprocessor, would not all run at once,
/// so that multiprocessors wait for the last of them. Tests lower it.
inline std::int64_t most_tiles_in_registers = 4;

/// One kernel finds the runs of keys and does with them what the problem says.
template <across_tiles How, class Source, class... Tags, class Problem>
void run_over_runs(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using state = tile_state<typename Problem::state, How>;
  auto const& source = policy.scratch_source();
  auto const stream = policy.stream();
  if constexpr (runs_lie_in_memory<Problem>()) {
    using job = runs_staged_job<Problem, state>;
    auto const at_once = most_tiles_in_registers * multiprocessors(call) * runs_config<Problem>::tile::items;
    if (problem.grid.n > at_once)
      if (auto const [arch, fits] = facts_of<job>(call);
          fits && runs_staged_config<Problem>::plan(arch).stages > 0)
        return launch_single_pass<job, runs_staged_config<Problem>, state>(source, call, stream, problem);
  }
  launch_single_pass<runs_job<Problem, state>, runs_config<Problem>, state>(source, call, stream, problem);
}

template <class Source, class... Tags, class Problem>
void run_run_length(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using key = typename Problem::key;
  static_assert(relocatable<key> && std::is_default_constructible_v<key>,
                "sweep: on the device items must be trivially copyable and default constructible");
  static_assert(sizeof(key) <= 256, "sweep: on the device an item may have at most 256 bytes");
  if constexpr (has_checked<Tags...>) {
    if (problem.grid.n > 0) {
      if constexpr (std::is_pointer_v<decltype(problem.keys)>) require_reachable(call, "first", problem.keys);
      if constexpr (std::is_pointer_v<decltype(problem.keys_out)>)
        require_reachable(call, "values", problem.keys_out);
      if constexpr (std::is_pointer_v<decltype(problem.out)>) require_reachable(call, "lengths", problem.out);
    }
    if constexpr (std::is_same_v<decltype(problem.count), integers>)
      require_reachable(call, "count", problem.count.first);
  }
  run_over_runs<across_tiles::ordered_lookback>(policy, call, problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
