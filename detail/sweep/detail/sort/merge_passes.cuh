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

// A sort by a comparison alone: blocks sort tiles, and passes merge up to four or eight runs at a time, from
// one buffer into another, of which one is the output where keys can be read there. All tiles of a pass have
// as many results: where each begins in the runs is found by narrowing all of its group's runs at once. No
// two keys are alike, since equivalent ones stand in the order of their runs.

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
    int const first = tile.fetch(keys, base, count);
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
  std::int64_t begin, end, origin, length;
  std::int64_t first_tile;
  int passes;

  SWEEP_HD bool exists() const { return end > 0; }
  SWEEP_HD std::int64_t begin_of(int k) const { return in_group(origin + k * length); }
  SWEEP_HD std::int64_t end_of(int k) const { return in_group(origin + (k + 1) * length); }
  SWEEP_HD std::int64_t tiles() const {
    return (end - begin + Shape::merged_items - 1) / Shape::merged_items;
  }

 private:
  SWEEP_HD std::int64_t in_group(std::int64_t at) const { return at < begin ? begin : at < end ? at : end; }
};

/// Groups of so many runs, of equal length, of n items.
template <class Shape>
struct runs_of_all {
  static constexpr bool sparse = false;
  std::int64_t n, length, group_tiles, tiles;
  int ways, passes;

  runs_of_all(std::int64_t items, std::int64_t run_length, int group_runs, int to_come)
      : n{items}, length{run_length}, ways{group_runs}, passes{to_come} {
    auto const group_items = ways * length, rest = n % group_items;
    group_tiles = run_group<Shape>{0, group_items, 0, length, 0, 0}.tiles();
    tiles = n / group_items * group_tiles + run_group<Shape>{0, rest, 0, length, 0, 0}.tiles();
  }
  __device__ run_group<Shape> group_of_tile(std::int64_t tile) const {
    auto const number = tile / group_tiles, begin = number * ways * length, end = begin + ways * length;
    return {begin, end < n ? end : n, begin, length, number * group_tiles, passes};
  }
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

/// Of the first `rank` results of a group's merge, how many are of each run: found by a warp, of which 32 /
/// Ways lanes know each run's number. They look at keys of what is left of their run: in runs that are alike
/// near where the cut is to be expected, else, where that told too little, all over it. Of each key the
/// others' say how many of all that is left go before it, at least and at most. An order that is none gives
/// some numbers. Where an Index is a word, so are 16 times the items of the group.
template <int Ways, class Index, class Key, class Order, class Group>
__device__ Index find_cut(Order const& order, Key const* keys, Group const& group, Index rank, bool wanted) {
  constexpr int probes = 32 / Ways;
  constexpr bool wide = sizeof(Index) > 4;
  int const lane = static_cast<int>(threadIdx.x % 32), own = lane / probes, probe = lane % probes;
  Index low = 0, high = 0;
  if (wanted) {
    auto const begin = group.begin_of(own), length = group.end_of(own) - begin;
    keys += begin;
    high = rank < length ? rank : static_cast<Index>(length);
  }
  auto const sum_of_runs = [&](Index x) {
    return __reduce_add_sync(~0u, probe == 0 ? static_cast<unsigned>(x) : 0);
  };
  unsigned before_all = ~0u;  // of all runs' what was left, in units
  bool all_over = false;
  for (;;) {
    Index const length = high - low;
    bool const some = length > 0;
    if (__ballot_sync(~0u, some) == 0) return low;
    // In units, so that sums over all runs are words.
    int unit = 0;
    Index wants = rank;
    if constexpr (wide) {
      unsigned const top = __reduce_max_sync(~0u, static_cast<unsigned>(length >> 26));
      unit = 32 - __clz(static_cast<int>(top));
      constexpr Index half = Index{1} << 28;
      wants -= sum_of_runs(low / half) * half + sum_of_runs(low % half);
    } else {
      wants -= static_cast<Index>(sum_of_runs(low));
    }
    Index const up = (Index{1} << unit) - 1;
    auto const all = static_cast<unsigned>((length + up) >> unit), left = sum_of_runs(all);
    // The key that this lane looks at.
    Index ahead = length * (2 * probe + 1) / (2 * probes);
    if (!all_over && length > 24) {
      auto const items = static_cast<float>(length),
                 share = static_cast<float>(wants > 0 ? wants >> unit : 0) / static_cast<float>(left);
      auto const near =
          static_cast<Index>(items * share + static_cast<float>(2 * probe + 1 - probes) * .7f * sqrtf(items));
      ahead = near < 0 ? 0 : near < length ? near : length - 1;
    }
    Key key;
    if (some) put_bytes(key, keys[low + ahead]);
    // What goes before it at least and at most.
    auto const through = static_cast<unsigned>((ahead + 1) >> unit),
               up_to = static_cast<unsigned>((ahead + up) >> unit);
    auto least = static_cast<unsigned>(ahead >> unit), most = up_to;
#pragma unroll 1
    for (int other = 1; other < Ways; ++other) {
      int const run = (own + other) % Ways;
      unsigned const behind = __shfl_sync(~0u, all, run * probes);
      int count = 0;
#pragma unroll
      for (int p = 0; p < probes; ++p) {
        Key const y = warp_shfl(key, run * probes + p);
        if (some && behind != 0 && (run < own ? !order(key, y) : order(y, key))) ++count;
      }
      unsigned const at_least = __shfl_sync(~0u, through, run * probes + (count > 0 ? count - 1 : 0)),
                     at_most = __shfl_sync(~0u, up_to, run * probes + (count < probes ? count : 0));
      least += count > 0 ? at_least : 0;
      most += count < probes && behind != 0 ? at_most : behind;
    }
    Index new_low = low, new_high = high;
    if (some) {
      if (static_cast<Index>(least) << unit >= wants) new_high = low + ahead;
      else if (static_cast<Index>(most) << unit < wants) new_low = low + ahead + 1;
    }
#pragma unroll
    for (int by = 1; by < probes; by *= 2) {
      Index const l = warp_shfl_xor(new_low, by), h = warp_shfl_xor(new_high, by);
      new_low = l > new_low ? l : new_low;
      new_high = h < new_high ? h : new_high;
    }
    if (new_high < new_low) new_high = new_low;
    bool const moved = __ballot_sync(~0u, new_low != low || new_high != high) != 0;
    if (!moved && all_over) return low;
    all_over = !all_over && left > before_all / 2;
    before_all = left;
    low = new_low;
    high = new_high;
  }
}

/// Where the tiles of a pass begin in the runs of their groups.
template <class Key, class Value, class Order, class Shape, class Groups>
struct merge_cuts_of_runs_job {
  static constexpr int threads = 128, blocks = 8, ways = Shape::ways, tiles_of_block = threads / 32;
  merge_buffers<Key, Value> buffers;
  Groups groups;
  std::int64_t tiles;
  std::int64_t* cuts;
  Order order;

