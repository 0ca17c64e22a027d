// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_COMPARISON_MERGE_PASSES_CUH
#define SWEEP_DETAIL_SORT_COMPARISON_MERGE_PASSES_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sort/comparison/merge_cuts.cuh>
#include <sweep/detail/sort/comparison/run_groups.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/keyed_item.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// A sort by a comparison alone: blocks sort tiles, and passes merge up to four or eight runs at a time, from
// one buffer into another, of which one is the output where keys can be read there. All tiles of a pass have
// as many results, or nearly: where each begins in the runs is found by narrowing all of its group's runs at
// once. No two keys are alike, since equivalent ones stand in the order of their runs.

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

/// How much of a block's shared memory is asked for at the launch: what kernels may not have else.
template <class Shared>
inline constexpr std::size_t dynamic_bytes_of = sizeof(Shared) > 48 * 1024 ? sizeof(Shared) : 0;

/// Neighbouring tiles of the input become runs in order.
template <class Tile, class Keys, class Values, class Key, class Value, class Order>
struct sort_tiles_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = typename Tile::shape;
  static constexpr int threads = shape::threads, blocks = shape::sort_blocks;
  using item = typename Tile::item;
  static constexpr bool keyed = is_keyed_item<item>;
  static constexpr std::size_t bytes = dynamic_bytes_of<typename Tile::shared>;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }
  Keys keys;
  Values values;
  Key* keys_to;  ///< null where nobody asks for keys
  Value* values_to;
  std::int64_t n;
  Order order;

  __device__ void operator()() const {
    if constexpr (bytes > 0) {
      extern __shared__ __align__(128) unsigned char memory[];
      sort(*reinterpret_cast<typename Tile::shared*>(memory));
    } else {
      __shared__ typename Tile::shared smem;
      sort(smem);
    }
  }

 private:
  __device__ void sort(typename Tile::shared& smem) const {
    auto const mine = order;  // a copy: functors may have a state
    auto const base = std::int64_t{blockIdx.x} * shape::items;
    int const count = static_cast<int>(n - base < shape::items ? n - base : shape::items);
    if constexpr (keyed) {
      auto const& by = order_of_tile<item>(mine);
      Tile tile(smem, by);
      int const first = tile.fetch(items_of_tile<item>(keys, values), base, count);
      await_async_copies();
      __syncthreads();
      tile.sort(first, count);
      put_items_of_tile<threads>(tile, count, keys_to ? keys_to + base : nullptr, values_to + base);
    } else {
      sort_in_places(smem, mine, base, count);
    }
  }
  __device__ void sort_in_places(typename Tile::shared& smem, Order const& mine, std::int64_t base,
                                 int count) const {
    Tile tile(smem, mine);
    int const first = tile.fetch(keys, base, count);
    await_async_copies();
    __syncthreads();
    tile.sort(first, count);
    int const t0 = static_cast<int>(threadIdx.x);
    if (keys_to) {
#pragma unroll 4
      for (int t = t0; t < count; t += threads) copy_key(keys_to[base + t], tile.result(t));
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

/// A tile of a pass.
template <class Key, class Value, class Order, class Groups>
struct merge_runs_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = typename Groups::shape;
  using tile_type = merge_tile_of<Value, Order, shape>;
  using item = typename shape::item;
  static constexpr bool keyed = is_keyed_item<item>;
  // Looking for tiles takes registers too.
  static constexpr int threads = shape::threads, blocks = shape::merge_blocks - (Groups::sparse ? 1 : 0),
                       ways = shape::ways;
  merge_buffers<Key, Value> buffers;
  Groups groups;
  std::int64_t const* cuts;
  Order order;

  /// Keys of a run that are looked at together for a cut, and the first step of a search among these.
  static constexpr int probes = threads / 2 / ways,
                       first_step = static_cast<int>(std::bit_floor(static_cast<unsigned>(probes)));
  struct tile_runs {
    std::int64_t begin[ways], to, some;
    int first[ways], all;
    int cut[2][ways], end[2][ways], probe[threads];  ///< of a block that finds its cuts itself
  };
  struct shared {
    typename tile_type::shared tile;
    tile_runs runs;
    int found[Groups::sparse ? threads : 1], count;  ///< of tiles that are some
  };

  static constexpr std::size_t bytes = dynamic_bytes_of<shared>;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  /// Where most tiles may be of no group, each thread looks at one of those that are the block's, and the
  /// block makes what they have found. They are spread over the blocks, as tiles that are some lie together.
  __device__ void operator()() const {
    if constexpr (bytes > 0) {
      extern __shared__ __align__(128) unsigned char memory[];
      merge(*reinterpret_cast<shared*>(memory));
    } else {
      __shared__ shared smem;
      merge(smem);
    }
  }
  __device__ void merge(shared& smem) const {
    if constexpr (!Groups::sparse) {
      make(blockIdx.x, groups.group_of_tile(blockIdx.x), smem.tile, smem.runs);
    } else {
      if (groups.nobody_takes_part()) return;
#pragma unroll 1
      for (int first = 0; first < groups.tiles_of_block; first += threads) {
        if (threadIdx.x == 0) smem.count = 0;
        __syncthreads();
        int const k = first + static_cast<int>(threadIdx.x);
        if (k < groups.tiles_of_block && groups.group_of_tile(tile_of_block(k)).exists())
          smem.found[atomicAdd(&smem.count, 1)] = k;
        __syncthreads();
        for (int found = 0; found < smem.count; ++found) {
          auto const own = tile_of_block(smem.found[found]);
          make(own, groups.group_of_tile(own), smem.tile, smem.runs);
          __syncthreads();
        }
      }
    }
  }

 private:
  static __device__ std::int64_t tile_of_block(int k) { return blockIdx.x + std::int64_t{k} * gridDim.x; }
  __device__ void make(std::int64_t number, run_group const& group, typename tile_type::shared& smem,
                       tile_runs& runs) const {
    auto const mine = order;
    Key const* const keys = buffers.keys_at(group.passes);
    int const warp = static_cast<int>(threadIdx.x / 32);
    bool const last = !group.has_tile(number + 1);
    if (!cuts) find_cuts(mine, keys, number, last, group, reinterpret_cast<Key*>(smem.room), runs);
    auto const& by = order_of_tile<item>(mine);
    tile_type tile(smem, by);
    Value const* const values = buffers.values_at(group.passes);
    auto const& items = items_of_tile<item>(keys, values);
    if (warp == 0) find_runs(number, last, group, keys, smem, runs);
    __syncthreads();
    if (runs.all == 0) return;
    constexpr int warps = threads / 32, with = warps > ways ? warps / ways : 1;
    for (int k = warp / with; k < ways; k += warps / with)
      tile.fetch_run(k, static_cast<int>(threadIdx.x) % (32 * with), 32 * with, items, runs.begin[k],
                     items[runs.some]);
    await_async_copies();
    __syncthreads();
    tile.merge(groups.ways);
    auto const to = runs.to;
    int const all = runs.all;
    if constexpr (keyed) {
      auto* const keys_to = buffers.keys_at(group.passes + 1);
      put_items_of_tile<threads>(tile, all, keys_to ? keys_to + to : nullptr,
                                 buffers.values_at(group.passes + 1) + to);
    } else {
      put(tile, runs, group);
    }
  }
  /// Keys, and values by their keys' places.
  __device__ void put(tile_type const& tile, tile_runs const& runs, run_group const& group) const {
    auto const to = runs.to;
    int const all = runs.all;
    int const t0 = static_cast<int>(threadIdx.x);
    if (auto* const keys_to = buffers.keys_at(group.passes + 1)) {
#pragma unroll 4
      for (int t = t0; t < all; t += threads) copy_key(keys_to[to + t], tile.result(t));
    }
    if constexpr (has_places<item, Value>) {
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

  /// Where a tile begins in the runs of its group, and where it ends, by half of the threads each: they look
  /// at keys of what is left of all runs, in runs that are alike near where the cut is to be expected, else,
  /// where that told too little, all over it. Of each key the others' say how many of all that is left go
  /// before it, at least and at most. Few steps, each as long as a load.
  static __device__ void find_cuts(Order const& order, Key const* keys, std::int64_t tile, bool last,
                                   run_group const& group, Key* room, tile_runs& runs) {
    constexpr int half = threads / 2;
    int const t = static_cast<int>(threadIdx.x), side = t / half, own = t % half / probes, probe = t % probes;
    int const rank = static_cast<int>((tile - group.first_tile + side) * group.tile_items);
    auto const begin = group.begin_of(own);
    if (probe == 0) {
      auto const items = group.end_of(own) - begin;
      runs.cut[side][own] = 0;
      runs.end[side][own] = side == 1 && last ? 0 : rank < items ? rank : static_cast<int>(items);
    }
    int left_before = 0x7fffffff;
    bool all_over = false;
    __syncthreads();
#pragma unroll 1
    for (;;) {
      int left = 0, wants = rank;
#pragma unroll
      for (int k = 0; k < ways; ++k) {
        wants -= runs.cut[side][k];
        left += max(runs.end[side][k] - runs.cut[side][k], 0);
      }
      if (left > left_before / 8) all_over = !all_over;
      left_before = left;
      int const low = runs.cut[side][own], length = runs.end[side][own] - low;
      int ahead = length * (2 * probe + 1) / (2 * probes);
      if (!all_over && length > 2 * probes) {
        auto const items = static_cast<float>(length);
        auto const at =
            static_cast<int>(items * (static_cast<float>(wants) / static_cast<float>(left)) +
                             static_cast<float>(2 * probe + 1 - probes) * (2.4f / probes) * sqrtf(items));
        ahead = max(0, min(at, length - 1));
      }
      if (length > 0) put_bytes(room[t], keys[begin + low + ahead]);
      runs.probe[t] = ahead;
      if (__syncthreads_or(length > 0) == 0) return;
      int least = ahead, most = ahead;
      if (length > 0) {
#pragma unroll 1
        for (int other = 1; other < ways; ++other) {
          int const run = (own + other) % ways, items = runs.end[side][run] - runs.cut[side][run];
          if (items <= 0) continue;
          int const first = side * half + run * probes;
          int count = 0;
#pragma unroll
          for (int step = first_step; step > 0; step /= 2) {
            if (count + step > probes) continue;
            Key const &x = room[t], &y = room[first + count + step - 1];
            if (run < own ? !order(x, y) : order(y, x)) count += step;
          }
          if (count > 0) least += runs.probe[first + count - 1] + 1;
          most += count < probes ? runs.probe[first + count] : items;
        }
      }
      __syncthreads();
      bool const behind = length > 0 && least >= wants, before = length > 0 && most < wants;
      if (behind) atomicMin(&runs.end[side][own], low + ahead);
      if (before) atomicMax(&runs.cut[side][own], low + ahead + 1);
      if (__syncthreads_or(behind || before || !all_over) == 0) return;
    }
  }

  /// The items of a tile in each run of its group, by a lane each. In an order that is none cuts may be
  /// anywhere.
  __device__ void find_runs(std::int64_t tile, bool last, run_group const& group, Key const* keys,
                            typename tile_type::shared& smem, tile_runs& runs) const {
    int const k = static_cast<int>(threadIdx.x);
    std::int64_t cut = 0, count = 0;
    if (k < ways) {
      auto const length = group.end_of(k) - group.begin_of(k);
      cut = clamped(cuts ? cuts[tile * ways + k] : std::int64_t{runs.cut[0][k]}, 0, length);
      count =
          (last ? length
                : clamped(cuts ? cuts[(tile + 1) * ways + k] : std::int64_t{runs.cut[1][k]}, cut, length)) -
          cut;
    }
    // So many before this run's, as far as there is room.
    auto behind = clamped(count, 0, shape::merged_items);
    auto sum = cut;
#pragma unroll
    for (int by = 1; by < ways; by *= 2) {
      auto const left = warp_shfl_up(behind, by);
      sum += warp_shfl_xor(sum, by);
      if (k >= by) behind += left;
    }
    auto const before = warp_shfl_up(behind, 1);
    auto const from = group.begin_of(k < ways ? k : 0) + cut;
    int const own = k < ways ? static_cast<int>(clamped(behind, 0, shape::merged_items) -
                                                (k > 0 ? clamped(before, 0, shape::merged_items) : 0))
                             : 0,
              bytes = tile_type::bytes_of(k, own);
    int room = bytes;
#pragma unroll
    for (int by = 1; by < ways; by *= 2) {
      int const left = __shfl_up_sync(~0u, room, by);
      if (k >= by) room += left;
    }
    unsigned const some = __ballot_sync(~0u, own > 0);
    if (k < ways) {
      runs.begin[k] = from;
      smem.count[k] = own;
      runs.first[k] = smem.first[k] = room - bytes + (keyed ? 16 : tile_type::place_in_bytes(keys, from));
    }
    if (k == ways - 1) runs.all = static_cast<int>(clamped(behind, 0, shape::merged_items));
    if (k == 0) runs.to = group.begin + sum;
    if (some != 0 ? k == __ffs(static_cast<int>(some)) - 1 : k == 0) runs.some = from;
  }
  static __device__ std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) {
    return x < low ? low : x > high ? high : x;
  }
};

/// A pass: where its tiles begin, and they. Of `tiles`, some are merged, `merged` at most or somewhat more.
template <class Shape, class Groups, class Key, class Value, class Order>
void launch_merge_pass(char const* call, cudaStream_t stream, Groups const& groups, std::int64_t tiles,
                       std::int64_t merged, std::int64_t blocks, merge_buffers<Key, Value> const& buffers,
                       std::int64_t* cuts, Order const& order) {
  using cuts_job = merge_cuts_of_runs_job<Key, Value, Order, Shape, Groups>;
  using runs_job = merge_runs_job<Key, Value, Order, Groups>;
  if (!finds_cuts_before<Groups>(merged)) {
    cuts = nullptr;
  } else {
    int const log_lanes = cuts_job::log_lanes_for(tiles);
    cuts_job const job{buffers, groups, tiles, cuts, log_lanes, order};
    launch_job(call, stream, (tiles + job.tiles_of_block() - 1) / job.tiles_of_block(), cuts_job::threads,
               job);
  }
  launch_job(call, stream, blocks, runs_job::threads, runs_job{buffers, groups, cuts, order},
             runs_job::bytes);
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

/// Blocks for the tiles of segments' windows, all of which run at once, and how many of these each looks at.
template <class Job, class Groups>
std::int64_t blocks_for_tiles(char const* call, Groups& groups, std::size_t dynamic) {
  (void)facts_of<Job>(call);
  auto const tiles = groups.tiles();
  std::int64_t blocks = multiprocessors(call);
  if (tiles > blocks) blocks *= resident_blocks<Job>(call, Job::threads, dynamic);
  blocks = std::min(tiles, blocks);
  groups.tiles_of_block = static_cast<int>((tiles + blocks - 1) / blocks);
  return blocks;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
