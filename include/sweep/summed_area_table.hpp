// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SUMMED_AREA_TABLE_HPP
#define SWEEP_SUMMED_AREA_TABLE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/axes.hpp>
#include <sweep/detail/axes/boxes.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/strided.hpp>

/// \file
/// Summed-area tables, and sums of boxes.

/// \defgroup summed_area_table Summed-area tables
/// `#include <sweep/summed_area_table.hpp>`: item (i, j) of the table is the sum of all items (u, v) with u
/// <= i and v <= j of an image; likewise in three dimensions, and of as many as arrays have. The sum of any
/// box is then made of as many items of the table as the box has corners, however large it is.
///
/// - **types**: of the table, as those of scans along an axis; what stands in between is of the output's
///   type. Bytes into unsigned integers, for one: sums of these are right modulo 2^32, and so are those of
///   boxes, whatever the table's largest item would be.
/// - **floating-point numbers**: the sum of a small box is the difference of large ones. Where that matters,
///   make the table of double.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup summed_area_table
/// @{

/// Makes a summed-area table: out[i][j] is the fold of all in[u][v] with u <= i and v <= j, in the order of
/// their indices. Likewise for three axes, or any other number.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents; of memory, since it is read again
/// \param op      op(a, b), associative
/// \return        out
///
/// \par Promises
/// - order: op must be associative; it need not be commutative: items are folded row by row.
/// - aliasing: out may be in, with the same strides; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run, as all calls along an axis.
/// - complexity: k axes are k calls of op an item, or two more; an item is read and written k times. On the
///   device planes along the last two axes, of 2^21 items in all or more, are read and written once, of
///   values of up to 16 bytes: k - 1 times in all; if they fill at least 9/16 of the tiles of 64 rows of 512
///   bytes that they are cut into (112 rows of 128 values that are read as fewer bytes), and all planes
///   together have five of these or more side by side, and one below the other: ten of values of 8 bytes, 20
///   of wider ones, and 16, 32 or 64 where items are fewer than 2^23.
///   So are volumes along the last three axes, of 64 layers or more, or 16 or more of up to 4,096 rows and
///   columns, of 32 rows or more of 64 columns or more, 2^18 items a layer: k - 2 times in all.
///   On host so are planes of 16 rows or more of 1,024 columns or more: threads follow each other down them.
/// - scratch: that of the scans, one after the other: for each axis at most 2 % of the values that are folded
///   where these have 4 to 16 bytes, 7 % of others up to 64 bytes; of planes or volumes in one pass 10 %
///   where values have 4 bytes, 13 % of those of 8, 19 % of those of 16, 25 % of bytes; on host 4 bytes for 4
///   rows.
/// - errors, before anything is written: as a scan along an axis.
/// - source: Crow, Summed-area tables for texture mapping (1984); Hensley et al., Fast summed-area table
///   generation and its applications (2005); Kasagi, Nakano and Ito, Parallel algorithms for the summed area
///   table on the asynchronous hierarchical memory machine (2014), of reading and writing items once.
template <detail::policy Policy, detail::array_like In, detail::array_like Out, class Op>
Out summed_area_table(Policy const& policy, In in, Out out, Op op) {
  return detail::scan_along_all("summed_area_table", policy, in, out, op);
}

/// Makes a summed-area table with +. Promises as with an operator.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param in      an array
/// \param out     an array of the same extents; of memory, since it is read again
/// \return        out
template <detail::policy Policy, detail::array_like In, detail::array_like Out>
Out summed_area_table(Policy const& policy, In in, Out out) {
  return detail::scan_along_all("summed_area_table", policy, in, out, detail::plus{});
}