  __device__ void operator()() const {
    auto const mine = order;
    auto const tile = std::int64_t{blockIdx.x} * tiles_of_block + threadIdx.x / 32;
    if (tile >= tiles) return;
    auto const group = groups.group_of_tile(tile);
    if (!group.exists()) return;
    auto const cut = find_cut<ways>(mine, static_cast<Key const*>(buffers.keys_at(group.passes)), group,
                                    (tile - group.first_tile) * Shape::merged_items, true);
    constexpr int probes = 32 / ways;
    if (threadIdx.x % probes == 0) cuts[tile * ways + threadIdx.x % 32 / probes] = cut;
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
    std::int64_t begin[ways], to, some;
    int first[ways], cut[2][ways], all;
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
    Key const* const keys = buffers.keys_at(group.passes);
    int const warp = static_cast<int>(threadIdx.x / 32);
    bool const last = number + 1 == group.first_tile + group.tiles();
    if (!cuts) {
      for (int side = warp; side < 2; side += threads / 32) {
        bool const wanted = side == 0 || !last;
        auto const rank = static_cast<int>((number - group.first_tile + side) * shape::merged_items);
        int const cut = find_cut<ways>(mine, keys, group, rank, wanted);
        if (int const lane = static_cast<int>(threadIdx.x % 32); lane % (32 / ways) == 0)
          runs.cut[side][lane / (32 / ways)] = cut;
      }
      __syncthreads();
    }
    tile_type tile(smem, mine);
    if (warp == 0) find_runs(number, last, group, keys, smem, runs);
    __syncthreads();
    int const all = runs.all;
    if (all == 0) return;
    constexpr int warps = threads / 32, with = warps > ways ? warps / ways : 1;
    for (int k = warp / with; k < ways; k += warps / with)
      tile.fetch_run(k, static_cast<int>(threadIdx.x) % (32 * with), 32 * with, keys, runs.begin[k],
                     keys[runs.some]);
    await_async_copies();
    __syncthreads();
    tile.merge(groups.ways);
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
  __device__ void find_runs(std::int64_t tile, bool last, run_group<shape> const& group, Key const* keys,
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
      runs.first[k] = smem.first[k] = room - bytes + tile_type::place_in_bytes(keys + from);
    }
    if (k == ways - 1) runs.all = static_cast<int>(clamped(behind, 0, shape::merged_items));
    if (k == 0) runs.to = group.begin + sum;
    if (some != 0 ? k == __ffs(static_cast<int>(some)) - 1 : k == 0) runs.some = from;
  }
  static __device__ std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) {
    return x < low ? low : x > high ? high : x;
  }
};

/// So few tiles that a device works on them at once find where they begin themselves.
inline constexpr std::int64_t merged_tiles_with_own_cuts = 300;

/// A pass: where its tiles begin, and they.
template <class Shape, class Groups, class Key, class Value, class Order>
void launch_merge_pass(char const* call, cudaStream_t stream, Groups const& groups, std::int64_t tiles,
                       std::int64_t blocks, merge_buffers<Key, Value> const& buffers, std::int64_t* cuts,
                       Order const& order) {
  using cuts_job = merge_cuts_of_runs_job<Key, Value, Order, Shape, Groups>;
  using runs_job = merge_runs_job<Key, Value, Order, Groups>;
  if (tiles <= merged_tiles_with_own_cuts) cuts = nullptr;
  else
    launch_job(call, stream, (tiles + cuts_job::tiles_of_block - 1) / cuts_job::tiles_of_block,
               cuts_job::threads, cuts_job{buffers, groups, tiles, cuts, order});
  launch_job(call, stream, blocks, runs_job::threads, runs_job{buffers, groups, cuts, order});
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
