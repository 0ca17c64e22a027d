// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_DEVICE_CUH
#define SWEEP_DETAIL_PARTITION_DEVICE_CUH

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/partition/agent.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/partition/tile/register_tile.cuh>
#include <sweep/detail/partition/tile/staged_tile.cuh>
#include <sweep/detail/partition/tuning.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/single_pass.cuh>
#include <sweep/detail/scan/spine.cuh>
#include <sweep/device.cuh>

namespace sweep::detail {

/// How blocks compact their tiles, with the numbers of the architecture at hand.
template <class Problem, pass Pass, class... Choices>
struct partition_config {
  static constexpr std::size_t item = sizeof(typename Problem::raw);
  static constexpr partition_plan in_registers(partition_plan picked) {
    picked.rows = partition_rows(picked.rows, Problem::vector_items * item);
    if (Problem::parts == 3) {  // the leader holds pairs of counts, the others two masks a word
      picked.threads = std::max(64, picked.threads / 128 * 96);
      picked.rows = std::max(1, picked.rows - 1);
    }
    return picked;
  }
  /// More parts have more marks: as many chunks less as it takes.
  static constexpr partition_plan in_shared_memory(partition_plan picked) {
    while (partition_staged_bytes<Problem>(picked) > most_shared_bytes) picked.threads -= 64;
    return picked;
  }
  static constexpr partition_plan plan(int arch) {
    if constexpr (chooses<axis::partition_plan, Choices...>) {
      auto own = chosen<axis::partition_plan, partition_plan{}, Choices...>;
      if (own.stages > 0 && (Pass == pass::one_tile || !partitions_in_stages<Problem>))
        own = in_registers(pick(partition_table, arch, item));
      return own;
    } else {
      if constexpr (Pass == pass::stays && partitions_in_stages<Problem>)
        if (auto const staged = !Problem::tests_items ? pick(partition_stencil_stage_table, arch, item)
                                : Problem::written == Problem::parts
                                    ? pick(partition_all_stage_table, arch, item)
                                    : pick(partition_stage_table, arch, item);
            staged.stages > 0)
          return in_shared_memory(staged);
      return in_registers(Pass == pass::small ? pick(partition_small_table, arch, item)
                                              : pick(partition_table, arch, item));
    }
  }
  static constexpr partition_plan here = plan(arch_here());

  static constexpr std::size_t dynamic_bytes(int arch) {
    auto const p = plan(arch);
    return p.stages > 0 ? partition_staged_bytes<Problem>(p) : 0;
  }
  static int tile_items(int arch, int block_threads) {
    auto const p = plan(arch);
    return p.stages > 0 ? 32 * chunks_of(p) * p.rows : (block_threads - 32) * p.rows * Problem::vector_items;
  }
  /// Threads of a block for n items: fewer where the tiles would not reach all multiprocessors.
  static int threads_for(int arch, std::int64_t n) {
    auto const p = plan(arch);
    int block_threads = p.threads;
    while (p.stages == 0 && block_threads > 64 && n < std::int64_t{64} * tile_items(arch, block_threads))
      block_threads = std::max(64, block_threads / 64 * 32);
    return block_threads;
  }
};

/// Tiles are numbered in the order in which blocks claim them: a block waits only for blocks that run.
template <class Problem, class Choice, class Tiles, writes What>
struct partition_job {
  static constexpr int threads = Choice::here.threads, blocks = Choice::here.blocks;
  static constexpr std::size_t dynamic_bytes(int arch) { return Choice::dynamic_bytes(arch); }
  Problem problem;
  Tiles tiles;
  ticket_counter tickets;  ///< none where tiles need not be claimed in order

  __device__ void operator()() const {
    if constexpr (Choice::here.stages > 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      extern __shared__ __align__(128) unsigned char memory[];
      auto const claim = [this] { return std::int64_t{tickets.draw()}; };
      auto const publish = [&](auto const& lanes, std::int64_t tile, typename Problem::counts const& total) {
        return publish_counts<writes::results>(lanes, tiles, problem, tile, total);
      };
      using roles_type = partition_staged_tile<Problem, Choice::here, decltype(claim), decltype(publish)>;
      auto& smem = *reinterpret_cast<typename roles_type::shared*>(memory);
      roles_type roles(problem, smem, claim, publish);
      roles_type::block::run(smem.block, problem.grid.tiles(), roles);
#endif
    } else {
      using tile_type = partition_register_tile<Problem, Choice::here>;
      __shared__ typename tile_type::shared smem;
      __shared__ std::uint32_t claimed;
      if (threadIdx.x == 0) claimed = tickets.at ? tickets.draw() : blockIdx.x;
      __syncthreads();
      tile_type tile(problem, smem);
      partition_tile<What>(tile, tiles, problem, std::int64_t{claimed});
    }
  }
};

/// What a kernel has left in scratch: all of part 0, or all behind it.
enum class left_over { side_0, rest };

/// Back to its place in the range.
template <class Problem, left_over What>
struct move_back_job {
  static constexpr int threads = 256, blocks = 1;
  Problem problem;  ///< writes to the range by its part 0
  typename Problem::raw const* from;
  typename Problem::counts const* counted;

