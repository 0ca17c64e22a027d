// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_IS_SORTED_HPP
#define SWEEP_IS_SORTED_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/detail/find/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

#include <cstddef>

/// \file
/// Whether a range is sorted or partitioned, and where it ceases to be.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup search
/// @{

/// Where the range ceases to be sorted: at the first item that goes before its left neighbour.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            first + its index; last where the range is sorted
///
/// \par Promises
/// - order: comp is called at most once for each pair of neighbours, in any order.
/// - waiting: for the result, which is_sorted_until_into does not.
/// - determinism: always the same.
/// - complexity: O(i + 1) where x[i] is the first such item, O(n) where there is none; on the device an
///   item that is read is read once but for one in 128 bytes.
/// - scratch: less than 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: a reduction to the smallest index, whose blocks go through the range side by side and stop
///   behind the smallest that any of them has found.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Comp = detail::less>
SWEEP_HD In is_sorted_until(Policy const& policy, In first, In last, Comp comp = {}) {
  auto const i = detail::find_index("is_sorted_until", policy, first, last, detail::test_of_order<In>(comp));
  return first + static_cast<std::ptrdiff_t>(i);
}

/// is_sorted_until that writes the index, and never waits: it can be captured in a graph. Other promises as
/// is_sorted_until.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the index; n where the range is sorted
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::less>
SWEEP_HD Out is_sorted_until_into(Policy const& policy, In first, In last, Out out, Comp comp = {}) {
  return detail::find_to<detail::answer::index>("is_sorted_until_into", policy, first, last, out,
                                                detail::test_of_order<In>(comp));
}

/// Whether no item goes before its left neighbour. Promises as is_sorted_until.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            whether the range is sorted
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Comp = detail::less>
SWEEP_HD bool is_sorted(Policy const& policy, In first, In last, Comp comp = {}) {
  auto const i = detail::find_index("is_sorted", policy, first, last, detail::test_of_order<In>(comp));
  return i == last - first;
}

/// is_sorted that writes the answer, and never waits: it can be captured in a graph. Other promises as
/// is_sorted.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one bool: whether the range is sorted
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::less>
SWEEP_HD Out is_sorted_into(Policy const& policy, In first, In last, Out out, Comp comp = {}) {
  return detail::find_to<detail::answer::not_found>("is_sorted_into", policy, first, last, out,
                                                    detail::test_of_order<In>(comp));
}

/// Whether the items that pred holds for stand before all others. Promises as is_sorted_until.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param pred        pred(x): whether x belongs to the first part
/// \return            whether they do
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Pred>
SWEEP_HD bool is_partitioned(Policy const& policy, In first, In last, Pred pred) {
  auto const i =
      detail::find_index("is_partitioned", policy, first, last, detail::test_of_partition<In>(pred));
  return i == last - first;
}

/// is_partitioned that writes the answer, and never waits: it can be captured in a graph. Other promises as
/// is_partitioned.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one bool: whether they do
/// \param pred        pred(x): whether x belongs to the first part
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out is_partitioned_into(Policy const& policy, In first, In last, Out out, Pred pred) {
  return detail::find_to<detail::answer::not_found>("is_partitioned_into", policy, first, last, out,
                                                    detail::test_of_partition<In>(pred));
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto is_sorted_until = [](auto const&... all) -> decltype(sweep::is_sorted_until(all...)) {
  return sweep::is_sorted_until(all...);
};
inline constexpr auto is_sorted_until_into =
    [](auto const&... all) -> decltype(sweep::is_sorted_until_into(all...)) {
  return sweep::is_sorted_until_into(all...);
};
inline constexpr auto is_sorted = [](auto const&... all) -> decltype(sweep::is_sorted(all...)) {
  return sweep::is_sorted(all...);
};
inline constexpr auto is_sorted_into = [](auto const&... all) -> decltype(sweep::is_sorted_into(all...)) {
  return sweep::is_sorted_into(all...);
};
inline constexpr auto is_partitioned = [](auto const&... all) -> decltype(sweep::is_partitioned(all...)) {
  return sweep::is_partitioned(all...);
};
inline constexpr auto is_partitioned_into =
    [](auto const&... all) -> decltype(sweep::is_partitioned_into(all...)) {
  return sweep::is_partitioned_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto is_sorted_until(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::is_sorted_until, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto is_sorted_until(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::is_sorted_until, first, rest...);
}
template <class First, class... Rest>
auto is_sorted_until_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("is_sorted_until_into", detail::canonical::is_sorted_until_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto is_sorted(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::is_sorted, first, rest...);
}
template <class First, class... Rest>
auto is_sorted_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("is_sorted_into", detail::canonical::is_sorted_into, first, rest...);
}
template <class First, class... Rest>
auto is_partitioned(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::is_partitioned, first, rest...);
}
template <class First, class... Rest>
auto is_partitioned_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("is_partitioned_into", detail::canonical::is_partitioned_into, first,
                                       rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
