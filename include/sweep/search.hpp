// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEARCH_HPP
#define SWEEP_SEARCH_HPP

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
/// Searches that end where something is found.

/// \defgroup search Searches
/// `#include <sweep/search.hpp>`: the first item that something is true of; `<sweep/is_sorted.hpp>` and
/// `<sweep/equal.hpp>`: what can be said of one range or two once such an item is known. Below x[i] is item i
/// of [first, last), and n = last - first.
///
/// - **types**: any random-access iterators.
/// - **predicates** are any host/device callables whose result converts to bool; the answer may depend on the
///   arguments alone.
/// - **early exit**: a search ends soon after the first item is known, having read some of what follows it:
///   on the device what its blocks look through in one step, 17 MB at most on an H100, on `host` a few pieces
///   of 16,384 items. `seq` reads nothing beyond it.
/// - **two forms**: what returns a position or an answer waits for it on the device. The form that ends in
///   `_into` writes it through an iterator instead - a position as its index, n for last; an answer as a
///   bool - and never waits: it can be captured in a graph.
/// - **plans**: find_plan. There are no variants.
/// - **scratch** is device memory from the policy's source, less than 64 KiB.
/// - **exceptions** of a predicate or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup search
/// @{

/// Where the first item stands that pred holds for.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param pred        pred(x): whether x is looked for
/// \return            first + its index; last where there is none
///
/// \par Promises
/// - order: pred is called at most once for each item, in any order.
/// - waiting: for the result, which find_if_into does not.
/// - determinism: always the same.
/// - complexity: O(i + 1) where x[i] is the first such item, O(n) where there is none; each item that is read
///   is read once.
/// - scratch: less than 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: a reduction to the smallest index, whose blocks go through the range side by side and stop
///   behind the smallest that any of them has found.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Pred>
SWEEP_HD In find_if(Policy const& policy, In first, In last, Pred pred) {
  auto const i = detail::find_index("find_if", policy, first, last, detail::test_of_item<In>(pred));
  return first + static_cast<std::ptrdiff_t>(i);
}

/// find_if that writes the index, and never waits: it can be captured in a graph. Other promises as find_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the index; n where there is none
/// \param pred        pred(x): whether x is looked for
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out find_if_into(Policy const& policy, In first, In last, Out out, Pred pred) {
  return detail::find_to<detail::answer::index>("find_if_into", policy, first, last, out,
                                                detail::test_of_item<In>(pred));
}

/// Where the first item stands that pred does not hold for. Promises as find_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param pred        pred(x): whether x is passed over
/// \return            first + its index; last where there is none
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Pred>
SWEEP_HD In find_if_not(Policy const& policy, In first, In last, Pred pred) {
  auto const i = detail::find_index("find_if_not", policy, first, last, detail::test_of_item_not<In>(pred));
  return first + static_cast<std::ptrdiff_t>(i);
}

/// find_if_not that writes the index, and never waits: it can be captured in a graph. Other promises as
/// find_if_not.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the index; n where there is none
/// \param pred        pred(x): whether x is passed over
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out find_if_not_into(Policy const& policy, In first, In last, Out out, Pred pred) {
  return detail::find_to<detail::answer::index>("find_if_not_into", policy, first, last, out,
                                                detail::test_of_item_not<In>(pred));
}

/// Where the first item stands that equals a value. Promises as find_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param value       what x == value looks for
/// \return            first + its index; last where there is none
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class T>
SWEEP_HD In find(Policy const& policy, In first, In last, T value) {
  auto const i = detail::find_index("find", policy, first, last,
                                    detail::test_of_item<In>(detail::equal_to_value<T>{value}));
  return first + static_cast<std::ptrdiff_t>(i);
}

/// find that writes the index, and never waits: it can be captured in a graph. Other promises as find.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the index; n where there is none
/// \param value       what x == value looks for
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out, class T>
SWEEP_HD Out find_into(Policy const& policy, In first, In last, Out out, T value) {
  return detail::find_to<detail::answer::index>("find_into", policy, first, last, out,
                                                detail::test_of_item<In>(detail::equal_to_value<T>{value}));
}

/// Whether pred holds for some item. Promises as find_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param pred        pred(x): what is asked of each item
/// \return            whether there is such an item; false where the range is empty
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Pred>
SWEEP_HD bool any_of(Policy const& policy, In first, In last, Pred pred) {
  auto const i = detail::find_index("any_of", policy, first, last, detail::test_of_item<In>(pred));
  return i < last - first;
}

/// any_of that writes the answer, and never waits: it can be captured in a graph. Other promises as any_of.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one bool: whether there is such an item
/// \param pred        pred(x): what is asked of each item
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out any_of_into(Policy const& policy, In first, In last, Out out, Pred pred) {
  return detail::find_to<detail::answer::found>("any_of_into", policy, first, last, out,
                                                detail::test_of_item<In>(pred));
}

