// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_GRID_CUH
#define SWEEP_DETAIL_MULTISPLIT_GRID_CUH

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/grid_counts.cuh>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/multisplit/shape.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// In two passes, counters of all parts, whose number is made up to whole bins: the first clears them, the
/// second counts and tells where parts begin.
struct part_counters {
  enum { unused, cleared, counted } use = unused;
  unsigned* at = nullptr;
  int count = 0;
};

/// One pass of as many items as the registers of blocks that all run at the same time hold, each as many
/// neighbours: so they are read once, and one kernel does it. A block ranks its items, tells all others how
/// many it has of each bin, and writes them where all counts say.
template <class Pass>
struct split_grid_job {
  using key = typename Pass::key;
  using value = typename Pass::value;
  static constexpr bool has_values = !std::is_same_v<value, keys_alone>;
  /// Registers hold few wider items.
  static constexpr bool possible = sizeof(key) <= 16 && sizeof(value) <= 16;
  static constexpr int staged_bytes = std::max(split_staged_bytes<key>, split_staged_bytes<value>),
                       threads = 512, blocks = 1, R = std::min(32, 128 / std::max(staged_bytes, 4)),
                       most_items = threads * R;  // of a block
  /// Counters of parts that a block takes care of, where there are many for the items: a bin's a warp.
  static constexpr std::int64_t parts_of_block = threads / 32 * parts_of_pass;
  using counts_type = grid_counts<threads>;
  struct shared {
    typename counts_type::shared counts;
    std::uint16_t places[most_items];  ///< of items: at first ranks among those of their warp and bin
    unsigned char bins[most_items];    ///< of places
    alignas(16) unsigned char staged[most_items * staged_bytes];
  };
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(shared); }

  Pass pass;
  ticket_counter tickets;
  told_counts* told;  ///< of blocks
  int rows;
  part_counters parts;
  /// How often blocks meet.
  SWEEP_HD unsigned meetings() const { return parts.use == part_counters::counted ? 2 : 1; }

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<shared*>(memory);
    int const t = static_cast<int>(threadIdx.x), each = rows * threads,
              begin = static_cast<int>(blockIdx.x) * each,
              own_items = min(static_cast<int>(pass.n) - begin, each), first = t / 32 * rows * 32 + t % 32;
    counts_type const counts(smem.counts);
    grid_barrier grid(tickets, meetings());
    if (parts.use == part_counters::cleared)
      for (int i = begin_of_block(t); i < parts.count; i += static_cast<int>(gridDim.x) * threads)
        parts.at[i] = 0;
    counts_type::clear(told, 1);
    grid.arrive();
    key keys[R];
    load(pass.keys, keys, begin, own_items, first);
    counts.begin();
    if (t < parts_of_pass) smem.counts.alike[t] = 0;
    // Found apart from ranks: both at once would take more predicates than there are.
    unsigned bins[(R + 3) / 4] = {};
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (r < rows) bins[r / 4] |= pass.bin_of(keys[r]) << r % 4 * 8;
    auto const bin_of_row = [&](int r) { return bins[r / 4] >> r % 4 * 8 & 255; };
    bool const whole = (t / 32 + 1) * rows * 32 <= own_items;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
      bool const has_item = first + r * 32 < own_items;
      unsigned const bin = bin_of_row(r),
                     rank = whole ? counts.template rank<true>(bin, true) : counts.rank(bin, has_item);
      smem.places[first + r * 32] = static_cast<std::uint16_t>(rank);
    }
    counts.tell(told);
    __syncthreads();
    for_each_item(own_items, first, [&](int r, int i) {
      unsigned const bin = bin_of_row(r), place = counts.place_of(bin, smem.places[i]);
      smem.places[i] = static_cast<std::uint16_t>(place);
      smem.bins[place] = static_cast<unsigned char>(bin);
    });
    stage(smem, keys, own_items, first);
    // Values are on their way while others' counts are.
    value values[has_values ? R : 1];
    if constexpr (has_values) load(pass.values, values, begin, own_items, first);
    grid.wait();
    counts.learn(told, each);
    if (t < pass.bins) pass.tell_begin(t, smem.counts.begins[t]);
    if (parts.use == part_counters::counted) {
      count_parts(reinterpret_cast<key const*>(smem.staged), own_items);
      grid.arrive();
    }
    put<key>(smem, pass.keys_out, own_items);
    if constexpr (has_values) {
      __syncthreads();
      stage(smem, values, own_items, first);
      __syncthreads();
      put<value>(smem, pass.values_out, own_items);
    }
    if (parts.use == part_counters::counted) {
      grid.wait();
      write_offsets(smem);
    }
    grid.leave();
  }

 private:
  static __device__ int begin_of_block(int t) { return static_cast<int>(blockIdx.x) * threads + t; }

  /// Items that come in the order of their low bytes are in that of their parts once they stand in that of
  /// the high ones: each run of a part is counted by its ends.
  __device__ void count_parts(key const* staged, int own_items) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < own_items; i += threads) {
      auto const part = pass.part_of(staged[i]);
      auto const before = i > 0 ? pass.part_of(staged[i - 1]) : std::int64_t{-1};
      if (part != before) {
        if (before >= 0) atomicAdd(parts.at + before, static_cast<unsigned>(i));
        atomicSub(parts.at + part, static_cast<unsigned>(i));
      }
      if (i == own_items - 1) atomicAdd(parts.at + part, static_cast<unsigned>(own_items));
    }
  }
  /// Where parts begin: a warp tells those of a bin.
  __device__ void write_offsets(shared const& smem) const {
    int const t = static_cast<int>(threadIdx.x), lane = t % 32;
    plus op;
    constexpr int rows_of_bin = parts_of_pass / 32;
#pragma unroll 1
    for (int bin = static_cast<int>(blockIdx.x) + t / 32 * static_cast<int>(gridDim.x); bin < pass.bins;
         bin += static_cast<int>(gridDim.x) * (threads / 32)) {
      int const first = bin * parts_of_pass + lane;
      unsigned counts[rows_of_bin], begin = smem.counts.begins[bin];
#pragma unroll
      for (int r = 0; r < rows_of_bin; ++r) counts[r] = __ldcg(parts.at + first + r * 32);
#pragma unroll
      for (int r = 0; r < rows_of_bin; ++r) {
        unsigned const sum = warp_scan(counts[r], op);
        if (first + r * 32 < pass.parts) pass.write_offset(first + r * 32, begin + sum - counts[r]);
        begin += __shfl_sync(~0u, sum, 31);
      }
    }
    if (blockIdx.x == 0 && t == 0) pass.write_offset(pass.parts, pass.n);
  }

  /// f(r, i) for the thread's items i of the block, in rows r.
  template <class F>
  __device__ void for_each_item(int own_items, int first, F f) const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
      if (first + r * 32 < own_items) f(r, first + r * 32);
    }
  }
  template <class In, class Item>
  __device__ void load(In const& from, Item (&items)[R], int begin, int own_items, int first) const {
    auto const own = from;  // a copy: iterators may have a state
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (r < rows) put_bytes(items[r], static_cast<Item>(own[begin + min(first + r * 32, own_items - 1)]));
      else put_bytes(items[r], Item{});
  }
  template <class Item>
  __device__ void stage(shared& smem, Item const (&items)[R], int own_items, int first) const {
    auto* const staged = reinterpret_cast<Item*>(smem.staged);
    for_each_item(own_items, first, [&](int r, int i) { put_bytes(staged[smem.places[i]], items[r]); });
  }
  /// Neighbours in shared memory go to neighbouring places.
  template <class Item, class Out>
  __device__ void put(shared& smem, Out const& out, int own_items) const {
    auto const to = out;
    auto const* const staged = reinterpret_cast<Item const*>(smem.staged);
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < own_items; i += threads)
      to[static_cast<std::int64_t>(static_cast<unsigned>(i) + smem.counts.moves[smem.bins[i]])] =
          static_cast<written_value<Out, Item>>(staged[i]);
  }
};

