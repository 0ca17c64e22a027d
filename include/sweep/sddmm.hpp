// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SDDMM_HPP
#define SWEEP_SDDMM_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/csr.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/sddmm/dispatch.hpp>
#include <sweep/semiring.hpp>
#include <sweep/spmv.hpp>
#include <sweep/strided.hpp>

#include <cstddef>

/// \file
/// Products of two dense matrices where a sparse one has entries, over any semiring.

/// \defgroup sddmm Sampled products
/// `#include <sweep/sddmm.hpp>`: the product of two dense matrices where a sparse one has entries, and
/// nowhere else.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup sddmm
/// @{

/// Sampled dense times dense: out[k] = the fold by plus of times(x[r][i], y[i][c]) over all i, where entry k
/// of the matrix stands in row r and column c. Its values are not looked at.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param a       a csr_view, or a plan, on the device one that says how many entries it has; of rows that it
///                does not want (where) the results are left as they are
/// \param x       an array of a.rows rows, in any order: sweep::strided, or an mdspan
/// \param y       an array of as many rows as x has columns, and of a.columns columns, in any order
/// \param out     a result for each entry: an iterator, or a range
/// \param by      the semiring, of items of x and of y; by default sums of products
/// \return        the begin of out + number of entries
///
/// \par Promises
/// - order: products are folded in the order of i; plus must be associative, it need not be commutative.
///   On the device numbers that are added up, floating-point ones too, have another order. Where x has no
///   columns the results are the semiring's zero, which takes no part in others.
/// - aliasing: out overlaps nothing else.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: the same bits on every run; the brackets depend on the number of columns of x, on the size
///   of the values, and on whether there are many entries.
/// - complexity: O(entries * columns of x); on the device neighbouring lanes take neighbouring columns of x,
///   so that x by rows and y by columns are read in whole sectors.
/// - scratch: none, with .checked() less than 64 KiB.
/// - errors, before anything is written: cuda_error; bad_argument for a null pointer, extents that do not
///   fit, a range with too few items; with .checked() offsets that do not fit the entries, and columns
///   outside the matrix.
/// - source: entries in equal shares, each folded by a group of neighbouring lanes (docs/sparse.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::product_matrix Matrix, detail::dense_for<Policy> X,
          detail::dense_for<Policy> Y, detail::output_vector_for<Policy> Out,
          detail::semiring_like Semiring = detail::sums_of_products>
SWEEP_HD auto sddmm(Policy const& policy, Matrix const& a, X const& x, Y const& y, Out&& out,
                    Semiring const& by = {}) {
  auto const planned = detail::plan_for<Policy>(a);
  detail::require_size("sddmm", "out", out, planned.matrix.nonzeros);
  auto const to = detail::begin_of(out);
  detail::sddmm("sddmm", policy, planned.matrix, detail::as_strided(x), detail::as_strided(y), to, by,
                detail::make_as_it_is{});
  return to + static_cast<std::ptrdiff_t>(planned.matrix.nonzeros > 0 ? planned.matrix.nonzeros : 0);
}

/// The same into sums: out[k] = plus(times(alpha, that), times(beta, out[k])). Where beta is the semiring's
/// zero, out is not read. Other promises as without scalars.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param alpha   what the product is multiplied by, from the left
/// \param a       a csr_view, or a plan, on the device one that says how many entries it has
/// \param x       an array of a.rows rows, in any order: sweep::strided, or an mdspan
/// \param y       an array of as many rows as x has columns, and of a.columns columns, in any order
/// \param beta    what out is multiplied by, from the left
/// \param out     a result for each entry: an iterator, or a range
/// \param by      the semiring, of items of x and of y; by default sums of products
/// \return        the begin of out + number of entries
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::scalar_like Alpha, detail::product_matrix Matrix,
          detail::dense_for<Policy> X, detail::dense_for<Policy> Y, detail::scalar_like Beta,
          detail::output_vector_for<Policy> Out, detail::semiring_like Semiring = detail::sums_of_products>
SWEEP_HD auto sddmm(Policy const& policy, Alpha const& alpha, Matrix const& a, X const& x, Y const& y,
                    Beta const& beta, Out&& out, Semiring const& by = {}) {
  auto const planned = detail::plan_for<Policy>(a);
  detail::require_size("sddmm", "out", out, planned.matrix.nonzeros);
  auto const to = detail::begin_of(out);
  detail::sddmm("sddmm", policy, planned.matrix, detail::as_strided(x), detail::as_strided(y), to, by,
                detail::make_scaled<Alpha, Beta>{alpha, beta});
  return to + static_cast<std::ptrdiff_t>(planned.matrix.nonzeros > 0 ? planned.matrix.nonzeros : 0);
}

/// \cond
// Without a policy: where the arrays say.
template <detail::product_matrix Matrix, detail::array_like X, detail::array_like Y, class Out, class... Rest>
auto sddmm(Matrix const& a, X const& x, Y const& y, Out&& out, Rest const&... rest) {
  return sweep::sddmm(
      detail::policy_of<detail::offsets_of<Matrix>, detail::indices_of<Matrix>, detail::array_iterator<X>,
                        detail::array_iterator<Y>, detail::begin_of_t<Out>>(),
      a, x, y, out, rest...);
}
template <detail::scalar_like Alpha, detail::product_matrix Matrix, detail::array_like X,
          detail::array_like Y, detail::scalar_like Beta, class Out, class... Rest>
auto sddmm(Alpha const& alpha, Matrix const& a, X const& x, Y const& y, Beta const& beta, Out&& out,
           Rest const&... rest) {
  return sweep::sddmm(
      detail::policy_of<detail::offsets_of<Matrix>, detail::indices_of<Matrix>, detail::array_iterator<X>,
                        detail::array_iterator<Y>, detail::begin_of_t<Out>>(),
      alpha, a, x, y, beta, out, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
