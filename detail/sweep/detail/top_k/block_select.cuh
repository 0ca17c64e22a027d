// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_BLOCK_SELECT_CUH
#define SWEEP_DETAIL_TOP_K_BLOCK_SELECT_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/top_k/numbered.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// How one block selects the k least of any number of numbers, and brings them in order: of many it gathers
/// what is below a bound from a sample, or else those whose digits, the highest first, begin no greater than
/// the k-th's, until not much more than k are left. `Digit` is how many bits a digit has, `Room` how many
/// numbers shared memory has room for.
template <class Number, int Threads, int Digit, int Room>
struct block_selection {
  static constexpr int bins = 1 << Digit, room = Room, most_k = room / 2, held = 8, drawn = 1024;
  using search = block_bin_search<Threads, bins>;
  static_assert(drawn <= room);

  struct shared {
    union {
      unsigned counts[bins];
      Number few[room];
    };
    typename search::shared found;
    unsigned count;
  };

  /// put(j, number) of the least, 0 <= j < k <= size and most_k, of number_at(i), 0 <= i < size, which all
  /// begin with the same bits but for the `open` lowest. All threads call, and none still reads `smem`.
  template <class At, class Put>
  static __device__ void run(shared& smem, At const& number_at, std::int64_t size, std::int64_t k,
                             Number prefix, int open, Put const& put) {
    int const t = static_cast<int>(threadIdx.x);
    int enough = 64;
    while (enough < 2 * k && enough < room) enough *= 2;
    int m = 0;
    if (size <= enough) {
      m = static_cast<int>(size);
      for (int i = t; i < m; i += Threads) smem.few[i] = number_at(i);
      __syncthreads();
    } else if (size <= held * Threads) {  // each thread keeps its own
      Number own[held];
#pragma unroll
      for (int r = 0; r < held; ++r)
        if (r * Threads + t < size) own[r] = number_at(r * Threads + t);
      m = narrow(smem, k, enough, prefix, open, [&](auto f) {
#pragma unroll
        for (int r = 0; r < held; ++r)
          if (r * Threads + t < size) f(own[r]);
      });
    } else {
      m = gather_below_sample(smem, number_at, size, k);
      if (m == 0)
        m = narrow(smem, k, enough, prefix, open, [&](auto f) {
#pragma unroll 4
          for (auto i = std::int64_t{t}; i < size; i += Threads) f(number_at(i));
        });
    }
    sort(smem.few, m);
    for (int j = t; j < k; j += Threads) put(j, smem.few[j]);
    __syncthreads();
  }

 private:
  /// Brings those numbers into shared memory that begin no greater than the k-th does: how many, which is
  /// `enough` at most. for_each calls a function with all of a thread's numbers.
  template <class ForEach>
  static __device__ int narrow(shared& smem, std::int64_t k, int enough, Number prefix, int open,
                               ForEach const& for_each) {
    auto left = static_cast<unsigned long long>(k) - 1;
    unsigned long long before = 0, in = 0;
    do {
      for (int b = static_cast<int>(threadIdx.x); b < bins; b += Threads) smem.counts[b] = 0;
      __syncthreads();
      int const width = min(open, Digit), shift = open - width;
      auto const above = static_cast<Number>(~low_ones<Number>(open));
      for_each([&](Number x) {
        if (static_cast<Number>((x ^ prefix) & above) == 0)
          atomicAdd(smem.counts + (static_cast<unsigned>(x >> shift) & ((1u << width) - 1)), 1u);
      });
      __syncthreads();
      auto const found = search::find(smem.found, smem.counts, left);
      prefix = static_cast<Number>(prefix | static_cast<Number>(found.bin) << shift);
      left -= found.before;
      before += found.before;
      in = found.in;
      open = shift;
    } while (before + in > static_cast<unsigned long long>(enough));
    collect(smem, static_cast<Number>(prefix | low_ones<Number>(open)), for_each);
    return static_cast<int>(before + in);
  }

  /// Numbers not above a limit to shared memory, as long as there is room. How many there are in the count.
  template <class ForEach>
  static __device__ void collect(shared& smem, Number limit, ForEach const& for_each) {
    if (threadIdx.x == 0) smem.count = 0;
    __syncthreads();
    for_each([&](Number x) {
      if (x <= limit)
        if (auto const at = atomicAdd(&smem.count, 1u); at < static_cast<unsigned>(room)) smem.few[at] = x;
    });
    __syncthreads();
  }

  /// Numbers below a bound that a sample gives, among which the k least almost certainly are, with one look
  /// at all: how many are in shared memory, or 0 where that is not worth it or they are not.
  template <class At>
  static __device__ int gather_below_sample(shared& smem, At const& number_at, std::int64_t size,
                                            std::int64_t k) {
    float const each = static_cast<float>(size) / drawn, expected = static_cast<float>(k) / each,
                rank = expected + 5 * sqrtf(expected) + 5;
    if (size < 2 * drawn || (rank + 3 * sqrtf(rank)) * each > static_cast<float>(room)) return 0;
    for (int i = static_cast<int>(threadIdx.x); i < drawn; i += Threads)
      smem.few[i] = number_at(drawn_place(i, size));
    __syncthreads();
    sort(smem.few, drawn);
    Number const limit = smem.few[static_cast<int>(rank)];
    __syncthreads();
    collect(smem, limit, [&](auto f) {
#pragma unroll 8
      for (auto i = std::int64_t{threadIdx.x}; i < size; i += Threads) f(number_at(i));
    });
    auto const found = smem.count;
    __syncthreads();
    return found >= k && found <= static_cast<unsigned>(room) ? static_cast<int>(found) : 0;
  }

  /// In whatever order they came: a bitonic network (Batcher 1968), as if ones stood behind them. A warp
  /// compares 64 neighbours at distances up to 32, and so waits for others at larger ones alone.
  static __device__ void sort(Number* few, int count) {
    int padded = 2;
    while (padded < count) padded *= 2;
    for (int j = count + static_cast<int>(threadIdx.x); j < padded; j += Threads)
      few[j] = static_cast<Number>(~Number{0});
    __syncthreads();
    for (int length = 2; length <= padded; length *= 2)
      for (int by = length / 2; by > 0; by /= 2) {
        for (int pair = static_cast<int>(threadIdx.x); pair < padded / 2; pair += Threads) {
          int const a = 2 * pair - (pair & (by - 1)), b = a + by;
          Number const x = few[a], y = few[b];
          if ((y < x) == ((a & length) == 0)) few[a] = y, few[b] = x;
        }
        if (by > 32 || (by == 1 && length > 32)) __syncthreads();
        else __syncwarp();
      }
    __syncthreads();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
