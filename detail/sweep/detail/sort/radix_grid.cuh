// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_GRID_CUH
#define SWEEP_DETAIL_SORT_RADIX_GRID_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix_pass.cuh>
#include <sweep/detail/sort/tile/block_radix_sort.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// As many items as the registers of blocks that all run at the same time hold, each as many neighbours, in
/// one kernel. Blocks tell each other in which bits their keys differ. Then each ranks its items by the
/// highest eight of these, and tells how many of each bin it has: if neighbouring bins can be given to blocks
/// so that none gets more than it has room for, items go there, and each block sorts its own. If not, items
/// go by every digit, the lowest first: a block ranks them, learns what others have of each bin, and writes
/// them in runs to where they go on. All ways go through the cache that blocks share. Values of up to 8 bytes
/// move with their keys; for wider ones indices do, and they are moved once.
template <class Problem>
struct radix_grid_job {
  using key = typename Problem::key;
  using value = typename Problem::value;
  using order_type = typename Problem::order_type;
  using word = typename order_type::word;
  static constexpr int word_bits = static_cast<int>(sizeof(word)) * 8;
  static constexpr bool has_values = Problem::has_values, moves_values = has_values && sizeof(value) <= 8,
                        gathers_values = has_values && !moves_values,
                        possible = sizeof(key) <= 16 && sizeof(value) <= 16;
  using carried = std::conditional_t<moves_values, value, std::uint32_t>;

  // Rows by what registers hold of an item, and its place; words of floating-point numbers take some to make.
  static constexpr int words_of(std::size_t bytes) { return static_cast<int>(bytes + 3) / 4; }
  static constexpr int words = words_of(sizeof(key)) + (has_values ? words_of(sizeof(carried)) : 0) + 1;
  static constexpr int threads = 512, blocks = 1, warps = threads / 32;
  static constexpr int R = possible
                               ? std::min(words == 2 ? 32 : 16, (order_type::has_exponent ? 75 : 80) / words)
                               : 1,
                       most_items = threads * R;  // of a block
  /// Of a block that sorts groups, at once: they are not all as large.
  static constexpr int group_rows =
      possible ? (!order_type::has_exponent ? 160
                  : has_values              ? 112
                                            : 128) /
                     static_cast<int>(std::max(std::max(sizeof(key), sizeof(value)), std::size_t{8}))
               : 1;
  /// Whether a block may have groups that it sorts one after another.
  static constexpr bool sorts_in_turns = words == 2 && R > group_rows && !gathers_values;
  using sorter = block_radix_sort<key, value, order_type, one_range, threads, group_rows, has_values>;
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t keys_bytes = aligned(sizeof(key) * most_items),
                               carried_bytes = has_values ? aligned(sizeof(carried) * most_items) : 0,
                               values_bytes = gathers_values ? aligned(sizeof(value) * most_items) : 0;
  struct shared {
    unsigned counters[warps * parts_of_pass];
    unsigned counts[parts_of_pass], before[parts_of_pass], total[parts_of_pass], moves[parts_of_pass],
        begins[parts_of_pass + 1], sums[16];
    std::uint32_t differing[4], together;
    alignas(16) unsigned char items[std::max(std::max(keys_bytes + carried_bytes, values_bytes),
                                             sizeof(typename sorter::shared))];
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  /// What a block tells: in which bits words differ from the first, and how many pairs of its sample are in
  /// one group.
  struct told_bits {
    std::uint32_t differing[4], together, unused[3];
  };
  /// What it tells in one pass: a word for bins b and b + 128, each count with a bit that says it is there.
  struct told_counts {
    std::uint32_t words[parts_of_pass / 2];
  };
  static_assert(most_items < 1 << 15);
  static constexpr int at_once = std::min(4, 65535 / most_items);  ///< whose counts add up to 16 bits
  static constexpr std::uint32_t is_told = 0x80008000u;
  /// What moves with keys goes to and fro, where more than one pass writes between.
  static constexpr std::size_t carried_copies(int digits) { return !has_values ? 0 : digits > 2 ? 2 : 1; }
  /// A pass for each digit, and the one that may make the others needless.
  SWEEP_HD static constexpr int most_passes(int digits) { return (digits < 1 ? 1 : digits) + 1; }
  SWEEP_HD static constexpr int most_meetings(int digits) { return most_passes(digits) + 2; }