  __device__ void operator()() const {
    auto const kept = counted->of[0], to = What == left_over::rest ? kept : 0,
               n = What == left_over::rest ? problem.grid.n - kept : kept;
    auto const stride = std::int64_t{gridDim.x} * threads;
    auto const first = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    for (auto i = first; i < n; i += stride) problem.template put<0>(to + i, from[i]);
    if (first == 0) problem.write_counts(*counted);
  }
};

template <left_over What, class Problem>
void move_back(char const* call, cudaStream_t stream, Problem const& problem,
               typename Problem::raw const* from, typename Problem::counts const* counted) {
  auto const blocks = blocks_for(problem.grid.n, 1024, 1 << 13);
  launch_job(call, stream, blocks, 256, move_back_job<Problem, What>{problem, from, counted});
}

/// Counts, then n items, in one piece of scratch.
template <class Problem, class Source>
class items_and_counts {
  using counts = typename Problem::counts;
  using raw = typename Problem::raw;
  static_assert(alignof(raw) <= scratch_alignment);

 public:
  items_and_counts(Source const& source, char const* call, cudaStream_t stream, std::int64_t n)
      : source_{source},
        bytes_{scratch_alignment + static_cast<std::size_t>(n) * sizeof(raw)},
        memory_(source, call, stream, bytes_) {}
  counts* counted() const { return static_cast<counts*>(memory_.memory()); }
  raw* items() const { return reinterpret_cast<raw*>(first() + scratch_alignment); }
  /// Where more scratch of the same call comes from.
  auto source() const { return behind(source_, first() + bytes_); }

 private:
  std::byte* first() const { return static_cast<std::byte*>(memory_.memory()); }

