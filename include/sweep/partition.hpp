// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_PARTITION_HPP
#define SWEEP_PARTITION_HPP

#include <sweep/bits.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/detail/count/dispatch.hpp>
#include <sweep/detail/partition/dispatch.hpp>
#include <sweep/detail/reduce/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/pair.hpp>

#include <cstdint>
#include <utility>

/// \file
/// Compactions: the items that a predicate, a flag or their left neighbour selects, close together.

/// \defgroup partition Compactions
/// `#include <sweep/partition.hpp>`: the items that a predicate, a flag or their left neighbour selects,
/// close together. Below n = last - first.
///
/// - **types**: any random-access iterators. On the device items and stencil items must be trivially
///   copyable, or proclaimed trivially relocatable, and default constructible, items of at most 1500 bytes.
/// - **predicates** are any host/device callables whose result converts to bool; the answer may depend on the
///   argument alone.
/// - **stencils**: a stencil is n items, of which item i decides about input item i; `sweep::bits(words)` is
///   one of packed bits.
/// - **outputs of no items** may be null pointers. A form that ends in `_into` cannot know whether they
///   are: it counts the items of a part whose output is a null pointer, and writes them to scratch, n
///   items more.
/// - **two forms**: what returns a position from a count waits for it on the device. The form that ends in
///   `_into` writes the number of selected items through an iterator, which stands behind the last output;
///   it never waits.
/// - **scratch** is device memory from the policy's source: some 16 bytes a tile (three ways: 33), less than
///   1 % of the input and 64 KiB unless a stencil is much wider than the items.
/// - **exceptions** of a predicate or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup partition
/// @{

/// Copies the items that pred holds for.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the selected items; room for all of them, at most n
/// \param pred        pred(x): whether x is selected
/// \return            out + number of selected items
///
/// \par Promises
/// - order: the output keeps the input's.
/// - aliasing: out does not overlap the input.
/// - waiting: for the count, which copy_if_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and pred called on it, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out copy_if(Policy const& policy, In first, In last, Out out, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "copy_if", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}

/// Copies the items whose stencil item pred holds for. Other promises as without a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param stencil     n items, which pred is called on
/// \param out         the selected items; room for all of them, at most n
/// \param pred        pred(stencil item): whether the item is selected
/// \return            out + number of selected items
///
/// \par Promises
/// - aliasing: out overlaps neither the input nor the stencil; these two may overlap.
/// - complexity: pred is called once a stencil item (three_kernel: twice); on the device a 16-byte word of
///   items, none of which is selected, is not read.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> Out, detail::function_like Pred>
SWEEP_HD Out copy_if(Policy const& policy, In first, In last, Stencil stencil, Out out, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "copy_if", policy, first, last, stencil, detail::select_where(detail::device_functor(pred)),
      detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}

/// copy_if that writes how many items it has copied, and never waits: it can be captured in a graph. Other
/// promises as copy_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the selected items; room for all of them, at most n
/// \param count       one integer: the number of selected items
/// \param pred        pred(x): whether x is selected
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count copy_if_into(Policy const& policy, In first, In last, Out out, Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>(
      "copy_if_into", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out}, count);
  return count + 1;
}

/// copy_if with a stencil that writes how many items it has copied, and never waits. Other promises as
/// copy_if with a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param stencil     n items, which pred is called on
/// \param out         the selected items; room for all of them, at most n
/// \param count       one integer: the number of selected items
/// \param pred        pred(stencil item): whether the item is selected
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> Out, detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count copy_if_into(Policy const& policy, In first, In last, Stencil stencil, Out out, Count count,
                            Pred pred) {
  detail::partition_to<detail::placement::out_of_place>("copy_if_into", policy, first, last, stencil,
                                                        detail::select_where(detail::device_functor(pred)),
                                                        detail::part_outputs{out}, count);
  return count + 1;
}

/// Copies the items whose flag is set.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param flags       n flags, of any type that converts to bool
/// \param out         the packed items; room for all of them, at most n
/// \return            out + number of set flags
///
/// \par Promises
/// - order: the output keeps the input's.
/// - aliasing: out overlaps neither the input nor the flags.
/// - waiting: for the count, which pack_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: O(n); each flag is read once (three_kernel: twice); on the device a 16-byte word of items,
///   none of whose flags is set, is not read.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Flags,
          detail::output_for<Policy> Out>
SWEEP_HD Out pack(Policy const& policy, In first, In last, Flags flags, Out out) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "pack", policy, first, last, flags, detail::select_where(detail::is_set{}), detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}

/// pack that writes how many items it has packed, and never waits: it can be captured in a graph. Other
/// promises as pack.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param flags       n flags, of any type that converts to bool
/// \param out         the packed items; room for all of them, at most n
/// \param count       one integer: the number of set flags
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Flags,
          detail::output_for<Policy> Out, detail::output_for<Policy> Count>
SWEEP_HD Count pack_into(Policy const& policy, In first, In last, Flags flags, Out out, Count count) {
  detail::partition_to<detail::placement::out_of_place>("pack_into", policy, first, last, flags,
                                                        detail::select_where(detail::is_set{}),
                                                        detail::part_outputs{out}, count);
  return count + 1;
}

