// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_SEGMENT_PASSES_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_SEGMENT_PASSES_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/multisplit/tile.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/load_and_store.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/segments/block_passes.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Segments that no block has room for go by their digits, all of them together: blocks that all run at the
// same time have equal parts of their items. A part of several segments is as many chunks, each of which is
// counted and moved alone, and a segment's bins begin where the counts of its own chunks say.

/// Whether that is how long segments are sorted: by one or two digits, where values move too, or many keys
/// are in them. Of more digits the chunks of segments that are not much longer than a block's take more time
/// than to merge.
template <class Value, class Order>
inline constexpr bool moves_long_segments = [] {
  if constexpr (Order::is_radix)
    return Order::bits <= 16 && (Order::bits > 8 || !std::is_same_v<Value, absent_value>);
  else return false;
}();
/// Of keys alone so many go by digits, or a quarter of them where segments fit no block in the mean. Tests
/// lower it.
inline std::int64_t least_items_of_segment_passes = std::int64_t{15} << 20;

/// As many items as a block moves while it waits for others in between. Tests change it.
inline int items_of_waiting_blocks = 40'000;

/// Segments of so many items in the mean that nearly none is in a window are listed as their offsets say, the
/// longest first: those that a block has room for, and others. A warp has one, and counts those before it.
template <class Offsets>
struct list_known_segments_job {
  static constexpr int threads = 256, blocks = 4, warps = threads / 32;
  static constexpr bool waits_itself = true;
  static constexpr std::int64_t most_segments = 4096;
  Offsets offsets;
  std::int64_t count, n, most_of_block;
  segment_list of_blocks, others;  ///< the latter have items only if somebody asks for these
  std::uint32_t* differing;        ///< four words of others

  __device__ void operator()() const {
    runs_in_row const turn({true, false});
    auto const s = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
    auto const lane = std::int64_t{threadIdx.x % 32};
    if (s >= count) return;
    auto const own = segment(s);
    auto const items = own.end - own.begin;
    unsigned before = 0, longer = 0, exist = 0;  // and how many no block has room for; or have items
    unsigned sum = 0, most = 0;                  // of the former
#pragma unroll 4
    for (auto other = lane; other < count; other += 32) {
      auto const one = segment(other);
      auto const its = one.end - one.begin;
      before += its > items || (its == items && other < s) ? 1 : 0;
      exist += its > 0 ? 1 : 0;
      if (its <= most_of_block) continue;
      auto const units = static_cast<unsigned>(its / segment_list::unit);
      ++longer;
      sum += units;
      most = max(most, units);
    }
    before = __reduce_add_sync(~0u, before);
    longer = __reduce_add_sync(~0u, longer);
    if (lane == 0 && items > 0 && (items <= most_of_block || others.items)) {
      auto& to = items > most_of_block ? others.items[before] : of_blocks.items[before - longer];
      to.begin = own.begin;
      to.end = own.end;
    }
    if (s > 0) return;
    exist = __reduce_add_sync(~0u, exist);
    sum = __reduce_add_sync(~0u, sum);
    most = __reduce_max_sync(~0u, most);
    if (lane == 0) {
      others.counts[0] = longer;
      others.counts[1] = of_blocks.counts[1] = 0;  // none is taken
      others.counts[2] = sum;
      others.counts[3] = most;
      of_blocks.counts[0] = exist - longer;
    }
    if (lane < 4) differing[lane] = 0;
  }

 private:
  __device__ long_segment segment(std::int64_t s) const {
    auto const begin = max(std::int64_t{0}, min(static_cast<std::int64_t>(offsets[s]), n)),
               end = s + 1 < count ? static_cast<std::int64_t>(offsets[s + 1]) : n;
    return {begin, max(begin, min(end, n))};
  }
};

