// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_DEVICE_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_DEVICE_CUH

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/tridiagonal/block.cuh>
#include <sweep/detail/tridiagonal/chain.cuh>
#include <sweep/detail/tridiagonal/cyclic_reduction.cuh>
#include <sweep/detail/tridiagonal/interleaved.cuh>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tile/eliminate.cuh>
#include <sweep/detail/tridiagonal/tile/relation_tree.cuh>
#include <sweep/detail/tridiagonal/tile/rows.cuh>
#include <sweep/detail/tridiagonal/tuning.hpp>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// How the rows of solves are cut into tiles of neighbours: a solve has several, or a tile several systems.
struct row_tiles {
  int threads;        ///< of a block
  int chunk_rows;     ///< of a thread
  int tile_rows;      ///< of a block
  unsigned of_solve;  ///< tiles of a solve, or 1
  unsigned systems;   ///< of a tile, or 1
  unsigned of_right;  ///< tiles of one right-hand side of all systems
};

/// Where a tile lies.
struct row_tile {
  unsigned right;
  std::int64_t system;  ///< the first
  unsigned part;        ///< of the system's tiles
  std::int64_t row;     ///< of the first system
  int rows;

  __device__ row_tile(row_tiles const& tiles, system_layout const& layout, unsigned tile) {
    // Divisions are slow, and most often there is one right-hand side, and one tile a solve.
    right = tiles.of_right == gridDim.x ? 0 : tile / tiles.of_right;
    auto const nth = tile - right * tiles.of_right, group = tiles.of_solve == 1 ? nth : nth / tiles.of_solve;
    part = nth - group * tiles.of_solve;
    system = std::int64_t{group} * tiles.systems;
    row = std::int64_t{part} * tiles.tile_rows;
    rows = static_cast<int>(tiles.systems > 1
                                ? min(std::int64_t{tiles.systems}, layout.systems - system) * layout.n
                                : min(std::int64_t{tiles.tile_rows}, layout.n - row));
  }
};

/// So many tiles of those that are read twice stay in the second-level cache until they are read again, 18
/// MiB: the others leave it first. While the relations between are folded, as many of the tiles behind them
/// come back.
inline constexpr unsigned tiles_kept = 1024;

/// A block has a tile of rows, a thread a chunk of it. The tile is folded to its relation, which goes to the
/// chain of its solve; or it is solved, from the states that the chain gives or that it finds itself where it
/// is all of the solve.
template <class Problem>
struct rows_job {
  using T = typename Problem::value_type;
  using S = typename Problem::number;
  static constexpr int threads = 128, blocks = 3;
  static constexpr bool waits_itself = true;
  static_assert(most_chunk_rows(sizeof(S)) <= 64);  // bits of a tile_chunk
  /// Of so many rows, in whole vectors.
  SWEEP_HD static constexpr int slots_of(int rows) {
    constexpr int group = static_cast<int>(16 / sizeof(S));
    return (rows + group - 1) / group * group;
  }
  static constexpr std::size_t bytes_of(int threads, int rows) {
    return staged_rows<S>::bytes(slots_of(rows)) + relation_tree<S>::bytes(threads);
  }
  static constexpr std::size_t dynamic_bytes(int) {
    return bytes_of(threads, threads * most_chunk_rows(sizeof(S)));
  }

  Problem problem;
  row_tiles tiles;
  bool solves;
  typename chain_links<S>::link* relations;  ///< of the tiles, where they are folded
  state<S> const* states;                    ///< of_solve + 1 of every solve, where a solve has several tiles

