// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_MERGE_HPP
#define SWEEP_MERGE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/merge/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Merges: two sorted ranges become one.

/// \defgroup merge Merges
/// `#include <sweep/merge.hpp>`: two ranges that are sorted by a comparison become one that is.
///
/// - **types**: any random-access iterators; the two ranges may have different items, which the comparison
///   and the output take. On the device keys must be trivially copyable, default constructible and at most
///   1 KiB.
/// - **order**: stable. Equivalent items of one range keep their order, and those of the first range come
///   before those of the second.
/// - **the comparison** is asked of an item of the second range and one of the first. Where it is no strict
///   weak order, or a range is not sorted by it, the call ends and writes nothing but the output, whose items
///   are unspecified ones of the ranges.
/// - **determinism**: always the same results, on seq, host and device.
/// - **waiting**: never.
/// - **exceptions** of an iterator or a comparison on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup merge
/// @{

/// Merges two sorted ranges.
///
/// \param policy        where to run: seq, host, device, or a policy of Thrust's
/// \param first1,last1  items, sorted by comp
/// \param first2,last2  items, sorted by comp
/// \param out           a result for each item of both
/// \param comp          comp(y, x): whether y stands before x; by default <
/// \return              out + number of items
///
/// \par Promises
/// - order: stable; equivalent items of the first range before those of the second.
/// - aliasing: the output overlaps nothing else.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: each item is read and written once, and compared about twice.
/// - scratch: 8 bytes for every 4,000 items, and of wide items for every 256; none for small inputs.
/// - errors, before anything is written: cuda_error; bad_argument for an end before its begin, a null
///   pointer, an out that is a range and has fewer places than there are items, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: the merge path (Odeh, Green, Mwassi, Shmueli and Birk 2012).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In1, detail::iterator_for<Policy> In2,
          detail::output_for<Policy> Out, detail::function_like Comp = detail::less>
SWEEP_HD Out merge(Policy const& policy, In1 first1, In1 last1, In2 first2, In2 last2, Out out,
                   Comp comp = {}) {
  return out + static_cast<std::ptrdiff_t>(detail::merge("merge", policy, first1, last1, first2, last2,
                                                         detail::unvalued{}, detail::unvalued{}, out,
                                                         detail::unvalued{}, comp));
}

/// Merges two sorted ranges of keys, and the values beside them as their keys. Other promises as merge; keys
/// and values do not overlap. On the device values are copied where they are needed, and may be of any type
/// that can be assigned there.
///
/// \param policy                  where to run: seq, host, device, or a policy of Thrust's
/// \param keys1_first,keys1_last  keys, sorted by comp
/// \param keys2_first,keys2_last  keys, sorted by comp
/// \param values1                 a value for each of the first keys
/// \param values2                 a value for each of the second keys
/// \param keys_out                a key for each of both
/// \param values_out              its value
/// \param comp                    comp(y, x): whether key y stands before key x; by default <
/// \return                        keys_out and values_out, each + number of keys
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys1, detail::iterator_for<Policy> Keys2,
          detail::iterator_for<Policy> Values1, detail::iterator_for<Policy> Values2,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::function_like Comp = detail::less>
SWEEP_HD pair<KeysOut, ValuesOut> merge_by_key(Policy const& policy, Keys1 keys1_first, Keys1 keys1_last,
                                               Keys2 keys2_first, Keys2 keys2_last, Values1 values1,
                                               Values2 values2, KeysOut keys_out, ValuesOut values_out,
                                               Comp comp = {}) {
  auto const n =
      static_cast<std::ptrdiff_t>(detail::merge("merge_by_key", policy, keys1_first, keys1_last, keys2_first,
                                                keys2_last, values1, values2, keys_out, values_out, comp));
  return {keys_out + n, values_out + n};
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto merge = [](auto const&... all) -> decltype(sweep::merge(all...)) {
  return sweep::merge(all...);
};
inline constexpr auto merge_by_key = [](auto const&... all) -> decltype(sweep::merge_by_key(all...)) {
  return sweep::merge_by_key(all...);
};

/// Outputs that are ranges have a place for each item of both, and values one for each key.
inline constexpr auto has_both = [](auto const& input, auto&... rest) {
  input.with_second([&](std::int64_t m, auto& out, auto&...) { input.require_room("out", out, input.n + m); },
                    rest...);
};
inline constexpr auto has_both_by_key = [](auto const& input, auto&... rest) {
  input.with_second(
      [&](std::int64_t m, auto& values1, auto& values2, auto& keys_out, auto& values_out, auto&...) {
        input.require_room("values1", values1, input.n);
        input.require_room("values2", values2, m);
        input.require_room("keys_out", keys_out, input.n + m);
        input.require_room("values_out", values_out, input.n + m);
      },
      rest...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto merge(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2, 0>("merge", detail::canonical::has_both, detail::canonical::merge,
                                             first, rest...);
}
template <class First, class... Rest>
auto merge_by_key(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<5, 0>("merge_by_key", detail::canonical::has_both_by_key,
                                             detail::canonical::merge_by_key, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
