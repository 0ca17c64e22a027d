// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_HISTOGRAM_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_HISTOGRAM_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

// The laws of histograms, for any place.
namespace sweep_test {

/// How often keys come.
enum class spread { uniform, one, two, skewed };
inline constexpr spread all_spreads[] = {spread::uniform, spread::one, spread::two, spread::skewed};

template <class K>
std::vector<K> draw_keys(std::size_t n, std::int64_t keys, spread how, random_source& random) {
  std::vector<K> all(n);
  auto const a = random.between(0, keys - 1), b = random.between(0, keys - 1);
  for (auto& k : all) {
    auto const any = random.between(0, keys - 1);
    auto const small = static_cast<double>(random() >> 11) * 0x1p-53;
    k = static_cast<K>(
        how == spread::uniform ? any
        : how == spread::one   ? a
        : how == spread::two
            ? (any % 2 == 0 ? a : b)
            : static_cast<std::int64_t>(std::exp(std::log(static_cast<double>(keys)) * small)) - 1);
  }
  return all;
}

/// Sums of what `add(i)` gives, by the bin that `bin_of(x[i])` gives, if any.
template <class C, class X, class BinOf, class Add>
std::vector<C> histogram_oracle(std::vector<X> const& x, std::int64_t bins, BinOf bin_of, Add add) {
  std::vector<C> counts(static_cast<std::size_t>(bins), C{0});
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const bin = bin_of(x[i]);
    if (bin >= 0 && bin < bins) {
      auto& to = counts[static_cast<std::size_t>(bin)];
      to = static_cast<C>(to + static_cast<C>(add(i)));
    }
  }
  return counts;
}

/// A bin for each key, counted and weighted; some keys have no bin.
template <class K, class C, class W, class Place>
void key_histogram_law(Place const& at, std::string const& what, std::vector<K> const& x, std::int64_t bins,
                       std::size_t offset, random_source& random) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", bins " +
                     std::to_string(bins) + ", offset " + std::to_string(offset);
  auto const own = [](K k) { return static_cast<std::int64_t>(k); };
  auto const weights = draw_many<W>(x.size(), random);
  typename Place::template array<K> const in(x, offset);
  typename Place::template array<W> const by(weights, offset);
  typename Place::template array<C> const counts(static_cast<std::size_t>(bins), offset),
      sums(static_cast<std::size_t>(bins));
  expect(sweep::histogram(at.policy, in.begin(), in.end(), counts.begin(), bins) == counts.end(),
         title + ": returns the end of the counts");
  expect_equal(counts.read(), histogram_oracle<C>(x, bins, own, [](std::size_t) { return 1; }), title);
  expect(sweep::weighted_histogram(at.policy, in.begin(), in.end(), by.begin(), sums.begin(), bins) ==
             sums.end(),
         title + ": weighted, returns the end of the sums");
  expect_equal(sums.read(), histogram_oracle<C>(x, bins, own, [&](std::size_t i) { return weights[i]; }),
               title + ", weighted");
  expect_equal(in.read(), x, title + ", the input");
  expect(counts.guards_intact() && sums.guards_intact(), title + ": writes the output only");
}

