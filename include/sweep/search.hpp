// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEARCH_HPP
#define SWEEP_SEARCH_HPP

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/detail/find/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>

#include <cstddef>
#include <utility>

/// \file
/// Searches that end where something is found.

/// \defgroup search Searches
/// `#include <sweep/search.hpp>`: the first item that something is true of, and what can be said of a range
/// once it is known. Below x[i] is item i of [first, last), and n = last - first.
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
  return detail::complete_call<1>(detail::canonical::find_if_into, first, rest...);
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
  return detail::complete_call<1>(detail::canonical::find_if_not_into, first, rest...);
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
  return detail::complete_call<1>(detail::canonical::find_into, first, rest...);
}
template <class First, class... Rest>
auto any_of(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::any_of, first, rest...);
}
template <class First, class... Rest>
auto any_of_into(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::any_of_into, first, rest...);
}
template <class First, class... Rest>
auto none_of(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::none_of, first, rest...);
}
template <class First, class... Rest>
auto none_of_into(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::none_of_into, first, rest...);
}
template <class First, class... Rest>
auto all_of(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::all_of, first, rest...);
}
template <class First, class... Rest>
auto all_of_into(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::all_of_into, first, rest...);
}
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
  return detail::complete_call<1>(detail::canonical::is_sorted_until_into, first, rest...);
}
template <class First, class... Rest>
auto is_sorted(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::is_sorted, first, rest...);
}
template <class First, class... Rest>
auto is_sorted_into(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::is_sorted_into, first, rest...);
}
template <class First, class... Rest>
auto is_partitioned(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::is_partitioned, first, rest...);
}
template <class First, class... Rest>
auto is_partitioned_into(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::is_partitioned_into, first, rest...);
}
template <class First, class... Rest>
auto mismatch(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::mismatch, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto mismatch(First& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::mismatch, first, rest...);
}
template <class First, class... Rest>
auto mismatch_into(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::mismatch_into, first, rest...);
}
template <class First, class... Rest>
auto equal(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::equal, first, rest...);
}
template <class First, class... Rest>
auto equal_into(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::equal_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#endif
