// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TILE_ROWS_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_TILE_ROWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The rows of a tile in shared memory, an array for each coefficient and one for right-hand sides.
template <class S>
struct staged_rows {
  S *lower, *diagonal, *upper, *right;

  __device__ staged_rows(void* memory, int items)
      : lower{static_cast<S*>(memory)},
        diagonal{lower + items},
        upper{diagonal + items},
        right{upper + items} {}
  SWEEP_HD static constexpr std::size_t bytes(int items) {
    return 4 * sizeof(S) * static_cast<std::size_t>(items);
  }
};

/// Whether items of a range are copied as they stand.
template <class T, class It>
inline constexpr bool is_copied_as_bytes = [] {
  if constexpr (std::is_pointer_v<It>)
    return std::is_same_v<std::remove_cv_t<std::remove_pointer_t<It>>, T> && alignof(T) == sizeof(T);
  else return false;
}();

/// One item from a range to shared memory, on its way when this returns where it can be;
/// await_async_copies().
template <class T, class It>
__device__ void stage_item(It const& from, std::int64_t i, scalar<T>& to) {
  if constexpr (is_copied_as_bytes<T, It>) copy_async<sizeof(T)>(&to, from + i);
  else to = to_scalar<T>(static_cast<value_of<It>>(from[i]));
}

/// Items [begin, end) of `count` neighbours of a range, which stand `stride` apart from `base` on, by all
/// threads of a block.
template <class T, class It>
__device__ void stage_neighbours(It const& from, std::int64_t base, std::int64_t stride, int begin, int end,
                                 scalar<T>* to) {
  constexpr int V = 16 / sizeof(T);
  int const thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if constexpr (is_copied_as_bytes<T, It> && V > 1) {
    if (stride == 1 && reinterpret_cast<std::uintptr_t>(from + base) % 16 == 0) {
      int const first = (begin + V - 1) / V, last = end / V;
      for (int v = first + thread; v < last; v += threads)
        copy_16_bytes_async(to + v * V, from + base + v * V);
      // What is left at both ends is less than a vector each.
      int const before = min(first * V, end), after = max(last * V, before);
      if (thread < before - begin) stage_item<T>(from, base + begin + thread, to[begin + thread]);
      if (thread < end - after) stage_item<T>(from, base + after + thread, to[after + thread]);
      return;
    }
  }
  for (int i = begin + thread; i < end; i += threads) stage_item<T>(from, base + i * stride, to[i]);
}

/// Solutions of neighbouring rows from shared memory to where they go.
template <class Problem>
__device__ void write_neighbours(Problem const& problem, std::int64_t base, int count,
                                 typename Problem::number const* from) {
  using T = typename Problem::value_type;
  using out = decltype(problem.solution);
  constexpr int V = 16 / sizeof(T);
  auto const stride = problem.layout.row_stride;
  int const thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  int done = 0;
  if constexpr (is_copied_as_bytes<T, out>)
    if (stride == 1 && reinterpret_cast<std::uintptr_t>(problem.solution + base) % 16 == 0) {
      auto* const to = reinterpret_cast<uint4*>(problem.solution + base);
      auto* const words = reinterpret_cast<uint4 const*>(from);
      for (int v = thread; v < count / V; v += threads) __stcs(to + v, words[v]);
      done = count / V * V;
    }
  for (int i = done + thread; i < count; i += threads) problem.write(base + i * stride, from[i]);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
