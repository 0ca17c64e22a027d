// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SPMV_PLAN_HPP
#define SWEEP_SPMV_PLAN_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/csr.hpp>
#include <sweep/detail/convert_csr/preconditions.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/kept_arrays.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/spmv/plan.hpp>
#include <sweep/spmv.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// \file
/// Plans: what is found out about a sparse matrix once, for many products.

/// \defgroup spmv_plan Plans of sparse products
/// `#include <sweep/spmv_plan.hpp>`: what is found out about a matrix once, for many products. `spmv`, `spmm`
/// and `sddmm` take a plan wherever they take a matrix, with any semiring, and give the same bits, but for
/// narrow columns, or uneven rows, of large matrices.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup spmv_plan
/// @{

/// Says that a plan is for products with the transposed matrix.
struct transposed_t {};
/// The same, as an argument.
inline constexpr transposed_t transposed{};

/// Says that a plan keeps columns in 16 bits.
struct narrow_columns_t {};
/// The same, as an argument.
inline constexpr narrow_columns_t narrow_columns{};

/// A matrix with what its products need to know of it: on the device where each warp's share of the merge
/// path of rows and entries begins, which a product without a plan finds out each time; and of a plan for the
/// transposed matrix that matrix itself. The matrix is not copied otherwise: its arrays stay, and its offsets
/// are not changed, while the plan lives. Values may change, but not those of a plan for the transposed
/// matrix.
///
/// A plan can be moved, not copied. It gives its memory back when it ends, on the device in the order of the
/// stream that it was made on, which lives as long: products on other streams are the caller's to wait for.
///
/// \tparam Policy  where it is
/// \tparam Matrix  the matrix of its products
/// \tparam Arrays  what it keeps
///
/// \par Promises
/// - determinism: products have the bits that they have without the plan, of a matrix that says how many
///   entries it has. On the device products with a vector have bits of their own, the same on every run, of
///   narrow columns where there are more than 2^22 entries and sums are of at most 4 bytes, and of uneven
///   short rows, with columns near each other, where entries take more than 64 MiB.
/// - waiting: making a plan never waits, but with .checked(), and on the device for the number of entries
///   where the matrix does not say it, and for how even rows are where entries take more than 64 MiB and rows
///   are short. A plan is made before a capture; products by it can be captured.
/// - complexity: one search in the offsets for every 128 to 8192 rows and entries; of the transposed matrix
///   transpose_csr before that. On the host a plan for the matrix itself costs nothing, and saves nothing.
/// - memory: 16 bytes for every 128 to 8192 rows and entries; of the transposed matrix its offsets, indices
///   and values, too. All is one piece of the policy's source, held while the plan lives: a span is for the
///   plan alone. Making a plan for the transposed matrix takes scratch behind that, as transpose_csr; one
///   that waits takes less than 64 KiB.
/// - errors: cuda_error; bad_argument for a null pointer, negative sizes, indices too narrow for row numbers,
///   too little scratch; with .checked() offsets that do not fit the entries, and columns outside the matrix.
template <class Policy, class Matrix, class Arrays>
class spmv_plan {
 public:
  /// A plan for products with a matrix.
  ///
  /// \param policy  where to run: seq, host, device, or a policy of Thrust's
  /// \param a       a csr_view, of which all rows are wanted
  template <detail::policy Given>
  spmv_plan(Given const& policy, Matrix const& a)
      : spmv_plan(made{}, detail::without_tags(detail::resolve<detail::no_options>(policy).policy),
                  checked(policy, a)) {}

  /// A plan for products with the transpose of a matrix, which it makes and keeps.
  ///
  /// \param policy  where to run: seq, host, device, or a policy of Thrust's
  /// \param a       a csr_view, of which all rows are wanted
  /// \param which   sweep::transposed
  template <detail::policy Given, detail::csr_like Of>
  spmv_plan(Given const& policy, Of const& a, transposed_t which)
      : spmv_plan(made{}, detail::without_tags(detail::resolve<detail::no_options>(policy).policy),
                  checked(policy, a), which) {}

