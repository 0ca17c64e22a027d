// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SDDMM_DEVICE_CUH
#define SWEEP_DETAIL_SDDMM_DEVICE_CUH

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sddmm/problem.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Warps with some batches of 32 neighbouring entries each, one a lane: where a warp's rows lie is looked for
/// once. A group of lanes folds its lanes' entries, R at once, so that their loads do not wait for each
/// other. Shape of an entry's products: (rounds, group's lanes, U neighbours); a round folds the lanes'
/// folds, in their order.
template <class Problem>
struct sddmm_job {
  using V = typename Problem::value;
  static constexpr int threads = 256, warps = threads / 32, U = sizeof(V) <= 8 ? 4 : 1;
  using X = decltype(Problem::x);
  using Y = decltype(Problem::y);
  using index = std::remove_cv_t<value_of<decltype(Problem::indices)>>;
  using x_item = std::remove_cv_t<value_of<X>>;
  using y_item = std::remove_cv_t<value_of<Y>>;
  static constexpr bool can_be_vectors = is_vector_of<X, U> && is_vector_of<Y, U>;
  static constexpr int words = U * static_cast<int>(sizeof(x_item) + sizeof(y_item)) / 4;  // of an entry
  static constexpr int R = words <= 8 ? 4 : words <= 16 ? 2 : 1, blocks = can_be_vectors ? 3 : 1;
  Problem problem;
  int group;     ///< lanes that fold an entry together, a power of two
  int entries;   ///< of a warp, whole batches
  bool vectors;  ///< whether all of x's rows, and of y's columns, are vectors of memory of U neighbours

