// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_COUNT_CUH
#define SWEEP_DETAIL_MULTISPLIT_COUNT_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/multisplit/shape.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What is counted before a pass, in the device's memory. A chunk is what one block moves.
struct split_counts {
  std::uint64_t* table = nullptr;   ///< (bins, chunks): a bin's items in a chunk; then those in chunks before
  std::uint64_t* totals = nullptr;  ///< of bins
  std::int64_t chunks = 0, chunk_items = 0;
  /// In the second of two passes: the totals of the first, in whose order the items are; and a counter for
  /// each pair of bins.
  std::uint64_t const* first_totals = nullptr;
  std::uint64_t* pairs = nullptr;
  /// In the first of two: the other's counters of pairs, which it clears.
  std::uint64_t* later_pairs = nullptr;
  std::int64_t later_count = 0;
};

/// Items before index + this are not at a boundary of vectors of V; 0 where none is.
template <int V, class In>
__device__ int items_to_vector(In const& in, std::int64_t index) {
  if constexpr (std::is_pointer_v<In> && V > 1)
#pragma unroll 1
    for (int s = 0; s < V; ++s)
      if (vector_aligned<V>(in, index + s)) return s;
  return 0;
}

/// The thread's number, which is not kept in a register from one use to the next.
__device__ inline unsigned thread_here() {
  unsigned t = threadIdx.x;
  asm volatile("" : "+r"(t));
  return t;
}

/// Rows of vectors of W items that a thread asks for together.
template <class Item, int W>
inline constexpr int rows_counted_at_once = std::min(std::max(64 / (W * static_cast<int>(sizeof(Item))), 1),
                                                     4);

/// A block of so many threads looks at all items from `at` to `end`, W neighbours at once: take(vector,
/// index). What a thread asks for together is rows of vectors; in place of one behind the last it asks for
/// the last.
template <int Threads, int W, class In, class Take>
__device__ void look_at_vectors(In const& from, std::int64_t at, std::int64_t end, Take& take) {
  using item = value_of<In>;
  constexpr int rows = rows_counted_at_once<item, W>, row_items = Threads * W;
  auto i = at + thread_here() * W;
  auto const take_rows = [&](auto offset_of, auto has) {
    item_vector<item, W> x[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if constexpr (W == 1) x[r].pack({static_cast<item>(from[i + offset_of(r)])});
      else load_vectors<access::cached>(from + (i + offset_of(r)), x[r]);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (has(r)) take(x[r], i + r * row_items);
  };
  // From the end on: what is looked at last is still in the cache where it is moved first.
  constexpr int at_once = rows * row_items;
  i += (end - at) / at_once * at_once;
  if (i < end) {
    int const left = static_cast<int>(end - i);
    take_rows([&](int r) { return min(r * row_items, left - W); },
              [&](int r) { return r * row_items < left; });
  }
#pragma unroll 1
  while ((i -= at_once) >= at) take_rows([](int r) { return r * row_items; }, [](int) { return true; });
}
/// The same of any items: vectors of V where that can be, and what stands before and behind them one by one.
template <int Threads, int V, class In, class Take>
__device__ void look_at_items(In const& from, std::int64_t begin, std::int64_t end, Take take) {
  if constexpr (V > 1) {
    constexpr bool alignable = alignof(value_of<In>) == sizeof(value_of<In>);
    auto const head = min(end, begin + items_to_vector<V>(from, begin)),
               tail = end - (end - head) % V;  // from the first vector to behind the last
    if (alignable || vector_aligned<V>(from, head)) {
      auto const take_one = [&](std::int64_t i) {
        item_vector<value_of<In>, 1> x;
        x.pack({static_cast<value_of<In>>(from[i])});
        take(x, i);
      };
      if (auto const i = begin + thread_here(); i < head) take_one(i);
      look_at_vectors<Threads, V>(from, head, tail, take);
      if (auto const i = tail + thread_here(); i < end) take_one(i);
      return;
    }
  }
  look_at_vectors<Threads, 1>(from, begin, end, take);
}

/// A block counts bins: 32 counters a bin, one for each lane, so that lanes never meet in a bank of shared
/// memory, whatever the bins are.
template <class Pass, int Threads>
struct split_counting {
  static constexpr int counters = parts_of_pass * 32;
  static constexpr std::size_t bytes = counters * sizeof(unsigned);

  /// Thread t receives the number of items of bin t among those from begin to end; `seen` sees all of them.
  template <class Seen>
  static __device__ std::uint64_t count(Pass const& from, Seen& seen, std::int64_t begin, std::int64_t end,
                                        unsigned* counters_of_block) {
    clear(counters_of_block);
    return count_on(from, seen, begin, end, counters_of_block);
  }
  static __device__ void clear(unsigned* counters_of_block) {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < counters / 4; i += Threads)
      reinterpret_cast<uint4*>(counters_of_block)[i] = uint4{0, 0, 0, 0};
    __syncthreads();
  }
  /// The same with what has been counted since counters were cleared.
  template <class Seen>
  static __device__ std::uint64_t count_on(Pass const& from, Seen& seen, std::int64_t begin, std::int64_t end,
                                           unsigned* counters_of_block) {
    unsigned* const mine = counters_of_block + threadIdx.x % 32;
    look_at_items<Threads, Pass::vector_items>(
        from.keys, begin, end, [&]<class Item, int W>(item_vector<Item, W> const& x, std::int64_t) {
#pragma unroll
          for (int w = 0; w < W; ++w) {
            auto const item = x.item(w);
            seen.take(item);
            atomicAdd(mine + from.bin_of(item) * 32, 1u);
          }
        });
    __syncthreads();
    std::uint64_t sum = 0;
    unsigned const t = thread_here();
    if (t < parts_of_pass)
#pragma unroll 8
      for (int copy = 0; copy < 32; ++copy) sum += counters_of_block[t * 32 + (copy + t) % 32];
    __syncthreads();
    return sum;
  }
};

