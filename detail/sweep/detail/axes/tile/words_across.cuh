// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_WORDS_ACROSS_CUH
#define SWEEP_DETAIL_AXES_TILE_WORDS_ACROSS_CUH

#include <sweep/detail/axes/layout.cuh>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/chunk_as_it_lies.cuh>
#include <sweep/detail/axes/tile/folded_lines.cuh>
#include <sweep/detail/axes/tile/packs.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Narrow items of lines that lie side by side: a lane folds as many lines as are a word of 4 bytes, wherever
// rows begin in memory. It reads the two words of memory that have some of its own, and shifts them.

/// What V neighbouring narrow items are, of the words of 4 bytes that have them alone.
template <int V, class Problem>
__device__ line_pack<typename Problem::value, V> values_of_words(Problem const& problem,
                                                                 unsigned const* words) {
  using raw = typename Problem::raw;
  item_vector<raw, V> vector;
#pragma unroll
  for (int w = 0; w < V * static_cast<int>(sizeof(raw)) / 4; ++w) vector.word[w] = words[w];
  raw own[V];
  vector.unpack_numbers(own);
  line_pack<typename Problem::value, V> x;
#pragma unroll
  for (int v = 0; v < V; ++v) x.of[v] = problem.of(own[v]);
  return x;
}

/// The items of V neighbouring lines in one row, as the two words of memory that they are in.
template <class Problem>
struct word_across {
  using raw = typename Problem::raw;
  static constexpr int size = static_cast<int>(sizeof(raw)), V = 4 / size;
  unsigned low, high;

  static __device__ std::uintptr_t address(Problem const& problem, std::int64_t at) {
    return reinterpret_cast<std::uintptr_t>(problem.in + at);
  }
  /// Whether all words of these rows, from one place to another, are in the array.
  static __device__ bool inside(Problem const& problem, std::int64_t a, std::int64_t b,
                                bytes_of_array const& array) {
    auto const first = address(problem, min(a, b)), last = address(problem, max(a, b));
    return first - first % 4 >= array.from && last - last % 4 + 8 <= array.to;
  }
  __device__ void load(Problem const& problem, std::int64_t at) {
    auto const place = address(problem, at);
    auto const* const from = reinterpret_cast<unsigned const*>(place - place % 4);
    low = __ldca(from);
    high = __ldca(from + 1);
  }
  /// The items alone where the words reach out of the array: of its own bytes.
  static __device__ unsigned own(Problem const& problem, std::int64_t at) {
    raw own[V];
#pragma unroll
    for (int v = 0; v < V; ++v) put_bytes(own[v], problem.in[at + v]);
    item_vector<raw, V> vector;
    vector.pack(own);
    return vector.word[0];
  }
  __device__ void load_own(Problem const& problem, std::int64_t at) {
    auto const shift = static_cast<unsigned>(address(problem, at)) * 8, word = own(problem, at);
    low = word << (shift & 31);
    high = __funnelshift_l(word, 0, shift);
  }
  /// The items alone, in one word.
  __device__ unsigned joined(Problem const& problem, std::int64_t at) const {
    return __funnelshift_r(low, high, static_cast<unsigned>(address(problem, at)) * 8);
  }
  __device__ line_pack<typename Problem::value, V> values(Problem const& problem, std::int64_t at) const {
    return values_of(problem, joined(problem, at));
  }
  static __device__ line_pack<typename Problem::value, V> values_of(Problem const& problem, unsigned joined) {
    return values_of_words<V>(problem, &joined);
  }
};

/// Rows [0, Count) of a word, or the first `count` of them, from a place on.
template <int Count, class Problem>
struct words_in_turn {
  using word = word_across<Problem>;
  word items[Count];
  __device__ void load(Problem const& problem, std::int64_t from, int count, bytes_of_array const& array) {
    auto const& step = problem.grid.in;
    if (bool const inside = word::inside(problem, from, from + (count - 1) * step, array);
        inside && count == Count) {
#pragma unroll
      for (int k = 0; k < Count; ++k) items[k].load(problem, from + k * step);
    } else if (inside) {
#pragma unroll
      for (int k = 0; k < Count; ++k)
        if (k < count) items[k].load(problem, from + k * step);
    } else {
#pragma unroll
      for (int k = 0; k < Count; ++k)
        if (k < count) items[k].load_own(problem, from + k * step);
    }
  }
};

/// Whether narrow items of neighbouring lines are taken in words: where rows begin anywhere in them.
template <class Problem>
bool in_words_across(Problem const& problem) {
  using raw = typename Problem::raw;
  constexpr std::int64_t narrow_row = 128;  // bytes
  if constexpr (are_narrow<decltype(Problem::in), raw> && arrays_of_place<typename Problem::out_place> == 1) {
    auto const& grid = problem.grid;
    return grid.length > 0 && grid.axes > 0 && grid.across[0].stride.in == 1 &&
           (Problem::what == line_result::total || grid.across[0].stride.out == 1) &&
           memory_on_items(problem) &&
           grid.across[0].extent * static_cast<std::int64_t>(sizeof(raw)) >= narrow_row &&
           !in_packs<lines_of_pack<Problem>>(problem);
  }
  return false;
}

/// How words of V lines cover the rows of an array: the last one of a row may have some of the lines of the
/// one before it, which are folded twice.
template <class Problem>
struct words_of_rows {
  using word = word_across<Problem>;
  static constexpr bool possible = [] {
    if constexpr (are_narrow<decltype(Problem::in), typename Problem::raw> &&
                  arrays_of_place<typename Problem::out_place> == 1)
      return Problem::what == line_result::total && sizeof(typename Problem::value) <= 8;
    else return false;
  }();
  /// Whether lines of so many items are, each a chain. Of two bytes each long ones take as little time one by
  /// one.
  static bool are_worth(std::int64_t length) { return V > 2 ? length >= 4 : length >= 8 && length <= 64; }

