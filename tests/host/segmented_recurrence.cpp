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
