// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RADIX_RANGE_CUH
#define SWEEP_DETAIL_SORT_RADIX_RADIX_RANGE_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/radix/radix_code.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The range of words that a code tells apart, as a sample says, of which each thread of a block has some.
template <class Order, int Threads, int Each>
struct radix_range {
  using word = typename Order::word;
  using code_type = radix_code<Order>;
  static constexpr int word_bits = static_cast<int>(sizeof(word)) * 8;

  /// Returns the bits that tell words of the range apart, or 0. `sums` are four.
  static __device__ int find(word const (&words)[Each], radix_digits const& digits, code_type& code,
                             unsigned* sums) {
    int const t = static_cast<int>(threadIdx.x);
    __shared__ word one;  // the range has all words that agree with it above the highest bit that differs
    if (t < 4) sums[t] = 0;
    if (t == 0) one = words[0];
    __syncthreads();
    word differ = 0;
#pragma unroll
    for (int k = 0; k < Each; ++k)
      differ =
          static_cast<word>(differ | static_cast<word>(static_cast<word>(words[k] ^ one) >> digits.begin));
#pragma unroll
    for (int p = 0; p < (word_bits + 31) / 32; ++p) {
      auto const some = __reduce_or_sync(~0u, static_cast<unsigned>(differ >> (32 * p) % word_bits));
      if (t % 32 == 0 && some != 0) atomicOr(sums + p, some);
    }
    __syncthreads();
    int top = 0;  // the bit behind the highest
    for (int p = 0; p < (word_bits + 31) / 32; ++p)
      if (sums[p] != 0) top = 32 * p + 32 - __clz(static_cast<int>(sums[p]));
    if (top == 0) return 0;
    auto const below = static_cast<word>(static_cast<word>(~word{0}) >> (word_bits - digits.begin - top));
    // Of that only where the sample is, and a little more, where half of it or less will do: so are small
    // numbers of both signs, on either side of a power of two. By 32 bits at a time.
    auto low = static_cast<word>(one & static_cast<word>(~below));
#pragma unroll 1
    while (true) {
      int const skip = max(top - 32, 0), shift = digits.begin + skip;
      unsigned least = ~0u, most = 0;
#pragma unroll
      for (int k = 0; k < Each; ++k) {
        auto const head = static_cast<unsigned>(static_cast<word>(words[k] - low) >> shift);
        least = min(least, head);
        most = max(most, head);
      }
      least = __reduce_min_sync(~0u, least);
      most = __reduce_max_sync(~0u, most);
      __syncthreads();  // sums have been read
      if (t == 0) {
        sums[0] = ~0u;
        sums[1] = 0;
      }
      __syncthreads();
      if (t % 32 == 0) {
        atomicMin(sums, least);
        atomicMax(sums + 1, most);
      }
      __syncthreads();
      least = sums[0], most = sums[1];
      unsigned const end = ~0u >> (32 - (top - skip)), more = (most - least) / 256 + 1,
                     from = least > more ? least - more : 0, to = end - most > more ? most + more : end,
                     range = to - from;
      int const bits = 32 - __clz(static_cast<int>(range));
      if (skip + bits >= top) break;
      // All that as many bits tell apart, on both sides of it.
      auto const whole = (1u << bits) - 1;
      auto const first = min(from - min(from, (whole - range) / 2), end - whole);
      low = static_cast<word>(low + static_cast<word>(static_cast<word>(first) << shift));
      top = skip + bits;
      if (skip == 0) break;
    }
    if (t == 0) {
      code.low = low;
      code.high = static_cast<word>(
          low + static_cast<word>(static_cast<word>(~word{0}) >> (word_bits - digits.begin - top)));
    }
    __syncthreads();
    return top;
  }
  /// The same of numbers with an exponent, all of whose bits count: the magnitudes of the sample, of either
  /// sign, and half as many again below and above, since a few keys are not where the sample is; below more,
  /// where none is to be with zeros. Neither zero nor infinity nor what is none of the numbers is among them.
  /// Parts begin where powers of two do, or even parts of them: there many spread keys begin and end.
  static __device__ int find(word const (&words)[Each], radix_digits const&, code_type& code,
                             unsigned* sums) requires Order::has_exponent {
    using shared_word = std::conditional_t<(sizeof(word) > 4), unsigned long long, unsigned>;
    constexpr auto positive = code_type::positive, none = static_cast<word>(~word{0});
    __shared__ shared_word least_of_all, most_of_all;
    int const t = static_cast<int>(threadIdx.x);
    if (t == 0) {
      sums[0] = sums[1] = 0;
      least_of_all = none;
      most_of_all = 0;
    }
    __syncthreads();
    word least = none, most = 0;
    unsigned signs = 0, infinite = 0;
#pragma unroll
    for (int k = 0; k < Each; ++k) {
      bool const above = words[k] >= positive;
      auto const magnitude = static_cast<word>(above ? words[k] - positive : positive - 1 - words[k]);
      if (magnitude == 0) signs |= 4;
      if (magnitude >= bits_of_infinity<typename Order::number>()) ++infinite;
      if (magnitude == 0 || magnitude >= bits_of_infinity<typename Order::number>()) continue;
      signs |= above ? 2 : 1;
      least = min(least, magnitude);
      most = max(most, magnitude);
    }
    signs = __reduce_or_sync(~0u, signs);
    infinite = __reduce_add_sync(~0u, infinite);
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
      least = min(least, __shfl_xor_sync(~0u, least, by));
      most = max(most, __shfl_xor_sync(~0u, most, by));
    }
    if (t % 32 == 0) {
      atomicOr(sums, signs);
      atomicAdd(sums + 1, infinite);
      atomicMin(&least_of_all, static_cast<shared_word>(least));
      atomicMax(&most_of_all, static_cast<shared_word>(most));
    }
    __syncthreads();
    signs = sums[0];
    if (signs % 4 == 0 || sums[1] > Threads * Each / 100) return 0;
    bool const below = signs % 2 != 0, zeros = signs / 4 != 0, both = signs % 4 == 3 || zeros;
    auto const from = static_cast<std::uint64_t>(least_of_all), to = static_cast<std::uint64_t>(most_of_all),
               less = zeros ? 3 * (to - from) : (to - from) / 2, nearest = from > less ? from - less : 0,
               farthest = min(to + (to - from) / 2, std::uint64_t{positive} - 1);
    int unit = 0;  // bits of a part
    while ((farthest >> unit) - (nearest >> unit) + 1 > (both && below ? code_parts / 2 - 1 : code_parts - 1))
      ++unit;
    auto const first = nearest >> unit, end = (farthest >> unit) + 1;  // parts, of one sign
    if (unit == 0 || (zeros && first == 0)) return 0;
    // From the farthest below zero on, or the nearest, or zero.
    auto const begin = below  ? std::uint64_t{positive} - (end << unit)
                       : both ? std::uint64_t{positive}
                              : positive + (first << unit),
               behind = both || !below ? positive + (end << unit) : positive - (first << unit);
    int const skip = max(32 - __clzll(static_cast<long long>(behind - 1 - begin)), 0);
    if (t == 0) {
      code.low = static_cast<word>(begin);
      code.high = static_cast<word>(behind - 1);
      code.skip = skip;
      code.shift = unit - skip;
      code.zeros = zeros;
      code.gap = code.gap_last = 0;
      if (both && first > 0) {
        auto const left_out = below ? 2 * first - 1 : first - 1;
        code.gap = static_cast<std::uint32_t>(left_out << unit >> skip);
        code.gap_last = static_cast<std::uint32_t>(((below ? end : 0) + first) << unit >> skip) - 1;
      }
    }
    __syncthreads();
    return unit <= skip ? 0 : 32;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
