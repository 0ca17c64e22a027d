// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_COMPARISON_SAMPLE_BINS_CUH
#define SWEEP_DETAIL_SORT_COMPARISON_SAMPLE_BINS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/sort/comparison/run_groups.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/keyed_item.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>

#include <cstddef>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Bins of a sample sort, each of which a block sorts.

/// The tile of a block, most of whose threads may have no items.
template <class Key, class Value, int Threads, int Each>
struct grid_tile_shape {
  using item = range_item<Key, Value>;
  static constexpr int size = static_cast<int>(sizeof(item));
  static constexpr bool keys_in_registers = fits_registers<Key>,
                        moves_keys = !has_places<item, Value> && keys_in_registers, many_idle = true;
  static constexpr int threads = Threads, each = Each, items = threads * each, ways = 1, keys_behind = 0;
};

/// Neighbouring items that fit a tile, in order.
template <class Tile, class FromKeys, class FromValues, class Key, class Value, class Order>
__device__ void sort_range_in_tile(typename Tile::shared& room, Order const& order, FromKeys const& from_keys,
                                   FromValues const& from_values, int const& from, int count, Key* to_keys,
                                   Value* to_values) {
  constexpr int threads = Tile::shape::threads;
  using item = typename Tile::item;
  auto const& by = order_of_tile<item>(order);
  Tile tile(room, by);
  int const t = static_cast<int>(threadIdx.x),
            first = tile.fetch(items_of_tile<item>(from_keys, from_values), from, count);
  await_async_copies();
  __syncthreads();
  tile.sort(first, count);
  if constexpr (is_keyed_item<item>) {
    put_items_of_tile<threads>(tile, count, to_keys + from, to_values + from);
  } else {
    for (int i = t; i < count; i += threads) copy_key(to_keys[from + i], tile.result(i));
    if constexpr (has_places<item, Value>) {
      // All are read before the first is written: they may be the same.
      constexpr int each = Tile::shape::each;
      Value some[each];
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (int const i = t + e * threads; i < count)
          put_bytes(some[e],
                    static_cast<Value>(from_values[from + (tile.place(i) - first) / Tile::shape::size]));
      __syncthreads();
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (int const i = t + e * threads; i < count) put_bytes(to_values[from + i], some[e]);
    }
  }
}

/// From the second of two buffers to the first.
template <class Key, class Value>
__device__ void copy_sorted(merge_buffers<Key, Value> const& buffers, int from, int count) {
#pragma unroll 4
  for (int i = from + static_cast<int>(threadIdx.x); i < from + count; i += static_cast<int>(blockDim.x)) {
    copy_key(buffers.keys[0][i], buffers.keys[1][i]);
    if constexpr (!std::is_same_v<Value, absent_value>) put_bytes(buffers.values[0][i], buffers.values[1][i]);
  }
}

/// Where bins begin, and behind the last; and whether a bin's keys are alike. None has items where these were
/// sorted another way.
struct sampled_bins {
  int begins[parts_of_pass + 1];
  unsigned char alike[parts_of_pass];
};

/// A block for each bin, as large as a multiprocessor has room for, or half of that: with about as many
/// threads as those blocks have together that sort tiles elsewhere.
template <class Key, class Value, class Order, bool Whole>
struct sort_bins_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using item = range_item<Key, Value>;
  using of_tiles = merge_sort_shape<item, has_places<item, Value>>;
  static constexpr int most_threads = of_tiles::size <= 4 ? 1024 : of_tiles::sort_blocks * of_tiles::threads,
                       threads = most_threads / (Whole ? 1 : 2), blocks = Whole ? 1 : 2;
  // Places have 16 bits, and threads that may be idle take registers; an odd number, as in all tiles.
  static constexpr int most_each = of_tiles::moves_keys
                                       ? (of_tiles::size <= 8 ? 33 : 7)
                                       : (65000 / (threads * static_cast<int>(sizeof(Key))) - 1) | 1,
                       each = std::min(of_tiles::each, most_each),
                       few_each = (Whole ? each / 2 : each * 2 / 5) | 1;
  using shape = grid_tile_shape<Key, Value, threads, each>;
  using some_shape = grid_tile_shape<Key, Value, threads, each * 3 / 4 | 1>;
  using few_shape = grid_tile_shape<Key, Value, threads, few_each>;
  using tile_type = merge_tile_of<Value, Order, shape>;
  using some_type = merge_tile_of<Value, Order, some_shape>;
  using few_type = merge_tile_of<Value, Order, few_shape>;
  using middle_shape = grid_tile_shape<Key, Value, threads, each * 9 / 16 | 1>;
  using middle_type = merge_tile_of<Value, Order, middle_shape>;
  union shared {
    typename tile_type::shared tile;
    typename some_type::shared some;
    typename few_type::shared few;
    typename middle_type::shared middle;
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  merge_buffers<Key, Value> buffers;  ///< from the second to the first
  sampled_bins const* bins;
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    let_next_kernel_start();
    if (blockIdx.x >= parts_of_pass) return copy_alike();
    auto const mine = order;  // a copy: functors may have a state
    auto const bin = blockIdx.x;
    __shared__ int first;  // in no register while items are sorted
    int const count = bins->begins[bin + 1] - bins->begins[bin];
    if (count <= 0 || bins->alike[bin] != 0) return;
    if (threadIdx.x == 0) first = bins->begins[bin];
    __syncthreads();
    auto const sort = [&]<class Tile>(typename Tile::shared& room, Tile*) {
      sort_range_in_tile<Tile>(room, mine, static_cast<Key const*>(buffers.keys[1]),
                               static_cast<Value const*>(buffers.values[1]), first, count, buffers.keys[0],
                               buffers.values[0]);
    };
    if (count <= few_shape::items) return sort(smem.few, static_cast<few_type*>(nullptr));
    if constexpr (!Whole)
      if (count <= middle_shape::items) return sort(smem.middle, static_cast<middle_type*>(nullptr));
    if (count <= some_shape::items) sort(smem.some, static_cast<some_type*>(nullptr));
    else sort(smem.tile, static_cast<tile_type*>(nullptr));
  }

 private:
  /// Keys that are alike may be many: by blocks behind those of bins, a part of all places each.
  __device__ void copy_alike() const {
    int const t = static_cast<int>(threadIdx.x), n = bins->begins[parts_of_pass],
              blocks = static_cast<int>(gridDim.x) - parts_of_pass, each = (n + blocks - 1) / blocks,
              begin = (static_cast<int>(blockIdx.x) - parts_of_pass) * each, end = min(begin + each, n);
    __shared__ int like[parts_of_pass], many;
    if (t == 0) many = 0;
    __syncthreads();
    for (int b = t; b < parts_of_pass; b += threads)
      if (bins->alike[b] != 0 && bins->begins[b] < end && bins->begins[b + 1] > begin)
        like[atomicAdd(&many, 1)] = b;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < many; ++k) {
      int const from = max(begin, bins->begins[like[k]]);
      copy_sorted(buffers, from, min(end, bins->begins[like[k] + 1]) - from);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
