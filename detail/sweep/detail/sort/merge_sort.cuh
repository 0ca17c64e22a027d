// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_MERGE_SORT_CUH
#define SWEEP_DETAIL_SORT_MERGE_SORT_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// A sort by a comparison alone: blocks sort tiles, and passes merge four or eight runs at a time, from one
// buffer into another, of which one is the output where keys can be read there. A pass is cut into tiles by
// the runs' samples: a thread for each finds how many samples of the group's runs stand before its own, and
// every so many-th is where a tile begins. No two samples are alike, since equivalent ones stand in the order
// of their runs; so tiles are as even for equal keys as for different ones.

/// A value as it moves with its key: itself, as the output has it, where it is narrow; else the index of it.
template <class Problem>
struct riding_value {
  using out = typename Problem::value_out;
  static constexpr bool is_index =
      Problem::has_values && !(sizeof(out) <= 8 && relocatable<out> && std::is_default_constructible_v<out>);
  using type = std::conditional_t<is_index, std::int64_t, out>;
};

/// Item i is i.
struct index_itself {
  SWEEP_HD std::int64_t operator[](std::int64_t i) const { return i; }
};

/// Neighbouring tiles of the input become runs in order.
template <class Keys, class Values, class Key, class Value, class Order>
struct sort_tiles_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using tile_type = merge_sort_tile<Key, has_values, Order>;
  static constexpr int threads = shape::threads, blocks = shape::sort_blocks;
  Keys keys;
  Values values;
  Key* keys_to;  ///< null where nobody asks for keys
  Value* values_to;
  std::int64_t n;
  Order order;

  __device__ void operator()() const {
    __shared__ typename tile_type::shared smem;
    auto const mine = order;  // a copy: functors may have a state
    auto const base = std::int64_t{blockIdx.x} * shape::items;
    int const count = static_cast<int>(n - base < shape::items ? n - base : shape::items);
    tile_type tile(smem, mine);
    int const first = tile.fetch(0, keys, base, count);
    await_async_copies();
    __syncthreads();
    tile.sort(first, count);
    int const t0 = static_cast<int>(threadIdx.x);
    if (keys_to) {
#pragma unroll 4
      for (int t = t0; t < count; t += threads) put_bytes(keys_to[base + t], tile.result(t));
    }
    if constexpr (has_values) {
      // All are read before the first is written: they may be the same.
      Value some[shape::each];
#pragma unroll
      for (int e = 0; e < shape::each; ++e)
        if (int const t = t0 + e * threads; t < count)
          put_bytes(some[e], static_cast<Value>(values[base + (tile.place(t) - first) / shape::size]));
      __syncthreads();
#pragma unroll
      for (int e = 0; e < shape::each; ++e)
        if (int const t = t0 + e * threads; t < count) put_bytes(values_to[base + t], some[e]);
    }
  }
};

/// How n items in runs of equal length are merged in groups of so many, by tiles.
template <class Shape>
struct merge_pass_grid {
  static constexpr int ways = Shape::ways, distance = Shape::distance, tile_samples = Shape::tile_samples;
  std::int64_t n, length;
  std::int64_t run_samples, group_tiles;  ///< of whole ones
  std::int64_t samples, tiles;

  merge_pass_grid(std::int64_t items, std::int64_t run_length) : n{items}, length{run_length} {
    run_samples = (length + distance - 1) / distance;
    group_tiles = (ways * run_samples + tile_samples - 1) / tile_samples;
    auto const groups = n / (ways * length), rest = n - groups * ways * length;
    auto const rest_samples = rest / length * run_samples + (rest % length + distance - 1) / distance;
    samples = groups * ways * run_samples + rest_samples;
    tiles = groups * group_tiles + (rest_samples + tile_samples - 1) / tile_samples;
  }
  SWEEP_HD std::int64_t begin(std::int64_t run) const { return run * length < n ? run * length : n; }
  SWEEP_HD std::int64_t length_of(std::int64_t run) const { return begin(run + 1) - begin(run); }
};

