// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_RECURRENCE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_RECURRENCE_LAWS_HPP

#include <support/axes_laws.hpp>

#include <sweep/recurrence.hpp>
#include <sweep/segmented_recurrence.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// The laws of linear recurrences, for any place: against loops, in integers modulo 2^32, whose products and
// sums are exact whatever their brackets.
namespace sweep_test {

enum class factors { one_value, a_line, an_array };
using given_init = given_before;

/// Extents without an axis.
inline extents_of_array without_axis(array_shape const& shape) {
  auto cross = shape.extents;
  cross.erase(cross.begin() + shape.axis);
  return cross;
}

/// What a recurrence is given beside its terms, laid out at random, and what each item has of it.
template <factors Which, given_init Given>
struct recurrence_case {
  using U = std::uint32_t;
  array_layout a_layout, init_layout;
  std::vector<U> a, inits, multipliers, befores;  ///< laid out; an item, a line
  U one;

  recurrence_case(array_shape const& shape, array_layout const& of_x, bool dense, random_source& random)
      : one{draw<U>(random)} {
    auto const cross = without_axis(shape);
    bool const same = Which == factors::an_array && random.between(0, 1) == 0;
    a_layout = same ? of_x : draw_layout(Which == factors::a_line ? cross : shape.extents, dense, random);
    init_layout = draw_layout(cross.empty() ? extents_of_array{1} : cross, dense, random);
    a = draw_many<U>(static_cast<std::size_t>(a_layout.size), random);
    inits = draw_many<U>(static_cast<std::size_t>(init_layout.size), random);
    lines_of_items const lines(shape.extents, shape.axis);
    auto const count = static_cast<std::size_t>(of_x.items());
    multipliers.assign(count, one);
    if (Which == factors::an_array) multipliers = items_of(a, a_layout);
    if (Which == factors::a_line && count > 0) {
      auto const of_lines = items_of(a, a_layout);
      for (std::int64_t line = 0; line < lines.lines; ++line)
        for (std::int64_t i = 0; i < lines.length; ++i)
          multipliers[static_cast<std::size_t>(lines.item(line, i))] =
              of_lines[static_cast<std::size_t>(line)];
    }
    befores.assign(static_cast<std::size_t>(lines.lines), Given == given_init::one ? one + 1 : 0u);
    if (Given == given_init::each) befores = items_of(inits, init_layout);
  }

