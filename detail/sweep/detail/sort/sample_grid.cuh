// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SAMPLE_GRID_CUH
#define SWEEP_DETAIL_SORT_SAMPLE_GRID_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/merge_path.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/grid_counts.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/sort/grid_splitters.cuh>
#include <sweep/detail/sort/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What a block of a grid sorts by a comparison at once.
template <class Key, bool HasValues>
using sample_grid_shape = grid_tile_shape<Key, HasValues, 512,
                                          sizeof(Key) <= 4   ? (HasValues ? 23 : 33)
                                          : sizeof(Key) <= 8 ? (HasValues ? 13 : 25)
                                                             : (HasValues ? 7 : 13)>;

/// Keys of up to 16 bytes by a comparison, as many as blocks that all run at the same time hold, in one
/// kernel. Each block sorts the same keys from everywhere: every so many of these is a splitter, and those
/// that are more than one splitter have a bin of their own, in which all keys are alike. Then each ranks its
/// items by the bins, tells how many of each it has, and sends them to where they go; neighbouring bins are
/// given to blocks, equal parts of all places, and each sorts its own, at once or some bins after the others.
/// Keys that are alike stay as they came. Should a bin be too large for a block, blocks sort equal parts, and
/// these are merged.
template <class Keys, class Values, class Key, class Value, class Order>
struct sample_grid_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = sample_grid_shape<Key, has_values>;
  // What a thread does it does one after the other: of few items it has few.
  using few_shape = grid_tile_shape<Key, has_values, shape::threads, std::min(shape::each, 9)>;
  using tile_type = merge_sort_tile<Key, has_values, Order, shape>;
  using few_type = merge_sort_tile<Key, has_values, Order, few_shape>;
  using counts_type = grid_counts<shape::threads>;
  using splitters_type = grid_splitters<Key, Order, shape::threads>;
  static constexpr int threads = shape::threads, blocks = 1, warps = threads / 32;
  static constexpr int R = std::min(sizeof(Key) <= 4   ? 20
                                    : sizeof(Key) <= 8 ? 16
                                                       : 10,
                                    shape::each - 1),
                       most_items = threads * R;
  static constexpr int most_meetings = 24;

  struct staged_items {
    unsigned char keys[most_items * sizeof(Key)];
    alignas(16) unsigned char values[has_values ? most_items * sizeof(Value) : 1];
  };
  struct shared {
    typename counts_type::shared counts;
    typename splitters_type::shared splitters;
    union {
      typename splitters_type::tile_type::shared sample;
      alignas(16) staged_items own;
      typename tile_type::shared tile;
      typename few_type::shared few;
    };
    unsigned char bin_at[most_items];  ///< of staged items
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Keys keys;
  Values values;
  merge_buffers<Key, Value> buffers;  ///< where items are to be, and others in between
  told_counts* counts_by;
  ticket_counter tickets;
  int n, each, most_of_bin;  ///< each: of a block
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    auto const mine = order;  // a copy: functors may have a state
    int const t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    if (gridDim.x == 1)
      return sort_items<few_type>(smem.few, mine, keys, values, 0, n, buffers.keys[0], buffers.values[0]);
    grid_barrier grid(tickets, most_meetings);
    counts_type const counts(smem.counts);
    // Shape: (blocks, warps, rows, 32 lanes).
    int const rows = (each + threads - 1) / threads, begin = static_cast<int>(blockIdx.x) * each,
              own_items = min(n - begin, each);
    auto const item_of = [&](int r) { return (warp * rows + r) * 32 + lane; };
    counts_type::clear(counts_by, 1);
    splitters_type const splitters(smem.splitters, mine);
    splitters.look(smem.sample, n, [&](int i) { return static_cast<Key>(keys[i]); });
    Key own[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
      put_bytes(own[r], static_cast<Key>(keys[min(begin + item_of(r), n - 1)]));
    }
    grid.arrive();  // nothing is told anywhere yet
    splitters.grow(smem.sample, n, smem.counts.alike);

    counts.begin();
    unsigned ranked[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
      unsigned const bin = splitters.bin_of(own[r], smem.counts.alike);
      ranked[r] = bin | counts.rank(bin, item_of(r) < own_items) << 8;
    }
    counts.tell(counts_by);
    __syncthreads();
    auto* const own_keys = reinterpret_cast<Key*>(smem.own.keys);
    auto* const own_values = reinterpret_cast<Value*>(smem.own.values);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
      int const i = item_of(r);
      if (i >= own_items) break;
      unsigned const bin = ranked[r] & 255, place = counts.place_of(bin, ranked[r] >> 8);
      put_bytes(own_keys[place], own[r]);
      smem.bin_at[place] = static_cast<unsigned char>(bin);
      if constexpr (has_values) put_bytes(own_values[place], static_cast<Value>(values[begin + i]));
    }
    grid.wait();
    counts.learn(counts_by, each);
    if (counts.bins_fit(most_of_bin)) {
      for (int i = t; i < own_items; i += threads) {
        auto const place = static_cast<unsigned>(i) + smem.counts.moves[smem.bin_at[i]];
        put_bytes(buffers.keys[1][place], own_keys[i]);
        if constexpr (has_values) put_bytes(buffers.values[1][place], own_values[i]);
      }
      grid.meet();
      counts.for_each_turn(shape::items, [&](int first, int count) {
        Key const* const from_keys = buffers.keys[1];
        Value const* const from_values = buffers.values[1];
        if (count <= few_shape::items)
          sort_items<few_type>(smem.few, mine, from_keys, from_values, first, count, buffers.keys[0],
                               buffers.values[0]);
        else if (count <= shape::items)
          sort_items<tile_type>(smem.tile, mine, from_keys, from_values, first, count, buffers.keys[0],
                                buffers.values[0]);
        else copy_items(first, count);
      });
    } else {
      sort_parts(smem, mine, grid, begin, own_items);
    }
    grid.leave();
  }

 private:
  /// Neighbouring items that fit a tile, in order.
  template <class Tile, class FromKeys, class FromValues>
  __device__ void sort_items(typename Tile::shared& room, Order const& mine, FromKeys const& from_keys,
                             FromValues const& from_values, int from, int count, Key* to_keys,
                             Value* to_values) const {
    Tile tile(room, mine);
    int const t = static_cast<int>(threadIdx.x), first = tile.fetch(from_keys, from, count);
    await_async_copies();
    __syncthreads();
    tile.sort(first, count);
    for (int i = t; i < count; i += threads) put_bytes(to_keys[from + i], tile.result(i));
    if constexpr (has_values) {
      // All are read before the first is written: they may be the same.
      constexpr int each = Tile::shape::each;
      Value some[each];
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (int const i = t + e * threads; i < count)
          put_bytes(some[e], static_cast<Value>(from_values[from + (tile.place(i) - first) / shape::size]));
      __syncthreads();
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (int const i = t + e * threads; i < count) put_bytes(to_values[from + i], some[e]);
    }
  }
  __device__ void copy_items(int from, int count) const {
    for (int i = from + static_cast<int>(threadIdx.x); i < from + count; i += threads) {
      put_bytes(buffers.keys[0][i], buffers.keys[1][i]);
      if constexpr (has_values) put_bytes(buffers.values[0][i], buffers.values[1][i]);
    }
  }

  /// The other way: each block's part in order, and then pairs of runs, a thread some neighbouring results.
  __device__ void sort_parts(shared& smem, Order const& mine, grid_barrier const& grid, int begin,
                             int own_items) const {
    sort_items<tile_type>(smem.tile, mine, keys, values, begin, own_items, buffers.keys[1],
                          buffers.values[1]);
    int passes = 1;
#pragma unroll 1
    for (int length = each; length < n; length *= 2, ++passes) {
      grid.meet();
      Key const* const from_keys = buffers.keys_at(passes);
      Key* const to_keys = buffers.keys_at(passes + 1);
      Value const* const from_values = buffers.values_at(passes);
      Value* const to_values = buffers.values_at(passes + 1);
      int const of_thread = (each + threads - 1) / threads, end = begin + own_items;
      int place = begin + static_cast<int>(threadIdx.x) * of_thread;
      int const base = place / (2 * length) * (2 * length), n1 = max(0, min(length, n - base)),
                n2 = max(0, min(length, n - base - length)), last = min(place + of_thread, end);
      Key const *const a = from_keys + base, *const b = a + length;
      int i =
          place < end ? merge_path(n1, n2, place - base, [&](int x, int y) { return mine(b[y], a[x]); }) : 0;
#pragma unroll 1
      for (; place < last; ++place) {
        int const j = place - base - i;
        bool const second = i >= n1 || (j < n2 && mine(b[j], a[i]));
        int const at = second ? base + length + j : base + i;
        if (!second) ++i;
        put_bytes(to_keys[place], from_keys[at]);
        if constexpr (has_values) put_bytes(to_values[place], from_values[at]);
      }
    }
    if (passes % 2 == 0) return;
    grid.meet();
    copy_items(begin, own_items);
  }
};

