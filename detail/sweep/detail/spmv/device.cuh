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
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/segmented_reduce/device.cuh>
#include <sweep/detail/segments/flagged.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tile/column_walk.cuh>
#include <sweep/detail/spmv/tile/path_walk.cuh>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/device.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <class Problem>
inline constexpr path_shape path_shape_of = [] {
  if constexpr (columns_are_lanes<Problem>) return column_shape;
  constexpr auto value = sizeof(typename Problem::value);
  for (auto const& row : path_table)
    if (value <= row.value && Problem::item_bytes <= row.entry) return row.shape;
  return path_table[std::size(path_table) - 1].shape;
}();

/// What of a matrix makes its path.
template <class Offsets>
struct path_rows {
  std::int64_t count, n;
  Offsets offsets;
};

/// Where the path has made d steps, when `row` is the first whose end lies there or behind; a row ends with
/// its last entry, wherever its own step lies.
template <class Rows>
__device__ path_place place_on_path(Rows const& problem, std::int64_t n, std::int64_t d, std::int64_t row) {
  if (d == 0) return {0, 0};  // behind no row's end
  auto const entry = min(max(d - row, std::int64_t{0}), n);
  bool const ends_here = row < problem.count && static_cast<std::int64_t>(problem.offsets[row + 1]) == entry;
  return {row + ends_here, entry};
}
/// Whether a row's end lies d steps or more along the path.
template <class Rows>
__device__ bool ends_behind(Rows const& problem, std::int64_t row, std::int64_t d) {
  return static_cast<std::int64_t>(problem.offsets[row + 1]) + row >= d;
}

/// Where the shares of all warps begin, one a thread, which looks at three places at a time.
template <class Offsets>
struct path_cuts_job {
  static constexpr int threads = 128, blocks = 8;
  path_rows<Offsets> rows;
  std::int64_t steps_of_warp, shares;
  path_place* cuts;

  __device__ void operator()() const {
    let_next_kernel_start();
    auto const share = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (share > shares) return;
    auto const d = min(share * steps_of_warp, rows.count + rows.n);
    std::int64_t low = 0, high = rows.count;
    while (low < high) {
      auto const quarter = (high - low) / 4, a = low + quarter, b = a + quarter, c = b + quarter;
      bool const at_a = ends_behind(rows, a, d), at_b = ends_behind(rows, b, d),
                 at_c = ends_behind(rows, c, d);
      high = at_a ? a : at_b ? b : at_c ? c : high;
      low = !at_a ? (!at_b ? (!at_c ? c + 1 : b + 1) : a + 1) : low;
    }
    cuts[share] = place_on_path(rows, rows.n, d, low);
  }
};

/// Lanes that look back for several columns: totals are wide, and those of groups take fewer registers than
/// those of all their tiles.
struct column_totals_lanes : warp_lanes {
  static constexpr int near_groups = 0;
};

/// Tile state of the blocks, once for each lane that has columns of its own.
template <class State>
struct path_tiles {
  std::uint64_t* at;
  std::int64_t tiles, words;  ///< words of each
  std::uint32_t stamp;

  SWEEP_HD State of(int nth) const { return State(at + nth * words, tiles, stamp); }
};

/// A thread block with a share of the merge path for each of its warps. Shape of the path:
/// (blocks, warps, steps of a warp).
template <class Problem, class Tiles, path_shape S = path_shape_of<Problem>>
struct path_job {
  static constexpr path_shape shape = S;
  static constexpr int threads = shape.threads(), blocks = shape.blocks, warps = shape.warps;
  static constexpr bool first_level_cache = !columns_are_lanes<Problem>;
  using V = typename Problem::value;
  using walk =
      std::conditional_t<columns_are_lanes<Problem>, column_walk<Problem, shape>, path_walk<Problem, shape>>;
  struct shared {
    typename walk::shared warps_of[warps];
    path_place cuts[warps + 1];
    std::int64_t tile;
  };
  static_assert(sizeof(shared) <= 48 << 10,
                "sweep: on the device values of a sparse product have at most 1 KiB");
  Problem problem;
  std::int64_t steps_of_warp;  ///< 0 where only the device knows how many entries there are
  path_place const* cuts;      ///< or null: each warp finds where its share begins
  path_tiles<Tiles> tiles;
  ticket_counter tickets;

  /// How many lanes' results are joined.
  static SWEEP_HD int joins(Problem const& problem) {
    if constexpr (columns_are_lanes<Problem>) return walk::lanes_of(problem);
    else return 1;
  }

  __device__ void operator()() const {
    __shared__ shared smem;
    int const warp = static_cast<int>(threadIdx.x / 32);
    auto const n = problem.n >= 0
                       ? problem.n
                       : max(static_cast<std::int64_t>(problem.offsets[problem.count]), std::int64_t{0});
    if (threadIdx.x == 0) smem.tile = tickets.draw();
    __syncthreads();
    let_next_kernel_start();
    auto const tile = smem.tile;
    if (!cuts) find_cuts(smem, n, tile, warp);
    auto const* const mine = cuts ? cuts + tile * warps + warp : smem.cuts + warp;
    walk(problem, n, smem.warps_of[warp])(mine[0], mine[1]);
    __syncthreads();
    for (int nth = warp; nth < joins(problem); nth += warps) join(smem, tile, nth);
  }

