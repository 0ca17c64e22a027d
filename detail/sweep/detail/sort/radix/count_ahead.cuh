// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_COUNT_AHEAD_CUH
#define SWEEP_DETAIL_SORT_RADIX_COUNT_AHEAD_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/radix/radix_sample.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Of keys up to so many bytes the first digit is counted while a block looks at the sample, which takes
/// longer: others have nothing to do meanwhile.
inline constexpr std::int64_t most_bytes_counted_ahead = std::int64_t{32} << 20;

/// Blocks that draw a sample, one of which looks at it, and behind them one for each chunk, which counts its
/// first digit, should all digits turn out to be gone by.
template <class Key, class Value, class Order>
struct radix_sample_and_count_job {
  using sample_job = radix_sample_job<Key, Value, Order>;
  using pass_type = radix_pass<Key, Value, Order>;
  static constexpr int threads = sample_job::threads, blocks = sample_job::blocks;
  using counting = split_counting<pass_type, threads>;
  static constexpr std::size_t bytes = std::max(sample_job::bytes, counting::bytes);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  sample_job sample;
  split_counts counts;
  std::uint32_t* differing;

  __device__ void operator()() const {
    auto const chunk = std::int64_t{blockIdx.x} - sample.drawing;
    if (chunk < 0) sample();
    else count(chunk);
  }

 private:
  __device__ void count(std::int64_t chunk) const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const& digits = sample.digits;
    int const bits = digits.bits_of(0);
    pass_type pass{{sample.n, sample.order, 1 << bits, bits}, digits.begin_of(0), differing};
    pass.keys = sample.keys;
    auto seen = pass.observer();
    auto const begin = chunk * counts.chunk_items, end = min(sample.n, begin + counts.chunk_items);
    auto const sum = counting::count(pass, seen, begin, end, reinterpret_cast<unsigned*>(memory));
    if (unsigned const t = thread_here(); t < parts_of_pass) counts.table[t * counts.chunks + chunk] = sum;
    seen.tell();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
