// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_RUN_LENGTH_HPP
#define SWEEP_RUN_LENGTH_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/expand/dispatch.hpp>
#include <sweep/detail/run_length/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// \file
/// Run lengths: runs of equal neighbouring items as one item and its number, and back.

/// \defgroup run_length Run lengths
/// `#include <sweep/run_length.hpp>`: runs of equal neighbouring items as one item and its number, and back.
/// Below x[i] is item i of [first, last), and n = last - first.
///
/// - **types**: any random-access iterators. On the device items must be trivially copyable and default
///   constructible, of at most 256 bytes.
/// - **two forms**: what returns an end waits for the number of runs on the device. The form that ends in
///   `_into` writes it through an iterator and never waits.
/// - **scratch** is device memory from the policy's source.
/// - **exceptions** of a function or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup run_length
/// @{

/// Runs of equal neighbouring items: the first item of each, and how many it has.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param values      an item for each run; room for all of them, at most n
/// \param lengths     an integer for each run
/// \param eq          eq(x[i - 1], x[i]): whether neighbours are of one run; by default ==
/// \return            values and lengths, each + number of runs
///
/// \par Promises
/// - order: eq need not be transitive: it is asked of neighbours alone, in their order.
/// - aliasing: outputs overlap nothing else.
/// - waiting: for the number of runs, which run_length_encode_into does not.
/// - determinism: always.
/// - complexity: n - 1 calls of eq; each item is read once, each result written once.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, with
///   .checked() a pointer that the device cannot reach.
/// - source: one scan, by the look-back of the scans (docs/lookback.md), of how many runs have begun and
///   where the last one did.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Values,
          detail::output_for<Policy> Lengths, detail::function_like Eq = detail::equal_to>
SWEEP_HD pair<Values, Lengths> run_length_encode(Policy const& policy, In first, In last, Values values,
                                                 Lengths lengths, Eq eq = {}) {
  auto const runs = detail::run_length_counted("run_length_encode", policy, first, last, values, lengths, eq);
  return {values + runs, lengths + runs};
}

/// run_length_encode that writes how many runs there are, and never waits: it can be captured in a graph.
/// Other promises as run_length_encode.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param values      an item for each run; room for all of them, at most n
/// \param lengths     an integer for each run
/// \param count       one integer: the number of runs, 0 where n is
/// \param eq          eq(x[i - 1], x[i]): whether neighbours are of one run; by default ==
/// \return            count + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Values,
          detail::output_for<Policy> Lengths, detail::output_for<Policy> Count,
          detail::function_like Eq = detail::equal_to>
SWEEP_HD Count run_length_encode_into(Policy const& policy, In first, In last, Values values, Lengths lengths,
                                      Count count, Eq eq = {}) {
  detail::run_length_to("run_length_encode_into", policy, first, last, values, lengths, count, eq);
  return count + 1;
}

/// Runs from their values and lengths: each value as often as its length says. What run_length_encode takes
/// apart; the same as expand, and other promises as its.
///
/// \param policy                    where to run: seq, host, device, or a policy of Thrust's
/// \param values_first,values_last  n values
/// \param lengths                   n integers; negative ones count as 0
/// \param out                       the items; room for all of them
/// \return                          out + number of items
///
/// \par Promises
/// - aliasing: out overlaps nothing else.
/// - waiting: for the number of items, which run_length_decode_into does not.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Values, detail::iterator_for<Policy> Lengths,
          detail::output_for<Policy> Out>
SWEEP_HD Out run_length_decode(Policy const& policy, Values values_first, Values values_last, Lengths lengths,
                               Out out) {
  auto const written =
      detail::expand_counted("run_length_decode", "lengths", policy, values_first, values_last, lengths, out);
  return out + static_cast<std::ptrdiff_t>(written);
}

/// run_length_decode that writes how many items there are, as many of them as there is room for, and never
/// waits: it can be captured in a graph. Other promises as expand.
///
/// \param policy                    where to run: seq, host, device, or a policy of Thrust's
/// \param values_first,values_last  n values
/// \param lengths                   n integers; negative ones count as 0
/// \param out                       the first items
/// \param room                      how many of them are written at most: out has as many places
/// \param total                     one integer: how many there are, which may be more
/// \return                          total + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Values, detail::iterator_for<Policy> Lengths,
          detail::output_for<Policy> Out, class Room, detail::output_for<Policy> Total>
  requires(std::is_integral_v<Room>)
SWEEP_HD Total run_length_decode_into(Policy const& policy, Values values_first, Values values_last,
                                      Lengths lengths, Out out, Room room, Total total) {
  detail::expand_to("run_length_decode_into", "lengths", policy, values_first, values_last, lengths, out,
                    static_cast<std::int64_t>(room), total);
  return total + 1;
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto run_length_encode =
    [](auto const&... all) -> decltype(sweep::run_length_encode(all...)) {
  return sweep::run_length_encode(all...);
};
inline constexpr auto run_length_encode_into =
    [](auto const&... all) -> decltype(sweep::run_length_encode_into(all...)) {
  return sweep::run_length_encode_into(all...);
};
inline constexpr auto run_length_decode =
    [](auto const&... all) -> decltype(sweep::run_length_decode(all...)) {
  return sweep::run_length_decode(all...);
};
inline constexpr auto run_length_decode_into =
    [](auto const&... all) -> decltype(sweep::run_length_decode_into(all...)) {
  return sweep::run_length_decode_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto run_length_encode(First const& first, Rest&&... rest) {
  return detail::complete_call<2>(detail::canonical::run_length_encode, first, rest...);
}
template <class First, class... Rest>
auto run_length_encode_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<3>("run_length_encode_into", detail::canonical::run_length_encode_into,
                                       first, rest...);
}
template <class First, class... Rest>
auto run_length_decode(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2, 1>("run_length_decode", detail::canonical::run_length_decode, first,
                                           rest...);
}
template <class First, class... Rest>
auto run_length_decode_into(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<4>("run_length_decode_into", detail::has_room{},
                                          detail::canonical::run_length_decode_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
