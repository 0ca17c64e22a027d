// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_COMPARISON_SAMPLE_GRID_CUH
#define SWEEP_DETAIL_SORT_COMPARISON_SAMPLE_GRID_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/merge_path.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/grid_counts.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/sort/comparison/grid_splitters.cuh>
#include <sweep/detail/sort/comparison/run_groups.cuh>
#include <sweep/detail/sort/comparison/sample_bins.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What a block of a grid sorts by a comparison at once.
template <class Key, class Value, class Item = range_item<Key, Value>>
using sample_grid_shape = grid_tile_shape<Key, Value, 512,
                                          !fits_registers<Key>  ? 7
                                          : sizeof(Item) <= 4   ? (has_places<Item, Value> ? 23 : 33)
                                          : is_keyed_item<Item> ? 23
                                          : sizeof(Item) <= 8   ? (has_places<Item, Value> ? 13 : 25)
                                                                : (has_places<Item, Value> ? 7 : 9)>;

/// Keys of up to 16 bytes by a comparison, as many as blocks that all run at the same time hold. All sort a
/// sample together, whose splitters make bins. Then each ranks its items by these, tells how many of each it
/// has, and sends them to where they go. Bins of many items are sorted by another kernel; of fewer,
/// neighbouring ones are given to blocks, equal parts of all places, and each sorts its own, at once or some
/// bins after the others. Keys that are alike stay as they came. Should a bin be too large for a block,
/// blocks sort what fits them, and this is merged.
template <class Keys, class Values, class Key, class Value, class Order>
struct sample_grid_job {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using shape = sample_grid_shape<Key, Value>;
  // What a thread does it does one after the other: of few items it has few.
  using few_shape =
      grid_tile_shape<Key, Value, shape::threads, fits_registers<Key> ? std::min(shape::each, 9) : 3>;
  using tile_type = merge_tile_of<Value, Order, shape>;
  using few_type = merge_tile_of<Value, Order, few_shape>;
  using counts_type = grid_counts<shape::threads>;
  using splitters_type = grid_splitters<Key, Order, shape::threads>;
  static constexpr int threads = shape::threads, blocks = 1, warps = threads / 32;
  static constexpr int most_meetings = 32;
  static constexpr bool in_registers = fits_registers<Key>;  ///< or looked at where they lie, and read again
  using key_at = std::conditional_t<std::is_pointer_v<Keys>, Key const&, Key>;

  struct shared {
    typename counts_type::shared counts;
    typename splitters_type::shared splitters;
  };
  union working {
    alignas(16) unsigned char sample[splitters_type::room_bytes];
    typename tile_type::shared tile;
    typename few_type::shared few;
  };
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 127) / 128 * 128; }
  static constexpr std::size_t head_bytes = aligned(sizeof(shared));
  // A block's own items, in rows, with a rank of 16 bits each: as many as registers hold, and shared memory.
  static constexpr int words = static_cast<int>(sizeof(Key) + 3) / 4,
                       item_bytes = static_cast<int>(sizeof(Key) + (has_values ? sizeof(Value) : 0)) + 2;
  static constexpr int rows_in(int bytes) {
    return (bytes - static_cast<int>(head_bytes)) / (threads * item_bytes);
  }
  static constexpr int R = std::clamp(rows_in(227 * 1024), 1, words == 1 ? 58 : words == 2 ? 31 : 48 / words);
  /// Rows whose searches go side by side, in whole groups.
  static constexpr int of_group = words <= 2 ? 4 : 2, row_groups = (R + of_group - 1) / of_group;
  static constexpr int most_rows(int arch) {
    return std::clamp(rows_in((arch >= 90 ? 227 : arch == 80 || arch == 87 ? 163 : 99) * 1024), 1, R);
  }
  static constexpr std::size_t dynamic_bytes(int arch) {
    return head_bytes +
           std::max(sizeof(working), static_cast<std::size_t>(threads) * item_bytes * most_rows(arch));
  }

  Keys keys;
  Values values;
  merge_buffers<Key, Value> buffers;  ///< where items are to be, and others in between
  told_counts* counts_by;
  sampled_keys<Key> sampled;
  sampled_bins* bins;  ///< for the kernel that sorts them, or null
  ticket_counter tickets;
  int n, each, samples, most_of_bin;  ///< each: of a block
  Order order;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    auto& work = *reinterpret_cast<working*>(memory + head_bytes);
    auto const mine = order;  // a copy: functors may have a state
    int const t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    if (gridDim.x == 1)
      return sort_range_in_tile<few_type>(work.few, mine, keys, values, 0, n, buffers.keys[0],
                                          buffers.values[0]);
    grid_barrier grid(tickets, most_meetings);
    counts_type const counts(smem.counts);
    // Shape: (blocks, warps, rows, 32 lanes).
    int const rows = (each + threads - 1) / threads, begin = static_cast<int>(blockIdx.x) * each,
              own_items = min(n - begin, each);
    auto const item_of = [&](int r) { return (warp * rows + r) * 32 + lane; };
    counts_type::clear(counts_by, 1);
    splitters_type const splitters(smem.splitters, samples, mine);
    splitters.sort_parts(
        work.sample, n, [&](int i) -> key_at { return keys[i]; }, sampled);
    grid.meet();
    splitters.find(work.sample, n, sampled);
    grid.arrive();
    Key own[in_registers ? row_groups * of_group : 1];
    if constexpr (in_registers) {
#pragma unroll
      for (int g = 0; g < row_groups; ++g) {
        if (g * of_group >= rows) break;
#pragma unroll
        for (int r = g * of_group; r < (g + 1) * of_group; ++r)
          put_bytes(own[r], static_cast<Key>(keys[min(begin + item_of(r), n - 1)]));
      }
    }
    grid.wait();
    splitters.learn(sampled, smem.counts.alike);

    counts.begin();
    unsigned bins_of[row_groups] = {};
    auto const bin_of_row = [&](int r) { return bins_of[r / of_group] >> r % of_group * 8 & 255; };
    auto* const own_keys = reinterpret_cast<Key*>(memory + head_bytes);
    auto* const own_values = reinterpret_cast<Value*>(own_keys + rows * threads);
    auto* const ranks = reinterpret_cast<unsigned short*>(
        memory + head_bytes + static_cast<std::size_t>(rows) * threads * (item_bytes - 2));
    bool const whole = (warp + 1) * rows * 32 <= own_items;
