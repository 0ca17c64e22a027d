// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RADIX_GRID_CUH
#define SWEEP_DETAIL_SORT_RADIX_RADIX_GRID_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/grid_counts.cuh>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/radix_pass.cuh>
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

  // Rows by what registers hold of items, and shared memory.
  static constexpr int words_of(std::size_t bytes) { return static_cast<int>(bytes + 3) / 4; }
  static constexpr int words = words_of(sizeof(key)) + (has_values ? words_of(sizeof(carried)) : 0);
  static constexpr int threads = 512, blocks = 1, warps = threads / 32;
  static constexpr auto bytes_in_room = std::max(sizeof(key) + (has_values ? sizeof(carried) : 0),
                                                 gathers_values ? sizeof(value) : std::size_t{4});
  static constexpr int most_words = sizeof(key) < 4                         ? 48
                                    : order_type::has_exponent && words > 1 ? (has_values ? 40 : 48)
                                    : has_values                            ? 56
                                                                            : 64,
                       R = possible
                               ? std::min({63, most_words / words, 256 / static_cast<int>(bytes_in_room)})
                               : 1,
                       most_items = threads * R;  // of a block
  /// Of a block that sorts groups, at once: they are not all as large.
  static constexpr int key_words = words_of(sizeof(key)),
                       room_rows = (order_type::has_exponent ? 96 : 160) /
                                   static_cast<int>(std::max({sizeof(key), sizeof(value), std::size_t{8}})),
                       group_rows = !possible                            ? 1
                                    : words == 1 && order_type::is_exact ? 36
                                    : has_values ? std::min((order_type::has_exponent ? 16 : 28) / key_words,
                                                            room_rows)
                                                 : room_rows;
  static constexpr int few_items = 4096;  ///< that a block sorts in less time than two digits take
  using sorter = block_radix_sort<key, value, order_type, one_range, threads, group_rows, has_values>;
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t keys_bytes = aligned(sizeof(key) * most_items),
                               carried_bytes = has_values ? aligned(sizeof(carried) * most_items) : 0,
                               values_bytes = gathers_values ? aligned(sizeof(value) * most_items) : 0;
  using counts_type = grid_counts<threads>;
  struct shared {
    typename counts_type::shared counts;
    std::uint32_t differing[4], together;
    std::uint16_t ranks[most_items];  ///< of items, among those of their warp and bin
    alignas(16) unsigned char items[std::max({keys_bytes + carried_bytes, values_bytes,
                                              sizeof(typename sorter::shared)})];
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  /// What a block tells: in which bits words differ from the first, and how many pairs of its sample are in
  /// one group.
  struct told_bits {
    std::uint32_t differing[4], together, unused[3];
  };
  static_assert(most_items < 1 << 15);
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
    counts_type const counts(smem.counts);
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
    // All of them, some at a time: what is not read anew would be kept in registers.
    auto const load_rows = [&](auto load, auto leave) {
#pragma unroll
      for (int some = 0; some < R; some += 8)
        if (some < rows) {
#pragma unroll
          for (int r = some; r < min(some + 8, R); ++r)
            if (r < rows) load(r, min(begin + item_of(r), n - 1));
            else leave(r);
        } else {
#pragma unroll
          for (int r = some; r < min(some + 8, R); ++r) leave(r);
        }
    };
    auto const leave_row = [&](int r) {
      put_bytes(keys[r], key{});
      if constexpr (has_values) put_bytes(carries[r], carried{});
    };
    auto const load_given = [&] {
      load_rows(
          [&](int r, int i) {
            put_bytes(keys[r], static_cast<key>(problem.keys_in[i]));
            if constexpr (moves_values) put_bytes(carries[r], static_cast<value>(problem.values_in[i]));
            else if constexpr (has_values) carries[r] = static_cast<std::uint32_t>(i);
          },
          leave_row);
    };
    load_given();
    counts_type::clear(counts_by, most_passes(digits.count));
    // Of one digit nothing need be known.
    bool const asks = digits.count > 1;
    if (asks) tell_differing(smem, keys, rows);
    grid.arrive();
    if (asks) grid.wait();
    unsigned const active = asks ? active_digits(smem) : 1;
    // The highest bits in which keys differ come first, if there are enough others and groups are small: none
    // is to be much larger than others.
    constexpr std::uint64_t pairs_of_block = std::uint64_t{warps} * 32 * 31;
    bool by_groups = __popc(active) > 2 &&
                     static_cast<std::uint64_t>(problem.n) * smem.together <=
                         static_cast<std::uint64_t>(min(sorter::most_items, max(few_items, n / 128))) *
                             pairs_of_block * gridDim.x;
    if (t < parts_of_pass) smem.counts.alike[t] = 0;
    unsigned todo = active == 0 ? 1 : active;
#pragma unroll 1
    for (int pass = 0;; ++pass) {
      int const d = __ffs(static_cast<int>(todo)) - 1, top = by_groups ? highest_bit(smem) : 0,
                shift = by_groups ? max(top - 8, digits.begin) : min(digits.begin_of(d), word_bits - 1);
      unsigned const mask = by_groups ? (1u << (top - shift)) - 1 : (1u << digits.bits_of(d)) - 1;
      if (!by_groups) todo &= todo - 1;
      auto const bin_of = [&](key const& x) {
        return static_cast<unsigned>(problem.order.word_of(x) >> shift) & mask;
      };
      counts.begin();
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r >= rows) break;
        smem.ranks[item_of(r)] =
            static_cast<std::uint16_t>(counts.rank(bin_of(keys[r]), item_of(r) < own_items));
      }
      auto* const told = counts_by + pass * all_blocks;
      counts.tell(told);
      __syncthreads();
      // Meanwhile into the order of bins, so that neighbours go to neighbouring places.
      for_each_item([&](int r, int i) {
        unsigned const place = counts.place_of(bin_of(keys[r]), smem.ranks[i]);
        put_bytes(own_keys[place], keys[r]);
        if constexpr (has_values) put_bytes(own_carried[place], carries[r]);
      });
      if (!asks) grid.wait();
      counts.learn(told, each);
      if (by_groups && !groups_fit(counts, each)) {
        by_groups = false;
        load_given();
        continue;
      }
      auto const place_of = [&](int i) {
        return static_cast<unsigned>(i) + smem.counts.moves[bin_of(own_keys[i])];
      };
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
      grid.meet();
      if (by_groups) {
        sort_groups(smem, counts, grid);
        break;
      }
      load_rows(
          [&](int r, int i) {
            put_bytes(keys[r], between[i]);
            if constexpr (has_values) put_bytes(carries[r], carriers_to[i]);
          },
          leave_row);
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
    __syncthreads();
    word differ = static_cast<word>(alike(sample) ^ first);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
      differ = static_cast<word>(differ | static_cast<word>(alike(problem.order.word_of(keys[r])) ^ first));
    }
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

  /// Whether blocks have room for their groups, at once where they gather values.
  __device__ bool groups_fit(counts_type const& counts, int each) const {
    return counts.bins_fit(sorter::most_items - (gathers_values ? each : 0));
  }
  __device__ void sort_groups(shared& smem, counts_type const& counts, grid_barrier& grid) const {
    if constexpr (gathers_values) {
      sort_items(smem, grid, counts.part_begin(), counts.part_end() - counts.part_begin());
    } else {
      counts.for_each_turn(sorter::most_items,
                           [&](int begin, int items) { sort_items(smem, grid, begin, items); });
    }
  }
  __device__ void sort_items(shared& smem, grid_barrier& grid, int begin, int items) const {
    if (items == 0) {
      if constexpr (gathers_values) { grid.meet(); }
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
                         grid.meet();  // all is read that is overwritten
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
      grid.meet();  // all is read that is overwritten
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
                 bits_bytes + aligned(sizeof(told_counts) *
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
                       reinterpret_cast<told_counts*>(at + bits_bytes),
                       reinterpret_cast<typename job::key*>(at + told_bytes),
                       reinterpret_cast<typename job::carried*>(at + told_bytes + key_bytes)},
                   job::bytes, blocks_are::resident);
        state.launched(blocks * job::most_meetings(digits.count));
      });
  return true;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