  __device__ void operator()() const {
    auto const first = (std::int64_t{blockIdx.x} * warps + threadIdx.x / 32) * entries;
    if (first >= problem.n) return;
    int const count = static_cast<int>(min(problem.n - first, static_cast<std::int64_t>(entries)));
    // The rows that the warp's entries are in lie between those of the first and the last.
    auto const of_half = first + (lane() < 16 ? 0 : count - 1);
    auto const guess = static_cast<std::int64_t>(static_cast<float>(of_half) / static_cast<float>(problem.n) *
                                                 static_cast<float>(problem.rows));
    auto const found = half_warp_find_first(0, problem.rows, guess,
                                            [&](std::int64_t r) { return !problem.ends_before(r, of_half); });
    auto low = warp_shfl(found, 0);
    auto const high = warp_shfl(found, 16);
    auto const column_of = [&](int k) {
      return static_cast<index>(problem.indices[first + min(k, count - 1)]);
    };
    auto const row_of = [&](int k) { return problem.row_of(first + min(k, count - 1), low, high); };
    if constexpr (can_be_vectors)
      if (vectors && group == 1) {
        // A batch's folds wait for nothing but its loads: those of R batches are made at once.
#pragma unroll 1
        for (int k = lane(); k - lane() < count; k += 32 * R) {
          std::int64_t rows[R];
          index columns[R];
          V sums[R];
#pragma unroll
          for (int e = 0; e < R; ++e) columns[e] = column_of(k + 32 * e);
#pragma unroll
          for (int e = 0; e < R; ++e) rows[e] = row_of(k + 32 * e);
          fold_products<R, true>(rows, columns, 0, sums);
#pragma unroll
          for (int e = 0; e < R; ++e)
            if (k + 32 * e < count) problem.put(first + k + 32 * e, rows[e], sums[e]);
        }
        return;
      }
#pragma unroll 1
    for (int k = lane(); k - lane() < count; k += 32) {
      auto const column = column_of(k);
      auto const row = row_of(k);
      low = warp_shfl(row, 31);
      V mine = problem.zero;
      if constexpr (can_be_vectors) {
        constexpr int few = R < 2 ? R : 2;
        if (vectors && group >= R) fold_batch<R, true>(row, column, mine);
        else if (vectors) fold_batch<few, true>(row, column, mine);
        else fold_batch<1, false>(row, column, mine);
      } else {
        fold_batch<1, false>(row, column, mine);
      }
      if (k < count) problem.put(first + k, row, mine);
    }
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x % 32); }

  /// The folds of a batch, each in its entry's lane.
  template <int N, bool Vectors>
  __device__ void fold_batch(std::int64_t row, index column, V& mine) const {
    int const place = lane() & (group - 1);
#pragma unroll 1
    for (int turn = 0; turn < group; turn += N) {
      std::int64_t rows[N];
      index columns[N];
#pragma unroll
      for (int e = 0; e < N; ++e) {
        rows[e] = warp_shfl(row, lane() - place + turn + e);
        columns[e] = warp_shfl(column, lane() - place + turn + e);
      }
      V sums[N];
      fold_products<N, Vectors>(rows, columns, place, sums);
#pragma unroll
      for (int e = 0; e < N; ++e) {
        V const sum = warp_shfl(sums[e], lane() - place);
        if (place == turn + e) put_bytes(mine, sum);
      }
    }
  }

  /// What N entries' products come to, in the first lane of a group. All lanes of a warp make as many rounds.
  template <int N, bool Vectors>
  __device__ void fold_products(std::int64_t const (&rows)[N], index const (&columns)[N], int place,
                                V (&sums)[N]) const {
    using step = std::conditional_t<Vectors, int, std::int64_t>;
    auto const depth = static_cast<step>(problem.depth);
#pragma unroll
    for (int e = 0; e < N; ++e) put_bytes(sums[e], problem.zero);
#pragma unroll 1
    for (step base = 0; base < depth; base += group * U) {
      auto const at = base + place * U;
      V some[N];
#pragma unroll
      for (int e = 0; e < N; ++e) put_bytes(some[e], problem.zero);
      if constexpr (Vectors) {
        if (at < depth) fold_vectors<N>(rows, columns, at, some);
      } else {
#pragma unroll
        for (int u = 0; u < U; ++u)
          if (at + u < depth)
#pragma unroll
            for (int e = 0; e < N; ++e) {
              V const next = problem.product(rows[e], static_cast<std::int64_t>(columns[e]), at + u);
              put_bytes(some[e], u == 0 ? next : problem.fold(some[e], next));
            }
      }
      auto const left = (depth - base + U - 1) / U;
      int const have = left < group ? static_cast<int>(left) : group;
      for (int by = 1; by < group; by *= 2)
#pragma unroll
        for (int e = 0; e < N; ++e) {
          V const other = warp_shfl_down(some[e], by);
          if ((place & (2 * by - 1)) == 0 && place + by < have)
            put_bytes(some[e], problem.fold(some[e], other));
        }
#pragma unroll
      for (int e = 0; e < N; ++e) put_bytes(sums[e], base == 0 ? some[e] : problem.fold(sums[e], some[e]));
    }
  }
  /// U neighbouring products of each. A row of x is asked for once by entries that follow each other in it.
  template <int N>
  __device__ void fold_vectors(std::int64_t const (&rows)[N], index const (&columns)[N], int at,
                               V (&some)[N]) const {
    column_items<x_item, U> x[N];
    column_items<y_item, U> y[N];
#pragma unroll
    for (int e = 0; e < N; ++e) {
      if (e == 0 || rows[e] != rows[e - 1]) load(problem.x + (rows[e] * problem.x_row + at), x[e]);
      load(problem.y + (static_cast<std::int64_t>(columns[e]) * problem.y_column + at), y[e]);
    }
#pragma unroll
    for (int e = 0; e < N; ++e) {
      if (e > 0)
        if (rows[e] == rows[e - 1]) put_bytes(x[e], x[e - 1]);
#pragma unroll
      for (int u = 0; u < U; ++u) {
        V const next = static_cast<V>(problem.times(x[e].of[u], y[e].of[u]));
        put_bytes(some[e], u == 0 ? next : problem.fold(some[e], next));
      }
    }
  }
  template <class Item>
  static __device__ void load(Item const* from, column_items<Item, U>& items) {
    constexpr auto aligned_to = sizeof items < 16 ? sizeof items : std::size_t{16};
    std::memcpy(static_cast<void*>(&items), __builtin_assume_aligned(from, aligned_to), sizeof items);
  }
};

template <class Source, class... Tags, class Problem>
void run_sddmm(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = sddmm_job<Problem>;
  int group = 1;  // as many lanes as one round of a short product keeps busy
  while (group < 32 && group * job::U < problem.depth) group *= 2;
  // As many batches as leave warps enough.
  constexpr std::int64_t most = 256, warps_wanted = 8192;
  auto const shared = (problem.n / warps_wanted + 31) / 32 * 32;
  auto const entries = shared < 32 ? 32 : shared < most ? shared : most, of_block = entries * job::warps;
  bool const vectors = problem.depth % job::U == 0 && problem.depth < std::int64_t{1} << 30 &&
                       in_vectors<job::U>(problem.x, problem.x_row, problem.x_step, job::U) &&
                       in_vectors<job::U>(problem.y, problem.y_column, problem.y_step, job::U);
  launch_job(call, policy.stream(), (problem.n + of_block - 1) / of_block, job::threads,
             job{problem, group, static_cast<int>(entries), vectors});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
