// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_PRECONDITIONS_HPP
#define SWEEP_DETAIL_CORE_PRECONDITIONS_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/error.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

template <class Otherwise, class... First>
struct first_or_type {
  using type = Otherwise;
};
template <class Otherwise, class First>
struct first_or_type<Otherwise, First> {
  using type = First;
};
/// The one type in a pack, or another where the pack is empty.
template <class Otherwise, class... First>
using first_or = typename first_or_type<Otherwise, First...>::type;

/// What a fold is made of: the operator as it can be called on both sides, and the accumulator that it makes
/// of (initial value or transformed item, transformed item). One readable line where something does not fit.
template <class In, class Op, class Unary, class... Init>
struct accumulation {
  static_assert(std::is_invocable_v<Unary&, value_of<In>>,
                "sweep: the unary operator cannot be called with an item");
  using op = decltype(device_functor(std::declval<Op>()));
  using item = std::decay_t<std::invoke_result_t<Unary&, value_of<In>>>;
  static_assert(std::is_invocable_v<op&, first_or<item, Init...>, item>,
                "sweep: the operator cannot be called with (initial value or item, item)");
  using value = accumulator<op, first_or<item, Init...>, item>;
};

/// The same where a predicate does not fit the items, or the items that stand beside them.
template <class Pred, class Item>
constexpr void require_predicate() {
  static_assert(std::is_invocable_r_v<bool, Pred&, Item>,
                "sweep: the predicate cannot be called with an item (of the stencil, where there is one)");
}
template <class Eq, class Item>
constexpr void require_equivalence() {
  static_assert(std::is_invocable_r_v<bool, Eq&, Item, Item>,
                "sweep: the equivalence cannot be called with two neighbouring items");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_last_before_first(char const* call, std::int64_t n) {
  throw bad_argument(call, "last", "lies " + std::to_string(-n) + " items before first");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_null_pointer(char const* call,
                                                                      char const* argument) {
  throw bad_argument(call, argument, "is a null pointer, but the range is not empty");
}

/// Preconditions that cost nothing are checked always.
template <class It>
std::int64_t checked_distance(char const* call, It const& first, It const& last) {
  static_assert(
      std::is_base_of_v<std::random_access_iterator_tag,
                        typename std::iterator_traits<It>::iterator_category> ||
          std::random_access_iterator<It> ||
          requires {
            last - first;
            first + 1;
          },
      "sweep: the input must have random-access iterators");
  auto const n = static_cast<std::int64_t>(last - first);
  if (n < 0) throw_last_before_first(call, n);
  return n;
}

template <class It>
void require_pointer(char const* call, char const* argument, It const& it) {
  if constexpr (std::is_pointer_v<It>)
    if (it == nullptr) throw_null_pointer(call, argument);
}

template <class In, class Out>
void require_storage(char const* call, In const& in, Out const& out) {
  require_pointer(call, "first", in);
  require_pointer(call, "out", out);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
