// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_TOP_K_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_TOP_K_LAWS_HPP

#include <support/sort_laws.hpp>

#include <sweep/top_k.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// The laws of selections, for any place: the same bytes as the first places of a stable sort by the standard
// library; and around the n-th item everything in the order in which it stood.
namespace sweep_test {

/// What is asked for: each has kernels of its own.
enum class tops { keys, pairs, indices };

/// How many of n: nothing, one, as many as a warp has lanes, a part, nearly all, all, and more.
inline std::int64_t draw_k(std::size_t n, std::size_t turn, random_source& random) {
  auto const size = static_cast<std::int64_t>(n);
  switch (turn % 9) {
  case 0:
    return 1;
  case 1:
    return 32;
  case 2:
    return size / 100 + 1;
  case 3:
    return size / 8;
  case 4:
    return random.between(0, size);
  case 5:
    return size / 2;
  case 6:
    return size - 1 < 0 ? 0 : size - 1;
  case 7:
    return size + random.between(0, 5);
  default:
    return random.between(0, 100);
  }
}

/// One form of top_k with one set of keys.
template <tops What, class V, class Place, class T, class Comp, class Less>
void top_k_law(Place const& at, std::string const& what, std::vector<T> const& x, std::int64_t k,
               std::size_t offset, Comp comp, Less less, random_source& random) {
  auto const n = x.size();
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(n) +
                     ", k = " + std::to_string(k) + ", offset " + std::to_string(offset);
  auto order = stable_order(x, less);
  order.resize(std::min(n, static_cast<std::size_t>(k)));
  auto const found = order.size();
  auto const first_of = [&](auto const& all) {
    std::decay_t<decltype(all)> some(found);
    for (std::size_t j = 0; j < found; ++j) some[j] = all[order[j]];
    return some;
  };
  auto const same = [&](auto const& array, auto const& all, char const* said) {
    expect_equal(bytes_of(array.read()), bytes_of(all), title + ", " + said);
    expect(array.guards_intact(), title + ", " + said + ": writes the output only");
  };
  typename Place::template array<T> const in(x, offset), out(found, offset + 1);
  if constexpr (What == tops::keys) {
    expect(sweep::top_k(at.policy, in.begin(), in.end(), k, out.begin(), comp) == out.end(),
           title + ": top_k returns the end of the output");
    same(out, first_of(x), "top_k");
  } else if constexpr (What == tops::pairs) {
    std::vector<V> values(n);
    for (auto& v : values) v = from_bits<V>(draw_bits(random));
    typename Place::template array<V> const given(values, offset), to(found, offset + 2);
    auto const end =
        sweep::top_k_by_key(at.policy, in.begin(), in.end(), given.begin(), k, out.begin(), to.begin(), comp);
    expect(end.first == out.end() && end.second == to.end(),
           title + ": top_k_by_key returns the ends of the outputs");
    same(out, first_of(x), "top_k_by_key, keys");
    same(to, first_of(values), "top_k_by_key, values");
    same(given, values, "the values");
  } else {
    typename Place::template array<V> const to(found, offset);
    std::vector<V> indices(found);
    for (std::size_t j = 0; j < found; ++j) indices[j] = static_cast<V>(order[j]);
    expect(sweep::arg_top_k(at.policy, in.begin(), in.end(), k, to.begin(), comp) == to.end(),
           title + ": arg_top_k returns the end of the output");
    same(to, indices, "arg_top_k");
  }
  same(in, x, "the input");
}

/// What nth_element leaves.
template <class T, class Less>
std::vector<T> split_around_nth(std::vector<T> const& x, std::size_t nth, Less less) {
  auto order = stable_order(x, less);
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(nth));
  std::sort(order.begin() + static_cast<std::ptrdiff_t>(nth) + 1, order.end());
  return taken(x, order);
}
template <class Place, class T, class Comp, class Less>
void nth_law(Place const& at, std::string const& what, std::vector<T> const& x, std::size_t nth,
             std::size_t offset, Comp comp, Less less) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) +
                     ", nth = " + std::to_string(nth) + ", offset " + std::to_string(offset);
  typename Place::template array<T> const keys(x, offset);
  sweep::nth_element(at.policy, keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(nth), keys.end(),
                     comp);
  auto const want = nth < x.size() ? split_around_nth(x, nth, less) : x;
  expect_equal(bytes_of(keys.read()), bytes_of(want), title);
  expect(keys.guards_intact(), title + ": writes the range only");
}

