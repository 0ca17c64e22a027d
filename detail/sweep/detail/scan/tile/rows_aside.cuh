// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_ROWS_ASIDE_CUH
#define SWEEP_DETAIL_SCAN_TILE_ROWS_ASIDE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <algorithm>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// R times so many bits.
template <int R, int Bits>
struct row_bits {
  static constexpr int each = 32 / Bits;
  unsigned word[(R + each - 1) / each];
  __device__ void put(int r, unsigned bits) {
    bits <<= r % each * Bits;
    word[r / each] = r % each == 0 ? bits : word[r / each] | bits;
  }
  /// What is above them is unspecified.
  __device__ unsigned get(int r) const { return word[r / each] >> r % each * Bits; }
  __device__ bool any() const {
    unsigned all = 0;
#pragma unroll
    for (auto const some : word) all |= some;
    return all != 0;
  }
  /// Optimisation barrier: bits wait where they are, and not each for itself.
  __device__ void keep_packed() {
#pragma unroll
    for (auto& some : word) asm("" : "+r"(some));
  }
};

/// What a thread has of R rows that wait for what comes before their tile: items, what comes before each
/// vector in its run, and of flagged values where segments start.
template <class Problem, int R>
struct waiting_rows {
  struct no_flags {};
  static constexpr bool flagged = Problem::heads_type::segmented;
  using folded = typename fold_form<typename Problem::value>::folded;
  item_vector<typename Problem::raw, Problem::vector_items> items[R];
  folded before[R];
  [[no_unique_address]] std::conditional_t<flagged, row_bits<R, Problem::vector_items + 1>, no_flags> flags;
};
/// The same of values with that folded in.
template <class Problem, int R>
struct waiting_values {
  typename Problem::value of[R][Problem::vector_items];
};

/// Units of 16 bytes that hold either.
template <class Problem>
constexpr int waiting_chunks(int rows) {
  using folded = typename waiting_rows<Problem, 1>::folded;
  constexpr int V = Problem::vector_items, align = static_cast<int>(alignof(folded)), flags = 32 / (V + 1);
  int const items = rows * item_vector<typename Problem::raw, V>::words * 4,
            before = (items + align - 1) / align * align + rows * static_cast<int>(sizeof(folded)),
            beside = Problem::heads_type::segmented ? 4 * ((rows + flags - 1) / flags) : 0,
            values = Problem::heads_type::segmented
                         ? 0
                         : rows * V * static_cast<int>(sizeof(typename Problem::value));
  return (std::max(before + beside, values) + 15) / 16;
}

/// They go to shared memory and come back by 16 bytes, so many of which lie between two of a thread's.
template <class Rows>
union rows_in_chunks {
  static constexpr int count = static_cast<int>((sizeof(Rows) + 15) / 16);
  Rows rows;

  __device__ rows_in_chunks() {}
  __device__ void set_aside(uint4* to, int step) const {
#pragma unroll
    for (int c = 0; c < count; ++c) to[c * step] = chunk_[c];
  }
  __device__ void take_back(uint4 const* from, int step) {
#pragma unroll
    for (int c = 0; c < count; ++c) chunk_[c] = from[c * step];
  }

 private:
  uint4 chunk_[count];
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