  /// A plan for products with a matrix whose columns lie near each other: it keeps them in 16 bits, as what
  /// they are above the least of each 128 neighbouring entries, so that products read less. Where a
  /// difference does not fit, in any of these, products read the matrix's columns as ever. Making the plan
  /// waits for that.
  ///
  /// \param policy  where to run: seq, host, device, or a policy of Thrust's
  /// \param a       a csr_view, of which all rows are wanted, and whose columns do not change
  /// \param which   sweep::narrow_columns
  template <detail::policy Given>
  spmv_plan(Given const& policy, Matrix const& a, narrow_columns_t which)
      : spmv_plan(made{}, detail::without_tags(detail::resolve<detail::no_options>(policy).policy),
                  checked(policy, a), which) {}

  /// Whether products read columns of 16 bits.
  ///
  /// \return  false where they do not fit, or were not asked for
  bool has_narrow_columns() const {
    if constexpr (requires { planned_.near.low; }) return planned_.near.low != nullptr;
    else return false;
  }

  /// The matrix of the plan's products, with its number of entries.
  ///
  /// \return  a csr_view
  Matrix const& matrix() const { return planned_.matrix; }
  /// The same plan, by which a product writes some rows alone and leaves the others of y as they are.
  ///
  /// \param flags  a flag for each row, of any type that converts to bool: an iterator; sweep::bits are taken
  /// \return       what products take in place of the plan; it must not outlive the plan
  template <class Flags>
  auto where(Flags flags) const {
    return planned_.where(flags);
  }
  /// \cond
  SWEEP_HD constexpr auto const& planned() const { return planned_; }
  /// \endcond

 private:
  struct made {};
  template <class Given, class A>
  static A checked(Given const& policy, A const& a) {
    detail::require_planned<A>();
    auto const target = detail::resolve<detail::no_options>(policy);
    detail::require_matrix(target.policy, "spmv_plan", a);
    return detail::counted_matrix(detail::without_tags(target.policy), "spmv_plan", a);
  }
  spmv_plan(made, Policy const& policy, Matrix const& a)
      : arrays_(policy, "spmv_plan", detail::planned_places<Policy>(a)),
        planned_{detail::plan_matrix(arrays_.rest(policy), "spmv_plan", a,
                                     arrays_.template get<detail::planned_cuts>())} {}
  template <class Of>
  spmv_plan(made, Policy const& policy, Of const& a, transposed_t)
      : arrays_(detail::make_transposed_arrays(policy, "spmv_plan", a)),
        planned_{detail::plan_transposed(policy, "spmv_plan", a, arrays_)} {}

  spmv_plan(made, Policy const& policy, Matrix const& a, narrow_columns_t)
      : arrays_(policy, "spmv_plan", detail::planned_places<Policy>(a), a.nonzeros,
                detail::near_groups(a.nonzeros), std::int64_t{1}),
        planned_{detail::plan_narrow(policy, "spmv_plan", a, arrays_)} {}

  Arrays arrays_;
  typename detail::planned_by<Matrix, Arrays>::type planned_;
};
/// \cond
template <detail::policy Given, class Matrix>
spmv_plan(Given const&, Matrix const&)
    -> spmv_plan<detail::plan_policy<Given>, Matrix,
                 detail::kept_arrays<detail::plan_policy<Given>, detail::path_place>>;
template <detail::policy Given, class Of>
spmv_plan(Given const&, Of const&, transposed_t)
    -> spmv_plan<detail::plan_policy<Given>,
                 typename detail::transposed_arrays<detail::plan_policy<Given>, Of>::matrix,
                 typename detail::transposed_arrays<detail::plan_policy<Given>, Of>::type>;
template <detail::policy Given, class Matrix>
spmv_plan(Given const&, Matrix const&, narrow_columns_t)
    -> spmv_plan<detail::plan_policy<Given>, Matrix,
                 detail::near_arrays<detail::plan_policy<Given>, detail::index_of<Matrix>>>;
/// \endcond

/// @}

namespace detail {

template <class Policy, class Matrix, class Arrays>
inline constexpr bool is_product_plan<spmv_plan<Policy, Matrix, Arrays>> = true;
template <class Policy, class Matrix, class Arrays>
inline constexpr bool plan_is_on_host<spmv_plan<Policy, Matrix, Arrays>> = on_host<Policy>;

}  // namespace detail

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
