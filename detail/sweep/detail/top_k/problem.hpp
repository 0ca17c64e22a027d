// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_PROBLEM_HPP
#define SWEEP_DETAIL_TOP_K_PROBLEM_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The k items that a stable sort would put first, 1 <= k <= n: to keys_out[j] and values_out[j], 0 <= j < k.
/// Outputs overlap nothing.
template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Order>
struct top_k_problem : sort_problem<KeysIn, ValuesIn, KeysOut, ValuesOut, Order> {
  using whole = sort_problem<KeysIn, ValuesIn, KeysOut, ValuesOut, Order>;
  using typename whole::key;
  using typename whole::value;
  std::int64_t k;

  /// Item i of the input is result number j.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t j, std::int64_t i) const {
    if constexpr (whole::keeps_keys) this->put_key(j, static_cast<key>(this->keys_in[i]));
    if constexpr (whole::has_values) this->put_value(j, static_cast<value>(this->values_in[i]));
  }
};

/// Whether item a stands before item b, of which no two are equivalent: the order's, then that of indices.
SWEEP_NO_EXEC_CHECK
template <class Keys, class Order>
SWEEP_HD bool stands_before(Keys const& keys, Order const& order, std::int64_t a, std::int64_t b) {
  if (order(keys[a], keys[b])) return true;
  return a < b && !order(keys[b], keys[a]);
}

/// The first k places of an output, where nobody asks for the others.
template <class Out>
struct first_places {
  using value_type = value_of<Out>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  struct reference {
    Out const* out;
    std::int64_t i;
    bool asked_for;
    SWEEP_NO_EXEC_CHECK
    template <class T>
    SWEEP_HD void operator=(T const& x) const {
      if (asked_for) (*out)[i] = x;
    }
  };
  Out out;
  std::int64_t k;
  SWEEP_HD reference operator[](std::int64_t i) const { return {&out, i, i < k}; }
};
template <class Out>
SWEEP_HD auto only_first(Out const& out, [[maybe_unused]] std::int64_t k) {
  if constexpr (std::is_same_v<Out, no_values> || std::is_same_v<Out, unwritten>) return out;
  else return first_places<Out>{out, k};
}

/// The same by a sort of everything.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD auto as_sort(Problem const& problem) {
  auto const keys_out = only_first(problem.keys_out, problem.k);
  auto const values_out = only_first(problem.values_out, problem.k);
  return sort_problem<std::remove_cvref_t<decltype(problem.keys_in)>,
                      std::remove_cvref_t<decltype(problem.values_in)>,
                      std::remove_const_t<decltype(keys_out)>, std::remove_const_t<decltype(values_out)>,
                      typename Problem::order_type>{
      problem.call, problem.keys_in, problem.values_in, keys_out, values_out, problem.n, problem.order};
}

/// The item that a sort would put at place `nth` goes there; of the others those that stand before it go
/// before it, all in their order.
template <class Keys, class Order>
struct nth_problem {
  using key = value_of<Keys>;
  using order_type = Order;
  char const* call;
  Keys keys, at_nth, behind_nth;  ///< in place: the first, the n-th, and the one behind
  std::int64_t n, nth;
  Order order;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