/// Whether pred holds for no item. Promises as find_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param pred        pred(x): what is asked of each item
/// \return            whether there is no such item; true where the range is empty
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Pred>
SWEEP_HD bool none_of(Policy const& policy, In first, In last, Pred pred) {
  auto const i = detail::find_index("none_of", policy, first, last, detail::test_of_item<In>(pred));
  return i == last - first;
}

/// none_of that writes the answer, and never waits: it can be captured in a graph. Other promises as none_of.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one bool: whether there is no such item
/// \param pred        pred(x): what is asked of each item
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out none_of_into(Policy const& policy, In first, In last, Out out, Pred pred) {
  return detail::find_to<detail::answer::not_found>("none_of_into", policy, first, last, out,
                                                    detail::test_of_item<In>(pred));
}

/// Whether pred holds for all items. Promises as find_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param pred        pred(x): what is asked of each item
/// \return            whether it holds for all; true where the range is empty
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Pred>
SWEEP_HD bool all_of(Policy const& policy, In first, In last, Pred pred) {
  auto const i = detail::find_index("all_of", policy, first, last, detail::test_of_item_not<In>(pred));
  return i == last - first;
}

/// all_of that writes the answer, and never waits: it can be captured in a graph. Other promises as all_of.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one bool: whether it holds for all
/// \param pred        pred(x): what is asked of each item
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out all_of_into(Policy const& policy, In first, In last, Out out, Pred pred) {
  return detail::find_to<detail::answer::not_found>("all_of_into", policy, first, last, out,
                                                    detail::test_of_item_not<In>(pred));
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto find_if = [](auto const&... all) -> decltype(sweep::find_if(all...)) {
  return sweep::find_if(all...);
};
inline constexpr auto find_if_into = [](auto const&... all) -> decltype(sweep::find_if_into(all...)) {
  return sweep::find_if_into(all...);
};
inline constexpr auto find_if_not = [](auto const&... all) -> decltype(sweep::find_if_not(all...)) {
  return sweep::find_if_not(all...);
};
inline constexpr auto find_if_not_into = [](auto const&... all) -> decltype(sweep::find_if_not_into(all...)) {
  return sweep::find_if_not_into(all...);
};
inline constexpr auto find = [](auto const&... all) -> decltype(sweep::find(all...)) {
  return sweep::find(all...);
};
inline constexpr auto find_into = [](auto const&... all) -> decltype(sweep::find_into(all...)) {
  return sweep::find_into(all...);
};
inline constexpr auto any_of = [](auto const&... all) -> decltype(sweep::any_of(all...)) {
  return sweep::any_of(all...);
};
inline constexpr auto any_of_into = [](auto const&... all) -> decltype(sweep::any_of_into(all...)) {
  return sweep::any_of_into(all...);
};
inline constexpr auto none_of = [](auto const&... all) -> decltype(sweep::none_of(all...)) {
  return sweep::none_of(all...);
};
inline constexpr auto none_of_into = [](auto const&... all) -> decltype(sweep::none_of_into(all...)) {
  return sweep::none_of_into(all...);
};
inline constexpr auto all_of = [](auto const&... all) -> decltype(sweep::all_of(all...)) {
  return sweep::all_of(all...);
};
inline constexpr auto all_of_into = [](auto const&... all) -> decltype(sweep::all_of_into(all...)) {
  return sweep::all_of_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto find_if(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::find_if, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto find_if(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::find_if, first, rest...);
}
template <class First, class... Rest>
auto find_if_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("find_if_into", detail::canonical::find_if_into, first, rest...);
}
template <class First, class... Rest>
auto find_if_not(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::find_if_not, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto find_if_not(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::find_if_not, first, rest...);
}
template <class First, class... Rest>
auto find_if_not_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("find_if_not_into", detail::canonical::find_if_not_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto find(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::find, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto find(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::find, first, rest...);
}
template <class First, class... Rest>
auto find_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("find_into", detail::canonical::find_into, first, rest...);
}
template <class First, class... Rest>
auto any_of(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::any_of, first, rest...);
}
template <class First, class... Rest>
auto any_of_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("any_of_into", detail::canonical::any_of_into, first, rest...);
}
template <class First, class... Rest>
auto none_of(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::none_of, first, rest...);
}
template <class First, class... Rest>
auto none_of_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("none_of_into", detail::canonical::none_of_into, first, rest...);
}
template <class First, class... Rest>
auto all_of(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::all_of, first, rest...);
}
template <class First, class... Rest>
auto all_of_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("all_of_into", detail::canonical::all_of_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
