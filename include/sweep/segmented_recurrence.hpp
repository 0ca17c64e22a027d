// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTED_RECURRENCE_HPP
#define SWEEP_SEGMENTED_RECURRENCE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/axes/recurrence.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>
#include <sweep/segments.hpp>

/// \file
/// Linear recurrences of every segment of a range, all at once.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup recurrence
/// @{

/// Solves a linear recurrence in every segment of a range: y[h] = x[h] where a segment begins, y[i] = a[i]
/// y[i - 1] + x[i] inside it. What stands before a segment is put into its first term: x[h] + a[h] init.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param a           the factors: n of them, by an iterator, or one value for all
/// \param first,last  n items, x
/// \param segments    of the n items, made by a function of sweep::segments
/// \param out         n results, y; may be first
/// \param dir         forward, or backward: y[i] = a[i] y[i + 1] + x[i], from the last item of each segment
/// \return            out + n
///
/// \par Promises
/// - order: factors are multiplied in the order of the items, and need not commute; products of factors are
///   made first, as associativity allows, in y's type where that is a wider number. The factor of a segment's
///   first item takes part in nothing.
/// - aliasing, waiting, determinism, scratch and errors: as a segmented scan of values of a factor and a
///   term.
/// - complexity: O(n + segments) products and sums; items, factors and what describes segments are read once.
/// - source: Blelloch, Prefix sums and their applications (1990), sections 1.4 and 1.5.
template <detail::policy Policy, class A, detail::iterator_for<Policy> In, detail::segments_like Segments,
          detail::output_for<Policy> Out, class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out segmented_linear_recurrence(Policy const& policy, A a, In first, In last, Segments segments, Out out,
                                Dir dir = {}) {
  using T = detail::written_value<Out, detail::value_of<In>>;
  constexpr auto call = "segmented_linear_recurrence";
  constexpr auto inclusive = detail::scan_kind::inclusive;
  if constexpr (detail::is_iterator<A>) {
    auto const n = detail::checked_distance(call, first, last);
    if (n == 0) return out;
    detail::require_pointer(call, "a", detail::unwrapped(a));
    auto const both = detail::zipped(a, first);
    using kept = detail::kept_factor<detail::value_of<A>, T>;
    if constexpr (detail::require_recurrence<detail::value_of<A>, detail::value_of<In>, T>())
      return detail::segmented_scan<inclusive, decltype(dir)>(call, policy, both, both + n, segments, out,
                                                              detail::then{}, detail::map_of_pair<kept, T>{});
    else return out;
  } else if constexpr (detail::require_recurrence<A, detail::value_of<In>, T>()) {
    using kept = detail::kept_factor<A, T>;
    return detail::segmented_scan<inclusive, decltype(dir)>(
        call, policy, first, last, segments, out, detail::then{},
        detail::map_with_factor<kept, T>{static_cast<kept>(a)});
  } else {
    return out;
  }
}

/// \cond
// The same without a policy, which the iterators then choose.
template <class A, detail::iterator_like In, detail::segments_like Segments, detail::iterator_like Out,
          class... Rest>
  requires(!detail::policy<A>)
auto segmented_linear_recurrence(A a, In first, In last, Segments segments, Out out, Rest... rest) {
  return sweep::segmented_linear_recurrence(detail::policy_of<In, Out>(), a, first, last, segments, out,
                                            rest...);
}

// And of ranges, with or without a policy (detail/runtime/call_forms.hpp), whose input comes first there.
namespace detail::canonical {

inline constexpr auto segmented_linear_recurrence =
    [](auto const& policy, auto const& first, auto const& last, auto const& a,
       auto const&... rest) -> decltype(sweep::segmented_linear_recurrence(policy, a, first, last, rest...)) {
  return sweep::segmented_linear_recurrence(policy, a, first, last, rest...);
};

}  // namespace detail::canonical

template <class A, detail::whole_range X, class... Rest>
  requires(!detail::policy<A>)
auto segmented_linear_recurrence(A const& a, X const& x, Rest&&... rest) {
  return detail::complete_sized_call<3>("segmented_linear_recurrence",
                                        detail::canonical::segmented_linear_recurrence, x, a, rest...);
}
template <detail::policy Policy, class A, detail::whole_range X, class... Rest>
auto segmented_linear_recurrence(Policy const& policy, A const& a, X const& x, Rest&&... rest) {
  return detail::complete_sized_call<3>(
      "segmented_linear_recurrence", detail::canonical::segmented_linear_recurrence, policy, x, a, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif
