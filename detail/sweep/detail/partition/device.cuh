// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_DEVICE_CUH
#define SWEEP_DETAIL_PARTITION_DEVICE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/partition/agent.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/partition/tile/register_tile.cuh>
#include <sweep/detail/partition/tile/staged_tile.cuh>
#include <sweep/detail/partition/tuning.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/scan/spine.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace sweep::inline SWEEP_ABI::detail {

template <class Problem>
inline constexpr partition_shape shape_of_partition = {
    sizeof(typename Problem::raw),
    sizeof(typename Problem::tested_value),
    Problem::parts,
    Problem::tests_items   ? decided_by::item
    : loads_items<Problem> ? decided_by::stencil_beside
                           : decided_by::stencil,
    Problem::written == Problem::parts ? written_parts::all : written_parts::some,
    partitions_in_stages<Problem>,
    Problem::single_items};

/// How blocks compact their tiles, with the numbers of the architecture at hand: in stages, or one tile a
/// block in registers. Own is the tag of the caller's plan.
enum class tiles_in { stages, registers };
template <class Problem, tiles_in Where, class Own>
struct partition_config {
  static constexpr partition_shape shape = shape_of_partition<Problem>;
  /// Bytes that a row's limit is for. In stages they are those of what lies in the buffers; what is not put
  /// in order there has registers of 4 bytes.
  static constexpr std::size_t bytes_for(partition_plan const& p) {
    if (p.stages > 0 && loads_items<Problem>) return bytes_beside<Problem>;
    if (p.stages == 0 || 1 < moved_at_once<Problem>) return shape.item;
    if (!Problem::tests_items) return sizeof(typename Problem::tested_beneath::value);
    return std::max(std::max(std::size_t{4}, shape.item), sizeof(typename Problem::in_beneath::value));
  }
  /// Whether what a scanner holds stays in registers for as long as it is needed: items, and the keys of
  /// pairs with their values, or some of those at a time.
  static constexpr bool keeps_items(partition_plan const& p) {
    auto const rows = static_cast<std::size_t>(p.rows);
    if (moved_at_once<Problem> == 1 && (orders_in_shared_memory<Problem> || loads_items<Problem>)) {
      // A scanner's registers: what it holds, and where that goes.
      auto const words = ((gathers_beside<Problem> ? shape.item : bytes_for(p)) + 3) / 4,
                 others = std::size_t{orders_in_shared_memory<Problem> ? 40 : 32};
      return rows * words + others <= 65536 / static_cast<std::size_t>(p.threads) / 8 * 8;
    }
    return !is_keyed_input<std::remove_cvref_t<decltype(Problem::in)>> || rows * shape.item <= 128 ||
           (shape.item > 16 && rows * std::max(std::size_t{4}, shape.tested) <= 64);
  }
  static constexpr bool fits(partition_row const& row, int arch) {
    return arch >= static_cast<int>(row.since) && (row.by == shape.by || row.by == decided_by::any) &&
           (row.written == shape.written || row.written == written_parts::any) && shape.parts <= row.parts &&
           (row.items == items_stand::any || shape.single) && bytes_for(row.plan) <= row.item &&
           (row.plan.stages == 0 || (keeps_items(row.plan) && Where == tiles_in::stages && shape.bulk &&
                                     row.plan.rows % tested_at_once<Problem> == 0 &&
                                     partition_staged_bytes<Problem>(row.plan) <= shared_bytes_of(arch)));
  }
  static constexpr partition_plan plan(int arch) {
    auto const tuned = pick(partition_table, [=](partition_row const& row) { return fits(row, arch); });
    if constexpr (std::is_same_v<Own, no_plan>) return tuned;
    else return Own::value.stages > 0 && (Where == tiles_in::registers || !shape.bulk) ? tuned : Own::value;
  }
  static constexpr partition_plan here = plan(arch_here());
  /// Rows of a thread; of small inputs few: the kernel has code for both.
  static constexpr int rows_of(partition_plan const& p) {
    int const rows = vector_rows(p.rows, Problem::vector_items * shape.item);
    return shape.single ? std::min(rows, 32) : rows;
  }
  static constexpr int few_rows_of(partition_plan const& p) {
    if (!std::is_same_v<Own, no_plan>) return rows_of(p);
    if (shape.single) return (rows_of(p) + 1) / 2;
    return std::min(vector_rows(2, Problem::vector_items * shape.item), rows_of(p));
  }
  static constexpr int few_rows = few_rows_of(here);
  using tile = partition_register_tile<Problem, here, rows_of(here)>;
  using small_tile = partition_register_tile<Problem, here, few_rows>;

