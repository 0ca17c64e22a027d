// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_REMOVE_HPP
#define SWEEP_REMOVE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/bits.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/detail/partition/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

/// \file
/// Compactions: the items that a predicate or a value does not leave out.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup partition
/// @{

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

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

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

}  // namespace detail::canonical

template <class First, class... Rest>
auto remove_copy_if(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::remove_copy_if, first, rest...);
}
template <class First, class... Rest>
auto remove_copy_if_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<3>("remove_copy_if_into", detail::canonical::remove_copy_if_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto remove_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::remove_copy, first, rest...);
}
template <class First, class... Rest>
auto remove_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<2>("remove_copy_into", detail::canonical::remove_copy_into, first,
                                       rest...);
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
  return detail::complete_call_into<2>("remove_if_into", detail::canonical::remove_if_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto remove_if_into(First& first, Rest&&... rest) {
  return detail::complete_call_into<2>("remove_if_into", detail::canonical::remove_if_into, first, rest...);
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
  return detail::complete_call_into<1>("remove_into", detail::canonical::remove_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto remove_into(First& first, Rest&&... rest) {
  return detail::complete_call_into<1>("remove_into", detail::canonical::remove_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