/// Every shape, at sizes where something changes; of every third size.
template <class T, tops What, class V = std::uint32_t, class Places, class Comp, class Less>
void top_k_laws_of(std::string const& what, std::size_t most, Places const& places, Comp comp, Less less) {
  random_source random(what);
  std::size_t turn = random() % 9;
  for (auto const n : edge_sizes(sizeof(T), most, random)) {
    if (n > 40 && random() % 3 != 0) continue;
    auto const shape = static_cast<key_shape>(random() % key_shapes);
    auto const x = draw_keys<T>(shape, n, random, less);
    top_k_law<What, V>(places.for_turn(turn), what + ", shape " + std::to_string(static_cast<int>(shape)), x,
                       draw_k(n, turn, random), static_cast<std::size_t>(random.between(0, 5)), comp, less,
                       random);
    ++turn;
  }
}
template <class T, class Places, class Comp, class Less>
void nth_laws_of(std::string const& what, std::size_t most, Places const& places, Comp comp, Less less) {
  random_source random("nth of " + what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(T), most, random)) {
    if (n > 40 && random() % 3 != 0) continue;
    auto const shape = static_cast<key_shape>(random() % key_shapes);
    auto const x = draw_keys<T>(shape, n, random, less);
    nth_law(places.for_turn(turn), what + ", shape " + std::to_string(static_cast<int>(shape)), x,
            static_cast<std::size_t>(std::min(draw_k(n, turn * 5 + 4, random), static_cast<std::int64_t>(n))),
            static_cast<std::size_t>(random.between(0, 5)), comp, less);
    ++turn;
  }
}

/// Comparisons that are no order at all: calls end, and write no more than they are asked for.
template <class Places>
void top_k_no_order_laws(Places const& places) {
  random_source random("top_k, no order");
  std::size_t turn = 0;
  for (auto const n : {1, 33, 1025, 5000})
    for (std::uint32_t kind = 0; kind < 4; ++kind) {
      auto const at = places.for_turn(turn++);
      auto const x = draw_keys<std::uint32_t>(static_cast<key_shape>(random() % key_shapes),
                                              static_cast<std::size_t>(n), random, std::less<>{});
      auto const k = random.between(1, n);
      using array = typename std::decay_t<decltype(at)>::template array<std::uint32_t>;
      array const keys(x, turn % 4), out(static_cast<std::size_t>(k), 1);
      sweep::top_k(at.policy, keys.begin(), keys.end(), k, out.begin(), no_order{kind});
      sweep::nth_element(at.policy, keys.begin(), keys.begin() + k - 1, keys.end(), no_order{kind});
      expect(keys.guards_intact() && out.guards_intact(),
             std::string(at.name) + ": no order " + std::to_string(kind) + ", n = " + std::to_string(n));
    }
}

