// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_UNIQUE_HPP
#define SWEEP_UNIQUE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/bits.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/count/dispatch.hpp>
#include <sweep/detail/partition/dispatch.hpp>
#include <sweep/detail/reduce/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>

#include <cstdint>

/// \file
/// Compactions: the first items of runs of equal neighbours, and how many runs there are.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup partition
/// @{

/// Copies the first item of every run of neighbours that are equal.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the first items; room for all of them, at most n
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            out + number of runs
///
/// \par Promises
/// - order: the output keeps the input's.
/// - aliasing: out does not overlap the input.
/// - waiting: for the count, which unique_copy_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and eq called on it and its neighbour, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD Out unique_copy(Policy const& policy, In first, In last, Out out, Eq eq = {}) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "unique_copy", policy, first, last, detail::no_stencil{},
      detail::first_of_run{detail::device_functor(eq)}, detail::part_outputs{out});
  return detail::end_of(out, all, 0);
}

/// unique_copy that writes how many runs there are, and never waits: it can be captured in a graph. Other
/// promises as unique_copy.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         the first items; room for all of them, at most n
/// \param count       one integer: the number of runs
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::output_for<Policy> Count, detail::function_like Eq = detail::equal_to>
SWEEP_HD Count unique_copy_into(Policy const& policy, In first, In last, Out out, Count count, Eq eq = {}) {
  detail::partition_to<detail::placement::out_of_place>(
      "unique_copy_into", policy, first, last, detail::no_stencil{},
      detail::first_of_run{detail::device_functor(eq)}, detail::part_outputs{out}, count);
  return count + 1;
}

/// Moves the first item of every run of neighbours that are equal to the front. What stands behind them is
/// unspecified.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the first of each run come first
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            first + number of runs
///
/// \par Promises
/// - order: the items that are left keep theirs.
/// - waiting: for the count, which unique_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and eq called on it and its neighbour, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB; three_kernel: n items more.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::function_like Eq = detail::equal_to>
SWEEP_HD It unique(Policy const& policy, It first, It last, Eq eq = {}) {
  auto const all = detail::partition_counts<detail::placement::in_place>(
      "unique", policy, first, last, detail::no_stencil{}, detail::first_of_run{detail::device_functor(eq)},
      detail::part_outputs{first});
  return detail::end_of(first, all, 0);
}

/// unique that writes how many runs there are, and never waits: it can be captured in a graph. Other promises
/// as unique.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items, of which the first of each run come first
/// \param count       one integer: the number of runs
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::output_for<Policy> Count,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD Count unique_into(Policy const& policy, It first, It last, Count count, Eq eq = {}) {
  detail::partition_to<detail::placement::in_place>("unique_into", policy, first, last, detail::no_stencil{},
                                                    detail::first_of_run{detail::device_functor(eq)},
                                                    detail::part_outputs{first}, count);
  return count + 1;
}

/// The number of runs of neighbours that are equal, which is how many items unique leaves.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            the number of runs, of 64 bits
///
/// \par Promises
/// - waiting: for the number, which unique_count_into does not.
/// - determinism: always the same.
/// - complexity: eq is called on each item and its neighbour once; on the device one item of a word of 16
///   bytes is read twice.
/// - scratch: less than 64 KiB. Takes the variants and plans of reductions.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: a reduction of ones, where runs begin.
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::function_like Eq = detail::equal_to>
std::int64_t unique_count(Policy const& policy, In first, In last, Eq eq = {}) {
  return detail::fold_value<std::int64_t>("unique_count", policy, first, last, std::int64_t{0},
                                          detail::plus{},
                                          detail::run_counter(first, detail::device_functor(eq)));
}

/// unique_count that writes the number, and never waits: it can be captured in a graph. Other promises as
/// unique_count.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         one integer: the number of runs
/// \param eq          eq(left, x): whether two neighbours are equal, an equivalence; by default ==
/// \return            out + 1
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Eq = detail::equal_to>
Out unique_count_into(Policy const& policy, In first, In last, Out out, Eq eq = {}) {
  detail::fold_to<std::int64_t>("unique_count_into", policy, first, last, out, std::int64_t{0},
                                detail::plus{}, detail::run_counter(first, detail::device_functor(eq)));
  return out + 1;
}

/// Copies the first key of every run of equal keys, and its value.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param keys_out              a key for each run
/// \param values_out            a value for each run
/// \param eq                    eq(left, x): whether two neighbouring keys are equal, an equivalence; by
///                              default ==
/// \return                      keys_out and values_out, each + number of runs
///
/// \par Promises
/// - order: the outputs keep the inputs'.
/// - aliasing: outputs overlap neither the inputs nor each other.
/// - waiting: for the count, which unique_by_key_copy_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each key is read, and eq called on it and its neighbour, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD pair<KeysOut, ValuesOut> unique_by_key_copy(Policy const& policy, Keys keys_first, Keys keys_last,
                                                     Values values_first, KeysOut keys_out,
                                                     ValuesOut values_out, Eq eq = {}) {
  auto const count = detail::unique_pairs<detail::placement::out_of_place>(
      "unique_by_key_copy", policy, keys_first, keys_last, values_first, keys_out, values_out, eq);
  return {keys_out + count, values_out + count};
}

/// unique_by_key_copy that writes how many runs there are, and never waits: it can be captured in a graph.
/// Other promises as unique_by_key_copy.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param keys_out              a key for each run
/// \param values_out            a value for each run
/// \param count                 one integer: the number of runs
/// \param eq                    eq(left, x): whether two neighbouring keys are equal, an equivalence; by
///                              default ==
/// \return                      count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> KeysOut, detail::output_for<Policy> ValuesOut,
          detail::output_for<Policy> Count, detail::function_like Eq = detail::equal_to>
