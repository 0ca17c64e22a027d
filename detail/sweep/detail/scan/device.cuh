// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_DEVICE_CUH
#define SWEEP_DETAIL_SCAN_DEVICE_CUH

#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/scan/agent.hpp>
#include <sweep/detail/scan/config.cuh>
#include <sweep/detail/scan/problem.hpp>
#include <sweep/detail/scan/spine.cuh>
#include <sweep/detail/scan/tile/staged_tile.cuh>
#include <sweep/detail/scan/tuning.hpp>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Tiles are numbered in the order in which blocks claim them: a block waits only for blocks that run.
template <class Problem, class Config, class Tiles, writes What>
struct scan_job {
  static constexpr int threads = Config::threads, blocks = Config::blocks;
  static constexpr std::size_t dynamic_bytes(int arch) { return Config::dynamic_bytes(arch); }
  Problem problem;
  Tiles tiles;
  ticket_counter tickets;  ///< none where tiles need not be claimed in order

  /// The loader waits just before it reads head bits, so that items are fetched while the kernel before packs
  /// them.
  static constexpr bool waits_itself = Config::here.stages == 0 || Problem::heads_type::segmented;
  static constexpr bool needs_no_state_alone = true;  ///< in registers

  __device__ void operator()() const {
    if constexpr (waits_itself && Config::here.stages > 0)
      if (!problem.heads.source.from_previous_kernel) wait_for_kernel_before();
    if constexpr (Config::here.stages > 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      extern __shared__ __align__(128) unsigned char memory[];
      auto op = problem.op;
      auto const claim = [this] { return std::int64_t{tickets.draw()}; };
      using publisher = scan_publisher<Tiles, Problem, decltype(op)>;
      publisher const publish{tiles, problem, op};
      using tile = scan_staged_tile<Problem, Config::here, Config::shape, decltype(claim), publisher>;
      auto& shared = *reinterpret_cast<typename tile::shared*>(memory);
      tile roles(problem, shared.results, op, claim, publish);
      tile::block::run(shared.stages, problem.grid.tiles(), roles);
      await_bulk_reads<0>();
#endif
    } else {
      if constexpr (Config::has_lone && What == writes::results)
        if (problem.grid.n <= Config::lone_tile::items) {
          __shared__ typename Config::lone_tile::shared smem;
          return typename Config::lone_tile(problem, smem).scan();
        }
      if constexpr (!std::is_same_v<typename Config::tiny_tile, typename Config::tile>)
        if (problem.grid.tile_items ==
            (static_cast<int>(blockDim.x) - 32) * Config::tiny_tile::rows * Problem::vector_items)
          return scan_one<typename Config::tiny_tile>();
      scan_one<typename Config::tile>();
    }
  }

 private:
  template <class Tile>
  __device__ void scan_one() const {
    __shared__ std::uint32_t claimed;
    __shared__ typename Tile::shared smem;
    auto tile = [&] {
      if constexpr (Config::may_set_aside) {
        extern __shared__ __align__(128) unsigned char memory[];
        return Tile(problem, smem, reinterpret_cast<uint4*>(memory));
      } else {
        return Tile(problem, smem);
      }
    }();
    // Tickets are drawn before the kernel before is done: it has let this one start when its own were drawn.
    // The tile waits for it just before it reads.
    if (threadIdx.x == 0) claimed = tickets.at ? tickets.draw() : blockIdx.x;
    if constexpr (!requires { requires Tile::follows_itself; }) follow_kernel_before();
    __syncthreads();
    scan_tile<What>(tile, tiles, problem, std::int64_t{claimed});
  }
};

/// out = what came before the tile o what the tile's own scan gave.
template <class Problem, class T>
struct propagate_job {
  static constexpr int threads = 256, blocks = 1;
  Problem problem;
  T const* local;
  T const* totals;

  __device__ void operator()() const {
    auto op = problem.op;
    auto const stride = std::int64_t{gridDim.x} * threads;
    for (auto i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < problem.grid.n; i += stride)
      propagate_item(problem, problem.grid.place(i) / problem.grid.tile_items, local, totals, i, op);
  }
};

/// The forms of three kernels: totals of tiles (or their local results too), the scan of the totals, the
/// results.
template <across_tiles Across, within_tile Within, class Own, class Source, class Problem>
void scan_in_three_passes(Source const& source, char const* call, cudaStream_t stream, Problem problem) {
  using T = typename Problem::value;
  constexpr bool reads_twice = Across == across_tiles::reduce_then_scan;
  auto first_pass = [&] {
    if constexpr (reads_twice) return problem.without_init();
    else return problem.without_init().writing_to(static_cast<T*>(nullptr));
  }();
  using first_problem = decltype(first_pass);
  using config = scan_config<first_problem, size_class::large, Within, Own, passes::three>;
  using first_job =
      scan_job<first_problem, config, collected_totals<T>, reads_twice ? writes::totals : writes::results>;
  int const arch = facts_of<first_job>(call).arch, threads = config::threads_for(arch, problem.grid.n);
  problem.grid.tile_items = config::tile_items(arch, threads, problem.grid.n);
  if constexpr (!reads_twice) problem.grid.shift = 0;
  auto const tiles = problem.grid.tiles();
  first_pass.grid = problem.grid;

  // (tiles) totals, then, to propagate, (n) local results
  auto const totals_bytes = (static_cast<std::size_t>(tiles) * sizeof(T) + scratch_alignment - 1) /
                            scratch_alignment * scratch_alignment;
  scratch<Source> memory(source, call, stream,
                         totals_bytes +
                             (reads_twice ? 0 : static_cast<std::size_t>(problem.grid.n) * sizeof(T)));
  auto* const totals = static_cast<T*>(memory.memory());
  // Totals are read with their padding, which nobody writes.
  clear_scratch(call, stream, totals, totals_bytes);
  auto* const local = reinterpret_cast<T*>(static_cast<std::byte*>(memory.memory()) + totals_bytes);
  if constexpr (!reads_twice) first_pass.out = local;
  launch_job(call, stream, tiles, threads, first_job{first_pass, {totals}, {}});
  launch_job(call, stream, 1, 256,
             spine_job<T, decltype(problem.op)>{totals, tiles, problem.init, problem.op});
  if constexpr (reads_twice) {
    using last_job = scan_job<Problem, config, known_prefixes<T>, writes::results>;
    launch_job(call, stream, tiles, threads, last_job{problem, {totals}, {}});
  } else {
    auto const blocks = std::min<std::int64_t>((problem.grid.n + 255) / 256, 1 << 16);
    launch_job(call, stream, blocks, 256, propagate_job<Problem, T>{problem, local, totals});
  }
}

