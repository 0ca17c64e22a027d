// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXTREMA_HPP
#define SWEEP_EXTREMA_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/extrema/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>

#include <cstddef>
#include <utility>

/// \file
/// The least and the greatest item, and where they stand.

/// \defgroup extrema Extrema
/// `#include <sweep/extrema.hpp>`: the least and the greatest item, and where they stand. Below
/// n = last - first.
///
/// - **types**: any random-access iterators. On the device items must be trivially copyable and default
///   constructible; on `seq` and `host` items of any type are compared where they stand.
/// - **comparisons**: comp(a, b) says whether a goes before b, a strict weak order, by default `<`. Of NaNs,
///   which have no place in such an order, the result is some position of the range, and the same on every
///   run.
/// - **ties**: of items that are equivalent the first is taken, for the least and for the greatest, as Thrust
///   does (std::minmax_element takes the last of the greatest).
/// - **two forms**: what returns a position waits for it on the device. The form that ends in `_into` writes
///   the index through an iterator instead, n where the range is empty, and never waits.
/// - **variants and plans** are those of reductions (sweep/reduce.hpp).
/// - **scratch** is device memory from the policy's source.
/// - **exceptions** of a comparison or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup extrema
/// @{

/// Where the least item stands: the first that no other one goes before.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            first + its index; last where the range is empty
///
/// \par Promises
/// - order: of equivalent items the first.
/// - waiting: for the position, which min_element_into does not.
/// - determinism: always the same.
/// - complexity: each item is read once; less than 3 n calls of comp.
/// - scratch: less than 64 KiB, and 4096 times the item.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: a reduction of pairs of item and index; each thread keeps its own until the end, and an index
///   is a few bits until a word's best item is known; a number of up to two bytes and its place in a row are
///   one word of 32 bits.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Comp = detail::less>
SWEEP_HD In min_element(Policy const& policy, In first, In last, Comp comp = {}) {
  auto const found =
      detail::extremum_place<detail::extreme::lowest>("min_element", policy, first, last, comp);
  return first + static_cast<std::ptrdiff_t>(found.at);
}

/// min_element that writes the index, and never waits: it can be captured in a graph. Other promises as
/// min_element.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the index of the least item; n where the range is empty
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::less>
SWEEP_HD Out min_element_into(Policy const& policy, In first, In last, Out out, Comp comp = {}) {
  detail::extremum_to<detail::extreme::lowest>("min_element_into", policy, first, last, out, comp);
  return out + 1;
}

/// Where the greatest item stands: the first that goes before no other one. Promises as min_element.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            first + its index; last where the range is empty
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Comp = detail::less>
SWEEP_HD In max_element(Policy const& policy, In first, In last, Comp comp = {}) {
  auto const found =
      detail::extremum_place<detail::extreme::highest>("max_element", policy, first, last, comp);
  return first + static_cast<std::ptrdiff_t>(found.at);
}

/// max_element that writes the index, and never waits: it can be captured in a graph. Other promises as
/// min_element.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the index of the greatest item; n where the range is empty
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::less>
SWEEP_HD Out max_element_into(Policy const& policy, In first, In last, Out out, Comp comp = {}) {
  detail::extremum_to<detail::extreme::highest>("max_element_into", policy, first, last, out, comp);
  return out + 1;
}

/// Where the least and the greatest item stand, found together: min_element and max_element, of which each
/// takes the first of equivalent items. Promises as min_element, with twice the calls of comp.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            the two positions, the least item's first; last and last where the range is empty
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Comp = detail::less>
SWEEP_HD pair<In, In> minmax_element(Policy const& policy, In first, In last, Comp comp = {}) {
  auto const found =
      detail::extremum_place<detail::extreme::both>("minmax_element", policy, first, last, comp);
  return {first + static_cast<std::ptrdiff_t>(found.lowest.at),
          first + static_cast<std::ptrdiff_t>(found.highest.at)};
}

/// minmax_element that writes both indices, and never waits: it can be captured in a graph. Other promises as
/// minmax_element.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         two integers: the index of the least item and that of the greatest; n and n where the
///                    range is empty
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + 2
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::less>
SWEEP_HD Out minmax_element_into(Policy const& policy, In first, In last, Out out, Comp comp = {}) {
  detail::extremum_to<detail::extreme::both>("minmax_element_into", policy, first, last, out, comp);
  return out + 2;
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto min_element = [](auto const&... all) -> decltype(sweep::min_element(all...)) {
  return sweep::min_element(all...);
};
inline constexpr auto min_element_into = [](auto const&... all) -> decltype(sweep::min_element_into(all...)) {
  return sweep::min_element_into(all...);
};
inline constexpr auto max_element = [](auto const&... all) -> decltype(sweep::max_element(all...)) {
  return sweep::max_element(all...);
};
inline constexpr auto max_element_into = [](auto const&... all) -> decltype(sweep::max_element_into(all...)) {
  return sweep::max_element_into(all...);
};
inline constexpr auto minmax_element = [](auto const&... all) -> decltype(sweep::minmax_element(all...)) {
  return sweep::minmax_element(all...);
};
inline constexpr auto minmax_element_into =
    [](auto const&... all) -> decltype(sweep::minmax_element_into(all...)) {
  return sweep::minmax_element_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto min_element(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::min_element, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto min_element(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::min_element, first, rest...);
}
template <class First, class... Rest>
auto min_element_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("min_element_into", detail::canonical::min_element_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto max_element(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::max_element, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto max_element(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::max_element, first, rest...);
}
template <class First, class... Rest>
auto max_element_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("max_element_into", detail::canonical::max_element_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto minmax_element(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::minmax_element, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto minmax_element(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::minmax_element, first, rest...);
}
template <class First, class... Rest>
auto minmax_element_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1, 2>("minmax_element_into", detail::canonical::minmax_element_into,
                                          first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