  __device__ void operator()() const {
    extern __shared__ __align__(16) unsigned char sweep_shared_rows[];
    int const slots = slots_of(tiles.tile_rows);
    relation_tree<S> tree(sweep_shared_rows + staged_rows<S>::bytes(slots));
    auto const& layout = problem.layout;
    // Where all is read once more, what was read last is first, as it is still in the second-level cache.
    // Kernels before this one's call are done then, so that rows are folded while the chain is.
    bool const again_read = solves && tiles.of_solve > 1;
    row_tile const tile(tiles, layout, again_read ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
    staged_rows<S> const rows(sweep_shared_rows, slots);
    auto const place = problem.place_of(tile.right, tile.system);
    if (!again_read) wait_for_kernel_before();
    let_next_kernel_start();
    stage(rows, tile, place);
    int const first = static_cast<int>(threadIdx.x) * tiles.chunk_rows;
    int const mine = max(0, min(tiles.chunk_rows, tile.rows - first));
    int const count = (tile.rows + tiles.chunk_rows - 1) / tiles.chunk_rows;
    auto const again = [&](int j) { return row_again(tile, first + j); };
    auto const tell = [&](int i) {
      if (solves) note_singular(problem.first_singular, tile.system * layout.n + tile.row + i);
    };
    tile_chunk<S, true> chunk{rows, first};
    bool quickly = true;
    auto const fold = [&](auto& part, auto const& note) {
      if constexpr (Problem::is_cut)
        return fold_rows<Problem::how, true, S>(part, mine, quickly, again, note);
      else
        return tiles.systems > 1 ? fold_rows<Problem::how, true, S>(part, mine, quickly, again, note)
                                 : fold_rows<Problem::how, false, S>(part, mine, quickly, again, note);
    };
    relation<S> own;
    if (solves) {
      own = fold(chunk, [&](int j) { tell(first + j); });
    } else {
      tile_chunk<S, false> folded{rows, first};
      own = fold(folded, [](int) {});
    }
    auto const all = tree.fold(own, count, [&](int k, int which) { tell(k * tiles.chunk_rows - 1 + which); });
    if (!solves) {
      if (threadIdx.x == 0) relations[blockIdx.x].related = all;
      return;
    }
    if (again_read) {
      if (threadIdx.x == 0 && blockIdx.x < tiles_kept && blockIdx.x + tiles_kept < gridDim.x)
        fetch_ahead(row_tile(tiles, layout, gridDim.x - 1 - (blockIdx.x + tiles_kept)));
      wait_for_kernel_before();
    }
    state<S> left{}, right{};
    if (threadIdx.x == 0) {
      if (tiles.of_solve == 1) {
        auto const ends =
            close_system(all, layout.cyclic, [&](int which) { tell(which == 0 ? 0 : tile.rows - 1); });
        left = ends.left;
        right = ends.right;
      } else {
        auto const* const known =
            states + (tile.right * layout.systems + tile.system) * (tiles.of_solve + 1) + tile.part;
        left = known[0];
        right = known[1];
      }
    }
    tree.unfold(count, left, right);
    unfold_chunk<S>(chunk, mine, left, right);
    write_neighbours(problem, place.values + tile.row * layout.row_stride, tile.rows, rows.right);
  }

 private:
  /// Copies of whole arrays, where all are neighbours in memory that begin on 16 bytes. An item in front of a
  /// system comes along where it shares its 16 bytes with others; one behind it does not.
  __device__ bool stage_whole(staged_rows<S> const& rows, row_tile const& tile, std::int64_t coefficients,
                              std::int64_t values, bool at_begin, bool at_end,
                              staging_barrier& landed) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (is_copied_as_bytes<T, decltype(problem.lower)> &&
                  is_copied_as_bytes<T, decltype(problem.diagonal)> &&
                  is_copied_as_bytes<T, decltype(problem.upper)> &&
                  is_copied_as_bytes<T, decltype(problem.right)>) {
      auto const& layout = problem.layout;
      T const *const lower = problem.lower + coefficients, *const diagonal = problem.diagonal + coefficients,
                     *const upper = problem.upper + coefficients, *const right = problem.right + values;
      if (layout.row_stride != 1 ||
          (reinterpret_cast<std::uintptr_t>(lower) | reinterpret_cast<std::uintptr_t>(diagonal) |
           reinterpret_cast<std::uintptr_t>(upper) | reinterpret_cast<std::uintptr_t>(right)) %
                  16 !=
              0)
        return false;
      constexpr int V = 16 / sizeof(T);
      int const thread = static_cast<int>(threadIdx.x), count = tile.rows,
                of_upper = count - (at_end ? 1 : 0), whole = count / V * V, whole_upper = of_upper / V * V;
      if (thread == 0) {
        constexpr auto of_item = static_cast<unsigned>(sizeof(T));
        int const head = V == 1 && at_begin ? 1 : 0;
        auto const bytes = static_cast<unsigned>(whole) * of_item,
                   bytes_of_lower = static_cast<unsigned>(whole - head) * of_item,
                   bytes_of_upper = static_cast<unsigned>(whole_upper) * of_item;
        landed.init(1);
        fence_barrier_init();
        landed.arrive_expecting(2 * bytes + bytes_of_lower + bytes_of_upper);
        bool const passes = !solves && blockIdx.x + tiles_kept < gridDim.x;
        auto const load = [&](S* to, T const* from, unsigned n) {
          if (n > 0) passes ? bulk_load_passing(to, from, n, landed) : bulk_load(to, from, n, landed);
        };
        load(rows.lower + head, lower + head, bytes_of_lower);
        load(rows.diagonal, diagonal, bytes);
        load(rows.right, right, bytes);
        load(rows.upper, upper, bytes_of_upper);
      }
      if (thread < count - whole) {
        stage_item<T>(lower, whole + thread, rows.lower[whole + thread]);
        stage_item<T>(diagonal, whole + thread, rows.diagonal[whole + thread]);
        stage_item<T>(right, whole + thread, rows.right[whole + thread]);
      }
      if (thread < of_upper - whole_upper)
        stage_item<T>(upper, whole_upper + thread, rows.upper[whole_upper + thread]);
      return true;
    }
#endif
    return false;
  }
  /// A tile's rows to the second-level cache, but for what is less than 16 bytes at both ends; none of a
  /// system's first and last tile, where coefficients may be absent.
  __device__ void fetch_ahead([[maybe_unused]] row_tile const& tile) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (problem.layout.row_stride != 1 || tile.part == 0 || tile.part + 1 == tiles.of_solve) return;
    auto const place = problem.place_of(tile.right, tile.system);
    auto const fetch = [&](auto const& of, std::int64_t base) {
      if constexpr (is_copied_as_bytes<T, std::remove_cvref_t<decltype(of)>>) {
        auto const from = reinterpret_cast<std::uintptr_t>(of + base + tile.row),
                   first = (from + 15) / 16 * 16, end = (from + tile.rows * sizeof(T)) / 16 * 16;
        if (first < end)
          bulk_prefetch(reinterpret_cast<void const*>(first), static_cast<unsigned>(end - first));
      }
    };
    fetch(problem.lower, place.coefficients);
    fetch(problem.diagonal, place.coefficients);
    fetch(problem.upper, place.coefficients);
    fetch(problem.right, place.values);
#endif
  }
  /// Row i of the tile as stage() has it.
  __device__ tridiagonal_row<S> row_again(row_tile const& tile, int i) const {
    if (tiles.systems == 1) return problem.cut_row(problem.place_of(tile.right, tile.system), tile.row + i);
    int const n = static_cast<int>(problem.layout.n), system = i / n;
    return problem.row(problem.place_of(tile.right, tile.system + system), i - system * n);
  }
  /// The tile's rows, without what would couple systems with what is around them.
  __device__ void stage(staged_rows<S> const& rows, row_tile const& tile, solve_place const& place) const {
    auto const& layout = problem.layout;
    auto const stride = layout.row_stride;
    auto const coefficients = place.coefficients + tile.row * stride;
    auto const values = place.values + tile.row * stride;
    bool const at_begin = !layout.cyclic && tile.row == 0;
    bool const at_end = !layout.cyclic && (tiles.systems > 1 || tile.row + tile.rows == layout.n);
    __shared__ staging_barrier landed;
    if (!stage_whole(rows, tile, coefficients, values, at_begin, at_end, landed)) {
      begin_staging(landed, 4);
      stage_neighbours<T>(problem.lower, coefficients, stride, at_begin ? 1 : 0, tile.rows, rows.lower,
                          landed);
      stage_neighbours<T>(problem.diagonal, coefficients, stride, 0, tile.rows, rows.diagonal, landed);
      stage_neighbours<T>(problem.upper, coefficients, stride, 0, tile.rows - (at_end ? 1 : 0), rows.upper,
                          landed);
      stage_neighbours<T>(problem.right, values, stride, 0, tile.rows, rows.right, landed);
    }
    await_staged(landed);
    if (tiles.systems > 1) {
      int const n = static_cast<int>(layout.n);
      for (int head = static_cast<int>(threadIdx.x) * n; head < tile.rows; head += tiles.threads * n) {
        rows.lower[head] = S{};
        rows.upper[head + n - 1] = S{};
      }
      __syncthreads();
    } else if constexpr (Problem::is_cut) {
      for (int i = static_cast<int>(threadIdx.x); i < tile.rows; i += tiles.threads) {
        auto const row = tile.row + i;
        if (problem.cuts(row)) rows.lower[i] = S{};
        if (row + 1 == layout.n || problem.cuts(row + 1)) rows.upper[i] = S{};
      }
      __syncthreads();
    } else if (at_begin || at_end) {
      if (threadIdx.x == 0 && at_begin) rows.lower[0] = S{};
      if (threadIdx.x == 0 && at_end) rows.upper[tile.rows - 1] = S{};
      __syncthreads();
    }
  }
};

