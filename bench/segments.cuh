// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_SEGMENTS_CUH
#define SWEEP_BENCH_SEGMENTS_CUH

#include "device_support.cuh"

#include <sweep/policy.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_scan.hpp>

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

/// Segments of known layouts in every notation, for the benches of what works on segments.
namespace bench {

/// Whether item i starts a segment. Mean lengths are drawn item by item; `power_law` draws a scale between 1
/// and 2^16 for every 65,536 items.
struct head_at {
  std::int64_t mean;                  ///< 0: one segment; -1: power law
  std::int64_t every = 0, phase = 0;  ///< where not 0: a head at every so many items
  __host__ __device__ bool operator()(std::uint64_t input_seed, std::int64_t i) const {
    if (i == 0) return true;
    if (every > 0) return i % every == phase;
    if (mean == 0) return false;
    auto const scale =
        mean > 0 ? mean : std::int64_t{1} << elements::random_bits(input_seed, i >> 16, 7) % 17;
    return elements::random_bits(input_seed, i, 5) % static_cast<std::uint64_t>(scale) == 0;
  }
};

struct head_word {
  head_at heads;
  std::int64_t n;
  __device__ std::uint32_t operator()(std::uint64_t input_seed, std::int64_t word) const {
    std::uint32_t bits = 0;
    for (int k = 0; k < 32; ++k)
      if (word * 32 + k < n && heads(input_seed, word * 32 + k)) bits |= 1u << k;
    return bits;
  }
};

struct segment_layout {
  char const* name;
  std::int64_t mean;
};
inline constexpr segment_layout layouts[] = {{"mean_1", 1},       {"mean_8", 8},          {"mean_128", 128},
                                             {"mean_4096", 4096}, {"mean_2^20", 1 << 20}, {"one_segment", 0},
                                             {"power_law", -1}};

struct is_head {
  std::uint8_t const* flags;
  __device__ bool operator()(std::int64_t i) const { return flags[i] != 0; }
};

/// All notations of one layout, in device memory that lives as long as the process.
struct segment_arrays {
  buffer bits, flags, keys, offsets;
  std::int64_t n = 0, count = 0;

  void make(std::int64_t items, head_at heads) {
    n = items;
    auto* const words = bits.get<std::uint32_t>((n + 127) / 128 * 4);
    auto* const bytes = flags.get<std::uint8_t>(n);
    auto* const key = keys.get<std::int32_t>(n);
    fill(words, (n + 31) / 32, head_word{heads, n}, seed());
    fill(bytes, n, heads, seed());
    sweep::inclusive_scan(sweep::device.on(stream()), bytes, bytes + n, key);
    wait();
    auto* const at = offsets.get<std::int32_t>(2 * n + 2);
    auto const first = thrust::make_counting_iterator(std::int32_t{0});
    count = thrust::copy_if(thrust::cuda::par.on(stream()), first, first + n, at, is_head{bytes}) - at;
    auto const end = static_cast<std::int32_t>(n);
    check(cudaMemcpyAsync(at + count, &end, sizeof end, cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync");
    wait();
  }
};

inline segment_arrays& segments_of() {
  static segment_arrays value;
  return value;
}

}  // namespace bench

#endif
