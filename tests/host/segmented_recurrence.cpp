// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of linear recurrences in segments on seq and host.
#include <support/host_places.hpp>
#include <support/segmented_recurrence_laws.hpp>

#include <sweep/recurrence.hpp>
#include <sweep/small_matrix.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using namespace sweep_test;

TEST_CASE("host recurrences in segments: every notation, both directions") {
  auto const tile = static_cast<std::size_t>(sweep::detail::host_tile_items(9));
  std::vector<std::size_t> sizes{0, 1, 2, 33, 1000, tile + 1};
  if (!sanitizing()) sizes.push_back(7 * tile + 5);
  random_source random("segmented recurrences");
  on_every_host_place([&](auto const& places) {
    on_recurrence_layouts(sizes, places, random, [&](layout_case const& given, auto const& at) {
      auto const how = all_notations[given.turn % 5];
      segmented_recurrence_law(at, how, given, sweep::forward, random);
      segmented_recurrence_law(at, how, given, sweep::backward, random);
      segmented_recurrence_in_place_law(at, how, given, sweep::backward, random);
    });
  });
}

namespace {

/// y[i] = c[0] y[i - 1] + ... + c[K - 1] y[i - K] + x[i] modulo 2^32, whose coefficients differ from item to
/// item, as a recurrence of first order of the last K results: of all items as one, and in segments.
template <int K, class Dir>
void order_law(std::size_t n, random_source& random, Dir dir) {
  using vector = sweep::small_vector<std::uint32_t, K>;
  using matrix = sweep::small_matrix<std::uint32_t, K>;
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  std::vector<matrix> steps(n);
  std::vector<vector> terms(n), results(n);
  std::vector<unsigned char> heads(n);
  for (std::size_t i = 0; i < n; ++i) {
    steps[i] = matrix{};
    for (int k = 0; k < K; ++k) steps[i](0, k) = static_cast<std::uint32_t>(random());
    for (int k = 1; k < K; ++k) steps[i](k, k - 1) = 1;
    terms[i] = vector{};
    terms[i][0] = static_cast<std::uint32_t>(random());
    heads[i] = random() % 50 == 0;
  }
  auto const is_that = [&](bool in_segments) {
    std::vector<std::uint32_t> y(n);
    bool same = true;
    for (std::size_t step = 0; step < n; ++step) {
      auto const i = backward ? n - 1 - step : step;
      y[i] = terms[i][0];
      for (std::size_t k = 0, at = i; k < K; ++k) {
        bool const begins =
            backward ? at + 1 == n || (in_segments && heads[at + 1]) : at == 0 || (in_segments && heads[at]);
        if (begins) break;
        at = backward ? at + 1 : at - 1;
        y[i] += steps[i](0, static_cast<int>(k)) * y[at];
      }
      same = same && results[i][0] == y[i];
    }
    return same;
  };
  auto const title = "order " + std::to_string(K) + (backward ? ", backward, " : ", ") + std::to_string(n);
  for (int const threads : {1, 3}) {
    auto const on = sweep::host.threads(threads);
    sweep::linear_recurrence(on, steps.begin(), terms.begin(), terms.end(), results.begin(), dir);
    expect(is_that(false), title);
    sweep::segmented_linear_recurrence(on, steps.begin(), terms.begin(), terms.end(),
                                       sweep::segments::by_head_flags(heads.begin()), results.begin(), dir);
    expect(is_that(true), title + ", in segments");
  }
}

}  // namespace

TEST_CASE("host recurrences: of orders one to four, by matrices, whole and in segments") {
  random_source random("orders of recurrences");
  for (std::size_t const n : {0, 1, 2, 3, 4, 5, 1000, sanitizing() ? 5000 : 50'000}) {
    order_law<1>(n, random, sweep::forward);
    order_law<2>(n, random, sweep::backward);
    order_law<3>(n, random, sweep::forward);
    order_law<4>(n, random, sweep::backward);
    order_law<4>(n, random, sweep::forward);
  }
}

TEST_CASE("host recurrences in segments: of order two, by matrices, and into another type") {
  using vector2 = sweep::small_vector<double, 2>;
  using matrix2 = sweep::small_matrix<double, 2>;
  std::vector<int> const lengths{5, 0, 1, 4};
  auto const segments = sweep::segments::by_lengths(lengths);
  std::vector<vector2> born(10, vector2{0, 0}), alive(10);
  for (int const head : {0, 5, 6}) born[static_cast<std::size_t>(head)][0] = 1;
  sweep::segmented_linear_recurrence(sweep::host, matrix2{{{1, 1}, {1, 0}}}, born.begin(), born.end(),
                                     segments, alive.begin());
  std::string found;
  for (auto const& month : alive) found += std::to_string(std::lround(month[0])) + " ";
  CHECK(found == "1 1 2 3 5 1 1 1 2 3 ");
  sweep::linear_recurrence(sweep::host, matrix2{{{1, 1}, {1, 0}}}, born.begin(), born.end(), alive.begin());
  CHECK(std::lround(alive[9][0]) == 55 + 5 + 3);  // what was born in months 0, 5 and 6

  std::vector<float> const x{1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<std::complex<double>> y(10);
  sweep::segmented_linear_recurrence(sweep::host, std::complex<double>(0, 1), x.begin(), x.end(), segments,
                                     y.begin(), sweep::backward);
  CHECK(y[9] == std::complex<double>(1, 0));
  CHECK(y[8] == std::complex<double>(1, 1));
  CHECK(y[6] == std::complex<double>(0, 0));
  CHECK(y[5] == std::complex<double>(1, 0));
}
