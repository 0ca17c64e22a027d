// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOP_K_HPP
#define SWEEP_TOP_K_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/top_k/dispatch.hpp>
#include <sweep/pair.hpp>
#include <sweep/radix_key.hpp>

#include <cstddef>
#include <type_traits>

/// \file
/// The k items that come first in an order, and the n-th.

/// \defgroup top_k Selections
/// `#include <sweep/top_k.hpp>`: the k items that come first in an order, and the n-th. Below n is the number
/// of items. Rows and other segments, each with a selection of its own, are in sweep/segmented_top_k.hpp; the
/// least or the greatest item alone in sweep/extrema.hpp.
///
/// - **order**: comp(a, b) says whether a goes before b, a strict weak order, as in sorts. The top of a range
///   is by default its greatest items (`>`), the n-th item the n-th by `<`. Of equivalent items the first
///   ones come first. A comparison that is no strict weak order selects some of the items.
/// - **results** are in order: those of `top_k` are what a stable sort by the same comparison would put at
///   the first k places, and k > n asks for all n.
/// - **method**: numbers by `<` or `>`, and items by `sweep::radix_key(projection)`, are selected by digits,
///   of 64 bits at most; all others are sorted on the device. On `host` each thread keeps its best items in a
///   heap.
/// - **floating-point numbers**: as in sorts -0.0 and 0.0 are equal, and all NaNs are equal and greater than
///   any other number: the top of a range with NaNs are these.
/// - **types**: any random-access iterators. On the device keys and values must be trivially copyable and
///   default constructible; on `seq` and `host` any that can be copied, by nth_element any that can be moved.
/// - **variants** of `top_k` are those of sorts, `radix` and `merge` (sweep/variant.hpp).
/// - **waiting**: never; on the device ordered on the stream, and can be captured in a graph.
/// - **scratch** is obtained before anything is written: on failure nothing is.
/// - **in a kernel** `seq` has no memory: top_k reads the range once a result or more, nth_element O(n)
///   times.
/// - **exceptions** of a comparison or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup top_k
/// @{

/// The k items that come first, in order: by default the greatest.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param k           how many are asked for, not negative; all n where there are no more
/// \param out         min(k, n) results
/// \param comp        comp(a, b): whether a goes before b; by default >
/// \return            out + min(k, n)
///
/// \par Promises
/// - order: that of a stable sort, of which these are the first places.
/// - aliasing: out overlaps nothing.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: by digits one pass over the items, and a sort of k, while k is small beside n; else a sort,
///   as of few items on the device. On host O(n + k log(k) log(n / k)) for items in any order, O(n log k) at
///   most.
/// - scratch: on the device by digits 4 k numbers, and as many as 0.5 % of n, of 8 bytes (of words of more
///   than 32 bits 16), and 360 KiB; where everything is sorted, what sort takes, and a copy of what is
///   written. On host 24 bytes for each of the k on each thread.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, k below 0, a null
///   pointer, bits that end before they begin, too little scratch, with .checked() a pointer that the device
///   cannot reach.
/// - source: bounds from a sample (Floyd and Rivest 1975), then digits of what lies between them, the highest
///   first (docs/sorting.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class Count, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::greater>
  requires(std::is_integral_v<Count>)
SWEEP_HD Out top_k(Policy const& policy, In first, In last, Count k, Out out, Comp comp = {}) {
  return out + static_cast<std::ptrdiff_t>(detail::top_k_of_range("top_k", policy, first, last,
                                                                  detail::no_values{}, detail::asked_count(k),
                                                                  out, detail::no_values{}, comp));
}

/// The k keys that come first, in order, and their values. Promises as top_k; values of other keys are not
/// read, except by a sort.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param k                     how many are asked for, not negative; all n where there are no more
/// \param keys_out              min(k, n) keys
/// \param values_out            their values
/// \param comp                  comp(a, b): whether key a goes before key b; by default >
/// \return                      keys_out + min(k, n) and values_out + min(k, n)
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          class Count, detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::function_like Comp = detail::greater>
  requires(std::is_integral_v<Count>)
