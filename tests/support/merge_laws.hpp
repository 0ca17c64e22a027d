// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_MERGE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_MERGE_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/keys.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

// The laws of merges, for any place.
namespace sweep_test {

/// How two sorted ranges lie to each other.
enum class meeting { mixed, first_before, second_before, alike, one_of_many };
inline constexpr meeting all_meetings[] = {meeting::mixed, meeting::first_before, meeting::second_before,
                                           meeting::alike, meeting::one_of_many};

/// A value whose key is this number, as far as it goes.
template <class X>
X with_key(X x, std::uint64_t key) {
  if constexpr (requires { x.a; }) x.a = static_cast<decltype(x.a)>(key);
  else if constexpr (requires { x.m; }) x.m[0] = static_cast<std::remove_cvref_t<decltype(x.m[0])>>(key);
  else x = static_cast<X>(key);
  return x;
}

template <class X>
void draw_sorted(std::vector<X>& first, std::vector<X>& second, meeting how, by_low_bits const& comp,
                 random_source& random) {
  first = draw_many<X>(first.size(), random);
  second = draw_many<X>(second.size(), random);
  if (how == meeting::alike)
    for (auto* const range : {&first, &second})
      for (auto& x : *range) x = with_key(x, 0);
  if (how == meeting::one_of_many)
    for (auto* const range : {&first, &second})
      for (auto& x : *range)
        if (random() % 100 != 0) x = with_key(x, 7);
  std::stable_sort(first.begin(), first.end(), comp);
  std::stable_sort(second.begin(), second.end(), comp);
  if (how == meeting::first_before || how == meeting::second_before) {
    std::vector<X> all(first);
    all.insert(all.end(), second.begin(), second.end());
    std::stable_sort(all.begin(), all.end(), comp);
    auto const front =
        static_cast<std::ptrdiff_t>(how == meeting::first_before ? first.size() : second.size());
    std::vector<X> const low(all.begin(), all.begin() + front), high(all.begin() + front, all.end());
    first = how == meeting::first_before ? low : high;
    second = how == meeting::first_before ? high : low;
  }
}

template <class X, class Place>
void merge_law(Place const& at, std::string const& what, std::vector<X> const& first,
               std::vector<X> const& second, by_low_bits const& comp, std::size_t offset) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(first.size()) + " and " +
                     std::to_string(second.size()) + ", offset " + std::to_string(offset);
  auto const n = first.size() + second.size();
  std::vector<X> want(n);
  std::merge(first.begin(), first.end(), second.begin(), second.end(), want.begin(), comp);
  typename Place::template array<X> const in1(first, offset), in2(second, offset + 3), out(n, offset + 1);
  auto const& p = at.policy;
  expect(sweep::merge(p, in1.begin(), in1.end(), in2.begin(), in2.end(), out.begin(), comp) == out.end(),
         title + ": returns the end of the output");
  expect_equal(out.read(), want, title + ": merge");
  expect(out.guards_intact(), title + ": writes the output only");

  // Values that say where their keys were: of equivalent keys all are told apart.
  std::vector<std::int32_t> values1(first.size()), values2(second.size()), want_values(n), order(n);
  std::iota(values1.begin(), values1.end(), 0);
  std::iota(values2.begin(), values2.end(), static_cast<std::int32_t>(first.size()));
  std::iota(order.begin(), order.end(), 0);
  auto const key = [&](std::int32_t i) {
    auto const j = static_cast<std::size_t>(i);
    return j < first.size() ? first[j] : second[j - first.size()];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return comp(key(a), key(b)); });
  typename Place::template array<std::int32_t> const v1(values1, 1), v2(values2, 2), values_out(n, 3);
  typename Place::template array<X> const keys_out(n, offset);
  auto const ends = sweep::merge_by_key(p, in1.begin(), in1.end(), in2.begin(), in2.end(), v1.begin(),
                                        v2.begin(), keys_out.begin(), values_out.begin(), comp);
  expect(ends.first == keys_out.end() && ends.second == values_out.end(),
         title + ": merge_by_key returns the ends of the outputs");
  expect_equal(keys_out.read(), want, title + ": merge_by_key, keys");
  expect_equal(values_out.read(), order, title + ": merge_by_key, values");
  expect(keys_out.guards_intact() && values_out.guards_intact(), title + ": by key, writes the outputs only");
}

template <class X, class Place>
void merge_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what + " merge");
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    // Both, one of them short or empty; sizes at which something changes are those of the result.
    auto const part = turn % 4 == 0   ? n / 2
                      : turn % 4 == 1 ? static_cast<std::size_t>(random.between(0, static_cast<int>(n)))
                      : turn % 4 == 2
                          ? std::min<std::size_t>(n, static_cast<std::size_t>(random.between(0, 3)))
                          : n - std::min<std::size_t>(n, static_cast<std::size_t>(random.between(0, 3)));
    std::vector<X> first(part), second(n - part);
    by_low_bits const comp{turn % 3 == 0 ? ~std::uint64_t{0} : turn % 3 == 1 ? 0x3fu : 0x3u};
    draw_sorted(first, second, all_meetings[turn % 5], comp, random);
    merge_law(places.for_turn(turn), what, first, second, comp,
              static_cast<std::size_t>(random.between(0, 5)));
    ++turn;
  }
}

