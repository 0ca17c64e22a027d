// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CONTIGUOUS_CUH
#define SWEEP_DETAIL_AXES_TILE_CONTIGUOUS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What lies in memory as one run passes through shared memory as it lies, in vectors, wherever it begins.

/// Neighbours in memory that are moved at once.
template <class It, class Item>
inline constexpr int neighbours_of_run = std::is_pointer_v<It>&& relocatable<Item>&& fills_words<Item>
                                             ? (sizeof(Item) <= 4   ? 4
                                                : sizeof(Item) <= 8 ? 2
                                                                    : 1)
                                             : 1;
/// How many items before item `at` a boundary of V of them lies.
template <int V, class It>
__device__ int behind_boundary(It const& it, std::int64_t at) {
  if constexpr (V > 1) return static_cast<int>(reinterpret_cast<std::uintptr_t>(it + at) / sizeof(*it) % V);
  else return 0;
}

/// Where item i of a run stands in shared memory, so that words of 16 bytes stay whole if item 0 stands
/// `shift` places behind the first word's boundary.
template <class T>
struct skewed_run {
  T* memory;
  int shift;
  __device__ T& operator()(int i) const { return memory[skewed<T>(i + shift)]; }
};
template <int V, class Place, class T>
inline constexpr bool moves_words = false;
template <int V, class T>
inline constexpr bool moves_words<V, skewed_run<T>, T> = fills_words<T>&& word_items<T> == V;

/// Items [0, count) of the run that begins at `from`, by a block: item i to place(i).
template <int Threads, class Problem, class Place>
__device__ void load_run(Problem const& problem, std::int64_t from, int count, Place place) {
  using T = typename Problem::value;
  constexpr int V = neighbours_of_run<decltype(problem.in), typename Problem::raw>;
  constexpr int fit = static_cast<int>(64 / (V * sizeof(T))), batch = fit < 1 ? 1 : fit > 8 ? 8 : fit;
  int const skipped = behind_boundary<V>(problem.in, from);
  auto const put = [&](int i, line_pack<T, V> const& x) {
    if constexpr (moves_words<V, Place, T>)
      if (place.shift == skipped) return put_word(&place(i), x.of);
#pragma unroll
    for (int v = 0; v < V; ++v) put_bytes(place(i + v), x.of[v]);
  };
  for (int begin = V * static_cast<int>(threadIdx.x) - skipped; begin < count; begin += V * Threads * batch) {
    pack_as_read<V, Problem> x[batch];
    if (begin >= 0 && begin + (batch - 1) * V * Threads + V <= count) {
#pragma unroll
      for (int k = 0; k < batch; ++k) x[k].load(problem, from + begin + k * V * Threads);
#pragma unroll
      for (int k = 0; k < batch; ++k) put(begin + k * V * Threads, x[k].values(problem));
    } else {
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (int const i = begin + k * V * Threads; i >= 0 && i + V <= count) x[k].load(problem, from + i);
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        int const i = begin + k * V * Threads;
        if (i >= 0 && i + V <= count) {
          put(i, x[k].values(problem));
        } else {
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (i + v >= 0 && i + v < count) put_bytes(place(i + v), problem.item(from + i + v));
        }
      }
    }
  }
}

/// The results at place(i), to items [0, count) of the run that begins at `to`.
template <int Threads, class Problem, class Place>
__device__ void store_run(Problem const& problem, std::int64_t to, int count, Place place) {
  using T = typename Problem::value;
  constexpr int V = neighbours_of_run<decltype(problem.out), typename Problem::out_value>;
  int const skipped = behind_boundary<V>(problem.out, to);
#pragma unroll 4
  for (int begin = V * static_cast<int>(threadIdx.x) - skipped; begin < count; begin += V * Threads) {
    if (begin >= 0 && begin + V <= count) {
      line_pack<T, V> x;
      bool words = false;
      if constexpr (moves_words<V, Place, T>) {
        words = place.shift == skipped;
        if (words) get_word(&place(begin), x.of);
      }
      if (!words)
#pragma unroll
        for (int v = 0; v < V; ++v) put_bytes(x.of[v], place(begin + v));
      store_pack<V>(problem, to + begin, x);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (begin + v >= 0 && begin + v < count) problem.put(to + begin + v, place(begin + v));
    }
  }
}

/// Whole lines that lie along the axis, one behind the other, by a block: memory is moved as it lies, and
/// threads scan lines in shared memory, each one at a time.
template <class Problem>
struct lines_of_run {
  using T = typename Problem::value;
  static constexpr int threads = 128, bytes = 24 << 10, fewest = 16;
  static constexpr int longest = static_cast<int>(2048 / sizeof(T));  ///< a line's items

  static SWEEP_HD constexpr int lines(std::int64_t length) {
    auto const fit = bytes / (length * std::int64_t{sizeof(T)});
    return static_cast<int>(fit < fewest ? fewest : fit) / fewest * fewest;
  }
  static SWEEP_HD constexpr std::size_t shared_bytes(std::int64_t length) {
    return (static_cast<std::size_t>(skewed<T>(lines(length) * static_cast<int>(length) + word_items<T>)) +
            1) *
           sizeof(T);
  }

  static __device__ void run(Problem const& problem, T* memory, std::int64_t line0, int lines) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const length = static_cast<int>(grid.length), count = lines * length;
    auto const at = grid.place(line0);
    bool const backward = grid.in < 0;
    constexpr int V = neighbours_of_run<decltype(problem.in), typename Problem::raw>;
    auto const from = at.in - (backward ? length - 1 : 0);
    skewed_run<T> const place{memory,
                              moves_words<V, skewed_run<T>, T> ? behind_boundary<V>(problem.in, from) : 0};
    load_run<threads>(problem, from, count, place);
    __syncthreads();
    for (int line = static_cast<int>(threadIdx.x); line < lines; line += threads) {
      auto const own = grid.place(line0 + line);
      auto sum = problem.before_line(own);
      int const first = line * length;
      auto const where = [&](int k) -> T& { return place(first + (backward ? length - 1 - k : k)); };
      auto const scan = [&]<int count>(int begin, std::integral_constant<int, count>) {
        T x[count];
#pragma unroll
        for (int k = 0; k < count; ++k) put_bytes(x[k], where(begin + k));
#pragma unroll
        for (int k = 0; k < count; ++k) {
          x[k] = next_of_line<Problem::what>(sum, x[k], op);
          if constexpr (Problem::what != line_result::total) put_bytes(where(begin + k), x[k]);
        }
      };
      int begin = 0;
      for (; begin + 8 <= length; begin += 8) scan(begin, std::integral_constant<int, 8>{});
      for (; begin < length; ++begin) scan(begin, std::integral_constant<int, 1>{});
      if constexpr (Problem::what == line_result::total) problem.put(own.out, sum.value);
    }
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      store_run<threads>(problem, at.out - (backward ? length - 1 : 0), count, place);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