/// A multiprocessor has as many threads that count as threads that move: so many where a block of those has
/// these.
SWEEP_HD constexpr int count_threads_beside(int threads) { return threads == 1024 ? 1024 : 512; }

/// A block counts the bins of a chunk.
template <class Pass>
struct split_count_job {
  using shape = split_shape_here<split_moved_key<Pass>, typename Pass::value, Pass::few_bins>;
  static constexpr int threads = count_threads_beside(shape::threads), blocks = 1024 / threads;
  using counting = split_counting<Pass, threads>;

  Pass pass;
  split_counts counts;

  __device__ void operator()() const {
    __shared__ unsigned counters[counting::counters];
    auto seen = pass.observer();
    auto const begin = std::int64_t{blockIdx.x} * counts.chunk_items,
               end = min(pass.n, begin + counts.chunk_items);
    int const t = static_cast<int>(threadIdx.x);
    std::uint64_t sum = 0;
    for (auto p = std::int64_t{blockIdx.x} * threads + t; p < counts.later_count; p += gridDim.x * threads)
      counts.later_pairs[p] = 0;
    counting::clear(counters);
    if (!counts.pairs) {
      sum = counting::count_on(pass, seen, begin, end, counters);
    } else {
      __shared__ std::uint64_t begins[parts_of_pass + 1], sums[9];
      auto const total = t < parts_of_pass ? counts.first_totals[t] : 0;
      auto const before = sum_before<std::uint64_t>(total, sums);
      if (t < parts_of_pass) begins[t] = before;
      if (t == 0) begins[parts_of_pass] = static_cast<std::uint64_t>(pass.n);
      // The chunk's first bin is behind those that end where it begins, or before.
      int first =
          __syncthreads_count(t < parts_of_pass && before + total <= static_cast<std::uint64_t>(begin));
#pragma unroll 1
      for (auto low = begin; low < end; ++first) {
        auto const high = min(end, static_cast<std::int64_t>(begins[first + 1]));
        if (low >= high) continue;
        auto const all = counting::count_on(pass, seen, low, high, counters);
        low = high;
        if (all > sum)
          atomicAdd(reinterpret_cast<unsigned long long*>(counts.pairs + t * parts_of_pass + first),
                    static_cast<unsigned long long>(all - sum));
        sum = all;
      }
    }
    if (t < parts_of_pass) counts.table[t * counts.chunks + blockIdx.x] = sum;
  }
};

__device__ inline std::uint64_t sum_up_to_lane(std::uint64_t value) {
  int const lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    auto const left = __shfl_up_sync(~0u, value, by);
    if (lane >= by) value += left;
  }
  return value;
}
/// Values become the sums of those before; returns the sum of all.
__device__ inline std::uint64_t sum_before_each(std::uint64_t* row, std::int64_t count) {
  constexpr int at_once = 5;
  int const lane = static_cast<int>(threadIdx.x % 32);
  std::uint64_t before = 0;
#pragma unroll 1
  for (std::int64_t c = lane; c - lane < count; c += 32 * at_once) {
    std::uint64_t mine[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) mine[k] = c + 32 * k < count ? row[c + 32 * k] : 0;
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      auto const sum = sum_up_to_lane(mine[k]);
      if (c + 32 * k < count) row[c + 32 * k] = before + sum - mine[k];
      before += __shfl_sync(~0u, sum, 31);
    }
  }
  return before;
}
/// A warp's lanes call: counts of a bin become the numbers of its items in the chunks before; of pairs, those
/// in the bin's pairs before.
__device__ inline void place_counts(split_counts const& counts, int bin) {
  auto const total = sum_before_each(counts.table + bin * counts.chunks, counts.chunks);
  if (threadIdx.x % 32 == 0) counts.totals[bin] = total;
  if (counts.pairs) sum_before_each(counts.pairs + bin * parts_of_pass, parts_of_pass);
}

/// A warp for each bin.
struct split_places_job {
  static constexpr int threads = 1024, blocks = 1, warps = threads / 32;

  split_counts counts;
  int bins;

  static std::int64_t grid(int bins) { return (bins + warps - 1) / warps; }

  __device__ void operator()() const {
    if (int const bin = static_cast<int>(blockIdx.x * warps + threadIdx.x / 32); bin < bins)
      place_counts(counts, bin);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
