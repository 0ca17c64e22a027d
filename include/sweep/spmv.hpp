// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SPMV_HPP
#define SWEEP_SPMV_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/csr.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/spmv/columns.hpp>
#include <sweep/detail/spmv/dispatch.hpp>
#include <sweep/semiring.hpp>
#include <sweep/strided.hpp>

#include <cstddef>
#include <type_traits>

/// \file
/// Products of a sparse matrix and a vector, or a dense matrix, over any semiring.

/// \defgroup spmv Sparse products
/// `#include <sweep/spmv.hpp>`: a sparse matrix in compressed rows times a vector or a dense
/// matrix, over any semiring.
///
/// - **types**: offsets, indices, values, vectors and masks from any random-access iterators; offsets and
///   indices of 32 and 64 bits. Values are added up in the type of the semiring's zero; without a semiring in
///   the product's type, half precision in floats. On the device that type must be trivially copyable,
///   default constructible and at most 1 KiB.
/// - **order**: plus must be associative; it need not be commutative. A row's products are folded
///   in the order in which its entries stand.
/// - **bad matrices**: offsets that decrease or lead elsewhere never make a call write outside y; columns
///   outside the matrix read outside x. Both are refused under .checked().
/// - **determinism**: the same bits on every run, however many threads there are.
/// - **waiting**: never, but with .checked(); can be captured in a graph.

