// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_PARTITION_HPP
#define SWEEP_PARTITION_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/bits.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/partition/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>
#include <sweep/three_way_partition.hpp>

/// \file
/// Compactions: the items that a predicate selects, and beside them those that it does not.

/// \defgroup partition Compactions
/// `#include <sweep/copy_if.hpp>`, `<sweep/remove.hpp>`, `<sweep/unique.hpp>`, `<sweep/partition.hpp>`,
/// `<sweep/three_way_partition.hpp>`: the items that a predicate, a flag or their left neighbour selects,
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
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "stable_partition_copy", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out_true, out_false});
  return {detail::end_of(out_true, all, 0), detail::end_of_rest(out_false, all, first, last)};
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
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "stable_partition_copy", policy, first, last, stencil,
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out_true, out_false});
  return {detail::end_of(out_true, all, 0), detail::end_of_rest(out_false, all, first, last)};
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
  detail::partition_to<detail::placement::out_of_place>(
      "stable_partition_copy_into", policy, first, last, detail::no_stencil{},
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out_true, out_false}, count);
  return count + 1;
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
  detail::partition_to<detail::placement::out_of_place>(
      "stable_partition_copy_into", policy, first, last, stencil,
      detail::select_where(detail::device_functor(pred)), detail::part_outputs{out_true, out_false}, count);
  return count + 1;
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

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

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

}  // namespace detail::canonical

template <class First, class... Rest>
auto partition_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::partition_copy, first, rest...);
}
template <class First, class... Rest>
auto partition_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<4>("partition_copy_into", detail::canonical::partition_copy_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto stable_partition_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::stable_partition_copy, first, rest...);
}
template <class First, class... Rest>
auto stable_partition_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<4>("stable_partition_copy_into",
                                       detail::canonical::stable_partition_copy_into, first, rest...);
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
  return detail::complete_call_into<2>("stable_partition_into", detail::canonical::stable_partition_into,
                                       first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto stable_partition_into(First& first, Rest&&... rest) {
  return detail::complete_call_into<2>("stable_partition_into", detail::canonical::stable_partition_into,
                                       first, rest...);
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
  return detail::complete_call_into<2>("partition_into", detail::canonical::partition_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto partition_into(First& first, Rest&&... rest) {
  return detail::complete_call_into<2>("partition_into", detail::canonical::partition_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