  Problem problem;
  radix_digits digits;
  ticket_counter tickets;
  told_bits* bits_by;      ///< of blocks
  told_counts* counts_by;  ///< (passes, blocks)
  key* between;            ///< memory for all items
  carried* carriers;       ///< and for what moves with them, carried_copies() times

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    auto* const own_keys = reinterpret_cast<key*>(smem.items);
    auto* const own_carried = reinterpret_cast<carried*>(smem.items + keys_bytes);
    int const t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    auto* const counters = smem.counters + warp * parts_of_pass;
    auto const own_counters = static_cast<unsigned>(__cvta_generic_to_shared(counters));
    grid_barrier grid(tickets, static_cast<unsigned>(most_meetings(digits.count)));
    // Shape: (blocks, warps, rows, 32 lanes).
    int const n = static_cast<int>(problem.n), all_blocks = static_cast<int>(gridDim.x),
              rows = (n + all_blocks * threads - 1) / (all_blocks * threads), each = rows * threads,
              begin = static_cast<int>(blockIdx.x) * each, own_items = max(min(n - begin, each), 0);
    auto const item_of = [&](int r) { return (warp * rows + r) * 32 + lane; };
    auto const for_each_item = [&](auto f) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r >= rows) break;
        if (item_of(r) < own_items) f(r, item_of(r));
      }
    };

    key keys[R];
    carried carries[has_values ? R : 1];
    auto const load_given = [&] {
#pragma unroll
      for (int r = 0; r < R; ++r) {  // all of them: what is not read anew would be kept in registers
        int const i = min(begin + item_of(r), n - 1);
        if (r < rows) put_bytes(keys[r], static_cast<key>(problem.keys_in[i]));
        else put_bytes(keys[r], key{});
        if constexpr (moves_values) {
          if (r < rows) put_bytes(carries[r], static_cast<value>(problem.values_in[i]));
          else put_bytes(carries[r], value{});
        } else if constexpr (has_values) {
          carries[r] = static_cast<std::uint32_t>(i);
        }
      }
    };
    load_given();
    tell_differing(smem, keys, rows);
    grid.arrive();
    grid.wait();
    unsigned const active = active_digits(smem);
    // The highest bits in which keys differ come first, if there are enough others.
    int const top = highest_bit(smem), low = max(top - 8, digits.begin);
    constexpr std::uint64_t pairs_of_block = std::uint64_t{warps} * 32 * 31;
    bool by_groups = __popc(active) > 2 && static_cast<std::uint64_t>(problem.n) * smem.together <=
                                               std::uint64_t{sorter::most_items} * pairs_of_block * gridDim.x;
    unsigned todo = active == 0 ? 1 : active;