 private:
  __device__ void find_cuts(shared& smem, std::int64_t n, std::int64_t tile, int warp) const {
    auto const steps = problem.count + n, shares = std::int64_t{gridDim.x} * warps,
               each = steps_of_warp > 0 ? steps_of_warp : (steps + shares - 1) / shares;
    // The first warp finds two places, with the loads of both under way at once.
    std::int64_t const from = min((tile * warps + warp) * each, steps),
                       last = warp == 0 ? min((tile + 1) * warps * each, steps) : from;
    auto const rows = warp_find_two(
        problem.count, [&](std::int64_t r) { return ends_behind(problem, r, from); },
        [&](std::int64_t r) { return ends_behind(problem, r, last); });
    if (threadIdx.x % 32 == 0) {
      smem.cuts[warp] = place_on_path(problem, n, from, rows.first);
      if (warp == 0) smem.cuts[warps] = place_on_path(problem, n, last, rows.second);
    }
    __syncthreads();
  }

  static __device__ auto& ends_of(shared& smem, int warp, int nth) {
    if constexpr (columns_are_lanes<Problem>) return smem.warps_of[warp].ends[nth];
    else return smem.warps_of[warp].ends;
  }
  /// Rows that are cut, by a warp: a lane for each share. Where lanes have columns a warp has those of one.
  __device__ void join(shared& smem, std::int64_t tile, int nth) const {
    using T = flagged<V>;
    segmented_op<decltype(Problem::op)> op{problem.op};
    int const lane = static_cast<int>(threadIdx.x % 32);
    auto const& ends = ends_of(smem, min(lane, warps - 1), nth);
    T sum = ends.total.value();
    unsigned const have = warp_scan_some(sum, (2u << (warps - 1)) - 1, op);
    using lanes = std::conditional_t<columns_are_lanes<Problem>, column_totals_lanes, warp_lanes>;
    optional<T> before = tiles.of(nth).publish_and_look_back(lanes{}, tile, warp_shfl(sum, warps - 1), op);
    before = {warp_shfl(before.value, 0), __shfl_sync(~0u, before.present, 0) != 0};
    T const shares_before = warp_shfl_up(sum, 1);
    static_cast<void>(have);
    if (lane >= warps || ends.carried < 0) return;
    if (lane > 0) before = {combine(before, shares_before, op), true};
    V const whole =
        before.present ? static_cast<V>(op.op(before.value.value, ends.carry.value())) : ends.carry.value();
    if constexpr (columns_are_lanes<Problem>) walk::put(problem, joins(problem), nth, ends.carried, whole);
    else problem.put(ends.carried, whole);
  }
};

/// Blocks that share a matrix whose number of entries the host does not know.
SWEEP_HD constexpr std::int64_t path_blocks_of_rows(std::int64_t rows) {
  constexpr std::int64_t least = 32, most = 4096, rows_of_block = 1024;
  auto const blocks = rows / rows_of_block;
  return blocks < least ? least : blocks < most ? blocks : most;
}

/// From how many blocks on a kernel of its own finds where shares begin: of as many as a device works on at
/// once, each finds it while others have loads under way.
inline std::int64_t path_blocks_with_own_cuts = 512;

/// Where shares + 1 shares begin.
template <class Source, class Offsets>
void find_path_cuts(device_policy<Source> const& policy, char const* call, path_rows<Offsets> const& rows,
                    std::int64_t steps_of_warp, std::int64_t shares, path_place* cuts) {
  using cuts_job = path_cuts_job<Offsets>;
  launch_job(call, policy.stream(), shares / cuts_job::threads + 1, cuts_job::threads,
             cuts_job{rows, steps_of_warp, shares, cuts});
}

template <class Source, class Problem>
void spmv_on_path(device_policy<Source> const& policy, char const* call, Problem const& problem,
                  kept_cuts const& kept) {
  using state = tile_state<flagged<typename Problem::value>, across_tiles::ordered_lookback>;
  using job = path_job<Problem, state>;
  using offsets = std::remove_cv_t<decltype(problem.offsets)>;
  bool const known = problem.n >= 0;
  auto const [each, tiles] = known ? divide_path(problem.count + problem.n, job::warps)
                                   : path_division{0, path_blocks_of_rows(problem.count)};
  auto const shares = tiles * job::warps;
  bool const has_kept = known && kept.at && kept.steps_of_share == each && kept.shares >= shares;
  auto const walk = [&, each = each, tiles = tiles](auto const& rest, path_place* own) {
    launch_state<Source> memory(rest.scratch_source(), call, rest.stream(),
                                job::joins(problem) * state::words(tiles));
    if (own)
      find_path_cuts(rest, call, path_rows<offsets>{problem.count, problem.n, problem.offsets}, each, shares,
                     own);
    launch_job(call, rest.stream(), tiles, job::threads,
               job{problem, each, has_kept ? kept.at : own,
                   path_tiles<state>{memory.tiles(), tiles, state::words(tiles), memory.stamp()},
                   memory.tickets()});
    memory.launched(tiles);
  };
  if (!known || has_kept || tiles <= path_blocks_with_own_cuts) return walk(policy, nullptr);
  with_memory<path_place>(policy, call, shares + 1, walk);
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
void run_spmv(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem,
              kept_cuts const& kept) {
  auto const plain = without_tags(policy);
  if constexpr (chosen<spmv_by, Tags...> == spmv_by::row_vector) spmv_by_row_vectors(plain, call, problem);
  else spmv_on_path(plain, call, problem, kept);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