/// The default order, ranges of other types, functors of the standard, iterators that are no pointers.
template <class Place>
void merge_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("merge forms");
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto x = draw_many<U>(n, random);
  for (auto& one : x) one %= 1000;
  std::vector<std::int64_t> y(n / 2 + 3);
  for (auto& one : y) one = random.between(-10, 1010);
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  std::vector<double> want(x.size() + y.size());
  std::merge(x.begin(), x.end(), y.begin(), y.end(), want.begin());
  typename Place::template array<U> const in(x, 1);
  typename Place::template array<std::int64_t> const other(y, 1);
  typename Place::template array<double> const out(want.size(), 1);
  auto const& p = at.policy;
  sweep::merge(p, in.begin(), in.end(), other.begin(), other.end(), out.begin());
  expect_equal(out.read(), want, title + "u32 and i64 into double");

  // Descending, from reversed memory into every other place; values of a computed range.
  using reverse = std::reverse_iterator<U*>;
  std::vector<U> const turned(x.rbegin(), x.rend());
  std::vector<U> half;
  for (std::size_t i = 0; i < x.size(); i += 2) half.push_back(turned[i]);
  std::vector<U> merged(turned.size() + half.size());
  std::merge(half.begin(), half.end(), turned.begin(), turned.end(), merged.begin(), std::greater<>{});
  typename Place::template array<U> const descending(turned, 2), to(2 * merged.size(), 1);
  auto const strides = strided<U*>(descending.begin(), 2);
  auto const halves = static_cast<std::ptrdiff_t>(half.size());
  auto const end = sweep::merge(p, strides, strides + halves, reverse(in.end()), reverse(in.begin()),
                                strided<U*>(to.begin(), 2), std::greater<U>{});
  expect(end - strided<U*>(to.begin(), 2) == static_cast<std::ptrdiff_t>(merged.size()), title + "the end");
  auto const got = to.read();
  std::vector<U> every_other;
  for (std::size_t i = 0; i < got.size(); i += 2) every_other.push_back(got[i]);
  expect_equal(every_other, merged, title + "through strides and reversed");
}

template <class Place, class Checked>
void merge_error_laws(Place const& at, Checked const& checked) {
  typename Place::template array<int> const x(std::vector<int>(10, 1)), out(20);
  int* const none = nullptr;
  auto const first = x.begin(), last = x.end();
  auto const& p = at.policy;
  expect_throw<sweep::bad_argument>({"sweep::merge:", "last", "2 items before first"},
                                    [&] { sweep::merge(p, first + 5, first + 3, first, last, out.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::merge:", "last2", "before first2"},
                                    [&] { sweep::merge(p, first, last, first + 5, first + 3, out.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::merge:", "out", "null"},
                                    [&] { sweep::merge(checked, first, last, first, last, none); });
  expect_throw<sweep::bad_argument>({"sweep::merge:", "first2", "null"},
                                    [&] { sweep::merge(p, first, last, none, none + 2, out.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::merge_by_key:", "values2", "null"}, [&] {
    sweep::merge_by_key(p, first, last, first, last, first, none, out.begin(), out.begin() + 5);
  });
  expect(out.all_untouched(), "nothing is written");
  expect(sweep::merge(p, none, none, none, none, none) == none, "nothing and nothing");
  expect(sweep::merge(p, first, last, none, none, out.begin()) == out.begin() + 10, "something and nothing");
  expect(out.read()[9] == 1, "something and nothing");
}

/// Says anything, but always the same of two numbers.
struct disagreeing {
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& x, X const& y) const {
    return ((key_of(x) * 0x9e3779b97f4a7c15u ^ key_of(y) * 0xbf58476d1ce4e5b9u) >> 17 & 1) != 0;
  }
};

/// No order at all: whatever is written, nothing is written outside.
template <class Place>
void merge_disorder_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("merge disorder");
  auto const x = draw_many<U>(n, random), y = draw_many<U>(n / 3, random);
  typename Place::template array<U> const in1(x, 1), in2(y, 2), out(n + n / 3, 3);
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": no order";
  auto const law = [&](auto comp) {
    expect(sweep::merge(at.policy, in1.begin(), in1.end(), in2.begin(), in2.end(), out.begin(), comp) ==
               out.end(),
           title);
    expect(out.guards_intact(), title + ", writes the output only");
    expect_equal(in1.read(), x, title + ", reads its input");
  };
  law(by_low_bits{0xff});  // ranges that are not sorted
  law(disagreeing{});
}

}  // namespace sweep_test

#endif