/// Numbers of set flags: out[i] = how many are set before flag i, which is where pack would put item i. Takes
/// the variants and plans of scans.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n flags, of any type that converts to bool
/// \param out         n integers
/// \return            out + n
///
/// \par Promises
/// - aliasing: out may be first; nothing else may overlap it.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: O(n); each flag is read once.
/// - scratch: less than 0.1 % of the output and 64 KiB; scan_then_propagate: n values more.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, too
///   little scratch, a plan that the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: an exclusive scan; Blelloch 1990.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Flags, detail::output_for<Policy> Out>
SWEEP_HD Out enumerate(Policy const& policy, Flags first, Flags last, Out out) {
  using written = detail::written_value<Out, std::int64_t>;
  using number = std::conditional_t<std::is_integral_v<written>, written, std::int64_t>;
  return detail::scan<detail::scan_kind::exclusive, forward_t>(
      "enumerate", policy, first, last, out, detail::plus{}, detail::set_as_one<number>{}, number{0});
}

/// Copies the items that pred does not hold for. Promises as copy_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the items that are left; room for all of them, at most n
/// \param pred        pred(x): whether x is left out
/// \return            out + number of items that are left
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out remove_copy_if(Policy const& policy, In first, In last, Out out, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "remove_copy_if", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}

/// Copies the items whose stencil item pred does not hold for. Promises as copy_if with a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param stencil     n items, which pred is called on
/// \param out         the items that are left; room for all of them, at most n
/// \param pred        pred(stencil item): whether the item is left out
/// \return            out + number of items that are left
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> Out, detail::function_like Pred>
SWEEP_HD Out remove_copy_if(Policy const& policy, In first, In last, Stencil stencil, Out out, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "remove_copy_if", policy, first, last, stencil, detail::select_where_not(detail::device_functor(pred)),
      detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}

/// remove_copy_if that writes how many items it has copied, and never waits: it can be captured in a graph.
/// Other promises as copy_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the items that are left; room for all of them, at most n
/// \param count       one integer: the number of items that are left
/// \param pred        pred(x): whether x is left out
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count remove_copy_if_into(Policy const& policy, In first, In last, Out out, Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>(
      "remove_copy_if_into", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{out}, count);
  return count + 1;
}

/// remove_copy_if with a stencil that writes how many items it has copied, and never waits. Other promises as
/// copy_if with a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param stencil     n items, which pred is called on
/// \param out         the items that are left; room for all of them, at most n
/// \param count       one integer: the number of items that are left
/// \param pred        pred(stencil item): whether the item is left out
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> Out, detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count remove_copy_if_into(Policy const& policy, In first, In last, Stencil stencil, Out out,
                                   Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>(
      "remove_copy_if_into", policy, first, last, stencil,
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{out}, count);
  return count + 1;
}

/// Copies the items that differ from a value. Promises as copy_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the items that are left; room for all of them, at most n
/// \param value       what x == value leaves out
/// \return            out + number of items that are left
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out, class T>
Out remove_copy(Policy const& policy, In first, In last, Out out, T value) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "remove_copy", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::equal_to_value<T>{value}), detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}

/// remove_copy that writes how many items it has copied, and never waits: it can be captured in a graph.
/// Other promises as copy_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the items that are left; room for all of them, at most n
/// \param count       one integer: the number of items that are left
/// \param value       what x == value leaves out
/// \return            count + 1
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::output_for<Policy> Count, class T>
Count remove_copy_into(Policy const& policy, In first, In last, Out out, Count count, T value) {
  detail::partition_to<detail::placement::out_of_place>(
      "remove_copy_into", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::equal_to_value<T>{value}), detail::part_outputs{out}, count);
  return count + 1;
}

/// Moves the items that pred does not hold for to the front. What stands behind them is unspecified.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which those that are left come first
/// \param pred        pred(x): whether x is left out
/// \return            first + number of items that are left
///
/// \par Promises
/// - order: the items that are left keep theirs.
/// - waiting: for the count, which remove_if_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and pred called on it, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB; three_kernel: n items more.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::function_like Pred>
SWEEP_HD It remove_if(Policy const& policy, It first, It last, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::in_place>(
      "remove_if", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{first});
  return detail::end_of(first, all, 0);
}

/// Moves the items whose stencil item pred does not hold for to the front. Other promises as without a
/// stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which those that are left come first
/// \param stencil     n items, which pred is called on and which stay as they are
/// \param pred        pred(stencil item): whether the item is left out
/// \return            first + number of items that are left
///
/// \par Promises
/// - aliasing: the stencil does not overlap the range.
/// - complexity: pred is called once a stencil item (three_kernel: twice); on the device a 16-byte word of
///   items, none of which is selected, is not read.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::iterator_for<Policy> Stencil,
          detail::function_like Pred>
SWEEP_HD It remove_if(Policy const& policy, It first, It last, Stencil stencil, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::in_place>(
      "remove_if", policy, first, last, stencil, detail::select_where_not(detail::device_functor(pred)),
      detail::part_outputs{first});
  return detail::end_of(first, all, 0);
}

/// remove_if that writes how many items are left, and never waits: it can be captured in a graph. Other
/// promises as remove_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which those that are left come first
/// \param count       one integer: the number of items that are left
/// \param pred        pred(x): whether x is left out
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::output_for<Policy> Count,
          detail::function_like Pred>
SWEEP_HD Count remove_if_into(Policy const& policy, It first, It last, Count count, Pred pred) {
  detail::partition_to<detail::placement::in_place>(
      "remove_if_into", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::device_functor(pred)), detail::part_outputs{first}, count);
  return count + 1;
}

