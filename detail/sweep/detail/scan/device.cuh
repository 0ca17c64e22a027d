// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_DEVICE_CUH
#define SWEEP_DETAIL_SCAN_DEVICE_CUH

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/single_pass.cuh>
#include <sweep/detail/scan/agent.hpp>
#include <sweep/detail/scan/problem.hpp>
#include <sweep/detail/scan/spine.cuh>
#include <sweep/detail/scan/tile/register_tile.cuh>
#include <sweep/detail/scan/tile/shared_memory_tile.cuh>
#include <sweep/detail/scan/tile/staged_tile.cuh>
#include <sweep/detail/scan/tuning.hpp>
#include <sweep/device.cuh>

namespace sweep::detail {

/// How blocks scan their tiles, with the numbers of the architecture at hand.
template <class Problem, pass Pass, within_tile How, class... Choices>
struct scan_config {
  static constexpr std::size_t bytes = scan_table_bytes(
      sizeof(typename Problem::raw), sizeof(typename Problem::out_value), sizeof(typename Problem::value));
  static constexpr scan_plan plan(int arch) {
    if constexpr (chooses<axis::scan_plan, Choices...>) {
      auto own = chosen<axis::scan_plan, scan_plan{}, Choices...>;
      if (Pass == pass::one_tile && own.stages > 0) own = pick(scan_table, arch, bytes);
      return own;
    } else {
      // Results take the items' places in a stage, whose words are of 16 bytes.
      constexpr bool segmented = Problem::heads_type::segmented;
      constexpr bool in_place = sizeof(typename Problem::raw) == sizeof(typename Problem::out_value) &&
                                std::is_trivially_copyable_v<typename Problem::out_value>;
      constexpr bool in_stages = (!segmented || Problem::heads_type::packed_heads) &&
                                 (in_place || (Problem::writes_at_tails && Problem::in_contiguous)) &&
                                 Problem::vector_items * sizeof(typename Problem::raw) % 16 == 0;
      auto const picked = Pass == pass::tiny                  ? pick(scan_tiny_table, arch, bytes)
                          : Pass == pass::small && segmented  ? pick(segmented_small_table, arch, bytes)
                          : Pass == pass::small               ? pick(scan_small_table, arch, bytes)
                          : Pass != pass::stays || !in_stages ? pick(scan_table, arch, bytes)
                          : segmented ? pick(segmented_stage_table, arch, sizeof(typename Problem::raw))
                                      : pick(scan_stage_table, arch, bytes);
      return with_words_of(picked, Problem::vector_items * sizeof(typename Problem::raw));
    }
  }
  static constexpr scan_plan here = plan(arch_here());
  using tile = scan_register_tile<Problem, here>;
  static constexpr int threads = here.threads, blocks = here.blocks;

  static constexpr std::size_t dynamic_bytes(int arch) {
    auto const p = plan(arch);
    return p.stages > 0 ? scan_staged_bytes(p, Problem::vector_items * sizeof(typename Problem::raw),
                                            sizeof(typename Problem::value),
                                            Problem::heads_type::segmented ? Problem::vector_items : 0)
                        : 0;
  }
  static int tile_items(int arch, int block_threads) {
    auto const p = plan(arch);
    return (p.stages > 0 ? 32 * chunks_of(p) : block_threads - 32) * p.rows * Problem::vector_items;
  }
  /// Threads of a block for n items: fewer where the tiles would not reach all multiprocessors. Part of what
  /// fixes the result's bits, so it depends on nothing but the plan and n.
  static int threads_for(int arch, std::int64_t n) {
    auto const p = plan(arch);
    int block_threads = p.threads;
    while (p.stages == 0 && block_threads > 64 && n < std::int64_t{16} * tile_items(arch, block_threads))
      block_threads = std::max(64, block_threads / 64 * 32);
    return block_threads;
  }
};

template <class Problem, pass Pass, within_tile How, class... Choices>
  requires(How != within_tile::warp_shuffle)
struct scan_config<Problem, Pass, How, Choices...> {
  static constexpr scan_plan here{.stages = 0};
  using tile = scan_shared_memory_tile<Problem, How>;
  static constexpr int threads = tile::threads, blocks = 1;
  static constexpr scan_plan plan(int) { return here; }
  static constexpr std::size_t dynamic_bytes(int) { return 0; }
  static int threads_for(int, std::int64_t) { return threads; }
  static int tile_items(int, int) { return tile::items; }
};

/// Tiles are numbered in the order in which blocks claim them: a block waits only for blocks that run.
template <class Problem, class Choice, class Tiles, writes What>
struct scan_job {
  static constexpr int threads = Choice::threads, blocks = Choice::blocks;
  static constexpr std::size_t dynamic_bytes(int arch) { return Choice::dynamic_bytes(arch); }
  Problem problem;
  Tiles tiles;
  ticket_counter tickets;  ///< none where tiles need not be claimed in order

