// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CHUNKS_CUH
#define SWEEP_DETAIL_AXES_TILE_CHUNKS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/windows.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/warp/reduce.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Up to 32 chunks of lines that lie along the axis, by a block: those of several lines, or a group of those
/// of one. A warp has a chunk at a time, whose 32 strips pass through shared memory.
template <class Problem>
struct chunks_of_lines {
  using T = typename Problem::value;
  using told = T;
  static constexpr int strip = strip_items<T>, items = chunk_items<T>, V = word_items<T>;
  static constexpr int most_chunks = 32, warps = 16, threads = 32 * warps;
  static constexpr int turns = most_chunks / warps;
  static constexpr int pitch = skewed<T>(items);
  static constexpr int words = fills_words<T> ? strip / V : 1;  ///< of a lane, as they lie in memory
  struct shared {
    alignas(16) uninitialized<T, most_chunks * pitch> items;
    uninitialized<T, most_chunks> totals;
    uninitialized<T> above;
  };

  Problem const& problem;
  shared& memory;
  line_layout how;
  std::int64_t line0, chunk0;  ///< the first of each
  int lines, chunks;           ///< of this block: one of the two is 1 where a line has more than a group
  int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;

  __device__ void run(chunk_order const& order) {
    auto op = problem.op;
    int const all = lines * chunks;
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (int const nth = warp + turn * warps; nth < all) load(nth);
    __syncwarp();
    T left[turns];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (int const nth = warp + turn * warps; nth < all) left[turn] = scan_strips(nth, op);
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      if (order.chunks > most_chunks) {
        if (warp == 0) {
          T const own = lane < chunks ? memory.totals[lane] : memory.totals[0];
          T const total = warp_reduce_right(own, chunks, op);
          auto const found = order.template state_of<T>(line0).publish_group_and_look_back(
              warp_lanes{}, chunk0 / most_chunks, total, op);
          if (lane == 0 && found.present) put_bytes(memory.above.value(), found.value);
        }
        __syncthreads();
      }
#pragma unroll
      for (int turn = 0; turn < turns; ++turn)
        if (int const nth = warp + turn * warps; nth < all) finish(nth, left[turn], op);
    }
  }

 private:
  struct chunk_place {
    line_place at;       ///< of the line
    std::int64_t first;  ///< item of the line
    int count, strips;
  };
  __device__ chunk_place place(int nth) const {
    auto const first = (chunk0 + nth % chunks) * items;
    int const count = static_cast<int>(min(problem.grid.length - first, std::int64_t{items}));
    return {problem.grid.place(line0 + nth / chunks), first, count, (count + strip - 1) / strip};
  }

  __device__ void load(int nth) const {
    auto const [at, first, count, strips] = place(nth);
    T* const to = &memory.items[nth * pitch];
    auto const from = at.in + first * problem.grid.in;
    if (how.in_words && count == items) {
      T x[words][V];
#pragma unroll
      for (int k = 0; k < words; ++k) load_word(problem, from + V * (32 * k + lane) * problem.grid.in, x[k]);
#pragma unroll
      for (int k = 0; k < words; ++k) put_word(to + skewed<T>(V * (32 * k + lane)), x[k]);
    } else {
      T x[strip];
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (32 * k + lane < count) x[k] = problem.item(from + (32 * k + lane) * problem.grid.in);
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (32 * k + lane < count) put_bytes(to[skewed<T>(32 * k + lane)], x[k]);
    }
  }

  /// A lane's strip. What a last chunk lacks is not looked at.
  __device__ void get_strip(int nth, T (&x)[strip]) const {
    T const* const from = &memory.items[nth * pitch];
    if constexpr (fills_words<T>) {
#pragma unroll
      for (int k = 0; k < strip / V; ++k) {
        T word[V];
        get_word(from + skewed<T>(strip * lane + V * k), word);
#pragma unroll
        for (int v = 0; v < V; ++v) x[V * k + v] = word[v];
      }
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k) put_bytes(x[k], from[skewed<T>(strip * lane + k)]);
    }
  }

  /// Leaves a chunk's total, after what stands before the line where the chunk is its first; gives what comes
  /// before the lane's strip in the chunk.
  template <class Op>
  __device__ T scan_strips(int nth, Op& op) const {
    auto const [at, first, count, strips] = place(nth);
    int const mine = min(strip, count - strip * lane);  // may be negative
    T x[strip];
    get_strip(nth, x);
    T total = x[0];
#pragma unroll
    for (int k = 1; k < strip; ++k)
      if (k < mine) total = op(total, x[k]);
    T const sum = warp_scan_first(total, strips, op);
    if (lane == strips - 1) {
      if constexpr (Problem::what == line_result::total) {
        problem.put(first / items * problem.grid.lines + line0 + nth / chunks, sum);
      } else {
        auto const before = problem.before_line(at);
        put_bytes(memory.totals[nth], first == 0 ? combine(before, sum, op) : sum);
      }
    }
    return warp_shfl_up(sum, 1);
  }

  /// What comes before a chunk: what stands before the line; else what comes before the group, and the totals
  /// of the chunks before it in the group.
  template <class Op>
  __device__ optional<T> before_chunk(int nth, chunk_place const& chunk, Op& op) const {
    if (chunk.first == 0) return problem.before_line(chunk.at);
    int const before = nth % chunks;
    optional<T> above{};
    if (chunk0 > 0) {
      put_bytes(above.value, memory.above.value());
      above.present = true;
    }
    if (before == 0) return above;
    T const one = memory.totals[nth - before + min(lane, before - 1)];
    T const folded = warp_shfl(warp_reduce_right(one, before, op), 0);
    return {combine(above, folded, op), true};
  }

  template <class Op>
  __device__ void finish(int nth, T const& left, Op& op) const {
    auto const chunk = place(nth);
    int const mine = min(strip, chunk.count - strip * lane);
    auto sum = before_chunk(nth, chunk, op);
    if (lane > 0) sum = {combine(sum, left, op), true};
    T x[strip];
    get_strip(nth, x);
#pragma unroll
    for (int k = 0; k < strip; ++k)
      if (k < mine) x[k] = next_of_line<Problem::what>(sum, x[k], op);
    T* const to = &memory.items[nth * pitch];
    if constexpr (fills_words<T>) {
#pragma unroll
      for (int k = 0; k < strip / V; ++k) {
        T word[V];
#pragma unroll
        for (int v = 0; v < V; ++v) word[v] = x[V * k + v];
        put_word(to + skewed<T>(strip * lane + V * k), word);
      }
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k) put_bytes(to[skewed<T>(strip * lane + k)], x[k]);
    }
    __syncwarp();
    auto const out = chunk.at.out + chunk.first * problem.grid.out;
    if (how.out_words && chunk.count == items) {
#pragma unroll
      for (int k = 0; k < words; ++k) {
        T word[V];
        get_word(to + skewed<T>(V * (32 * k + lane)), word);
        store_word(problem, out + V * (32 * k + lane) * problem.grid.out, word);
      }
    } else {  // stores begin on boundaries of 32 results
      int const shift = places_before_boundary(problem.out, out, problem.grid.out);
#pragma unroll 4
      for (int k = 0; k <= strip; ++k) {
        int const p = 32 * k + lane - shift;
        if (p >= 0 && p < chunk.count) problem.put(out + p * problem.grid.out, to[skewed<T>(p)]);
      }
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
