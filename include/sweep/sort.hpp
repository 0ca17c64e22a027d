// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SORT_HPP
#define SWEEP_SORT_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/sort/dispatch.hpp>
#include <sweep/pair.hpp>
#include <sweep/radix_key.hpp>

#include <cstddef>

/// \file
/// Sorts: of items, of keys with their values, and of indices.

/// \defgroup sort Sorts
/// `#include <sweep/sort.hpp>`: sorts of items, of keys with their values, and of indices. Below n is the
/// number of items. `is_sorted` and `is_sorted_until` are in sweep/is_sorted.hpp.
///
/// - **order**: comp(a, b) says whether a goes before b, a strict weak order, by default `<`. Every sort is
///   stable: equivalent items stay in their order. A comparison that is no strict weak order gives some order
///   of the same items.
/// - **method**: numbers by `<` or `>` (std::less, std::greater, and those of cuda::std and Thrust), and any
///   items by `sweep::radix_key(projection)`, are sorted by radix; by any other comparison by merging. Many
///   integers of 8 or 16 bits alone, or of 8 bits with values, are counted on the device, and written anew.
///   Integers of 8 to 128 bits, bool, characters, pointers, `float`, `double`, `__half` and `__nv_bfloat16`
///   are numbers.
/// - **floating-point numbers**: -0.0 and 0.0 are equal and stay in their order. All NaNs are equal, stand
///   behind infinity, or first where the order descends, and stay in their order.
/// - **types**: any random-access iterators. On the device keys and values must be trivially copyable and
///   default constructible; on `seq` and `host` any that can be moved, and copied by the calls that copy.
/// - **several ranges of values** are one by a zip iterator, such as Thrust's.
/// - **variants** (sweep/variant.hpp): `radix` and `merge`; on the device also `radix_msd`, `sample`,
///   `split_radix`, which takes the variants of scans beside, `radix_merge`, `quicksort`, and `bitonic`,
///   which refuses more items than fit a block. All are stable, and obtain their memory before the output is
///   written; `sample` takes room for n items more, `split_radix` for 2 n items and 8 n bytes in all.
/// - **waiting**: never; on the device ordered on the stream, and can be captured in a graph.
/// - **scratch** is obtained before anything is written: on failure the input is as it was.
/// - **in a kernel** `seq` has no memory: it sorts in the output, in O(n log(n)^2) moves.
/// - **exceptions** of a comparison or an iterator on `seq` and `host` reach the caller; what was to be
///   sorted in place is then as it was, or in no order and not all of it.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup sort
/// @{

/// Sorts a range.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param comp        comp(a, b): whether a goes before b; by default <
///
/// \par Promises
/// - order: stable.
/// - aliasing: in place.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: by radix O(n) for each digit of 8 bits that differs; by merging O(n log n).
/// - scratch: room for the items once, of others than plain memory twice; on the device by radix a byte for
///   each more, by merging 4 % more; and 1 MiB, of keys of 16 bytes 2 MiB.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   bits that end before they begin, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: stable splits by digits, the lowest first; sorted tiles and merge paths (docs/sorting.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> In, detail::function_like Comp = detail::less>
SWEEP_HD void sort(Policy const& policy, In first, In last, Comp comp = {}) {
  detail::sort_range("sort", policy, first, last, detail::no_values{}, first, detail::no_values{}, comp);
}

/// sort by another name: every sort is stable. Promises as sort.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param comp        comp(a, b): whether a goes before b; by default <
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> In, detail::function_like Comp = detail::less>
SWEEP_HD void stable_sort(Policy const& policy, In first, In last, Comp comp = {}) {
  detail::sort_range("stable_sort", policy, first, last, detail::no_values{}, first, detail::no_values{},
                     comp);
}

/// Sorts a copy of a range; the range stays as it is.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + n
///
/// \par Promises
/// - order: stable.
/// - aliasing: out may be first; else it overlaps nothing.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: by radix O(n) for each digit of 8 bits that differs; by merging O(n log n).
/// - scratch: as sort.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   bits that end before they begin, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: stable splits by digits, the lowest first; sorted tiles and merge paths (docs/sorting.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::less>
SWEEP_HD Out sort_copy(Policy const& policy, In first, In last, Out out, Comp comp = {}) {
  detail::sort_range("sort_copy", policy, first, last, detail::no_values{}, out, detail::no_values{}, comp);
  return out + static_cast<std::ptrdiff_t>(last - first);
}