#pragma unroll 1
    for (int pass = 0;; ++pass) {
      int const d = __ffs(static_cast<int>(todo)) - 1,
                shift = by_groups ? low : min(digits.begin_of(d), word_bits - 1);
      unsigned const mask = by_groups ? (1u << (top - low)) - 1 : (1u << digits.bits_of(d)) - 1;
      if (!by_groups) todo &= todo - 1;
      auto const bin_of = [&](key const& x) {
        return static_cast<unsigned>(problem.order.word_of(x) >> shift) & mask;
      };
      clear_counters(counters);
      if (t < parts_of_pass) smem.before[t] = smem.total[t] = 0;
      __syncwarp();
      unsigned ranks[(R + 1) / 2];  // of two rows
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r >= rows) break;
        unsigned const bin = bin_of(keys[r]), rank = rank_in_warp<8, false>(bin, item_of(r) < own_items,
                                                                            counter_of(own_counters, bin));
        ranks[r / 2] = r % 2 == 0 ? rank : ranks[r / 2] | rank << 16;
      }
      __syncthreads();
      unsigned const own_count = t < parts_of_pass ? items_of_bin<warps>(smem.counters, t) : 0;
      if (t < parts_of_pass) smem.counts[t] = own_count;
      unsigned const own_begin = sum_before<unsigned>(own_count, smem.sums);
      auto* const told = counts_by + pass * all_blocks;
      if (t < parts_of_pass / 2)
        atomic_ref<std::uint32_t>(told[blockIdx.x].words[t])
            .store(smem.counts[t] | smem.counts[t + parts_of_pass / 2] << 16 | is_told, relaxed);
      if (t < parts_of_pass) place_bin<warps>(smem.counters, t, own_begin);
      __syncthreads();
      // Meanwhile into the order of bins, so that neighbours go to neighbouring places.
      for_each_item([&](int r, int) {
        unsigned const rank = r % 2 == 0 ? ranks[r / 2] & 0xffff : ranks[r / 2] >> 16,
                       place = read_counter(counter_of(own_counters, bin_of(keys[r]))) + rank;
        put_bytes(own_keys[place], keys[r]);
        if constexpr (has_values) put_bytes(own_carried[place], carries[r]);
      });
      add_told(smem, told);
      __syncthreads();
      unsigned const before = t < parts_of_pass ? smem.before[t] : 0,
                     total = t < parts_of_pass ? smem.total[t] : 0,
                     begin_of_bin = sum_before<unsigned>(total, smem.sums);
      if (t < parts_of_pass) smem.moves[t] = begin_of_bin + before - own_begin;
      if (by_groups) {
        if (t < parts_of_pass) smem.begins[t] = begin_of_bin;
        if (t == 0) smem.begins[parts_of_pass] = static_cast<unsigned>(n);
        __syncthreads();
        if (!groups_fit(smem)) {
          by_groups = false;
          load_given();
          continue;
        }
      }
      __syncthreads();
      auto const place_of = [&](int i) { return static_cast<unsigned>(i) + smem.moves[bin_of(own_keys[i])]; };
      if (todo == 0) {
        put_all(smem, own_keys, own_carried, grid, rows, own_items, place_of);
        break;
      }
      // Who has all counts knows that keys have been read everywhere, which they were made of; but not what
      // moves with them: that goes to and fro.
      auto* const carriers_to = carriers + (has_values && pass % 2 == 1 ? n : 0);
      for_each_item([&](int, int i) {
        auto const place = place_of(i);
        put_bytes(between[place], own_keys[i]);
        if constexpr (has_values) put_bytes(carriers_to[place], own_carried[i]);
      });
      grid.arrive();
      grid.wait();
      if (by_groups) {
        sort_groups(smem, grid);
        break;
      }
