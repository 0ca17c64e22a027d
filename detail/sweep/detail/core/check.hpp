// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_CHECK_HPP
#define SWEEP_DETAIL_CORE_CHECK_HPP

#include <sweep/detail/core/iterator.hpp>
#include <sweep/error.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace sweep::detail {

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

/// One readable line where an operator does not fit the items.
template <class Op, class Init, class Item>
constexpr void require_operator() {
  static_assert(std::is_invocable_v<Op&, Init, Item>,
                "sweep: the operator cannot be called with (initial value or item, item)");
}
template <class Unary, class Item>
constexpr void require_unary() {
  static_assert(std::is_invocable_v<Unary&, Item>, "sweep: the unary operator cannot be called with an item");
}

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
  if (n < 0) throw bad_argument(call, "last", "lies " + std::to_string(-n) + " items before first");
  return n;
}

template <class It>
void require_pointer(char const* call, char const* argument, It const& it) {
  if constexpr (std::is_pointer_v<It>)
    if (it == nullptr) throw bad_argument(call, argument, "is a null pointer, but the range is not empty");
}

template <class In, class Out>
void require_storage(char const* call, In const& in, Out const& out) {
  require_pointer(call, "first", in);
  require_pointer(call, "out", out);
}

}  // namespace sweep::detail

#endif