  static constexpr std::size_t dynamic_bytes(int arch) {
    auto const p = plan(arch);
    return p.stages > 0 ? partition_staged_bytes<Problem>(p) : 0;
  }
  /// Items of a tile of a block of so many threads, for n items: fewer rows where those are few.
  static constexpr int tile_items(int arch, int block_threads, std::int64_t n) {
    auto const p = plan(arch);
    if (p.stages > 0) return 32 * chunks_of(p) * p.rows;
    int const used = partition_is_small(n, shape.item) ? few_rows_of(p) : rows_of(p);
    return (block_threads - 32) * used * Problem::vector_items;
  }
  /// Items of a tile in registers that has all its rows.
  static constexpr std::int64_t whole_tile_items(int arch) {
    auto const p = plan(arch);
    return std::int64_t{p.threads - 32} * rows_of(p) * Problem::vector_items;
  }
  /// Threads of a block for n items: fewer where the tiles would not reach all multiprocessors.
  static constexpr int threads_for(int arch, std::int64_t n) {
    constexpr std::int64_t tiles_wanted = 64;
    auto const p = plan(arch);
    int block_threads = p.threads;
    while (p.stages == 0 && block_threads > 64 && n < tiles_wanted * tile_items(arch, block_threads, n))
      block_threads = std::max(64, block_threads / 64 * 32);
    return block_threads;
  }

  static constexpr bool fits_everywhere = fits_known_archs([](int arch) { return dynamic_bytes(arch); });
  static_assert(!std::is_same_v<Own, no_plan> || fits_everywhere);
};

/// Tiles are numbered in the order in which blocks claim them: a block waits only for blocks that run.
template <class Problem, class Config, class Tiles, writes What>
struct partition_job {
  static constexpr int threads = Config::here.threads, blocks = Config::here.blocks;
  static constexpr std::size_t dynamic_bytes(int arch) { return Config::dynamic_bytes(arch); }
  Problem problem;
  Tiles tiles;
  ticket_counter tickets;  ///< none where tiles need not be claimed in order

  __device__ void operator()() const {
    if constexpr (Config::here.stages > 0) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      extern __shared__ __align__(128) unsigned char memory[];
      auto const claim = [this] { return std::int64_t{tickets.draw()}; };
      auto const publish = [&](auto const& lanes, std::int64_t tile, typename Problem::counts const& total) {
        return publish_counts<writes::results>(lanes, tiles, problem, tile, total);
      };
      using roles_type = partition_staged_tile<Problem, Config::here, decltype(claim), decltype(publish)>;
      auto& smem = *reinterpret_cast<typename roles_type::shared*>(memory);
      roles_type roles(problem, smem, claim, publish);
      // An empty range has one tile too, which writes the counts.
      roles_type::block::run(smem.block, max(problem.grid.tiles(), std::int64_t{1}), roles);
#endif
    } else {
      using tile = typename Config::tile;
      using small_tile = typename Config::small_tile;
      __shared__ uninitialized<typename tile::shared> memory;
      __shared__ std::uint32_t claimed;
      if (threadIdx.x == 0) claimed = tickets.at ? tickets.draw() : blockIdx.x;
      __syncthreads();
      if constexpr (!std::is_same_v<small_tile, tile>)
        if (problem.grid.tile_items ==
            (static_cast<int>(blockDim.x) - 32) * Config::few_rows * Problem::vector_items)
          return partition_one<small_tile>(reinterpret_cast<typename small_tile::shared&>(memory), claimed);
      partition_one<tile>(memory.value(), claimed);
    }
  }

 private:
  template <class Tile>
  __device__ void partition_one(typename Tile::shared& smem, std::uint32_t nth) const {
    Tile tile(problem, smem);
    partition_tile<What>(tile, tiles, problem, std::int64_t{nth});
  }
};

