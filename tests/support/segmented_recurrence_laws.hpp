// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTED_RECURRENCE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTED_RECURRENCE_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/segment_layouts.hpp>
#include <support/values.hpp>

#include <sweep/segmented_recurrence.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// The law of recurrences in segments, for any place: against a loop, in integers modulo 2^32, whose products
// and sums are exact whatever their brackets.
namespace sweep_test {

/// In one notation and one direction: of factors item by item, and, in place, of one for all.
template <class Place, class How, class Dir>
void segmented_recurrence_law(Place const& at, How how, layout_case const& given, Dir dir,
                              random_source& random) {
  using U = std::uint32_t;
  auto const n = given.n;
  auto const x = draw_many<U>(n, random), factors = draw_many<U>(n, random);
  auto const factor = draw<U>(random);
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  auto const loop = [&](auto factor_of) {
    std::vector<U> y(x);
    for (std::size_t k = 1; k < n; ++k) {
      auto const i = backward ? n - 1 - k : k, before = backward ? i + 1 : i - 1;
      if (!given.heads[backward ? before : i]) y[i] += factor_of(i) * y[before];
    }
    return y;
  };
  auto const title = std::string(at.name) + (backward ? ": backward " : ": forward ") + given.name +
                     ", n = " + std::to_string(n);
  typename Place::template array<U> const in(x, 0), a(factors, 1), out(n, 0);
  with_notation<Place>(how, given.all, 0, [&](char const* name, auto const& segments) {
    auto const words = title + ", by " + name;
    expect(sweep::segmented_linear_recurrence(at.policy, a.begin(), in.begin(), in.end(), segments,
                                              out.begin(), dir) == out.end(),
           words + ": returns the end of the output");
    expect_equal(out.read(), loop([&](std::size_t i) { return factors[i]; }), words);
    expect(out.guards_intact(), words + ": writes its output only");
    typename Place::template array<U> const both(x, 0);
    sweep::segmented_linear_recurrence(at.policy, factor, both.begin(), both.end(), segments, both.begin(),
                                       dir);
    expect_equal(both.read(), loop([&](std::size_t) { return factor; }), words + ", one factor, in place");
  });
}

/// Layouts and notations in turn, over the given sizes.
template <class Place>
void segmented_recurrence_laws(std::vector<std::size_t> const& sizes, Place const& places) {
  random_source random("segmented recurrences");
  for_each_layout(
      sizes, random,
      [&](layout_case const& given) {
        auto const at = places.for_turn(given.turn);
        auto const how = all_notations[given.turn % 5];
        segmented_recurrence_law(at, how, given, sweep::forward, random);
        segmented_recurrence_law(at, how, given, sweep::backward, random);
      },
      [](std::size_t turn, std::size_t n) { return n <= 100'000 || (turn + n) % 4 == 0; });
}

}  // namespace sweep_test

#endif
