// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_EXTREMA_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_EXTREMA_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/keys.hpp>
#include <support/made_up.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/extrema.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

// The laws of extrema, for any place.
namespace sweep_test {

template <class X, class Comp, class Place>
void extrema_law(Place const& at, std::string const& what, std::vector<X> const& x, Comp comp,
                 std::size_t offset) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", offset " +
                     std::to_string(offset);
  auto const least = std::min_element(x.begin(), x.end(), comp) - x.begin();
  auto const greatest = std::max_element(x.begin(), x.end(), comp) - x.begin();
  typename Place::template array<X> const in(x, offset);
  typename Place::template array<std::int64_t> const out(4, 1);
  auto const& p = at.policy;
  auto const first = in.begin(), last = in.end();
  auto* const to = out.begin();
  expect(sweep::min_element(p, first, last, comp) == first + least, title + ": min_element");
  expect(sweep::max_element(p, first, last, comp) == first + greatest, title + ": max_element");
  auto const both = sweep::minmax_element(p, first, last, comp);
  expect(both.first == first + least, title + ": minmax_element, the least");
  expect(both.second == first + greatest, title + ": minmax_element, the greatest");
  expect(sweep::min_element_into(p, first, last, to, comp) == to + 1 &&
             sweep::max_element_into(p, first, last, to + 1, comp) == to + 2 &&
             sweep::minmax_element_into(p, first, last, to + 2, comp) == to + 4,
         title + ": returns the end of what is written");
  expect_equal(out.read(), std::vector<std::int64_t>{least, greatest, least, greatest}, title + ": written");
  expect(out.guards_intact(), title + ": writes the indices only");
}

template <class X, class Place>
void extrema_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what + " extrema");
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    static constexpr std::uint64_t masks[] = {~std::uint64_t{0}, 7, 255, 0};
    auto const offset = static_cast<std::size_t>(random.between(0, 5));
    extrema_law(places.for_turn(turn), what, draw_many<X>(n, random), by_low_bits{masks[turn % 4]}, offset);
    ++turn;
  }
}

/// The default order, functors of the standard, iterators that are no pointers, and indices of another type.
template <class Place>
void extrema_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("extrema forms");
  auto x = draw_many<U>(n, random);
  for (auto& one : x) one %= 1000;
  typename Place::template array<U> const in(x, 1);
  typename Place::template array<int> const out(1, 1);
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const first = in.begin(), last = in.end();
  auto const least = std::min_element(x.begin(), x.end()) - x.begin();
  auto const greatest = std::max_element(x.begin(), x.end()) - x.begin();
  expect(sweep::min_element(p, first, last) == first + least, title + "min_element");
  expect(sweep::min_element(p, first, last, std::greater<>{}) == first + greatest, title + "by greater<>");
  expect(sweep::max_element(p, first, last, std::greater<U>{}) == first + least, title + "by greater<U>");
  sweep::max_element_into(p, first, last, out.begin());
  expect(out.read()[0] == static_cast<int>(greatest), title + "an int as index");
  auto const strides = strided<U*>(in.begin(), 2);
  auto const half = static_cast<std::ptrdiff_t>(n / 2);
  std::ptrdiff_t want = half == 0 ? 0 : -1;
  for (std::ptrdiff_t i = 0; i < half; ++i)
    if (want < 0 || x[static_cast<std::size_t>(2 * i)] < x[static_cast<std::size_t>(2 * want)]) want = i;
  expect(sweep::min_element(p, strides, strides + half) - strides == want, title + "through strides");
  using reverse = std::reverse_iterator<U*>;
  auto const behind = std::max_element(x.rbegin(), x.rend()) - x.rbegin();
  expect(sweep::max_element(p, reverse(last), reverse(first)) - reverse(last) == behind,
         title + "through reverse iterators");
}

}  // namespace sweep_test

#endif
