// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_CUT_RECORDS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_CUT_RECORDS_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/segmented_reduce/tile/segment_places.cuh>
#include <sweep/detail/warp/reduce.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What cells of so many items leave of the segments that are cut where cells begin: that of a segment's
/// first cell stands apart from that of its other ones. The last cell of a segment to arrive joins them, so
/// nobody waits for anybody, and cells that have none leave nothing.
template <class V>
struct cut_records {
  static constexpr std::int64_t words_of_value = slots<V>::words;
  std::uint64_t *firsts_at = nullptr, *others_at = nullptr;
  std::uint64_t* arrivals = nullptr;  ///< of a segment, at its first cell: a stamp and how many
  std::uint32_t stamp = 0;

  static constexpr std::int64_t words(std::int64_t cells) { return cells * (2 * words_of_value + 1); }
  cut_records() = default;
  SWEEP_HD cut_records(std::uint64_t* at, std::int64_t cells, std::uint32_t stamped)
      : firsts_at{at},
        others_at{at + cells * words_of_value},
        arrivals{at + 2 * cells * words_of_value},
        stamp{stamped} {}

  __device__ slots<V> firsts() const { return {firsts_at, stamp}; }
  /// Those of the cells from this one on.
  __device__ slots<V> others(std::int64_t cell) const { return {others_at + cell * words_of_value, stamp}; }

  /// How many have arrived before. The last sees what all others did before.
  __device__ std::int64_t arrive(std::int64_t cell) const {
    atomic_ref<std::uint64_t> count(arrivals[cell]);
    auto const fresh = std::uint64_t{stamp} << 32;
    auto seen = count.load(relaxed);
    while (seen >> 32 != stamp)
      if (count.compare_exchange_weak(seen, fresh | 1, acq_rel)) return 0;
    return static_cast<std::int64_t>(count.fetch_add(1, acq_rel) & 0xffffffffu);
  }

  /// By one thread: a cell's fold of what it has of a segment. Returns whether all of the segment's cells
  /// have left theirs.
  __device__ bool leave(std::int64_t cell, V const& fold, segment_part const& of,
                        std::int64_t cell_items) const {
    auto const first = of.begin / cell_items, last = (of.end - 1) / cell_items;
    if (cell == first) firsts().publish(cell, fold);
    else others(cell).publish(0, fold);
    return arrive(first) == last - first;
  }
  /// By the whole block, for its first thread: the fold of a segment. Shape: (warps, 32 lanes, records of a
  /// lane). Nothing is waited for: where segments are described badly, fewer may be there.
  template <int Warps, class Op>
  __device__ V join(segment_part const& of, std::int64_t cell_items, uninitialized<V, Warps>& of_warps,
                    Op& op) const {
    int const threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    auto const first = of.begin / cell_items;
    int const count = static_cast<int>((of.end - 1) / cell_items - first),
              each = (count + threads - 1) / threads, from = thread * each, to = min(from + each, count),
              holding = (count + each - 1) / each;  // threads that have some
    auto const rest = others(first + 1);
    V sum{};
#pragma unroll 4
    for (int i = from; i < to; ++i) {
      V const next = rest.read(i);
      sum = i > from ? static_cast<V>(op(sum, next)) : next;
    }
    sum = warp_reduce_briefly(sum, min(max(holding - thread / 32 * 32, 0), 32), op);
    if (thread % 32 == 0) put_bytes(of_warps[thread / 32], sum);
    __syncthreads();
    if (thread > 0) return sum;
    sum = firsts().read(first);
    for (int w = 0; 32 * w < holding; ++w) sum = static_cast<V>(op(sum, of_warps[w]));
    return sum;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