  static constexpr int V = word::V;
  std::int64_t extent;  ///< of a row, in lines
  std::int64_t of_row;  ///< words
  std::int64_t count;   ///< of all rows

  template <class Grid>
  static words_of_rows of(Grid const& grid) {
    auto const extent = grid.across[0].extent, of_row = (extent + word::V - 1) / word::V;
    return {extent, of_row, grid.lines / extent * of_row};
  }
  /// The first line of a word.
  SWEEP_HD std::int64_t line(std::int64_t nth) const {
    auto const row = quotient(nth, of_row), last = extent - word::V, own = (nth - row * of_row) * word::V;
    return row * extent + (own < last ? own : last);
  }
};

/// The lines of a word, each of which is one chain.
template <int Batch, class Problem>
__device__ void march_word(Problem const& problem, bytes_of_array const& array, std::int64_t line) {
  using word = word_across<Problem>;
  constexpr int V = word::V, batch = Batch;
  auto const& grid = problem.grid;
  auto op = problem.op;
  each_of_pack<decltype(op), V> ops{op};
  auto const at = grid.place(line);
  auto sum = before_pack<V>(problem, line);
  auto from = at.in;
  for (std::int64_t first = 0; first < grid.length; first += batch, from += batch * grid.in) {
    words_in_turn<batch, Problem> x;
    int const count = static_cast<int>(min(grid.length - first, std::int64_t{batch}));
    x.load(problem, from, count, array);
    auto const fold = [&]<bool All>(std::bool_constant<All>) {
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (All || k < count) sum = {combine(sum, x.items[k].values(problem, from + k * grid.in), ops), true};
    };
    if (count == batch) fold(std::true_type{});
    else fold(std::false_type{});
  }
  bool packed = grid.across[0].stride.out == 1;
  if constexpr (std::is_pointer_v<decltype(problem.out)>)
    packed = packed && vector_aligned<V>(problem.out, at.out);
  if (packed) return store_pack(problem, at.out, sum.value);
#pragma unroll
  for (int v = 0; v < V; ++v) problem.put(at.out + v * grid.across[0].stride.out, sum.value.of[v]);
}

/// One chunk of the lines of 32 words, by a block: a warp has some of the chunk's strips.
template <class Problem>
struct chunk_of_words {
  using T = typename Problem::value;
  using told = T;  ///< nobody hears
  using word = word_across<Problem>;
  static constexpr int V = word::V, lines = 32 * V, turns = 4, most_warps = 32 / turns,
                       strip = strip_items<T, line_result::total>, chunk_length = 32 * strip;
  struct shared {
    alignas(16) uninitialized<T, 32 * lines> totals;  ///< (strips, lines)
  };
  static int warps_of(std::int64_t length) {
    auto const strips = (std::min(length, std::int64_t{chunk_length}) + strip - 1) / strip;
    return static_cast<int>((strips + turns - 1) / turns);
  }
  static std::int64_t windows_of(words_of_rows<Problem> const& words) { return (words.count + 31) / 32; }

  static __device__ void run(Problem const& problem, shared& memory, words_of_rows<Problem> const& words,
                             bytes_of_array const& array, std::int64_t window, std::int64_t chunk,
                             chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = warp_of_block(),
              warps = static_cast<int>(blockDim.x) / 32;
    auto const word0 = window * 32;
    int const there = static_cast<int>(min(words.count - word0, std::int64_t{32}));
    auto const first = chunk * chunk_length;
    int const of_chunk = static_cast<int>(min(grid.length - first, std::int64_t{chunk_length})),
              strips = (of_chunk + strip - 1) / strip;
    auto from = grid.place(words.line(word0 + min(lane, there - 1))).in + (first + warp * strip) * grid.in;
#pragma unroll 1
    for (int s = warp; s < strips; s += warps, from += warps * strip * grid.in) {
      int const count = min(of_chunk - s * strip, strip);
      words_in_turn<strip, Problem> x;
      x.load(problem, from, count, array);
      auto total = x.items[0].values(problem, from);
      auto const fold = [&]<bool All>(std::bool_constant<All>) {
#pragma unroll
        for (int k = 1; k < strip; ++k)
          if (All || k < count) total = ops(total, x.items[k].values(problem, from + k * grid.in));
      };
      if (count == strip) fold(std::true_type{});
      else fold(std::false_type{});
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(memory.totals[s * lines + lane * V + v], total.of[v]);
    }
    __syncthreads();
    // A thread folds a line's strips, in the brackets of a scan by a warp that has one in each of its first
    // lanes: those of the tree over a warp's lanes to whose left some have none.
    int const absent = 32 - strips;
    for (int own = static_cast<int>(threadIdx.x); own < there * V; own += static_cast<int>(blockDim.x)) {
      T x[32];
#pragma unroll
      for (int s = 0; s < 32; ++s)
        if (s >= absent) put_bytes(x[s], memory.totals[(s - absent) * lines + own]);
#pragma unroll
      for (int by = 1; by < 32; by *= 2)
#pragma unroll
        for (int s = 0; s < 32; s += 2 * by)
          put_bytes(x[s], s + by > absent ? op(x[s], x[s + by]) : x[s + by]);
      leave_total(problem, order, chunk, words.line(word0 + own / V) + own % V, x[0]);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
