// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_BLOCK_ROWS_CUH
#define SWEEP_DETAIL_SORT_TILE_BLOCK_ROWS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/version.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// In place of where segments begin: all keys are one.
struct one_range {};
/// The same of a block that sorts several ranges, one behind the other.
struct one_range_of_many : one_range {};
/// Of which each is groups, that may be skewed within.
struct one_range_of_groups : one_range_of_many {};

/// A block's n items as its threads have them: each warp has rows of 32 neighbours one behind the other.
template <int Threads, int Rows>
struct block_rows {
  int rows, first, left;  ///< of a warp; this thread's first item, and how far its warp's go from there

  __device__ explicit block_rows(int n)
      : rows{(n + Threads - 1) / Threads},
        first{static_cast<int>(threadIdx.x / 32 * 32) * rows + static_cast<int>(threadIdx.x % 32)},
        left{min(n - first, rows * 32)} {}

  /// f(r, i) for the items i of this thread, in rows r.
  template <class F>
  __device__ void for_each_item(F f) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (r * 32 >= left) break;
      f(r, first + r * 32);
    }
  }
  /// In a loop what a thread has for rows that it has no items of is to be written too: the compiler would
  /// keep it in registers from one turn to the next.
  template <class F, class None>
  __device__ void for_each_item(F f, None none) const {
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      if (r * 32 < left) f(r, first + r * 32);
      else none(r);
  }
};

/// The compiler is not told that a key is as it was: it would keep the words of all beside them, from one
/// look at them to the next.
template <class Key>
__device__ void forget(Key& x) {
  if constexpr (alignof(Key) == 4) {
    auto* const words = reinterpret_cast<unsigned*>(&x);
#pragma unroll
    for (std::size_t w = 0; w < sizeof(Key) / 4; ++w) asm volatile("" : "+r"(words[w]));
  } else if constexpr (alignof(Key) % 8 == 0) {
    auto* const words = reinterpret_cast<unsigned long long*>(&x);
#pragma unroll
    for (std::size_t w = 0; w < sizeof(Key) / 8; ++w) asm volatile("" : "+l"(words[w]));
  }
}

/// The highest bit of a word that is set, or -1.
template <class Word>
__device__ int highest_bit(Word bits) {
  constexpr int word_bits = static_cast<int>(sizeof(Word)) * 8;
  int highest = -1;
#pragma unroll
  for (int p = 0; p < (word_bits + 31) / 32; ++p)
    if (auto const part = static_cast<unsigned>(bits >> (32 * p) % word_bits); part != 0)
      highest = 32 * p + 31 - __clz(static_cast<int>(part));
  return highest;
}
/// Adds one where another item stands before this one: behind the less ones, and of equal ones behind those
/// before it. By reference: copies would have the compiler spill some.
template <class Word>
__device__ void count_if_before(unsigned& to, Word its, unsigned its_number, Word const& own,
                                unsigned const& number) {
  if constexpr (sizeof(Word) <= 4)
    asm("{\n .reg .pred before;\n setp.lt.u64 before, %1, %2;\n @before add.u32 %0, %0, 1;\n}"
        : "+r"(to)
        : "l"(std::uint64_t{its} << 32 | its_number), "l"(std::uint64_t{own} << 32 | number));
  else if (its < own || (its == own && its_number < number)) ++to;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