#pragma unroll
      for (int r = 0; r < R; ++r) {
        int const i = min(begin + item_of(r), n - 1);
        put_bytes(keys[r], r < rows ? between[i] : key{});
        if constexpr (has_values) put_bytes(carries[r], r < rows ? carriers_to[i] : carried{});
      }
    }
    grid.leave();
  }

 private:
  /// Before blocks meet for the first time. They have told no counts yet.
  __device__ void tell_differing(shared& smem, key const (&keys)[R], int rows) const {
    constexpr int parts = (static_cast<int>(sizeof(word)) + 3) / 4;
    // A key of a warp's sample, whose lanes look everywhere.
    auto const all_warps = gridDim.x * warps,
               at = threadIdx.x % 32 * all_warps + blockIdx.x * warps + threadIdx.x / 32;
    auto const alike = [&](word x) { return problem.order.alike_word_of_many(x); };
    auto const sample = problem.order.word_of(static_cast<key>(
                   problem
                       .keys_in[static_cast<std::int64_t>(at) * problem.n / (std::int64_t{all_warps} * 32)])),
               first = alike(problem.order.word_of(static_cast<key>(problem.keys_in[0])));
    if (threadIdx.x < 4) smem.differing[threadIdx.x] = 0;
    if (threadIdx.x == 0) smem.together = 0;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < most_passes(digits.count) * parts_of_pass / 2; i += threads)
      counts_by[i / (parts_of_pass / 2) * gridDim.x + blockIdx.x].words[i % (parts_of_pass / 2)] = 0;
    __syncthreads();
    word differ = static_cast<word>(alike(sample) ^ first);
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (r < rows)
        differ = static_cast<word>(differ | static_cast<word>(alike(problem.order.word_of(keys[r])) ^ first));
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      auto const mine = __reduce_or_sync(~0u, static_cast<unsigned>(differ >> (32 * p) % word_bits));
      if (threadIdx.x % 32 == 0 && mine != 0) atomicOr(smem.differing + p, mine);
    }
    __syncthreads();
    int const top = highest_bit(smem), low = max(top - 8, digits.begin);
    unsigned const bin = static_cast<unsigned>(sample >> min(low, word_bits - 1)) & ((1u << (top - low)) - 1),
                   others = __reduce_add_sync(~0u, __popc(lanes_with_equal<8>(bin, ~0u)) - 1);
    if (threadIdx.x % 32 == 0) atomicAdd(&smem.together, others);
    __syncthreads();
    auto& told = bits_by[blockIdx.x];
    if (threadIdx.x < 4) told.differing[threadIdx.x] = smem.differing[threadIdx.x];
    if (threadIdx.x == 0) told.together = smem.together;
  }
  /// Behind that: a bit for each digit in which keys differ.
  __device__ unsigned active_digits(shared& smem) const {
    for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) {
      if (b == blockIdx.x) continue;
      auto const told = bits_by[b];
#pragma unroll
      for (int p = 0; p < 4; ++p)
        if (told.differing[p] != 0) atomicOr(smem.differing + p, told.differing[p]);
      atomicAdd(&smem.together, told.together);
    }
    __syncthreads();
    auto known = digits;
    known.differing = smem.differing;
    return known.active();
  }
  /// Behind the highest bit of digits in which keys differ.
  __device__ int highest_bit(shared const& smem) const {
    int top = digits.begin;
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      int const last = min(digits.end - 32 * p, 32);  // of the part's bits those below count
      if (last <= 0) break;
      auto const bits = smem.differing[p] & ~0u >> (32 - last);
      if (bits != 0) top = max(top, 32 * p + 32 - __clz(static_cast<int>(bits)));
    }
    return top;
  }

  __device__ static std::uint32_t told_word(told_counts* told, int b, int word) {
    return atomic_ref<std::uint32_t>(told[b].words[word]).load(relaxed);
  }
  /// A warp adds rows of counts, of all blocks and of those before this one, as soon as they are told.
  __device__ void add_told(shared& smem, told_counts* told) const {
    int const warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    constexpr int words_of_lane = parts_of_pass / 64;
    unsigned before[2 * words_of_lane] = {}, all[2 * words_of_lane] = {};
    int const all_blocks = static_cast<int>(gridDim.x), own = static_cast<int>(blockIdx.x);
#pragma unroll 1
    for (int b = warp; b < all_blocks; b += warps * at_once) {
      // A word of each row at first: whoever waits should not be in the way of those who are waited for.
      bool const asks = lane < at_once && b + lane * warps < all_blocks;
      while (asks && told_word(told, b + lane * warps, 0) == 0) {}
      __syncwarp();
      unsigned two[at_once][words_of_lane];
      unsigned there;
      do {
        there = is_told;
#pragma unroll
        for (int k = 0; k < at_once; ++k)
#pragma unroll
          for (int j = 0; j < words_of_lane; ++j)
            two[k][j] = b + k * warps < all_blocks ? told_word(told, b + k * warps, lane + 32 * j) : is_told;
#pragma unroll
        for (int k = 0; k < at_once; ++k)
#pragma unroll
          for (int j = 0; j < words_of_lane; ++j) there &= two[k][j];
      } while (!__all_sync(~0u, there == is_told));
#pragma unroll
      for (int j = 0; j < words_of_lane; ++j) {
        unsigned of_all = 0, of_before = 0;
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          of_all += two[k][j] & ~is_told;
          if (b + k * warps < own) of_before += two[k][j] & ~is_told;
        }
        all[2 * j] += of_all & 0xffff;
        all[2 * j + 1] += of_all >> 16;
        before[2 * j] += of_before & 0xffff;
        before[2 * j + 1] += of_before >> 16;
      }
    }