  /// f(factors, init...) for an input of this rank.
  template <int Rank, class Array, class F>
  void with(Array const& a_memory, Array const& init_memory, F f) const {
    auto const with_init = [&](auto const& factor) {
      if constexpr (Given == given_init::nothing) f(factor);
      else if constexpr (Given == given_init::one) f(factor, one + 1);
      else
        with_view(static_cast<U const*>(init_memory.begin()), init_layout, [&](auto view) {
          if constexpr (std::size(decltype(view.extents){}) == (Rank > 1 ? Rank - 1 : 1)) f(factor, view);
        });
    };
    if constexpr (Which == factors::one_value) with_init(one);
    else
      with_view(static_cast<U const*>(a_memory.begin()), a_layout, [&](auto view) {
        if constexpr (std::size(decltype(view.extents){}) == Rank - (Which == factors::a_line))
          with_init(view);
      });
  }
};

template <factors Which, given_init Given, class Place>
void recurrence_law(Place const& at, array_shape const& shape, bool dense, bool backward,
                    random_source& random) {
  using U = std::uint32_t;
  auto const in = draw_layout(shape.extents, dense, random), out = draw_layout(shape.extents, dense, random);
  auto const x = draw_many<U>(static_cast<std::size_t>(in.size), random),
             gaps = draw_many<U>(static_cast<std::size_t>(out.size), random);
  recurrence_case<Which, Given> const given(shape, in, dense, random);
  lines_of_items const lines(shape.extents, shape.axis);
  auto const terms = items_of(x, in);
  std::vector<U> want(terms.size());
  for (std::int64_t line = 0; line < (terms.empty() ? 0 : lines.lines); ++line) {
    U y = given.befores[static_cast<std::size_t>(line)];
    for (std::int64_t i = 0; i < lines.length; ++i) {
      auto const k = static_cast<std::size_t>(lines.item(line, backward ? lines.length - 1 - i : i));
      y = given.multipliers[k] * y + terms[k];
      want[k] = y;
    }
  }
  typename Place::template array<U> const from(x, 1), by(given.a, 2), to(gaps, 3), inits(given.inits, 1);
  with_view(static_cast<U const*>(from.begin()), in, [&](auto x_view) {
    with_view(to.begin(), out, [&](auto y_view) {
      constexpr auto rank = std::size(decltype(x_view.extents){});
      if constexpr (std::size(decltype(y_view.extents){}) == rank)
        given.template with<rank>(by, inits, [&](auto const& a, auto... init) {
          auto const axis = sweep::along(shape.axis);
          if (backward)
            sweep::linear_recurrence(at.policy, a, x_view, y_view, axis, init..., sweep::backward);
          else sweep::linear_recurrence(at.policy, a, x_view, y_view, axis, init...);
        });
    });
  });
  auto const title =
      std::string(at.name) + ": recurrence, " + text_of(shape, in, out) + (backward ? ", backward" : "");
  expect_equal(to.read(), laid_out(gaps, out, want), title);
  expect(to.guards_intact(), title + ": writes nothing else");
}

/// Shapes that factors a line fit: these have one axis at least.
inline array_shape draw_recurrence(factors which, std::int64_t most, random_source& random) {
  for (;;) {
    auto const shape = draw_shape(random.between(0, 9) == 0 ? most : most / 50, random);
    if (which != factors::a_line || shape.extents.size() > 1) return shape;
  }
}

template <factors Which, given_init Given, class Place>
void recurrence_laws(char const* name, int arrays, std::int64_t most, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k)
    recurrence_law<Which, Given>(places.for_turn(static_cast<std::size_t>(k)),
                                 draw_recurrence(Which, most, random), random.between(0, 1) == 0,
                                 random.between(0, 1) == 0, random);
}

/// Gradients, against the loop that goes the other way.
template <factors Which, given_init Given, class Place>
void gradient_law(Place const& at, array_shape const& shape, bool dense, bool backward, bool in_place,
                  random_source& random) {
  using U = std::uint32_t;
  auto const y_layout = draw_layout(shape.extents, dense, random),
             gy_layout = draw_layout(shape.extents, dense, random),
             ga_layout = draw_layout(shape.extents, dense, random),
             gx_layout = in_place ? gy_layout : draw_layout(shape.extents, dense, random);
  auto const of = [&](array_layout const& layout) {
    return draw_many<U>(static_cast<std::size_t>(layout.size), random);
  };
  auto const y = of(y_layout), gy = of(gy_layout), ga_gaps = of(ga_layout),
             gx_gaps = in_place ? gy : of(gx_layout);
  recurrence_case<Which, Given> const given(shape, gy_layout, dense, random);
  auto const results = items_of(y, y_layout), gradients = items_of(gy, gy_layout);
  lines_of_items const lines(shape.extents, shape.axis);
  std::vector<U> gx(results.size()), ga(results.size());
  for (std::int64_t line = 0; line < (results.empty() ? 0 : lines.lines); ++line)
    for (auto i = lines.length; i-- > 0;) {
      auto const item = [&](std::int64_t nth) {
        return static_cast<std::size_t>(lines.item(line, backward ? lines.length - 1 - nth : nth));
      };
      auto const k = item(i);
      gx[k] = gradients[k];
      if (i + 1 < lines.length) gx[k] += given.multipliers[item(i + 1)] * gx[item(i + 1)];
      ga[k] = gx[k] * (i > 0 ? results[item(i - 1)] : given.befores[static_cast<std::size_t>(line)]);
    }
  typename Place::template array<U> const of_y(y, 1), of_gy(gy, in_place ? 0u : 2u), of_a(given.a, 3),
      inits(given.inits), to_a(ga_gaps, 2), other(gx_gaps, 1);
  auto const& to_x = in_place ? of_gy : other;
  with_view(static_cast<U const*>(of_y.begin()), y_layout, [&](auto y_view) {
    constexpr auto rank = std::size(decltype(y_view.extents){});
    auto const with = [&](auto const& layout, auto* memory, auto f) {
      with_view(memory, layout, [&](auto view) {
        if constexpr (std::size(decltype(view.extents){}) == rank) f(view);
      });
    };
    with(gy_layout, static_cast<U const*>(of_gy.begin()), [&](auto gy_view) {
      with(ga_layout, to_a.begin(), [&](auto ga_view) {
        with(gx_layout, to_x.begin(), [&](auto gx_view) {
          given.template with<rank>(of_a, inits, [&](auto const& a, auto... init) {
            auto const axis = sweep::along(shape.axis);
            if (backward)
              sweep::linear_recurrence_gradient(at.policy, a, y_view, gy_view, ga_view, gx_view, axis,
                                                init..., sweep::backward);
            else
              sweep::linear_recurrence_gradient(at.policy, a, y_view, gy_view, ga_view, gx_view, axis,
                                                init...);
          });
        });
      });
    });
  });
  auto const title = std::string(at.name) + ": gradient, " + text_of(shape, gy_layout, gx_layout) +
                     (backward ? ", backward" : "") + (in_place ? ", in place" : "");
  expect_equal(to_x.read(), laid_out(gx_gaps, gx_layout, gx), title + ", of terms");
  expect_equal(to_a.read(), laid_out(ga_gaps, ga_layout, ga), title + ", of factors");
  expect(to_x.guards_intact() && to_a.guards_intact(), title + ": writes nothing else");
}

