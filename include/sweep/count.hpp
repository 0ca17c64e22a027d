// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_COUNT_HPP
#define SWEEP_COUNT_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/detail/count/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

#include <cstdint>

/// \file
/// How many items there are of a kind.

/// \defgroup count Counts
/// `#include <sweep/count.hpp>`: how many items there are of a kind. Below n = last - first.
///
/// - **types**: any random-access iterators, and items of any type that the predicate takes or that compares
///   with the value.
/// - **predicates** are any host/device callables whose result converts to bool; the answer may depend on the
///   argument alone.
/// - **two forms**: what returns a number waits for it on the device. The form that ends in `_into` writes it
///   through an iterator instead and never waits.
/// - **variants and plans** are those of reductions (sweep/reduce.hpp).
/// - **scratch** is device memory from the policy's source.
/// - **exceptions** of a predicate or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup count
/// @{

/// The number of items that pred holds for.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param pred        pred(x): whether x counts
/// \return            the number, of 64 bits
///
/// \par Promises
/// - order: pred is called once for each item, in any order.
/// - waiting: for the number, which count_if_into does not.
/// - determinism: always the same.
/// - complexity: each item is read, and pred called on it, once.
/// - scratch: less than 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: a reduction of ones; each thread keeps a count of its own until the end.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Pred>
SWEEP_HD std::int64_t count_if(Policy const& policy, In first, In last, Pred pred) {
  return detail::count_value("count_if", policy, first, last, pred);
}

/// count_if that writes the number, and never waits: it can be captured in a graph. Other promises as
/// count_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the number of items that pred holds for
/// \param pred        pred(x): whether x counts
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred>
SWEEP_HD Out count_if_into(Policy const& policy, In first, In last, Out out, Pred pred) {
  return detail::count_to("count_if_into", policy, first, last, out, pred);
}

/// The number of items that equal a value. Promises as count_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param value       what x == value counts
/// \return            the number, of 64 bits
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class T>
SWEEP_HD std::int64_t count(Policy const& policy, In first, In last, T value) {
  return detail::count_value("count", policy, first, last, detail::equal_to_value<T>{value});
}

/// count that writes the number, and never waits: it can be captured in a graph. Other promises as count_if.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the number of items that equal the value
/// \param value       what x == value counts
/// \return            out + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out, class T>
SWEEP_HD Out count_into(Policy const& policy, In first, In last, Out out, T value) {
  return detail::count_to("count_into", policy, first, last, out, detail::equal_to_value<T>{value});
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto count_if = [](auto const&... all) -> decltype(sweep::count_if(all...)) {
  return sweep::count_if(all...);
};
inline constexpr auto count_if_into = [](auto const&... all) -> decltype(sweep::count_if_into(all...)) {
  return sweep::count_if_into(all...);
};
inline constexpr auto count = [](auto const&... all) -> decltype(sweep::count(all...)) {
  return sweep::count(all...);
};
inline constexpr auto count_into = [](auto const&... all) -> decltype(sweep::count_into(all...)) {
  return sweep::count_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto count_if(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::count_if, first, rest...);
}
template <class First, class... Rest>
auto count_if_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("count_if_into", detail::canonical::count_if_into, first, rest...);
}
template <class First, class... Rest>
auto count(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::count, first, rest...);
}
template <class First, class... Rest>
auto count_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("count_into", detail::canonical::count_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
