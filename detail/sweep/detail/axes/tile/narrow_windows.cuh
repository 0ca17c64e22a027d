// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_NARROW_WINDOWS_CUH
#define SWEEP_DETAIL_AXES_TILE_NARROW_WINDOWS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/scanned_words.cuh>
#include <sweep/detail/axes/tile/told_strips.cuh>
#include <sweep/detail/axes/tile/words_across.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Narrow items of lines that lie side by side, in rows that begin anywhere in memory, and are scanned by
// warps: a lane has some neighbouring lines, whose items it reads as the words of memory that they are in,
// and whose results are whole words of memory, too, once its neighbour has handed it those before a boundary.

/// The items of a lane's V lines in one row, as the words of memory that they are in.
template <class Problem, int V>
struct narrow_items {
  using raw = typename Problem::raw;
  static constexpr int words = V * static_cast<int>(sizeof(raw)) / 4;
  using word = word_across<Problem>;
  unsigned of[words + 1];

  static __device__ bool inside(Problem const& problem, std::int64_t a, std::int64_t b,
                                bytes_of_array const& array) {
    auto const first = word::address(problem, min(a, b)), last = word::address(problem, max(a, b));
    return first - first % 4 >= array.from && last - last % 4 + 4 * (words + 1) <= array.to;
  }
  __device__ void load(Problem const& problem, std::int64_t at) {
    auto const place = word::address(problem, at);
    auto const* const from = reinterpret_cast<unsigned const*>(place - place % 4);
#pragma unroll
    for (int w = 0; w <= words; ++w) of[w] = __ldca(from + w);
  }
  /// Where the words reach out of the array: of its own bytes.
  __device__ void load_own(Problem const& problem, std::int64_t at) {
    auto const shift = static_cast<unsigned>(word::address(problem, at)) * 8;
    unsigned before = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      auto const own = word::own(problem, at + w * word::V);
      of[w] = __funnelshift_l(before, own, shift);
      before = own;
    }
    of[words] = __funnelshift_l(before, 0, shift);
  }
  /// The items alone, from word 0 on.
  __device__ void join(Problem const& problem, std::int64_t at) {
    auto const shift = static_cast<unsigned>(word::address(problem, at)) * 8;
#pragma unroll
    for (int w = 0; w < words; ++w) of[w] = __funnelshift_r(of[w], of[w + 1], shift);
  }
  /// What they are, of joined words.
  __device__ line_pack<typename Problem::value, V> values(Problem const& problem) const {
    return values_of_words<V>(problem, of);
  }
};
/// Rows [0, Count) of a lane's, or the first `count` of them, from a place on: they are on their way.
template <int Count, class Problem, int V>
__device__ void load_narrow(Problem const& problem, narrow_items<Problem, V> (&x)[Count], std::int64_t from,
                            int count, bytes_of_array const& array) {
  auto const& step = problem.grid.in;
  bool const inside = x[0].inside(problem, from, from + (count - 1) * step, array);
  if (inside && count == Count) {
#pragma unroll
    for (int k = 0; k < Count; ++k) x[k].load(problem, from + k * step);
  } else {
#pragma unroll
    for (int k = 0; k < Count; ++k)
      if (k < count) {
        if (inside) x[k].load(problem, from + k * step);
        else x[k].load_own(problem, from + k * step);
      }
  }
}

/// What a warp has of a row: as many lines as its lanes have, fewer at its end, some of which the next one
/// has, too, so that each writes whole sectors; but not in place.
template <class Problem>
struct narrow_window {
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  static constexpr int size = static_cast<int>(sizeof(U)), V = size == 4 ? 4 : 8, lines = 32 * V,
                       sector = 32 / size, words = V * size / 4;  ///< of a lane's results
  using items = narrow_items<Problem, V>;
  static constexpr bool possible = [] {
    if constexpr (are_narrow<decltype(Problem::in), typename Problem::raw> &&
                  std::is_pointer_v<decltype(Problem::out)>)
      // Of results that are narrow, too, sums of bytes in wider numbers.
      return Problem::what != line_result::total && relocatable<U> && fills_words<U> && sizeof(T) <= 4 &&
             (sizeof(U) == 4 || (sizeof(typename Problem::raw) == 1 && sizeof(U) == 1 && sizeof(T) > 1));
    else return false;
  }();

