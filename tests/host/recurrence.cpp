// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of linear recurrences on seq and host.
#include <support/host_places.hpp>
#include <support/recurrence_laws.hpp>

#include <cmath>
#include <complex>

using namespace sweep_test;

TEST_CASE("host recurrences: factors of every sort, any array, both directions") {
  int const arrays = sanitizing() ? 12 : slowed_down() ? 50 : 100;
  on_every_host_place([&](auto const& places) {
    using enum given_before;
    recurrence_laws<factors::an_array, nothing>("recurrence, factors", arrays, host_items(300'000), places);
    recurrence_laws<factors::an_array, each>("recurrence, factors, init", arrays, host_items(300'000),
                                             places);
    recurrence_laws<factors::one_value, one>("recurrence, one factor", arrays, host_items(300'000), places);
    recurrence_laws<factors::one_value, each>("recurrence, one factor, inits", arrays, host_items(300'000),
                                              places);
    recurrence_laws<factors::a_line, one>("recurrence, factors a line", arrays, host_items(300'000), places);
  });
}

TEST_CASE("host recurrences: gradients, factors of every sort, any array, both directions") {
  int const arrays = sanitizing() ? 12 : 80;
  on_every_host_place([&](auto const& places) {
    using enum given_before;
    gradient_laws<factors::an_array, nothing>("gradients, factors", arrays, host_items(200'000), places);
    gradient_laws<factors::an_array, each>("gradients, factors, init", arrays, host_items(200'000), places);
    gradient_laws<factors::one_value, one>("gradients, one factor", arrays, host_items(200'000), places);
    gradient_laws<factors::a_line, nothing>("gradients, factors a line", arrays, host_items(200'000), places);
  });
}

TEST_CASE("host recurrences: gradients are the limits of differences") {
  // The loss is the sum of w[i] y[i], so that gy is w: moved by a little in each input, it changes by its
  // gradient times that.
  random_source random("recurrence differences");
  constexpr int n = 40, lines = 3;
  auto const numbers = [&](int count) {
    std::vector<double> x(static_cast<std::size_t>(count));
    for (auto& v : x) v = draw<float>(random) - 0.5;
    return x;
  };
  auto a = numbers(n * lines), x = numbers(n * lines), init = numbers(lines);
  auto const w = numbers(n * lines);
  std::vector<double> y(a.size()), ga(a.size()), gx(a.size());
  auto const view = [](auto& of) { return sweep::strided(of.data(), {n, lines}); };
  auto const loss = [&](auto dir) {
    sweep::linear_recurrence(sweep::host, view(a), view(x), view(y), sweep::along(0),
                             sweep::strided(init.data(), {lines}), dir);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += w[i] * y[i];
    return sum;
  };
  auto const check = [&](auto dir) {
    (void)loss(dir);
    sweep::linear_recurrence_gradient(sweep::host, view(a), view(y), view(w), view(ga), view(gx),
                                      sweep::along(0), sweep::strided(init.data(), {lines}), dir);
    double worst = 0;
    auto const differ = [&](double& of, double gradient) {
      double const was = of, little = 1e-6;
      of = was + little;
      double const more = loss(dir);
      of = was - little;
      double const less = loss(dir);
      of = was;
      worst = std::max(worst, std::abs((more - less) / (2 * little) - gradient));
    };
    auto const of_a = ga, of_x = gx;
    for (std::size_t i = 0; i < a.size(); ++i) {
      differ(a[i], of_a[i]);
      differ(x[i], of_x[i]);
    }
    for (std::size_t line = 0; line < lines; ++line) {
      auto const first = std::is_same_v<decltype(dir), sweep::forward_t> ? line : (n - 1) * lines + line;
      differ(init[line], a[first] * of_x[first]);
    }
    CHECK(worst < 1e-6);
  };
  check(sweep::forward);
  check(sweep::backward);
}

TEST_CASE("host recurrences: factors narrower than terms") {
  on_every_host_place([&](auto const& places) { narrow_factors_laws(places.for_turn(0), 40'000); });
}

TEST_CASE("host recurrences: what is refused") {
  on_every_host_place([](auto const& places) { recurrence_refusal_laws(places.for_turn(1)); });
}

TEST_CASE("host recurrences: ranges, and gradients of ranges") {
  std::vector<int> const a{2, 3, 4}, x{1, 1, 1}, gy{1, 0, 5};
  std::vector<int> y(3), ga(3), gx(3);
  CHECK(sweep::linear_recurrence(sweep::host, a.begin(), x.begin(), x.end(), y.begin(), 1) == y.end());
  CHECK(y == std::vector<int>{3, 10, 41});
  CHECK(sweep::linear_recurrence_gradient(a.data(), y.begin(), gy.begin(), gy.end(), ga.begin(), gx.begin(),
                                          1) == gx.end());
  CHECK(gx == std::vector<int>{61, 20, 5});
  CHECK(ga == std::vector<int>{61, 60, 50});
  sweep::linear_recurrence(2, x.begin(), x.end(), y.begin(), sweep::backward);
  CHECK(y == std::vector<int>{7, 3, 1});
  sweep::linear_recurrence_gradient(sweep::seq, 2, y.begin(), gy.begin(), gy.end(), ga.begin(), gx.begin(),
                                    sweep::backward);
  CHECK(gx == std::vector<int>{1, 2, 9});
  CHECK(ga == std::vector<int>{3, 2, 0});
}

TEST_CASE("host recurrences: complex numbers, in place, no policy") {
  using complex = std::complex<double>;
  std::vector<complex> x(8, 1.0);
  sweep::linear_recurrence(complex(0, 1), sweep::strided(x.data(), {2, 4}), sweep::strided(x.data(), {2, 4}),
                           sweep::along(1));
  std::vector<complex> const line{{1, 0}, {1, 1}, {0, 1}, {0, 0}};
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == line[i % 4]);
}