/// sort_copy by another name. Promises as sort_copy.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::less>
SWEEP_HD Out stable_sort_copy(Policy const& policy, In first, In last, Out out, Comp comp = {}) {
  detail::sort_range("stable_sort_copy", policy, first, last, detail::no_values{}, out, detail::no_values{},
                     comp);
  return out + static_cast<std::ptrdiff_t>(last - first);
}

/// Sorts keys, and puts each value where its key goes.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param comp                  comp(a, b): whether a goes before b; by default <
///
/// \par Promises
/// - order: stable.
/// - aliasing: in place; keys and values do not overlap.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: by radix O(n) for each digit of 8 bits that differs; by merging O(n log n).
/// - scratch: room for keys, and for values twice, on the host for both twice; on the device by radix a byte
///   for each item more, by merging 4 % more; and 1 MiB, of keys of 16 bytes 2 MiB.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   bits that end before they begin, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: stable splits by digits, the lowest first; sorted tiles and merge paths (docs/sorting.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> Keys, detail::output_for<Policy> Values,
          detail::function_like Comp = detail::less>
SWEEP_HD void sort_by_key(Policy const& policy, Keys keys_first, Keys keys_last, Values values_first,
                          Comp comp = {}) {
  detail::sort_range("sort_by_key", policy, keys_first, keys_last, values_first, keys_first, values_first,
                     comp);
}

/// sort_by_key by another name. Promises as sort_by_key.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param comp                  comp(a, b): whether a goes before b; by default <
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> Keys, detail::output_for<Policy> Values,
          detail::function_like Comp = detail::less>
SWEEP_HD void stable_sort_by_key(Policy const& policy, Keys keys_first, Keys keys_last, Values values_first,
                                 Comp comp = {}) {
  detail::sort_range("stable_sort_by_key", policy, keys_first, keys_last, values_first, keys_first,
                     values_first, comp);
}

/// Sorts copies of keys and their values; these stay as they are.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param keys_out              n keys, sorted
/// \param values_out            their values
/// \param comp                  comp(a, b): whether a goes before b; by default <
/// \return                      keys_out + n and values_out + n
///
/// \par Promises
/// - order: stable.
/// - aliasing: an output may be its input; else it overlaps nothing.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: by radix O(n) for each digit of 8 bits that differs; by merging O(n log n).
/// - scratch: as sort_by_key.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   bits that end before they begin, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: stable splits by digits, the lowest first; sorted tiles and merge paths (docs/sorting.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::function_like Comp = detail::less>
SWEEP_HD pair<KeysOut, ValuesOut> sort_by_key_copy(Policy const& policy, Keys keys_first, Keys keys_last,
                                                   Values values_first, KeysOut keys_out,
                                                   ValuesOut values_out, Comp comp = {}) {
  detail::sort_range("sort_by_key_copy", policy, keys_first, keys_last, values_first, keys_out, values_out,
                     comp);
  auto const n = static_cast<std::ptrdiff_t>(keys_last - keys_first);
  return {keys_out + n, values_out + n};
}

/// sort_by_key_copy by another name. Promises as sort_by_key_copy.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param keys_out              n keys, sorted
/// \param values_out            their values
/// \param comp                  comp(a, b): whether a goes before b; by default <
/// \return                      keys_out + n and values_out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::function_like Comp = detail::less>
SWEEP_HD pair<KeysOut, ValuesOut> stable_sort_by_key_copy(Policy const& policy, Keys keys_first,
                                                          Keys keys_last, Values values_first,
                                                          KeysOut keys_out, ValuesOut values_out,
                                                          Comp comp = {}) {
  detail::sort_range("stable_sort_by_key_copy", policy, keys_first, keys_last, values_first, keys_out,
                     values_out, comp);
  auto const n = static_cast<std::ptrdiff_t>(keys_last - keys_first);
  return {keys_out + n, values_out + n};
}