namespace sweep::inline SWEEP_ABI {

namespace detail {

/// A vector of a product: an iterator, or a range.
template <class T, class Policy>
concept vector_for = iterator_for<begin_of_t<T>, Policy>;
template <class T, class Policy>
concept output_vector_for = output_for<begin_of_t<T>, Policy>;

/// A dense matrix of a product: an array of two axes.
template <class T, class Policy>
concept dense_for = array_like<T> && rank_of<T>
== 2 && iterator_for<array_iterator<T>, Policy>;
template <class T, class Policy>
concept output_dense_for = dense_for<T, Policy> && output_for<array_iterator<T>, Policy>;

/// A scalar of a product.
template <class T>
concept scalar_like = !product_matrix<std::remove_cvref_t<T>> && !policy<T> && !is_iterator<T> &&
                      !is_range<T> && !array_like<T>;

template <class Semiring>
concept semiring_like = is_semiring<Semiring> || std::is_same_v<Semiring, sums_of_products>;

template <class Matrix>
using offsets_of = decltype(matrix_of<Matrix>::offsets);
template <class Matrix>
using indices_of = decltype(matrix_of<Matrix>::indices);

/// A matrix, with what a plan keeps for it; one line where the plan is for another side than the call.
template <class Policy, class Matrix>
SWEEP_HD constexpr auto plan_for(Matrix const& a) {
  if constexpr (is_product_plan<Matrix>)
    static_assert(plan_is_on_host<Matrix> == runs_on_host<Policy>,
                  "sweep: this plan was made with a policy of the other side: host and device have plans of "
                  "their own");
  return planned_of(a);
}

/// Says what is wrong with a product that no form takes.
template <class First, class... Rest>
constexpr refused refuse_product() {
  if constexpr (!product_matrix<First> && (!product_matrix<Rest> && ...))
    static_assert(never<First>, "sweep: a sparse product is of a csr_view (sweep/csr.hpp) and a vector");
  else
    static_assert(
        never<First>,
        "sweep: a sparse product takes ([policy,] matrix, x, y[, semiring]) or ([policy,] alpha, "
        "matrix, x, beta, y[, semiring]), x and y as iterators or ranges that the policy reaches, y "
        "not const");
  return {};
}

}  // namespace detail

/// \addtogroup spmv
/// @{

/// Sparse matrix times vector: y[r] = the fold by plus of times(a[r][c], x[c]) over the entries of row r.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param a       a csr_view, or a plan; rows that it does not want (where) are left as they are in y
/// \param x       a.columns items: an iterator, or a range
/// \param y       a.rows items: an iterator, or a range
/// \param by      the semiring; by default sums of products
/// \return        the begin of y + number of rows
///
/// \par Promises
/// - order: the entries' order in their row; plus must be associative, it need not be commutative. A row
///   without entries gives the semiring's zero, which takes no part in other rows.
/// - aliasing: y overlaps nothing else.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: O(rows + entries) whatever the rows' lengths; each entry is read once.
/// - scratch: some bytes for every 16,000 rows and entries; with variant::segmented_scan a value and a
///   byte an entry.
/// - errors: cuda_error; bad_argument for a null pointer, a range with too few items, y overlapping x, too
///   little scratch; with .checked() offsets that do not fit the entries, and columns outside the matrix.
/// - source: a segmented reduction on the merge path of rows and entries (Merrill and Garland 2016); variants
///   Bell and Garland 2009, Sengupta, Harris, Zhang and Owens 2007.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::product_matrix Matrix, detail::vector_for<Policy> X,
          detail::output_vector_for<Policy> Y, detail::semiring_like Semiring = detail::sums_of_products>
SWEEP_HD auto spmv(Policy const& policy, Matrix const& a, X const& x, Y&& y, Semiring const& by = {}) {
  auto const planned = detail::plan_for<Policy>(a);
  detail::require_size("spmv", "x", x, planned.matrix.columns);
  detail::require_size("spmv", "y", y, planned.matrix.rows);
  auto const to = detail::begin_of(y);
  detail::spmv("spmv", policy, planned, detail::begin_of(x), to, by, detail::make_as_it_is{});
  return to + static_cast<std::ptrdiff_t>(planned.matrix.rows);
}

/// The same into sums: y[r] = plus(times(alpha, row r of the product), times(beta, y[r])). Where beta is the
/// semiring's zero, y is not read. Other promises as without scalars.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param alpha   what the product is multiplied by, from the left
/// \param a       a csr_view, or a plan; rows that it does not want (where) are left as they are in y
/// \param x       a.columns items: an iterator, or a range
/// \param beta    what y is multiplied by, from the left
/// \param y       a.rows items: an iterator, or a range
/// \param by      the semiring; by default sums of products
/// \return        the begin of y + number of rows
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::scalar_like Alpha, detail::product_matrix Matrix,
          detail::vector_for<Policy> X, detail::scalar_like Beta, detail::output_vector_for<Policy> Y,
          detail::semiring_like Semiring = detail::sums_of_products>
SWEEP_HD auto spmv(Policy const& policy, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
                   Y&& y, Semiring const& by = {}) {
  auto const planned = detail::plan_for<Policy>(a);
  detail::require_size("spmv", "x", x, planned.matrix.columns);
  detail::require_size("spmv", "y", y, planned.matrix.rows);
  auto const to = detail::begin_of(y);
  detail::spmv("spmv", policy, planned, detail::begin_of(x), to, by,
               detail::make_scaled<Alpha, Beta>{alpha, beta});
  return to + static_cast<std::ptrdiff_t>(planned.matrix.rows);
}

/// Sparse matrix times dense matrix: y[r][c] = the fold by plus of times(a[r][i], x[i][c]) over the entries
/// of row r. Each column of y is spmv of that of x, and one column alone has its bits. Other promises as
/// spmv.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param a       a csr_view, or a plan; rows that it does not want (where) are left as they are in y
/// \param x       an array of a.columns rows, in any order: sweep::strided, or an mdspan
/// \param y       an array of a.rows rows and as many columns as x, in any order; overlaps nothing else
/// \param by      the semiring; by default sums of products
///
/// \par Promises
/// - order: the entries' order in their row; plus must be associative, it need not be commutative.
/// - complexity: O(rows + entries) for each column; entries are read once for every 32 bytes of a row of
///   sums, on the device for every 128 where the items of a row of x lie side by side, or are put so first.
/// - scratch: as spmv, for each pass over the entries; on the device also what one pass reads of x, where x
///   is in memory, there are eight entries for a row of x, and its columns are apart and more than 32 bytes
///   of sums hold; of more than two million entries also where 16 bytes hold them, and where rows are more
///   than a vector of 16 bytes and not made of such.
/// - errors, before anything is written: cuda_error; bad_argument for a null pointer, extents that do not
///   fit, items of y in the same places, too little scratch; with .checked() offsets that do not fit the
///   entries, and columns outside the matrix.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::product_matrix Matrix, detail::dense_for<Policy> X,
          detail::output_dense_for<Policy> Y, detail::semiring_like Semiring = detail::sums_of_products>
SWEEP_HD void spmm(Policy const& policy, Matrix const& a, X const& x, Y const& y, Semiring const& by = {}) {
  detail::spmm("spmm", policy, detail::plan_for<Policy>(a), detail::as_strided(x), detail::as_strided(y), by,
               detail::make_as_it_is{});
}

/// The same into sums: y[r][c] = plus(times(alpha, that), times(beta, y[r][c])). Where beta is the semiring's
/// zero, y is not read. Other promises as without scalars.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param alpha   what the product is multiplied by, from the left
/// \param a       a csr_view, or a plan; rows that it does not want (where) are left as they are in y
/// \param x       an array of a.columns rows, in any order: sweep::strided, or an mdspan
/// \param beta    what y is multiplied by, from the left
/// \param y       an array of a.rows rows and as many columns as x, in any order; overlaps nothing else
/// \param by      the semiring; by default sums of products
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::scalar_like Alpha, detail::product_matrix Matrix,
          detail::dense_for<Policy> X, detail::scalar_like Beta, detail::output_dense_for<Policy> Y,
          detail::semiring_like Semiring = detail::sums_of_products>
SWEEP_HD void spmm(Policy const& policy, Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta,
                   Y const& y, Semiring const& by = {}) {
  detail::spmm("spmm", policy, detail::plan_for<Policy>(a), detail::as_strided(x), detail::as_strided(y), by,
               detail::make_scaled<Alpha, Beta>{alpha, beta});
}

/// \cond
// Without a policy: where the vectors say.
template <detail::product_matrix Matrix, class X, class Y, class... Rest>
  requires(!detail::scalar_like<Y>)
auto spmv(Matrix const& a, X const& x, Y&& y, Rest const&... rest) {
  using detail::begin_of_t;
  return sweep::spmv(detail::policy_of<detail::offsets_of<Matrix>, detail::indices_of<Matrix>,
                                       begin_of_t<X const>, begin_of_t<Y>>(),
                     a, x, y, rest...);
}
template <detail::scalar_like Alpha, detail::product_matrix Matrix, class X, detail::scalar_like Beta,
          class Y, class... Rest>
auto spmv(Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta, Y&& y, Rest const&... rest) {
  using detail::begin_of_t;
  return sweep::spmv(detail::policy_of<detail::offsets_of<Matrix>, detail::indices_of<Matrix>,
                                       begin_of_t<X const>, begin_of_t<Y>>(),
                     alpha, a, x, beta, y, rest...);
}
// Without a policy: where the arrays say.
template <detail::product_matrix Matrix, detail::array_like X, detail::array_like Y, class... Rest>
void spmm(Matrix const& a, X const& x, Y const& y, Rest const&... rest) {
  sweep::spmm(detail::policy_of<detail::offsets_of<Matrix>, detail::indices_of<Matrix>,
                                detail::array_iterator<X>, detail::array_iterator<Y>>(),
              a, x, y, rest...);
}
template <detail::scalar_like Alpha, detail::product_matrix Matrix, detail::array_like X,
          detail::scalar_like Beta, detail::array_like Y, class... Rest>
void spmm(Alpha const& alpha, Matrix const& a, X const& x, Beta const& beta, Y const& y,
          Rest const&... rest) {
  sweep::spmm(detail::policy_of<detail::offsets_of<Matrix>, detail::indices_of<Matrix>,
                                detail::array_iterator<X>, detail::array_iterator<Y>>(),
              alpha, a, x, beta, y, rest...);
}
// What no other takes.
template <class First, class... Rest>
auto spmv(First const&, Rest const&...) {
  return detail::refuse_product<First, std::remove_cvref_t<Rest>...>();
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
