// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_RECURRENCE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_RECURRENCE_LAWS_HPP

#include <support/axes_laws.hpp>

#include <sweep/recurrence.hpp>

// The laws of linear recurrences, for any place: against loops, in integers modulo 2^32, whose products and
// sums are exact whatever their brackets.
namespace sweep_test {

enum class factors { one_value, an_array };

template <factors Which, bool HasInit, class Place>
void recurrence_law(Place const& at, array_shape const& shape, bool dense, bool backward,
                    random_source& random) {
  using U = std::uint32_t;
  auto const in = draw_layout(shape.extents, dense, random), out = draw_layout(shape.extents, dense, random);
  auto const x = draw_many<U>(static_cast<std::size_t>(in.size), random),
             a = draw_many<U>(static_cast<std::size_t>(in.size), random),
             gaps = draw_many<U>(static_cast<std::size_t>(out.size), random);
  auto const one = draw<U>(random), init = draw<U>(random);
  lines_of_items const lines(shape.extents, shape.axis);
  auto const terms = items_of(x, in), multipliers = items_of(a, in);
  std::vector<U> want(terms.size());
  for (std::int64_t line = 0; line < (terms.empty() ? 0 : lines.lines); ++line) {
    U y = HasInit ? init : 0;
    for (std::int64_t i = 0; i < lines.length; ++i) {
      auto const k = static_cast<std::size_t>(lines.item(line, backward ? lines.length - 1 - i : i));
      y = (Which == factors::one_value ? one : multipliers[k]) * y + terms[k];
      want[k] = y;
    }
  }
  typename Place::template array<U> const from(x, 1), by(a, 2), to(gaps, 3);
  with_view(static_cast<U const*>(from.begin()), in, [&](auto x_view) {
    with_view(static_cast<U const*>(by.begin()), in, [&](auto a_view) {
      with_view(to.begin(), out, [&](auto y_view) {
        constexpr auto rank = std::size(decltype(x_view.extents){});
        if constexpr (std::size(decltype(a_view.extents){}) == rank &&
                      std::size(decltype(y_view.extents){}) == rank) {
          auto const call = [&](auto const& factor, auto... rest) {
            auto const axis = sweep::along(shape.axis);
            if constexpr (HasInit)
              sweep::linear_recurrence(at.policy, factor, x_view, y_view, axis, init, rest...);
            else sweep::linear_recurrence(at.policy, factor, x_view, y_view, axis, rest...);
          };
          auto const with = [&](auto const& factor) {
            if (backward) call(factor, sweep::backward);
            else call(factor);
          };
          if constexpr (Which == factors::one_value) with(one);
          else with(a_view);
        }
      });
    });
  });
  auto const title =
      std::string(at.name) + ": recurrence, " + text_of(shape, in, out) + (backward ? ", backward" : "");
  expect_equal(to.read(), laid_out(gaps, out, want), title);
  expect(to.guards_intact(), title + ": writes nothing else");
}

template <factors Which, bool HasInit, class Place>
void recurrence_laws(char const* name, int arrays, std::int64_t most, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k)
    recurrence_law<Which, HasInit>(places.for_turn(static_cast<std::size_t>(k)),
                                   draw_shape(random.between(0, 9) == 0 ? most : most / 50, random),
                                   random.between(0, 1) == 0, random.between(0, 1) == 0, random);
}

template <class Place>
void recurrence_refusal_laws(Place const& at) {
  using U = std::uint32_t;
  typename Place::template array<U> const a(std::vector<U>(12, 2)), x(std::vector<U>(12, 1)), y(12);
  auto const items = sweep::strided(static_cast<U const*>(x.begin()), {3, 4});
  auto const out = sweep::strided(y.begin(), {3, 4});
  U const* const factor = a.begin();
  expect_throw<sweep::bad_argument>({"linear_recurrence", "a", "stride of 1", "4"}, [&] {
    sweep::linear_recurrence(at.policy, sweep::strided(factor, {3, 4}, {1, 3}), items, out, sweep::along(1));
  });
  expect_throw<sweep::bad_argument>({"a", "extent of 2"}, [&] {
    sweep::linear_recurrence(at.policy, sweep::strided(factor, {2, 4}), items, out, sweep::along(1));
  });
  expect_throw<sweep::bad_argument>({"a", "null pointer"}, [&] {
    sweep::linear_recurrence(at.policy, sweep::strided(static_cast<U const*>(nullptr), {3, 4}), items, out,
                             sweep::along(1));
  });
  expect(y.all_untouched(), std::string(at.name) + ": a refused recurrence writes nothing");
}

}  // namespace sweep_test

#endif
