// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_COUNT_DISPATCH_HPP
#define SWEEP_DETAIL_COUNT_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/reduce/dispatch.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// An item as the number of items that it counts for: 1 where pred holds, else 0. Neighbours are counted in
/// 32 bits.
template <class Pred>
struct one_where {
  using counts_items = void;
  mutable Pred pred;  ///< the caller's function need not be const

  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD std::int64_t operator()(X const& x) const {
    return static_cast<bool>(pred(x)) ? 1 : 0;
  }
  SWEEP_NO_EXEC_CHECK
  template <class X, int V>
  SWEEP_HD std::int64_t fold(X const (&x)[V], std::int64_t) const {
    int count = 0;
    for (int v = 0; v < V; ++v) count += static_cast<bool>(pred(x[v])) ? 1 : 0;
    return count;
  }
};

/// 1 for the first item of each run of neighbours that are equal. What is folded after its left neighbours
/// knows the last of them; only the one before a thread's own items is read once more.
template <class In, class Eq>
struct one_where_run_begins {
  using takes_index = void;
  using counts_items = void;
  using item = value_of<In>;
  static constexpr bool keeps_last = relocatable<item> && std::is_default_constructible_v<item>;
  In in;
  mutable Eq eq;
  mutable std::conditional_t<keeps_last, item, char> last{};
  mutable std::int64_t next = -1;  ///< the index behind last

  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD std::int64_t operator()(X const& x, std::int64_t i) const {
    return i == 0 || !static_cast<bool>(eq(in[i - 1], x)) ? 1 : 0;
  }
  SWEEP_NO_EXEC_CHECK
  template <int V>
    requires(keeps_last)
  SWEEP_HD std::int64_t fold(item const (&x)[V], std::int64_t i)
  const {
    int count = i > 0 && static_cast<bool>(next == i ? eq(last, x[0]) : eq(in[i - 1], x[0])) ? 0 : 1;
    for (int v = 1; v < V; ++v) count += static_cast<bool>(eq(x[v - 1], x[v])) ? 0 : 1;
    put_bytes(last, x[V - 1]);
    next = i + V;
    return count;
  }
};

// The number of items that pred holds for: written, or brought to the host.

SWEEP_NO_EXEC_CHECK
template <class In, class Pred>
SWEEP_HD auto ones_where(Pred given) {
  auto const pred = predicate_of<value_of<In>>(given);
  return one_where<std::remove_const_t<decltype(pred)>>{pred};
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Out, class Pred>
SWEEP_HD Out count_to(char const* call, Policy const& policy, In first, In last, Out out, Pred pred) {
  fold_to<std::int64_t>(call, policy, first, last, out, std::int64_t{0}, plus{}, ones_where<In>(pred));
  return out + 1;
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Pred>
SWEEP_HD std::int64_t count_value(char const* call, Policy const& policy, In first, In last, Pred pred) {
  return fold_value<std::int64_t>(call, policy, first, last, std::int64_t{0}, plus{}, ones_where<In>(pred));
}

SWEEP_NO_EXEC_CHECK
template <class In, class Eq>
SWEEP_HD auto run_counter(In first, Eq eq) {
  require_equivalence<Eq, value_of<In>>();
  return one_where_run_begins<unwrapped_t<In>, Eq>{unwrapped(first), eq};
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