template <class K, class C, class W, class Place>
void key_histogram_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what);
  std::size_t turn = 0;
  auto const widest =
      static_cast<std::int64_t>(std::min<std::uint64_t>(std::numeric_limits<K>::max(), 200'000));
  for (auto const n : edge_sizes(sizeof(K), most, random)) {
    std::int64_t const all_bins[] = {1, 2, 37, 256, 4096, 40'000, 70'000, 150'000};
    auto const bins = std::min(all_bins[turn % 8], widest);
    auto const keys = std::min(widest, bins + random.between(0, 3));
    auto const x = draw_keys<K>(n, keys, all_spreads[turn % 4], random);
    key_histogram_law<K, C, W>(places.for_turn(turn++), what, x, bins,
                               static_cast<std::size_t>(random.between(0, 5)), random);
  }
}

/// Equal bins of integers, exactly.
template <class X, class Place>
void even_integer_law(Place const& at, std::string const& what, std::size_t n, std::int64_t bins,
                      std::int64_t low, std::int64_t high, random_source& random) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(n) + ", " +
                     std::to_string(bins) + " bins of [" + std::to_string(low) + ", " + std::to_string(high) +
                     ")";
  std::vector<X> x(n);
  auto const from = std::max<std::int64_t>(low - 2, std::numeric_limits<X>::min()),
             to = std::min<std::int64_t>(high + 2, std::numeric_limits<X>::max());
  for (auto& one : x) one = static_cast<X>(random.between(from, to));
  auto const bin_of = [&](X item) {
    auto const v = static_cast<std::int64_t>(item);
    if (v < low || v >= high) return std::int64_t{-1};
    __extension__ using wide = __int128;
    return static_cast<std::int64_t>(static_cast<wide>(v - low) * bins / (high - low));
  };
  typename Place::template array<X> const in(x, 1);
  typename Place::template array<std::uint32_t> const counts(static_cast<std::size_t>(bins));
  sweep::histogram_even(at.policy, in.begin(), in.end(), counts.begin(), bins, low, high);
  auto const want = histogram_oracle<std::uint32_t>(x, bins, bin_of, [](std::size_t) { return 1; });
  expect_equal(counts.read(), want, title);
  if constexpr (sizeof(X) == 1) {
    if (high > std::numeric_limits<X>::max()) return;
    sweep::histogram_even(at.policy, in.begin(), in.end(), counts.begin(), bins, static_cast<X>(low),
                          static_cast<X>(high));
    expect_equal(counts.read(), want, title + ", of the items' type");
  }
}

/// What floating-point weights are promised to be rounded to multiples of.
inline double weight_unit(std::vector<double> const& weights) {
  double most = 0;
  for (auto const w : weights) most = std::max(most, std::abs(w));
  int exponent = 0, bits = 0;
  (void)std::frexp(most, &exponent);
  while (std::size_t{1} << bits < weights.size()) ++bits;
  return std::ldexp(1.0, std::max(exponent - 125 + 2 * bits, -1023));
}

/// Floating-point items: equal bins as promised, and between edges, some of them equal.
template <class X, class Place>
void float_histogram_law(Place const& at, std::string const& what, std::size_t n, std::int64_t bins,
                         random_source& random) {
  auto const title =
      std::string(at.name) + ": " + what + ", n = " + std::to_string(n) + ", bins " + std::to_string(bins);
  X const low = static_cast<X>(-0.25), high = static_cast<X>(0.7);
  std::vector<X> x(n), edges(static_cast<std::size_t>(bins + 1));
  for (auto& one : x) one = static_cast<X>(1.5 * draw<double>(random) - 0.5);
  for (auto& one : edges) one = static_cast<X>(1.2 * draw<double>(random) - 0.4);
  std::sort(edges.begin(), edges.end());
  if (bins > 4) edges[3] = edges[2];
  if (n > 5) {
    x[0] = low, x[1] = high, x[2] = std::nextafter(high, X{0}), x[3] = edges[0], x[4] = edges.back();
    x[5] = std::numeric_limits<X>::quiet_NaN();
  }
  X const scale = static_cast<X>(bins) / (high - low);
  auto const even = [&](X v) {
    if (!(v >= low && v < high)) return std::int64_t{-1};
    return std::min(static_cast<std::int64_t>((v - low) * scale), bins - 1);
  };
  auto const between = [&](X v) {
    if (!(v >= edges.front() && v < edges.back())) return std::int64_t{-1};
    return static_cast<std::int64_t>(std::upper_bound(edges.begin(), edges.end(), v) - edges.begin()) - 1;
  };
  auto const one = [](std::size_t) { return 1; };
  auto const size = static_cast<std::size_t>(bins);
  typename Place::template array<X> const in(x, 3), edge_items(edges, 1);
  typename Place::template array<std::int64_t> const counts(size);
  typename Place::template array<double> const as_doubles(size);
  sweep::histogram_even(at.policy, in.begin(), in.end(), counts.begin(), bins, low, high);
  expect_equal(counts.read(), histogram_oracle<std::int64_t>(x, bins, even, one), title + ", even");
  expect(sweep::histogram_range(at.policy, in.begin(), in.end(), as_doubles.begin(), edge_items.begin(),
                                edge_items.end()) == as_doubles.end(),
         title + ", range: returns the end of the counts");
  expect_equal(as_doubles.read(), histogram_oracle<double>(x, bins, between, one),
               title + ", range, as doubles");
  expect(counts.guards_intact() && as_doubles.guards_intact(), title + ": writes the output only");

  // Floating-point weights, most of them far below the largest: as near as a double is and as the rounding of
  // each weight allows, and the same bits everywhere.
  std::vector<double> weights(n);
  for (auto& w : weights)
    w = std::ldexp(draw<double>(random) - 0.5, static_cast<int>(random.between(-20, 0)));
  if (n > 7) weights[7] = 1e6;
  auto const unit = weight_unit(weights);
  std::vector<double> allowed(size, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    if (auto const bin = between(x[i]); bin >= 0)
      allowed[static_cast<std::size_t>(bin)] += 0x1p-51 * std::abs(weights[i]) + unit / 2;
  auto const want =
      histogram_oracle<long double>(x, bins, between, [&](std::size_t i) { return weights[i]; });
  typename Place::template array<double> const by(weights), sums(size);
  sweep::weighted_histogram_range(at.policy, in.begin(), in.end(), by.begin(), sums.begin(),
                                  edge_items.begin(), edge_items.end());
  auto const got = sums.read();
  std::size_t off = 0;
  for (std::size_t b = 0; b < size; ++b)
    if (std::abs(static_cast<double>(static_cast<long double>(got[b]) - want[b])) > allowed[b]) ++off;
  expect(off == 0, title + ", weighted: " + std::to_string(off) + " sums are off");
  std::vector<double> same(size);
  sweep::weighted_histogram_range(sweep::seq, x.begin(), x.end(), weights.begin(), same.begin(),
                                  edges.begin(), edges.end());
  expect_equal(got, same, title + ", weighted: the same bits as on seq");
}

template <class Place>
void even_and_range_laws(Place const& places, std::vector<std::size_t> const& sizes) {
  random_source random("even and range");
  std::size_t turn = 0;
  for (auto const n : sizes) {
    auto const at = places.for_turn(turn++);
    even_integer_law<std::uint8_t>(at, "u8", n, 256, 0, 256, random);
    even_integer_law<std::uint8_t>(at, "u8", n, 7, 10, 201, random);
    even_integer_law<std::uint8_t>(at, "u8, more bins than numbers", n, 1000, 3, 250, random);
    even_integer_law<std::int16_t>(at, "i16", n, 1000, -300, 250, random);
    even_integer_law<std::int16_t>(at, "i16, all of them", n, 4'099, -32'768, 32'768, random);
    even_integer_law<std::int32_t>(at, "i32", n, 4099, -2'000'000'000, 2'000'000'001, random);
    even_integer_law<std::int64_t>(at, "i64", n, 12'345, -4'000'000'000'000'000'000,
                                   5'000'000'000'000'000'003 / 2, random);
    float_histogram_law<float>(at, "f32", n, 100, random);
    float_histogram_law<double>(at, "f64", n, 1, random);
    float_histogram_law<double>(at, "f64", n, 20'000, random);
  }
}

/// Iterators that are no pointers, counts of one byte, an empty range.
template <class Place>
void histogram_iterator_laws(Place const& at, std::size_t n) {
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  random_source random("histogram iterators");
  auto const x = draw_keys<std::uint32_t>(2 * n, 50, spread::uniform, random);
  std::vector<std::uint32_t> half(n);
  std::vector<int> const edges{0, 3, 3, 20, 60};
  std::vector<int> strided_edges(2 * edges.size(), -1);
  for (std::size_t i = 0; i < n; ++i) half[i] = x[2 * i];
  for (std::size_t i = 0; i < edges.size(); ++i) strided_edges[2 * i] = edges[i];
  auto const own = [](std::uint32_t k) { return static_cast<std::int64_t>(k); };
  auto const one = [](std::size_t) { return 1; };
  typename Place::template array<std::uint32_t> const in(x, 1);
  typename Place::template array<std::uint8_t> const bytes(50);
  typename Place::template array<std::int16_t> const shorts(100);
  typename Place::template array<int> const edge_items(strided_edges);
  auto const size = static_cast<std::ptrdiff_t>(n);
  auto const some = strided(in.begin(), 2);
  sweep::histogram(at.policy, some, some + size, bytes.begin(), 50);
  expect_equal(bytes.read(), histogram_oracle<std::uint8_t>(half, 50, own, one), title + "counts of a byte");
  sweep::histogram(at.policy, some, some + size, strided(shorts.begin(), 2), 50);
  auto const counted = histogram_oracle<std::int16_t>(half, 50, own, one);
  auto want = typename Place::template array<std::int16_t>(100).read();
  for (std::size_t b = 0; b < 50; ++b) want[2 * b] = counted[b];
  expect_equal(shorts.read(), want, title + "counts through strides");
  typename Place::template array<int> const few(4);
  sweep::histogram_range(at.policy, some, some + size, few.begin(), strided(edge_items.begin(), 2),
                         strided(edge_items.begin(), 2) + 5);
  auto const between = [&](std::uint32_t k) { return k < 3 ? 0 : k < 20 ? 2 : 3; };
  expect_equal(few.read(), histogram_oracle<int>(half, 4, between, one), title + "edges through strides");
  sweep::histogram(at.policy, in.begin(), in.begin(), few.begin(), 4);
  expect_equal(few.read(), {0, 0, 0, 0}, title + "no items");
  expect(sweep::histogram(at.policy, in.begin(), in.end(), few.begin(), 0) == few.begin(), title + "no bins");
}

/// Weights at the ends of what doubles can be, and as many equal ones as fill what a sum can hold.
template <class Place>
void extreme_weight_laws(Place const& at, std::size_t n) {
  auto const sum_of = [&](std::vector<int> const& keys, std::vector<double> const& weights) {
    typename Place::template array<int> const in(keys);
    typename Place::template array<double> const by(weights), sums(2);
    sweep::weighted_histogram(at.policy, in.begin(), in.end(), by.begin(), sums.begin(), 2);
    return sums.read();
  };
  auto const title = std::string(at.name) + ": ";
  expect_equal(sum_of({0, 1, 0}, {0x1p-1074, 0x1p-1023, 0x1p-1073}), {0x1.8p-1073, 0x1p-1023},
               title + "the smallest weights there are");
  auto const largest = std::numeric_limits<double>::max();
  expect_equal(sum_of({0, 1, 0}, {largest, -largest, -largest}), {0.0, -largest},
               title + "the largest weights there are");
  // Powers of two and numbers just below them; n may be a power of two as well.
  for (double const w : {1.0, -1.0, std::nextafter(1.0, 0.0), -std::nextafter(1.0, 0.0), 0x1.555555p-40}) {
    auto const got = sum_of(std::vector<int>(n, 1), std::vector<double>(n, w));
    expect(got[0] == 0.0 && got[1] == static_cast<double>(static_cast<long double>(w) * n),
           title + std::to_string(n) + " weights that are all " + std::to_string(w));
  }
}

template <class Place, class Checked>
void histogram_error_laws(Place const& at, Checked const& checked) {
  typename Place::template array<int> const in(std::vector<int>{0, 3, 5, 2});
  typename Place::template array<float> const edges(std::vector<float>{0, 2, 1, 4});
  typename Place::template array<int> const counts(4);
  int* const none = nullptr;
  auto const first = in.begin(), last = in.end();
  expect_throw<sweep::bad_argument>({"sweep::histogram:", "last", "2 items before first"},
                                    [&] { sweep::histogram(at.policy, last, last - 2, counts.begin(), 4); });
  expect_throw<sweep::bad_argument>({"sweep::histogram:", "counts", "null"},
                                    [&] { sweep::histogram(at.policy, first, last, none, 4); });
  expect_throw<sweep::bad_argument>({"sweep::histogram:", "bins", "negative: -3"},
                                    [&] { sweep::histogram(at.policy, first, last, counts.begin(), -3); });
  expect_throw<sweep::bad_argument>({"sweep::histogram_even:", "high", "not above low"}, [&] {
    sweep::histogram_even(at.policy, first, last, counts.begin(), 4, 1.5, 1.5);
  });
  expect_throw<sweep::bad_argument>({"sweep::weighted_histogram:", "weights", "null"}, [&] {
    sweep::weighted_histogram(at.policy, first, last, none, counts.begin(), 4);
  });
  expect_throw<sweep::bad_argument>({"sweep::histogram:", "first", "key 5 at index 2", "4 bins"},
                                    [&] { sweep::histogram(checked, first, last, counts.begin(), 4); });
  expect_throw<sweep::bad_argument>({"sweep::histogram_range:", "edges", "decrease at index 2"}, [&] {
    sweep::histogram_range(checked, first, last, counts.begin(), edges.begin(), edges.end());
  });
  expect(counts.all_untouched(), "nothing is written");
  typename Place::template array<double> const weights(std::vector<double>{1, 2, 4, HUGE_VAL}), sums(4);
  sweep::weighted_histogram(at.policy, first, last, weights.begin(), sums.begin(), 4);
  expect(std::isnan(sums.read()[0]), "a weight that is not finite makes all sums NaN");
}

}  // namespace sweep_test

#endif