SWEEP_HD pair<KeysOut, ValuesOut> top_k_by_key(Policy const& policy, Keys keys_first, Keys keys_last,
                                               Values values_first, Count k, KeysOut keys_out,
                                               ValuesOut values_out, Comp comp = {}) {
  auto const found = static_cast<std::ptrdiff_t>(
      detail::top_k_of_range("top_k_by_key", policy, keys_first, keys_last, values_first,
                             detail::asked_count(k), keys_out, values_out, comp));
  return {keys_out + found, values_out + found};
}

/// Where the k items stand that come first: out[j] is the index of result j of top_k. Promises as top_k.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param k           how many are asked for, not negative; all n where there are no more
/// \param out         min(k, n) indices
/// \param comp        comp(a, b): whether a goes before b; by default >
/// \return            out + min(k, n)
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class Count, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::greater>
  requires(std::is_integral_v<Count>)
SWEEP_HD Out arg_top_k(Policy const& policy, In first, In last, Count k, Out out, Comp comp = {}) {
  return out + static_cast<std::ptrdiff_t>(detail::top_k_of_range(
                   "arg_top_k", policy, first, last, detail::reader<std::int64_t, detail::identity>{},
                   detail::asked_count(k), detail::unwritten{}, out, comp));
}

/// Brings the item to place nth that a stable sort would put there; items that this sort would put before it
/// come before it, all others behind it, and both stay in the order in which they stand.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's
/// \param first   the first of n items
/// \param nth     the place asked for; at last nothing is done
/// \param last    behind the last item
/// \param comp    comp(a, b): whether a goes before b; by default <
///
/// \par Promises
/// - order: as said, and so the same items at every place on seq, host and device.
/// - aliasing: in place.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: O(n); by a comparison on the device O(n log n).
/// - scratch: on host n items, and 40 bytes for each; on the device n items and bytes, by digits 12 % of n
///   numbers of 8 bytes (of words of more than 32 bits 16) and 360 KiB, by a comparison what argsort takes.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, nth outside, a null
///   pointer, bits that end before they begin, too little scratch.
/// - source: on host quickselect (Hoare 1961); on the device bounds from a sample (Floyd and Rivest 1975).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::function_like Comp = detail::less>
SWEEP_HD void nth_element(Policy const& policy, It first, It nth, It last, Comp comp = {}) {
  detail::nth_of_range("nth_element", policy, first, nth, last, comp);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto top_k = [](auto const&... all) -> decltype(sweep::top_k(all...)) {
  return sweep::top_k(all...);
};
inline constexpr auto top_k_by_key = [](auto const&... all) -> decltype(sweep::top_k_by_key(all...)) {
  return sweep::top_k_by_key(all...);
};
inline constexpr auto arg_top_k = [](auto const&... all) -> decltype(sweep::arg_top_k(all...)) {
  return sweep::arg_top_k(all...);
};
inline constexpr auto nth_element = [](auto const&... all) -> decltype(sweep::nth_element(all...)) {
  return sweep::nth_element(all...);
};
/// Behind a range its n-th item, as std::ranges has it.
inline constexpr auto nth_element_of_range =
    [](auto const& policy, auto const& first, auto const& last, auto const& nth,
       auto const&... comp) -> decltype(sweep::nth_element(policy, first, nth, last, comp...)) {
  return sweep::nth_element(policy, first, nth, last, comp...);
};

/// The input of a call: its first argument, or the one behind a policy.
template <class First, class... Rest>
struct input_of_call {
  using type = First;
};
template <policy First, class Second, class... Rest>
struct input_of_call<First, Second, Rest...> {
  using type = Second;
};
template <class... Args>
constexpr auto const& nth_element_form() {
  if constexpr (is_range<typename input_of_call<std::remove_cvref_t<Args>...>::type>)
    return nth_element_of_range;
  else return nth_element;
}

}  // namespace detail::canonical

template <class First, class... Rest>
auto top_k(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("top_k", detail::canonical::top_k, first, rest...);
}
template <class First, class... Rest>
auto top_k_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<4>("top_k_by_key", detail::canonical::top_k_by_key, first, rest...);
}
template <class First, class... Rest>
auto arg_top_k(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("arg_top_k", detail::canonical::arg_top_k, first, rest...);
}
template <class First, class... Rest>
auto nth_element(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::nth_element_form<First, Rest...>(), first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto nth_element(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::nth_element_form<First, Rest...>(), first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