/// remove_if with a stencil that writes how many items are left, and never waits. Other promises as remove_if
/// with a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which those that are left come first
/// \param stencil     n items, which pred is called on and which stay as they are
/// \param count       one integer: the number of items that are left
/// \param pred        pred(stencil item): whether the item is left out
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count remove_if_into(Policy const& policy, It first, It last, Stencil stencil, Count count,
                              Pred pred) {
  detail::partition_to<detail::placement::in_place>("remove_if_into", policy, first, last, stencil,
                                                    detail::select_where_not(detail::device_functor(pred)),
                                                    detail::part_outputs{first}, count);
  return count + 1;
}

/// Moves the items that differ from a value to the front. What stands behind them is unspecified. Promises as
/// remove_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which those that are left come first
/// \param value       what x == value leaves out
/// \return            first + number of items that are left
template <detail::policy Policy, detail::output_for<Policy> It, class T>
It remove(Policy const& policy, It first, It last, T value) {
  auto const all = detail::partition_counts<detail::placement::in_place>(
      "remove", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::equal_to_value<T>{value}), detail::part_outputs{first});
  return detail::end_of(first, all, 0);
}

/// remove that writes how many items are left, and never waits: it can be captured in a graph. Other promises
/// as remove_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which those that are left come first
/// \param count       one integer: the number of items that are left
/// \param value       what x == value leaves out
/// \return            count + 1
template <detail::policy Policy, detail::output_for<Policy> It, detail::output_for<Policy> Count, class T>
Count remove_into(Policy const& policy, It first, It last, Count count, T value) {
  detail::partition_to<detail::placement::in_place>(
      "remove_into", policy, first, last, detail::no_stencil{},
      detail::select_where_not(detail::equal_to_value<T>{value}), detail::part_outputs{first}, count);
  return count + 1;
}

/// Copies the first item of every run of neighbours that are equal.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the first items; room for all of them, at most n
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            out + number of runs
///
/// \par Promises
/// - order: the output keeps the input's.
/// - aliasing: out does not overlap the input.
/// - waiting: for the count, which unique_copy_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and eq called on it and its neighbour, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD Out unique_copy(Policy const& policy, In first, In last, Out out, Eq eq = {}) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "unique_copy", policy, first, last, detail::no_stencil{},
      detail::first_of_run{detail::device_functor(eq)}, detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}

/// unique_copy that writes how many runs there are, and never waits: it can be captured in a graph. Other
/// promises as unique_copy.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the first items; room for all of them, at most n
/// \param count       one integer: the number of runs
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::output_for<Policy> Count, detail::function_like Eq = detail::equal_to>
SWEEP_HD Count unique_copy_into(Policy const& policy, In first, In last, Out out, Count count, Eq eq = {}) {
  detail::partition_to<detail::placement::out_of_place>(
      "unique_copy_into", policy, first, last, detail::no_stencil{},
      detail::first_of_run{detail::device_functor(eq)}, detail::part_outputs{out}, count);
  return count + 1;
}

/// Moves the first item of every run of neighbours that are equal to the front. What stands behind them is
/// unspecified.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the first of each run come first
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            first + number of runs
///
/// \par Promises
/// - order: the items that are left keep theirs.
/// - waiting: for the count, which unique_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and eq called on it and its neighbour, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB; three_kernel: n items more.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::function_like Eq = detail::equal_to>
SWEEP_HD It unique(Policy const& policy, It first, It last, Eq eq = {}) {
  auto const all = detail::partition_counts<detail::placement::in_place>(
      "unique", policy, first, last, detail::no_stencil{}, detail::first_of_run{detail::device_functor(eq)},
      detail::part_outputs{first});
  return detail::end_of(first, all, 0);
}

/// unique that writes how many runs there are, and never waits: it can be captured in a graph. Other promises
/// as unique.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the first of each run come first
/// \param count       one integer: the number of runs
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::output_for<Policy> Count,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD Count unique_into(Policy const& policy, It first, It last, Count count, Eq eq = {}) {
  detail::partition_to<detail::placement::in_place>("unique_into", policy, first, last, detail::no_stencil{},
                                                    detail::first_of_run{detail::device_functor(eq)},
                                                    detail::part_outputs{first}, count);
  return count + 1;
}

/// The number of runs of neighbours that are equal, which is how many items unique leaves.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            the number of runs, of 64 bits
///
/// \par Promises
/// - waiting: for the number, which unique_count_into does not.
/// - determinism: always the same.
/// - complexity: eq is called on each item and its neighbour once; on the device one item of a word of 16
///   bytes is read twice.
/// - scratch: less than 64 KiB. Takes the variants and plans of reductions.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: a reduction of ones, where runs begin.
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Eq = detail::equal_to>
std::int64_t unique_count(Policy const& policy, In first, In last, Eq eq = {}) {
  return detail::fold_value<std::int64_t>("unique_count", policy, first, last, std::int64_t{0},
                                          detail::plus{},
                                          detail::run_counter(first, detail::device_functor(eq)));
}

/// unique_count that writes the number, and never waits: it can be captured in a graph. Other promises as
/// unique_count.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the number of runs
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            out + 1
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Eq = detail::equal_to>
Out unique_count_into(Policy const& policy, In first, In last, Out out, Eq eq = {}) {
  detail::fold_to<std::int64_t>("unique_count_into", policy, first, last, out, std::int64_t{0},
                                detail::plus{}, detail::run_counter(first, detail::device_functor(eq)));
  return out + 1;
}

