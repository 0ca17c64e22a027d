// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BOUNDS_HPP
#define SWEEP_BOUNDS_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/bounds/dispatch.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

/// \file
/// Positions in sorted and in partitioned ranges, for one value or for many.

/// \defgroup bounds Bounds
/// `#include <sweep/bounds.hpp>`: where values belong in a sorted range, by binary search. Below
/// n = last - first, and m = values_last - values_first.
///
/// - **types**: any random-access iterators. The comparison is called with an item and a value, which may be
///   of different types. On the device values must be trivially copyable and default constructible.
/// - **comparisons**: comp(a, b) says whether a goes before b, by default `<`. The range is sorted by it, or
///   at least parted by each value: what goes before the value stands first.
/// - **one value** is looked for by one warp on the device, which looks at 32 items at a time. What returns
///   the position waits for it; the form that ends in `_into` writes it through an iterator instead - a
///   position as its index, an answer as a bool - and never waits: it can be captured in a graph.
/// - **many values** are each looked for; none waits.
/// - **scratch**: none, but for the value that is returned, device memory from the policy's source.
/// - **variants and plans**: none.
/// - **exceptions** of a comparison or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup bounds
/// @{

/// The first position at which a value can be inserted into a sorted range: that of the first item which does
/// not go before it.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, sorted
/// \param value       what is looked for
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            first + the number of items that go before the value
///
/// \par Promises
/// - waiting: for the position, which lower_bound_into does not.
/// - determinism: always the same.
/// - complexity: O(log n) calls of comp; on the device 32 at once.
/// - scratch: less than 1 KiB, for what is returned; lower_bound_into: none.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: binary search, by 32 places a step.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class T,
          detail::function_like Comp = detail::less>
SWEEP_HD In lower_bound(Policy const& policy, In first, In last, T value, Comp comp = {}) {
  return first + static_cast<std::ptrdiff_t>(detail::bound_value("lower_bound", policy, first, last, value,
                                                                 detail::lower_bound_of<In, T>(comp),
                                                                 detail::says_index{}));
}

/// lower_bound of one value that writes the index, and never waits: it can be captured in a graph. Other
/// promises as lower_bound.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, sorted
/// \param out         one integer: how many items go before the value
/// \param value       what is looked for
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out, class T,
          detail::function_like Comp = detail::less>
SWEEP_HD Out lower_bound_into(Policy const& policy, In first, In last, Out out, T value, Comp comp = {}) {
  return detail::bound_to("lower_bound_into", policy, first, last, value, out,
                          detail::lower_bound_of<In, T>(comp), detail::says_index{});
}

/// The last position at which a value can be inserted into a sorted range: that of the first item which it
/// goes before. Promises as lower_bound.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, sorted
/// \param value       what is looked for
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            first + the number of items that the value does not go before
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class T,
          detail::function_like Comp = detail::less>
SWEEP_HD In upper_bound(Policy const& policy, In first, In last, T value, Comp comp = {}) {
  return first + static_cast<std::ptrdiff_t>(detail::bound_value("upper_bound", policy, first, last, value,
                                                                 detail::upper_bound_of<In, T>(comp),
                                                                 detail::says_index{}));
}

/// upper_bound of one value that writes the index, and never waits: it can be captured in a graph. Other
/// promises as upper_bound.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, sorted
/// \param out         one integer: how many items the value does not go before
/// \param value       what is looked for
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out, class T,
          detail::function_like Comp = detail::less>
SWEEP_HD Out upper_bound_into(Policy const& policy, In first, In last, Out out, T value, Comp comp = {}) {
  return detail::bound_to("upper_bound_into", policy, first, last, value, out,
                          detail::upper_bound_of<In, T>(comp), detail::says_index{});
}

/// Whether a sorted range has an item that is equivalent to a value. Promises as lower_bound.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, sorted
/// \param value       what is looked for
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            whether there is such an item
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class T,
          detail::function_like Comp = detail::less>
SWEEP_HD bool binary_search(Policy const& policy, In first, In last, T value, Comp comp = {}) {
  return detail::bound_value("binary_search", policy, first, last, value, detail::lower_bound_of<In, T>(comp),
                             detail::equivalent_of<In, T>(comp));
}

