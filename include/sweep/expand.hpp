// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXPAND_HPP
#define SWEEP_EXPAND_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/expand/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Expansion: each item as often as a count says.

/// \defgroup expand Expansion
/// `#include <sweep/expand.hpp>`: each item as often as a count says; load-balanced, whatever the counts.
/// Below x[i] is item i of [first, last), and n = last - first.
///
/// - **types**: any random-access iterators. Items are converted to out's value type.
/// - **counts** are n integers, of which negative ones count as 0; or segments by offsets
///   (`segments::by_offsets`), n of them, item i standing at [offsets[i], offsets[i + 1]) less offsets[0].
/// - **two forms**: what returns an end waits for it on the device. The form that ends in `_into` is told how
///   much room there is, writes how many items that takes, and never waits.
/// - **scratch** is device memory from the policy's source.
/// - **exceptions** of an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup expand
/// @{

/// Each item as often as its count says: x[0], ..., x[0], x[1], ...
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param counts      n integers, or segments by offsets
/// \param out         the repetitions; room for all of them
/// \return            out + number of repetitions
///
/// \par Promises
/// - order: the items', repetitions side by side.
/// - aliasing: out overlaps nothing else.
/// - waiting: for the number of repetitions, which expand_into does not.
/// - determinism: always.
/// - complexity: O(n + number of repetitions), whatever the counts; on the device a tile of the output finds
///   its items in log(n) steps.
/// - scratch: 8 bytes a count, less than 0.1 % of them and 64 KiB; by offsets 256 bytes.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, another number of offsets, on
///   seq and host counts that add up to 2^63 or more, too little scratch, with .checked() a negative count,
///   offsets that decrease, and a pointer that the device cannot reach.
/// - source: a scan of the counts; then tiles of the output, in which items are marked and scanned
///   (docs/moves.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class Counts,
          detail::output_for<Policy> Out>
  requires(detail::is_offsets<Counts> || detail::iterator_for<Counts, Policy>)
SWEEP_HD Out expand(Policy const& policy, In first, In last, Counts counts, Out out) {
  auto const written = detail::expand_counted("expand", "counts", policy, first, last, counts, out);
  return out + static_cast<std::ptrdiff_t>(written);
}

/// expand that writes how many repetitions there are, as many of them as there is room for, and never waits:
/// it can be captured in a graph. Other promises as expand.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param counts      n integers, or segments by offsets
/// \param out         the first repetitions
/// \param room        how many of them are written at most: out has as many places
/// \param total       one integer: how many there are, which may be more
/// \return            total + 1
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, class Counts,
          detail::output_for<Policy> Out, class Room, detail::output_for<Policy> Total>
  requires((detail::is_offsets<Counts> || detail::iterator_for<Counts, Policy>)&&std::is_integral_v<Room>)
SWEEP_HD Total expand_into(Policy const& policy, In first, In last, Counts counts, Out out, Room room,
                           Total total) {
  detail::expand_to("expand_into", "counts", policy, first, last, counts, out,
                    static_cast<std::int64_t>(room), total);
  return total + 1;
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto expand = [](auto const&... all) -> decltype(sweep::expand(all...)) {
  return sweep::expand(all...);
};
inline constexpr auto expand_into = [](auto const&... all) -> decltype(sweep::expand_into(all...)) {
  return sweep::expand_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto expand(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2, 1>("expand", detail::canonical::expand, first, rest...);
}
template <class First, class... Rest>
auto expand_into(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<4>("expand_into", detail::has_room{}, detail::canonical::expand_into,
                                          first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