/// Copies the first key of every run of equal keys, and its value.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param keys_out              a key for each run
/// \param values_out            a value for each run
/// \param eq                    eq(left, x): whether two neighbouring keys are equal, an equivalence; by
///                              default ==
/// \return                      keys_out and values_out, each + number of runs
///
/// \par Promises
/// - order: the outputs keep the inputs'.
/// - aliasing: outputs overlap neither the inputs nor each other.
/// - waiting: for the count, which unique_by_key_copy_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each key is read, and eq called on it and its neighbour, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD pair<KeysOut, ValuesOut> unique_by_key_copy(Policy const& policy, Keys keys_first, Keys keys_last,
                                                     Values values_first, KeysOut keys_out,
                                                     ValuesOut values_out, Eq eq = {}) {
  auto const count = detail::unique_pairs<detail::placement::out_of_place>(
      "unique_by_key_copy", policy, keys_first, keys_last, values_first, keys_out, values_out, eq);
  return {keys_out + count, values_out + count};
}

/// unique_by_key_copy that writes how many runs there are, and never waits: it can be captured in a graph.
/// Other promises as unique_by_key_copy.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param keys_out              a key for each run
/// \param values_out            a value for each run
/// \param count                 one integer: the number of runs
/// \param eq                    eq(left, x): whether two neighbouring keys are equal, an equivalence; by
///                              default ==
/// \return                      count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::output_for<Policy> Count, detail::function_like Eq = detail::equal_to>
SWEEP_HD Count unique_by_key_copy_into(Policy const& policy, Keys keys_first, Keys keys_last,
                                       Values values_first, KeysOut keys_out, ValuesOut values_out,
                                       Count count, Eq eq = {}) {
  detail::unique_pairs_to<detail::placement::out_of_place>("unique_by_key_copy_into", policy, keys_first,
                                                           keys_last, values_first, keys_out, values_out,
                                                           count, eq);
  return count + 1;
}

/// Moves the first key of every run of equal keys, and its value, to the front. What stands behind them is
/// unspecified.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys, of which the first of each run come first
/// \param values_first          n values, which move as their keys do
/// \param eq                    eq(left, x): whether two neighbouring keys are equal, an equivalence; by
///                              default ==
/// \return                      keys_first and values_first, each + number of runs
///
/// \par Promises
/// - order: keys and values that are left keep theirs.
/// - aliasing: keys and values do not overlap.
/// - waiting: for the count, which unique_by_key_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each key is read, and eq called on it and its neighbour, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB; three_kernel: n items more.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD pair<Keys, Values> unique_by_key(Policy const& policy, Keys keys_first, Keys keys_last,
                                          Values values_first, Eq eq = {}) {
  auto const count = detail::unique_pairs<detail::placement::in_place>(
      "unique_by_key", policy, keys_first, keys_last, values_first, keys_first, values_first, eq);
  return {keys_first + count, values_first + count};
}

/// unique_by_key that writes how many runs there are, and never waits: it can be captured in a graph. Other
/// promises as unique_by_key.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys, of which the first of each run come first
/// \param values_first          n values, which move as their keys do
/// \param count                 one integer: the number of runs
/// \param eq                    eq(left, x): whether two neighbouring keys are equal, an equivalence; by
///                              default ==
/// \return                      count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> Count, detail::function_like Eq = detail::equal_to>
SWEEP_HD Count unique_by_key_into(Policy const& policy, Keys keys_first, Keys keys_last, Values values_first,
                                  Count count, Eq eq = {}) {
  detail::unique_pairs_to<detail::placement::in_place>("unique_by_key_into", policy, keys_first, keys_last,
                                                       values_first, keys_first, values_first, count, eq);
  return count + 1;
}

/// Copies the items that pred holds for to one output and the others to another.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out_true    the items that pred holds for; room for all of them, at most n
/// \param out_false   the other items; room for all of them, at most n
/// \param pred        pred(x): whether x goes to out_true
/// \return            out_true + number of items there, and out_false + number of items there
///
/// \par Promises
/// - order: both outputs keep the input's.
/// - aliasing: outputs overlap neither the input nor each other.
/// - waiting: for the count, which partition_copy_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and pred called on it, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> OutTrue,
          detail::output_for<Policy> OutFalse, detail::function_like Pred>
SWEEP_HD pair<OutTrue, OutFalse> partition_copy(Policy const& policy, In first, In last, OutTrue out_true,
                                                OutFalse out_false, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "partition_copy", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out_true, out_false});
  return {detail::end_of(out_true, all, 0), detail::end_of_rest(out_false, all, first, last)};
}

/// Copies the items whose stencil item pred holds for to one output and the others to another. Other promises
/// as without a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param stencil     n items, which pred is called on
/// \param out_true    the items that pred holds for; room for all of them, at most n
/// \param out_false   the other items; room for all of them, at most n
/// \param pred        pred(stencil item): whether the item goes to out_true
/// \return            out_true + number of items there, and out_false + number of items there
///
/// \par Promises
/// - aliasing: outputs overlap neither the input, the stencil nor each other; input and stencil may overlap.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> OutTrue, detail::output_for<Policy> OutFalse, detail::function_like Pred>
SWEEP_HD pair<OutTrue, OutFalse> partition_copy(Policy const& policy, In first, In last, Stencil stencil,
                                                OutTrue out_true, OutFalse out_false, Pred pred) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "partition_copy", policy, first, last, stencil, detail::select_where(detail::device_functor(pred)),
      detail::part_outputs{out_true, out_false});
  return {detail::end_of(out_true, all, 0), detail::end_of_rest(out_false, all, first, last)};
}

