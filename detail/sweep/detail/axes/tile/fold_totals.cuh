// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_FOLD_TOTALS_CUH
#define SWEEP_DETAIL_AXES_TILE_FOLD_TOTALS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The totals of a reduction's chunks, (chunks, lines), by the block that is the last to leave some: level
/// after level as launches of their own would fold them, a warp a chunk, and a chain a line in the end.
template <class Problem>
__device__ void fold_totals_if_last(Problem const& problem, chunk_order const& order) {
  using T = typename Problem::value;
  if (order.arrivals.at == nullptr) return;
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = order.arrivals.arrive() == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  auto op = problem.op;
  constexpr int strip = strip_items<T, line_result::total>;
  int const lane = static_cast<int>(threadIdx.x % 32), threads = static_cast<int>(blockDim.x),
            lines = static_cast<int>(problem.grid.lines);
  auto* from = static_cast<T*>(order.totals);
  int length = static_cast<int>(order.chunks);
  /// Totals [first, end) of a line that a strip has, all asked for before the first is looked at.
  auto const fold_strip = [&]<int Items>(std::integral_constant<int, Items>, optional<T>& sum, int first,
                                         int end, int line) {
    item_vector<T, 1> words[Items]{};
#pragma unroll
    for (int k = 0; k < Items; ++k)
      if (first + k < end) load_vectors<access::l2>(from + (first + k) * lines + line, words[k]);
#pragma unroll
    for (int k = 0; k < Items; ++k)
      if (first + k < end) {
        T x[1];
        words[k].unpack(x);
        sum = {combine(sum, x[0], op), true};
      }
  };
  while (length > length_of_one_chain) {
    auto* const to = from + length * lines;
    int const chunks = static_cast<int>(chunks_of_line<T, line_result::total>(length));
    // Of few strips several chunks share a warp.
    int const all = chunks * lines;
    int bits = 5;  // of the lanes that have one
    while (chunks == 1 && bits > 0 && (1 << bits >> 1) * strip >= length) --bits;
    int const own = lane & ((1 << bits) - 1);
#pragma unroll 1
    for (int unit0 = static_cast<int>(threadIdx.x) / 32 << (5 - bits); unit0 < all;
         unit0 += threads >> bits) {
      int const unit = unit0 + (lane >> bits), chunk = unit / lines,
                first = chunk * chunk_items<T, line_result::total>,
                end = unit < all ? min(length, first + chunk_items<T, line_result::total>) : first,
                strips = (end - first + strip - 1) / strip;
      optional<T> folded{};
      fold_strip(std::integral_constant<int, strip>{}, folded, first + strip * own, end, unit % lines);
      T const sum = warp_scan_first(folded.value, strips, op, 1 << bits);
      if (own == strips - 1) put_bytes(to[unit], sum);
    }
    __syncthreads();
    from = to;
    length = chunks;
  }
  if (lines <= threads / 32) {  // a warp has all totals of a line on their way at once
    int const line = static_cast<int>(threadIdx.x / 32);
    if (line >= lines) return;
    constexpr int rows = static_cast<int>(length_of_one_chain / 32);
    item_vector<T, 1> words[rows]{};
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (int const k = 32 * r + lane; k < length)
        load_vectors<access::l2>(from + k * lines + line, words[r]);
    auto const at = problem.grid.place(line);
    auto sum = problem.before_line(at);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      T x[1];
      words[r].unpack(x);
#pragma unroll 4
      for (int k = 0; k < min(32, length - 32 * r); ++k) sum = {combine(sum, warp_shfl(x[0], k), op), true};
    }
    if (lane == 0) problem.put(at.out, sum.value);
    return;
  }
  // Of a chain as many totals are on their way at once as registers hold, and as many lanes have some as
  // there are threads for: the sum so far goes from one to the next.
  constexpr int at_once = sizeof(T) <= 8 ? 16 : sizeof(T) <= 16 ? 8 : strip;
  int bits = 0;  // of the lanes that have a line
  while (bits < 5 && 2 * lines << bits <= threads && at_once << bits < length) ++bits;
  int const lanes = 1 << bits, of_warp = 32 >> bits, part = lane >> (5 - bits), nth = lane & (of_warp - 1);
#pragma unroll 1
  for (int line0 = static_cast<int>(threadIdx.x) / 32 << (5 - bits); line0 < lines;
       line0 += threads >> bits) {
    int const line = min(line0 + nth, lines - 1);
    auto const at = problem.grid.place(line);
    auto sum = problem.before_line(at);
#pragma unroll 1
    for (int first = 0; first < length; first += lanes * at_once) {
      item_vector<T, 1> words[at_once]{};
      int const own = first + part * at_once;
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (own + k < length) load_vectors<access::l2>(from + (own + k) * lines + line, words[k]);
#pragma unroll 1
      for (int p = 0; p < lanes; ++p) {
        if (p == part)
#pragma unroll
          for (int k = 0; k < at_once; ++k)
            if (own + k < length) {
              T x[1];
              words[k].unpack(x);
              sum = {combine(sum, x[0], op), true};
            }
        if (lanes > 1) {
          sum.value = warp_shfl(sum.value, p * of_warp + nth);
          sum.present = true;
        }
      }
    }
    if (part == 0 && line0 + nth < lines) problem.put(at.out, sum.value);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