/// Iterators that are no pointers, and outputs of another type.
template <bool ByComparison = true, class Place>
void top_k_iterator_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const size = static_cast<std::ptrdiff_t>(n);
  auto const k = n / 50 + 3, found = std::min(n, k);
  std::vector<U> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = made_up_keys{0}[static_cast<std::ptrdiff_t>(i)];
  auto const order = stable_order(made, std::greater<>{});
  typename Place::template array<std::uint64_t> const wider(found, 1);
  typename Place::template array<double> const values_out(found, 2);
  typename Place::template array<float> const values([&] {
    std::vector<float> all(n);
    std::iota(all.begin(), all.end(), 0.0f);
    return all;
  }());
  sweep::top_k_by_key(at.policy, made_up_keys{0}, made_up_keys{size}, values.begin(), k, wider.begin(),
                      values_out.begin());
  std::vector<std::uint64_t> want_keys(found);
  std::vector<double> want_values(found);
  for (std::size_t j = 0; j < found; ++j) {
    want_keys[j] = made[order[j]];
    want_values[j] = static_cast<double>(order[j]);
  }
  expect_equal(wider.read(), want_keys, title + "wider keys");
  expect_equal(values_out.read(), want_values, title + "wider values");

  using reverse = std::reverse_iterator<U*>;
  auto turned = made;
  std::reverse(turned.begin(), turned.end());
  typename Place::template array<U> const from_end(turned, 3);
  if (n > 0) {
    auto const nth = n / 3;
    sweep::nth_element(at.policy, reverse(from_end.end()),
                       reverse(from_end.end()) + static_cast<std::ptrdiff_t>(nth), reverse(from_end.begin()));
    auto want = split_around_nth(made, nth, std::less<>{});
    std::reverse(want.begin(), want.end());
    expect_equal(from_end.read(), want, title + "from the end");
    if constexpr (ByComparison) {
      std::vector<U> spread(2 * n, 7), spread_want(2 * n, 7);
      auto const by_bits = split_around_nth(made, nth, by_low_bits_of{});
      for (std::size_t i = 0; i < n; ++i) spread[2 * i] = made[i], spread_want[2 * i] = by_bits[i];
      typename Place::template array<U> const every_second(spread, 1);
      auto const first = strided<U*>(every_second.begin(), 2);
      sweep::nth_element(at.policy, first, first + static_cast<std::ptrdiff_t>(nth), first + size,
                         by_low_bits_of{});
      expect_equal(every_second.read(), spread_want, title + "every second, by a comparison");
      expect(every_second.guards_intact(), title + "writes the range only");
    }
  }
  expect(from_end.guards_intact() && wider.guards_intact() && values_out.guards_intact(),
         title + "writes the output only");
}

/// Bad input, and that nothing is written.
template <class Place>
void top_k_error_laws(Place const& at) {
  std::vector<std::uint32_t> const x{3, 1, 2, 0};
  typename Place::template array<std::uint32_t> const keys(x), out(x);
  std::uint32_t* const none = nullptr;
  auto const& p = at.policy;
  expect_throw<sweep::bad_argument>({"sweep::top_k:", "k", "negative: -1"},
                                    [&] { sweep::top_k(p, keys.begin(), keys.end(), -1, out.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::top_k:", "last", "2 items before first"},
                                    [&] { sweep::top_k(p, keys.end(), keys.end() - 2, 1, out.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::top_k:", "first", "null"},
                                    [&] { sweep::top_k(p, none, none + 2, 1, out.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::top_k:", "out", "null"},
                                    [&] { sweep::top_k(p, keys.begin(), keys.end(), 1, none); });
  expect_throw<sweep::bad_argument>({"sweep::arg_top_k:", "first", "null"},
                                    [&] { sweep::arg_top_k(p, none, none + 2, 1, out.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::top_k_by_key:", "values_first", "null"}, [&] {
    sweep::top_k_by_key(p, keys.begin(), keys.end(), none, 2, out.begin(), out.begin() + 2);
  });
  expect_throw<sweep::bad_argument>({"sweep::top_k:", "bits", "begin at 9 and end at 8"}, [&] {
    sweep::top_k(p, keys.begin(), keys.end(), 1, out.begin(), sweep::radix_key().bits(9, 8));
  });
  expect_throw<sweep::bad_argument>({"sweep::nth_element:", "nth", "item 5 of a range of 4"}, [&] {
    sweep::nth_element(p, keys.begin(), keys.begin() + 5, keys.end());
  });
  expect_throw<sweep::bad_argument>({"sweep::nth_element:", "first", "null"},
                                    [&] { sweep::nth_element(p, none, none + 1, none + 2); });
  expect_equal(keys.read(), x, "nothing is written");
  expect_equal(out.read(), x, "nothing is written to the output");
  sweep::top_k(p, none, none, 3, none);
  sweep::top_k(p, keys.begin(), keys.end(), 0, none);
  sweep::nth_element(p, none, none, none);
  expect(sweep::top_k(p, keys.begin(), keys.end(), ~std::size_t{0}, out.begin()) == out.end(), "all of them");
  expect_equal(out.read(), {3, 2, 1, 0}, "all of them");
}

}  // namespace sweep_test

#endif
