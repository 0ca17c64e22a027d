// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEARCH_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SEARCH_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/keys.hpp>
#include <support/made_up.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/equal.hpp>
#include <sweep/is_sorted.hpp>
#include <sweep/search.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

// The laws of searches, for any place.
namespace sweep_test {

using answers = std::vector<std::uint8_t>;

struct is_sought {
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& x) const {
    return key_of(x) % 64 == 13;
  }
};

/// What is said of a range by the index of the first item that is sought, n where there is none.
template <class X, class Place>
void search_law(Place const& at, std::string const& what, std::vector<X> const& x, std::size_t offset) {
  auto const i = std::find_if(x.begin(), x.end(), is_sought{}) - x.begin();
  auto const size = static_cast<std::ptrdiff_t>(x.size());
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(size) + ", offset " +
                     std::to_string(offset) + ", first at " + std::to_string(i);
  typename Place::template array<X> const in(x, offset);
  typename Place::template array<std::int64_t> const index(1, 1);
  typename Place::template array<std::uint8_t> const answer(2, 1);
  auto const& p = at.policy;
  auto const first = in.begin(), last = in.end();
  expect(sweep::find_if(p, first, last, is_sought{}) == first + i, title + ": find_if");
  expect(sweep::find_if_into(p, first, last, index.begin(), is_sought{}) == index.end() &&
             index.read()[0] == i,
         title + ": find_if_into");
  expect(sweep::any_of(p, first, last, is_sought{}) == (i < size), title + ": any_of");
  expect(sweep::any_of_into(p, first, last, answer.begin(), is_sought{}) == answer.begin() + 1 &&
             sweep::none_of_into(p, first, last, answer.begin() + 1, is_sought{}) == answer.end(),
         title + ": returns out + 1");
  expect_equal(answer.read(), answers{i < size, i == size}, title + ": answers written");
  expect(index.guards_intact() && answer.guards_intact(), title + ": writes its results only");
}

/// Nothing is found before `from`.
template <class X>
std::vector<X> sought_from(std::vector<X> x, std::size_t from) {
  X const other{};
  for (std::size_t i = 0; i < std::min(from, x.size()); ++i)
    if (is_sought{}(x[i])) x[i] = other;
  return x;
}

template <class X, class Place>
void search_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what + " search");
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    auto const x = draw_many<X>(n, random);
    auto const offset = static_cast<std::size_t>(random.between(0, 5));
    auto const from = turn % 3 == 0 ? n : static_cast<std::size_t>(random.between(0, static_cast<int>(n)));
    search_law(places.for_turn(turn++), what, sought_from(x, from), offset);
  }
}

/// Ranges that are sorted but for one place, or partitioned but for one.
template <class X, class Place>
void order_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what + " order");
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    auto const at = places.for_turn(turn);
    using here = std::remove_const_t<decltype(at)>;
    auto x = draw_many<X>(n, random);
    std::sort(x.begin(), x.end(), by_key{});
    auto const size = static_cast<std::ptrdiff_t>(n);
    std::ptrdiff_t const breaks = turn % 4 == 0 || n < 2 ? size : random.between(1, static_cast<int>(n) - 1);
    if (breaks < size) std::swap(x[0], x[static_cast<std::size_t>(breaks)]);
    ++turn;
    by_key const comp{};
    auto const until = std::is_sorted_until(x.begin(), x.end(), comp) - x.begin();
    auto const limit = n == 0 ? 0 : key_of(x[n / 2]);
    is_below const pred{limit};
    bool const parted = std::is_partitioned(x.begin(), x.end(), pred);
    auto const offset = static_cast<std::size_t>(random.between(0, 5));
    auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(n) + ", offset " +
                       std::to_string(offset) + ", sorted until " + std::to_string(until);
    typename here::template array<X> const in(x, offset);
    typename here::template array<std::int64_t> const index(1, 1);
    auto const first = in.begin(), last = in.end();
    expect(sweep::is_sorted_until(at.policy, first, last, comp) == first + until, title);
    expect(sweep::is_sorted_until_into(at.policy, first, last, index.begin(), comp) == index.end() &&
               index.read()[0] == until,
           title + ", written");
    expect(sweep::is_sorted(at.policy, first, last, comp) == (until == size), title + ": is_sorted");
    expect(sweep::is_partitioned(at.policy, first, last, pred) == parted, title + ": is_partitioned");
  }
}

