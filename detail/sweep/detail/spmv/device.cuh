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
#include <sweep/detail/segments/flagged.hpp>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/spmv/path_cuts.cuh>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tile/column_walk.cuh>
#include <sweep/detail/spmv/tile/entry_cells.cuh>
#include <sweep/detail/spmv/tile/path_walk.cuh>
#include <sweep/detail/spmv/tile/whole_rows.cuh>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <class Problem>
inline constexpr path_shape path_shape_of = [] {
  if constexpr (columns_are_lanes<Problem>)
    return Problem::item_bytes <= 8 && std::is_same_v<std::remove_cv_t<decltype(Problem::result)>, as_it_is>
               ? column_shape
               : wide_column_shape;
  constexpr auto value = sizeof(typename Problem::value);
  constexpr bool narrow = is_near_columns<std::remove_cv_t<decltype(Problem::in.indices)>>;
  for (auto const& row : path_table)
    if (value <= row.value && Problem::item_bytes <= row.entry) return narrow ? row.narrow : row.shape;
  return path_table[std::size(path_table) - 1].shape;
}();

template <class Problem>
inline constexpr row_tile_row row_tile_row_of = row_tile_row_for(sizeof(typename Problem::value),
                                                                 Problem::item_bytes);

/// How many entries a matrix has; that its offsets say so is known by the device alone.
template <class Problem>
__device__ std::int64_t entries_of(Problem const& problem) {
  if (problem.n >= 0) return problem.n;
  return max(static_cast<std::int64_t>(problem.offsets[problem.count]), std::int64_t{0});
}

/// A thread block that has a tile of rows, or a range of entries, in which it looks for tiles that are too
/// heavy for one block. Shape of blocks: (vectors, ranges and tiles).
template <class Problem, row_tile_shape S>
struct row_tiles_job {
  static constexpr int threads = S.threads, blocks = S.blocks;
  static constexpr bool first_level_cache = true, waits_itself = true;
  using tile = whole_rows<Problem, S>;
  Problem problem;
  row_tiling by;
  cut_records<typename Problem::value> records;

  static constexpr std::size_t dynamic_bytes(int) { return tile::bytes_of_ends(S.rows); }

  __device__ void operator()() const {
    __shared__ typename tile::shared smem;
    extern __shared__ __align__(16) unsigned char ends[];
    wait_for_kernel_before();
    let_next_kernel_start();
    auto const n = entries_of(problem);
    row_tiling division = by;
    if (problem.n < 0) division.range = entries_of_range(n, S.window_items());
    int const column = static_cast<int>(blockIdx.y);
    if constexpr (has_columns<decltype(Problem::in.x)>)
      work(problem.of_column(column), n, division, column * by.ranges, smem, ends);
    else work(problem, n, division, 0, smem, ends);
  }

 private:
  __device__ void work(Problem const& one, std::int64_t n, row_tiling const& division, int ranges_before,
                       typename tile::shared& smem, unsigned char* ends) const {
    tile const rows(one, n, division, ranges_before, smem, ends);
    int const block = static_cast<int>(blockIdx.x), range = block >> by.log_every;
    if (range >= by.ranges) rows.fold_tile(block - by.ranges);
    else if (range << by.log_every != block) rows.fold_tile(block - range - 1);
    else if (range * division.range < n) rows.fold_range(range, records);
  }
};

/// A thread block that has a cell of neighbouring entries. What rows have that are cut is joined by the
/// ordered look-back.
template <class Problem, class Tiles, row_tile_shape S = row_tile_row_of<Problem>.cells>
struct entry_cells_job {
  static constexpr int threads = S.threads, blocks = S.blocks;
  static constexpr bool first_level_cache = true, waits_itself = true;
  using cells = entry_cells<Problem, S>;
  using V = typename Problem::value;
  struct shared {
    typename cells::shared cell;
    std::int64_t number;
  };
  Problem problem;
  std::int64_t entries_of_cell;
  Tiles tiles;
  bool draws_at_once;
  ticket_counter tickets;

  __device__ void operator()() const {
    __shared__ shared smem;
    std::uint32_t drawn = 0;
    if (draws_at_once && threadIdx.x == 0) drawn = tickets.draw();
    wait_for_kernel_before();
    if (!draws_at_once && threadIdx.x == 0) drawn = tickets.draw();
    if (threadIdx.x == 0) smem.number = drawn;
    __syncthreads();
    let_next_kernel_start();
    auto const number = smem.number, from = number * entries_of_cell;
    using place = typename cells::position;
    cells(problem, problem.n, smem.cell)(static_cast<place>(from),
                                         static_cast<place>(min(from + entries_of_cell, problem.n)));
    __syncthreads();
    if (threadIdx.x < 32) join(number, smem.cell.left);
  }