/// Whether a large scan of a policy without tags passes through the stages of a pipeline on this device.
template <class Problem>
bool scans_in_stages(char const* call) {
  using config = scan_config<Problem, size_class::large, within_tile{}, no_plan>;
  using state = tile_state<typename Problem::value, across_tiles{}>;
  auto const [arch, fits] = facts_of<scan_job<Problem, config, state, writes::results>>(call);
  return fits && config::plan(arch).stages > 0;
}

/// Size: what the input can be, where the caller knows; fewer kernels then.
template <size_class Size = size_class::any, class Source, class... Tags, class Problem>
void run_scan(device_policy<Source, Tags...> const& policy, char const* call, Problem problem) {
  using T = typename Problem::value;
  static_assert(relocatable<T> && std::is_default_constructible_v<T>,
                "sweep: on the device the accumulator must be trivially copyable and default constructible");
  constexpr auto across = chosen<across_tiles, Tags...>;
  constexpr auto within = chosen<within_tile, Tags...>;
  using own = own_plan<scan_plan, Tags...>;
  auto const stream = policy.stream();
  auto const& source = policy.scratch_source();
  if constexpr (has_checked<Tags...>) {
    if constexpr (std::is_pointer_v<decltype(problem.in)>) require_reachable(call, "first", problem.in);
    if constexpr (std::is_pointer_v<decltype(problem.out)>) require_reachable(call, "out", problem.out);
  }

  // In registers vectors of the output, or else of the input, fall on 16-byte boundaries. In stages tiles
  // begin with the first item, wherever it lies.
  auto const shifted = [&] {
    auto same = problem;
    auto const align = [&](auto const& streams) {
      auto const first = streams.template stream<0>();
      if constexpr (!first.reversed)
        same.grid.shift = items_before_vector<Problem::vector_items>(first.first);
    };
    if constexpr (within == within_tile::warp_shuffle) {
      if constexpr (Problem::writes_streams) align(Problem::sink_under(problem.out));
      else if constexpr (Problem::in_contiguous || Problem::reads_side_by_side) align(source_of(problem.in));
    }
    return same;
  };

  if constexpr (across == across_tiles::reduce_then_scan || across == across_tiles::scan_then_propagate) {
    scan_in_three_passes<across, within, own>(source, call, stream, shifted());
  } else {
    using state = tile_state<T, across>;
    using small = scan_config<Problem, size_class::small, within, own>;
    using large = scan_config<Problem, size_class::large, within, own>;
    using small_job = scan_job<Problem, small, state, writes::results>;
    using large_job = scan_job<Problem, large, state, writes::results>;
    auto const launch = [&]<class Job, class Config>(std::type_identity<Job>, std::type_identity<Config>) {
      auto const [arch, fits] = facts_of<Job>(call);
      auto const given = Config::plan(arch).stages > 0 ? problem : shifted();
      if constexpr (requires { typename Config::in_registers; })
        if (!fits && Config::plan(arch).stages == 0)
          return launch_single_pass<Job, typename Config::in_registers, state>(source, call, stream, given);
      launch_single_pass<Job, Config, state>(source, call, stream, given);
    };
    constexpr std::type_identity<small_job> in_small_job{};
    constexpr std::type_identity<large_job> in_large_job{};
    constexpr std::type_identity<small> as_small{};
    constexpr std::type_identity<large> as_large{};
    if constexpr (Size == size_class::small || same_plans<small, large>) {
      launch(in_small_job, as_small);
    } else if constexpr (Size == size_class::large) {
      launch(in_large_job, as_large);
    } else {
      auto const [arch, fits] = facts_of<large_job>(call);
      // In registers, parts of items that are narrower than words are put together one by one.
      constexpr int by_parts =
          has_narrow_parts<typename Problem::source> || has_narrow_parts<typename Problem::sink> ? 2 : 1;
      // Where results are narrower than items, a stage has fewer items, and gains later than with the second
      // wave of tiles; where items are read elsewhere, while tiles wait others read.
      constexpr std::size_t item = sizeof(typename Problem::raw),
                            result = sizeof(typename Problem::out_value);
      constexpr int waves = large::shape.gathers ? result < 4 ? 3 : 2 : item > result ? 2 : 1;
      bool is_small = large::shape.segmented
                          ? scan_is_small(problem.grid.n, scan_bytes<Problem>, Problem::writes_at_tails)
                          : problem.grid.n <= waves * small::one_wave(arch) / by_parts;
      if constexpr (!large::shape.segmented && small::may_set_aside)
        is_small = is_small || problem.grid.n <= small::most_resident(arch);
      if (is_small || !fits) launch(in_small_job, as_small);
      else launch(in_large_job, as_large);
    }
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
