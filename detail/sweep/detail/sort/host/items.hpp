// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_HOST_ITEMS_HPP
#define SWEEP_DETAIL_SORT_HOST_ITEMS_HPP

// What a host sort moves: a key, or a key beside its value.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/sort/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <class Key, class Value>
struct sort_items {
  using type = item_pair<Key, Value>;
  static Key const& key(type const& x) { return x.first; }
  template <class Problem>
  static type read(Problem const& problem, std::int64_t i) {
    return {static_cast<Key>(problem.keys_in[i]), static_cast<Value>(problem.values_in[i])};
  }
  template <class Problem>
  static void put(Problem const& problem, std::int64_t i, type const& x) {
    problem.put_key(i, x.first);
    problem.put_value(i, x.second);
  }
  template <class Source>
  static Key key_of(Source const& source, std::int64_t i) {
    return source.key(i);
  }
};
template <class Key>
struct sort_items<Key, absent_value> {
  using type = Key;
  static Key const& key(type const& x) { return x; }
  template <class Problem>
  static type read(Problem const& problem, std::int64_t i) {
    return static_cast<Key>(problem.keys_in[i]);
  }
  template <class Problem>
  static void put(Problem const& problem, std::int64_t i, type const& x) {
    problem.put_key(i, x);
  }
  template <class Source>
  static Key key_of(Source const& source, std::int64_t i) {
    return source.key(i);
  }
};

/// Where items come from: memory, or the caller's iterators.
template <class Items>
struct items_at {
  typename Items::type const* at;
  typename Items::type const& operator()(std::int64_t i) const { return at[i]; }
  auto const& key(std::int64_t i) const { return Items::key(at[i]); }
};
template <class Items, class Problem>
struct items_given {
  Problem const& problem;
  typename Items::type operator()(std::int64_t i) const { return Items::read(problem, i); }
  typename Problem::key key(std::int64_t i) const {
    return static_cast<typename Problem::key>(problem.keys_in[i]);
  }
};

template <class Item>
void copy_items(Item* to, Item const* from, std::int64_t n) {
  if (n > 0)
    std::memcpy(static_cast<void*>(to), static_cast<void const*>(from),
                static_cast<std::size_t>(n) * sizeof(Item));
}

/// How a loop holds a function: as a copy, where that costs nothing, since what a loop writes might be what a
/// reference refers to.
template <class F>
using held_in_loop =
    std::conditional_t<std::is_trivially_copyable_v<F> && sizeof(F) <= 32, F const, F const&>;

/// Few items sorted where they stand; equivalent ones stay in their order.
template <class Items, class Before>
void insert_in_order(typename Items::type* at, std::int64_t n, Before const& given) {
  held_in_loop<Before> before = given;
  for (std::int64_t i = 1; i < n; ++i) {
    if (!before(Items::key(at[i]), Items::key(at[i - 1]))) continue;
    auto const x = at[i];
    auto to = i;
    do {
      put_bytes(at[to], at[to - 1]);
      --to;
    } while (to > 0 && before(Items::key(x), Items::key(at[to - 1])));
    put_bytes(at[to], x);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