/// What a kernel has left in scratch: all of part 0, or all behind it.
enum class left_over { part_0, rest };

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

/// Three kernels: the counts of tiles, their scan, every item to its place.
template <class Config, class Source, class Problem>
void partition_in_three_passes(Source const& source, char const* call, cudaStream_t stream, Problem problem) {
  using T = typename Problem::counts;
  using first_job = partition_job<Problem, Config, collected_totals<T>, writes::totals>;
  using last_job = partition_job<Problem, Config, known_prefixes<T>, writes::results>;
  int const arch = facts_of<first_job>(call).arch, threads = Config::threads_for(arch, problem.grid.n);
  problem.grid.tile_items = Config::tile_items(arch, threads, problem.grid.n);
  auto const tiles = std::max<std::int64_t>(1, problem.grid.tiles());
  scratch<Source> memory(source, call, stream, static_cast<std::size_t>(tiles) * sizeof(T));
  auto* const totals = static_cast<T*>(memory.memory());
  launch_job(call, stream, tiles, threads, first_job{problem, {totals}, {}});
  launch_job(call, stream, 1, 256, spine_job<T, plus>{totals, tiles, {}, {}});
  launch_job(call, stream, tiles, threads, last_job{problem, {totals}, {}});
}

/// How many items to the left of a range's first a line begins, with so many bytes that come with a tile: the
/// line ends there where the range is reversed.
template <int V, class T, bool Reversed>
int items_left_of_line(memory_source<T, Reversed> const& items, int lead = 0) {
  auto const at = reinterpret_cast<std::uintptr_t>(items.first);
  auto const bytes = static_cast<std::uintptr_t>(lead);
  if constexpr (Reversed) return items_behind_line<V>(reinterpret_cast<T const*>(at + sizeof(T) + bytes));
  else return items_before_line<V>(reinterpret_cast<T const*>(at - bytes));
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
    require_reachable_range(call, stencil_name<decltype(Problem::select)>(), problem.stencil);
    require_reachable_range(call, output_name(Problem::written, 0), problem.outputs.a);
    require_reachable_range(call, output_name(Problem::written, 1), problem.outputs.b);
    require_reachable_range(call, output_name(Problem::written, 2), problem.outputs.c);
  }
  require_reachable_range(call, "count", problem.count);
}

/// Whether the longer way of tiles in stages is worth it: tiles in registers would not all run at once, so
/// that multiprocessors wait for the last of them, and those in stages reach most multiprocessors.
template <class StagedJob, class Stages, class Job, class Registers, class Problem>
bool worth_stages(char const* call, Problem const& problem) {
  constexpr auto item_bytes = Problem::tests_items ? sizeof(typename Problem::raw) : bytes_beside<Problem>;
  constexpr bool in_pieces = orders_in_shared_memory<Problem> && moved_at_once<Problem> == 1;
  constexpr auto least =
      moves_halves<Problem> && fills_no_words(sizeof(typename beside<Problem>::loaded::value))
          ? partition_stage_bytes_odd_pairs
      : Problem::tests_items && in_pieces && sizeof(typename Problem::raw) > 4
          ? partition_stage_bytes_odd
          : std::numeric_limits<std::int64_t>::max();
  auto const n = problem.grid.n;
  std::int64_t const here = multiprocessors(call);
  if (n * static_cast<std::int64_t>(item_bytes) < least) {
    auto const arch = facts_of<Job>(call).arch;
    auto const plan = Registers::plan(arch);
    auto const each = here * Registers::whole_tile_items(arch);
    if (n <= each * plan.blocks || n <= each * resident_blocks<Job>(call, plan.threads, 0)) return false;
  }
  auto const [arch, fits] = facts_of<StagedJob>(call);
  return fits && Stages::plan(arch).stages > 0 && 2 * n >= here * Stages::tile_items(arch, 0, n);
}