template <factors Which, given_init Given, class Place>
void gradient_laws(char const* name, int arrays, std::int64_t most, Place const& places) {
  random_source random(name);
  for (int k = 0; k < arrays; ++k)
    gradient_law<Which, Given>(places.for_turn(static_cast<std::size_t>(k)),
                               draw_recurrence(Which, most, random), random.between(0, 1) == 0,
                               random.between(0, 1) == 0, random.between(0, 3) == 0, random);
}

/// Factors of a type narrower than the terms': products of many lose nothing, wherever a line is cut, though
/// they do not fit the factors' type.
template <class A, class T, class Place>
void narrow_factors_law(char const* name, Place const& at, std::vector<A> const& a, T init,
                        double tolerance) {
  using wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  random_source random(name);
  auto const n = static_cast<std::int64_t>(a.size());
  std::vector<T> x(a.size());
  for (auto& term : x) term = static_cast<T>(random.between(1, 200));
  typename Place::template array<A> const factors(a, 1);
  typename Place::template array<T> const terms(x, 1), along(a.size()), segmented(a.size()), by_one(a.size());
  auto const loop = [&](auto factor_of) {
    std::vector<T> want(a.size());
    T y = init;
    for (std::size_t i = 0; i < a.size(); ++i)
      want[i] = y =
          static_cast<T>(static_cast<wide>(factor_of(i)) * static_cast<wide>(y) + static_cast<wide>(x[i]));
    return want;
  };
  auto const check = [&](std::vector<T> const& got, std::vector<T> const& want, char const* what) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      wrong += got[i] != want[i] && !(std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])) <=
                                      tolerance * std::abs(static_cast<double>(want[i])));
    expect(wrong == 0,
           std::string(at.name) + ": " + name + what + ": " + std::to_string(wrong) + " are wrong");
  };
  sweep::linear_recurrence(at.policy, factors.begin(), terms.begin(), terms.begin() + n, along.begin(), init);
  check(along.read(), loop([&](std::size_t i) { return a[i]; }), ", an array");
  sweep::linear_recurrence(at.policy, a[0], terms.begin(), terms.begin() + n, by_one.begin(), init);
  check(by_one.read(), loop([&](std::size_t) { return a[0]; }), ", one value");
  typename Place::template array<std::int64_t> const lengths(std::vector<std::int64_t>{n}, 1);
  init = T{};
  sweep::segmented_linear_recurrence(at.policy, factors.begin(), terms.begin(), terms.begin() + n,
                                     sweep::segments::by_lengths(lengths.begin(), lengths.begin() + 1),
                                     segmented.begin());
  check(segmented.read(), loop([&](std::size_t i) { return a[i]; }), ", of a segment");
}
template <class Place>
void byte_factors_law(Place const& at, std::size_t n) {
  random_source random("byte factors");
  std::vector<std::uint8_t> bytes(n);
  for (auto& factor : bytes) factor = static_cast<std::uint8_t>(random.between(0, 255) | 1);
  narrow_factors_law<std::uint8_t, std::uint64_t>("u8 by u64", at, bytes, 3, 0);
}
template <class Place>
void narrow_factors_laws(Place const& at, std::size_t n) {
  random_source random("narrow factors");
  std::vector<std::int8_t> with_sign(n);
  std::vector<float> floats(n);
  for (std::size_t i = 0; i < n; ++i) {
    with_sign[i] = static_cast<std::int8_t>(random.between(-60, 60) * 2 + 1);
    floats[i] = static_cast<float>(1 - 1. / random.between(2'000, 9'000));
  }
  byte_factors_law(at, n);
  narrow_factors_law<std::int8_t, std::uint16_t>("i8 by u16", at, with_sign, 3, 0);
  narrow_factors_law<float, double>("f32 by f64", at, floats, 3, 1e-12);
  narrow_factors_law<int, double>("i32 by f64", at, std::vector<int>(std::min<std::size_t>(n, 900), -2), 3,
                                  1e-11);
}