SWEEP_HD Count unique_by_key_copy_into(Policy const& policy, Keys keys_first, Keys keys_last,
                                       Values values_first, KeysOut keys_out, ValuesOut values_out,
                                       Count count, Eq eq = {}) {
  detail::unique_pairs_to<detail::placement::out_of_place>("unique_by_key_copy_into", policy, keys_first,
                                                           keys_last, values_first, keys_out, values_out,
                                                           count, eq);
  return count + 1;
}

/// Moves the first key of every run of equal keys, and its value, to the front. What stands behind them is
/// unspecified.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys, of which the first of each run come first
/// \param values_first          n values, which move as their keys do
/// \param eq                    eq(left, x): whether two neighbouring keys are equal, an equivalence; by
///                              default ==
/// \return                      keys_first and values_first, each + number of runs
///
/// \par Promises
/// - order: keys and values that are left keep theirs.
/// - aliasing: keys and values do not overlap.
/// - waiting: for the count, which unique_by_key_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each key is read, and eq called on it and its neighbour, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB; three_kernel: n items more.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD pair<Keys, Values> unique_by_key(Policy const& policy, Keys keys_first, Keys keys_last,
                                          Values values_first, Eq eq = {}) {
  auto const count = detail::unique_pairs<detail::placement::in_place>(
      "unique_by_key", policy, keys_first, keys_last, values_first, keys_first, values_first, eq);
  return {keys_first + count, values_first + count};
}

/// unique_by_key that writes how many runs there are, and never waits: it can be captured in a graph. Other
/// promises as unique_by_key.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys, of which the first of each run come first
/// \param values_first          n values, which move as their keys do
/// \param count                 one integer: the number of runs
/// \param eq                    eq(left, x): whether two neighbouring keys are equal, an equivalence; by
///                              default ==
/// \return                      count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::output_for<Policy> Count, detail::function_like Eq = detail::equal_to>
SWEEP_HD Count unique_by_key_into(Policy const& policy, Keys keys_first, Keys keys_last, Values values_first,
                                  Count count, Eq eq = {}) {
  detail::unique_pairs_to<detail::placement::in_place>("unique_by_key_into", policy, keys_first, keys_last,
                                                       values_first, keys_first, values_first, count, eq);
  return count + 1;
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto unique_copy = [](auto const&... all) -> decltype(sweep::unique_copy(all...)) {
  return sweep::unique_copy(all...);
};
inline constexpr auto unique_copy_into = [](auto const&... all) -> decltype(sweep::unique_copy_into(all...)) {
  return sweep::unique_copy_into(all...);
};
inline constexpr auto unique = [](auto const&... all) -> decltype(sweep::unique(all...)) {
  return sweep::unique(all...);
};
inline constexpr auto unique_into = [](auto const&... all) -> decltype(sweep::unique_into(all...)) {
  return sweep::unique_into(all...);
};
inline constexpr auto unique_count = [](auto const&... all) -> decltype(sweep::unique_count(all...)) {
  return sweep::unique_count(all...);
};
inline constexpr auto unique_count_into =
    [](auto const&... all) -> decltype(sweep::unique_count_into(all...)) {
  return sweep::unique_count_into(all...);
};
inline constexpr auto unique_by_key_copy =
    [](auto const&... all) -> decltype(sweep::unique_by_key_copy(all...)) {
  return sweep::unique_by_key_copy(all...);
};
inline constexpr auto unique_by_key_copy_into =
    [](auto const&... all) -> decltype(sweep::unique_by_key_copy_into(all...)) {
  return sweep::unique_by_key_copy_into(all...);
};
inline constexpr auto unique_by_key = [](auto const&... all) -> decltype(sweep::unique_by_key(all...)) {
  return sweep::unique_by_key(all...);
};
inline constexpr auto unique_by_key_into =
    [](auto const&... all) -> decltype(sweep::unique_by_key_into(all...)) {
  return sweep::unique_by_key_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto unique_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<1>(detail::canonical::unique_copy, first, rest...);
}
template <class First, class... Rest>
auto unique_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<2>("unique_copy_into", detail::canonical::unique_copy_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto unique(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::unique, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto unique(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::unique, first, rest...);
}
template <class First, class... Rest>
auto unique_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("unique_into", detail::canonical::unique_into, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto unique_into(First& first, Rest&&... rest) {
  return detail::complete_call_into<1>("unique_into", detail::canonical::unique_into, first, rest...);
}
template <class First, class... Rest>
auto unique_count(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::unique_count, first, rest...);
}
template <class First, class... Rest>
auto unique_count_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<1>("unique_count_into", detail::canonical::unique_count_into, first,
                                       rest...);
}
template <class First, class... Rest>
auto unique_by_key_copy(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<3, 1>("unique_by_key_copy", detail::canonical::unique_by_key_copy, first,
                                           rest...);
}
template <class First, class... Rest>
auto unique_by_key_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<4, 1, 1>("unique_by_key_copy_into",
                                             detail::canonical::unique_by_key_copy_into, first, rest...);
}
template <class First, class... Rest>
auto unique_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1, 1>("unique_by_key", detail::canonical::unique_by_key, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto unique_by_key(First& first, Rest&&... rest) {
  return detail::complete_sized_call<1, 1>("unique_by_key", detail::canonical::unique_by_key, first, rest...);
}
template <class First, class... Rest>
auto unique_by_key_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<2, 1, 1>("unique_by_key_into", detail::canonical::unique_by_key_into,
                                             first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto unique_by_key_into(First& first, Rest&&... rest) {
  return detail::complete_call_into<2, 1, 1>("unique_by_key_into", detail::canonical::unique_by_key_into,
                                             first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