/// The order that a sort would give a range: item out[i] of it comes at place i.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n indices
/// \param comp        comp(a, b): whether a goes before b; by default <
/// \return            out + n
///
/// \par Promises
/// - order: stable.
/// - aliasing: out overlaps nothing else.
/// - waiting: never; can be captured in a graph.
/// - determinism: always.
/// - complexity: by radix O(n) for each digit of 8 bits that differs; by merging O(n log n).
/// - scratch: room for the items and indices of 8 bytes, twice; on the device a byte for each more; and
///   1 MiB, of keys of 16 bytes 2 MiB.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   bits that end before they begin, too little scratch, with .checked() a pointer that the device cannot
///   reach.
/// - source: stable splits by digits, the lowest first; sorted tiles and merge paths (docs/sorting.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Comp = detail::less>
SWEEP_HD Out argsort(Policy const& policy, In first, In last, Out out, Comp comp = {}) {
  detail::sort_indices("argsort", policy, first, last, out, comp);
  return out + static_cast<std::ptrdiff_t>(last - first);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto sort = [](auto const&... all) -> decltype(sweep::sort(all...)) {
  return sweep::sort(all...);
};
inline constexpr auto stable_sort = [](auto const&... all) -> decltype(sweep::stable_sort(all...)) {
  return sweep::stable_sort(all...);
};
inline constexpr auto sort_copy = [](auto const&... all) -> decltype(sweep::sort_copy(all...)) {
  return sweep::sort_copy(all...);
};
inline constexpr auto stable_sort_copy = [](auto const&... all) -> decltype(sweep::stable_sort_copy(all...)) {
  return sweep::stable_sort_copy(all...);
};
inline constexpr auto sort_by_key = [](auto const&... all) -> decltype(sweep::sort_by_key(all...)) {
  return sweep::sort_by_key(all...);
};
inline constexpr auto stable_sort_by_key =
    [](auto const&... all) -> decltype(sweep::stable_sort_by_key(all...)) {
  return sweep::stable_sort_by_key(all...);
};
inline constexpr auto sort_by_key_copy = [](auto const&... all) -> decltype(sweep::sort_by_key_copy(all...)) {
  return sweep::sort_by_key_copy(all...);
};
inline constexpr auto stable_sort_by_key_copy =
    [](auto const&... all) -> decltype(sweep::stable_sort_by_key_copy(all...)) {
  return sweep::stable_sort_by_key_copy(all...);
};
inline constexpr auto argsort = [](auto const&... all) -> decltype(sweep::argsort(all...)) {
  return sweep::argsort(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto sort(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::sort, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto sort(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::sort, first, rest...);
}
template <class First, class... Rest>
auto stable_sort(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::stable_sort, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto stable_sort(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::stable_sort, first, rest...);
}
template <class First, class... Rest>
auto sort_copy(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("sort_copy", detail::canonical::sort_copy, first, rest...);
}
template <class First, class... Rest>
auto stable_sort_copy(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("stable_sort_copy", detail::canonical::stable_sort_copy, first,
                                        rest...);
}
template <class First, class... Rest>
auto sort_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("sort_by_key", detail::canonical::sort_by_key, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto sort_by_key(First& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("sort_by_key", detail::canonical::sort_by_key, first, rest...);
}
template <class First, class... Rest>
auto stable_sort_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("stable_sort_by_key", detail::canonical::stable_sort_by_key, first,
                                        rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto stable_sort_by_key(First& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("stable_sort_by_key", detail::canonical::stable_sort_by_key, first,
                                        rest...);
}
template <class First, class... Rest>
auto sort_by_key_copy(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<3>("sort_by_key_copy", detail::canonical::sort_by_key_copy, first,
                                        rest...);
}
template <class First, class... Rest>
auto stable_sort_by_key_copy(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<3>("stable_sort_by_key_copy", detail::canonical::stable_sort_by_key_copy,
                                        first, rest...);
}
template <class First, class... Rest>
auto argsort(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("argsort", detail::canonical::argsort, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