template <class Keys, class Values, class Key, class Value, class Order>
struct segment_passes_job {
  using of_block = block_passes<Keys, Values, Key, Value, Order>;
  using moved = typename of_block::moved;
  using shape = typename of_block::shape;
  using pass_type = typename of_block::pass_type;
  using counting = typename of_block::counting;
  static constexpr int threads = shape::threads, blocks = shape::blocks, warps = threads / 32;
  static constexpr bool waits_itself = true;
  static constexpr bool has_values = of_block::has_values, reads_keys = of_block::reads_keys,
                        reads_values = of_block::reads_values;
  static constexpr split_numbers numbers(int arch) { return split_numbers_of<Key, moved>(arch); }
  static constexpr std::size_t dynamic_bytes(int arch) {
    return std::max(numbers(arch).bytes, counting::bytes);
  }
  /// Items that are worth a block, and as many chunks of a segment as a thread adds up.
  static constexpr int least_of_part = 1024, few_chunks = 16;
  SWEEP_HD static constexpr int most_meetings(int digits) { return 3 * digits + 3; }
  /// Rows of counts for so many segments and blocks, at most: chunks', and segments'.
  static std::int64_t rows(std::int64_t segments, std::int64_t grid) { return 2 * segments + grid; }

  Keys keys;
  Values values;
  radix_memory<Key> key_memory;
  radix_memory<moved> value_memory;
  bool in_place;
  segment_list list;
  std::int64_t* begins;  ///< of segments among all their items, and where the last ends
  std::uint64_t *table, *totals;
  std::uint32_t* differing;
  Order order;
  radix_digits digits;
  ticket_counter tickets;
  int sharing, waiting_items;  ///< multiprocessors, and items that a block moves while it waits for others
  kernel_in_row place;

  /// Inlined whatever its size: a call would copy all members into local memory.
  __device__ __forceinline__ void operator()() const {
    runs_in_row const turn(place);
    grid_barrier grid(tickets, static_cast<unsigned>(most_meetings(digits.count)));
    __syncthreads();
    if (list.counts[0] == 0) return grid.leave();
    if (blocks_take_whole_segments()) {
      of_block{keys, values, key_memory, value_memory, in_place, list, order, digits}();
      return grid.leave();
    }
    if (blockIdx.x == 0) place_segments();
    grid.meet();
    choose_part();
    if constexpr (!reads_keys || !reads_values) {
      for_each_chunk([&](unsigned s, std::int64_t low, std::int64_t high) { load(s, low, high); });
      grid.meet();
    }
    go_by_digits(grid);
    grid.leave();
  }

 private:
  __device__ static unsigned char* memory() {
    extern __shared__ __align__(128) unsigned char bytes[];
    return bytes;
  }
  /// What is asked for again in every pass, and takes no registers: the items of a part, the segment that the
  /// block's part begins in, the one it is at, and which digit a pass is of.
  struct own_state {
    std::int64_t part;
    unsigned first, at;
    int digit;
  };
  __device__ static own_state& own() {
    __shared__ own_state state;
    return state;
  }
  __device__ static std::int64_t own_block() {
    std::int64_t block = blockIdx.x;
    asm volatile("" : "+l"(block));
    return block;
  }

