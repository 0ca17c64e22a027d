// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_COUNT_CUH
#define SWEEP_DETAIL_MULTISPLIT_COUNT_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/multisplit/ranks.cuh>

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

/// A block counts bins: 32 counters a bin, one for each lane, so that lanes never meet in a bank of shared
/// memory, whatever the bins are.
/// Where LastTogether, a thread's last items, fewer than rows of vectors, are asked for together, too: that
/// takes registers.
template <class Pass, int Threads, bool LastTogether>
struct split_counting {
  static constexpr int counters = parts_of_pass * 32;
  static constexpr std::size_t bytes = counters * sizeof(unsigned);
  using key = typename Pass::key;
  static constexpr int V = Pass::vector_items,
                       rows = std::min(std::max(64 / (V * static_cast<int>(sizeof(key))), 1), 4);

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
    int const t = static_cast<int>(threadIdx.x);
    unsigned* const mine = counters_of_block + t % 32;
    auto const take = [&](key const& x) {
      seen.take(x);
      atomicAdd(mine + from.bin_of(x) * 32, 1u);
    };
    auto const head = min(end, begin + items_to_vector<V>(from.keys, begin));
    if (auto const i = begin + t; i < head) take(static_cast<key>(from.keys[i]));
    auto i = head + static_cast<std::int64_t>(t) * V;
    constexpr std::int64_t row_items = std::int64_t{Threads} * V;
    // Rows of vectors that are asked for before the first of them is looked at.
    auto const take_rows = [&]<int R>(std::integral_constant<int, R>, auto has) {
      key x[R][V];
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (has(r)) {
          if constexpr (V == 1) put_bytes(x[r][0], static_cast<key>(from.keys[i + r * row_items]));
          else load_neighbours<access::cached>(from.keys, i + r * row_items, x[r]);
        }
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (has(r)) {
#pragma unroll
          for (int v = 0; v < V; ++v) take(x[r][v]);
        }
    };
#pragma unroll 1
    for (; i + (rows - 1) * row_items + V <= end; i += rows * row_items)
      take_rows(std::integral_constant<int, rows>{}, [](int) { return true; });
    if constexpr (LastTogether) {
      // Of many narrow items there would be too many.
      constexpr int last_rows = rows * V <= 16 ? rows : 1;
      auto const tail = end - (end - head) % V;
#pragma unroll 1
      for (; i < tail; i += last_rows * row_items)
        take_rows(std::integral_constant<int, last_rows>{},
                  [&](int r) { return r == 0 || i + r * row_items < tail; });
      if (tail + t < end) take(static_cast<key>(from.keys[tail + t]));
    } else {
#pragma unroll 1
      for (; i < end; i += row_items)
        for (int v = 0; v < V && i + v < end; ++v) take(static_cast<key>(from.keys[i + v]));
    }
    __syncthreads();
    std::uint64_t sum = 0;
    if (t < parts_of_pass)
#pragma unroll 8
      for (int copy = 0; copy < 32; ++copy) sum += counters_of_block[t * 32 + (copy + t) % 32];
    __syncthreads();
    return sum;
  }
};

/// A block counts the bins of a chunk.
template <class Pass>
struct split_count_job {
  static constexpr int threads = 512, blocks = 2;
  using counting = split_counting<Pass, threads, true>;

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
  constexpr int at_once = 4;
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
