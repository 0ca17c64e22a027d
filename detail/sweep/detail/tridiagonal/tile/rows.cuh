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

/// One thread's rows of those: row j stands at first + j * Step. What an elimination keeps of a row takes the
/// row's place, and a solution that of the right-hand side.
template <class S, int Step>
struct staged_chunk {
  staged_rows<S> all;
  int first;

  __device__ int at(int j) const { return first + j * Step; }
  __device__ tridiagonal_row<S> operator()(int j) const {
    int const i = at(j);
    return equilibrated(tridiagonal_row<S>{all.lower[i], all.diagonal[i], all.upper[i], all.right[i]});
  }
  __device__ void keep(int j, kept_row<S> const& row) const {
    int const i = at(j);
    all.diagonal[i] = row.next;
    all.upper[i] = row.beyond;
    all.right[i] = row.value;
  }
  __device__ kept_row<S> kept(int j) const {
    int const i = at(j);
    return {all.diagonal[i], all.upper[i], all.right[i]};
  }
  __device__ void solve(int j, S x) const { all.right[at(j)] = x; }
};

/// The same where what is kept has a fifth part.
template <class S>
struct spiked_chunk : staged_chunk<S, 1> {
  S* left_above;

  __device__ void keep(int j, spiked_row<S> const& row) const {
    int const i = this->at(j);
    this->all.lower[i] = row.left.below;
    left_above[i] = row.left.above;
    this->all.diagonal[i] = row.next;
    this->all.upper[i] = row.beyond;
    this->all.right[i] = row.value;
  }
  __device__ spiked_row<S> kept(int j) const {
    int const i = this->at(j);
    return {
        {this->all.lower[i], left_above[i]}, this->all.diagonal[i], this->all.upper[i], this->all.right[i]};
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
/// threads of a block of so many.
template <class T, int Threads, class It>
__device__ void stage_neighbours(It const& from, std::int64_t base, std::int64_t stride, int begin, int end,
                                 scalar<T>* to) {
  constexpr int V = 16 / sizeof(T);
  int const thread = static_cast<int>(threadIdx.x);
  if constexpr (is_copied_as_bytes<T, It> && V > 1) {
    if (stride == 1 && reinterpret_cast<std::uintptr_t>(from + base) % 16 == 0) {
      int const first = (begin + V - 1) / V, last = end / V;
      for (int v = first + thread; v < last; v += Threads)
        copy_16_bytes_async(to + v * V, from + base + v * V);
      // What is left at both ends is less than a vector each.
      int const before = min(first * V, end), after = max(last * V, before);
      if (thread < before - begin) stage_item<T>(from, base + begin + thread, to[begin + thread]);
      if (thread < end - after) stage_item<T>(from, base + after + thread, to[after + thread]);
      return;
    }
  }
  for (int i = begin + thread; i < end; i += Threads) stage_item<T>(from, base + i * stride, to[i]);
}

/// Solutions of neighbouring rows from shared memory to where they go.
template <int Threads, class Problem>
__device__ void write_neighbours(Problem const& problem, std::int64_t base, int count,
                                 typename Problem::number const* from) {
  using T = typename Problem::value_type;
  using out = decltype(problem.solution);
  constexpr int V = 16 / sizeof(T);
  auto const stride = problem.layout.row_stride;
  int const thread = static_cast<int>(threadIdx.x);
  int done = 0;
  if constexpr (is_copied_as_bytes<T, out>)
    if (stride == 1 && reinterpret_cast<std::uintptr_t>(problem.solution + base) % 16 == 0) {
      auto* const to = reinterpret_cast<uint4*>(problem.solution + base);
      auto* const words = reinterpret_cast<uint4 const*>(from);
      for (int v = thread; v < count / V; v += Threads) __stcs(to + v, words[v]);
      done = count / V * V;
    }
  for (int i = done + thread; i < count; i += Threads) problem.write(base + i * stride, from[i]);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
