// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_BOUNDS_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_BOUNDS_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/keys.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/bounds.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

// The laws of bounds, for any place.
namespace sweep_test {

/// Item i is 3 i.
struct threefold {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::int64_t;
  std::ptrdiff_t at;
  SWEEP_TEST_HD std::int64_t operator[](std::ptrdiff_t i) const { return 3 * (at + i); }
  SWEEP_TEST_HD std::int64_t operator*() const { return 3 * at; }
  friend SWEEP_TEST_HD threefold operator+(threefold a, std::ptrdiff_t i) { return {a.at + i}; }
  friend SWEEP_TEST_HD std::ptrdiff_t operator-(threefold a, threefold b) { return a.at - b.at; }
};

template <class X, class Place>
void many_bounds_law(Place const& at, std::string const& what, std::vector<X> const& x,
                     std::vector<X> const& values, std::size_t offset) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) +
                     ", m = " + std::to_string(values.size()) + ", offset " + std::to_string(offset);
  auto const m = values.size();
  std::vector<std::int64_t> lower(m), upper(m);
  std::vector<std::uint8_t> found(m);
  by_key const comp{};
  for (std::size_t j = 0; j < m; ++j) {
    lower[j] = std::lower_bound(x.begin(), x.end(), values[j], comp) - x.begin();
    upper[j] = std::upper_bound(x.begin(), x.end(), values[j], comp) - x.begin();
    found[j] = lower[j] < upper[j];
  }
  typename Place::template array<X> const in(x, offset), sought(values, 1);
  typename Place::template array<std::int64_t> const out(m, 2);
  typename Place::template array<std::uint8_t> const answers(m, 3);
  auto const& p = at.policy;
  expect(sweep::lower_bound(p, in.begin(), in.end(), sought.begin(), sought.end(), out.begin(), comp) ==
             out.end(),
         title + ": returns the end of the output");
  expect_equal(out.read(), lower, title + ": lower_bound");
  sweep::upper_bound(p, in.begin(), in.end(), sought.begin(), sought.end(), out.begin(), comp);
  expect_equal(out.read(), upper, title + ": upper_bound");
  sweep::binary_search(p, in.begin(), in.end(), sought.begin(), sought.end(), answers.begin(), comp);
  expect_equal(answers.read(), found, title + ": binary_search");
  expect(out.guards_intact() && answers.guards_intact(), title + ": writes the outputs only");
}

template <class X, class Place>
void one_bound_law(Place const& at, std::string const& what, std::vector<X> const& x, X const& value,
                   std::size_t offset) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", offset " +
                     std::to_string(offset);
  by_key const comp{};
  auto const lower = std::lower_bound(x.begin(), x.end(), value, comp) - x.begin();
  auto const upper = std::upper_bound(x.begin(), x.end(), value, comp) - x.begin();
  is_below const pred{key_of(value)};
  typename Place::template array<X> const in(x, offset);
  typename Place::template array<std::int64_t> const out(3, 1);
  typename Place::template array<std::uint8_t> const answer(1, 1);
  auto const& p = at.policy;
  auto const first = in.begin(), last = in.end();
  auto* const to = out.begin();
  expect(sweep::lower_bound(p, first, last, value, comp) == first + lower, title + ": lower_bound");
  expect(sweep::upper_bound(p, first, last, value, comp) == first + upper, title + ": upper_bound");
  expect(sweep::binary_search(p, first, last, value, comp) == (lower < upper), title + ": binary_search");
  expect(sweep::partition_point(p, first, last, pred) == first + lower, title + ": partition_point");
  auto const both = sweep::equal_range(p, first, last, value, comp);
  expect(both.first == first + lower && both.second == first + upper, title + ": equal_range");
  expect(sweep::lower_bound_into(p, first, last, to, value, comp) == to + 1, title + ": returns out + 1");
  sweep::upper_bound_into(p, first, last, to + 1, value, comp);
  sweep::partition_point_into(p, first, last, to + 2, pred);
  sweep::binary_search_into(p, first, last, answer.begin(), value, comp);
  expect_equal(out.read(), std::vector<std::int64_t>{lower, upper, lower}, title + ": written");
  expect(answer.read()[0] == (lower < upper ? 1 : 0), title + ": answer written");
  expect(out.guards_intact() && answer.guards_intact(), title + ": writes its results only");
}