template <class Source, class... Tags, class Problem>
void run_partition(device_policy<Source, Tags...> const& policy, char const* call, Problem problem) {
  using raw = typename Problem::raw;
  using tested = typename Problem::tested_value;
  static_assert(relocatable<raw> && std::is_default_constructible_v<raw> && relocatable<tested> &&
                    std::is_default_constructible_v<tested>,
                "sweep: on the device items must be trivially copyable and default constructible");
  static_assert(32 * sizeof(raw) <= 47 * 1024, "sweep: on the device an item may have at most 1500 bytes");
  using own = own_plan<partition_plan, Tags...>;
  auto const stream = policy.stream();
  auto const& source = policy.scratch_source();
  if constexpr (has_checked<Tags...>) require_reachable_ranges(call, problem);

  // Vectors of the items, or else of what decides, fall on 16-byte boundaries, and tiles on lines.
  using in_loaded = typename Problem::in_beneath;
  using tested_loaded = typename Problem::tested_beneath;
  if constexpr (in_loaded::contiguous)
    problem.grid.shift = items_left_of_line<Problem::vector_items>(in_loaded::from(problem.in));
  else if constexpr (tested_loaded::contiguous)
    problem.grid.shift = items_left_of_line<Problem::vector_items>(tested_loaded::from(problem.tested()));

  if constexpr (chosen<compact_by, Tags...> == compact_by::three_kernel) {
    if constexpr (Problem::in_place) {  // nobody waits until items have left their places
      items_and_counts<Problem, Source> const kept(source, call, stream, problem.grid.n);
      auto const to_scratch = problem.template with<placement::out_of_place>(
          replaced_first(problem.outputs, kept.items()), integers_of(kept.counted()));
      using config = partition_config<std::remove_const_t<decltype(to_scratch)>, tiles_in::registers, own>;
      partition_in_three_passes<config>(kept.source(), call, stream, to_scratch);
      move_back<left_over::part_0>(call, stream, problem, kept.items(), kept.counted());
    } else {
      partition_in_three_passes<partition_config<Problem, tiles_in::registers, own>>(source, call, stream,
                                                                                     problem);
    }
  } else {
    using state = tile_state<typename Problem::counts, chosen<across_tiles, Tags...>>;
    using registers = partition_config<Problem, tiles_in::registers, own>;
    if constexpr (partitions_in_stages<Problem>) {
      using stages = partition_config<Problem, tiles_in::stages, own>;
      using job = partition_job<Problem, stages, state, writes::results>;
      bool in_stages = true;
      if constexpr (std::is_same_v<own, no_plan>)
        in_stages =
            worth_stages<job, stages, partition_job<Problem, registers, state, writes::results>, registers>(
                call, problem);
      if (in_stages) {
        // So do bulk loads, which begin with what is to the left of a tile where that is looked at.
        if constexpr (tested_loaded::contiguous)
          if (stages::plan(facts_of<job>(call).arch).stages > 0) {
            problem.grid.shift =
                items_left_of_line<items_per_16_bytes(sizeof(typename tested_loaded::value))>(
                    tested_loaded::from(problem.tested()), lead_bytes<Problem>());
          }
        return launch_single_pass<job, stages, state>(source, call, stream, problem);
      }
    }
    if constexpr (!partitions_in_stages<Problem> || std::is_same_v<own, no_plan>)
      launch_single_pass<partition_job<Problem, registers, state, writes::results>, registers, state>(
          source, call, stream, problem);
  }
}

/// Part 0 in place, part 1 behind it, by way of scratch.
template <class Source, class... Tags, class Problem>
void run_stable_partition(device_policy<Source, Tags...> const& policy, char const* call,
                          Problem const& problem) {
  items_and_counts<Problem, Source> const rest(policy.scratch_source(), call, policy.stream(),
                                               problem.grid.n);
  auto const source = rest.source();
  run_partition(device_policy<std::remove_const_t<decltype(source)>, Tags...>(policy.stream(), source), call,
                problem.template with<placement::in_place>(part_outputs{problem.in, rest.items()},
                                                           integers_of(rest.counted())));
  move_back<left_over::rest>(call, policy.stream(), problem, rest.items(), rest.counted());
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
