// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_COUNTED_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_COUNTED_SEGMENTS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/segment_heads.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Long segments of keys that are bytes, and nothing else: how many there are of each says what is in order,
// and no key is moved.

inline constexpr int counted_words = parts_of_pass;
/// Whether that is how an order's long segments are sorted, where all bits of keys count.
template <class Value, class Order>
inline constexpr bool counts_long_segments = [] {
  if constexpr (Order::is_radix)
    return Order::is_exact && Order::bits <= 8 && std::is_same_v<Value, absent_value>;
  else return false;
}();

/// By all threads of a block: the words of some keys are added to what counts those of their segment.
template <int Threads, class Keys, class Order>
__device__ void count_words(Keys const& keys, std::int64_t begin, int count, Order const& order,
                            unsigned* to) {
  static_assert(Threads >= counted_words);
  __shared__ unsigned counters[counted_words];
  int const t = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (t < counted_words) counters[t] = 0;
  __syncthreads();
  look_at_items<Threads, split_vector_items<Keys>>(
      keys, begin, begin + count, [&]<class Key, int W>(item_vector<Key, W> const& x, std::int64_t) {
#pragma unroll
        for (int w = 0; w < W; ++w) atomicAdd(&counters[order.word_of(x.item(w))], 1u);
      });
  __syncthreads();
  if (t < counted_words)
    if (unsigned const found = counters[t]; found != 0) atomicAdd(to + t, found);
}

/// Writes the parts of long segments that lie in a window.
template <class Key, class Order>
struct write_counted_job {
  static constexpr int threads = counted_words, blocks = 8, of_thread = 16;
  window_heads heads;
  Key* keys;

  __device__ void operator()() const {
    if (*heads.widest == 0) return;
    auto const w = std::int64_t{blockIdx.x};
    write(heads.over(w), heads.begin(w));
    write(heads.from(w), heads.begin(w));
  }

 private:
  __device__ void write(long_segment const& segment, std::int64_t window) const {
    if (segment.end == 0) return;
    __shared__ std::int64_t ends[counted_words];
    __shared__ std::int64_t sums[counted_words / 32 + 1];
    int const t = static_cast<int>(threadIdx.x);
    auto const found = std::int64_t{heads.counts[segment.begin / heads.items * counted_words + t]};
    ends[t] = segment.begin + sum_before(found, sums) + found;
    __syncthreads();
    auto const begin = max(segment.begin, window), end = min(segment.end, window + heads.items);
    // Neighbours of a thread begin where a word of memory does.
    auto const first = begin - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(keys + begin) %
                                                         (of_thread * sizeof(Key)) / sizeof(Key));
    for (auto at = first + t * of_thread; at < end; at += threads * of_thread) {
      int word = 0;  // the least that ends behind the item
#pragma unroll
      for (int step = counted_words / 2; step > 0; step /= 2)
        if (ends[word + step - 1] <= max(at, begin)) word += step;
      Key some[of_thread];
#pragma unroll
      for (int k = 0; k < of_thread; ++k) {
        while (word < counted_words - 1 && ends[word] <= at + k) ++word;
        some[k] = Order::key_of(static_cast<typename Order::word>(word));
      }
      if (at >= begin && at + of_thread <= end) {
        item_vector<Key, of_thread> row;
        row.pack(some);
        store_vectors<access::cached>(keys + at, row);
      } else {
#pragma unroll
        for (int k = 0; k < of_thread; ++k)
          if (at + k >= begin && at + k < end) keys[at + k] = some[k];
      }
    }
    __syncthreads();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