template <class X, class Place>
void bounds_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what + " bounds");
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    auto x = draw_many<X>(n, random);
    std::sort(x.begin(), x.end(), by_key{});
    auto const offset = static_cast<std::size_t>(random.between(0, 5));
    // Values that are there and values that need not be; some more than a tile of them, and few.
    auto values =
        draw_many<X>(turn % 3 == 0 ? 5'000 : static_cast<std::size_t>(random.between(0, 300)), random);
    for (std::size_t j = 0; j < values.size() && n > 0; j += 2)
      values[j] = x[static_cast<std::size_t>(random.between(0, static_cast<int>(n) - 1))];
    if (n > 0 && values.size() > 3) {
      values[1] = x.front();
      values[3] = x.back();
    }
    many_bounds_law(places.for_turn(turn), what, x, values, offset);
    one_bound_law(places.for_turn(turn), what, x, values.empty() ? draw<X>(random) : values[0], offset);
    ++turn;
  }
}

/// The default order, functors of the standard, values of another type, in place, iterators that are no
/// pointers.
template <class Place>
void bounds_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("bounds forms");
  auto x = draw_many<U>(n, random);
  for (auto& one : x) one %= 1000;
  std::sort(x.begin(), x.end());
  std::vector<std::int64_t> values(777), want(777);
  for (auto& one : values) one = random.between(-10, 1010);
  auto const turned = std::vector<U>(x.rbegin(), x.rend());
  typename Place::template array<U> const in(x, 1), descending(turned, 2);
  typename Place::template array<std::int64_t> const sought(values, 1);
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  for (std::size_t j = 0; j < values.size(); ++j)
    want[j] = std::lower_bound(x.begin(), x.end(), values[j]) - x.begin();
  sweep::lower_bound(p, in.begin(), in.end(), sought.begin(), sought.end(), sought.begin());
  expect_equal(sought.read(), want, title + "i64 among u32, in place");
  expect(sweep::lower_bound(p, in.begin(), in.end(), std::int64_t{500}) - in.begin() ==
             std::lower_bound(x.begin(), x.end(), 500u) - x.begin(),
         title + "i64 among u32");
  auto const below = std::upper_bound(turned.begin(), turned.end(), 500u, std::greater<>{}) - turned.begin();
  expect(sweep::upper_bound(p, descending.begin(), descending.end(), 500u, std::greater<>{}) -
                 descending.begin() ==
             below,
         title + "by greater<>");
  using reverse = std::reverse_iterator<U*>;
  expect(sweep::upper_bound(p, reverse(in.end()), reverse(in.begin()), 500u, std::greater<U>{}) -
                 reverse(in.end()) ==
             below,
         title + "through reverse iterators");
  auto const strides = strided<U*>(in.begin(), 2);
  auto const half = static_cast<std::ptrdiff_t>(n / 2);
  std::vector<U> every_other;
  for (std::size_t i = 0; i + 1 < n; i += 2) every_other.push_back(x[i]);
  typename Place::template array<int> const out(3, 1);
  typename Place::template array<U> const few(std::vector<U>{0, 500, 2000}, 1);
  sweep::upper_bound(p, strides, strides + half, few.begin(), few.end(), out.begin());
  std::vector<int> counts;
  for (U const value : {0u, 500u, 2000u})
    counts.push_back(static_cast<int>(std::upper_bound(every_other.begin(), every_other.end(), value) -
                                      every_other.begin()));
  expect_equal(out.read(), counts, title + "among strides, into int");
}

}  // namespace sweep_test

#endif