/// partition_copy that writes how many items pred holds for, and never waits: it can be captured in a graph.
/// Other promises as partition_copy.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out_true    the items that pred holds for; room for all of them, at most n
/// \param out_false   the other items; room for all of them, at most n
/// \param count       one integer: the number of items in out_true
/// \param pred        pred(x): whether x goes to out_true
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> OutTrue,
          detail::output_for<Policy> OutFalse, detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count partition_copy_into(Policy const& policy, In first, In last, OutTrue out_true,
                                   OutFalse out_false, Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>(
      "partition_copy_into", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out_true, out_false}, count);
  return count + 1;
}

/// partition_copy with a stencil that writes how many items pred holds for, and never waits. Other promises
/// as partition_copy with a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param stencil     n items, which pred is called on
/// \param out_true    the items that pred holds for; room for all of them, at most n
/// \param out_false   the other items; room for all of them, at most n
/// \param count       one integer: the number of items in out_true
/// \param pred        pred(stencil item): whether the item goes to out_true
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> OutTrue, detail::output_for<Policy> OutFalse,
          detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count partition_copy_into(Policy const& policy, In first, In last, Stencil stencil, OutTrue out_true,
                                   OutFalse out_false, Count count, Pred pred) {
  detail::partition_to<detail::placement::out_of_place>("partition_copy_into", policy, first, last, stencil,
                                                        detail::select_where(detail::device_functor(pred)),
                                                        detail::part_outputs{out_true, out_false}, count);
  return count + 1;
}

/// Thrust's name for partition_copy, which is stable here too. Promises as partition_copy.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out_true    the items that pred holds for; room for all of them, at most n
/// \param out_false   the other items; room for all of them, at most n
/// \param pred        pred(x): whether x goes to out_true
/// \return            out_true + number of items there, and out_false + number of items there
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> OutTrue,
          detail::output_for<Policy> OutFalse, detail::function_like Pred>
SWEEP_HD pair<OutTrue, OutFalse> stable_partition_copy(Policy const& policy, In first, In last,
                                                       OutTrue out_true, OutFalse out_false, Pred pred) {
  return sweep::partition_copy(policy, first, last, out_true, out_false, pred);
}

/// Thrust's name for partition_copy with a stencil, which is stable here too. Promises as partition_copy with
/// a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param stencil     n items, which pred is called on
/// \param out_true    the items that pred holds for; room for all of them, at most n
/// \param out_false   the other items; room for all of them, at most n
/// \param pred        pred(stencil item): whether the item goes to out_true
/// \return            out_true + number of items there, and out_false + number of items there
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> OutTrue, detail::output_for<Policy> OutFalse, detail::function_like Pred>
SWEEP_HD pair<OutTrue, OutFalse> stable_partition_copy(Policy const& policy, In first, In last,
                                                       Stencil stencil, OutTrue out_true, OutFalse out_false,
                                                       Pred pred) {
  return sweep::partition_copy(policy, first, last, stencil, out_true, out_false, pred);
}

/// Thrust's name for partition_copy_into. Promises as partition_copy_into.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out_true    the items that pred holds for; room for all of them, at most n
/// \param out_false   the other items; room for all of them, at most n
/// \param count       one integer: the number of items in out_true
/// \param pred        pred(x): whether x goes to out_true
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> OutTrue,
          detail::output_for<Policy> OutFalse, detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count stable_partition_copy_into(Policy const& policy, In first, In last, OutTrue out_true,
                                          OutFalse out_false, Count count, Pred pred) {
  return sweep::partition_copy_into(policy, first, last, out_true, out_false, count, pred);
}

/// Thrust's name for partition_copy_into with a stencil. Promises as partition_copy_into with a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param stencil     n items, which pred is called on
/// \param out_true    the items that pred holds for; room for all of them, at most n
/// \param out_false   the other items; room for all of them, at most n
/// \param count       one integer: the number of items in out_true
/// \param pred        pred(stencil item): whether the item goes to out_true
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> OutTrue, detail::output_for<Policy> OutFalse,
          detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count stable_partition_copy_into(Policy const& policy, In first, In last, Stencil stencil,
                                          OutTrue out_true, OutFalse out_false, Count count, Pred pred) {
  return sweep::partition_copy_into(policy, first, last, stencil, out_true, out_false, count, pred);
}

/// Moves the items that pred holds for before the others.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the selected come first
/// \param pred        pred(x): whether x goes before the others
/// \return            first + number of items that pred holds for: the first of the others
///
/// \par Promises
/// - order: both kinds keep theirs.
/// - waiting: for the count, which stable_partition_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and pred called on it, once (three_kernel: twice); those that pred does
///   not hold for are written twice.
/// - scratch: n items, and less than 1 % of the input and 64 KiB; three_kernel: n items more.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::function_like Pred>
SWEEP_HD It stable_partition(Policy const& policy, It first, It last, Pred pred) {
  auto const all =
      detail::stable_partition_counts("stable_partition", policy, first, last, detail::no_stencil{},
                                      detail::select_where(detail::device_functor(pred)));
  return detail::end_of(first, all, 0);
}