  Source source_;
  std::size_t bytes_;
  scratch<Source> memory_;
};

/// One kernel: tiles tell each other their counts while it runs.
template <class Choice, across_tiles Across, class Source, class Problem>
void partition_in_one_pass(Source const& source, char const* call, cudaStream_t stream, Problem problem) {
  using state = tile_state<typename Problem::counts, Across>;
  using job = partition_job<Problem, Choice, state, writes::results>;
  if constexpr (Problem::tested_contiguous)  // bulk loads begin on 16-byte boundaries
    if (Choice::plan(arch_of<job>(call)).stages > 0)
      problem.grid.shift =
          items_before_vector<items_per_16_bytes(sizeof(typename Problem::tested_value))>(problem.tested());
  launch_one_pass<job, Choice, state>(source, call, stream, problem);
}

/// Three kernels: the counts of tiles, their scan, every item to its place.
template <class Choice, class Source, class Problem>
void partition_in_three_passes(Source const& source, char const* call, cudaStream_t stream, Problem problem) {
  using T = typename Problem::counts;
  using first_job = partition_job<Problem, Choice, collected_totals<T>, writes::totals>;
  using last_job = partition_job<Problem, Choice, known_prefixes<T>, writes::results>;
  int const arch = arch_of<first_job>(call), threads = Choice::threads_for(arch, problem.grid.n);
  problem.grid.tile_items = Choice::tile_items(arch, threads);
  auto const tiles = std::max<std::int64_t>(1, problem.grid.tiles());
  scratch<Source> memory(source, call, stream, static_cast<std::size_t>(tiles) * sizeof(T));
  auto* const totals = static_cast<T*>(memory.memory());
  launch_job(call, stream, tiles, threads, first_job{problem, {totals}, {}});
  launch_job(call, stream, 1, 256, spine_job<T, plus>{totals, tiles, {}, {}});
  launch_job(call, stream, tiles, threads, last_job{problem, {totals}, {}});
}

/// For .checked(): every pointer that a range is made of.
template <class It>
void require_reachable_range(char const* call, char const* argument, It const& it) {
  if constexpr (std::is_pointer_v<It>) require_reachable(call, argument, it);
  else if constexpr (std::is_same_v<It, bits>) require_reachable(call, argument, it.words());
  else if constexpr (requires { it.for_each_range([](auto const&) {}); })
    it.for_each_range([&](auto const& part) { require_reachable_range(call, argument, part); });
}

template <class Problem>
void require_reachable_ranges(char const* call, Problem const& problem) {
  if (problem.grid.n > 0) {
    require_reachable_range(call, "first", problem.in);
    require_reachable_range(call, "stencil", problem.stencil);
    require_reachable_range(call, "out", problem.outputs.a);
    require_reachable_range(call, "the second output", problem.outputs.b);
    require_reachable_range(call, "the third output", problem.outputs.c);
  }
  require_reachable_range(call, "count", problem.count);
}

template <class Source, class... Choices, class Problem>
void run_partition(device_policy<Source, Choices...> const& policy, char const* call, Problem problem) {
  using raw = typename Problem::raw;
  using tested = typename Problem::tested_value;
  static_assert(std::is_trivially_copyable_v<raw> && std::is_default_constructible_v<raw> &&
                    std::is_trivially_copyable_v<tested> && std::is_default_constructible_v<tested>,
                "sweep: on the device items must be trivially copyable and default constructible");
  static_assert(32 * sizeof(raw) <= 47 * 1024, "sweep: on the device an item may have at most 1500 bytes");
  require_compaction_variant<Choices...>();
  constexpr auto how = chosen<axis::compact_by, compact_by::single_pass, Choices...>;
  constexpr auto across = chosen<axis::across_tiles, across_tiles::ordered_lookback, Choices...>;
  auto const stream = policy.stream();
  auto const& source = policy.scratch_source();
  if (policy.is_checked()) require_reachable_ranges(call, problem);

  // Words of the items, or else of what decides, fall on 16-byte boundaries.
  if constexpr (Problem::in_contiguous)
    problem.grid.shift = items_before_vector<Problem::vector_items>(problem.in);
  else if constexpr (Problem::tested_contiguous)
    problem.grid.shift = items_before_vector<Problem::vector_items>(problem.tested());

  auto const bytes = problem.grid.n * static_cast<std::int64_t>(sizeof(raw));
  if constexpr (how == compact_by::three_kernel) {
    if constexpr (Problem::in_place) {  // nobody waits until items have left their places
      items_and_counts<Problem, Source> const kept(source, call, stream, problem.grid.n);
      auto const to_scratch = problem.template with<placement::out_of_place>(
          replaced_first(problem.outputs, kept.items()), integers_of(kept.counted()));
      using choice = partition_config<std::remove_const_t<decltype(to_scratch)>, pass::one_tile, Choices...>;
      partition_in_three_passes<choice>(kept.source(), call, stream, to_scratch);
      move_back<left_over::side_0>(call, stream, problem, kept.items(), kept.counted());
    } else {
      partition_in_three_passes<partition_config<Problem, pass::one_tile, Choices...>>(source, call, stream,
                                                                                       problem);
    }
  } else {
    if constexpr (!chooses<axis::partition_plan, Choices...>) {
      if (bytes < partition_small_bytes)
        return partition_in_one_pass<partition_config<Problem, pass::small, Choices...>, across>(
            source, call, stream, problem);
      if constexpr (partitions_in_stages<Problem>)
        if (bytes < partition_stage_bytes)
          return partition_in_one_pass<partition_config<Problem, pass::one_tile, Choices...>, across>(
              source, call, stream, problem);
    }
    partition_in_one_pass<partition_config<Problem, pass::stays, Choices...>, across>(source, call, stream,
                                                                                      problem);
  }
}

/// Part 0 in place, part 1 behind it, by way of scratch.
template <class Source, class... Choices, class Problem>
void run_stable_partition(device_policy<Source, Choices...> const& policy, char const* call,
                          Problem const& problem) {
  items_and_counts<Problem, Source> const rest(policy.scratch_source(), call, policy.stream(),
                                               problem.grid.n);
  auto const source = rest.source();
  run_partition(device_policy<std::remove_const_t<decltype(source)>, Choices...>(policy.stream(), source,
                                                                                 policy.is_checked()),
                call,
                problem.template with<placement::in_place>(part_outputs{problem.in, rest.items()},
                                                           integers_of(rest.counted())));
  move_back<left_over::rest>(call, policy.stream(), problem, rest.items(), rest.counted());
}

}  // namespace sweep::detail

#endif