#pragma unroll
    for (int g = 0; g < row_groups; ++g) {
      int const first = g * of_group;
      if (first >= rows) break;
      if constexpr (in_registers) {
        unsigned found[of_group];
        splitters.find_bins(own + first, smem.counts.alike, found);
#pragma unroll
        for (int k = 0; k < of_group; ++k) bins_of[g] |= found[k] << k * 8;
      } else {
#pragma unroll
        for (int k = 0; k < of_group; ++k) {
          if (first + k >= rows) break;
          auto& x = own_keys[item_of(first + k)];
          copy_key(x, static_cast<key_at>(keys[min(begin + item_of(first + k), n - 1)]));
          unsigned found[1];
          splitters.find_bins(&x, smem.counts.alike, found);
          bins_of[g] |= found[0] << k * 8;
        }
      }
    }
    if (whole) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r >= rows) break;
        ranks[item_of(r)] = static_cast<unsigned short>(counts.template rank<true>(bin_of_row(r), true));
      }
    } else {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r >= rows) break;
        ranks[item_of(r)] = static_cast<unsigned short>(counts.rank(bin_of_row(r), item_of(r) < own_items));
      }
    }
    counts.tell(counts_by);
    __syncthreads();
    auto const stage = [&](int r) {
      int const i = item_of(r);
      unsigned const place = counts.place_of(bin_of_row(r), ranks[i]);
      if constexpr (in_registers) put_bytes(own_keys[place], own[r]);
      else copy_key(own_keys[place], static_cast<key_at>(keys[begin + i]));
      if constexpr (has_values) put_bytes(own_values[place], static_cast<Value>(values[begin + i]));
      ranks[i] = static_cast<unsigned short>(place);
    };
#pragma unroll
    for (int r = 0; r < row_groups * of_group; ++r) {
      if (r >= rows || item_of(r) >= own_items) break;
      stage(r);
    }
    // Places have been read before bins are where they were.
    unsigned places[(row_groups * of_group) / 2];
#pragma unroll
    for (int r = 0; r < row_groups * of_group; r += 2) {
      if (r >= rows) break;
      places[r / 2] = ranks[item_of(r)];
      if (r + 1 < rows) places[r / 2] |= static_cast<unsigned>(ranks[item_of(r + 1)]) << 16;
    }
    __syncthreads();
    auto* const bin_at = reinterpret_cast<unsigned char*>(ranks);