/// Where the tiles of a pass begin in the runs of their groups.
template <class Key, class Order, class Shape>
struct merge_samples_job {
  static constexpr int threads = 128, blocks = 8, ways = Shape::ways, distance = Shape::distance;
  Key const* keys;
  merge_pass_grid<Shape> grid;
  std::int64_t* cuts;
  Order order;

  __device__ void operator()() const {
    auto const sample = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (sample >= grid.samples) return;
    auto const mine = order;
    auto const run = sample / grid.run_samples, number = sample % grid.run_samples, group = run / ways;
    int const own = static_cast<int>(run % ways);
    auto const begin = grid.begin(group * ways), count = grid.begin((group + 1) * ways) - begin;
    Key const* const items = keys + begin;
    Key const& x = items[own * grid.length + number * distance];
    // Of each other run how many stand before x: first samples, then items.
    std::int64_t before[ways] = {};
    count_before(mine, x, own, items, count, distance, grid.run_samples, before);
    auto rank = number;
#pragma unroll
    for (int k = 0; k < ways; ++k) rank += k == own ? 0 : before[k];
    if (rank % Shape::tile_samples != 0) return;
#pragma unroll
    for (int k = 0; k < ways; ++k) before[k] = before[k] > 0 ? (before[k] - 1) * distance + 1 : 0;
    count_before(mine, x, own, items, count, 1, distance, before);
    auto* const cut = cuts + (group * grid.group_tiles + rank / Shape::tile_samples) * ways;
#pragma unroll
    for (int k = 0; k < ways; ++k) cut[k] = k == own ? number * distance : before[k];
  }

 private:
  /// How many of each run's keys, so far apart, stand before x, which are as many as are given already and at
  /// most so many more; of equivalent ones those of runs before x's. All runs are searched side by side.
  __device__ void count_before(Order const& order, Key const& x, int own, Key const* items,
                               std::int64_t count, int apart, std::int64_t most,
                               std::int64_t (&before)[ways]) const {
    std::int64_t step = 1;
    while (2 * step <= most) step *= 2;
    for (; step > 0; step /= 2)
#pragma unroll
      for (int k = 0; k < ways; ++k) {
        auto const place = (before[k] + step - 1) * apart, at = k * grid.length + place;
        if (k == own || place >= grid.length || at >= count) continue;
        Key const& y = items[at];
        if (k < own ? !order(x, y) : order(y, x)) before[k] += step;
      }
  }
};

/// A tile of a pass.
template <class Key, class Value, class Order>
struct merge_runs_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using tile_type = merge_sort_tile<Key, has_values, Order>;
  static constexpr int threads = shape::threads, blocks = shape::merge_blocks, ways = shape::ways;
  Key const* keys;
  Value const* values;
  Key* keys_to;  ///< null where nobody asks for keys
  Value* values_to;
  merge_pass_grid<shape> grid;
  std::int64_t const* cuts;
  Order order;

  __device__ void operator()() const {
    __shared__ typename tile_type::shared smem;
    __shared__ struct {
      std::int64_t begin[ways], to;
      int first[ways], count[ways];
    } runs;
    auto const mine = order;
    if (threadIdx.x < 32) find_runs(runs);
    __syncthreads();
    tile_type tile(smem, mine);
    int behind = 0, all = 0;
#pragma unroll 1
    for (int k = 0; k < ways; ++k) {
      int const count = runs.count[k], first = tile.fetch(behind, keys, runs.begin[k], count);
      behind = first / 16 * 16 - 16 + tile.bytes_of(count);
      all += count;
      if (threadIdx.x == 0) {
        runs.first[k] = smem.first[k] = first;
        smem.count[k] = count;
      }
    }
    await_async_copies();
    __syncthreads();
    tile.merge();
    auto const to = runs.to;
    int const t0 = static_cast<int>(threadIdx.x);
    if (keys_to) {
#pragma unroll 4
      for (int t = t0; t < all; t += threads) put_bytes(keys_to[to + t], tile.result(t));
    }
    if constexpr (has_values) {
#pragma unroll 4
      for (int t = t0; t < all; t += threads) {
        int const place = tile.place(t);
        int run = 0;
#pragma unroll
        for (int k = 1; k < ways; ++k) run += place >= runs.first[k] ? 1 : 0;
        put_bytes(values_to[to + t], values[runs.begin[run] + (place - runs.first[run]) / shape::size]);
      }
    }
  }

 private:
  /// The items of a tile in each run of its group, by a lane each. In an order that is none cuts may be
  /// anywhere.
  template <class Runs>
  __device__ void find_runs(Runs& runs) const {
    int const k = static_cast<int>(threadIdx.x);
    auto const tile = std::int64_t{blockIdx.x}, group = tile / grid.group_tiles;
    bool const last = (tile + 1) % grid.group_tiles == 0 || tile + 1 == grid.tiles;
    std::int64_t cut = 0, count = 0;
    if (k < ways) {
      auto const length = grid.length_of(group * ways + k);
      cut = clamped(cuts[tile * ways + k], 0, length);
      count = (last ? length : clamped(cuts[(tile + 1) * ways + k], cut, length)) - cut;
    }
    // So many before this run's, as far as there is room.
    auto behind = clamped(count, 0, shape::most_items);
    auto sum = cut;
#pragma unroll
    for (int by = 1; by < ways; by *= 2) {
      auto const left = warp_shfl_up(behind, by);
      sum += warp_shfl_xor(sum, by);
      if (k >= by) behind += left;
    }
    auto const before = warp_shfl_up(behind, 1);
    if (k < ways) {
      runs.begin[k] = grid.begin(group * ways + k) + cut;
      runs.count[k] = static_cast<int>(clamped(behind, 0, shape::most_items) -
                                       (k > 0 ? clamped(before, 0, shape::most_items) : 0));
    }
    if (k == 0) runs.to = grid.begin(group * ways) + sum;
  }
  static __device__ std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) {
    return x < low ? low : x > high ? high : x;
  }
};

