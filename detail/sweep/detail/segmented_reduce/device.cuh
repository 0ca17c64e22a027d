// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_DEVICE_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_DEVICE_CUH

#include <sweep/detail/core/item_source.hpp>
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
#include <sweep/detail/segmented_reduce/tile/segment_groups.cuh>
#include <sweep/detail/segmented_reduce/tile/segment_teams.cuh>
#include <sweep/detail/segmented_reduce/tile/staged_tile.cuh>
#include <sweep/detail/segmented_reduce/tuning.hpp>
#include <sweep/detail/segmented_scan/device.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/segments.hpp>

#include <algorithm>
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

/// Whether each block makes offsets of lengths itself.
template <class Problem>
bool sums_lengths(Problem const& problem) {
  if constexpr (may_sum_lengths<decltype(problem.offsets)>) return !problem.offsets.offsets;
  else return false;
}

/// How many items a segment may have.
template <class Problem>
std::int64_t longest_segment(Problem const& problem) {
  if constexpr (std::is_same_v<decltype(problem.offsets), row_offsets>) return problem.offsets[1];
  else return problem.grid.n;
}

/// A block's segments by groups of its lanes, or a cell of segments that are cut.
template <class Problem>
struct segment_groups_job {
  using groups = segment_groups<Problem>;
  using shape = typename groups::shape;
  static constexpr int threads = shape::threads, blocks = shape::blocks;
  Problem problem;
  group_grid grid;
  cut_records<typename Problem::value> records;

  __device__ void operator()() const {
    let_next_kernel_start();
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ typename groups::shared smem;
    auto op = problem.op;
    groups(problem, grid, smem, reinterpret_cast<typename groups::window*>(memory), op)(blockIdx.x, records);
  }
};

/// One kernel, for segments and items of any kind and number.
template <class Source, class Problem>
void reduce_by_groups(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  using job = segment_groups_job<Problem>;
  using records = cut_records<typename Problem::value>;
  auto const grid = group_grid_of<typename job::shape>(problem.grid.n, problem.count, sums_lengths(problem));
  auto const launch = [&](records const& at) {
    launch_job(call, policy.stream(), grid.cells + grid.blocks, grid.threads, job{problem, grid, at},
               grid.threads / 32 * sizeof(typename job::groups::window));
  };
  if (grid.cells == 0) return launch({});
  launch_state<Source> memory(policy.scratch_source(), call, policy.stream(), records::words(grid.cells));
  launch({memory.tiles(), grid.cells, memory.stamp()});
  memory.launched(0);
}

/// A block's segments by teams of its warps, and a cell of segments that are cut. The next kernel starts when
/// blocks have ended: earlier its own would wait where some of these could run. Before sm_90 registers are
/// budgeted for a block less, since sums of doubles would spill.
template <class Problem, team_reads Reads>
struct segment_teams_job {
  using teams = segment_teams<Problem, Reads>;
  using shape = typename teams::shape;
  static constexpr int threads = shape::threads,
                       blocks = arch_here() < 90 ? std::max(1, shape::blocks - 1) : shape::blocks;
  static constexpr bool first_level_cache = shape::usual::gathered;
  static constexpr std::size_t dynamic_bytes(int) {
    return shape::warps * shape::most_slots * sizeof(typename teams::window);
  }
  Problem problem;
  team_grid grid;
  cut_records<typename Problem::value> records;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ typename teams::shared smem;
    auto op = problem.op;
    teams(problem, grid, smem, reinterpret_cast<typename teams::window*>(memory),
          op)(grid.nth_block(blockIdx.x), records);
  }
};

/// One kernel, where segments are long, values narrow and the device has the shared memory for windows of the
/// items, of however many streams; else nothing is done.
template <team_reads Reads = team_reads::windows, class Source, class Problem>
bool reduce_by_teams(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  using shape = team_shape<source_of_t<decltype(Problem::in)>, typename Problem::value, Reads>;
  if constexpr (shape::fits) {
    if constexpr (shape::may_be_by_words && !shape::by_words)
      if (read_by_words(problem.grid.n * shape::item_bytes, problem.count))
        return reduce_by_teams<team_reads::words>(policy, call, problem);
    using job = segment_teams_job<Problem, Reads>;
    using records = cut_records<typename Problem::value>;
    auto const n = problem.grid.n;
    // A warp is worth its start from so many bytes on, more where many take turns, and less where all run at
    // once.
    auto const least = std::int64_t{problem.count < 2048 && shape::of_stream ? 256
                                    : problem.count < 8192                   ? 1024
                                                                             : 2048};
    if (n / problem.count * shape::item_bytes < least) return false;
    if (!facts_of<job>(call).fits) return false;
    auto grid = team_grid_of<shape>(source_of(problem.in), n, problem.count, longest_segment(problem),
                                    sums_lengths(problem));
    // What the second-level cache holds is there already, and a fast memory is busy with what is asked for.
    grid.lines_ahead = n > cached_bytes / shape::item_bytes && !has_fast_memory(call);
    auto const launch = [&](records const& at) {
      launch_job(call, policy.stream(), grid.blocks, grid.cells > 0 ? shape::threads : 32 * shape::warps,
                 job{problem, grid, at}, shape::warps * grid.slots * sizeof(typename job::teams::window));
    };
    if (grid.cells == 0) {
      launch({});
    } else {
      launch_state<Source> memory(policy.scratch_source(), call, policy.stream(), records::words(grid.cells));
      launch({memory.tiles(), grid.cells, memory.stamp()});
      memory.launched(0);
    }
    return true;
  } else {
    return false;
  }
}