template <class Place>
void recurrence_refusal_laws(Place const& at) {
  using U = std::uint32_t;
  typename Place::template array<U> const a(std::vector<U>(12, 2)), x(std::vector<U>(12, 1)), y(12), z(12);
  auto const items = sweep::strided(static_cast<U const*>(x.begin()), {3, 4});
  auto const out = sweep::strided(y.begin(), {3, 4});
  U const* const factor = a.begin();
  expect_throw<sweep::bad_argument>({"a", "extent of 2"}, [&] {
    sweep::linear_recurrence(at.policy, sweep::strided(factor, {2, 4}), items, out, sweep::along(1));
  });
  expect_throw<sweep::bad_argument>({"a", "null pointer"}, [&] {
    sweep::linear_recurrence(at.policy, sweep::strided(static_cast<U const*>(nullptr), {3, 4}), items, out,
                             sweep::along(1));
  });
  expect_throw<sweep::bad_argument>({"linear_recurrence", "a", "extent of 4", "3"}, [&] {
    sweep::linear_recurrence(at.policy, sweep::strided(factor, {4}), items, out, sweep::along(1));
  });
  expect_throw<sweep::bad_argument>({"init", "extent of 2"}, [&] {
    sweep::linear_recurrence(at.policy, 2u, items, out, sweep::along(1), sweep::strided(factor, {2}));
  });
  expect_throw<sweep::bad_argument>(
      {"axis", "is 2"}, [&] { sweep::linear_recurrence(at.policy, 2u, items, out, sweep::along(2)); });
  auto const gradient = [&](auto ga, auto gx, auto gy) {
    sweep::linear_recurrence_gradient(at.policy, sweep::strided(factor, {3, 4}), items, gy, ga, gx,
                                      sweep::along(1));
  };
  auto const more = sweep::strided(z.begin(), {3, 4});
  expect_throw<sweep::bad_argument>({"linear_recurrence_gradient", "ga", "gx"},
                                    [&] { gradient(out, out, items); });
  expect_throw<sweep::bad_argument>({"gx", "begins where y"}, [&] {
    gradient(out, sweep::strided(const_cast<U*>(x.begin()), {3, 4}), items);
  });
  expect_throw<sweep::bad_argument>({"ga", "same places"}, [&] {
    gradient(sweep::strided(y.begin(), {3, 4}, {4, 0}), more, items);
  });
  expect_throw<sweep::bad_argument>({"gy", "null pointer"}, [&] {
    gradient(out, more, sweep::strided(static_cast<U const*>(nullptr), {3, 4}));
  });
  expect_throw<sweep::bad_argument>({"gx", "extent of 4"}, [&] {
    gradient(out, sweep::strided(z.begin(), {4, 3}), items);
  });
  expect(z.all_untouched(), std::string(at.name) + ": a refused gradient writes nothing");
  expect(y.all_untouched(), std::string(at.name) + ": a refused recurrence writes nothing");
}

}  // namespace sweep_test

#endif