  struct windows : row_windows {
    std::int64_t count;  ///< of all rows
  };
  static windows windows_of(Problem const& problem) {
    auto const& grid = problem.grid;
    void const* const in = problem.in;
    void const* const out = problem.out;
    int const overlap = in == out ? 1 : sector;
    auto const extent = grid.across[0].extent, fit = std::int64_t{(lines - overlap + 1) / V * V},
               all = extent <= lines ? 1 : (extent + fit - 1) / fit,
               own = ((extent + all - 1) / all + V - 1) / V * V, of_row = (extent + own - 1) / own;
    return {{extent, of_row, own, overlap}, of_row * (grid.lines / extent)};
  }

  windows const& how;
  std::int64_t window, there;  ///< which of a row, and the lines from its first on
  std::int64_t line0;
  int lane = static_cast<int>(threadIdx.x) % 32;
  /// A lane's lines, counted from the first; how many of them the lane before it has.
  int mine = static_cast<int>(min(std::int64_t{V * lane}, there - V)), others = V * lane - mine;

  static __device__ narrow_window of(windows const& how, std::int64_t nth) {
    auto const row = quotient(nth, how.of_row), window = nth - row * how.of_row, begin = window * how.own;
    return {how, window, how.extent - begin, row * how.extent + begin};
  }
  __device__ bool exists() const { return others < V; }

  /// The results of a row leave, `row` being the place of the window's first.
  __device__ void leave(U* row, line_pack<T, V> const& results) const {
    U x[V];
#pragma unroll
    for (int v = 0; v < V; ++v) x[v] = static_cast<U>(results.of[v]);
    bool const is_last = there <= lines;
    if (is_last) {  // a lane's first may be its neighbour's
#pragma unroll
      for (int by = 1; by < V; by *= 2)
        if (others & by)
#pragma unroll
          for (int v = 0; v + by < V; ++v) put_bytes(x[v], x[v + by]);
    }
    auto const place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(row) / sizeof(U));
    int const shift = static_cast<int>(place % V);
    int low, high;
    how.written(place, window, there, low, high);
    item_vector<U, V> own;
    if constexpr (size < 4) {
#pragma unroll
      for (int v = 0; v < V; ++v) own.template put<true>(v, x[v]);
      // By bytes, and then by words.
      unsigned const by = static_cast<unsigned>(shift * size) * 8;
      unsigned before = __shfl_up_sync(~0u, own.word[words - 1], 1);
#pragma unroll
      for (int w = 0; w < words; ++w) {
        unsigned const next = own.word[w];
        own.word[w] = __funnelshift_l(before, next, by);
        before = next;
      }
    } else {
      own.pack(x);
    }
    unsigned before[words];  // the neighbour's that this lane writes
#pragma unroll
    for (int w = 1; w < words; ++w) before[w] = __shfl_up_sync(~0u, own.word[w], 1);
    int const begin = V * lane - shift;
    bool const whole = begin >= low && begin + V <= high;
    auto const store = [&]<int Words>(std::integral_constant<int, Words>) {
      unsigned word[words];
#pragma unroll
      for (int w = 0; w < words; ++w) word[w] = w < Words ? before[words + w - Words] : own.word[w - Words];
      if (!whole) return;
      if constexpr (words == 4)
        __stcs(reinterpret_cast<uint4*>(row + begin), uint4{word[0], word[1], word[2], word[3]});
      else __stcs(reinterpret_cast<uint2*>(row + begin), uint2{word[0], word[1]});
    };
    static_assert(words == 2 || words == 4);
    int const by_words = shift * size / 4;
    if constexpr (words == 2) {
      if (by_words == 0) store(std::integral_constant<int, 0>{});
      else store(std::integral_constant<int, 1>{});
    } else {
      switch (by_words) {
      case 0:
        store(std::integral_constant<int, 0>{});
        break;
      case 1:
        store(std::integral_constant<int, 1>{});
        break;
      case 2:
        store(std::integral_constant<int, 2>{});
        break;
      default:
        store(std::integral_constant<int, 3>{});
        break;
      }
    }
    // What is no whole word at the ends of rows; in place of windows.
    if (window == 0 || is_last || how.overlap == 1) {
      int const head = shift == 0 ? 0 : V - shift, end = high - (high + shift) % V;
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (int const k = V * lane + v; k >= low && k < high && (k < head || k >= end))
          put_bytes(row[k], x[v]);
    }
  }
};