#pragma unroll
    for (int j = 0; j < 2 * words_of_lane; ++j) {
      int const bin = lane + 32 * (j / 2) + parts_of_pass / 2 * (j % 2);
      if (before[j] != 0) atomicAdd(smem.before + bin, before[j]);
      if (all[j] != 0) atomicAdd(smem.total + bin, all[j]);
    }
  }

  /// Where the groups of block b begin: those whose middle is in its equal part of the places.
  __device__ int groups_begin(shared const& smem, int b) const {
    auto const place = static_cast<int>(problem.n * b / static_cast<int>(gridDim.x));
    int low = 0, high = parts_of_pass;
#pragma unroll 1
    while (low < high) {
      int const middle = (low + high) / 2;
      if (static_cast<int>(smem.begins[middle] + smem.begins[middle + 1]) < 2 * place) low = middle + 1;
      else high = middle;
    }
    return static_cast<int>(smem.begins[low]);
  }
  /// Whether each block has room for its groups, at once or in turns, and none has many more than others.
  __device__ bool groups_fit(shared const& smem) const {
    int most = sorter::most_items;
    if constexpr (sorts_in_turns)
      most = max(most, static_cast<int>(2 * problem.n / static_cast<int>(gridDim.x)));
    bool too_many = false;
#pragma unroll 1
    for (int b = static_cast<int>(threadIdx.x); b < static_cast<int>(gridDim.x); b += threads)
      too_many = too_many || groups_begin(smem, b + 1) - groups_begin(smem, b) > most;
    if constexpr (sorts_in_turns)
      if (threadIdx.x < parts_of_pass)
        too_many = too_many || static_cast<int>(smem.begins[threadIdx.x + 1] - smem.begins[threadIdx.x]) >
                                   sorter::most_items;
    return __syncthreads_or(too_many ? 1 : 0) == 0;
  }
  __device__ void sort_groups(shared& smem, grid_barrier& grid) const {
    int const b = static_cast<int>(blockIdx.x), begin = groups_begin(smem, b),
              end = groups_begin(smem, b + 1);
    if constexpr (sorts_in_turns) {
      // As many neighbouring groups as there is room for at once.
#pragma unroll 1
      for (int from = begin; from < end;) {
        int to = end;
        if (end - from > sorter::most_items) {
          if (threadIdx.x == 0) smem.together = static_cast<std::uint32_t>(from);
          __syncthreads();
          if (threadIdx.x < parts_of_pass)
            if (int const last = static_cast<int>(smem.begins[threadIdx.x + 1]);
                last > from && last - from <= sorter::most_items)
              atomicMax(&smem.together, static_cast<std::uint32_t>(last));
          __syncthreads();
          to = static_cast<int>(smem.together);
        }
        sort_items(smem, grid, from, to - from);
        __syncthreads();
        from = to;
      }
    } else {
      sort_items(smem, grid, begin, end - begin);
    }
  }
  __device__ void sort_items(shared& smem, grid_barrier& grid, int begin, int items) const {
    if (items == 0) {
      if constexpr (gathers_values) {
        grid.arrive();
        grid.wait();
      }
      return;
    }
    auto& own = *reinterpret_cast<typename sorter::shared*>(smem.items);
    sorter const sort(own, problem.order, digits, one_range{}, items);
    key keys[group_rows];
    sort.for_each_item([&](int r, int i) { put_bytes(keys[r], between[begin + i]); });
    sort(keys);
    sort.for_each_item([&](int, int i) { problem.put_key(begin + i, own.keys()[i]); });
    auto const put = [&](int i, value const& x) { problem.put_value(begin + i, x); };
    if constexpr (moves_values) sort.move_values([&](int i) { return carriers[begin + i]; }, put);
    else if constexpr (has_values)
      sort.move_values([&](int i) { return static_cast<value>(problem.values_in[carriers[begin + i]]); }, put,
                       [&] {
                         grid.arrive();  // all is read that is overwritten
                         grid.wait();
                       });
  }

  /// The block's items in shared memory to where they are to be.
  template <class PlaceOf>
  __device__ void put_all(shared& smem, key const* own_keys, carried const* own_carried, grid_barrier& grid,
                          int rows, int own_items, PlaceOf place_of) const {
    int const first = static_cast<int>(threadIdx.x / 32) * rows * 32 + static_cast<int>(threadIdx.x % 32);
    auto const for_each_item = [&](auto f) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r >= rows) break;
        if (first + r * 32 < own_items) f(r, first + r * 32);
      }
    };
    if constexpr (!gathers_values) {
      for_each_item([&](int, int i) {
        auto const place = place_of(i);
        problem.put_key(place, own_keys[i]);
        if constexpr (has_values) problem.put_value(place, own_carried[i]);
      });
    } else {
      unsigned places[R];
      std::uint32_t from[R];
      for_each_item([&](int r, int i) {
        places[r] = place_of(i);
        from[r] = own_carried[i];
        problem.put_key(places[r], own_keys[i]);
      });
      __syncthreads();
      auto* const values = reinterpret_cast<value*>(smem.items);
      for_each_item(
          [&](int r, int i) { put_bytes(values[i], static_cast<value>(problem.values_in[from[r]])); });
      grid.arrive();  // all is read that is overwritten
      grid.wait();
      for_each_item([&](int r, int i) { problem.put_value(places[r], values[i]); });
    }
  }
};

