// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_GRID_CUH
#define SWEEP_DETAIL_SORT_RADIX_GRID_CUH

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
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// As many items as the registers of blocks that all run at the same time hold, each as many neighbours. For
/// each digit a block ranks its items and tells all others how many of each bin it has; then everyone knows
/// where its items go, writes them there in runs, and reads those that it goes on with. Both ways go through
/// the cache that all blocks share, and all digits are one kernel. Values of up to 8 bytes move with their
/// keys; for wider ones indices do, and they are moved once.
template <class Problem>
struct radix_grid_job {
  using key = typename Problem::key;
  using value = typename Problem::value;
  using order_type = typename Problem::order_type;
  using word = typename order_type::word;
  static constexpr bool has_values = Problem::has_values, moves_values = has_values && sizeof(value) <= 8,
                        gathers_values = has_values && !moves_values,
                        possible = sizeof(key) <= 16 && sizeof(value) <= 16;
  using carried = std::conditional_t<moves_values, value, std::uint32_t>;

  // Rows by what registers hold of an item, and its place.
  static constexpr int words_of(std::size_t bytes) { return static_cast<int>(bytes + 3) / 4; }
  static constexpr int words = words_of(sizeof(key)) + (has_values ? words_of(sizeof(carried)) : 0) + 1;
  static constexpr int threads = words <= 3 ? 1024 : 512, blocks = 1, warps = threads / 32;
  static constexpr int R = possible ? std::min(16, (words <= 3 ? 36 : 80) / words) : 1,
                       most_items = threads * R;  // of a block
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t keys_bytes = aligned(sizeof(key) * most_items),
                               carried_bytes = has_values ? aligned(sizeof(carried) * most_items) : 0,
                               values_bytes = gathers_values ? aligned(sizeof(value) * most_items) : 0;
  struct shared {
    unsigned counters[warps * parts_of_pass];
    unsigned before[parts_of_pass], total[parts_of_pass], moves[parts_of_pass], sums[16];
    std::uint32_t differing[4];
    alignas(16) unsigned char items[std::max(keys_bytes + carried_bytes, values_bytes)];
  };
  static constexpr std::size_t bytes = sizeof(shared);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  /// What blocks tell each other: in which bits their words differ from the first, and a row of counts each,
  /// bins b and b + 128 side by side.
  struct told {
    std::uint32_t differing[4];
    std::uint16_t counts[parts_of_pass];
  };
  SWEEP_HD static constexpr int most_meetings(int digits) { return 2 * (digits < 1 ? 1 : digits) + 1; }

  Problem problem;
  radix_digits digits;
  ticket_counter tickets;
  told* told_by;      ///< of blocks
  key* between;       ///< memory for all items
  carried* carriers;  ///< and for what moves with them

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
    auto const first = problem.order.word_of(static_cast<key>(problem.keys_in[0]));
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
      int const i = min(begin + item_of(r), n - 1);
      put_bytes(keys[r], static_cast<key>(problem.keys_in[i]));
      if constexpr (moves_values) put_bytes(carries[r], static_cast<value>(problem.values_in[i]));
      else if constexpr (has_values) carries[r] = static_cast<std::uint32_t>(i);
    }
    tell_differing(smem, keys, rows, first);

    unsigned todo = 1, active = 0;  // what is to do is known once blocks have met
    bool met = false;
#pragma unroll 1
    while (true) {
      int const d = __ffs(static_cast<int>(todo)) - 1,
                shift = min(digits.begin_of(d), static_cast<int>(sizeof(word)) * 8 - 1);
      unsigned const mask = (1u << digits.bits_of(d)) - 1;
      todo &= todo - 1;
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
        unsigned const bin = bin_of(keys[r]),
                       rank = rank_in_warp<8, false>(bin, item_of(r) < own_items, counter_of(own_counters, bin));
        ranks[r / 2] = r % 2 == 0 ? rank : ranks[r / 2] | rank << 16;
      }
      __syncthreads();
      unsigned const own_count = t < parts_of_pass ? items_of_bin<warps>(smem.counters, t) : 0;
      if (t < parts_of_pass)
        told_by[blockIdx.x].counts[t % 128 * 2 + t / 128] = static_cast<std::uint16_t>(own_count);
      grid.arrive();

      // Meanwhile into the order of bins, so that neighbours go to neighbouring places.
      unsigned const own_begin = sum_before<unsigned>(own_count, smem.sums);
      if (t < parts_of_pass) place_bin<warps>(smem.counters, t, own_begin);
      __syncthreads();
      for_each_item([&](int r, int) {
        unsigned const rank = r % 2 == 0 ? ranks[r / 2] & 0xffff : ranks[r / 2] >> 16,
                       place = read_counter(counter_of(own_counters, bin_of(keys[r]))) + rank;
        put_bytes(own_keys[place], keys[r]);
        if constexpr (has_values) put_bytes(own_carried[place], carries[r]);
      });
      grid.wait();
      if (!met) {
        active = active_digits(smem);
        todo = active & ~1u;
        met = true;
      }
      if ((active >> d & 1u) != 0) {
        add_told(smem);
        __syncthreads();
        unsigned const before = t < parts_of_pass ? smem.before[t] : 0,
                       total = t < parts_of_pass ? smem.total[t] : 0,
                       begin_of_bin = sum_before<unsigned>(total, smem.sums) + before;
        if (t < parts_of_pass) smem.moves[t] = begin_of_bin - own_begin;
      } else if (t < parts_of_pass) {  // of the first digit: all stay where they are
        smem.moves[t] = static_cast<unsigned>(begin);
      }
      __syncthreads();
      auto const place_of = [&](int i) { return static_cast<unsigned>(i) + smem.moves[bin_of(own_keys[i])]; };
      if (todo == 0) {
        put_all(smem, own_keys, own_carried, grid, rows, own_items, place_of);
        break;
      }
      for_each_item([&](int, int i) {
        auto const place = place_of(i);
        put_bytes(between[place], own_keys[i]);
        if constexpr (has_values) put_bytes(carriers[place], own_carried[i]);
      });
      grid.arrive();
      grid.wait();