/// Blocks that sort in one grid by a comparison, at most, and a bin's items: tests change them.
inline std::int64_t most_sample_blocks = std::int64_t{1} << 20;
inline int most_items_of_bin = 1 << 20;

/// So few items one block sorts as fast as a grid: tests lower it.
inline std::int64_t most_items_of_sample_block = 4608;

/// How such a grid sorts so many items, or that it does not.
template <class Job>
struct sample_grid_plan {
  using shape = typename Job::shape;
  std::int64_t blocks = 0, each = 0;

  sample_grid_plan() = default;
  sample_grid_plan(char const* call, std::int64_t n) {
    auto const most_blocks = std::min<std::int64_t>(multiprocessors(call), most_sample_blocks);
    // Bins are less than 5/14 of what a block sorts, so that those that come out larger fit, too.
    if (n > most_blocks * Job::most_items || 14 * n > 5 * std::int64_t{parts_of_pass} * shape::items ||
        !facts_of<Job>(call).fits || !device_attribute(call, cudaDevAttrCooperativeLaunch))
      return;
    each = n <= std::min<std::int64_t>(most_items_of_sample_block, Job::few_shape::items)
               ? n
               : std::max<std::int64_t>(Job::threads / 2, (n + most_blocks - 1) / most_blocks);
    blocks = (n + each - 1) / each;
  }

  std::int64_t told_bytes() const { return blocks * std::int64_t{sizeof(told_counts)}; }

  /// `told` are so many bytes, and `rest` is for what else the call needs.
  template <class Rest, class Keys, class Values, class Key, class Value, class Order>
  void launch(Rest const& rest, char const* call, Keys const& keys, Values const& values,
              merge_buffers<Key, Value> const& buffers, void* told, std::int64_t n,
              Order const& order) const {
    Job job{keys,
            values,
            buffers,
            static_cast<told_counts*>(told),
            {},
            static_cast<int>(n),
            static_cast<int>(each),
            std::min(shape::items, most_items_of_bin),
            order};
    if (blocks == 1) return launch_job(call, rest.stream(), blocks, Job::threads, job, Job::bytes);
    using source = std::remove_cvref_t<decltype(rest.scratch_source())>;
    launch_state<source> state(rest.scratch_source(), call, rest.stream(), 0);
    job.tickets = state.tickets();
    launch_job(call, rest.stream(), blocks, Job::threads, job, Job::bytes, blocks_are::resident);
    state.launched(blocks * Job::most_meetings);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