/// From how many bytes of items on they are reduced in stages, where they can be: tests lower it.
inline std::int64_t reduced_in_stages_bytes = std::int64_t{48} << 20;
template <class Problem>
std::int64_t fewest_in_stages() {
  return reduced_in_stages_bytes / static_cast<std::int64_t>(sizeof(typename Problem::raw));
}

/// Two kernels, where the input is large, segments are not too long, and the device has bulk copies and the
/// shared memory; else nothing is done.
template <class Source, class Problem>
bool reduce_in_stages(device_policy<Source> const& policy, char const* call, Problem problem) {
  if constexpr (reduces_in_stages<Problem>) {
    using state = tile_state<flagged<typename Problem::value>, across_tiles::ordered_lookback>;
    using config = segmented_reduce_config<Problem>;
    using job = segmented_reduce_job<Problem, state>;
    if (problem.grid.n < fewest_in_stages<Problem>()) return false;
    auto const [arch, fits] = facts_of<job>(call);
    auto const plan = config::plan(arch);
    if (plan.stages == 0 || !fits || problem.grid.n / problem.count > plan.most_mean) return false;
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
  } else {
    return false;
  }
}

/// A function of items, and one of its results.
template <class Value, class F, class Unary>
struct function_behind {
  mutable F f;  ///< callers' functions need not be const
  mutable Unary unary;
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD auto operator()(X const& x) const {
    return unary(static_cast<Value>(f(x)));
  }
};

/// Whether a source's items are a function of those that lie in memory in the same order.
template <class S>
inline constexpr bool is_function_of_memory = [] {
  if constexpr (requires(S source) {
                  source.from.first;
                  source.f;
                })
    return !decltype(S::from)::reversed;
  else return false;
}();

/// go(in, unary); where items are a function of those in memory, with that memory and both functions, since
/// only items that lie in memory are reduced in stages.
template <class In, class Unary, class Go>
void with_memory_beneath(In const& in, Unary const& unary, Go go) {
  auto const source = source_of(in);
  using S = std::remove_const_t<decltype(source)>;
  if constexpr (is_function_of_memory<S>)
    go(source.from.first,
       function_behind<typename S::value_type, decltype(source.f), Unary>{source.f, unary});
  else go(in, unary);
}

// A way that needs no list of the segments that have items, for policies without variants and plans.

template <class V, class Source, class... Tags, class In, class It, class Out, class Op, class Unary,
          class Result>
  requires((is_on<Tags, checked_t> && ...))
std::true_type reduce_by_offsets(device_policy<Source, Tags...> const& policy, char const* call, In const& in,
                                 std::int64_t const& n, offset_segments<It> const& segments, Out const& out,
                                 Op const& op, Unary const& unary, Result const& result) {
  auto const plain = without_tags(policy);
  with_memory_beneath(in, unary, [&]<class Items, class Made>(Items const& items, Made const& made) {
    segmented_reduce_problem<V, Items, unwrapped_t<It>, Out, Op, Made, Result> const problem{
        items, unwrapped(segments.offsets), segments.count, out, op, made, result, nullptr, {n}};
    if (!reduce_by_teams(plain, call, problem) && !reduce_in_stages(plain, call, problem))
      reduce_by_groups(plain, call, problem);
  });
  return {};
}

/// Lengths, and offsets that have been made of them: all but the first, which is 0.
template <class It>
struct summed_lengths {
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::int64_t;
  using iterator_category = std::random_access_iterator_tag;
  It lengths;
  std::int64_t const* offsets;
  SWEEP_HD std::int64_t operator[](std::int64_t s) const { return s > 0 ? offsets[s] : 0; }
};

/// Few lengths are added up by whoever needs them; else they become offsets first.
template <class V, class Source, class... Tags, class In, class It, class Out, class Op, class Unary,
          class Result>
  requires((is_on<Tags, checked_t> && ...))
std::true_type reduce_by_offsets(device_policy<Source, Tags...> const& policy, char const* call, In const& in,
                                 std::int64_t const& n, length_segments<It> const& segments, Out const& out,
                                 Op const& op, Unary const& unary, Result const& result) {
  auto const plain = without_tags(policy);
  auto const problem = [&](auto const& offsets) {
    return segmented_reduce_problem<V, In, std::remove_cvref_t<decltype(offsets)>, Out, Op, Unary, Result>{
        in, offsets, segments.count, out, op, unary, result, nullptr, {n}};
  };
  using lengths = summed_lengths<unwrapped_t<It>>;
  auto const first = unwrapped(segments.lengths);
  if (segments.count <= few_lengths) {
    auto const by_lengths = problem(lengths{first, nullptr});
    if (!reduce_by_teams(plain, call, by_lengths)) reduce_by_groups(plain, call, by_lengths);
    return {};
  }
  with_memory<std::int64_t>(plain, call, segments.count + 1, [&](auto const& rest, std::int64_t* offsets) {
    std::int64_t const* const made = offsets;
    using with_offsets = decltype(problem(made));
    run_scan(rest, call,
             scan_problem<scan_kind::inclusive, direction::forward, std::int64_t, unwrapped_t<It>,
                          std::int64_t*, plus, identity>{first, offsets + 1, {}, {}, {}, {segments.count}});
    if (reduce_by_teams(rest, call, problem(lengths{first, made}))) return;
    if (reduces_in_stages<with_offsets> && n >= fewest_in_stages<with_offsets>())  // those want the first one
      clear_scratch(call, policy.stream(), offsets, sizeof *offsets);
    if (!reduce_in_stages(rest, call, problem(made)))
      reduce_by_groups(rest, call, problem(lengths{first, made}));
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