#pragma unroll
      for (int r = 0; r < R; ++r) {  // all of them: what is not read anew would be kept in registers
        int const i = min(begin + item_of(r), n - 1);
        put_bytes(keys[r], r < rows ? between[i] : key{});
        if constexpr (has_values) put_bytes(carries[r], r < rows ? carriers[i] : carried{});
      }
    }
    grid.leave();
  }

 private:
  /// Before blocks meet for the first time.
  __device__ void tell_differing(shared& smem, key const (&keys)[R], int rows, word first) const {
    constexpr int parts = (static_cast<int>(sizeof(word)) + 3) / 4;
    if (threadIdx.x < 4) smem.differing[threadIdx.x] = 0;
    __syncthreads();
    word differ = 0;
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (r < rows)
        differ = static_cast<word>(differ | static_cast<word>(problem.order.word_of(keys[r]) ^ first));
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      auto const mine = __reduce_or_sync(~0u, static_cast<unsigned>(differ >> (32 * p) % (8 * sizeof(word))));
      if (threadIdx.x % 32 == 0 && mine != 0) atomicOr(smem.differing + p, mine);
    }
    __syncthreads();
    if (threadIdx.x < 4) told_by[blockIdx.x].differing[threadIdx.x] = smem.differing[threadIdx.x];
  }
  /// Behind that: a bit for each digit in which keys differ.
  __device__ unsigned active_digits(shared& smem) const {
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < gridDim.x * 4; i += threads)
      if (auto const bits = told_by[i / 4].differing[i % 4]; bits != 0) atomicOr(smem.differing + i % 4, bits);
    __syncthreads();
    auto known = digits;
    known.differing = smem.differing;
    return known.active();
  }

  /// A warp adds rows of counts, of all blocks and of those before this one.
  __device__ void add_told(shared& smem) const {
    int const warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    constexpr int words_of_lane = parts_of_pass / 64, at_once = 4;
    unsigned before[2 * words_of_lane] = {}, all[2 * words_of_lane] = {};
    int const all_blocks = static_cast<int>(gridDim.x), own = static_cast<int>(blockIdx.x);
#pragma unroll 1
    for (int b = warp; b < all_blocks; b += warps * at_once) {
      unsigned two[at_once][words_of_lane];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
#pragma unroll
        for (int j = 0; j < words_of_lane; ++j)
          two[k][j] = b + k * warps < all_blocks
                          ? reinterpret_cast<std::uint32_t const*>(told_by[b + k * warps].counts)[lane + 32 * j]
                          : 0;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        unsigned const is_before = b + k * warps < own ? ~0u : 0;
#pragma unroll
        for (int j = 0; j < words_of_lane; ++j) {
          unsigned const low = two[k][j] & 0xffff, high = two[k][j] >> 16;
          all[2 * j] += low;
          all[2 * j + 1] += high;
          before[2 * j] += low & is_before;
          before[2 * j + 1] += high & is_before;
        }
      }
    }
#pragma unroll
    for (int j = 0; j < 2 * words_of_lane; ++j) {
      int const bin = lane + 32 * (j / 2) + 128 * (j % 2);
      if (before[j] != 0) atomicAdd(smem.before + bin, before[j]);
      if (all[j] != 0) atomicAdd(smem.total + bin, all[j]);
    }
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
  auto const told_bytes = aligned(sizeof(typename job::told) * static_cast<std::size_t>(blocks)),
             key_bytes = aligned(sizeof(typename job::key) * static_cast<std::size_t>(problem.n)),
             carried_bytes = job::has_values
                                 ? sizeof(typename job::carried) * static_cast<std::size_t>(problem.n)
                                 : 0;
  with_memory<std::byte>(
      policy, call, static_cast<std::int64_t>(told_bytes + key_bytes + carried_bytes),
      [&](auto const& rest, std::byte* at) {
        using source = std::remove_cvref_t<decltype(rest.scratch_source())>;
        launch_state<source> state(rest.scratch_source(), call, rest.stream(), 0);
        launch_job(call, rest.stream(), blocks, job::threads,
                   job{problem, digits, state.tickets(), reinterpret_cast<typename job::told*>(at),
                       reinterpret_cast<typename job::key*>(at + told_bytes),
                       reinterpret_cast<typename job::carried*>(at + told_bytes + key_bytes)},
                   job::bytes, blocks_are::resident);
        state.launched(blocks * job::most_meetings(digits.count));
      });
  return true;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
