// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_FOLDED_LINES_CUH
#define SWEEP_DETAIL_AXES_TILE_FOLDED_LINES_CUH

#include <sweep/detail/axes/layout.cuh>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The bytes from the first item of an array to its last.
struct bytes_of_array {
  std::uintptr_t from, to;
};
template <class Problem>
bytes_of_array bytes_of_input(Problem const& problem) {
  auto const& grid = problem.grid;
  auto low = leading(grid.first.in), high = low;
  auto const reach = [&](std::int64_t span) { (span < 0 ? low : high) += span; };
  reach((grid.length - 1) * leading(grid.in));
  for (int r = 0; r < grid.axes; ++r) reach((grid.across[r].extent - 1) * leading(grid.across[r].stride.in));
  return {reinterpret_cast<std::uintptr_t>(problem.memory() + low),
          reinterpret_cast<std::uintptr_t>(problem.memory() + high + 1)};
}

/// Whether all lines begin at boundaries of 16 bytes.
template <class Problem>
bool lines_begin_at_words(Problem const& problem) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(typename Problem::raw));
  auto const& grid = problem.grid;
  bool all = reinterpret_cast<std::uintptr_t>(problem.in + grid.first.in) % 16 == 0;
  for (int r = 0; r < grid.axes; ++r)
    all = all && (grid.across[r].extent <= 1 || grid.across[r].stride.in * size % 16 == 0);
  return all;
}

/// Whether lines are worth it: of items that are made of narrower ones, of narrow items, and of wider ones
/// those for which neither runs of memory nor vectors come at its rate, as those of long lines do not.
template <class Problem>
bool are_worth_folding(Problem const& problem) {
  constexpr std::int64_t short_line = 1024, long_line = 6144,  // bytes
      long_chain = 1024;                                       // items
  if constexpr (Problem::makes_of_memory) return true;
  else if constexpr (sizeof(typename Problem::raw) < 4)
    return !(in_runs(problem) && lines_begin_at_words(problem) &&
             problem.grid.length * static_cast<std::int64_t>(sizeof(typename Problem::raw)) <= short_line);
  else
    return (!in_runs(problem) || problem.grid.length > long_chain) &&
           !(std::is_arithmetic_v<typename Problem::value> && lines_begin_at_words(problem) &&
             problem.grid.length <= long_chain &&
             problem.grid.length * static_cast<std::int64_t>(sizeof(typename Problem::raw)) <= long_line);
}

/// 32 lines, whose items are neighbours in memory, by a warp, a lane folding a line. 64 bytes of each line
/// are a window, or 128 of items that are made of them, from boundaries of memory on: lanes bring the words
/// of a window by asynchronous copies while the one before it is folded.
template <class Problem>
struct folded_lines {
  using T = typename Problem::value;
  using raw = typename Problem::in_memory;
  static constexpr bool possible =
      Problem::what == line_result::total && Problem::of_memory && relocatable<raw> && fills_words<raw>;
  static constexpr int words = Problem::makes_of_memory ? 8 : 4, pitch = words + 1, stages = 2,
                       width = 16 * words;
  struct shared {
    uint4 of[stages][32 * pitch];
    std::uintptr_t begin[32];  ///< of lines
  };

  Problem const& problem;
  shared& memory;
  bytes_of_array array;
  std::int64_t line0;
  int lane = static_cast<int>(threadIdx.x % 32);
  int lines = static_cast<int>(min(problem.grid.lines - line0, std::int64_t{32}));
  std::uintptr_t line_bytes = static_cast<std::uintptr_t>(problem.grid.length) * sizeof(raw);

  __device__ void run() const {
    auto op = problem.op;
    auto const at = problem.grid.place(line0 + min(lane, lines - 1));
    auto sum = problem.before_line(at);
    auto const begin = reinterpret_cast<std::uintptr_t>(problem.memory() + leading(at.in));
    memory.begin[lane] = begin;
    __syncwarp();
    auto const windows = (begin % width + line_bytes + width - 1) / width;
    auto const most = static_cast<std::int64_t>(__reduce_max_sync(~0u, static_cast<unsigned>(windows)));
    for (int w = 0; w < stages - 1; ++w) ask(w);
    for (std::int64_t w = 0; w < most; ++w) {
      ask(w + stages - 1);
      await_async_copies_but<stages - 1>();
      __syncwarp();
      fold(w, begin, at.in, sum, op);
      __syncwarp();
    }
    if (lane < lines) problem.put(at.out, sum.value);
  }

 private:
  /// A window is on its way: those of its words that hold some of their line, of which no byte outside of the
  /// array is touched.
  __device__ void ask(std::int64_t window) const {
    auto* const to = memory.of[window % stages];
#pragma unroll
    for (int i = 0; i < words; ++i) {
      int const r = (32 * i + lane) / words, k = lane % words;
      auto const begin = memory.begin[r],
                 at = begin - begin % width + static_cast<std::uintptr_t>(window * width + 16 * k);
      if (r >= lines || at + 16 <= begin || at >= begin + line_bytes) continue;
      auto* const place = to + r * pitch + k;
      if (at >= array.from && at + 16 <= array.to) {
        copy_16_bytes_async(place, reinterpret_cast<void const*>(at));
      } else {
        for (unsigned b = 0; b < 16; ++b)
          if (at + b >= array.from && at + b < array.to)
            reinterpret_cast<unsigned char*>(place)[b] = reinterpret_cast<unsigned char const*>(at)[b];
      }
    }
    end_first_async_copies();
  }

  template <class Op>
  __device__ void fold(std::int64_t window, std::uintptr_t begin, typename Problem::in_place const& first,
                       optional<T>& sum, Op& op) const {
    constexpr int V = 16 / static_cast<int>(sizeof(raw));
    auto const* const line = memory.of[window % stages] + lane * pitch;
    // Bytes of the window that are the line's.
    auto const before = static_cast<std::int64_t>(begin % width) - window * width;
    int const low = static_cast<int>(max(before, std::int64_t{0})),
              high =
                  static_cast<int>(min(before + static_cast<std::int64_t>(line_bytes), std::int64_t{width}));
    // The window's first item, which may lie before the line.
    auto const at = first - before / static_cast<std::int64_t>(sizeof(raw)) * problem.grid.in;
    auto const each = [&](auto wanted) {
      auto begun = sum;
      auto next_at = at;
#pragma unroll
      for (int k = 0; k < words; ++k) {
        item_vector<raw, V> vector;
        load_shared(reinterpret_cast<unsigned char const*>(line + k), vector);
        raw x[V];
        vector.unpack_numbers(x);
#pragma unroll
        for (int v = 0; v < V; ++v, next_at += problem.grid.in)
          if (wanted(16 * k + v * static_cast<int>(sizeof(raw)))) {
            T const next = problem.of_read(x[v], next_at);
            begun = {combine(begun, next, op), true};
          }
      }
      sum = begun;
    };
    if (__all_sync(~0u, low == 0 && high == width)) each([](int) { return true; });
    else each([&](int at) { return at >= low && at < high; });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
