// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_COUNT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_COUNT_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/keys.hpp>
#include <support/made_up.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/count.hpp>

#include <algorithm>
#include <string>
#include <vector>

// The laws of counts, for any place.
namespace sweep_test {

/// Some in so many, from all (0) to none (1).
struct one_in {
  std::uint64_t many;
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& x) const {
    return many == 0 || (many > 1 && key_of(x) % many == 0);
  }
};

template <class X, class Place>
void count_law(Place const& at, std::string const& what, std::vector<X> const& x, one_in pred,
               std::size_t offset) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", one in " +
                     std::to_string(pred.many) + ", offset " + std::to_string(offset);
  auto const want = static_cast<std::int64_t>(std::count_if(x.begin(), x.end(), pred));
  typename Place::template array<X> const in(x, offset);
  typename Place::template array<std::int64_t> const out(1, 1);
  expect(sweep::count_if(at.policy, in.begin(), in.end(), pred) == want, title + ": returned");
  expect(sweep::count_if_into(at.policy, in.begin(), in.end(), out.begin(), pred) == out.end(),
         title + ": returns out + 1");
  expect(out.read()[0] == want, title + ": written");
  expect(out.guards_intact(), title + ": writes one item only");
}

template <class X, class Place>
void count_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what + " count");
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    static constexpr std::uint64_t rates[] = {3, 0, 1, 2};
    auto const offset = static_cast<std::size_t>(random.between(0, 5));
    count_law(places.for_turn(turn), what, draw_many<X>(n, random), {rates[turn % 4]}, offset);
    ++turn;
  }
}

/// Values, iterators that are no pointers, and a count of another type.
template <class Place>
void count_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("count forms");
  auto x = draw_many<U>(n, random);
  for (auto& one : x) one %= 5;
  typename Place::template array<U> const in(x, 1);
  typename Place::template array<std::uint16_t> const out(1, 1);
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const want = std::count(x.begin(), x.end(), 3u);
  expect(sweep::count(p, in.begin(), in.end(), 3u) == want, title + "count");
  expect(sweep::count(p, in.begin(), in.end(), std::int64_t{3}) == want, title + "count of another type");
  expect(sweep::count_into(p, in.begin(), in.end(), out.begin(), 3u) == out.end(), title + "count_into");
  expect(out.read()[0] == static_cast<std::uint16_t>(want), title + "count_into of 16 bits");
  auto const half = static_cast<std::ptrdiff_t>(n / 2);
  auto const strides = strided<U*>(in.begin(), 2);
  std::ptrdiff_t every_other = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < n; i += 2) every_other += x[i] == 3 ? 1 : 0;
  expect(sweep::count(p, strides, strides + half, 3u) == every_other, title + "count through strides");
  auto const size = static_cast<std::ptrdiff_t>(n);
  for (std::ptrdiff_t i = 0; i < size; ++i) squares += one_in{3}(made_up{0}[i]) ? 1 : 0;
  expect(sweep::count_if(p, made_up{0}, made_up{size}, one_in{3}) == squares,
         title + "count of made up items");
}

}  // namespace sweep_test

#endif
