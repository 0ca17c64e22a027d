// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_COMPARISON_MERGE_SORT_CUH
#define SWEEP_DETAIL_SORT_COMPARISON_MERGE_SORT_CUH

#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/runtime/scratch_pieces.hpp>
#include <sweep/detail/sort/comparison/merge_memory.cuh>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/comparison/sample_grid.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/keyed_item.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>
#include <sweep/detail/sort/tile/places_tile.cuh>
#include <sweep/device.cuh>
#include <sweep/variant.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// In place of a grid's plan.
struct no_grid {
  static constexpr std::int64_t blocks = 0;
  static constexpr std::int64_t told_bytes() { return 0; }
};

/// Who sorts tiles.
template <sort_by How, class Key, class Value, class Order>
struct tile_sorter {
  using type = places_tile<How, Key, Order>;
};
template <class Key, class Value, class Order>
struct tile_sorter<sort_by::merge, Key, Value, Order> {
  using type = merge_tile_of<Value, Order, range_shape<Key, Value>>;
};

/// Merges sorted runs of so many items, of which passes make all, into the first of the buffers or, of keys
/// that nobody asks for, into nothing.
template <class Shape, bool KeepsKeys, class Buffers, class Order>
class passes_over_runs {
 public:
  passes_over_runs(char const* call, std::int64_t n, std::int64_t length)
      : call_{call}, n_{n}, length_{length} {
    auto const tiles = (n + length - 1) / length;
    for (auto runs = std::int64_t{1}; runs < tiles; runs *= Shape::ways) ++passes;
    for (auto runs = std::int64_t{1}; runs < tiles; runs *= 2) ++doublings_;
  }
  /// Where the tiles of the first pass begin, which has most of them.
  std::int64_t cuts() const {
    if (passes == 0) return 0;
    auto const first = groups(passes, length_, doublings_);
    return finds_cuts_before<runs_of_all<Shape>>(first.tiles) ? Shape::ways * first.tiles : 0;
  }
  /// What a pass writes after which so many are to come: what nobody asks for is not written by the last one.
  Buffers buffers_of(Buffers some, int to_come) const {
    if (!KeepsKeys && to_come == 0) some.keys[0] = nullptr;
    return some;
  }
  void launch(cudaStream_t stream, Buffers const& buffers, std::int64_t* cuts, Order const& order) const {
    auto length = length_;
    int doublings = doublings_;
    for (int to_come = passes; to_come > 0; --to_come) {
      auto const own = groups(to_come, length, doublings);
      launch_merge_pass<Shape>(call_, stream, own, own.tiles, own.tiles, own.tiles,
                               buffers_of(buffers, to_come - 1), cuts, order);
      for (int ways = own.ways; ways > 1; ways /= 2) --doublings;
      length *= own.ways;
    }
  }

  int passes = 0;

 private:
  /// Passes merge as many runs as are left over those that are to come, and so have nearly as many tiles.
  runs_of_all<Shape> groups(int to_come, std::int64_t length, int doublings) const {
    return {n_, length, 1 << ((doublings + to_come - 1) / to_come), to_come};
  }

  char const* call_;
  std::int64_t n_, length_;
  int doublings_ = 0;
};

/// Sorts a range: by bins of a sample where a grid of blocks holds it, else in tiles that are sorted as the
/// variant says, and merged.
template <sort_by How = sort_by::merge, class Source, class... Tags, class Problem>
void run_merge_sort(device_policy<Source, Tags...> const& policy, Problem const& problem) {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  using memory_type = merge_memory<Problem>;
  using value = typename memory_type::value;
  using shape = range_shape<key, value>;
  using tile = typename tile_sorter<How, key, value, order>::type;
  using keys_in = std::remove_cvref_t<decltype(problem.keys_in)>;
  auto const n = problem.n;
  if (n == 0) return;
  auto const* const call = problem.call;
  auto const stream = policy.stream();
  constexpr bool can_be_grid = How == sort_by::merge && sizeof(key) <= 16;
  using grid_values = std::conditional_t<riding_value<Problem>::is_index, index_itself,
                                         std::remove_cvref_t<decltype(problem.values_in)>>;
  using grid_job = sample_grid_job<keys_in, grid_values, key, value, order>;
  std::conditional_t<can_be_grid, sample_grid_plan<grid_job, key, value, order>, no_grid> grid;
  if constexpr (can_be_grid) grid = {call, n};
  std::int64_t const length = grid.blocks > 0 ? n : tile::shape::items, tiles = (n + length - 1) / length;
  if constexpr (How == sort_by::bitonic)
    if (tiles > 1)
      refuse_argument(call, Problem::has_values && Problem::keeps_keys ? "keys_last" : "last", "is ", n,
                      " items behind first, but variant::bitonic sorts what fits a block: ", length,
                      " of these at most");
  passes_over_runs<shape, Problem::keeps_keys, merge_buffers<key, value>, order> const runs(call, n, length);

  memory_type own(problem, runs.passes > 0 || grid.blocks > 1, runs.passes > 1 || grid.blocks > 0);
  auto const cuts_count = runs.cuts();
  std::size_t const bytes =
      own.bytes() + bytes_of_piece<std::int64_t>(cuts_count) + bytes_of_piece<std::byte>(grid.told_bytes());
  scratch<Source> const memory(policy.scratch_source(), call, stream, bytes);
  scratch_pieces pieces(memory.memory());
  own.take(pieces);
  auto* const cuts = pieces.take<std::int64_t>(cuts_count);

  with_riding_values(problem, [&](auto values) {
    if constexpr (can_be_grid)
      if (grid.blocks > 0)
        return grid.launch(rest_of(policy, memory, bytes), call, problem.keys_in, values, own.buffers,
                           pieces.take<std::byte>(grid.told_bytes()), n, problem.order);
    using job = sort_tiles_job<tile, keys_in, decltype(values), key, value, order>;
    auto const to = runs.buffers_of(own.buffers, runs.passes);
    if (!facts_of<job>(call).fits) throw_plan_too_large(call, job::bytes);
    launch_job(
        call, stream, tiles, job::threads,
        job{problem.keys_in, values, to.keys[runs.passes % 2], to.values[runs.passes % 2], n, problem.order},
        job::bytes);
  });
  runs.launch(stream, own.buffers, cuts, problem.order);
  own.write(stream);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
