// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SPMM_HPP
#define SWEEP_SPMM_HPP

#include <sweep/csr.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/spmv/columns.hpp>
#include <sweep/semiring.hpp>
#include <sweep/spmv.hpp>
#include <sweep/strided.hpp>

/// \file
/// Products of a sparse matrix and a dense one, over any semiring.

namespace sweep::inline SWEEP_ABI {

namespace detail {

/// A dense matrix of a product: an array of two axes.
template <class T, class Policy>
concept dense_for = array_like<T> && rank_of<T>
== 2 && iterator_for<array_iterator<T>, Policy>;
template <class T, class Policy>
concept output_dense_for = dense_for<T, Policy> && output_for<array_iterator<T>, Policy>;

}  // namespace detail

/// \addtogroup spmv
/// @{

/// Sparse matrix times dense matrix: y[r][c] = the fold by plus of times(a[r][i], x[i][c]) over the entries
/// of row r; each column of y is spmv of that of x. Other promises as spmv.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param a       a csr_view; rows that it does not want (where) are left as they are in y
/// \param x       an array of a.columns rows, in any order: sweep::strided, or an mdspan
/// \param y       an array of a.rows rows and as many columns as x, in any order; overlaps nothing else
/// \param by      the semiring; by default sums of products
///
/// \par Promises
/// - order: the entries' order in their row; plus must be associative, it need not be commutative.
/// - complexity: O(rows + entries) for each column; entries are read once for every 32 bytes of a row of
/// sums.
/// - errors, before anything is written: cuda_error; bad_argument for a null pointer, extents that do not
/// fit,
///   too little scratch; with .checked() offsets that do not fit the entries, and columns outside the matrix.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::csr_like Matrix, detail::dense_for<Policy> X,
          detail::output_dense_for<Policy> Y, detail::semiring_like Semiring = detail::sums_of_products>
SWEEP_HD void spmm(Policy const& policy, Matrix const& a, X const& x, Y const& y, Semiring const& by = {}) {
  detail::spmm("spmm", policy, a, detail::as_strided(x), detail::as_strided(y), by);
}

/// \cond
// Without a policy: where the arrays say.
template <detail::csr_like Matrix, detail::array_like X, detail::array_like Y, class... Rest>
void spmm(Matrix const& a, X const& x, Y const& y, Rest const&... rest) {
  sweep::spmm(detail::policy_of<decltype(a.offsets), decltype(a.indices), detail::array_iterator<X>,
                                detail::array_iterator<Y>>(),
              a, x, y, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#endif