/// Blocks that split in one grid, at most: tests change it.
inline std::int64_t most_split_grid_blocks = std::int64_t{1} << 20;
inline std::int64_t most_grid_blocks_here(char const* call) {
  return std::min<std::int64_t>(multiprocessors(call), most_split_grid_blocks);
}

/// Whether items are so few that this splits them.
template <class Pass>
bool splits_in_grid(char const* call, std::int64_t n) {
  using job = split_grid_job<Pass>;
  if constexpr (job::possible)
    return n <= most_grid_blocks_here(call) * job::most_items && facts_of<job>(call).fits &&
           device_attribute(call, cudaDevAttrCooperativeLaunch);
  else return false;
}

template <class Source, class... Tags, class Pass>
void run_split_grid(device_policy<Source, Tags...> const& policy, char const* call, Pass const& pass,
                    part_counters parts = {}) {
  using job = split_grid_job<Pass>;
  auto const most_blocks = most_grid_blocks_here(call);
  auto const rows = (pass.n + most_blocks * job::threads - 1) / (most_blocks * job::threads),
             with_items = (pass.n + rows * job::threads - 1) / (rows * job::threads),
             blocks = std::max(with_items, std::min(most_blocks, parts.count / job::parts_of_block));
  with_memory<told_counts>(policy, call, blocks, [&](auto const& rest, told_counts* told) {
    using source = std::remove_cvref_t<decltype(rest.scratch_source())>;
    launch_state<source> state(rest.scratch_source(), call, rest.stream(), 0);
    job const split{pass, state.tickets(), told, static_cast<int>(rows), parts};
    launch_job(call, rest.stream(), blocks, job::threads, split, sizeof(typename job::shared),
               blocks_are::resident);
    state.launched(blocks * split.meetings());
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