#pragma unroll
    for (int r = 0; r < row_groups * of_group; ++r) {
      if (r >= rows || item_of(r) >= own_items) break;
      bin_at[places[r / 2] >> r % 2 * 16 & 0xffff] = static_cast<unsigned char>(bin_of_row(r));
    }
    counts.learn(counts_by, each);
    bool const fits = counts.bins_fit(most_of_bin);
    if (bins && blockIdx.x == 0)
      for (int b = t; b <= parts_of_pass; b += threads) {
        bins->begins[b] = fits ? static_cast<int>(smem.counts.begins[b]) : 0;
        if (b < parts_of_pass) bins->alike[b] = smem.counts.alike[b];
      }
    if (fits && bins && t == 0) let_next_kernel_start();
    if (fits) {
#pragma unroll 4
      for (int i = t; i < own_items; i += threads) {
        auto const place = static_cast<unsigned>(i) + smem.counts.moves[bin_at[i]];
        copy_key(buffers.keys[1][place], own_keys[i]);
        if constexpr (has_values) put_bytes(buffers.values[1][place], own_values[i]);
      }
      if (!bins) {
        grid.meet();
        counts.for_each_turn(shape::items, [&](int first, int count) {
          Key const* const from_keys = buffers.keys[1];
          Value const* const from_values = buffers.values[1];
          if (count <= few_shape::items)
            sort_range_in_tile<few_type>(work.few, mine, from_keys, from_values, first, count,
                                         buffers.keys[0], buffers.values[0]);
          else if (count <= shape::items)
            sort_range_in_tile<tile_type>(work.tile, mine, from_keys, from_values, first, count,
                                          buffers.keys[0], buffers.values[0]);
          else copy_sorted(buffers, first, count);
        });
      }
    } else {
      sort_parts(work, mine, grid, begin, own_items);
    }
    grid.leave();
  }

 private:
  /// The other way: runs that fit a block in order, and then pairs of runs, a thread some neighbouring
  /// results.
  __device__ void sort_parts(working& work, Order const& mine, grid_barrier const& grid, int begin,
                             int own_items) const {
    constexpr int run = shape::items;
#pragma unroll 1
    for (int first = static_cast<int>(blockIdx.x) * run; first < n;
         first += static_cast<int>(gridDim.x) * run) {
      sort_range_in_tile<tile_type>(work.tile, mine, keys, values, first, min(n - first, run),
                                    buffers.keys[1], buffers.values[1]);
      __syncthreads();
    }
    int passes = 1;
#pragma unroll 1
    for (int length = run; length < n; length *= 2, ++passes) {
      grid.meet();
      Key const* const from_keys = buffers.keys_at(passes);
      Key* const to_keys = buffers.keys_at(passes + 1);
      Value const* const from_values = buffers.values_at(passes);
      Value* const to_values = buffers.values_at(passes + 1);
      int const of_thread = (each + threads - 1) / threads, end = begin + own_items;
      int place = begin + static_cast<int>(threadIdx.x) * of_thread;
      int const until = min(place + of_thread, end);
#pragma unroll 1
      while (place < until) {
        int const base = place / (2 * length) * (2 * length), n1 = min(length, n - base),
                  n2 = max(0, min(length, n - base - length)), last = min(until, base + n1 + n2);
        Key const *const a = from_keys + base, *const b = a + length;
        int i = merge_path(n1, n2, place - base, [&](int x, int y) { return mine(b[y], a[x]); });
#pragma unroll 1
        for (; place < last; ++place) {
          int const j = place - base - i;
          bool const second = i >= n1 || (j < n2 && mine(b[j], a[i]));
          int const at = second ? base + length + j : base + i;
          if (!second) ++i;
          copy_key(to_keys[place], from_keys[at]);
          if constexpr (has_values) put_bytes(to_values[place], from_values[at]);
        }
      }
    }
    if (passes % 2 == 0) return;
    grid.meet();
    copy_sorted(buffers, begin, own_items);
  }
};

/// Blocks that sort in one grid by a comparison, at most, and a bin's items: tests change them.
inline std::int64_t most_sample_blocks = std::int64_t{1} << 20;
inline int most_items_of_bin = 1 << 20;

/// So few items one block sorts as fast as a grid, and of so many bins are sorted by a kernel of their own:
/// tests lower them.
inline std::int64_t most_items_of_sample_block = 4608, least_items_of_sample_bins = 1 << 19;

/// How such a grid sorts so many items, or that it does not.
template <class Job, class Key, class Value, class Order>
struct sample_grid_plan {
  using shape = typename Job::shape;
  using whole_job = sort_bins_job<Key, Value, Order, true>;
  using half_job = sort_bins_job<Key, Value, Order, false>;
  // Narrow keys alone have bins of two blocks a multiprocessor, others only where they fit no block of the
  // grid.
  static constexpr bool has_halves = shape::size <= 4 && shape::moves_keys,
                        has_whole = whole_job::shape::items > shape::items;
  std::int64_t blocks = 0, each = 0;
  int samples = 0;
  enum class finish { here, by_halves, by_wholes } by = finish::here;