/// Values, iterators that are no pointers, two ranges, and the forms that the laws above leave out.
template <class Place>
void search_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("search forms");
  auto x = draw_many<U>(n, random);
  for (auto& one : x) one %= 300;
  auto const size = static_cast<std::ptrdiff_t>(n), half = size / 2;
  typename Place::template array<U> const in(x, 1);
  typename Place::template array<std::int64_t> const index(4, 1);
  typename Place::template array<std::uint8_t> const answer(4, 1);
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const first = in.begin(), last = in.end();
  auto* const i = index.begin();
  auto* const a = answer.begin();
  auto const where = std::find(x.begin(), x.end(), 299u) - x.begin();
  auto const not_sought = std::find_if_not(x.begin(), x.end(), is_sought{}) - x.begin();
  auto const until = std::is_sorted_until(x.begin(), x.end()) - x.begin();
  bool const all = std::all_of(x.begin(), x.end(), is_sought{});
  expect(sweep::find(p, first, last, 299u) == first + where, title + "find");
  expect(sweep::find(p, first, last, std::int64_t{1} << 32) == last, title + "find what cannot be there");
  expect(sweep::find_if_not(p, first, last, is_sought{}) == first + not_sought, title + "find_if_not");
  expect(sweep::all_of(p, first, last, is_sought{}) == all, title + "all_of");
  expect(sweep::none_of(p, first, last, is_sought{}) == std::none_of(x.begin(), x.end(), is_sought{}),
         title + "none_of");
  expect(sweep::is_sorted_until(p, first, last) == first + until, title + "is_sorted_until");
  expect(sweep::is_sorted_until(p, first, last, std::greater<>{}) - first ==
             std::is_sorted_until(x.begin(), x.end(), std::greater<>{}) - x.begin(),
         title + "is_sorted_until by greater");
  auto const strides = strided<U*>(first, 2);
  std::vector<U> every_other;
  for (std::size_t k = 0; k + 1 < n; k += 2) every_other.push_back(x[k]);
  expect(sweep::find(p, strides, strides + half, 299u) - strides ==
             std::find(every_other.begin(), every_other.end(), 299u) - every_other.begin(),
         title + "find through strides");
  expect(sweep::is_sorted_until(p, strides, strides + half) - strides ==
             std::is_sorted_until(every_other.begin(), every_other.end()) - every_other.begin(),
         title + "is_sorted_until through strides");

  // Two ranges, alike until somewhere.
  std::vector<std::int64_t> y(x.begin(), x.end());
  auto const differs = n == 0 ? size : random.between(0, static_cast<int>(n) - 1);
  if (differs < size) y[static_cast<std::size_t>(differs)] += 1000;
  typename Place::template array<std::int64_t> const other(y, 3);
  auto const ends = sweep::mismatch(p, first, last, other.begin());
  expect(ends.first == first + differs && ends.second == other.begin() + differs, title + "mismatch");
  expect(sweep::equal(p, first, last, other.begin()) == (n == 0), title + "equal");
  expect(sweep::equal(p, first, first + differs, other.begin()), title + "equal until there");

  sweep::find_into(p, first, last, i, 299u);
  sweep::find_if_not_into(p, first, last, i + 1, is_sought{});
  sweep::is_sorted_until_into(p, first, last, i + 2);
  sweep::mismatch_into(p, first, last, other.begin(), i + 3);
  expect_equal(index.read(), std::vector<std::int64_t>{where, not_sought, until, differs},
               title + "indices written");
  sweep::all_of_into(p, first, last, a, is_sought{});
  sweep::is_sorted_into(p, first, last, a + 1);
  sweep::is_partitioned_into(p, first, last, a + 2, is_sought{});
  sweep::equal_into(p, first, last, other.begin(), a + 3, std::equal_to<>{});
  expect_equal(answer.read(),
               answers{all, until == size, std::is_partitioned(x.begin(), x.end(), is_sought{}), n == 0},
               title + "answers written");
  expect(index.guards_intact() && answer.guards_intact(), title + "writes its results only");
}

}  // namespace sweep_test

#endif