/// Blocks that keep a device busy; how rows are cut is part of what fixes the bits of results, so it does not
/// depend on the device.
inline constexpr int blocks_that_fill = 132 * 8;

/// Rows of a thread where so many of a block have these: an odd number of groups of 16 bytes, so that threads
/// read different banks.
constexpr int chunk_rows_of(std::int64_t rows, int threads, std::size_t bytes) {
  int const group = static_cast<int>(16 / bytes);
  auto const groups = (rows + std::int64_t{threads} * group - 1) / (std::int64_t{threads} * group);
  return static_cast<int>(groups | 1) * group;
}

/// Tiles of a block: all of a solve where it fits, and several small systems, neighbours in memory, where
/// there are enough for all blocks.
template <class Problem>
row_tiles tiles_of_rows(system_layout const& layout) {
  constexpr std::size_t bytes = sizeof(typename Problem::number);
  constexpr int least = 32, most = 128;
  auto const rows_of = [](int threads) { return std::int64_t{threads} * most_chunk_rows(bytes); };
  if (layout.n > rows_of(most)) {
    constexpr int threads = threads_of_long;
    auto const tile = rows_of(threads), of_solve = (layout.n + tile - 1) / tile;
    return {threads,
            most_chunk_rows(bytes),
            static_cast<int>(tile),
            static_cast<unsigned>(of_solve),
            1,
            static_cast<unsigned>(layout.systems * of_solve)};
  }
  int threads = least;
  while (layout.n > rows_of(threads)) threads *= 2;
  std::int64_t systems = 1;
  if (layout.row_stride == 1 && layout.system_stride == layout.n && !layout.cyclic)
    systems =
        std::max<std::int64_t>(1, std::min(std::min(rows_of(threads) / layout.n, layout.systems),
                                           (layout.solves() + blocks_that_fill - 1) / blocks_that_fill));
  auto const rows = systems * layout.n;
  return {threads,
          chunk_rows_of(rows, threads, bytes),
          static_cast<int>(rows),
          1,
          static_cast<unsigned>(systems),
          static_cast<unsigned>((layout.systems + systems - 1) / systems)};
}

