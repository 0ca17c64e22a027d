// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of histograms on seq and host.
#include <support/histogram_laws.hpp>
#include <support/host_places.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(100'000);
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
  float_histogram_law<double>(place{sweep::host, "host"}, "f64",
                              static_cast<std::size_t>(host_items(2'000'001)), 20'000, random);
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

namespace {

/// A guide leads to the bins that a plain search finds.
template <class X, class Edge>
void guide_law(std::string const& what, std::vector<Edge> edges, std::vector<X> const& items) {
  using C = std::common_type_t<X, Edge>;
  std::sort(edges.begin(), edges.end());
  auto const count = static_cast<std::uint32_t>(edges.size());
  auto const plain = sweep::detail::bins_between(edges.data(), count);
  for (std::uint32_t const cells : {1, 2, 64, 1024}) {
    std::vector<std::uint16_t> guide(cells + 1, 0xffff);
    auto const guided =
        sweep::detail::guided_edge_bins<C, Edge>::between(edges.data(), count, cells, guide.data());
    for (std::uint32_t i = 0; i <= count; ++i)
      guided.fill_guide(i, [&](std::uint32_t cell, std::uint32_t before) {
        guide[cell] = static_cast<std::uint16_t>(before);
      });
    for (auto const& x : items)
      expect(guided.bin_of(x) == plain.bin_of(x), what + ", " + std::to_string(count) + " edges, " +
                                                      std::to_string(cells) + " cells: item " +
                                                      std::to_string(x));
  }
}
template <class X, class Edge>
void guide_laws(std::string const& what, std::vector<Edge> const& extreme) {
  random_source random("guides " + what);
  for (std::size_t const count : {2, 3, 10, 500}) {
    auto edges = draw_many<Edge>(count, random);
    for (std::size_t e = 0; e + 1 < count; e += 3) edges[e + 1] = edges[e];  // empty bins
    auto items = draw_many<X>(1000, random);
    for (auto const edge : edges) items.push_back(static_cast<X>(edge));
    guide_law(what, edges, items);
    for (std::size_t e = 0; e < std::min(count, extreme.size()); ++e) edges[e] = extreme[e];
    for (auto const edge : extreme) items.push_back(static_cast<X>(edge));
    guide_law(what + ", extremes", edges, items);
  }
}

}  // namespace

TEST_CASE("histograms: a guide to edges leads where a plain search does") {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  guide_laws<std::int32_t, std::int32_t>(
      "i32", {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()});
  guide_laws<std::uint64_t, std::uint64_t>("u64", {0, ~std::uint64_t{0}});
  guide_laws<std::int8_t, std::int8_t>("i8", {-128, 127});
  guide_laws<float, float>("f32", {0.0f, 1e-45f});
  guide_laws<float, float>("f32, large", {-3e38f, 3e38f});
  guide_laws<double, double>("f64", {-1e300, 1e-300});
  guide_laws<std::int32_t, float>("i32 between f32", {-2.5f, 1e9f});
  guide_law<float, float>("f32, infinite", {-infinity, 0.0f, 1.0f, infinity},
                          {-infinity, -1.0f, 0.5f, 3e38f, infinity, std::numeric_limits<float>::quiet_NaN()});
  guide_law<float, float>("f32, one value", {2.0f, 2.0f, 2.0f}, {1.0f, 2.0f, 3.0f});
}

TEST_CASE("histograms: equal bins of short ranges are exact for every item") {
  random_source random("short ranges");
  for (std::int64_t const range : {1, 2, 3, 255, 256, 300, 54'321, 65'535, 65'536, 65'537})
    for (std::int64_t const count : {1, 2, 7, 256, 54'323, 65'535, 65'536, 1'000'003}) {
      auto const low = random.between(-2'000, 2'000);
      sweep::detail::even_integer_bins<std::int64_t> const bins(low, low + range,
                                                                static_cast<std::uint32_t>(count));
      std::int64_t wrong = 0;
      for (std::int64_t d = -1; d <= range; ++d) {
        std::int32_t const x[1] = {static_cast<std::int32_t>(low + d)};
        std::uint32_t bin[1];
        bins.bins_of(x, bin);
        wrong += bin[0] != (d < 0 || d == range ? sweep::detail::no_bin
                                                : static_cast<std::uint32_t>(d * count / range));
      }
      CHECK_MESSAGE(wrong == 0, count << " bins of " << range);
    }
}