/// Moves the items whose stencil item pred holds for before the others. Other promises as without a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the selected come first
/// \param stencil     n items, which pred is called on and which stay as they are
/// \param pred        pred(stencil item): whether the item goes before the others
/// \return            first + number of items that pred holds for: the first of the others
///
/// \par Promises
/// - aliasing: the stencil does not overlap the range.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::iterator_for<Policy> Stencil,
          detail::function_like Pred>
SWEEP_HD It stable_partition(Policy const& policy, It first, It last, Stencil stencil, Pred pred) {
  auto const all = detail::stable_partition_counts("stable_partition", policy, first, last, stencil,
                                                   detail::select_where(detail::device_functor(pred)));
  return detail::end_of(first, all, 0);
}

/// stable_partition that writes how many items pred holds for, and never waits: it can be captured in a
/// graph. Other promises as stable_partition.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the selected come first
/// \param count       one integer: the number of items that pred holds for
/// \param pred        pred(x): whether x goes before the others
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::output_for<Policy> Count,
          detail::function_like Pred>
SWEEP_HD Count stable_partition_into(Policy const& policy, It first, It last, Count count, Pred pred) {
  detail::stable_partition_to("stable_partition_into", policy, first, last, detail::no_stencil{},
                              detail::select_where(detail::device_functor(pred)), count);
  return count + 1;
}

/// stable_partition with a stencil that writes how many items pred holds for, and never waits. Other promises
/// as stable_partition with a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the selected come first
/// \param stencil     n items, which pred is called on and which stay as they are
/// \param count       one integer: the number of items that pred holds for
/// \param pred        pred(stencil item): whether the item goes before the others
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count stable_partition_into(Policy const& policy, It first, It last, Stencil stencil, Count count,
                                     Pred pred) {
  detail::stable_partition_to("stable_partition_into", policy, first, last, stencil,
                              detail::select_where(detail::device_functor(pred)), count);
  return count + 1;
}

/// Thrust's name for stable_partition, which keeps the order here too. Promises as stable_partition.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the selected come first
/// \param pred        pred(x): whether x goes before the others
/// \return            first + number of items that pred holds for: the first of the others
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::function_like Pred>
SWEEP_HD It partition(Policy const& policy, It first, It last, Pred pred) {
  return sweep::stable_partition(policy, first, last, pred);
}

/// Thrust's name for stable_partition with a stencil. Promises as stable_partition with a stencil.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the selected come first
/// \param stencil     n items, which pred is called on and which stay as they are
/// \param pred        pred(stencil item): whether the item goes before the others
/// \return            first + number of items that pred holds for: the first of the others
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::iterator_for<Policy> Stencil,
          detail::function_like Pred>
SWEEP_HD It partition(Policy const& policy, It first, It last, Stencil stencil, Pred pred) {
  return sweep::stable_partition(policy, first, last, stencil, pred);
}

/// Another name for stable_partition_into. Promises as stable_partition_into.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the selected come first
/// \param count       one integer: the number of items that pred holds for
/// \param pred        pred(x): whether x goes before the others
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::output_for<Policy> Count,
          detail::function_like Pred>
SWEEP_HD Count partition_into(Policy const& policy, It first, It last, Count count, Pred pred) {
  return sweep::stable_partition_into(policy, first, last, count, pred);
}

/// Another name for stable_partition_into with a stencil. Promises as that.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the selected come first
/// \param stencil     n items, which pred is called on and which stay as they are
/// \param count       one integer: the number of items that pred holds for
/// \param pred        pred(stencil item): whether the item goes before the others
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::iterator_for<Policy> Stencil,
          detail::output_for<Policy> Count, detail::function_like Pred>
SWEEP_HD Count partition_into(Policy const& policy, It first, It last, Stencil stencil, Count count,
                              Pred pred) {
  return sweep::stable_partition_into(policy, first, last, stencil, count, pred);
}

/// The ends of three outputs.
template <class Out1, class Out2, class Out3>
struct three_ends {
  Out1 first;   ///< of the first output
  Out2 second;  ///< of the second
  Out3 third;   ///< of the third
};

/// Copies the items that pred1 holds for to the first output, of the others those that pred2 holds for to the
/// second, and the rest to the third.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out1        the items that pred1 holds for; room for all of them, at most n
/// \param out2        the others that pred2 holds for; room for all of them, at most n
/// \param out3        the rest; room for all of them, at most n
/// \param pred1       pred1(x): whether x goes to out1
/// \param pred2       pred2(x): whether x goes to out2; not called where pred1 holds
/// \return            the ends of the three outputs
///
/// \par Promises
/// - order: each output keeps the input's.
/// - aliasing: outputs overlap neither the input nor each other.
/// - waiting: for the counts, which three_way_partition_copy_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and each predicate called on it at most, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out1,
          detail::output_for<Policy> Out2, detail::output_for<Policy> Out3, detail::function_like Pred1,
          detail::function_like Pred2>
