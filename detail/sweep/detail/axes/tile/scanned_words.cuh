// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_SCANNED_WORDS_CUH
#define SWEEP_DETAIL_AXES_TILE_SCANNED_WORDS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/marched_columns.cuh>
#include <sweep/detail/axes/tile/words_across.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// How blocks share the lines of a row. What a block writes begins and ends on boundaries of sectors, or
/// where the row does; so it has some lines that the next one has, too.
struct row_windows {
  std::int64_t extent;  ///< lines of a row
  std::int64_t of_row;  ///< blocks
  std::int64_t own;     ///< lines of a block, whole words
  int overlap;          ///< results in a sector; 1 where blocks' lines do not overlap

  /// Which of the block's lines, of so many, it writes of a row whose first result for it has this place.
  __device__ void written(unsigned place, std::int64_t window, std::int64_t there, int& low,
                          int& high) const {
    unsigned const within = static_cast<unsigned>(overlap) - 1, lines = static_cast<unsigned>(own);
    low = window == 0 ? 0 : static_cast<int>(-place & within);
    high = static_cast<int>(min(there, own + static_cast<std::int64_t>(-(place + lines) & within)));
  }
};

/// Results [low, high) of a row, of which result 0 lies, and stands in shared memory, `shift` behind a
/// boundary of words: words of 16 bytes, and what is no whole word at the ends one by one, at once. By so
/// many threads.
template <int W, class U>
__device__ void leave_row(U* to, U const* results, int shift, int low, int high, int thread, int threads) {
  int const begin = low + shift, end = high + shift;
#pragma unroll 1
  for (int at = begin / W * W + W * thread; at + W <= end; at += W * threads)
    if (at >= begin)
      *reinterpret_cast<uint4*>(to + (at - shift)) = *reinterpret_cast<uint4 const*>(results + at);
  if ((begin | end) % W == 0) return;
  int const whole = (begin + W - 1) / W * W;  // from where on words may be
#pragma unroll 1
  for (int edge = thread; edge < 2 * W; edge += threads)
    if (int const k = edge < W ? whole - W + edge : end / W * W + edge - W;
        k >= begin && k < end && (edge < W) == (k < whole))
      put_bytes(to[k - shift], results[k]);
}

/// Narrow items of neighbouring lines, each of which is one chain, that are scanned by a block, a thread a
/// word of 4 bytes of them: results of some rows at a time pass through shared memory, so that whole sectors
/// are written though rows begin anywhere in them. Blocks' lines overlap by a sector, but in place.
template <class Problem>
struct scanned_words {
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  using word = word_across<Problem>;
  static constexpr bool possible = [] {
    if constexpr (are_narrow<decltype(Problem::in), typename Problem::raw> &&
                  are_narrow<decltype(Problem::out), U>)
      return Problem::what != line_result::total && sizeof(T) <= 4;
    else return false;
  }();
  static constexpr int most_threads = 256, fewest_threads = 64, batch = 16;
  static constexpr int V = word::V, W = word_items<U>, sector = 32 / static_cast<int>(sizeof(U));

  static SWEEP_HD constexpr int pitch(int threads) { return threads * V + W; }
  static SWEEP_HD constexpr std::size_t shared_bytes(int threads) {
    return 2 * static_cast<std::size_t>(batch * pitch(threads)) * sizeof(U);
  }

  /// Whether there are lines for blocks that have enough on their way: so many bytes of a row.
  template <class Grid>
  static bool are_many(Grid const& grid) {
    return grid.lines * word::size >= 3 * lines_that_fill_a_device;
  }
  struct windows : row_windows {
    int threads;
  };
  static windows windows_of(Problem const& problem, std::int64_t multiprocessors) {
    auto const& grid = problem.grid;
    auto const extent = grid.across[0].extent, rows = grid.lines / extent;
    void const* const in = problem.in;
    void const* const out = problem.out;
    int const overlap = in == out ? 1 : sector;
    for (int most = most_threads;; most /= 2) {
      auto const fit = (std::int64_t{most} * V - overlap + 1) / V * V;
      auto const blocks = extent <= std::int64_t{most} * V ? 1 : (extent + fit - 1) / fit;
      if (most > fewest_threads && blocks * rows < 3 * multiprocessors) continue;
      auto const own = ((extent + blocks - 1) / blocks + V - 1) / V * V,
                 all = std::min(extent, own + (blocks > 1 ? overlap - 1 : 0));
      auto const threads = static_cast<int>(((all + V - 1) / V + 31) / 32 * 32);
      return {{extent, (extent + own - 1) / own, own, overlap}, threads};
    }
  }

  static __device__ void run(Problem const& problem, U* results, windows const& how,
                             bytes_of_array const& array, std::int64_t block) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32,
              warps = static_cast<int>(blockDim.x) / 32, row_pitch = pitch(static_cast<int>(blockDim.x));
    auto const row = quotient(block, how.of_row), window = block - row * how.of_row, begin = window * how.own;
    // Of the block's lines those of this thread, and how many of them the one before has.
    auto const there = how.extent - begin;
    int const mine = static_cast<int>(min(std::int64_t{V * thread}, there - V)), others = V * thread - mine;
    auto const at = grid.place(row * how.extent + begin + mine);
    auto sum = before_pack<V>(problem, row * how.extent + begin + mine);
    auto const place_of = [&](std::int64_t to) {
      return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(problem.out + to) / sizeof(U));
    };
    auto out = at.out - mine;  // of the block's first line
    auto from = at.in;
    words_in_turn<batch, Problem> x;
    auto const load = [&](std::int64_t first) {
      x.load(problem, from, static_cast<int>(min(grid.length - first, std::int64_t{batch})), array);
    };
    load(0);
    int other = batch * row_pitch;
    for (std::int64_t first = 0; first < grid.length; first += batch) {
      int const count = static_cast<int>(min(grid.length - first, std::int64_t{batch}));
      auto const out_place = place_of(out), out_step = static_cast<unsigned>(grid.out);
      auto const scan = [&]<bool All>(std::bool_constant<All>) {
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (All || k < count) {
            auto const result =
                next_of_line<Problem::what>(sum, x.items[k].values(problem, from + k * grid.in), ops);
            auto* const to =
                results + k * row_pitch + mine + (out_place + static_cast<unsigned>(k) * out_step) % W;
#pragma unroll
            for (int v = 0; v < V; ++v)
              if (v >= others) put_bytes(to[v], static_cast<U>(result.of[v]));
          }
      };
      if (count == batch) scan(std::true_type{});
      else scan(std::false_type{});
      from += batch * grid.in;
      if (first + batch < grid.length) load(first + batch);
      __syncthreads();
#pragma unroll 1
      for (int k = warp; k < count; k += warps) {
        auto const to = out + k * grid.out;
        auto const place = place_of(to);
        int low, high;
        how.written(place, window, there, low, high);
        leave_row<W>(problem.out + to, results + k * row_pitch, static_cast<int>(place % W), low, high, lane,
                     32);
      }
      out += batch * grid.out;
      results += other;
      other = -other;
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