  sample_grid_plan() = default;
  sample_grid_plan(char const* call, std::int64_t n) {
    auto const most_blocks = std::min<std::int64_t>(multiprocessors(call), most_sample_blocks);
    auto const [arch, fits] = facts_of<Job>(call);
    if (n > most_blocks * Job::threads * Job::most_rows(arch) || !fits ||
        !device_attribute(call, cudaDevAttrCooperativeLaunch))
      return;
    // The largest of 256 bins has less than so many tenths of their mean: the more keys of the sample are in
    // each, the less.
    auto const has_room = [&](std::int64_t items) {
      for (samples = Job::splitters_type::samples_of(n); samples <= Job::splitters_type::most_samples;
           samples *= 2) {
        int const of_bin = samples / parts_of_pass, tenths = of_bin >= 64 ? 18 : of_bin >= 32 ? 22 : 28;
        if (n * tenths <= 10 * items * parts_of_pass) return true;
      }
      return false;
    };
    if constexpr (has_halves)
      if (n >= least_items_of_sample_bins && has_room(half_job::shape::items) &&
          facts_of<half_job>(call).fits)
        by = finish::by_halves;
    if (by == finish::here && !has_room(shape::items)) {
      if constexpr (has_whole)
        if (has_room(whole_job::shape::items) && facts_of<whole_job>(call).fits) by = finish::by_wholes;
      if (by == finish::here) return;
    }
    each = n <= std::min<std::int64_t>(most_items_of_sample_block, Job::few_shape::items)
               ? n
               : std::max<std::int64_t>(Job::threads / 2, (n + most_blocks - 1) / most_blocks);
    blocks = (n + each - 1) / each;
    if (blocks == 1) by = finish::here;
  }

  static constexpr std::int64_t sample_bytes = Job::splitters_type::room_bytes,
                                tree_bytes = parts_of_pass * sizeof(Key),
                                bins_bytes = (sizeof(sampled_bins) + 15) / 16 * 16;
  std::int64_t told_bytes() const {
    return blocks <= 1 ? 0
                       : blocks * std::int64_t{sizeof(told_counts)} + sample_bytes + tree_bytes + bins_bytes;
  }

  /// `told` are so many bytes, and `rest` is for what else the call needs.
  template <class Rest, class Keys, class Values>
  void launch(Rest const& rest, char const* call, Keys const& keys, Values const& values,
              merge_buffers<Key, Value> const& buffers, std::byte* told, std::int64_t n,
              Order const& order) const {
    auto* const parts = told + blocks * std::int64_t{sizeof(told_counts)};
    auto* const bins = reinterpret_cast<sampled_bins*>(parts + sample_bytes + tree_bytes);
    int const most = by == finish::here        ? shape::items
                     : by == finish::by_halves ? half_job::shape::items
                                               : whole_job::shape::items;
    Job job{keys,
            values,
            buffers,
            reinterpret_cast<told_counts*>(told),
            {reinterpret_cast<Key*>(parts), reinterpret_cast<Key*>(parts + sample_bytes)},
            by == finish::here ? nullptr : bins,
            {},
            static_cast<int>(n),
            static_cast<int>(each),
            samples,
            std::min(most, most_items_of_bin),
            order};
    auto const rows = (each + Job::threads - 1) / Job::threads;
    auto const bytes = Job::head_bytes + std::max<std::size_t>(sizeof(typename Job::working),
                                                               rows * Job::threads * Job::item_bytes);
    if (blocks == 1) return launch_job(call, rest.stream(), blocks, Job::threads, job, bytes);
    using source = std::remove_cvref_t<decltype(rest.scratch_source())>;
    launch_state<source> state(rest.scratch_source(), call, rest.stream(), 0);
    job.tickets = state.tickets();
    launch_job(call, rest.stream(), blocks, Job::threads, job, bytes, blocks_are::resident);
    state.launched(blocks * Job::most_meetings);
    auto const sort_bins = [&]<class Finish>(Finish const& sorts) {
      launch_job(call, rest.stream(), parts_of_pass + blocks, Finish::threads, sorts, Finish::bytes);
    };
    if constexpr (has_halves)
      if (by == finish::by_halves) sort_bins(half_job{buffers, bins, order});
    if constexpr (has_whole)
      if (by == finish::by_wholes) sort_bins(whole_job{buffers, bins, order});
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
