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

/// What the loop makes of a range.
template <class Dir, class FactorOf>
std::vector<std::uint32_t> recurrence_by_loop(std::vector<std::uint32_t> y, head_list const& heads, Dir,
                                              FactorOf factor_of) {
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  for (std::size_t k = 1; k < y.size(); ++k) {
    auto const i = backward ? y.size() - 1 - k : k, before = backward ? i + 1 : i - 1;
    if (!heads[backward ? before : i]) y[i] += factor_of(i) * y[before];
  }
  return y;
}
template <class Place, class Dir>
std::string recurrence_title(Place const& at, layout_case const& given, Dir) {
  return std::string(at.name) + (std::is_same_v<Dir, sweep::backward_t> ? ": backward " : ": forward ") +
         given.name + ", n = " + std::to_string(given.n);
}

/// In one notation and one direction: of factors item by item.
template <class Place, class How, class Dir>
void segmented_recurrence_law(Place const& at, How how, layout_case const& given, Dir dir,
                              random_source& random) {
  using U = std::uint32_t;
  auto const x = draw_many<U>(given.n, random), factors = draw_many<U>(given.n, random);
  typename Place::template array<U> const in(x, 0), a(factors, 1), out(given.n, 0);
  with_notation<Place>(how, given.all, 0, [&](char const* name, auto const& segments) {
    auto const words = recurrence_title(at, given, dir) + ", by " + name;
    expect(sweep::segmented_linear_recurrence(at.policy, a.begin(), in.begin(), in.end(), segments,
                                              out.begin(), dir) == out.end(),
           words + ": returns the end of the output");
    expect_equal(out.read(),
                 recurrence_by_loop(x, given.heads, dir, [&](std::size_t i) { return factors[i]; }), words);
    expect(out.guards_intact(), words + ": writes its output only");
  });
}
/// The same of one factor for all, in place.
template <class Place, class How, class Dir>
void segmented_recurrence_in_place_law(Place const& at, How how, layout_case const& given, Dir dir,
                                       random_source& random) {
  using U = std::uint32_t;
  auto const x = draw_many<U>(given.n, random);
  auto const factor = draw<U>(random);
  typename Place::template array<U> const both(x, 0);
  with_notation<Place>(how, given.all, 0, [&](char const* name, auto const& segments) {
    sweep::segmented_linear_recurrence(at.policy, factor, both.begin(), both.end(), segments, both.begin(),
                                       dir);
    expect_equal(both.read(), recurrence_by_loop(x, given.heads, dir, [&](std::size_t) { return factor; }),
                 recurrence_title(at, given, dir) + ", by " + name + ", one factor, in place");
  });
}

/// law(case, place) over layouts of the given sizes.
template <class Place, class Law>
void on_recurrence_layouts(std::vector<std::size_t> const& sizes, Place const& places, random_source& random,
                           Law law) {
  for_each_layout(
      sizes, random, [&](layout_case const& given) { law(given, places.for_turn(given.turn)); },
      [](std::size_t turn, std::size_t n) { return n <= 100'000 || (turn + n) % 4 == 0; });
}

}  // namespace sweep_test

#endif