/// Systems whose rows are neighbours, or that have no neighbours: tiles of rows, and the chain of their
/// relations.
template <class Policy, class Problem>
void solve_by_rows(Policy const& policy, char const* call, Problem const& problem) {
  using S = typename Problem::number;
  using job = rows_job<Problem>;
  auto const& layout = problem.layout;
  auto const tiles = tiles_of_rows<Problem>(layout);
  auto const blocks = tiles.of_right * layout.rights;
  auto const launch = [&](bool solves, typename chain_links<S>::link* relations, state<S> const* states) {
    launch_job(call, policy.stream(), blocks, tiles.threads, job{problem, tiles, solves, relations, states},
               job::bytes_of(tiles.threads, tiles.tile_rows));
  };
  if (tiles.of_solve == 1) return launch(true, nullptr, nullptr);
  chain_levels<S> const chain(layout, tiles.of_solve, tiles.tile_rows);
  with_memory<S>(policy, call, chain.words(), [&](auto const&, S* memory) {
    launch(false, chain.links(memory, 0), nullptr);
    chain.solve(call, policy.stream(), memory, problem.first_singular);
    launch(true, nullptr, chain.states(memory, 0));
  });
}

/// The default variant, for whatever layout.
template <class Policy, class Problem>
void solve_by_parts(Policy const& policy, char const* call, Problem const& problem) {
  auto const& layout = problem.layout;
  if constexpr (!Problem::is_cut) {
    if (layout.systems >= 32 && layout.system_stride < layout.row_stride && layout.system_stride <= 4)
      return solve_interleaved(policy, call, problem);
  }
  solve_by_rows(policy, call, problem);
}

template <class Source, class... Tags, class Problem>
void run_tridiagonal(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  constexpr auto how = chosen<solve_by, Tags...>;
  if constexpr (is_block<typename Problem::number>) {
    static_assert(how == solve_by::partitioned,
                  "sweep: systems of blocks are solved by the default of tridiagonal_solve: thomas, "
                  "cyclic_reduction, parallel_cyclic_reduction and hybrid take numbers");
    solve_by_blocks(policy, call, problem);
  } else if constexpr (how != solve_by::partitioned) {
    if (problem.layout.cyclic)
      refuse_argument(call, "system", "is cyclic: of the variants the default solves such");
    if constexpr (how == solve_by::thomas) solve_by_thomas(policy, call, problem);
    else solve_by_reduction(policy, call, problem, how);
    return;
  } else {
    solve_by_parts(policy, call, problem);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