/// What is done with the results where they cannot be made in place: values that are known by their indices,
/// and outputs that are no memory of the keys' or values' own type.
template <class Problem, class Key, class Value>
struct write_sorted_job {
  static constexpr int threads = 256, blocks = 1;
  static constexpr bool by_index = riding_value<Problem>::is_index;
  using raw = typename Problem::value;
  Problem problem;
  Key const* keys;  ///< or null
  Value const* values;
  raw* kept;  ///< where values stay while others take their places, or null
  bool keeps;

  __device__ void operator()() const {
    auto const i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= problem.n) return;
    if constexpr (by_index) {
      if (keeps) return put_bytes(kept[i], static_cast<raw>(problem.values_in[values[i]]));
      if (kept) problem.put_value(i, kept[i]);
      else problem.put_value(i, static_cast<raw>(problem.values_in[values[i]]));
    } else if constexpr (Problem::has_values) {
      if (values) problem.values_out[i] = values[i];
    }
    if (keys) problem.put_key(i, keys[i]);
  }
};

template <class Source, class... Tags, class Problem>
void run_merge_sort(device_policy<Source, Tags...> const& policy, Problem const& problem) {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  static_assert(relocatable<key> && std::is_default_constructible_v<key>,
                "sweep: on the device keys must be trivially copyable and default constructible");
  using riding = riding_value<Problem>;
  using value = typename riding::type;
  using shape = merge_sort_shape<key, Problem::has_values>;
  constexpr bool keys_stay = std::is_same_v<decltype(problem.keys_out), key*>,
                 values_stay = !Problem::has_values || std::is_same_v<decltype(problem.values_out), value*>;
  auto const n = problem.n;
  if (n == 0) return;
  auto const tiles = (n + shape::items - 1) / shape::items;
  int passes = 0;
  for (auto length = std::int64_t{shape::items}; length < n; length *= shape::ways) ++passes;
  auto const* const call = problem.call;

  // Scratch: buffers, and where the tiles of the first pass begin, which has most of them.
  constexpr bool own_keys = !keys_stay && Problem::keeps_keys;
  auto const rounded = [](std::int64_t bytes) { return (static_cast<std::size_t>(bytes) + 255) / 256 * 256; };
  bool const last_is_own = !keys_stay && (Problem::keeps_keys || passes > 1);
  int const others = passes > 0 ? 1 : 0, key_buffers = (last_is_own ? 1 : 0) + others,
            value_buffers = Problem::has_values ? (values_stay ? 0 : 1) + others : 0;
  bool keeps = false;
  if constexpr (riding::is_index) keeps = problem.values_in_place();
  std::int64_t cuts_count = 0;
  if (passes > 0) cuts_count = merge_pass_grid<shape>(n, shape::items).tiles * shape::ways;
  auto const key_bytes = rounded(n * static_cast<std::int64_t>(sizeof(key))),
             value_bytes = rounded(n * static_cast<std::int64_t>(sizeof(value))),
             kept_bytes = keeps ? rounded(n * static_cast<std::int64_t>(sizeof(typename Problem::value))) : 0,
             cuts_bytes = rounded(cuts_count * static_cast<std::int64_t>(sizeof(std::int64_t)));
  scratch<Source> const memory(policy.scratch_source(), call, policy.stream(),
                               static_cast<std::size_t>(key_buffers) * key_bytes +
                                   static_cast<std::size_t>(value_buffers) * value_bytes + kept_bytes +
                                   cuts_bytes);
  auto* next = static_cast<std::byte*>(memory.memory());
  auto const take = [&](std::size_t bytes) { return std::exchange(next, next + bytes); };
  key *last_keys = nullptr, *other_keys = nullptr;
  value *last_values = nullptr, *other_values = nullptr;
  if constexpr (keys_stay) last_keys = problem.keys_out;
  else if (last_is_own) last_keys = reinterpret_cast<key*>(take(key_bytes));
  if (passes > 0) other_keys = reinterpret_cast<key*>(take(key_bytes));
  if constexpr (Problem::has_values) {
    if constexpr (values_stay) last_values = problem.values_out;
    else last_values = reinterpret_cast<value*>(take(value_bytes));
    if (passes > 0) other_values = reinterpret_cast<value*>(take(value_bytes));
  }
  typename Problem::value* kept = nullptr;
  if (keeps) kept = reinterpret_cast<typename Problem::value*>(take(kept_bytes));
  auto* const cuts = reinterpret_cast<std::int64_t*>(take(cuts_bytes));

  auto const keys_of = [&](int pass) { return (passes - pass) % 2 == 0 ? last_keys : other_keys; };
  auto const values_of = [&](int pass) { return (passes - pass) % 2 == 0 ? last_values : other_values; };
  auto const written_keys = [&](int pass) {  // of the last pass nobody may ask for them
    return Problem::keeps_keys || pass < passes ? keys_of(pass) : nullptr;
  };
  auto const sort_tiles = [&](auto values) {
    using job = sort_tiles_job<decltype(problem.keys_in), decltype(values), key, value, order>;
    launch_job(call, policy.stream(), tiles, job::threads,
               job{problem.keys_in, values, written_keys(0), values_of(0), n, problem.order});
  };
  if constexpr (riding::is_index) sort_tiles(index_itself{});
  else sort_tiles(problem.values_in);
  auto length = std::int64_t{shape::items};
  for (int pass = 1; pass <= passes; ++pass, length *= shape::ways) {
    merge_pass_grid<shape> const grid(n, length);
    using samples_job = merge_samples_job<key, order, shape>;
    launch_job(call, policy.stream(), (grid.samples + samples_job::threads - 1) / samples_job::threads,
               samples_job::threads, samples_job{keys_of(pass - 1), grid, cuts, problem.order});
    using runs_job = merge_runs_job<key, value, order>;
    launch_job(call, policy.stream(), grid.tiles, runs_job::threads,
               runs_job{keys_of(pass - 1), values_of(pass - 1), written_keys(pass), values_of(pass), grid,
                        cuts, problem.order});
  }
  if constexpr (own_keys || !values_stay) {
    using job = write_sorted_job<Problem, key, value>;
    for (bool const keep : {true, false})
      if (keep == false || keeps)
        launch_job(
            call, policy.stream(), (n + job::threads - 1) / job::threads, job::threads,
            job{problem, own_keys ? last_keys : nullptr, values_stay ? nullptr : last_values, kept, keep});
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