  /// Whether the longest segment takes a block no longer than all blocks take for their shares, and meet for
  /// that. A block that sorts alone takes somewhat longer for as many items than one of all.
  __device__ bool blocks_take_whole_segments() const {
    unsigned const all = list.counts[2], longest = list.counts[3];
    return longest <= all / static_cast<unsigned>(sharing) / 4 * 3 +
                          static_cast<unsigned>(waiting_items / segment_list::unit);
  }
  /// By one block.
  __device__ void place_segments() const {
    __shared__ std::int64_t sums[parts_of_pass / 32 + 1];
    unsigned const t = threadIdx.x, count = list.counts[0];
    std::int64_t before = 0;
#pragma unroll 1
    for (unsigned from = 0; from < count; from += parts_of_pass) {
      bool const exists = t < parts_of_pass && from + t < count;
      std::int64_t items = 0;
      if (exists) items = list.items[from + t].end - list.items[from + t].begin;
      auto const begin = sum_before(items, sums);
      if (exists) begins[from + t] = before + begin;
      __syncthreads();
      before += sums[parts_of_pass / 32];
      __syncthreads();
    }
    if (t == 0) begins[count] = before;
  }
  /// By all: how many items a part has, and where the block's begins.
  __device__ void choose_part() const {
    if (threadIdx.x == 0) {
      unsigned const count = list.counts[0];
      auto const all = begins[count];
      auto const part = max((all + gridDim.x - 1) / gridDim.x, std::int64_t{least_of_part}),
                 begin = std::int64_t{blockIdx.x} * part;
      unsigned low = 0, high = count - 1;  // the last segment that begins there, or before
      while (low < high) {
        unsigned const middle = (low + high + 1) / 2;
        if (begins[middle] <= begin) low = middle;
        else high = middle - 1;
      }
      own() = {part, low, low, 0};
    }
    __syncthreads();
  }
  /// f(segment, begin, end) of what the block has of each, from the segment's first item on.
  template <class F>
  __device__ void for_each_chunk(F f) const {
    if (threadIdx.x == 0) own().at = own().first;
    __syncthreads();
#pragma unroll 1
    while (true) {
      unsigned const s = own().at;
      auto const begin = own_block() * own().part, of_segment = begins[s], behind = begins[s + 1],
                 low = max(begin, of_segment), high = min(begin + own().part, behind);
      if (low < high) f(s, low - of_segment, high - of_segment);
      __syncthreads();
      bool const goes_on =
          begins[own().at + 1] < (own_block() + 1) * own().part && own().at + 1 < list.counts[0];
      __syncthreads();
      if (!goes_on) return;
      if (threadIdx.x == 0) ++own().at;
      __syncthreads();
    }
  }
  /// The first block that has a chunk of a segment.
  __device__ std::int64_t first_block(unsigned s) const { return begins[s] / own().part; }
  /// A row is a bin's counts in all of a segment's chunks.
  __device__ split_counts counts_of(unsigned s) const {
    auto const first = first_block(s);
    split_counts counts;
    counts.table = table + (s + first) * parts_of_pass;
    counts.totals = totals + std::int64_t{s} * parts_of_pass;
    counts.chunks = (begins[s + 1] - 1) / own().part - first + 1;
    return counts;
  }
  /// The pass of a digit, by a segment's first item.
  __device__ pass_type pass_of(unsigned s, int d, radix_route const& route) const {
    auto const& segment = list.items[s];
    int const bits = digits.bits_of(d);
    pass_type pass{{segment.end - segment.begin, order, 1 << bits, bits},
                   digits.begin_of(d),
                   d == 0 ? differing : nullptr};
    pass.go(key_memory, value_memory, route);
    pass.keys += segment.begin;
    pass.keys_out += segment.begin;
    if constexpr (has_values) {
      pass.values += segment.begin;
      pass.values_out += segment.begin;
    }
    return pass;
  }
  /// Items that are not in memory which passes can read, into the last.
  __device__ void load(unsigned s, std::int64_t low, std::int64_t high) const {
    auto const begin = list.items[s].begin;
    for (auto i = begin + low + threadIdx.x; i < begin + high; i += threads) {
      if constexpr (!reads_keys) put_bytes(key_memory.last[i], static_cast<Key>(keys[i]));
      if constexpr (!reads_values) put_bytes(value_memory.last[i], static_cast<Value>(values[i]));
    }
  }
  template <class Seen>
  __device__ void count(pass_type const& from, Seen& seen, unsigned s, std::int64_t low,
                        std::int64_t high) const {
    auto const sum = counting::count(from, seen, low, high, reinterpret_cast<unsigned*>(memory()));
    if (unsigned const t = thread_here(); t < parts_of_pass) {
      auto const counts = counts_of(s);
      counts.table[t * counts.chunks + own_block() - first_block(s)] = sum;
    }
  }
  /// Behind all counts: a thread for each bin of a segment of few chunks, a warp for those of others.
  __device__ void place_counts(int bins) const {
    auto const all = std::int64_t{list.counts[0]} * parts_of_pass, step = std::int64_t{gridDim.x} * threads;
#pragma unroll 1
    for (auto p = std::int64_t{blockIdx.x} * threads + threadIdx.x; p < all; p += step) {
      auto const counts = counts_of(static_cast<unsigned>(p / parts_of_pass));
      auto const bin = p % parts_of_pass;
      if (counts.chunks > few_chunks || bin >= bins) continue;
      auto* const row = counts.table + bin * counts.chunks;
      std::uint64_t before = 0;
#pragma unroll 4
      for (int c = 0; c < static_cast<int>(counts.chunks); ++c) {
        auto const some = row[c];
        row[c] = before;
        before += some;
      }
      counts.totals[bin] = before;
    }
#pragma unroll 1
    for (auto p = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32; p < all; p += step / 32) {
      auto const counts = counts_of(static_cast<unsigned>(p / parts_of_pass));
      auto const bin = static_cast<int>(p % parts_of_pass);
      if (counts.chunks > few_chunks && bin < bins) detail::place_counts(counts, bin);
    }
  }
  __device__ void go_by_digits(grid_barrier& grid) const {
    int d = 0;
    asm volatile("" : "+r"(d));  // or the loop is made twice, once for the first digit
#pragma unroll 1
    while (d < digits.count) {
      radix_route route{};
      if (d > 0) {
        auto const active = digits.active();
        if (active >> d == 0) break;
        d += __ffs(static_cast<int>(active >> d)) - 1;
        route = radix_route::of(digits, active, d, in_place);
        if ((active & ((1u << d) - 1)) != 0) grid.meet();  // what was moved
      }
      __syncthreads();  // all have read which digit was before
      if (threadIdx.x == 0) own().digit = d;
      __syncthreads();
      for_each_chunk([&](unsigned s, std::int64_t low, std::int64_t high) {
        auto const pass = pass_of(s, own().digit, route);
        if (own().digit > 0) {
          sees_nothing seen;
          count(pass, seen, s, low, high);
        } else {
          auto seen = pass.observer();
          count(pass, seen, s, low, high);
          seen.tell();
        }
      });
      grid.meet();
      d = own().digit;
      auto const active = digits.active();
      if ((active >> d & 1u) != 0) {
        place_counts(1 << digits.bits_of(d));
        grid.meet();
        for_each_chunk([&](unsigned s, std::int64_t low, std::int64_t high) {
          int const digit = own().digit;
          auto const pass = pass_of(s, digit, radix_route::of(digits, digits.active(), digit, in_place));
          move_split_items(pass, counts_of(s), own_block() - first_block(s), low, high, memory());
          __syncthreads();
        });
      }
      d = own().digit + 1;
    }
    auto const active = digits.active();
    auto const side = radix_route::at_end(digits, active, in_place);
    if (side == radix_side::last) return;
    if (active != 0) grid.meet();
    for_each_chunk([&](unsigned s, std::int64_t low, std::int64_t high) {
      auto const begin = list.items[s].begin;
      bring<threads>(key_memory, side, begin + low, begin + high);
      if constexpr (has_values) bring<threads>(value_memory, side, begin + low, begin + high);
    });
  }
};

