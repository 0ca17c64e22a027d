// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of histograms on seq and host.
#include <support/histogram_laws.hpp>
#include <support/host_places.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("host histograms: a bin for each key, counted and weighted") {
  on_every_host_place([](auto const& places) {
    key_histogram_laws_of<std::uint8_t, std::int32_t, std::int16_t>("u8", most, places);
    key_histogram_laws_of<std::int32_t, std::uint64_t, std::uint32_t>("i32", most, places);
    key_histogram_laws_of<std::uint64_t, std::uint32_t, std::int64_t>("u64", most, places);
    key_histogram_laws_of<std::uint16_t, std::uint16_t, std::int32_t>("u16, counts of 16 bits", most, places);
  });
}

TEST_CASE("host histograms: equal bins, and bins between edges") {
  on_every_host_place([](auto const& places) { even_and_range_laws(places, few_sizes()); });
}

TEST_CASE("host histograms: floating-point weights, as near as promised") {
  random_source random("histograms, many weights");
  float_histogram_law<double>(place{sweep::host, "host"}, "f64", 2'000'001, 20'000, random);
  on_every_host_place([](auto const& places) {
    for (std::size_t const n : {1, 2, 3, 1000, 1 << 16}) extreme_weight_laws(places.for_turn(n), n);
  });
}

TEST_CASE("host histograms: iterators") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) histogram_iterator_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host histograms: bad input") {
  histogram_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  histogram_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
}

TEST_CASE("host histograms: whole ranges, without a policy") {
  std::vector<int> const x{3, 1, 3, 0, 9};
  std::vector<double> const weights{0.5, 1, 0.25, 2, 8}, edges{0, 2, 4};
  std::vector<int> counts(4);
  std::vector<double> sums(2);
  CHECK(sweep::histogram(x, counts, 4) == counts.end());
  CHECK(counts == std::vector<int>{1, 1, 0, 2});
  CHECK(sweep::histogram_even(sweep::host, x, counts, 2, 0, 4) == counts.begin() + 2);
  CHECK(counts == std::vector<int>{2, 2, 0, 2});
  CHECK(sweep::weighted_histogram_range(x, weights, sums, edges) == sums.end());
  CHECK(sums == std::vector<double>{3, 0.75});
  CHECK(sweep::weighted_histogram(sweep::seq, x.begin(), x.end(), weights, sums, 2) == sums.end());
  CHECK(sums == std::vector<double>{2, 1});
}

TEST_CASE("host histograms: levels of unsigned integers of 64 bits, and levels that these cannot be") {
  std::uint64_t const low = std::uint64_t{1} << 63, high = low + 4000;
  std::vector<std::uint64_t> const x{low - 1,  low,  low + 999,         low + 1000,
                                     high - 1, high, ~std::uint64_t{0}, 0};
  std::vector<int> counts(4);
  sweep::histogram_even(sweep::seq, x.begin(), x.end(), counts.begin(), 4, low, high);
  CHECK(counts == std::vector<int>{2, 1, 0, 1});
  expect_throw<sweep::bad_argument>({"sweep::histogram_even:", "low or high", "outside"}, [&] {
    sweep::histogram_even(sweep::seq, x.begin(), x.end(), counts.begin(), 4, -1, 100);
  });
  std::vector<int> const y{1, 2, 3};
  expect_throw<sweep::bad_argument>({"sweep::histogram_even:", "low or high", "outside"}, [&] {
    sweep::histogram_even(sweep::seq, y.begin(), y.end(), counts.begin(), 4, std::uint64_t{0},
                          ~std::uint64_t{0});
  });
}
