// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_SCANNED_WORD_CHUNKS_CUH
#define SWEEP_DETAIL_AXES_TILE_SCANNED_WORD_CHUNKS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/scanned_words.cuh>
#include <sweep/detail/axes/tile/told_strips.cuh>
#include <sweep/detail/axes/tile/words_across.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>

#include <algorithm>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Narrow items of neighbouring long lines that are scanned, where no result tells in which brackets: a block
/// has some rows of some words of lines, a lane a strip of a word, whose items wait in shared memory as they
/// were read. What comes before them a lane hears for a word. Whole sectors are written, as by scanned_words.
template <class Problem>
struct scanned_word_chunks {
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  using word = word_across<Problem>;
  using whole = scanned_words<Problem>;
  static constexpr bool possible =
      whole::possible && of_integers<T> && sizeof(T) <= 2 && is_free<decltype(Problem::unary)>;
  static constexpr int V = word::V, W = whole::W;
  using pack = line_pack<T, V>;
  static constexpr int words = 64, strips = 4, strip = 16, rows = strips * strip, threads = words * strips,
                       pitch = words * V + W;
  struct shared {
    alignas(16) uninitialized<U, rows * pitch> results;
    unsigned items[strip * threads];                         ///< as they were read, (item, thread)
    alignas(16) uninitialized<pack, strips * words> totals;  ///< and then what comes before each strip
  };

  struct windows : row_windows {
    std::int64_t count;  ///< blocks of all rows
  };
  static windows windows_of(Problem const& problem) {
    auto const& grid = problem.grid;
    void const* const in = problem.in;
    void const* const out = problem.out;
    int const overlap = in == out ? 1 : whole::sector;
    auto const extent = grid.across[0].extent, fit = std::int64_t{(words * V - overlap + 1) / V * V},
               blocks = extent <= words * V ? 1 : (extent + fit - 1) / fit,
               own = ((extent + blocks - 1) / blocks + V - 1) / V * V, of_row = (extent + own - 1) / own;
    return {{extent, of_row, own, overlap}, of_row * (grid.lines / extent)};
  }
  static std::int64_t chunks_of(std::int64_t length) { return (length + rows - 1) / rows; }

  static __device__ void run(Problem const& problem, shared& memory, windows const& how,
                             bytes_of_array const& array, std::int64_t of_all, std::int64_t chunk,
                             std::int64_t chunks, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const thread = static_cast<int>(threadIdx.x), nth = thread % words, own_strip = thread / words;
    auto const row = quotient(of_all, how.of_row), window = of_all - row * how.of_row,
               begin = window * how.own, there = how.extent - begin, first = chunk * rows;
    auto const mine_of = [&](int nth) { return static_cast<int>(min(std::int64_t{V * nth}, there - V)); };
    int const mine = mine_of(nth), others = V * nth - mine;
    int const items = static_cast<int>(min(grid.length - first, std::int64_t{rows}));
    int const count = min(items - own_strip * strip, strip);  // may be negative
    auto const line0 = row * how.extent + begin;
    auto const at = grid.place(line0 + mine);
    auto const from = at.in + (first + own_strip * strip) * grid.in;

    auto* const own = memory.items + thread;
    auto const value = [&](int k) { return word::values_of(problem, own[k * threads]); };
    if (count > 0) ask(problem, own, from, count, array);
    pack total{};
    if (count == strip) {
      total = value(0);
#pragma unroll
      for (int k = 1; k < strip; ++k) total = ops(total, value(k));
    } else if (count > 0) {
      total = value(0);
#pragma unroll 1
      for (int k = 1; k < count; ++k) total = ops(total, value(k));
    }
    if (count > 0) put_bytes(memory.totals[own_strip * words + nth], total);
    __syncthreads();
    if (thread < words && others < V)
      tell(problem, memory, line0 + mine, of_all, thread, chunk, chunks, (items + strip - 1) / strip, how,
           order);
    __syncthreads();

    auto const place_of = [&](std::int64_t to) {
      return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(problem.out + to) / sizeof(U));
    };
    auto const out = at.out - mine + first * grid.out;  // of the block's first line
    {
      auto const out_place = place_of(out), out_step = static_cast<unsigned>(grid.out);
      optional<pack> sum{};
      put_bytes(sum.value, memory.totals[own_strip * words + nth]);
      sum.present =
          !(std::is_same_v<decltype(problem.before), nothing_before> && chunk == 0 && own_strip == 0);
      auto const put = [&](int k) {
        auto const result = next_of_line<Problem::what>(sum, value(k), ops);
        int const r = own_strip * strip + k;
        auto* const to =
            &memory.results[0] + r * pitch + mine + (out_place + static_cast<unsigned>(r) * out_step) % W;
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (v >= others) put_bytes(to[v], static_cast<U>(result.of[v]));
      };
      if (count == strip) {
#pragma unroll
        for (int k = 0; k < strip; ++k) put(k);
      } else {
#pragma unroll 1
        for (int k = 0; k < count; ++k) put(k);
      }
    }
    __syncthreads();
    constexpr int together = 16;  // threads that write a row
#pragma unroll 1
    for (int r = thread / together; r < items; r += threads / together) {
      auto const to = out + r * grid.out;
      auto const place = place_of(to);
      int low, high;
      how.written(place, window, there, low, high);
      leave_row<W>(problem.out + to, &memory.results[0] + r * pitch, static_cast<int>(place % W), low, high,
                   thread % together, together);
    }
  }

 private:
  /// Brings the items of a strip.
  static __device__ void ask(Problem const& problem, unsigned* own, std::int64_t from, int count,
                             bytes_of_array const& array) {
    auto const& step = problem.grid.in;
    if (!word::inside(problem, from, from + (count - 1) * step, array)) {
#pragma unroll 1
      for (int k = 0; k < count; ++k) own[k * threads] = word::own(problem, from + k * step);
      return;
    }
    word x[strip];
    if (count == strip) {
#pragma unroll
      for (int k = 0; k < strip; ++k) x[k].load(problem, from + k * step);
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < count) x[k].load(problem, from + k * step);
    }
#pragma unroll
    for (int k = 0; k < strip; ++k) own[k * threads] = x[k].joined(problem, from + k * step);
  }
  /// What comes before each strip of a word, by a lane, in the place of the strips' totals.
  static __device__ void tell(Problem const& problem, shared& memory, std::int64_t line, std::int64_t of_all,
                              int nth, std::int64_t chunk, std::int64_t chunks, int strips_there,
                              windows const& how, chunk_order const& order) {
    tell_strips<V, 4>(
        problem, line,
        {strips_there, chunk, chunks, how.count * words, (chunk * how.count + of_all) * words + nth}, order,
        [&](int s) -> pack& { return memory.totals[s * words + nth]; });
  }
};

/// Whether lines that may be one chain each are too few for that, and long. Of two bytes so many take as
/// little time one by one.
template <class Problem>
bool wants_word_chunks(Problem const& problem) {
  if constexpr (scanned_word_chunks<Problem>::possible)
    return word_across<Problem>::size == 1 && problem.grid.length > 2 * length_of_one_chain &&
           !scanned_words<Problem>::are_many(problem.grid) && in_words_across(problem);
  return false;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