/// By so many blocks. Items end in the first of the buffers, and are in the second between passes.
template <class Policy, class Job, class Key, class Value>
void sort_by_segment_passes(Policy const& policy, char const* call, std::int64_t grid, Job job,
                            merge_buffers<Key, Value> const& buffers) {
  using source = std::remove_cvref_t<decltype(policy.scratch_source())>;
  job.key_memory = {buffers.keys[0], buffers.keys[0], buffers.keys[1]};
  if constexpr (Job::reads_keys) job.key_memory.first = job.keys;
  job.in_place = job.key_memory.first == job.key_memory.last;
  if constexpr (Job::has_values) {
    job.value_memory = {buffers.values[0], buffers.values[0], buffers.values[1]};
    if constexpr (Job::reads_values) job.value_memory.first = job.values;
    job.in_place = job.in_place || job.value_memory.first == job.value_memory.last;
  }
  job.digits = radix_digits::of_bits(job.order.begin, job.order.end);
  job.digits.differing = job.differing;
  launch_state<source> state(policy.scratch_source(), call, policy.stream(), 0);
  job.tickets = state.tickets();
  job.sharing = multiprocessors(call);
  job.waiting_items = items_of_waiting_blocks;
  auto const block = Job::numbers(facts_of<Job>(call).arch);
  launch_job(call, policy.stream(), grid, block.threads, job, Job::dynamic_bytes(facts_of<Job>(call).arch),
             grid > 1 ? blocks_are::resident : blocks_are::independent);
  state.launched(grid * Job::most_meetings(job.digits.count));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
