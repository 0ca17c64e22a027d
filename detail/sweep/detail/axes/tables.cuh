// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TABLES_CUH
#define SWEEP_DETAIL_AXES_TABLES_CUH

#include <sweep/detail/axes/layout.cuh>
#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/tile/planes.cuh>
#include <sweep/detail/axes/tile/walked_volumes.cuh>

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <class Problem>
void require_axis_reachable(char const* call, Problem const& problem) {
  if constexpr (std::is_pointer_v<decltype(problem.in)>) require_reachable(call, "in", problem.in);
  if constexpr (std::is_pointer_v<decltype(problem.out)>) require_reachable(call, "out", problem.out);
}

/// A block for a tile of a plane, which is scanned along both of its axes.
template <class Problem>
struct scan_planes_job {
  using tile = tile_of_plane<Problem>;
  /// As many tiles on their way as memory needs: those of six blocks wait longer for each other (a table of
  /// 8192 x 8192 floats on an H100: 235 us, not 218).
  static constexpr int threads = tile::threads, blocks = tile::warps > 4 ? 3 : 4;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  plane_words<typename Problem::value> words;
  plane_access how;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    tile::run(problem, *reinterpret_cast<typename tile::shared*>(memory), words, how);
  }
};

/// A block that walks down a strip of a plane, or through a tile of a volume's layers, which are scanned
/// along all of their axes.
template <class Problem>
struct walk_volumes_job {
  using tile = walk_of_volume<Problem>;
  static constexpr int warps(int arch) { return arch >= 90 ? tile::most_warps : 8; }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr int threads = 32 * std::min(8, tile::most_warps);  // so registers are those of few warps
#else
  static constexpr int threads = 32 * tile::most_warps;
#endif
  static constexpr int blocks = 1;
  static constexpr std::size_t dynamic_bytes(int arch) { return tile::shared_bytes(warps(arch)); }
  Problem problem;
  volume_words words;
  volume_walk how;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    tile{problem, *reinterpret_cast<typename tile::of_block*>(memory),
         reinterpret_cast<typename tile::of_warp*>(memory + sizeof(typename tile::of_block)), words, how}
        .run();
  }
};

/// How the items of planes and volumes can be moved.
template <int V, bool InWords, class Problem>
plane_access access_of_planes(Problem const& problem) {
  auto const& grid = problem.grid;
  auto const& first = grid.planes.first;
  plane_access how{
      columns_in_vectors<V>(problem.in, grid, first, [](line_place const& by) { return by.in; }),
      columns_in_vectors<V>(problem.out, grid, first, [](line_place const& by) { return by.out; }),
      on_items(problem.in), 0, 0};
  if constexpr (InWords)
    if (grid.column.in == 1 && how.in_items) {
      std::int64_t least = first.in, most = first.in + grid.columns;
      auto const reach = [&](std::int64_t extent, std::int64_t stride) {
        (stride < 0 ? least : most) += (extent - 1) * stride;
      };
      reach(grid.rows, grid.row.in);
      reach(grid.layers, grid.layer.in);
      for (int r = 0; r < grid.planes.axes; ++r)
        reach(grid.planes.across[r].extent, grid.planes.across[r].stride.in);
      how.from = reinterpret_cast<std::uintptr_t>(problem.in + least);
      how.to = reinterpret_cast<std::uintptr_t>(problem.in + most);
    }
  return how;
}

/// Whether planes are scanned along both of their axes at once: so many items that they do not stay in
/// caches, tiles most of which is used, and so many of these side by side, of all planes, that no chain of
/// them is long beside the others, the more so where what they tell is of several words. It depends on
/// extents and types alone, which fix the bits.
template <class Tile>
constexpr bool planes_are_tiled(plane_grid const& grid) {
  constexpr std::int64_t fewest_items = 1 << 21, many_items = 1 << 23, words = slots<typename Tile::T>::words;
  auto const planes = grid.planes.lines, down = grid.down(Tile::height), across = grid.across(Tile::width),
             beside = planes * std::min(down, across), items = planes * grid.rows * grid.columns;
  return items >= fewest_items && beside >= (items < many_items ? 16 : 5) * words &&
         items >= planes * down * across * (Tile::height * Tile::width * 9 / 16);
}

/// One launch of planes that are scanned along both of their axes.
template <class Source, class... Tags, class Problem>
void tile_planes(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = scan_planes_job<Problem>;
  using tile = typename job::tile;
  using words = plane_words<typename Problem::value>;
  if constexpr (has_checked<Tags...>) require_axis_reachable(call, problem);
  auto const& grid = problem.grid;
  auto const tiles = grid.planes.lines * grid.down(tile::height) * grid.across(tile::width);
  launch_state<Source> kept(policy.scratch_source(), call, policy.stream(),
                            words::count(tiles, tile::height, tile::width));
  launch_job(call, policy.stream(), tiles, job::threads,
             job{problem,
                 {kept.tiles(), kept.stamp(), tiles, kept.tickets()},
                 access_of_planes<tile::V, false>(problem)},
             sizeof(typename tile::shared));
  kept.launched(tiles);
}

/// Planes that are scanned along both of their axes at once, if they are.
template <class Source, class... Tags, class Problem>
bool run_planes(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  if (!planes_are_tiled<typename scan_planes_job<Problem>::tile>(problem.grid)) return false;
  tile_planes(policy, call, problem);
  return true;
}

/// One launch of volumes that are scanned along all three of their axes.
template <class Source, class... Tags, class Problem>
void run_volumes(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = walk_volumes_job<Problem>;
  using tile = typename job::tile;
  using T = typename Problem::value;
  if constexpr (has_checked<Tags...>) require_axis_reachable(call, problem);
  auto const& grid = problem.grid;
  volume_walk const how{static_cast<int>(grid.across(tile::width)), static_cast<int>(grid.down(tile::height)),
                        access_of_planes<tile::V, tile::tile::comes_in_words>(problem)};
  auto const layers = grid.planes.lines * grid.layers;
  auto const of_rows = layers * how.down * tile::height * slots<T>::words,
             of_columns =
                 layers * how.across * (tile::width / tile::beside) * slots<typename tile::told>::words;
  volume_words words{};
  words.columns = of_rows * how.rows_tell();
  words.row_groups = words.columns + of_columns * how.columns_tell();
  words.column_groups = words.row_groups + of_rows * how.row_groups_tell();
  auto const all = words.column_groups + of_columns * how.column_groups_tell();
  launch_state<Source> kept(policy.scratch_source(), call, policy.stream(), all);
  words.at = kept.tiles();
  words.stamp = kept.stamp();
  words.tickets = kept.tickets();
  auto const blocks = grid.planes.lines * how.down * how.across;
  constexpr int few = 4;  // warps, of which all devices have the shared memory
  auto const [arch, fits] = facts_of<job>(call);
  int const most = fits ? job::warps(arch) : few;
  int const warps = static_cast<int>(std::min<std::int64_t>(most, grid.layers));
  launch_job(call, policy.stream(), blocks, 32 * warps, job{problem, words, how}, tile::shared_bytes(warps));
  kept.launched(blocks);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
