// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_LINES_OF_RUN_CUH
#define SWEEP_DETAIL_AXES_TILE_LINES_OF_RUN_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/contiguous.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Neighbours of a line, `units` of N items each, that stand `step` items apart in shared memory: a chain by
/// one thread, who asks for some of them while it folds those before. N of more than one are a word.
template <line_result What, int N, class T, class Op>
__device__ void chain_in_shared(T* at, int step, int units, optional<T>& sum, Op& op) {
  constexpr int most = sizeof(T) <= 4 ? 8 : sizeof(T) <= 16 ? 4 : 2, batch = most > N ? most / N : 1;
  struct unit {
    T of[N];
  };
  auto const get = [](T const* from, unit& x) {
    if constexpr (N > 1) get_word(from, x.of);
    else put_bytes(x.of[0], get_one(from));
  };
  auto const fold = [&](T* to, unit& x) {
    if (N > 1 && step < 0) turn_round(x.of);
#pragma unroll
    for (int v = 0; v < N; ++v) x.of[v] = next_of_line<What>(sum, x.of[v], op);
    if constexpr (What != line_result::total) {
      if (N > 1 && step < 0) turn_round(x.of);
      if constexpr (N > 1) put_word(to, x.of);
      else put_one(to, x.of[0]);
    }
  };
  if (units > batch) {
    unit x[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) get(at + k * step, x[k]);
    fold(at, x[0]);
    sum.present = true;  // which need not be asked again
#pragma unroll
    for (int k = 1; k < batch; ++k) fold(at + k * step, x[k]);
    at += batch * step;
    units -= batch;
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (k < units) get(at + k * step, x[k]);
#pragma unroll 2
    for (; units >= batch; units -= batch) {
      T* const next = at + batch * step;
      unit ahead[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (k < units - batch) get(next + k * step, ahead[k]);
#pragma unroll
      for (int k = 0; k < batch; ++k) fold(at + k * step, x[k]);
      at = next;
#pragma unroll
      for (int k = 0; k < batch; ++k) x[k] = ahead[k];
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (k < units) fold(at + k * step, x[k]);
    return;
  }
#pragma unroll 1
  for (; units > 0; --units, at += step) {
    unit x;
    get(at, x);
    fold(at, x);
  }
}

/// Whole lines that are one run in memory, by a block: memory is moved as it lies, and threads scan lines in
/// shared memory, each one at a time. Lines lie one behind the other, or so many side by side, row after row.
/// Of lines that are cut into chunks, of which each has up to three, threads have strips.
template <class Problem>
struct lines_of_run {
  using T = typename Problem::value;
  using apart = lines_apart<T>;
  static constexpr int threads = 128, warps = threads / 32, bytes = 24 << 10, most_of_rows = 2 * bytes,
                       most_chunks = 3;
  static constexpr int longest = static_cast<int>(6144 / sizeof(T));  ///< a line's items, where it is one run
  static constexpr std::size_t most_bytes = most_of_rows + 1024;

  std::int64_t length;
  int beside, chunks;  ///< lines side by side; a line's chunks, 0 of one that is one chain

  SWEEP_HD constexpr typename apart::layout how() const {
    return chunks > 0 ? apart::of_strips() : apart::of(static_cast<int>(length * beside));
  }
  /// Of a block.
  constexpr int lines() const {
    constexpr int room = bytes / static_cast<int>(sizeof(T)) - word_items<T>;
    auto const rows = room * how().group / (how().group + how().gap) / (length * beside) * beside;
    auto const together = beside > 1 ? beside : rows < 32 ? 1 : rows < threads ? 32 : threads;
    return static_cast<int>(rows < together ? together : rows / together * together);
  }
  /// That a block's threads have at once, or its warps of lines in chunks.
  constexpr int lines_of_turn() const {
    if (chunks == 0) return (threads + beside - 1) / beside * beside;
    if (beside > 1) return beside;
    constexpr int strip = strip_items<T, Problem::what>;
    return warps * std::max(1, 32 / static_cast<int>((length + strip - 1) / strip));
  }
  constexpr std::size_t shared_bytes(int of_block) const {
    return static_cast<std::size_t>(places(of_block) + (leaves_totals() ? of_block : 0)) * sizeof(T) + 16;
  }

  __device__ void run(Problem const& problem, T* memory, std::int64_t line0, int of_block) const {
    auto const& grid = problem.grid;
    int const items = static_cast<int>(length), count = of_block * items;
    auto const at = grid.place(line0);
    bool const backward = leading(grid.in) < 0;
    constexpr int V = neighbours_of_run<decltype(problem.in), typename Problem::raw, T>;
    // As they lie in memory: backward the last item of a line first.
    auto const along = [&](auto const& first, auto const& step, auto const& across) {
      using place = std::remove_cvref_t<decltype(step)>;
      return places_of_run<place>(backward ? first + (items - 1) * step : first, backward ? -1 * step : step,
                                  across, items);
    };
    auto const from = along(at.in, grid.in, grid.across[0].stride.in);
    apart const place{memory, moves_words<V, apart, T> ? behind_boundary<V>(problem.in, from.first) : 0,
                      how().gap, small_divisor(how().group)};
    load_run<sizeof(typename Problem::raw) < sizeof(T) ? 128 : 64>(threads, problem, from, count, place);
    __syncthreads();
    if (chunks > 0) {
#pragma unroll 1
      for (int c = 0; c < chunks; ++c) {
        if (c > 0) __syncthreads();
        scan_chunk(problem, place, memory + places(of_block), line0, of_block, c, backward);
      }
      if constexpr (Problem::what == line_result::total) {
        __syncthreads();
        for (int line = static_cast<int>(threadIdx.x); line < of_block; line += threads) {
          auto op = problem.op;
          auto const own = grid.place(line0 + line);
          problem.put(own.out, combine(problem.before_line(own), memory[places(of_block) + line], op));
        }
      }
    } else if (items == 1) {  // nothing to walk along
      for (int line = static_cast<int>(threadIdx.x); line < of_block; line += threads) {
        auto op = problem.op;
        auto const own = grid.place(line0 + line);
        auto sum = problem.before_line(own);
        T const result = next_of_line<Problem::what>(sum, get_one(__builtin_addressof(place(line))), op);
        if constexpr (Problem::what == line_result::total) problem.put(own.out, sum.value);
        else put_one(__builtin_addressof(place(line)), result);
      }
    } else {
      small_divisor const side_by_side(beside);
      for (int line = static_cast<int>(threadIdx.x); line < of_block; line += threads)
        walk(problem, place, line0 + line, line, items, side_by_side, backward);
    }
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      store_run(threads, problem, along(at.out, grid.out, grid.across[0].stride.out), count, place);
    }
  }

 private:
  /// Whether totals of lines' chunks are left in shared memory: for the next chunk, or as those of their
  /// lines.
  SWEEP_HD constexpr bool leaves_totals() const {
    return chunks > 1 || (chunks > 0 && Problem::what == line_result::total);
  }
  SWEEP_HD constexpr int places(int of_block) const {
    int const items = of_block * static_cast<int>(length) + word_items<T>;
    return items + items / how().group * how().gap + 1;
  }

  /// A chunk of each line: its strips are neighbouring lanes', of as many lines as a warp has room for.
  __device__ void scan_chunk(Problem const& problem, apart const& place, T* totals, std::int64_t line0,
                             int of_block, int chunk, bool backward) const {
    auto op = problem.op;
    constexpr int strip = strip_items<T, Problem::what>, V = word_items<T>;
    int const items = static_cast<int>(length), first = chunk * 32 * strip,
              count = min(items - first, 32 * strip), strips = (count + strip - 1) / strip;
    int const lane = static_cast<int>(threadIdx.x % 32), nth = lane / strips, s = lane - nth * strips,
              at_once = 32 / strips;
    bool const in_words = V > 1 && strip % V == 0 && place.shift == 0 && items % V == 0 && beside == 1;
    small_divisor const side_by_side(beside);
    [[maybe_unused]] bool const is_last = first + count == items;
#pragma unroll 1
    for (int from = static_cast<int>(threadIdx.x / 32) * at_once; from < of_block; from += warps * at_once) {
      bool const exists = nth < at_once && from + nth < of_block;
      int const line = exists ? from + nth : 0, mine = exists ? min(strip, count - s * strip) : 0,
                row = side_by_side.quotient(line),
                begin = (row * items + (backward ? items - first - s * strip : first + s * strip)) * beside +
                        line - row * beside;
      // Items [k, k + N) of the strip, in the order of the scan.
      T x[strip];
      auto const each = [&]<int N>(std::integral_constant<int, N>, auto work) {
        int const low = begin + place.shift - (backward ? N * beside : 0),
                  step = backward ? -N * beside : N * beside;
#pragma unroll
        for (int k = 0; k < strip; k += N)
          if (k < mine) work(place.memory + skewed<T>(low + k / N * step), x + k);
      };
      constexpr std::integral_constant<int, V> words{};
      constexpr std::integral_constant<int, 1> single{};
      if (in_words)
        each(words, [&](T const* at, T* to) {
          T word[V];
          get_word(at, word);
          if (backward) turn_round(word);
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (v < strip) to[v] = word[v];
        });
      else each(single, [](T const* at, T* to) { put_bytes(*to, get_one(at)); });
      T sum = x[0];
#pragma unroll
      for (int k = 1; k < strip; ++k)
        if (k < mine) sum = op(sum, x[k]);
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        if (by >= strips) break;
        T const left = warp_shfl_up(sum, by);
        if (s >= by && exists) sum = op(left, sum);
      }
      [[maybe_unused]] T const left = warp_shfl_up(sum, 1);
      if (!exists) continue;
      if constexpr (Problem::what == line_result::total) {
        if (s == strips - 1) put_bytes(totals[line], sum);
      } else {
        optional<T> before{};
        if (chunk == 0) before = problem.before_line(problem.grid.place(line0 + line));
        else {
          put_bytes(before.value, totals[line]);
          before.present = true;
        }
        if (s == strips - 1 && !is_last) put_bytes(totals[line], combine(before, sum, op));
        if (s > 0) before = {combine(before, left, op), true};
#pragma unroll
        for (int k = 0; k < strip; ++k)
          if (k < mine) x[k] = next_of_line<Problem::what>(before, x[k], op);
        if (in_words)
          each(words, [&](T* at, T const* from_strip) {
            T word[V];
#pragma unroll
            for (int v = 0; v < V; ++v)
              if (v < strip) word[v] = from_strip[v];
            if (backward) turn_round(word);
            put_word(at, word);
          });
        else each(single, [](T* at, T const* one) { put_one(at, *one); });
      }
    }
  }

  __device__ void walk(Problem const& problem, apart const& place, std::int64_t line, int nth, int items,
                       small_divisor const& side_by_side, bool backward) const {
    auto op = problem.op;
    auto const own = problem.grid.place(line);
    auto sum = problem.before_line(own);
    int const row = side_by_side.quotient(nth), lowest = row * items * beside + nth - row * beside;
    constexpr int V = word_items<T>;
    bool in_words = false;
    if constexpr (V > 1) {
      in_words = beside == 1 && place.shift == 0 && items % V == 0;
      if (in_words)
        chain_in_shared<Problem::what, V>(&place(lowest) + (backward ? items - V : 0), backward ? -V : V,
                                          items / V, sum, op);
    }
    if (!in_words) {
      int const groups = place.gap > 0 ? place.group.quotient(lowest + place.shift) : 0;
      T* low = place.memory + lowest + place.shift + place.gap * groups;
      int left = items, behind = 0;
      // Where a line begins between words, places may be left out behind some of its items.
      if (place.gap > 0 && place.shift > 0) {
        int const end = (groups + 1) * static_cast<int>(place.group.divisor) - lowest - place.shift;
        behind = max(items - side_by_side.quotient(end + beside - 1), 0);
        left -= behind;
        if (backward && behind > 0) {
          low += left * beside + place.gap;
          int const first = behind;
          behind = left;
          left = first;
        }
      }
#pragma unroll 1
      while (true) {
        chain_in_shared<Problem::what, 1>(backward ? low + (left - 1) * beside : low,
                                          backward ? -beside : beside, left, sum, op);
        if (behind == 0) break;
        low += backward ? -behind * beside - place.gap : left * beside + place.gap;
        left = behind;
        behind = 0;
      }
    }
    if constexpr (Problem::what == line_result::total) problem.put(own.out, sum.value);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
