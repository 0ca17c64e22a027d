// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_REFUSED_CALL_HPP
#define SWEEP_DETAIL_RUNTIME_REFUSED_CALL_HPP

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/policy.hpp>
#include <sweep/segments.hpp>

#include <type_traits>
#include <utility>

// What a compiler says of a call that no form takes.

namespace sweep::inline SWEEP_ABI::detail {

/// In place of a policy where a call names none.
struct no_policy {};

/// What a refused call returns: anything, so that nothing else is said about it.
struct refused {
  template <class T>
  operator T() const;
};

// Why no form of a call fits: what would fit, had one thing been otherwise. Args are what follows the policy.

template <class Call, class... Args>
concept can_call = requires(Call const& call, Args const&... all) {
  call(all...);
};

/// Where item 4 is a second end: (keys, keys_end, values, values_end, ...).
template <class Call, class Policy, class... Args>
inline constexpr bool has_end_too_many = false;
template <class Call, class Policy, class First, class Last, class Second, class... Rest>
inline constexpr bool has_end_too_many<Call, Policy, First, Last, Second, Second, Rest...> =
    is_iterator<Second>&& can_call<Call, Policy, First, Last, Second, Rest...>;

/// Where segments are expected: (first, last, offsets or keys or flags, [their end], ...).
template <class Call, class Policy, class... Args>
inline constexpr bool lacks_segments = false;
template <class Call, class Policy, class First, class Last, class It, class... Rest>
  requires(is_iterator<It>)
inline constexpr bool lacks_segments<Call, Policy, First, Last, It, Rest...> =
    can_call<Call, Policy, First, Last, offset_segments<It>, Rest...>;
template <class Call, class Policy, class First, class Last, class It, class... Rest>
  requires(is_iterator<It>)
inline constexpr bool lacks_segments<Call, Policy, First, Last, It, It, Rest...> =
    can_call<Call, Policy, First, Last, offset_segments<It>, Rest...> ||
    can_call<Call, Policy, First, Last, offset_segments<It>, It, Rest...>;

/// Where the output is missing: (first, last, ...).
template <class Call, class Policy, class... Args>
inline constexpr bool lacks_output = false;
template <class Call, class Policy, class First, class Last, class... Rest>
  requires(is_iterator<First>)
inline constexpr bool lacks_output<Call, Policy, First, Last, Rest...> =
    can_call<Call, Policy, First, Last, value_of<First>*, Rest...>;

template <class Policy, class... Args>
constexpr bool all_reachable() {
  if constexpr (policy<Policy>) return (can_reach<Args, Policy>() && ...);
  else return true;
}
/// The same with every const or computed item one that can be written.
template <class T>
constexpr auto writable_instead(T const& x) {
  if constexpr (iterator_like<T> && is_iterator<T>) {
    if constexpr (is_read_only<T>()) return static_cast<std::remove_cv_t<value_of<T>>*>(nullptr);
    else return x;
  } else {
    return x;
  }
}
template <class T>
using writable = decltype(writable_instead(std::declval<T const&>()));

template <class... Rest>
inline constexpr bool begins_with_number = false;
template <class Next, class... Rest>
inline constexpr bool begins_with_number<Next, Rest...> = std::is_integral_v<Next>;

/// Says what is wrong with a call that no form takes: at once, since its type must be found, so that nvcc
/// says from which call it got here, too.
template <class Call, class Policy, class First, class... Rest>
constexpr auto refuse() {
  if constexpr (policy<First> || (policy<Rest> || ...))
    static_assert(never<Call>, "sweep: the policy is the first argument, and there is one");
  else if constexpr (!is_iterator<First> && !is_range<First> && !is_segments<First>)
    static_assert(never<Call>,
                  "sweep: the input comes first, or behind the policy: two iterators or a range");
  else if constexpr ((is_iterator<First> && !iterator_like<First>))
    static_assert(never<Call>, "sweep: the input must have random-access iterators");
  else if constexpr (!(std::is_copy_constructible_v<Rest> && ...))
    static_assert(
        never<Call>,
        "sweep: functions and values are copied, and one of these cannot be (std::ref of a function can)");
  else if constexpr (is_iterator<First> && begins_with_number<Rest...>)
    static_assert(never<Call>, "sweep: behind the begin of the input comes its end, first + n in place of n");
  else if constexpr (((is_iterator<Rest> && !iterator_like<Rest>) || ...))
    static_assert(
        never<Call>,
        "sweep: outputs and further inputs must have random-access iterators: of a vector that has its "
        "size, not a back_inserter");
  else if constexpr (!all_reachable<Policy, First, Rest...>())
    static_assert(
        never<Call>,
        "sweep: this policy runs where it does not reach the items: device_vector is for "
        "sweep::device, std::vector for sweep::host and sweep::seq (or give a pointer that both reach)");
  else if constexpr ((is_direction<Rest> || ...) && !last_is_direction<Rest...>)
    static_assert(never<Call>, "sweep: forward or backward is the last argument, behind the operator");
  else if constexpr (has_end_too_many<Call, Policy, First, Rest...>)
    static_assert(never<Call>,
                  "sweep: values have no end of their own: there are as many as keys (take values_end out)");
  else if constexpr (lacks_segments<Call, Policy, First, Rest...>)
    static_assert(
        never<Call>,
        "sweep: segments are made of offsets by sweep::segments::by_offsets, of lengths by by_lengths, of "
        "keys by by_key, of flags by by_head_flags");
  else if constexpr (can_call<Call, Policy, writable<First>, writable<Rest>...>)
    static_assert(never<Call>, "sweep: an output cannot be written: its items are const, or computed");
  else if constexpr (holds_unassigned<First>() || (holds_unassigned<Rest>() || ...))
    static_assert(never<Call>, "sweep: items cannot be assigned, and so not written (a const member?)");
  else if constexpr (lacks_output<Call, Policy, First, Rest...>)
    static_assert(never<Call>, "sweep: behind the input an output is missing");
  else
    static_assert(never<Call>,
                  "sweep: no form of this call takes these arguments, as many and in this order (see the "
                  "reference)");
  return refused{};
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
