// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_WINDOWS_CUH
#define SWEEP_DETAIL_AXES_TILE_WINDOWS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// How lanes stand to the items of lines.
struct line_layout {
  bool in_along, out_along;  ///< neighbouring lanes take neighbours of a line; else neighbouring lines
  bool in_words, out_words;  ///< whole words of shared memory are whole vectors in memory
  bool in_items, out_items;  ///< single items stand on boundaries of their size
  bool lie = false;          ///< whether lines are folded as they lie in memory
};

/// 32 lines that lie along the axis, by a warp: what neighbouring lanes load and store are neighbours of a
/// line, and each lane scans a line in shared memory. A window is (32 lines, width items), 128 bytes a line.
template <class Problem>
struct line_window {
  using T = typename Problem::value;
  static constexpr int V = word_items<T>;
  static constexpr int width = fills_words<T> ? 8 * V : sizeof(T) <= 16 ? 8 : sizeof(T) <= 32 ? 4 : 2;
  static constexpr int pitch = width + (fills_words<T> ? V : 1);
  static constexpr int words = width / V;  ///< of a line

  struct shared {
    alignas(16) uninitialized<T, 32 * pitch> items;
    typename Problem::in_place in[32];  ///< where windows begin
    typename Problem::out_place out[32];
    int shift[32];  ///< places of a line's first window before its first item
  };

  Problem const& problem;
  shared& memory;
  line_layout how;
  std::int64_t line0;
  int lane = static_cast<int>(threadIdx.x % 32);
  int lines = static_cast<int>(min(problem.grid.lines - line0, std::int64_t{32}));

  __device__ void run() {
    auto const& grid = problem.grid;
    auto op = problem.op;
    auto const at = grid.place(min(line0 + lane, grid.lines - 1));
    auto sum = problem.before_line(at);
    int const shift = shift_of(at) % width;
    memory.in[lane] = at.in - shift * grid.in;
    memory.out[lane] = at.out - shift * grid.out;
    memory.shift[lane] = shift;
    __syncwarp();
    int const most = __reduce_max_sync(~0u, shift);
    auto const end = grid.length + most;
    for (std::int64_t window = 0; window < end; window += width) {
      if (lines == 32 && window >= most && window + width <= grid.length)
        run_window<true>(window, shift, sum, op);
      else run_window<false>(window, shift, sum, op);
    }
    if constexpr (Problem::what == line_result::total)
      if (lane < lines) problem.put(at.out, sum.value);
  }

 private:
  /// Windows keep to boundaries of the output, or else of the input.
  template <class Place>
  __device__ int shift_of(Place const& at) const {
    if constexpr (Problem::what != line_result::total)
      if (how.out_along) return places_before_boundary(problem.out, at.out, problem.grid.out);
    return how.in_along ? places_before_boundary(problem.in, at.in, problem.grid.in) : 0;
  }
  __device__ bool holds(int r, std::int64_t place) const {
    auto const p = place - memory.shift[r];
    return r < lines && p >= 0 && p < problem.grid.length;
  }

  __device__ bool holds_word(int r, std::int64_t place) const {
    auto const p = place - memory.shift[r];
    return r < lines && p >= 0 && p + V <= problem.grid.length;
  }

  template <bool Inner, class Op>
  __device__ void run_window(std::int64_t window, int shift, optional<T>& sum, Op& op) {
    auto const& grid = problem.grid;
    if (how.in_words) {
      T x[words][V];
#pragma unroll
      for (int i = 0; i < words; ++i) {
        auto const [r, k] = word_place(i);
        auto const at = memory.in[r] + (window + k) * grid.in;
        if (Inner || holds_word(r, window + k)) load_word(problem, at, x[i]);
        else
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (holds(r, window + k + v)) x[i][v] = problem.item(at + v * grid.in);
      }
#pragma unroll
      for (int i = 0; i < words; ++i) {
        auto const [r, k] = word_place(i);
        put_word(__builtin_addressof(memory.items[r * pitch + k]), x[i]);
      }
    } else {
      by_whole_items<std::remove_const_t<decltype(problem.in)>>(how.in_items, [&](auto whole) {
        // Items of a lane that wait for memory together: most where few lines are all that there is.
        constexpr int most = sizeof(T) <= 8    ? 16
                             : sizeof(T) <= 16 ? 8
                                               : 4,
                      batch = Inner && sizeof(T) > 4 ? most / 2 : most;
        int const rounds = Inner ? width : rounds_of(how.in_along);
        for (int first = 0; first < rounds; first += batch) {
          T x[batch];
#pragma unroll
          for (int i = 0; i < batch; ++i) {
            auto const [r, k] = place(first + i, how.in_along);
            if (first + i < width && (Inner || holds(r, window + k)))
              x[i] = item_of<decltype(whole)::value>(problem, memory.in[r] + (window + k) * grid.in);
          }
#pragma unroll
          for (int i = 0; i < batch; ++i) {
            auto const [r, k] = place(first + i, how.in_along);
            if (first + i < width && (Inner || holds(r, window + k)))
              put_one(__builtin_addressof(memory.items[r * pitch + k]), x[i]);
          }
        }
      });
    }
    __syncwarp();
    if constexpr (Inner) {
      auto begun = sum;
      T* const line = __builtin_addressof(memory.items[lane * pitch]);
#pragma unroll
      for (int i = 0; i < words; ++i) {
        T x[V];
        get_word(line + i * V, x);
#pragma unroll
        for (int v = 0; v < V; ++v) x[v] = next_of_line<Problem::what>(begun, x[v], op);
        if constexpr (Problem::what != line_result::total) put_word(line + i * V, x);
      }
      sum = begun;
    } else if (lane < lines) {
      auto const low = shift - window, high = low + grid.length;
      scan(static_cast<int>(max(low, std::int64_t{0})), static_cast<int>(min(high, std::int64_t{width})), sum,
           op, [&](int k) { return lane * pitch + k; });
    }
    __syncwarp();
    if constexpr (Problem::what != line_result::total) {
      if (how.out_words) {
#pragma unroll
        for (int i = 0; i < words; ++i) {
          auto const [r, k] = word_place(i);
          T x[V];
          get_word(__builtin_addressof(memory.items[r * pitch + k]), x);
          auto const at = memory.out[r] + (window + k) * grid.out;
          if (Inner || holds_word(r, window + k)) store_word(problem, at, x);
          else
#pragma unroll
            for (int v = 0; v < V; ++v)
              if (holds(r, window + k + v)) problem.put(at + v * grid.out, x[v]);
        }
      } else {
        constexpr int part = width < 4 ? width : 4;
        by_whole_items<std::remove_const_t<decltype(problem.out)>>(how.out_items, [&](auto whole) {
          int const rounds = Inner ? width : rounds_of(how.out_along);
          for (int first = 0; first < rounds; first += part) {
            decltype(problem.look(memory.out[0])) seen[part];
#pragma unroll
            for (int i = 0; i < part; ++i) {
              auto const [r, k] = place(first + i, how.out_along);
              if (Inner || holds(r, window + k))
                seen[i] = problem.look(memory.out[r] + (window + k) * grid.out);
            }
#pragma unroll
            for (int i = 0; i < part; ++i) {
              auto const [r, k] = place(first + i, how.out_along);
              if (Inner || holds(r, window + k))
                put_result<decltype(whole)::value>(problem, memory.out[r] + (window + k) * grid.out,
                                                   get_one(__builtin_addressof(memory.items[r * pitch + k])),
                                                   seen[i]);
            }
          }
        });
      }
      __syncwarp();
    }
  }

  struct line_and_item {
    int line, item;
  };
  __device__ line_and_item word_place(int i) const {
    int const j = 32 * i + lane;
    return {j / words, j % words * V};
  }
  /// Turns of a warp for a window of the lines that there are.
  __device__ int rounds_of(bool along) const { return along ? (lines * width + 31) / 32 : width; }
  __device__ line_and_item place(int i, bool along) const {
    int const j = 32 * i + lane;
    return along ? line_and_item{j / width, j % width} : line_and_item{lane, i};
  }

  template <class Op, class Where>
  __device__ void scan(int first, int end, optional<T>& sum, Op& op, Where where) const {
    for (int begin = first; begin < end; begin += 8) {
      T x[8];
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (begin + k < end) put_bytes(x[k], get_one(__builtin_addressof(memory.items[where(begin + k)])));
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (begin + k < end) {
          T const result = next_of_line<Problem::what>(sum, x[k], op);
          if constexpr (Problem::what != line_result::total)
            put_one(__builtin_addressof(memory.items[where(begin + k)]), result);
        }
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