SWEEP_HD three_ends<Out1, Out2, Out3> three_way_partition_copy(Policy const& policy, In first, In last,
                                                               Out1 out1, Out2 out2, Out3 out3, Pred1 pred1,
                                                               Pred2 pred2) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "three_way_partition_copy", policy, first, last, detail::no_stencil{},
      detail::by_two_predicates{detail::device_functor(pred1), detail::device_functor(pred2)},
      detail::part_outputs{out1, out2, out3});
  return {detail::end_of(out1, all, 0), detail::end_of(out2, all, 1),
          detail::end_of_rest(out3, all, first, last)};
}

/// three_way_partition_copy that writes how many items the first two outputs have, and never waits: it can be
/// captured in a graph. Other promises as three_way_partition_copy.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out1        the items that pred1 holds for; room for all of them, at most n
/// \param out2        the others that pred2 holds for; room for all of them, at most n
/// \param out3        the rest; room for all of them, at most n
/// \param counts      two integers: the numbers of items in out1 and out2
/// \param pred1       pred1(x): whether x goes to out1
/// \param pred2       pred2(x): whether x goes to out2; not called where pred1 holds
/// \return            counts + 2
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out1,
          detail::output_for<Policy> Out2, detail::output_for<Policy> Out3, detail::output_for<Policy> Counts,
          detail::function_like Pred1, detail::function_like Pred2>