/// Lines that are one chain each, by a warp for a window of them.
template <class Problem>
struct narrow_chains {
  using window = narrow_window<Problem>;
  using items = typename window::items;
  static constexpr bool possible = window::possible;
  static constexpr int V = window::V, batch = std::max(2, 8 / items::words);
  /// Whether lines of so many items are: of two bytes longer ones take as little time one by one, and so do
  /// those whose results are narrow, too, as scanned_words.
  static bool are_worth(std::int64_t length, bool short_ones) {
    constexpr std::int64_t short_line = 12;
    if (window::size < 4) return length > 2 && length <= short_line;
    return length > 2 && (sizeof(typename items::raw) == 1 || short_ones);
  }

  static __device__ void run(Problem const& problem, typename window::windows const& how,
                             bytes_of_array const& array, std::int64_t nth) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    auto const own = window::of(how, nth);
    auto const at = grid.place(own.line0 + own.mine);
    auto sum = before_pack<V>(problem, own.line0 + own.mine);
    auto from = at.in;
    auto* to = problem.out + (at.out - own.mine);
    items x[batch];
    auto const count_from = [&](std::int64_t first) {
      return static_cast<int>(min(grid.length - first, std::int64_t{batch}));
    };
    load_narrow(problem, x, from, count_from(0), array);
#pragma unroll 1
    for (std::int64_t first = 0; first < grid.length; first += batch) {
      items now[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        now[k] = x[k];
        now[k].join(problem, from + k * grid.in);
      }
      from += batch * grid.in;
      auto const left = grid.length - first;
      if (left > batch) load_narrow(problem, x, from, count_from(first + batch), array);
#pragma unroll
      for (int k = 0; k < batch; ++k, to += grid.out)
        if (k < left) own.leave(to, next_of_line<Problem::what>(sum, now[k].values(problem), ops));
    }
  }
};

/// Longer lines, where no result tells in which brackets: a block has some rows of a window, a warp a strip
/// of them, whose items wait in registers. What comes before them a lane hears for its lines.
template <class Problem>
struct narrow_chunks {
  using T = typename Problem::value;
  using window = narrow_window<Problem>;
  using items = typename window::items;
  static constexpr bool possible = window::possible && of_integers<T> && is_free<decltype(Problem::unary)>;
  /// As many rows of a lane as are 16 registers.
  static constexpr int V = window::V, strip = 16 / items::words, strips = items::words == 1 ? 8 : 16,
                       rows = strips * strip, threads = 32 * strips;
  using pack = line_pack<T, V>;
  /// What lanes tell and hear at a time, a warp for each part of a pack.
  static constexpr int parts = std::max(1, static_cast<int>(sizeof(pack)) / 16), told_lines = V / parts;
  using told = line_pack<T, told_lines>;
  static constexpr int lanes = 32 * parts, words_of_state = lanes * slots<told>::words;  ///< of a chunk
  struct shared {
    alignas(16) uninitialized<told, strips * lanes> totals;  ///< and then what comes before each strip
    unsigned waiting[parts][strip * items::words * 32];      ///< of warps that hear, which leave it registers
  };
  static std::int64_t chunks_of(std::int64_t length) { return (length + rows - 1) / rows; }

