// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_CALL_FORMS_HPP
#define SWEEP_DETAIL_RUNTIME_CALL_FORMS_HPP

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/refused_call.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/error.hpp>
#include <sweep/policy.hpp>
#include <sweep/segments.hpp>
#include <sweep/variant.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Every public name has canonical forms, (policy, first, last, the rest), and one that takes what those do
// not: it completes the arguments and calls a canonical form, or says in one line why none fits. It is less
// specialised than they are, so that they are chosen wherever they fit as they stand.

namespace sweep::inline SWEEP_ABI::detail {

/// The policy of a call that names none. Where nobody says anything (counting iterators alone) it is the
/// device, as Thrust has it.
template <class... Args>
constexpr auto policy_of() {
  if constexpr ((shares_words<Args>() || ...)) return seq_policy{};
#if defined(__CUDACC__)
  else if constexpr (!((side_said<Args> == side::host || side_said<Args> == side::pointer) || ...) ||
                     ((side_said<Args> == side::device) || ...))
    return waiting_device{};
#endif
  else return host_policy<>{};
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

template <class Call, class Policy, class... Args>
constexpr auto call_canonical(Call const& call, Policy const& policy, Args const&... all) {
  if constexpr (std::is_same_v<Policy, no_policy>) {
    constexpr bool of_device = ((side_said<std::decay_t<Args>> == side::device) || ...);
    constexpr bool of_host = ((side_said<std::decay_t<Args>> == side::host) || ...);
    if constexpr (of_device && of_host) {
      static_assert(
          never<Call>,
          "sweep: one call has iterators of the host and of the device: copy one side to the other");
      return refused{};
#if !defined(__CUDACC__)
    } else if constexpr (of_device) {
      static_assert(never<Call>, "sweep: these iterators are the device's: compile this with nvcc");
      return refused{};
#endif
    } else {
      return call_canonical(call, policy_of<std::decay_t<Args>...>(), all...);
    }
  } else if constexpr ((is_axis<std::decay_t<Args>> || ...)) {
    static_assert(never<Call>,
                  "sweep: along(axis) goes with arrays, in and out: sweep::strided views, or mdspans");
    return refused{};
  } else if constexpr (requires { call(policy, all...); }) {
    return call(policy, all...);
  } else if constexpr (need_one_writer<Policy, std::decay_t<Args>...> &&
                       requires { call(seq_policy{}, all...); }) {
    // Plain threads: what else a policy asks for would be lost.
    constexpr bool is_plain = std::is_same_v<resolved_policy<Policy>, host_policy<>>;
    static_assert(is_plain,
                  "sweep: neighbours in a std::vector<bool> share words, which one thread alone may write: "
                  "sweep::seq does, or sweep::host without .checked() and variants");
    if constexpr (is_plain) return call(seq_policy{}, all...);
    else return refused{};
  } else {
    return refuse<Call, Policy, std::decay_t<Args>...>();
  }
}

/// Whether an argument is a value beside the input's items, though it may be a range itself: it becomes an
/// item, or is compared with one.
template <class T, class Item>
concept value_beside = std::is_convertible_v<T&, Item> || requires(Item const& item, T const& value) {
  static_cast<bool>(item == value);
};
/// Whether an argument is a range, and no such value.
template <class T, class Item>
inline constexpr bool is_other_range = is_range<T> && !value_beside<T, Item>;

/// An argument as the canonical forms take it: where a range may stand, its begin.
template <bool MayBeRange, class Item, class T>
constexpr decltype(auto) completed_argument(T& argument) {
  if constexpr (std::is_array_v<T>) return &argument[0];
  else if constexpr (MayBeRange && is_other_range<T, Item>) return argument.begin();
  else return (argument);
}

/// Calls f with two iterators in the place of range number Pair, among the arguments counted from At.
template <int At, int Pair, class Item, class F>
constexpr auto with_pair(F f) {
  return f();
}
template <int At, int Pair, class Item, class F, class T, class... Rest>
constexpr auto with_pair(F f, T& argument, Rest&... rest) {
  if constexpr (At == Pair && is_other_range<T, Item>) {
    auto const begin = argument.begin();
    auto const end = end_of_range(begin, argument.end());
    return f(begin, end, rest...);
  } else {
    return with_pair<At + 1, Pair, Item>([&](auto&... all) { return f(argument, all...); }, rest...);
  }
}

/// What public names say of what follows their input: of its first so many arguments each may be a range, and
/// the one with number Pair stands for two iterators.
template <int Ranges, int Pair>
struct form_of {};

/// Completes what follows the input.
template <int Ranges, class Item, class Call, class Policy, class First, class Last, int... At, class... Rest>
constexpr auto complete_rest_of(Call const& call, Policy const& policy, First const& first, Last const& last,
                                std::integer_sequence<int, At...>, Rest&... rest) {
  return call_canonical(call, policy, first, last, completed_argument<(At < Ranges), Item>(rest)...);
}
template <class Item, int Ranges, int Pair, class Call, class Policy, class First, class Last, class... Rest>
constexpr auto complete_rest(form_of<Ranges, Pair>, Call const& call, Policy const& policy,
                             First const& first, Last const& last, Rest&... rest) {
  if constexpr (Pair < 0) {
    return complete_rest_of<Ranges, Item>(call, policy, first, last,
                                          std::make_integer_sequence<int, int{sizeof...(Rest)}>{}, rest...);
  } else {
    return with_pair<0, Pair, Item>(
        [&](auto&... all) {
          return complete_rest<Item>(form_of<Ranges + 1, -1>{}, call, policy, first, last, all...);
        },
        rest...);
  }
}

/// Whether an argument is an array that is the input whole, and not the begin of one with its end behind it.
template <class T, class... Rest>
inline constexpr bool is_whole_array = std::is_array_v<T>&& std::extent_v<T> > 0;
template <class T, class Next, class... Rest>
inline constexpr bool is_whole_array<T, Next, Rest...> =
    is_whole_array<T> && (std::is_array_v<Next> || !std::is_convertible_v<Next&, std::decay_t<T const>>);

/// An input in one argument.
template <class T>
concept whole_range = is_range<T const> || is_whole_array<T>;

/// Completes an input of two arguments.
template <class Form, class Call, class Policy, class First, class Last, class... Rest>
constexpr auto complete_input_of_two(Form form, Call const& call, Policy const& policy, First const& first,
                                     Last& last, Rest&... rest) {
  using end = std::decay_t<Last>;
  if constexpr (is_segments<First>) return complete_rest<void>(form, call, policy, first, last, rest...);
  else if constexpr (ends_with<First, end>)
    return complete_rest<value_of<First>>(form, call, policy, first, end_of_range<First, end>(first, last),
                                          rest...);
  else if constexpr (is_iterator<First> && std::is_same_v<First, end>)
    return complete_rest<value_of<First>>(form, call, policy, first, last, rest...);
  else return refuse<Call, Policy, First, end, std::decay_t<Rest>...>();
}

/// Completes the input: a range, an array, two iterators of one type or two, or segments and a number.
template <class Form, class Call, class Policy, class First, class... Rest>
constexpr auto complete_input(Form form, Call const& call, Policy const& policy, First& first,
                              Rest&... rest) {
  using plain = std::remove_cv_t<First>;
  if constexpr (is_range<First>) {
    auto const begin = first.begin();
    return complete_rest<value_of<std::remove_const_t<decltype(begin)>>>(
        form, call, policy, begin, end_of_range(begin, first.end()), rest...);
  } else if constexpr (is_range<plain>) {  // a view that looks for its begin when it is asked
    auto own = first;
    return complete_input(form, call, policy, own, rest...);
  } else if constexpr (is_whole_array<plain, Rest...>) {
    auto const begin = &first[0];
    return complete_rest<std::remove_extent_t<plain>>(form, call, policy, begin, begin + std::extent_v<plain>,
                                                      rest...);
  } else if constexpr (sizeof...(Rest) == 0) {
    return refuse<Call, Policy, plain>();
  } else if constexpr (std::is_array_v<plain>) {
    auto const begin = &first[0];
    return complete_input(form, call, policy, begin, rest...);
  } else {
    return complete_input_of_two(form, call, policy, first, rest...);
  }
}

/// From any form of a call to a canonical one: the policy chosen where there is none, ranges as two iterators
/// or as their begin, and a range's ends of one type. `call` has the canonical forms alone.
template <int Ranges, int Pair = -1, class Call, class First, class... Rest>
constexpr auto complete_call(Call const& call, First& first, Rest&... rest) {
  constexpr form_of<Ranges, Pair> form{};
  if constexpr (!policy<std::remove_cv_t<First>>) {
    if constexpr ((policy<std::remove_cv_t<Rest>> || ...))
      return refuse<Call, no_policy, std::remove_cv_t<First>, std::remove_cv_t<Rest>...>();
    else return complete_input(form, call, no_policy{}, first, rest...);
  } else if constexpr (sizeof...(Rest) == 0) {
    return refuse<Call, no_policy, no_policy>();
  } else {
    return complete_input(form, call, first, rest...);
  }
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_short_range(char const* call, char const* argument,
                                                                      std::int64_t has, std::int64_t wants) {
  throw bad_argument(call, argument,
                     "has " + std::to_string(has) + " items, but " + std::to_string(wants) +
                         (wants == 1 ? " is needed" : " are needed"));
}
/// How many items an argument says that it has; less than none where it does not say.
template <class Item, class T>
constexpr std::int64_t told_size(T& argument) {
  if constexpr (value_beside<T, Item>) return -1;
  else if constexpr (std::is_array_v<T>)
    return std::extent_v<T> > 0 ? static_cast<std::int64_t>(std::extent_v<T>) : -1;
  else if constexpr (requires { argument.end() - argument.begin(); })
    return static_cast<std::int64_t>(argument.end() - argument.begin());
  else return -1;
}
/// How many segments there are; less than none where only their items say.
template <class Segments>
constexpr std::int64_t told_count(Segments const& segments) {
  if constexpr (requires { segments.count; }) return segments.count;
  else return -1;
}

/// Calls f(the items' type, how many there are, what follows) for a range in front of other arguments: one
/// that is whole or has its end behind it; f(no type, how many, segments, what follows) for segments with
/// their items' number behind them. Does nothing where nobody says how many, or f does not take these.
template <class F, class Input, class... Rest>
constexpr void with_told_input(F const& f, Input& input, Rest&... rest) {
  using plain = std::remove_cv_t<Input>;
  auto const tell = [&]<class Item>(std::type_identity<Item> item, std::int64_t n, auto&... behind) {
    if constexpr (requires { f(item, n, behind...); }) f(item, n, behind...);
  };
  if constexpr (is_range<Input>) {
    if constexpr (requires { input.end() - input.begin(); })
      tell(std::type_identity<value_of<std::decay_t<decltype(input.begin())>>>{},
           static_cast<std::int64_t>(input.end() - input.begin()), rest...);
  } else if constexpr (is_range<plain>) {
    auto own = input;
    with_told_input(f, own, rest...);
  } else if constexpr (is_whole_array<plain, Rest...>) {
    tell(std::type_identity<std::remove_extent_t<plain>>{}, std::int64_t{std::extent_v<plain>}, rest...);
  } else if constexpr (std::is_array_v<plain>) {
    auto const begin = &input[0];
    with_told_input(f, begin, rest...);
  } else if constexpr (sizeof...(Rest) > 0) {
    [&](auto& last, auto&... others) {
      using end = std::decay_t<decltype(last)>;
      if constexpr (is_segments<plain>) {
        if constexpr (std::is_integral_v<end>)
          tell(std::type_identity<void>{}, static_cast<std::int64_t>(last), input, others...);
      } else if constexpr (is_iterator<plain> && (std::is_same_v<plain, end> || ends_with<plain, end>)) {
        if constexpr (requires { static_cast<std::int64_t>(last - input); })
          tell(std::type_identity<value_of<plain>>{}, static_cast<std::int64_t>(last - input), others...);
      }
    }(rest...);
  }
}

/// What a call is told of its input, and how it refuses what is too short beside it.
template <class Item>
struct told_input {
  /// Refuses an argument that says it has fewer items than are needed.
  template <class T>
  constexpr void require_room(char const* argument, T& range, std::int64_t needed) const {
    auto const has = told_size<Item>(range);
    if (has >= 0 && has < needed) refuse_short_range(call, argument, has, needed);
  }
  /// Calls f(how many items, what follows) where a second range comes next, and no value beside the items.
  template <class F, class Input, class... Rest>
  constexpr void with_second(F const& f, Input& second, Rest&... rest) const {
    if constexpr (!value_beside<Input, Item>)
      with_told_input(
          [&](auto, std::int64_t m, auto&... behind) {
            if constexpr (requires { f(m, behind...); }) f(m, behind...);
          },
          second, rest...);
  }

  char const* call;
  std::int64_t n;  ///< items of it
};

/// The same for calls that know how long their further ranges must be: check(what is told of the input, what
/// follows it) refuses those that say they are shorter.
template <int Ranges, int Pair = -1, class Check, class Call, class First, class... Rest>
constexpr auto complete_checked_call(char const* name, Check const& check, Call const& call, First& first,
                                     Rest&... rest) {
  auto const told = [&]<class Item>(std::type_identity<Item>, std::int64_t n, auto&... behind) {
    told_input<Item> const input{name, n};
    if constexpr (requires { check(input, behind...); }) check(input, behind...);
  };
  if constexpr (!policy<std::remove_cv_t<First>>) with_told_input(told, first, rest...);
  else if constexpr (sizeof...(Rest) > 0) with_told_input(told, rest...);
  return complete_call<Ranges, Pair>(call, first, rest...);
}

/// Of what follows an input, arguments [Begin, End) have an item for each of its items. What follows a number
/// has no more than that.
template <int Begin, int End>
struct item_for_each {
  template <class Item, class T, class... Rest>
  constexpr void operator()(told_input<Item> input, T& argument, Rest&... rest) const {
    if constexpr (Begin == 0 && End > 0) {
      if constexpr (std::is_integral_v<T>) {
        if constexpr (std::is_signed_v<T>)
          if (argument < 0) return;  // which the call refuses
        if (static_cast<std::uint64_t>(argument) < static_cast<std::uint64_t>(input.n))
          input.n = static_cast<std::int64_t>(argument);
      } else {
        input.require_room("a range behind the input", argument, input.n);
      }
    }
    if constexpr (End > 1 && sizeof...(Rest) > 0)
      item_for_each<(Begin > 0 ? Begin - 1 : 0), End - 1>{}(input, rest...);
  }
};

/// The same for calls of which further ranges, arguments [Begin, End), have an item for each of the input's.
template <int Ranges, int End = Ranges, int Begin = 0, int Pair = -1, class Call, class First, class... Rest>
constexpr auto complete_sized_call(char const* name, Call const& call, First& first, Rest&... rest) {
  return complete_checked_call<Ranges, Pair>(name, item_for_each<Begin, End>{}, call, first, rest...);
}

/// What an input and what follows it say of each of these calls' ranges, then: of the first so many arguments
/// behind the input the last one that is a range or an iterator is where the result goes.
template <int Ranges, int Items, class Sized>
struct room_for_result {
  template <class Item, class... Rest>
  constexpr void operator()(told_input<Item> const& input, Rest&... rest) const {
    if constexpr (requires { Sized{}(input, rest...); }) Sized{}(input, rest...);
    constexpr int result = last_place<Item, std::remove_cv_t<Rest>...>();
    int at = 0;
    auto const require = [&]<class T>(T& argument) {
      if constexpr (std::is_array_v<T> || is_other_range<T, Item>)
        if (at == result) input.require_room("the output of the result", argument, Items);
      ++at;
    };
    (require(rest), ...);
  }

 private:
  template <class Item, class... Rest>
  static constexpr int last_place() {
    int last = -1, at = 0;
    ((last = at < Ranges && (is_iterator<Rest> || std::is_array_v<Rest> || is_other_range<Rest, Item>) ? at
                                                                                                       : last,
      ++at),
     ...);
    return last;
  }
};

/// The same for calls that write a result of so many items, of which further ranges, arguments [Begin, End),
/// have an item for each of the input's.
template <int Ranges, int Items = 1, int End = 0, int Begin = 0, class Call, class First, class... Rest>
constexpr auto complete_call_into(char const* name, Call const& call, First& first, Rest&... rest) {
  return complete_checked_call<Ranges>(name, room_for_result<Ranges, Items, item_for_each<Begin, End>>{},
                                       call, first, rest...);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
