// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_COPY_IF_HPP
#define SWEEP_COPY_IF_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/bits.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/partition/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/scan/dispatch.hpp>

#include <cstdint>

/// \file
/// Compactions: copies of the items that a predicate or a flag selects.

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

}  // namespace detail::canonical

template <class First, class... Rest>
auto copy_if(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::copy_if, first, rest...);
}
template <class First, class... Rest>
auto copy_if_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<3>("copy_if_into", detail::canonical::copy_if_into, first, rest...);
}
template <class First, class... Rest>
auto pack(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2, 1>("pack", detail::canonical::pack, first, rest...);
}
template <class First, class... Rest>
auto pack_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<3, 1, 1>("pack_into", detail::canonical::pack_into, first, rest...);
}
template <class First, class... Rest>
auto enumerate(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("enumerate", detail::canonical::enumerate, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
