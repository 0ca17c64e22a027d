// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTED_SORT_HPP
#define SWEEP_SEGMENTED_SORT_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/sort/segmented.hpp>
#include <sweep/pair.hpp>
#include <sweep/segments.hpp>

#include <cstddef>

/// \file
/// Sorts of every segment of a range.

/// \defgroup segmented_sort Sorts of segments
/// `#include <sweep/segmented_sort.hpp>`: every segment of a range is sorted for itself, in place or into
/// another range. Below n = last - first.
///
/// - **segments**: in any notation of sweep/segments.hpp, of any lengths side by side.
/// - **order**: stable. Equivalent items keep their order.
/// - **the comparison**: any strict weak order; numbers by < or > have the place of -0.0 and NaN that
///   sweep/sort.hpp gives them, and radix_key compares what a projection makes. Where it is no such order the
///   call ends and writes nothing but the range, whose items are unspecified ones of its segments.
/// - **types**: any random-access iterators. On the device keys and values must be trivially copyable and
///   default constructible, keys of at most 1 KiB.
/// - **determinism**: always the same results, on seq, host and device.
/// - **waiting**: never.
/// - **exceptions** of an iterator or a comparison on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup segmented_sort
/// @{

/// Sorts each segment where it stands.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    where segments begin
/// \param comp        comp(x, y): whether x stands before y; by default <
///
/// \par Promises
/// - order: stable.
/// - aliasing: in place; segments by key may have their keys where the items are.
/// - waiting: never; can be captured in a graph. With .checked() for its answer.
/// - determinism: always.
/// - complexity: items are read and written once where no segment has more than some thousands; those of
///   longer ones once more for every factor of 8 (of wide keys 4).
/// - scratch: on the device n items, what sort takes for as many, and less than 1 % more; where segments are
///   not given by bits, n bits. On host twice n items.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   segments that do not fit, too little scratch, with .checked() offsets that decrease and a pointer that
///   the device cannot reach.
/// - source: merge sort by blocks (Satish, Harris and Garland 2009), within segments.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> It, detail::segments_like Segments,
          detail::function_like Comp = detail::less>
SWEEP_HD void segmented_sort(Policy const& policy, It first, It last, Segments segments, Comp comp = {}) {
  detail::sort_segments("segmented_sort", policy, first, last, detail::no_values{}, segments, first,
                        detail::no_values{}, comp);
}

/// Sorts a copy of each segment; the range stays as it is. Other promises as segmented_sort.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param segments    where segments begin
/// \param out         n results; may be first, else it overlaps nothing
/// \param comp        comp(x, y): whether x stands before y; by default <
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, detail::function_like Comp = detail::less>
SWEEP_HD Out segmented_sort_copy(Policy const& policy, In first, In last, Segments segments, Out out,
                                 Comp comp = {}) {
  detail::sort_segments("segmented_sort_copy", policy, first, last, detail::no_values{}, segments, out,
                        detail::no_values{}, comp);
  return out + static_cast<std::ptrdiff_t>(last - first);
}

/// Sorts the keys of each segment where they stand, and the values beside them. Other promises as
/// segmented_sort; keys and values do not overlap.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param segments              where segments begin
/// \param comp                  comp(x, y): whether key x stands before key y; by default <
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::output_for<Policy> Keys, detail::output_for<Policy> Values,
          detail::segments_like Segments, detail::function_like Comp = detail::less>
SWEEP_HD void segmented_sort_by_key(Policy const& policy, Keys keys_first, Keys keys_last,
                                    Values values_first, Segments segments, Comp comp = {}) {
  detail::sort_segments("segmented_sort_by_key", policy, keys_first, keys_last, values_first, segments,
                        keys_first, values_first, comp);
}

/// Sorts copies of the keys of each segment and of their values; these stay as they are. Other promises as
/// segmented_sort.
///
/// \param policy                where to run: seq, host, device, or a policy of Thrust's
/// \param keys_first,keys_last  n keys
/// \param values_first          n values
/// \param segments              where segments begin
/// \param keys_out              n keys, sorted; may be keys_first, else it overlaps nothing
/// \param values_out            their values; may be values_first, else it overlaps nothing
/// \param comp                  comp(x, y): whether key x stands before key y; by default <
/// \return                      keys_out + n and values_out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Keys, detail::iterator_for<Policy> Values,
          detail::segments_like Segments, detail::output_for<Policy> KeysOut,
          detail::output_for<Policy> ValuesOut, detail::function_like Comp = detail::less>
SWEEP_HD pair<KeysOut, ValuesOut> segmented_sort_by_key_copy(Policy const& policy, Keys keys_first,
                                                             Keys keys_last, Values values_first,
                                                             Segments segments, KeysOut keys_out,
                                                             ValuesOut values_out, Comp comp = {}) {
  detail::sort_segments("segmented_sort_by_key_copy", policy, keys_first, keys_last, values_first, segments,
                        keys_out, values_out, comp);
  auto const n = static_cast<std::ptrdiff_t>(keys_last - keys_first);
  return {keys_out + n, values_out + n};
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto segmented_sort = [](auto const&... all) -> decltype(sweep::segmented_sort(all...)) {
  return sweep::segmented_sort(all...);
};
inline constexpr auto segmented_sort_by_key =
    [](auto const&... all) -> decltype(sweep::segmented_sort_by_key(all...)) {
  return sweep::segmented_sort_by_key(all...);
};

inline constexpr auto segmented_sort_copy =
    [](auto const&... all) -> decltype(sweep::segmented_sort_copy(all...)) {
  return sweep::segmented_sort_copy(all...);
};
inline constexpr auto segmented_sort_by_key_copy =
    [](auto const&... all) -> decltype(sweep::segmented_sort_by_key_copy(all...)) {
  return sweep::segmented_sort_by_key_copy(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto segmented_sort(First const& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::segmented_sort, first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto segmented_sort(First& first, Rest&&... rest) {
  return detail::complete_call<0>(detail::canonical::segmented_sort, first, rest...);
}
template <class First, class... Rest>
auto segmented_sort_by_key(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("segmented_sort_by_key", detail::canonical::segmented_sort_by_key,
                                        first, rest...);
}
template <class First, class... Rest>
  requires(!detail::policy<First>)
auto segmented_sort_by_key(First& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("segmented_sort_by_key", detail::canonical::segmented_sort_by_key,
                                        first, rest...);
}
template <class First, class... Rest>
auto segmented_sort_copy(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2>("segmented_sort_copy", detail::canonical::segmented_sort_copy, first,
                                        rest...);
}
template <class First, class... Rest>
auto segmented_sort_by_key_copy(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<4>("segmented_sort_by_key_copy",
                                        detail::canonical::segmented_sort_by_key_copy, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