SWEEP_HD Counts three_way_partition_copy_into(Policy const& policy, In first, In last, Out1 out1, Out2 out2,
                                              Out3 out3, Counts counts, Pred1 pred1, Pred2 pred2) {
  detail::partition_to<detail::placement::out_of_place>(
      "three_way_partition_copy_into", policy, first, last, detail::no_stencil{},
      detail::by_two_predicates{detail::device_functor(pred1), detail::device_functor(pred2)},
      detail::part_outputs{out1, out2, out3}, counts);
  return counts + 2;
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto copy_if = [](auto const&... all) -> decltype(sweep::copy_if(all...)) {
  return sweep::copy_if(all...);
};
inline constexpr auto copy_if_into = [](auto const&... all) -> decltype(sweep::copy_if_into(all...)) {
  return sweep::copy_if_into(all...);
};
inline constexpr auto pack = [](auto const&... all) -> decltype(sweep::pack(all...)) {
  return sweep::pack(all...);
};
inline constexpr auto pack_into = [](auto const&... all) -> decltype(sweep::pack_into(all...)) {
  return sweep::pack_into(all...);
};
inline constexpr auto enumerate = [](auto const&... all) -> decltype(sweep::enumerate(all...)) {
  return sweep::enumerate(all...);
};
inline constexpr auto remove_copy_if = [](auto const&... all) -> decltype(sweep::remove_copy_if(all...)) {
  return sweep::remove_copy_if(all...);
};
inline constexpr auto remove_copy_if_into =
    [](auto const&... all) -> decltype(sweep::remove_copy_if_into(all...)) {
  return sweep::remove_copy_if_into(all...);
};
inline constexpr auto remove_copy = [](auto const&... all) -> decltype(sweep::remove_copy(all...)) {
  return sweep::remove_copy(all...);
};
inline constexpr auto remove_copy_into = [](auto const&... all) -> decltype(sweep::remove_copy_into(all...)) {
  return sweep::remove_copy_into(all...);
};
inline constexpr auto remove_if = [](auto const&... all) -> decltype(sweep::remove_if(all...)) {
  return sweep::remove_if(all...);
};
inline constexpr auto remove_if_into = [](auto const&... all) -> decltype(sweep::remove_if_into(all...)) {
  return sweep::remove_if_into(all...);
};
inline constexpr auto remove = [](auto const&... all) -> decltype(sweep::remove(all...)) {
  return sweep::remove(all...);
};
inline constexpr auto remove_into = [](auto const&... all) -> decltype(sweep::remove_into(all...)) {
  return sweep::remove_into(all...);
};
inline constexpr auto unique_copy = [](auto const&... all) -> decltype(sweep::unique_copy(all...)) {
  return sweep::unique_copy(all...);
};
inline constexpr auto unique_copy_into = [](auto const&... all) -> decltype(sweep::unique_copy_into(all...)) {
  return sweep::unique_copy_into(all...);
};
inline constexpr auto unique = [](auto const&... all) -> decltype(sweep::unique(all...)) {
  return sweep::unique(all...);
};
inline constexpr auto unique_into = [](auto const&... all) -> decltype(sweep::unique_into(all...)) {
  return sweep::unique_into(all...);
};
inline constexpr auto unique_count = [](auto const&... all) -> decltype(sweep::unique_count(all...)) {
  return sweep::unique_count(all...);
};
inline constexpr auto unique_count_into =
    [](auto const&... all) -> decltype(sweep::unique_count_into(all...)) {
  return sweep::unique_count_into(all...);
};
inline constexpr auto unique_by_key_copy =
    [](auto const&... all) -> decltype(sweep::unique_by_key_copy(all...)) {
  return sweep::unique_by_key_copy(all...);
};
inline constexpr auto unique_by_key_copy_into =
    [](auto const&... all) -> decltype(sweep::unique_by_key_copy_into(all...)) {
  return sweep::unique_by_key_copy_into(all...);
};
inline constexpr auto unique_by_key = [](auto const&... all) -> decltype(sweep::unique_by_key(all...)) {
  return sweep::unique_by_key(all...);
};
inline constexpr auto unique_by_key_into =
    [](auto const&... all) -> decltype(sweep::unique_by_key_into(all...)) {
  return sweep::unique_by_key_into(all...);
};
inline constexpr auto partition_copy = [](auto const&... all) -> decltype(sweep::partition_copy(all...)) {
  return sweep::partition_copy(all...);
};
inline constexpr auto partition_copy_into =
    [](auto const&... all) -> decltype(sweep::partition_copy_into(all...)) {
  return sweep::partition_copy_into(all...);
};
inline constexpr auto stable_partition_copy =
    [](auto const&... all) -> decltype(sweep::stable_partition_copy(all...)) {
  return sweep::stable_partition_copy(all...);
};
inline constexpr auto stable_partition_copy_into =
    [](auto const&... all) -> decltype(sweep::stable_partition_copy_into(all...)) {
  return sweep::stable_partition_copy_into(all...);
};
inline constexpr auto stable_partition = [](auto const&... all) -> decltype(sweep::stable_partition(all...)) {
  return sweep::stable_partition(all...);
};
inline constexpr auto stable_partition_into =
    [](auto const&... all) -> decltype(sweep::stable_partition_into(all...)) {
  return sweep::stable_partition_into(all...);
};
inline constexpr auto partition = [](auto const&... all) -> decltype(sweep::partition(all...)) {
  return sweep::partition(all...);
};
inline constexpr auto partition_into = [](auto const&... all) -> decltype(sweep::partition_into(all...)) {
  return sweep::partition_into(all...);
};
inline constexpr auto three_way_partition_copy =
    [](auto const&... all) -> decltype(sweep::three_way_partition_copy(all...)) {
  return sweep::three_way_partition_copy(all...);
};
inline constexpr auto three_way_partition_copy_into =
    [](auto const&... all) -> decltype(sweep::three_way_partition_copy_into(all...)) {
  return sweep::three_way_partition_copy_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto copy_if(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::copy_if, first, rest...);
}
template <class First, class... Rest>
auto copy_if_into(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::copy_if_into, first, rest...);
}
template <class First, class... Rest>
auto pack(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::pack, first, rest...);
}
template <class First, class... Rest>
auto pack_into(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::pack_into, first, rest...);
}
template <class First, class... Rest>
auto enumerate(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::enumerate, first, rest...);
}
template <class First, class... Rest>
auto remove_copy_if(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::remove_copy_if, first, rest...);
}
template <class First, class... Rest>
auto remove_copy_if_into(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::remove_copy_if_into, first, rest...);
}
template <class First, class... Rest>
auto remove_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::remove_copy, first, rest...);
}
template <class First, class... Rest>
auto remove_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::remove_copy_into, first, rest...);
}
template <class First, class... Rest>
auto remove_if(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::remove_if, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto remove_if(First& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::remove_if, first, rest...);
}
template <class First, class... Rest>
auto remove_if_into(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::remove_if_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto remove_if_into(First& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::remove_if_into, first, rest...);
}
template <class First, class... Rest>
auto remove(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::remove, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto remove(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::remove, first, rest...);
}
template <class First, class... Rest>
auto remove_into(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::remove_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto remove_into(First& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::remove_into, first, rest...);
}
template <class First, class... Rest>
auto unique_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::unique_copy, first, rest...);
}
template <class First, class... Rest>
auto unique_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::unique_copy_into, first, rest...);
}
template <class First, class... Rest>
auto unique(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::unique, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto unique(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::unique, first, rest...);
}
template <class First, class... Rest>
auto unique_into(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::unique_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto unique_into(First& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::unique_into, first, rest...);
}
template <class First, class... Rest>
auto unique_count(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::unique_count, first, rest...);
}
template <class First, class... Rest>
auto unique_count_into(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::unique_count_into, first, rest...);
}
template <class First, class... Rest>
auto unique_by_key_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::unique_by_key_copy, first, rest...);
}
template <class First, class... Rest>
auto unique_by_key_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call<4>(detail::canonical::unique_by_key_copy_into, first, rest...);
}
template <class First, class... Rest>
auto unique_by_key(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::unique_by_key, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto unique_by_key(First& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::unique_by_key, first, rest...);
}
template <class First, class... Rest>
auto unique_by_key_into(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::unique_by_key_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto unique_by_key_into(First& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::unique_by_key_into, first, rest...);
}
template <class First, class... Rest>
auto partition_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::partition_copy, first, rest...);
}
template <class First, class... Rest>
auto partition_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call<4>(detail::canonical::partition_copy_into, first, rest...);
}
template <class First, class... Rest>
auto stable_partition_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::stable_partition_copy, first, rest...);
}
template <class First, class... Rest>
auto stable_partition_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call<4>(detail::canonical::stable_partition_copy_into, first, rest...);
}
template <class First, class... Rest>
auto stable_partition(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::stable_partition, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto stable_partition(First& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::stable_partition, first, rest...);
}
template <class First, class... Rest>
auto stable_partition_into(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::stable_partition_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto stable_partition_into(First& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::stable_partition_into, first, rest...);
}
template <class First, class... Rest>
auto partition(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::partition, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto partition(First& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::partition, first, rest...);
}
template <class First, class... Rest>
auto partition_into(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::partition_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto partition_into(First& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::partition_into, first, rest...);
}
template <class First, class... Rest>
auto three_way_partition_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::three_way_partition_copy, first, rest...);
}
template <class First, class... Rest>
auto three_way_partition_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call<4>(detail::canonical::three_way_partition_copy_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#endif