/// The sum of one box, by a summed-area table.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param table   what summed_area_table has made
/// \param which   a sweep::box; only what of it is in the table counts
/// \param minus   minus(a op b, b) is a, op being the table's operator, which must be commutative: the
///                default undoes +
/// \return        the sum, a value-initialised one (0) of a box of nothing
///
/// \par Promises
/// - order: along each axis what is before the box is taken away from what is up to its end; the last axis
///   first.
/// - waiting: for the value.
/// - determinism: the same bits on every run and everywhere, those of the table being given.
/// - complexity: 2^axes items are read at most: no corners outside of the table are.
/// - scratch: one value.
/// - errors: cuda_error; bad_argument for extents that are negative or too many, a null pointer, too little
///   scratch, with .checked() a pointer that the device cannot reach.
/// - source: Crow, Summed-area tables for texture mapping (1984).
template <detail::policy Policy, detail::array_like Table, int Rank, class Minus = detail::minus>
auto box_sum(Policy const& policy, Table table, box<Rank> which, Minus minus = {}) {
  return detail::sum_of_box("box_sum", policy, table, which, minus);
}

/// The sums of many boxes, by a summed-area table.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param table       what summed_area_table has made
/// \param first,last  n of sweep::box; only what of them is in the table counts
/// \param out         n results; a value-initialised one (0) of a box of nothing
/// \param minus       minus(a op b, b) is a, op being the table's operator, which must be commutative: the
///                    default undoes +
/// \return            out + n
///
/// \par Promises
/// - order: along each axis what is before the box is taken away from what is up to its end; the last axis
///   first.
/// - aliasing: nothing overlaps out.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run and everywhere, those of the table being given.
/// - complexity: O(n), 2^axes items are read a box.
/// - scratch: none.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, extents that are
///   negative or too many, a null pointer, with .checked() a pointer that the device cannot reach.
/// - source: Crow, Summed-area tables for texture mapping (1984).
template <detail::policy Policy, detail::array_like Table, detail::iterator_for<Policy> In,
          detail::output_for<Policy> Out, class Minus = detail::minus>
Out box_sum(Policy const& policy, Table table, In first, In last, Out out, Minus minus = {}) {
  return detail::sums_of_boxes("box_sum", policy, table, first, last, out, minus);
}

/// The sums of the boxes around all items, by a summed-area table: a box blur, a moving sum.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param table   what summed_area_table has made
/// \param window  how far boxes reach: sweep::around(rows, columns), or any sweep::box_window; at the borders
///                only what is in the table counts
/// \param out     an array of the table's extents
/// \param minus   minus(a op b, b) is a, op being the table's operator, which must be commutative: the
///                default undoes +
/// \return        out
///
/// \par Promises
/// - order: along each axis what is before the box is taken away from what is up to its end; the last axis
///   first.
/// - aliasing: nothing overlaps out.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run and everywhere, those of the table being given.
/// - complexity: O(items), 2^axes items of the table are read for each, however large the window is.
/// - scratch: none.
/// - errors, before anything is written: cuda_error; bad_argument for extents that differ, are negative or
///   too many, items of out in the same places, out that begins where the table does, a null pointer, with
///   .checked() a pointer that the device cannot reach.
/// - source: Crow, Summed-area tables for texture mapping (1984).
template <detail::policy Policy, detail::array_like Table, int Rank, detail::array_like Out,
          class Minus = detail::minus>
Out box_sum(Policy const& policy, Table table, box_window<Rank> window, Out out, Minus minus = {}) {
  return detail::sums_of_windows("box_sum", policy, table, window, out, minus);
}

/// \cond
// The same without a policy, which the arrays' iterators then choose.
template <detail::array_like In, detail::array_like Out, class... Rest>
auto summed_area_table(In in, Out out, Rest... rest) {
  return sweep::summed_area_table(
      detail::policy_of<detail::array_iterator<In>, detail::array_iterator<Out>>(), in, out, rest...);
}
template <detail::array_like Table, class... Rest>
auto box_sum(Table table, Rest... rest) {
  return sweep::box_sum(detail::policy_of<detail::array_iterator<Table>>(), table, rest...);
}
template <detail::policy Policy, class In, class Out, class... Rest>
  requires(!detail::array_like<In> || !detail::array_like<Out>)
void summed_area_table(Policy const&, In const&, Out const&, Rest const&...) {
  static_assert(detail::never<In>,
                "sweep: a summed-area table is made of arrays, in and out: sweep::strided views, or mdspans");
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