 private:
  __device__ void join(std::int64_t number, path_ends<V> const& left) const {
    segmented_op<decltype(Problem::op)> op{problem.op};
    auto const& total = left.total.value();
    bool const is_carried = left.carried >= 0;
    optional<flagged<V>> before{};
    if (is_carried || !tiles.publish_alone(warp_lanes{}, number, total))
      before = tiles.publish_and_look_back(warp_lanes{}, number, total, op);
    if (!is_carried || threadIdx.x > 0) return;
    problem.put(left.carried, before.present ? static_cast<V>(op.op(before.value.value, left.carry.value()))
                                             : left.carry.value());
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

/// A thread block with a share of the merge path for each of its warps. Shape of the path: (blocks, warps,
/// steps of a warp).
template <class Problem, class Tiles, path_shape S = path_shape_of<Problem>>
struct path_job {
  static constexpr path_shape shape = S;
  static constexpr int threads = shape.threads(), blocks = shape.blocks, warps = shape.warps;
  static constexpr bool first_level_cache = true, waits_itself = true;
  /// So few that what blocks share leaves the first-level cache its size.
  static constexpr int anchors = threads < 128 ? threads : 128;
  using V = typename Problem::value;
  using place = typename product_types<Problem>::path_entry;
  using walk =
      std::conditional_t<columns_are_lanes<Problem>, column_walk<Problem, shape>, path_walk<Problem, shape>>;
  struct shared {
    typename walk::shared warps_of[warps];
    place row_ends[anchors];
    std::int64_t tile;
  };
  static_assert(sizeof(shared) <= 48 << 10,
                "sweep: on the device values of a sparse product have at most 1 KiB");
  Problem problem;
  std::int64_t steps_of_warp;  ///< 0 where only the device knows how many entries there are
  path_place const* cuts;      ///< or null: each warp finds where its share begins and ends
  path_tiles<Tiles> tiles;
  ticket_counter tickets;
  bool follows_pass;  ///< whether the kernel before is another pass of the same product

  /// How many lanes' results are joined.
  static SWEEP_HD int joins(Problem const& problem) {
    if constexpr (columns_are_lanes<Problem>) return walk::lanes_of(problem);
    else return 1;
  }

  __device__ void operator()() const {
    __shared__ shared smem;
    int const warp = static_cast<int>(threadIdx.x / 32);
    // The counter of tickets is this launch's already, but where it was cleared for it.
    bool const draws_at_once = tiles.stamp > 1 || follows_pass;
    std::uint32_t drawn = 0;
    if (draws_at_once && threadIdx.x == 0) drawn = tickets.draw();
    // Tickets come about in the order of blocks. To ask for a line is no read: what the kernel before still
    // writes to it is written into the same cache.
    auto const likely = std::int64_t{blockIdx.x} * warps + warp;
    if (problem.n >= 0) ask_ahead(problem.n, likely);
    // A pass reads nothing that another writes, and has begun behind what the first of them waited for.
    if (!follows_pass) wait_for_kernel_before();
    if (!draws_at_once && threadIdx.x == 0) drawn = tickets.draw();
    auto const n = entries_of(problem);
    if (problem.n < 0) ask_ahead(n, likely);
    path_place cut{};
    if (cuts) cut = kept_cut(likely);
    else read_anchor(smem);
    if (threadIdx.x == 0) smem.tile = drawn;
    __syncthreads();
    let_next_kernel_start();
    auto const tile = smem.tile, share = tile * warps + warp;
    if (!cuts) cut = find_cut(smem, n, share);
    else if (share != likely) cut = kept_cut(share);
    walk(problem, n, smem.warps_of[warp])({warp_shfl(cut.row, 0), warp_shfl(cut.entry, 0)},
                                          {warp_shfl(cut.row, 16), warp_shfl(cut.entry, 16)});
    __syncthreads();
    for (int nth = warp; nth < joins(problem); nth += warps) join(smem, tile, nth);
    // So that whoever waits for this kernel waits for all passes.
    if (follows_pass) wait_for_kernel_before();
  }

 private:
  __device__ std::int64_t steps_of_share(std::int64_t n) const {
    auto const steps = problem.count + n, shares = std::int64_t{gridDim.x} * warps;
    return steps_of_warp > 0 ? steps_of_warp : (steps + shares - 1) / shares;
  }
  /// Where a share begins, for the lower half of a warp's lanes, and where the next one does, for the upper.
  __device__ path_place kept_cut(std::int64_t share) const { return cuts[share + threadIdx.x % 32 / 16]; }
  /// Entries about where a share begins if rows end at equal distances are on their way to the second-level
  /// cache: the share's may be others, but each is somebody's.
  __device__ void ask_ahead(std::int64_t n, std::int64_t share) const {
    if constexpr (!columns_are_lanes<Problem>)
      if (can_be_asked_ahead(problem.count, n, Problem::item_bytes)) {
        auto const entries = static_cast<float>(n), steps = static_cast<float>(n + problem.count);
        walk::ask_for_entries(
            problem, n,
            static_cast<std::int64_t>(static_cast<float>(share * steps_of_share(n)) * (entries / steps)));
      }
  }

  // Anchors are where rows at equal distances end, which a block reads while it waits for its ticket. Where a
  // share begins is looked for between two of them, first around where rows of one length would have it.

  __device__ std::int64_t anchor_row(int i) const { return problem.count * i / anchors; }
  __device__ void read_anchor(shared& smem) const {
    if (int const i = static_cast<int>(threadIdx.x); i < anchors)
      smem.row_ends[i] = static_cast<place>(problem.offsets[anchor_row(i) + 1]);
  }
  /// Where the warp's share begins, for the lower half of its lanes, and where the next one does, for the
  /// upper.
  __device__ path_place find_cut(shared const& smem, std::int64_t n, std::int64_t share) const {
    auto const steps = problem.count + n, each = steps_of_share(n);
    int const nth = static_cast<int>(threadIdx.x % 16), shift = static_cast<int>(threadIdx.x & 16);
    auto const d = min((share + shift / 16) * each, steps);
    auto const step_of = [&](int i) { return static_cast<std::int64_t>(smem.row_ends[i]) + anchor_row(i); };
    int below = 0;
#pragma unroll
    for (int i = 0; i < anchors; i += 16)
      below += __popc(__ballot_sync(~0u, step_of(i + nth) < d) >> shift & 0xffffu);
    int const before = max(below, 1) - 1;
    auto const first = anchor_row(before), last = below < anchors ? anchor_row(below) : problem.count;
    auto const from = step_of(before), to = below < anchors ? step_of(below) : steps;
    auto const part = static_cast<float>(d - from) / static_cast<float>(max(to - from, std::int64_t{1}));
    auto const guess = first + static_cast<std::int64_t>(part * static_cast<float>(last - first));
    auto const row = half_warp_find_first(below == 0 ? first : first + 1, last, guess,
                                          [&](std::int64_t r) { return ends_behind(problem, r, d); });
    return place_on_path(problem, n, d, row);
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
    T const total = warp_shfl(sum, warps - 1), shares_before = warp_shfl_up(sum, 1);
    static_cast<void>(have);
    bool const is_carried = lane < warps && ends.carried >= 0,
               began_before = is_carried && (lane == 0 || !shares_before.heads);
    optional<T> before{};
    if (__any_sync(~0u, began_before) || !tiles.of(nth).publish_alone(lanes{}, tile, total)) {
      before = tiles.of(nth).publish_and_look_back(lanes{}, tile, total, op);
      before = {warp_shfl(before.value, 0), __shfl_sync(~0u, before.present, 0) != 0};
    }
    if (!is_carried) return;
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

/// Products along the path, of as many passes as there are: each is a kernel, which starts while the last
/// blocks of the one before run.
template <class Source, class Problem>
void spmv_on_path(device_policy<Source> const& policy, char const* call, Problem const& problem,
                  kept_cuts const& kept) {
  using state = tile_state<flagged<typename Problem::value>, across_tiles::ordered_lookback>;
  using job = path_job<Problem, state>;
  bool const known = problem.n >= 0;
  auto const [each, tiles] = known ? divide_path(problem.count + problem.n, job::warps)
                                   : path_division{0, path_blocks_of_rows(problem.count)};
  bool const has_kept = known && kept.at && kept.steps_of_share == each && kept.shares >= tiles * job::warps;
  int passes = 1;
  if constexpr (columns_are_lanes<Problem>) passes = problem.in.x.passes.count();
  auto const words = state::words(tiles), words_of_pass = job::joins(problem) * words;
  launch_state<Source> memory(policy.scratch_source(), call, policy.stream(), passes * words_of_pass);
  for (int pass = 0; pass < passes; ++pass) {
    auto tickets = memory.tickets();
    tickets.first += static_cast<std::uint32_t>(pass * tiles);
    auto const one = [&] {
      if constexpr (columns_are_lanes<Problem>) return problem.of_pass(pass);
      else return problem;
    }();
    launch_job(call, policy.stream(), tiles, job::threads,
               job{one, each, has_kept ? kept.at : nullptr,
                   path_tiles<state>{memory.tiles() + pass * words_of_pass, tiles, words, memory.stamp()},
                   tickets, pass > 0});
  }
  memory.launched(passes * tiles);
}

/// The same by tiles of whole rows.
template <row_tile_shape S, class Source, class Problem>
void spmv_by_tiles(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  using job = row_tiles_job<Problem, S>;
  using records = cut_records<typename Problem::value>;
  auto const columns = columns_of(problem.in.x);
  auto const by = divide_rows(problem.count, problem.n, S, columns);
  auto const launch = [&](records const& cut) {
    launch_job(call, policy.stream(), by.ranges + by.tiles, job::threads, job{problem, by, cut},
               job::tile::bytes_of_ends(by.rows), blocks_are::independent, 1, columns);
  };
  if (by.ranges == 0) return launch({});
  auto const ranges = std::int64_t{columns} * by.ranges;
  launch_state<Source> memory(policy.scratch_source(), call, policy.stream(), records::words(ranges));
  launch({memory.tiles(), ranges, memory.stamp()});
  memory.launched(0);
}

template <class Source, class Problem>
void spmv_by_rows(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  constexpr row_tile_shape shape = row_tile_row_of<Problem>.shape, few = row_tile_row_of<Problem>.few;
  if constexpr (!(few == shape))
    if (are_few_for_tiles(columns_of(problem.in.x) * problem.n))
      return spmv_by_tiles<few>(policy, call, problem);
  spmv_by_tiles<shape>(policy, call, problem);
}

/// The same by cells of entries.
template <class Source, class Problem>
void spmv_by_cells(device_policy<Source> const& policy, char const* call, Problem const& problem) {
  using state = tile_state<flagged<typename Problem::value>, across_tiles::ordered_lookback>;
  using job = entry_cells_job<Problem, state>;
  auto const each = entries_of_cell(problem.n, row_tile_row_of<Problem>.cells);
  auto const cells = (problem.n + each - 1) / each;
  launch_state<Source> memory(policy.scratch_source(), call, policy.stream(), state::words(cells));
  launch_job(
      call, policy.stream(), cells, job::threads,
      job{problem, each, state(memory.tiles(), cells, memory.stamp()), memory.stamp() > 1, memory.tickets()});
  memory.launched(cells);
}

template <class Source, class... Tags>
inline constexpr spmv_by spmv_variant<device_policy<Source, Tags...>> = chosen<spmv_by, Tags...>;

template <class Source, class... Tags, class Problem>
void run_spmv(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem,
              kept_cuts const& kept) {
  constexpr auto how = chosen<spmv_by, Tags...>;
  auto const plain = without_tags(policy);
  if constexpr (columns_are_lanes<Problem> || how == spmv_by::merge_path) {
    spmv_on_path(plain, call, problem, kept);
  } else {
    if (columns_of(problem.in.x) > 1) return spmv_by_rows(plain, call, problem);
    constexpr bool narrow = sizeof(typename Problem::value) <= 4 &&
                            is_near_columns<std::remove_cv_t<decltype(Problem::in.indices)>>;
    if constexpr (how != spmv_by::row_vector) {
      // Kernels that are tuned: others are not worth another one.
      constexpr auto value = sizeof(typename Problem::value), entry = Problem::item_bytes;
      constexpr bool tuned = value <= 8 && entry <= 16;
      if constexpr (tuned)
        if (are_long_rows(problem.count, problem.n) && fits_cells(problem.n, row_tile_row_of<Problem>.cells))
          return spmv_by_cells(plain, call, problem);
      if (are_long_rows(problem.count, problem.n) || (narrow && are_many_narrow(problem.n)) ||
          (tuned && (kept.are_uneven_rows || are_rows_streamed(problem.count, problem.n, value, entry))))
        return spmv_on_path(plain, call, problem, kept);
    }
    spmv_by_rows(plain, call, problem);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