/// binary_search of one value that writes the answer, and never waits: it can be captured in a graph. Other
/// promises as binary_search.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, sorted
/// \param out         one bool: whether there is such an item
/// \param value       what is looked for
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out, class T,
          detail::function_like Comp = detail::less>
SWEEP_HD Out binary_search_into(Policy const& policy, In first, In last, Out out, T value, Comp comp = {}) {
  return detail::bound_to("binary_search_into", policy, first, last, value, out,
                          detail::lower_bound_of<In, T>(comp), detail::equivalent_of<In, T>(comp));
}

/// Where the second part of a partitioned range begins: the position of the first item that pred does not
/// hold for.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, those that pred holds for first
/// \param pred        pred(x): whether x belongs to the first part
/// \return            first + the number of items that pred holds for
///
/// \par Promises
/// - waiting: for the position, which partition_point_into does not.
/// - determinism: always the same.
/// - complexity: O(log n) calls of pred; on the device 32 at once.
/// - scratch: less than 1 KiB, for what is returned; partition_point_into: none.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: binary search, by 32 places a step.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Pred>
SWEEP_HD In partition_point(Policy const& policy, In first, In last, Pred pred) {
  return first + static_cast<std::ptrdiff_t>(
                     detail::bound_value("partition_point", policy, first, last, detail::no_value{},
                                         detail::partition_point_of<In>(pred), detail::says_index{}));
}

/// partition_point that writes the index, and never waits: it can be captured in a graph. Other promises as
/// partition_point.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, those that pred holds for first
/// \param out         one integer: how many items pred holds for
/// \param pred        pred(x): whether x belongs to the first part
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out partition_point_into(Policy const& policy, In first, In last, Out out, Pred pred) {
  return detail::bound_to("partition_point_into", policy, first, last, detail::no_value{}, out,
                          detail::partition_point_of<In>(pred), detail::says_index{});
}

/// Where the items that are equivalent to a value stand in a sorted range: lower_bound and upper_bound.
/// Promises as lower_bound, twice.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, sorted
/// \param value       what is looked for
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            the first of these items, and what stands behind the last of them
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class T,
          detail::function_like Comp = detail::less>
SWEEP_HD pair<In, In> equal_range(Policy const& policy, In first, In last, T value, Comp comp = {}) {
  return {sweep::lower_bound(policy, first, last, value, comp),
          sweep::upper_bound(policy, first, last, value, comp)};
}

/// The lower bound of each of many values: out[j] = how many items go before value j.
///
/// \param policy                    where to run: seq, host, device, or a policy of Thrust's
/// \param first,last                n items, sorted
/// \param values_first,values_last  m values, in any order
/// \param out                       m integers
/// \param comp                      comp(a, b): whether a goes before b; by default <
/// \return                          out + m
///
/// \par Promises
/// - aliasing: out may be values_first; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: always the same.
/// - complexity: O(m log n) calls of comp; neighbouring values that are close to each other read the same
///   words.
/// - scratch: none.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, values_last before
///   values_first, a null pointer, an out that is a range and has fewer than m places, with .checked() a
///   pointer that the device cannot reach.
/// - source: binary search; its first steps, at most twelve, are made in a tree that each block keeps in
///   shared memory, the others by several values of a thread at once.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> Out, detail::function_like Comp = detail::less>
SWEEP_HD Out lower_bound(Policy const& policy, In first, In last, Values values_first, Values values_last,
                         Out out, Comp comp = {}) {
  using T = detail::value_of<Values>;
  return detail::bounds_to("lower_bound", policy, first, last, values_first, values_last, out,
                           detail::lower_bound_of<In, T>(comp), detail::says_index{});
}

/// The upper bound of each of many values: out[j] = how many items value j does not go before. Promises as
/// lower_bound of many values.
///
/// \param policy                    where to run: seq, host, device, or a policy of Thrust's
/// \param first,last                n items, sorted
/// \param values_first,values_last  m values, in any order
/// \param out                       m integers
/// \param comp                      comp(a, b): whether a goes before b; by default <
/// \return                          out + m
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> Out, detail::function_like Comp = detail::less>
SWEEP_HD Out upper_bound(Policy const& policy, In first, In last, Values values_first, Values values_last,
                         Out out, Comp comp = {}) {
  using T = detail::value_of<Values>;
  return detail::bounds_to("upper_bound", policy, first, last, values_first, values_last, out,
                           detail::upper_bound_of<In, T>(comp), detail::says_index{});
}

