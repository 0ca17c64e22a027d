// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EQUAL_HPP
#define SWEEP_EQUAL_HPP

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
#include <sweep/pair.hpp>

#include <cstddef>

/// \file
/// Whether two ranges are equal, and where they differ.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup search
/// @{

/// Where two ranges differ for the first time. Promises as find_if, of both ranges.
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  n items
/// \param first2        n items
/// \param eq            eq(x, y): whether two items are equal; by default ==
/// \return              first1 and first2, each + the index; n where they do not differ
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD pair<In1, In2> mismatch(Policy const& policy, In1 first1, In1 last1, In2 first2, Eq eq = {}) {
  auto const i =
      static_cast<std::ptrdiff_t>(detail::index_of_difference("mismatch", policy, first1, last1, first2, eq));
  return {first1 + i, first2 + i};
}

/// mismatch that writes the index, and never waits: it can be captured in a graph. Other promises as
/// mismatch.
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  n items
/// \param first2        n items
/// \param out           one integer: the index; n where they do not differ
/// \param eq            eq(x, y): whether two items are equal; by default ==
/// \return              out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::output_for<Policy> Out, detail::function_like Eq = detail::equal_to>
SWEEP_HD Out mismatch_into(Policy const& policy, In1 first1, In1 last1, In2 first2, Out out, Eq eq = {}) {
  return detail::difference_to<detail::answer::index>("mismatch_into", policy, first1, last1, first2, out,
                                                      eq);
}

/// Whether two ranges hold equal items. Promises as find_if, of both ranges.
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  n items
/// \param first2        n items
/// \param eq            eq(x, y): whether two items are equal; by default ==
/// \return              whether all are equal
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD bool equal(Policy const& policy, In1 first1, In1 last1, In2 first2, Eq eq = {}) {
  return detail::index_of_difference("equal", policy, first1, last1, first2, eq) == last1 - first1;
}

/// equal that writes the answer, and never waits: it can be captured in a graph. Other promises as equal.
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  n items
/// \param first2        n items
/// \param out           one bool: whether all are equal
/// \param eq            eq(x, y): whether two items are equal; by default ==
/// \return              out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::output_for<Policy> Out, detail::function_like Eq = detail::equal_to>
SWEEP_HD Out equal_into(Policy const& policy, In1 first1, In1 last1, In2 first2, Out out, Eq eq = {}) {
  return detail::difference_to<detail::answer::not_found>("equal_into", policy, first1, last1, first2, out,
                                                          eq);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto mismatch = [](auto const&... all) -> decltype(sweep::mismatch(all...)) {
  return sweep::mismatch(all...);
};
inline constexpr auto mismatch_into = [](auto const&... all) -> decltype(sweep::mismatch_into(all...)) {
  return sweep::mismatch_into(all...);
};
inline constexpr auto equal = [](auto const&... all) -> decltype(sweep::equal(all...)) {
  return sweep::equal(all...);
};
inline constexpr auto equal_into = [](auto const&... all) -> decltype(sweep::equal_into(all...)) {
  return sweep::equal_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto mismatch(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("mismatch", detail::canonical::mismatch, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto mismatch(First& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("mismatch", detail::canonical::mismatch, first, rest...);
}
template <class First, class... Rest>
auto mismatch_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<2, 1, 1>("mismatch_into", detail::canonical::mismatch_into, first,
                                             rest...);
}
template <class First, class... Rest>
auto equal(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("equal", detail::canonical::equal, first, rest...);
}
template <class First, class... Rest>
auto equal_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<2, 1, 1>("equal_into", detail::canonical::equal_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