/// Blocks that sort in one grid, at most: tests change it.
inline std::int64_t most_grid_blocks = std::int64_t{1} << 20;

/// Whether items were so few that this sorts them.
template <class Source, class... Tags, class Problem>
bool run_radix_grid(device_policy<Source, Tags...> const& policy, Problem const& problem,
                    radix_digits digits) {
  using job = radix_grid_job<Problem>;
  auto const call = problem.call;
  auto const most_blocks = std::min<std::int64_t>(multiprocessors(call), most_grid_blocks);
  if (problem.n > most_blocks * job::most_items || !facts_of<job>(call).fits ||
      !device_attribute(call, cudaDevAttrCooperativeLaunch))
    return false;
  auto const rows = (problem.n + most_blocks * job::threads - 1) / (most_blocks * job::threads),
             blocks = (problem.n + rows * job::threads - 1) / (rows * job::threads);
  auto const aligned = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  auto const bits_bytes = aligned(sizeof(typename job::told_bits) * static_cast<std::size_t>(blocks)),
             told_bytes =
                 bits_bytes + aligned(sizeof(typename job::told_counts) *
                                      static_cast<std::size_t>(blocks * job::most_passes(digits.count))),
             key_bytes = aligned(sizeof(typename job::key) * static_cast<std::size_t>(problem.n)),
             carried_bytes = job::carried_copies(digits.count) * sizeof(typename job::carried) *
                             static_cast<std::size_t>(problem.n);
  with_memory<std::byte>(
      policy, call, static_cast<std::int64_t>(told_bytes + key_bytes + carried_bytes),
      [&](auto const& rest, std::byte* at) {
        using source = std::remove_cvref_t<decltype(rest.scratch_source())>;
        launch_state<source> state(rest.scratch_source(), call, rest.stream(), 0);
        launch_job(call, rest.stream(), blocks, job::threads,
                   job{problem, digits, state.tickets(), reinterpret_cast<typename job::told_bits*>(at),
                       reinterpret_cast<typename job::told_counts*>(at + bits_bytes),
                       reinterpret_cast<typename job::key*>(at + told_bytes),
                       reinterpret_cast<typename job::carried*>(at + told_bytes + key_bytes)},
                   job::bytes, blocks_are::resident);
        state.launched(blocks * job::most_meetings(digits.count));
      });
  return true;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