/// Whether each of many values is there: out[j] = whether an item is equivalent to value j. Promises as
/// lower_bound of many values.
///
/// \param policy                    where to run: seq, host, device, or a policy of Thrust's
/// \param first,last                n items, sorted
/// \param values_first,values_last  m values, in any order
/// \param out                       m bools
/// \param comp                      comp(a, b): whether a goes before b; by default <
/// \return                          out + m
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> Out, detail::function_like Comp = detail::less>
SWEEP_HD Out binary_search(Policy const& policy, In first, In last, Values values_first, Values values_last,
                           Out out, Comp comp = {}) {
  using T = detail::value_of<Values>;
  return detail::bounds_to("binary_search", policy, first, last, values_first, values_last, out,
                           detail::lower_bound_of<In, T>(comp), detail::equivalent_of<In, T>(comp));
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto lower_bound = [](auto const&... all) -> decltype(sweep::lower_bound(all...)) {
  return sweep::lower_bound(all...);
};
inline constexpr auto lower_bound_into = [](auto const&... all) -> decltype(sweep::lower_bound_into(all...)) {
  return sweep::lower_bound_into(all...);
};
inline constexpr auto upper_bound = [](auto const&... all) -> decltype(sweep::upper_bound(all...)) {
  return sweep::upper_bound(all...);
};
inline constexpr auto upper_bound_into = [](auto const&... all) -> decltype(sweep::upper_bound_into(all...)) {
  return sweep::upper_bound_into(all...);
};
inline constexpr auto binary_search = [](auto const&... all) -> decltype(sweep::binary_search(all...)) {
  return sweep::binary_search(all...);
};
inline constexpr auto binary_search_into =
    [](auto const&... all) -> decltype(sweep::binary_search_into(all...)) {
  return sweep::binary_search_into(all...);
};
inline constexpr auto partition_point = [](auto const&... all) -> decltype(sweep::partition_point(all...)) {
  return sweep::partition_point(all...);
};
inline constexpr auto partition_point_into =
    [](auto const&... all) -> decltype(sweep::partition_point_into(all...)) {
  return sweep::partition_point_into(all...);
};
inline constexpr auto equal_range = [](auto const&... all) -> decltype(sweep::equal_range(all...)) {
  return sweep::equal_range(all...);
};

/// An output that is a range has a place for each of many values.
inline constexpr auto has_bounds = [](auto const& input, auto&... values) {
  input.with_second([&](std::int64_t m, auto& out, auto&...) { input.require_room("out", out, m); },
                    values...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto lower_bound(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2, 0>("lower_bound", detail::canonical::has_bounds,
                                             detail::canonical::lower_bound, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto lower_bound(First& first, Rest&&... rest) {
  return detail::complete_checked_call<2, 0>("lower_bound", detail::canonical::has_bounds,
                                             detail::canonical::lower_bound, first, rest...);
}
template <class First, class... Rest>
auto lower_bound_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("lower_bound_into", detail::canonical::lower_bound_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto upper_bound(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2, 0>("upper_bound", detail::canonical::has_bounds,
                                             detail::canonical::upper_bound, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto upper_bound(First& first, Rest&&... rest) {
  return detail::complete_checked_call<2, 0>("upper_bound", detail::canonical::has_bounds,
                                             detail::canonical::upper_bound, first, rest...);
}
template <class First, class... Rest>
auto upper_bound_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("upper_bound_into", detail::canonical::upper_bound_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto binary_search(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2, 0>("binary_search", detail::canonical::has_bounds,
                                             detail::canonical::binary_search, first, rest...);
}
template <class First, class... Rest>
auto binary_search_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("binary_search_into", detail::canonical::binary_search_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto partition_point(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::partition_point, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto partition_point(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::partition_point, first, rest...);
}
template <class First, class... Rest>
auto partition_point_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("partition_point_into", detail::canonical::partition_point_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto equal_range(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::equal_range, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto equal_range(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::equal_range, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