  static __device__ void run(Problem const& problem, shared& memory, typename window::windows const& how,
                             bytes_of_array const& array, std::int64_t nth, std::int64_t chunk,
                             std::int64_t chunks, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    auto const own = window::of(how, nth);
    int const lane = own.lane, own_strip = static_cast<int>(threadIdx.x) / 32;
    auto const first = chunk * rows + own_strip * strip;
    int const count = static_cast<int>(min(grid.length - first, std::int64_t{strip}));  // may be negative
    auto const at = grid.place(own.line0 + own.mine);
    auto const from = at.in + first * grid.in;
    items x[strip];
    if (count > 0) {
      load_narrow(problem, x, from, count, array);
#pragma unroll
      for (int k = 0; k < strip; ++k) x[k].join(problem, from + k * grid.in);
      pack total = x[0].values(problem);
#pragma unroll
      for (int k = 1; k < strip; ++k)
        if (k < count) total = ops(total, x[k].values(problem));
#pragma unroll
      for (int p = 0; p < parts; ++p) {
        told part;
#pragma unroll
        for (int v = 0; v < told_lines; ++v) part.of[v] = total.of[p * told_lines + v];
        put_bytes(memory.totals[(own_strip * parts + p) * 32 + lane], part);
      }
    }
    __syncthreads();
    if (own_strip < parts) {
      int const strips_there =
          static_cast<int>(min((grid.length - chunk * rows + strip - 1) / strip, std::int64_t{strips}));
      auto* const waiting = memory.waiting[own_strip] + lane;
#pragma unroll
      for (int k = 0; k < strip; ++k)
#pragma unroll
        for (int w = 0; w < items::words; ++w) waiting[(k * items::words + w) * 32] = x[k].of[w];
      tell(problem, memory, own, own_strip, nth, chunk, chunks, strips_there, how, order);
#pragma unroll
      for (int k = 0; k < strip; ++k)
#pragma unroll
        for (int w = 0; w < items::words; ++w) x[k].of[w] = waiting[(k * items::words + w) * 32];
    }
    __syncthreads();
    if (count <= 0) return;
    optional<pack> sum{};
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      told part;
      put_bytes(part, memory.totals[(own_strip * parts + p) * 32 + lane]);
#pragma unroll
      for (int v = 0; v < told_lines; ++v) sum.value.of[p * told_lines + v] = part.of[v];
    }
    sum.present = !(std::is_same_v<decltype(problem.before), nothing_before> && chunk == 0 && own_strip == 0);
    auto* to = problem.out + (at.out - own.mine + first * grid.out);
#pragma unroll
    for (int k = 0; k < strip; ++k, to += grid.out)
      if (k < count) own.leave(to, next_of_line<Problem::what>(sum, x[k].values(problem), ops));
  }

 private:
  /// What comes before each strip of a part of a lane's lines, in the place of the strips' totals.
  static __device__ void tell(Problem const& problem, shared& memory, window const& own, int part,
                              std::int64_t nth, std::int64_t chunk, std::int64_t chunks, int strips_there,
                              typename window::windows const& how, chunk_order const& order) {
    if (!own.exists()) return;
    tell_strips<told_lines, 2>(
        problem, own.line0 + own.mine + part * told_lines,
        {strips_there, chunk, chunks, how.count * lanes,
         (chunk * how.count + nth) * lanes + part * 32 + own.lane},
        order, [&](int s) -> told& { return memory.totals[(s * parts + part) * 32 + own.lane]; });
  }
};

/// Whether narrow items of neighbouring lines are scanned so: where they would not go as vectors, and rows
/// leave few lanes idle.
template <class Problem>
bool in_narrow_windows(Problem const& problem, bool vectors = false) {
  if constexpr (narrow_window<Problem>::possible) {
    using window = narrow_window<Problem>;
    auto const& grid = problem.grid;
    if (!(grid.length > 0 && grid.axes > 0 && grid.across[0].stride.in == 1 &&
          grid.across[0].stride.out == 1 && memory_on_items(problem) && grid.across[0].extent >= window::V &&
          (vectors || !in_packs<lines_of_pack<Problem>>(problem))))
      return false;
    auto const there = window::lines * window::windows_of(problem).of_row;
    return grid.across[0].extent * 20 >= there * (window::size == 4 ? 15 : 17);
  }
  return false;
}

/// Of how many windows at least, so that their chunks do not wait long for each other: tests lower it.
inline std::int64_t fewest_narrow_windows = 24;
/// Whether lines of narrow windows are cut into chunks.
template <class Problem>
bool in_narrow_chunks(Problem const& problem) {
  if constexpr (narrow_chunks<Problem>::possible)
    return in_narrow_windows(problem) &&
           narrow_window<Problem>::windows_of(problem).count >= fewest_narrow_windows;
  return false;
}
/// Whether lines that may be one chain each are too few for that, and long.
template <class Problem>
bool wants_narrow_chunks(Problem const& problem) {
  constexpr std::int64_t few_lines = 3 * lines_that_fill_a_device;
  return problem.grid.length > 2 * length_of_one_chain && problem.grid.lines < few_lines &&
         !in_dense_rows(problem) && in_narrow_chunks(problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
