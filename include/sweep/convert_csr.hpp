// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_CONVERT_CSR_HPP
#define SWEEP_CONVERT_CSR_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/csr.hpp>
#include <sweep/detail/convert_csr/dispatch.hpp>
#include <sweep/detail/convert_csr/preconditions.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Sparse matrices from one form into another: single entries, compressed rows, the transposed matrix.

/// \defgroup convert_csr Forms of sparse matrices
/// `#include <sweep/convert_csr.hpp>`: a sparse matrix as single entries (COO) to compressed rows (CSR) and
/// back, and the transposed matrix.
///
/// - **types**: any random-access iterators, or ranges. Rows, columns and offsets are integers of any width;
///   values are converted to the output's value type.
/// - **entries** are all kept, also where several stand at one place: none are added up.
/// - **order**: entries of one row, or of one column in a transpose, stay in the order in which they were.
/// - **outputs** overlap nothing else. What is returned is a view of them.
/// - **waiting**: never, but with .checked(); can be captured in a graph.
/// - **determinism**: always.
/// - **a mask** (where) is no matrix: a masked csr_view is not converted.

namespace sweep::inline SWEEP_ABI {

namespace detail {

/// An output of a conversion: an iterator, or a range.
template <class T, class Policy>
concept line_output_for = output_for<begin_of_t<T>, Policy>;

template <class A>
constexpr bool require_no_mask() {
  constexpr bool plain = std::is_same_v<decltype(A::wanted), every_row>;
  static_assert(plain, "sweep: a masked matrix is not converted: take the one without where()");
  return plain;
}
template <class A>
constexpr bool require_pattern() {
  constexpr bool pattern = is_same_value<decltype(A::values)>;
  static_assert(pattern, "sweep: the matrix has values: give an output for them, too");
  return pattern;
}

/// Says what is wrong with a conversion that no form takes.
template <bool FromCoo, class First, class Second>
constexpr refused refuse_conversion() {
  if constexpr (FromCoo && !is_coo<Second>)
    static_assert(never<First>, "sweep: single entries are given as a coo_view (sweep/csr.hpp)");
  else if constexpr (!FromCoo && !is_csr<Second>)
    static_assert(never<First>, "sweep: compressed rows are given as a csr_view (sweep/csr.hpp)");
  else
    static_assert(never<First>,
                  "sweep: a conversion takes ([policy,] matrix, outputs...): offsets, indices and values, or "
                  "rows, as iterators or ranges that the policy reaches, none of them const");
  return {};
}

}  // namespace detail

/// \addtogroup convert_csr
/// @{

/// Compressed rows of entries in any order.
///
/// \param policy   where to run: seq, host, device, or a policy of Thrust's
/// \param a        a coo_view
/// \param offsets  a.rows + 1 integers: where each row begins, and the number of entries
/// \param indices  a.entries integers: the columns, row after row
/// \param values   a.entries values
/// \return         the csr_view of the outputs
///
/// \par Promises
/// - order: stable: a row has its entries in their order.
/// - aliasing: the outputs overlap neither the matrix nor each other.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always.
/// - complexity: a radix sort of the entries' rows, by as many bits as the number of rows has, one read of
///   columns and values in that order, and rows searches in log(entries) steps.
/// - scratch: for each entry its row and 4 bytes, or 8 where offsets have more than 4; and what sort_by_key
///   takes for these. In a kernel there is none: the call ends it.
/// - errors, before anything is written: cuda_error; bad_argument for a null pointer, a range with too few
///   items, outputs whose integers are too narrow or that overlap the matrix, too little scratch; with
///   .checked() an entry outside the matrix.
/// - source: a radix sort by rows, whose passes are multisplits; bounds of the row numbers.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::coo_like Matrix, detail::line_output_for<Policy> Offsets,
          detail::line_output_for<Policy> Indices, detail::line_output_for<Policy> Values>
SWEEP_HD auto coo_to_csr(Policy const& policy, Matrix const& a, Offsets&& offsets, Indices&& indices,
                         Values&& values) {
  detail::require_size("coo_to_csr", "offsets", offsets, a.rows + 1);
  detail::require_size("coo_to_csr", "indices", indices, a.entries);
  detail::require_size("coo_to_csr", "values", values, a.entries);
  auto const o = detail::begin_of(offsets);
  auto const i = detail::begin_of(indices);
  auto const v = detail::begin_of(values);
  detail::coo_to_csr("coo_to_csr", policy, a, o, i, v);
  return csr_view(a.rows, a.columns, a.entries, o, i, v);
}

/// The same of a pattern, a coo_view without values.
///
/// \param policy   where to run: seq, host, device, or a policy of Thrust's
/// \param a        a coo_view without values
/// \param offsets  a.rows + 1 integers: where each row begins, and the number of entries
/// \param indices  a.entries integers: the columns, row after row
/// \return         the csr_view of the outputs, a pattern
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::coo_like Matrix, detail::line_output_for<Policy> Offsets,
          detail::line_output_for<Policy> Indices>
SWEEP_HD auto coo_to_csr(Policy const& policy, Matrix const& a, Offsets&& offsets, Indices&& indices) {
  static_cast<void>(detail::require_pattern<Matrix>());
  detail::require_size("coo_to_csr", "offsets", offsets, a.rows + 1);
  detail::require_size("coo_to_csr", "indices", indices, a.entries);
  auto const o = detail::begin_of(offsets);
  auto const i = detail::begin_of(indices);
  detail::coo_to_csr("coo_to_csr", policy, a, o, i, detail::unwritten_values{});
  return csr_view(a.rows, a.columns, a.entries, o, i, a.values);
}

/// Compressed rows of entries that stand row after row already: only offsets are written, columns and values
/// are those of the entries. Other promises as coo_to_csr of entries in any order.
///
/// \param policy   where to run: seq, host, device, or a policy of Thrust's
/// \param a        a coo_view whose rows do not decrease
/// \param offsets  a.rows + 1 integers: where each row begins, and the number of entries
/// \return         the csr_view of the offsets and of the entries' columns and values
///
/// \par Promises
/// - complexity: rows searches in log(entries) steps.
/// - scratch: none, with .checked() less than 64 KiB.
/// - errors, before anything is written: as coo_to_csr; with .checked() also rows that decrease.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::coo_like Matrix, detail::line_output_for<Policy> Offsets>
SWEEP_HD auto coo_to_csr(Policy const& policy, Matrix const& a, Offsets&& offsets) {
  detail::require_size("coo_to_csr", "offsets", offsets, a.rows + 1);
  auto const o = detail::begin_of(offsets);
  detail::ordered_coo_to_csr("coo_to_csr", policy, a, o);
  return csr_view(a.rows, a.columns, a.entries, o, a.column_indices, a.values);
}

/// Single entries of compressed rows: only their rows are written, columns and values are those of the
/// matrix.
///
/// \param policy       where to run: seq, host, device, or a policy of Thrust's
/// \param a            a csr_view; on the device one that says how many entries it has
/// \param row_indices  an integer for each entry: its row
/// \return             the coo_view of the rows and of the matrix's columns and values
///
/// \par Promises
/// - aliasing: row_indices overlap neither the matrix nor anything else.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always.
/// - complexity: O(rows + entries), whatever the rows' lengths.
/// - scratch: less than 64 KiB.
/// - errors, before anything is written: cuda_error; bad_argument for a null pointer, a range with too few
///   items, integers that are too narrow, too little scratch; with .checked() offsets that do not fit the
///   entries, and columns outside the matrix.
/// - source: an expansion of the row numbers (docs/moves.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::csr_like Matrix, detail::line_output_for<Policy> Rows>
SWEEP_HD auto csr_to_coo(Policy const& policy, Matrix const& a, Rows&& row_indices) {
  static_cast<void>(detail::require_no_mask<Matrix>());
  detail::require_size("csr_to_coo", "row_indices", row_indices, a.nonzeros);
  auto const r = detail::begin_of(row_indices);
  auto const n = detail::csr_to_coo("csr_to_coo", policy, a, r);
  return coo_view(a.rows, a.columns, n, r, a.indices, a.values);
}

/// Compressed rows of the transposed matrix, which are the columns of this one.
///
/// Where values are counted, 0, 1, 2, ..., the output has for each entry the number of the one it was: a map
/// that gather takes for any values of the same pattern.
///
/// \param policy   where to run: seq, host, device, or a policy of Thrust's
/// \param a        a csr_view; on the device one that says how many entries it has
/// \param offsets  a.columns + 1 integers: where each column begins, and the number of entries
/// \param indices  an integer for each entry: its row, column after column
/// \param values   a value for each entry
/// \return         the csr_view of the outputs, of a.columns rows and a.rows columns
///
/// \par Promises
/// - order: stable: a column has its entries row by row, those of one row in their order.
/// - aliasing: the outputs overlap neither the matrix nor each other.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always.
/// - complexity: a radix sort of the entries' columns, by as many bits as that of columns has, one read of
///   rows and values in that order, and columns searches in log(entries) steps.
/// - scratch: for each entry its row, its column and 4 bytes, or 8 where offsets have more than 4; and what
///   sort_by_key takes for these. In a kernel there is none: the call ends it.
/// - errors, before anything is written: cuda_error; bad_argument for a null pointer, a range with too few
///   items, outputs whose integers are too narrow or that overlap the matrix, too little scratch; with
///   .checked() offsets that do not fit the entries, and columns outside the matrix.
/// - source: an expansion, a radix sort by columns, bounds of the column numbers.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::csr_like Matrix, detail::line_output_for<Policy> Offsets,
          detail::line_output_for<Policy> Indices, detail::line_output_for<Policy> Values>
SWEEP_HD auto transpose_csr(Policy const& policy, Matrix const& a, Offsets&& offsets, Indices&& indices,
                            Values&& values) {
  static_cast<void>(detail::require_no_mask<Matrix>());
  detail::require_size("transpose_csr", "offsets", offsets, a.columns + 1);
  detail::require_size("transpose_csr", "indices", indices, a.nonzeros);
  detail::require_size("transpose_csr", "values", values, a.nonzeros);
  auto const o = detail::begin_of(offsets);
  auto const i = detail::begin_of(indices);
  auto const v = detail::begin_of(values);
  auto const n = detail::transpose_csr("transpose_csr", policy, a, o, i, v);
  return csr_view(a.columns, a.rows, n, o, i, v);
}

/// The same of a pattern, a csr_view without values.
///
/// \param policy   where to run: seq, host, device, or a policy of Thrust's
/// \param a        a csr_view without values; on the device one that says how many entries it has
/// \param offsets  a.columns + 1 integers: where each column begins, and the number of entries
/// \param indices  an integer for each entry: its row, column after column
/// \return         the csr_view of the outputs, a pattern
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::csr_like Matrix, detail::line_output_for<Policy> Offsets,
          detail::line_output_for<Policy> Indices>
SWEEP_HD auto transpose_csr(Policy const& policy, Matrix const& a, Offsets&& offsets, Indices&& indices) {
  static_cast<void>(detail::require_no_mask<Matrix>());
  static_cast<void>(detail::require_pattern<Matrix>());
  detail::require_size("transpose_csr", "offsets", offsets, a.columns + 1);
  detail::require_size("transpose_csr", "indices", indices, a.nonzeros);
  auto const o = detail::begin_of(offsets);
  auto const i = detail::begin_of(indices);
  auto const n = detail::transpose_csr("transpose_csr", policy, a, o, i, detail::unwritten_values{});
  return csr_view(a.columns, a.rows, n, o, i, a.values);
}

/// \cond
// Without a policy: where the matrix and the outputs say.
template <detail::coo_like Matrix, class... Outputs>
auto coo_to_csr(Matrix const& a, Outputs&&... outputs) {
  using detail::begin_of_t;
  return sweep::coo_to_csr(
      detail::policy_of<decltype(a.row_indices), decltype(a.column_indices), begin_of_t<Outputs>...>(), a,
      outputs...);
}
template <detail::csr_like Matrix, class Rows>
auto csr_to_coo(Matrix const& a, Rows&& row_indices) {
  using detail::begin_of_t;
  return sweep::csr_to_coo(detail::policy_of<decltype(a.offsets), decltype(a.indices), begin_of_t<Rows>>(), a,
                           row_indices);
}
template <detail::csr_like Matrix, class... Outputs>
auto transpose_csr(Matrix const& a, Outputs&&... outputs) {
  using detail::begin_of_t;
  return sweep::transpose_csr(
      detail::policy_of<decltype(a.offsets), decltype(a.indices), begin_of_t<Outputs>...>(), a, outputs...);
}
// What no other takes.
template <class First, class Second, class... Rest>
  requires(!detail::is_coo<First>)
auto coo_to_csr(First const&, Second const&, Rest&&...) {
  return detail::refuse_conversion<true, First, Second>();
}
template <class First, class Second, class... Rest>
  requires(!detail::is_csr<First>)
auto csr_to_coo(First const&, Second const&, Rest&&...) {
  return detail::refuse_conversion<false, First, Second>();
}
template <class First, class Second, class... Rest>
  requires(!detail::is_csr<First>)
auto transpose_csr(First const&, Second const&, Rest&&...) {
  return detail::refuse_conversion<false, First, Second>();
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