  /// Its loader does: items can be fetched while their heads are still being made.
  static constexpr bool waits_itself = Choice::here.stages > 0 && Problem::heads_type::segmented;

  __device__ void operator()() const {
    if constexpr (waits_itself)
      if (!problem.heads.source.from_previous_kernel) wait_for_kernel_before();
    if constexpr (Choice::here.stages > 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      extern __shared__ __align__(128) unsigned char memory[];
      auto op = problem.op;
      auto const claim = [this] { return std::int64_t{tickets.draw()}; };
      auto const publish = [&](auto const& lanes, std::int64_t tile, typename Problem::value const& total) {
        return publish_total(lanes, tiles, problem, tile, total, op, no_work{});
      };
      scan_staged_tile<Problem, Choice::here, decltype(claim), decltype(publish)> roles(problem, op, claim,
                                                                                        publish);
      using block = typename decltype(roles)::block;
      block::run(*reinterpret_cast<typename block::shared*>(memory), problem.grid.tiles(), roles);
#endif
    } else {
      using tile_type = typename Choice::tile;
      __shared__ typename tile_type::shared smem;
      __shared__ std::uint32_t claimed;
      if (threadIdx.x == 0) claimed = tickets.at ? tickets.draw() : blockIdx.x;
      __syncthreads();
      tile_type tile(problem, smem);
      scan_tile<What>(tile, tiles, problem, std::int64_t{claimed});
    }
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

/// The forms of one kernel.
template <class Choice, across_tiles Across, class Source, class Problem>
void scan_in_one_pass(Source const& source, char const* call, cudaStream_t stream, Problem const& problem) {
  using state = tile_state<typename Problem::value, Across>;
  launch_one_pass<scan_job<Problem, Choice, state, writes::results>, Choice, state>(source, call, stream,
                                                                                    problem);
}

/// The forms of three kernels: totals of tiles (or their local results too), the scan of the totals, the
/// results.
template <across_tiles Across, within_tile Within, class... Choices, class Source, class Problem>
void run_three_passes(Source const& source, char const* call, cudaStream_t stream, Problem problem) {
  using T = typename Problem::value;
  constexpr bool reads_twice = Across == across_tiles::reduce_then_scan;
  auto first_pass = [&] {
    if constexpr (reads_twice) return problem.without_init();
    else return problem.without_init().writing_to(static_cast<T*>(nullptr));
  }();
  using first_problem = decltype(first_pass);
  using choice = scan_config<first_problem, pass::one_tile, Within, Choices...>;
  using first_job =
      scan_job<first_problem, choice, collected_totals<T>, reads_twice ? writes::totals : writes::results>;
  int const arch = arch_of<first_job>(call), threads = choice::threads_for(arch, problem.grid.n);
  problem.grid.tile_items = choice::tile_items(arch, threads);
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
  check(cudaMemsetAsync(totals, 0, totals_bytes, stream), call, "cudaMemsetAsync");
  auto* const local = reinterpret_cast<T*>(static_cast<std::byte*>(memory.memory()) + totals_bytes);
  if constexpr (!reads_twice) first_pass.out = local;
  launch_job(call, stream, tiles, threads, first_job{first_pass, {totals}, {}});
  launch_job(call, stream, 1, 256,
             spine_job<T, decltype(problem.op)>{totals, tiles, problem.init, problem.op});
  if constexpr (reads_twice) {
    using last_job = scan_job<Problem, choice, known_prefixes<T>, writes::results>;
    launch_job(call, stream, tiles, threads, last_job{problem, {totals}, {}});
  } else {
    auto const blocks = std::min<std::int64_t>((problem.grid.n + 255) / 256, 1 << 16);
    launch_job(call, stream, blocks, 256, propagate_job<Problem, T>{problem, local, totals});
  }
}

template <class Source, class... Choices, class Problem>
void run_scan(device_policy<Source, Choices...> const& policy, char const* call, Problem problem) {
  using T = typename Problem::value;
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>,
                "sweep: on the device the accumulator must be trivially copyable and default constructible");
  static_assert(!chooses<axis::reduce_by, Choices...> && !chooses<axis::reduce_plan, Choices...>,
                "sweep: this policy carries a variant or plan of reduce, which a scan does not have");
  static_assert(!chooses_compaction<Choices...>,
                "sweep: this policy carries a variant or plan of compactions, which a scan does not have");
  constexpr auto across = chosen<axis::across_tiles, across_tiles::ordered_lookback, Choices...>;
  constexpr auto within = chosen<axis::within_tile, within_tile::warp_shuffle, Choices...>;
  auto const stream = policy.stream();
  auto const& source = policy.scratch_source();
  if (policy.is_checked()) {
    if constexpr (std::is_pointer_v<decltype(problem.in)>) require_reachable(call, "first", problem.in);
    if constexpr (std::is_pointer_v<decltype(problem.out)>) require_reachable(call, "out", problem.out);
  }

  // Words of the output, or else of the input, fall on 16-byte boundaries.
  if constexpr (within == within_tile::warp_shuffle) {
    if constexpr (Problem::out_contiguous)
      problem.grid.shift = items_before_vector<Problem::vector_items>(problem.out);
    else if constexpr (Problem::in_contiguous)
      problem.grid.shift = items_before_vector<Problem::vector_items>(problem.in);
  }

  if constexpr (across == across_tiles::reduce_then_scan || across == across_tiles::scan_then_propagate) {
    run_three_passes<across, within, Choices...>(source, call, stream, problem);
  } else {
    constexpr bool may_be_small =
        within == within_tile::warp_shuffle && !chooses<axis::scan_plan, Choices...>;
    // Large segmented inputs come with their heads in words (segmented_scan/device.cuh).
    constexpr bool small_source =
        may_be_small && Problem::heads_type::segmented && !Problem::heads_type::packed_heads;
    if constexpr (may_be_small) {
      using tiny = scan_config<Problem, pass::tiny, within, Choices...>;
      using small = scan_config<Problem, pass::small, within, Choices...>;
      constexpr bool differ = tiny::plan(1000) != small::plan(1000);  // the same for all that is compiled
      if constexpr (differ)
        if (scan_is_tiny(problem.grid.n, sizeof(typename Problem::raw)))
          return scan_in_one_pass<tiny, across>(source, call, stream, problem);
      if (small_source || scan_is_small(problem.grid.n, sizeof(typename Problem::raw)))
        return scan_in_one_pass<small, across>(source, call, stream, problem);
    }
    if constexpr (!small_source)
      scan_in_one_pass<scan_config<Problem, pass::stays, within, Choices...>, across>(source, call, stream,
                                                                                      problem);
  }
}

}  // namespace sweep::detail

#endif
