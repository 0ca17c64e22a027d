// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_CYCLIC_REDUCTION_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_CYCLIC_REDUCTION_CUH

#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tile/relation_tree.cuh>
#include <sweep/detail/tridiagonal/tile/rows.cuh>
#include <sweep/detail/tridiagonal/tuning.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A row rid of its neighbours `before` and `behind`, whose own neighbours take their places.
template <class S>
__device__ tridiagonal_row<S> rid_of(tridiagonal_row<S> const& row, tridiagonal_row<S> const& before,
                                     tridiagonal_row<S> const& behind) {
  S const by = row.lower * inverse_or_zero(before.diagonal),
          next_by = row.upper * inverse_or_zero(behind.diagonal);
  return {S{} - before.lower * by, row.diagonal - before.upper * by - behind.lower * next_by,
          S{} - behind.upper * next_by, row.right - before.right * by - behind.right * next_by};
}

/// A block has a system in shared memory. Cyclic reduction (Hockney 1965): in each step every other row is
/// rid of its neighbours, until `parallel_rows` or fewer are left; all of these are rid of theirs in each
/// step of parallel cyclic reduction, until each stands alone; then the unknowns of the steps before, the
/// last first. Neither chooses pivots.
template <class Problem>
struct cyclic_reduction_job {
  using T = typename Problem::value_type;
  using S = typename Problem::number;
  static constexpr int threads = 256, blocks = 1;
  static constexpr int most_rows = most_reduction_rows(sizeof(S));
  static constexpr std::size_t dynamic_bytes(int) { return 2 * staged_rows<S>::bytes(most_rows); }

  Problem problem;
  int parallel_rows;

  __device__ void operator()() const {
    extern __shared__ __align__(16) unsigned char sweep_shared_rows[];
    auto const& layout = problem.layout;
    int const n = static_cast<int>(layout.n), thread = static_cast<int>(threadIdx.x);
    auto const place = problem.place_of(std::int64_t{blockIdx.x});
    staged_rows<S> rows(sweep_shared_rows, most_rows);
    staged_rows<S> others(sweep_shared_rows + staged_rows<S>::bytes(most_rows), most_rows);
    __shared__ staging_barrier landed;
    begin_staging(landed, 4);
    stage_neighbours<T>(problem.lower, place.coefficients, layout.row_stride, 1, n, rows.lower, landed);
    stage_neighbours<T>(problem.diagonal, place.coefficients, layout.row_stride, 0, n, rows.diagonal, landed);
    stage_neighbours<T>(problem.upper, place.coefficients, layout.row_stride, 0, n - 1, rows.upper, landed);
    stage_neighbours<T>(problem.right, place.values, layout.row_stride, 0, n, rows.right, landed);
    await_staged(landed);
    if (thread == 0) rows.lower[0] = rows.upper[n - 1] = S{};
    __syncthreads();

    // Rows stride - 1, 2 stride - 1, ... are left: n / stride of them.
    int stride = 1;
    for (; n / stride > parallel_rows; stride *= 2) {
      for (int i = 2 * stride - 1 + 2 * stride * thread; i < n; i += 2 * stride * threads)
        put(rows, i, rid_of(at(rows, i, n), at(rows, i - stride, n), at(rows, i + stride, n)));
      __syncthreads();
    }
    for (int by = stride; by < n; by *= 2) {
      for (int i = stride - 1 + stride * thread; i < n; i += stride * threads)
        put(others, i, rid_of(at(rows, i, n), at(rows, i - by, n), at(rows, i + by, n)));
      __syncthreads();
      for (int i = stride - 1 + stride * thread; i < n; i += stride * threads) put(rows, i, at(others, i, n));
      __syncthreads();
    }
    for (int i = stride - 1 + stride * thread; i < n; i += stride * threads)
      solve(rows, i, S{}, S{}, place.row);
    __syncthreads();
    for (stride /= 2; stride >= 1; stride /= 2) {
      for (int i = stride - 1 + 2 * stride * thread; i < n; i += 2 * stride * threads)
        solve(rows, i, i >= stride ? rows.right[i - stride] : S{},
              i + stride < n ? rows.right[i + stride] : S{}, place.row);
      __syncthreads();
    }
    write_neighbours(problem, place.values, n, rows.right);
  }

 private:
  /// A row, or where there is none one that says nothing.
  __device__ static tridiagonal_row<S> at(staged_rows<S> const& rows, int i, int n) {
    if (i < 0 || i >= n) return {S{}, one<S>(), S{}, S{}};
    return {rows.lower[i], rows.diagonal[i], rows.upper[i], rows.right[i]};
  }
  __device__ static void put(staged_rows<S> const& rows, int i, tridiagonal_row<S> const& row) {
    rows.lower[i] = row.lower;
    rows.diagonal[i] = row.diagonal;
    rows.upper[i] = row.upper;
    rows.right[i] = row.right;
  }
  __device__ void solve(staged_rows<S> const& rows, int i, S before, S behind, std::int64_t row) const {
    if (rows.diagonal[i] == S{}) note_singular(problem.first_singular, row + i);
    rows.right[i] = less_product(less_product(rows.right[i], rows.lower[i], before), rows.upper[i], behind) *
                    reciprocal(rows.diagonal[i]);
  }
};

template <class Policy, class Problem>
void solve_by_reduction(Policy const& policy, char const* call, Problem const& problem, solve_by how) {
  using job = cyclic_reduction_job<Problem>;
  if (problem.layout.n > job::most_rows)
    refuse_argument(call, "n", "is ", problem.layout.n, ", but a block that reduces cyclically holds ",
                    std::int64_t{job::most_rows}, " rows: the default variant has no such limit");
  int const parallel_rows = how == solve_by::cyclic_reduction ? 1
                            : how == solve_by::hybrid         ? job::threads
                                                              : job::most_rows;
  if (!facts_of<job>(call).fits) throw_plan_too_large(call, job::dynamic_bytes(0));
  launch_job(call, policy.stream(), problem.layout.solves(), job::threads, job{problem, parallel_rows},
             job::dynamic_bytes(0));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
