// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TILE_ROWS_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_TILE_ROWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/bulk_copy.cuh>
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

/// What staged rows are awaited at, in shared memory.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
using staging_barrier = stage_barrier;
#else
struct staging_barrier {};
#endif

/// Items [begin, end) of neighbours in a range, which stand `stride` apart from `base` on, by all threads of
/// a block; on their way when this returns: await_staged(). `landed` expects an arrival for each such call.
template <class T, class It>
__device__ void stage_neighbours(It const& from, std::int64_t base, std::int64_t stride, int begin, int end,
                                 scalar<T>* to, staging_barrier& landed) {
  constexpr int V = 16 / sizeof(T);
  int const thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if constexpr (is_copied_as_bytes<T, It>) {
    if (stride == 1 && reinterpret_cast<std::uintptr_t>(from + base) % 16 == 0) {
      int const first = (begin + V - 1) / V * V, last = end / V * V;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      if (thread == 0) {
        auto const bytes = last > first ? static_cast<unsigned>(last - first) * unsigned{sizeof(T)} : 0u;
        landed.arrive_expecting(bytes);
        if (bytes > 0) bulk_load(to + first, from + base + first, bytes, landed);
      }
#else
      for (int i = first + thread * V; i < last; i += threads * V)
        copy_16_bytes_async(to + i, from + base + i);
#endif
      // What is left at both ends is less than a vector each.
      int const before = min(first, end), after = max(last, before);
      if (thread < before - begin) stage_item<T>(from, base + begin + thread, to[begin + thread]);
      if (thread < end - after) stage_item<T>(from, base + after + thread, to[after + thread]);
      return;
    }
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (thread == 0) landed.arrive_expecting(0);
#endif
  for (int i = begin + thread; i < end; i += threads) stage_item<T>(from, base + i * stride, to[i]);
}
/// Before the first of so many calls of stage_neighbours, and behind the last.
__device__ inline void begin_staging(staging_barrier& landed, unsigned calls) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (threadIdx.x == 0) {
    landed.init(calls);
    fence_barrier_init();
  }
  __syncthreads();
#endif
}
__device__ inline void await_staged(staging_barrier& landed) {
  await_async_copies();
  __syncthreads();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  landed.wait(0);
#endif
}

/// Solutions of neighbouring rows from shared memory to where they go, by all threads of a block, which meet.
template <class Problem>
__device__ void write_neighbours(Problem const& problem, std::int64_t base, int count,
                                 typename Problem::number const* from) {
  using T = typename Problem::value_type;
  using out = decltype(problem.solution);
  constexpr int V = 16 / sizeof(T);
  auto const stride = problem.layout.row_stride;
  int const thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  int done = 0;
  bool by_bytes = false;
  if constexpr (is_copied_as_bytes<T, out>)
    by_bytes = stride == 1 && reinterpret_cast<std::uintptr_t>(problem.solution + base) % 16 == 0;
  if (by_bytes) done = count / V * V;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (by_bytes) fence_before_bulk();
#endif
  __syncthreads();
  if constexpr (is_copied_as_bytes<T, out>)
    if (by_bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
      if (thread == 0 && done > 0)
        bulk_store(problem.solution + base, from, static_cast<unsigned>(done) * sizeof(T));
#else
      for (int i = thread * V; i < done; i += threads * V)
        __stcs(reinterpret_cast<uint4*>(problem.solution + base + i),
               *reinterpret_cast<uint4 const*>(from + i));
#endif
    }
  for (int i = done + thread; i < count; i += threads) problem.write(base + i * stride, from[i]);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (by_bytes && thread == 0) await_bulk_reads<0>();
#endif
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
