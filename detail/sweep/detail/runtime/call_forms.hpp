// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_CALL_FORMS_HPP
#define SWEEP_DETAIL_RUNTIME_CALL_FORMS_HPP

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/policy.hpp>
#include <sweep/segments.hpp>
#include <sweep/variant.hpp>

#include <type_traits>
#include <utility>

#if SWEEP_HAS_THRUST
THRUST_NAMESPACE_BEGIN
struct any_system_tag;
template <typename Iterator>
struct iterator_system;
THRUST_NAMESPACE_END
#endif

// Every public name has its canonical forms, (policy, first, last, the rest), and one that takes whatever
// those do not: it completes the arguments and calls the name again, or says in one line why no form fits. It
// is less specialised than any canonical form, so that those are chosen wherever they fit.

namespace sweep::inline SWEEP_ABI::detail {

// Where an argument says that the work belongs. Iterators that compute what they give (counting, constant,
// discard) do not say; raw pointers are the host's unless another iterator is the device's.
enum class side { unsaid, pointer, host, device };

template <class T>
constexpr side side_of() {
  if constexpr (std::is_pointer_v<T>) return side::pointer;
  else if constexpr (!is_iterator<T>) return side::unsaid;
#if SWEEP_HAS_THRUST
  // The trait is complete where Thrust's iterators are, and then knows every iterator.
  else if constexpr (requires { typename thrust::iterator_system<T>::type; }) {
    using system = typename thrust::iterator_system<T>::type;
    if constexpr (std::is_same_v<system, thrust::any_system_tag>) return side::unsaid;
    else if constexpr (std::is_base_of_v<thrust::cuda_cub::execution_policy<system>, system>)
      return side::device;
    else return side::host;
  }
#endif
  else
    return side::host;
}
template <class T>
inline constexpr side side_said = side_of<T>();
template <class It, class Eq>
inline constexpr side side_said<key_segments<It, Eq>> = side_of<It>();
template <class It>
inline constexpr side side_said<flag_segments<It>> = side_of<It>();
template <class It>
inline constexpr side side_said<bit_segments<It>> = side_of<It>();
template <class It>
inline constexpr side side_said<offset_segments<It>> = side_of<It>();
template <class It>
inline constexpr side side_said<length_segments<It>> = side_of<It>();

#if defined(__CUDACC__)
/// What a call without a policy runs with on the device: the default stream, and finished work on return, as
/// Thrust has it.
struct waiting_device {};
template <class Options>
resolved<device_policy<pool_scratch>> resolve(waiting_device const&) {
  return {device, true};
}
#endif

/// The policy of a call that names none.
template <class... Args>
constexpr auto policy_of() {
  constexpr bool of_device = ((side_said<Args> == side::device) || ...);
  constexpr bool of_host = ((side_said<Args> == side::host) || ...);
  static_assert(!of_device || !of_host,
                "sweep: one call has iterators of the host and of the device: copy one side to the other");
#if defined(__CUDACC__)
  // Where nobody says anything (counting iterators alone) it is the device, as Thrust has it.
  if constexpr (of_device || (!of_host && !((side_said<Args> == side::pointer) || ...)))
    return waiting_device{};
  else return host_policy<>{};
#else
  static_assert(!of_device, "sweep: these iterators are the device's: compile this with nvcc");
  return host_policy<>{};
#endif
}

/// What a refused call returns: anything, so that nothing else is said about it.
struct refused {
  template <class T>
  operator T() const;
};

/// Says what is wrong with a call that no form takes. Args are what follows the policy.
template <class Policy, class... Args>
refused refuse() {
  if constexpr ((policy<Args> || ...))
    static_assert(never<Policy>, "sweep: the policy is the first argument, and there is one");
  else if constexpr (!((is_iterator<Args> || is_range<Args> || is_segments<Args>) || ...))
    static_assert(never<Policy>,
                  "sweep: the input comes first, or behind the policy: two iterators or a range");
  else if constexpr ((is_direction<Args> || ...) && !last_is_direction<Args...>)
    static_assert(never<Policy>, "sweep: forward or backward is the last argument, behind the operator");
  else
    static_assert(never<Policy>,
                  "sweep: no form of this call takes these arguments, as many and in this order (see the "
                  "reference)");
  return {};
}

/// The end of [first, last) as an iterator of first's type.
template <class It, class End>
constexpr It end_of_range(It first, End const& last) {
  if constexpr (std::is_same_v<It, End>) return last;
  else if constexpr (requires { first + (last - first); })
    return first + static_cast<difference_of<It>>(last - first);
  else {  // a sentinel that only tells when it is reached
    while (!(first == last)) ++first;
    return first;
  }
}

/// Whether (first, last) are a range of two types: begin() with cend(), an iterator with a sentinel.
template <class It, class End>
inline constexpr bool ends_with =
    is_iterator<It> && !std::is_same_v<It, End> && requires(It const& it, End const& end) {
  static_cast<bool>(it == end);
};

/// An argument as the canonical forms take it: where a range may stand, its begin. A range that is a value
/// beside the input's items stays one.
template <bool MayBeRange, class Item, class T>
constexpr decltype(auto) completed_argument(T& argument) {
  if constexpr (std::is_array_v<T>) return &argument[0];
  else if constexpr (MayBeRange && is_range<T> && !std::is_convertible_v<T&, Item>) return argument.begin();
  else return (argument);
}

struct no_policy {};

template <class Call, class Policy, class... Args>
constexpr auto call_canonical(Call const& call, Policy const& policy, Args const&... all) {
  if constexpr (std::is_same_v<Policy, no_policy>)
    return call_canonical(call, policy_of<std::decay_t<Args>...>(), all...);
  else if constexpr (requires { call(policy, all...); }) return call(policy, all...);
  else return refuse<Policy, Args...>();
}

/// Completes what follows the input, of which the first so many arguments may be ranges.
template <int Ranges, class Item, class Call, class Policy, class First, class Last, int... At, class... Rest>
constexpr auto complete_rest(Call const& call, Policy const& policy, First const& first, Last const& last,
                             std::integer_sequence<int, At...>, Rest&... rest) {
  return call_canonical(call, policy, first, last, completed_argument<(At < Ranges), Item>(rest)...);
}

/// Completes the input: a range, an array, two iterators of one type or two, or segments and a number.
template <int Ranges, class Call, class Policy, class First, class... Rest>
constexpr auto complete_input(Call const& call, Policy const& policy, First& first, Rest&... rest) {
  using plain = std::remove_cv_t<First>;
  constexpr std::make_integer_sequence<int, int{sizeof...(Rest)}> each{};
  if constexpr (is_range<First>) {
    auto const begin = first.begin();
    return complete_rest<Ranges, value_of<std::remove_const_t<decltype(begin)>>>(
        call, policy, begin, end_of_range(begin, first.end()), each, rest...);
  } else if constexpr (is_range<plain>) {  // a view that looks for its begin when it is asked
    auto own = first;
    return complete_input<Ranges>(call, policy, own, rest...);
  } else if constexpr (sizeof...(Rest) == 0) {
    return refuse<Policy, plain>();
  } else if constexpr (std::is_array_v<plain>) {
    auto const begin = &first[0];
    return complete_input<Ranges>(call, policy, begin, rest...);
  } else {
    return [&](auto& last, auto&... others) {
      using end = std::decay_t<decltype(last)>;
      constexpr std::make_integer_sequence<int, int{sizeof...(others)}> each_other{};
      if constexpr (is_segments<plain>)
        return complete_rest<Ranges, void>(call, policy, first, last, each_other, others...);
      else if constexpr (ends_with<plain, end>)
        return complete_rest<Ranges, value_of<plain>>(
            call, policy, first, end_of_range<plain, end>(first, last), each_other, others...);
      else if constexpr (is_iterator<plain> && std::is_same_v<plain, end>)
        return complete_rest<Ranges, value_of<plain>>(call, policy, first, last, each_other, others...);
      else return refuse<Policy, plain, end, std::decay_t<decltype(others)>...>();
    }(rest...);
  }
}

/// From any form of a call to a canonical one: the policy chosen where there is none, ranges as two iterators
/// or as their begin, and a range's ends of one type. `call` has the canonical forms alone.
template <int Ranges, class Call, class First, class... Rest>
constexpr auto complete_call(Call const& call, First& first, Rest&... rest) {
  if constexpr (!policy<std::remove_cv_t<First>>) {
    if constexpr ((policy<std::remove_cv_t<Rest>> || ...))
      return refuse<First, std::remove_cv_t<First>, std::remove_cv_t<Rest>...>();
    else return complete_input<Ranges>(call, no_policy{}, first, rest...);
  } else if constexpr (sizeof...(Rest) == 0) {
    return refuse<First>();
  } else {
    return complete_input<Ranges>(call, first, rest...);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
