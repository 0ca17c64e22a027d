// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_MERGE_PASSES_CUH
#define SWEEP_DETAIL_SORT_MERGE_PASSES_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

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

/// Runs that a pass merges: run k has those items of the group that are of `length` ones from
/// origin + k * length on. Which of two buffers they are in says the number of passes that are to come.
template <class Shape>
struct run_group {
  static constexpr int distance = Shape::distance;
  std::int64_t begin, end, origin, length;
  std::int64_t first_tile;
  int passes;

  SWEEP_HD bool exists() const { return end > 0; }
  SWEEP_HD std::int64_t begin_of(int k) const { return in_group(origin + k * length); }
  SWEEP_HD std::int64_t end_of(int k) const { return in_group(origin + (k + 1) * length); }
  /// Where sample s of run k is: the group's first item, and any at a multiple of the distance.
  SWEEP_HD std::int64_t sample(int k, std::int64_t s) const {
    auto const at = base_of(k) + s * distance;
    return at < begin ? begin : at;
  }
  SWEEP_HD std::int64_t base_of(int k) const {
    return k == 0 ? begin / distance * distance : origin + k * length;
  }
  SWEEP_HD std::int64_t tiles() const {
    auto const samples = (end + distance - 1) / distance - begin / distance;
    return (samples + Shape::tile_samples - 1) / Shape::tile_samples;
  }

 private:
  SWEEP_HD std::int64_t in_group(std::int64_t at) const { return at < begin ? begin : at < end ? at : end; }
};

/// Groups of n items in runs of equal length.
template <class Shape>
struct runs_of_all {
  static constexpr bool sparse = false;
  std::int64_t n, length, group_tiles, samples, tiles;
  int passes;

  runs_of_all(std::int64_t items, std::int64_t run_length, int to_come)
      : n{items}, length{run_length}, passes{to_come} {
    auto const group_items = Shape::ways * length, rest = n % group_items;
    group_tiles = run_group<Shape>{0, group_items, 0, length, 0, 0}.tiles();
    samples = (n + Shape::distance - 1) / Shape::distance;
    tiles = n / group_items * group_tiles + run_group<Shape>{0, rest, 0, length, 0, 0}.tiles();
  }
  __device__ run_group<Shape> group(std::int64_t number) const {
    auto const begin = number * Shape::ways * length, end = begin + Shape::ways * length;
    return {begin, end < n ? end : n, begin, length, number * group_tiles, passes};
  }
  /// Sample number i, or -1; its group; and that of a tile.
  __device__ std::int64_t sample(std::int64_t i) const { return i < samples ? i * Shape::distance : -1; }
  __device__ run_group<Shape> group_of_sample(std::int64_t, std::int64_t item) const {
    return group(item / (Shape::ways * length));
  }
  __device__ run_group<Shape> group_of_tile(std::int64_t tile) const { return group(tile / group_tiles); }
};

/// Two buffers: keys and values are in the second where an odd number of passes is to come.
template <class Key, class Value>
struct merge_buffers {
  Key* keys[2];  ///< the first may be null, where nobody asks for keys
  Value* values[2];
  // By a choice: what is given to a kernel has no addresses.
  SWEEP_HD Key* keys_at(int passes) const { return passes % 2 == 0 ? keys[0] : keys[1]; }
  SWEEP_HD Value* values_at(int passes) const { return passes % 2 == 0 ? values[0] : values[1]; }
};

/// Where the tiles of a pass begin in the runs of their groups.
template <class Key, class Value, class Order, class Shape, class Groups>
struct merge_samples_job {
  static constexpr int threads = 128, blocks = 6, ways = Shape::ways, distance = Shape::distance;
  merge_buffers<Key, Value> buffers;
  Groups groups;
  std::int64_t* cuts;
  Order order;

  __device__ void operator()() const {
    auto const number = std::int64_t{blockIdx.x} * threads + threadIdx.x, item = groups.sample(number);
    if (item < 0) return;
    auto const group = groups.group_of_sample(number, item);
    if (!group.exists()) return;
    auto const mine = order;
    Key const* const keys = buffers.keys_at(group.passes);
    int const own = static_cast<int>((item - group.origin) / group.length);
    Key const& x = keys[item];
    // Of each other run how many stand before x: first samples, then items.
    std::int64_t before[ways] = {};
    std::int64_t step = 1;
    while (2 * step <= group.length / distance) step *= 2;
    count_before(mine, x, own, keys, group, step, before,
                 [&](int k, std::int64_t s) { return group.sample(k, s); });
    auto rank = (item - group.base_of(own)) / distance;
#pragma unroll
    for (int k = 0; k < ways; ++k) rank += k == own ? 0 : before[k];
    if (rank % Shape::tile_samples != 0) return;
#pragma unroll
    for (int k = 0; k < ways; ++k)
      before[k] = before[k] > 0 ? group.sample(k, before[k] - 1) + 1 - group.begin_of(k) : 0;
    step = 1;
    while (2 * step <= distance) step *= 2;
    count_before(mine, x, own, keys, group, step, before,
                 [&](int k, std::int64_t i) { return group.begin_of(k) + i; });
    auto* const cut = cuts + (group.first_tile + rank / Shape::tile_samples) * ways;
#pragma unroll
    for (int k = 0; k < ways; ++k) cut[k] = k == own ? item - group.begin_of(k) : before[k];
  }

 private:
  /// How many of each run's places, from place_of(run, 0) on, have keys that stand before x: as many as are
  /// given already, and fewer than 2 * step more; of equivalent ones those of runs before x's. All runs are
  /// searched side by side.
  template <class PlaceOf>
  static __device__ void count_before(Order const& order, Key const& x, int own, Key const* keys,
                                      run_group<Shape> const& group, std::int64_t step,
                                      std::int64_t (&before)[ways], PlaceOf place_of) {
    for (; step > 0; step /= 2)
#pragma unroll
      for (int k = 0; k < ways; ++k) {
        auto const at = place_of(k, before[k] + step - 1);
        if (k == own || at >= group.end_of(k)) continue;
        Key const& y = keys[at];
        if (k < own ? !order(x, y) : order(y, x)) before[k] += step;
      }
  }
};

/// A tile of a pass.
template <class Key, class Value, class Order, class Groups>
struct merge_runs_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = merge_sort_shape<Key, has_values>;
  using tile_type = merge_sort_tile<Key, has_values, Order>;
  static constexpr int threads = shape::threads, blocks = shape::merge_blocks, ways = shape::ways;
  merge_buffers<Key, Value> buffers;
  Groups groups;
  std::int64_t const* cuts;
  Order order;

  struct tile_runs {
    std::int64_t begin[ways], to;
    int first[ways], count[ways];
  };

  /// Where most tiles may be of no group, each thread looks at one of those that are the block's, and the
  /// block makes what they have found. They are spread over the blocks, as tiles that are some lie together.
  __device__ void operator()() const {
    __shared__ typename tile_type::shared smem;
    __shared__ tile_runs runs;
    if constexpr (!Groups::sparse) {
      make(blockIdx.x, groups.group_of_tile(blockIdx.x), smem, runs);
    } else {
      __shared__ int found[threads];
      __shared__ int count;
      if (threadIdx.x == 0) count = 0;
      __syncthreads();
      auto const tile = blockIdx.x + std::int64_t{threadIdx.x} * gridDim.x;
      if (static_cast<int>(threadIdx.x) < groups.tiles_of_block && groups.group_of_tile(tile).exists())
        found[atomicAdd(&count, 1)] = static_cast<int>(threadIdx.x);
      __syncthreads();
      for (int k = 0; k < count; ++k) {
        auto const own = blockIdx.x + std::int64_t{found[k]} * gridDim.x;
        make(own, groups.group_of_tile(own), smem, runs);
        __syncthreads();
      }
    }
  }

 private:
  __device__ void make(std::int64_t number, run_group<shape> const& group, typename tile_type::shared& smem,
                       tile_runs& runs) const {
    auto const mine = order;
    if (threadIdx.x < 32) find_runs(number, group, runs);
    __syncthreads();
    Key const* const keys = buffers.keys_at(group.passes);
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
    if (auto* const keys_to = buffers.keys_at(group.passes + 1)) {
#pragma unroll 4
      for (int t = t0; t < all; t += threads) put_bytes(keys_to[to + t], tile.result(t));
    }
    if constexpr (has_values) {
      Value const* const values = buffers.values_at(group.passes);
      Value* const values_to = buffers.values_at(group.passes + 1);
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

  /// The items of a tile in each run of its group, by a lane each. In an order that is none cuts may be
  /// anywhere.
  __device__ void find_runs(std::int64_t tile, run_group<shape> const& group, tile_runs& runs) const {
    int const k = static_cast<int>(threadIdx.x);
    bool const last = tile + 1 == group.first_tile + group.tiles();
    std::int64_t cut = 0, count = 0;
    if (k < ways) {
      auto const length = group.end_of(k) - group.begin_of(k);
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
      runs.begin[k] = group.begin_of(k) + cut;
      runs.count[k] = static_cast<int>(clamped(behind, 0, shape::most_items) -
                                       (k > 0 ? clamped(before, 0, shape::most_items) : 0));
    }
    if (k == 0) runs.to = group.begin + sum;
  }
  static __device__ std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) {
    return x < low ? low : x > high ? high : x;
  }
};

/// A pass: where its tiles begin, and they.
template <class Shape, class Groups, class Key, class Value, class Order>
void launch_merge_pass(char const* call, cudaStream_t stream, Groups const& groups, std::int64_t samples,
                       std::int64_t tiles, merge_buffers<Key, Value> const& buffers, std::int64_t* cuts,
                       Order const& order) {
  using samples_job = merge_samples_job<Key, Value, Order, Shape, Groups>;
  using runs_job = merge_runs_job<Key, Value, Order, Groups>;
  launch_job(call, stream, (samples + samples_job::threads - 1) / samples_job::threads, samples_job::threads,
             samples_job{buffers, groups, cuts, order});
  launch_job(call, stream, tiles, runs_job::threads, runs_job{buffers, groups, cuts, order});
}

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

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
