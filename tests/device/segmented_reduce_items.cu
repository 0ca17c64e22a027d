// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of reductions by offsets on the device: items of any size at any place, wider accumulators, iterators
// that are no pointers, items that are gathered, segments of any lengths, the most of them empty too.
#include <support/device_places.hpp>
#include <support/segmented_reduce_laws.hpp>

#include <sweep/segmented_reduce.hpp>

#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstring>
#include <numeric>
#include <utility>

using namespace sweep_test;

namespace {

struct lengths_of {
  char const* name;
  std::size_t (*draw)(random_source& random);
  bool crowds = false;  ///< of thousands of empty segments in one place
  bool few = false;     ///< long ones, and hardly any empty ones behind them
};
constexpr lengths_of all_lengths[] = {
    {"of one item", [](random_source&) -> std::size_t { return 1; }},
    {"of 20 items", [](random_source& random) -> std::size_t { return random() % 40; }},
    {"of 400 items", [](random_source& random) -> std::size_t { return random() % 800; }},
    {"of 1000 items", [](random_source& random) -> std::size_t { return random() % 2000; }},
    {"mostly empty",
     [](random_source& random) -> std::size_t { return random() % 50 == 0 ? random() % 300 : 0; }},
    {"one that holds all", [](random_source&) -> std::size_t { return ~std::size_t{0}; }},
    {"by a power law",
     [](random_source& random) {
       return static_cast<std::size_t>(1.0 / (1e-7 + static_cast<double>(random() >> 11) * 0x1p-53)) - 1;
     }},
    {"with crowds of empty ones", [](random_source& random) -> std::size_t { return random() % 200; }, true},
    {"of 100 items", [](random_source& random) -> std::size_t { return random() % 200; }, false, true},
    {"of 2000 items", [](random_source& random) -> std::size_t { return random() % 4000; }, false, true},
    {"of 5000 items", [](random_source& random) -> std::size_t { return random() % 10'000; }, false, true},
    {"of 30 or 90,000 items",
     [](random_source& random) -> std::size_t { return random() % (random() % 4 == 0 ? 180'000 : 60); },
     false, true},
    {"alone", [](random_source&) -> std::size_t { return ~std::size_t{0}; }, false, true},
};

/// Random lengths that add up to n; then some empty segments.
std::vector<std::int64_t> drawn_lengths(lengths_of const& shape, std::size_t n, random_source& random) {
  std::vector<std::int64_t> lengths;
  for (std::size_t at = 0; at < n;) {
    auto const length = std::min(shape.draw(random), n - at);
    lengths.push_back(static_cast<std::int64_t>(length));
    at += length;
    if (shape.crowds && random() % 500 == 0) lengths.resize(lengths.size() + random() % 20'000, 0);
  }
  lengths.resize(lengths.size() + 1 + random() % (shape.few ? 5 : 2000), 0);
  return lengths;
}

std::vector<std::int32_t> offsets_of(std::vector<std::int64_t> const& lengths) {
  std::vector<std::int32_t> offsets{0};
  for (auto const length : lengths) offsets.push_back(offsets.back() + static_cast<std::int32_t>(length));
  return offsets;
}

struct unchanged {
  template <class T>
  SWEEP_TEST_HD T operator()(T const& x) const {
    return x;
  }
};

/// So few blocks have more windows that large sizes have the usual number, and so few warps share
/// segments that some have several.
class with_usual_windows {
 public:
  with_usual_windows()
      : blocks_{std::exchange(sweep::detail::most_blocks_of_more_windows, 12)},
        warps_{std::exchange(sweep::detail::most_warps_of_teams, 2)},
        by_words_{sweep::detail::fewest_bytes_by_words} {}
  with_usual_windows(with_usual_windows const&) = delete;
  with_usual_windows& operator=(with_usual_windows const&) = delete;
  ~with_usual_windows() {
    sweep::detail::most_blocks_of_more_windows = blocks_;
    sweep::detail::most_warps_of_teams = warps_;
    sweep::detail::fewest_bytes_by_words = by_words_;
  }

 private:
  std::int64_t blocks_, warps_, by_words_;
};

/// What iterator the items come by, beside a pointer.
enum class iterator_is { transform, permutation };

/// Items X are folded in V.
template <class X, class V, iterator_is By = iterator_is::transform, class Op, class Dir>
void items_law(std::string const& what, std::vector<std::size_t> const& sizes, Op op, Dir direction) {
  random_source random(what);
  with_usual_windows const lowered;
  constexpr bool backward = std::is_same_v<Dir, sweep::backward_t>;
  for (auto const n : sizes)
    for (auto const& shape : all_lengths) {
      auto const lengths = drawn_lengths(shape, n, random);
      auto const offsets = offsets_of(lengths);
      auto const x = draw_many<X>(n, random);
      auto const init = draw<V>(random);
      std::vector<V> const wide(x.begin(), x.end());
      auto const want = segmented_reduce_oracle(backward, wide, lengths, op, init);
      bool const by_words = random() % 2 == 0;
      sweep::detail::fewest_bytes_by_words = by_words ? 0 : std::int64_t{1} << 40;
      auto const title = what + ", n = " + std::to_string(n) + ", segments " + shape.name +
                         (by_words ? "" : ", not by words");
      guarded<X, device_memory> const in(x, random() % 16);
      guarded<std::int32_t, device_memory> const from(offsets);
      auto const segments = sweep::segments::by_offsets(from.begin(), from.end());
      {
        guarded<V, device_memory> const out(want.size());
        sweep::segmented_reduce(sweep::device, in.begin(), in.end(), segments, out.begin(), init, op,
                                direction);
        expect_equal(out.read(), want, title);
        expect(out.guards_intact(), title + ": writes its output only");
      }
      auto const by_iterator = [&](auto const& first, std::string const& which) {
        guarded<V, device_memory> const out(want.size());
        sweep::segmented_reduce(sweep::device, first, first + static_cast<std::ptrdiff_t>(n), segments,
                                out.begin(), init, op, direction);
        expect_equal(out.read(), want, title + which);
        expect(out.guards_intact(), title + which + ": writes its output only");
      };
      if constexpr (By == iterator_is::transform) {
        by_iterator(thrust::make_transform_iterator(in.begin(), unchanged{}), ", by an iterator");
      } else {
        std::vector<std::uint32_t> places(n);
        std::iota(places.begin(), places.end(), 0u);
        for (std::size_t i = 1; i < n; ++i) std::swap(places[i], places[random() % (i + 1)]);
        std::vector<X> elsewhere(n);
        for (std::size_t i = 0; i < n; ++i) elsewhere[places[i]] = x[i];
        guarded<X, device_memory> const items(elsewhere, random() % 16);
        guarded<std::uint32_t, device_memory> const at(places, random() % 4);
        by_iterator(thrust::make_permutation_iterator(items.begin(), at.begin()), ", gathered");
      }
    }
}

/// 24 bytes aligned as four: units of them may begin anywhere between 16-byte words.
struct of_words {
  std::uint32_t a, b, c, others[3];
  friend bool operator==(of_words const&, of_words const&) = default;
};
struct of_words_product {
  SWEEP_TEST_HD of_words operator()(of_words const& x, of_words const& y) const {
    using some = heisenberg<std::uint32_t>;
    auto const product = heisenberg_product{}(some{x.a, x.b, x.c}, some{y.a, y.b, y.c});
    return {product.a, product.b, product.c, {x.others[0], x.others[1], y.others[2]}};
  }
};

/// 16 bytes, of which a lane has more than of narrower values.
struct of_quads {
  std::uint32_t a, b, c, other;
  friend bool operator==(of_quads const&, of_quads const&) = default;
};
struct of_quads_product {
  SWEEP_TEST_HD of_quads operator()(of_quads const& x, of_quads const& y) const {
    using some = heisenberg<std::uint32_t>;
    auto const product = heisenberg_product{}(some{x.a, x.b, x.c}, some{y.a, y.b, y.c});
    return {product.a, product.b, product.c, x.other};
  }
};

/// 32 bytes: two 16-byte words each.
struct of_longs {
  std::uint64_t a, b, c, other;
  friend bool operator==(of_longs const&, of_longs const&) = default;
};
struct of_longs_product {
  SWEEP_TEST_HD of_longs operator()(of_longs const& x, of_longs const& y) const {
    using some = heisenberg<std::uint64_t>;
    auto const product = heisenberg_product{}(some{x.a, x.b, x.c}, some{y.a, y.b, y.c});
    return {product.a, product.b, product.c, y.other};
  }
};

/// x -> a x + b, one after the other, in the halves of a word: a number whose products do not commute.
template <class Word>
struct halves_product {
  SWEEP_TEST_HD Word operator()(Word x, Word y) const {
    constexpr int half = 4 * sizeof(Word);
    constexpr auto low = static_cast<Word>((Word{1} << half) - 1);
    auto const a = static_cast<Word>((x & low) * (y & low) & low),
               b = static_cast<Word>((y & low) * (x >> half) + (y >> half));
    return static_cast<Word>(b << half | a);
  }
};

/// Items that begin so many units behind a boundary of memory, whose first and last words hold nothing else
/// that may be read.
template <class X, class Unit, class Op, class Dir>
void between_words_law(std::size_t n, std::size_t mean, std::size_t shift, Op op, Dir direction,
                       random_source& random) {
  std::vector<std::int64_t> lengths;
  for (std::size_t at = 0; at < n; at += static_cast<std::size_t>(lengths.back()))
    lengths.push_back(static_cast<std::int64_t>(std::min<std::size_t>(random() % (2 * mean), n - at)));
  auto const x = draw_many<X>(n, random);
  auto const init = draw<X>(random);
  auto const want = segmented_reduce_oracle(std::is_same_v<Dir, sweep::backward_t>, x, lengths, op, init);
  std::vector<Unit> units(n * sizeof(X) / sizeof(Unit));
  std::memcpy(units.data(), x.data(), n * sizeof(X));
  guarded<Unit, device_memory> const in(units, shift);
  guarded<std::int32_t, device_memory> const offsets(offsets_of(lengths));
  guarded<X, device_memory> const out(want.size());
  auto const* const first = reinterpret_cast<X const*>(in.begin());
  sweep::segmented_reduce(sweep::device, first, first + n,
                          sweep::segments::by_offsets(offsets.begin(), offsets.end()), out.begin(), init, op,
                          direction);
  auto const title =
      std::to_string(n) + " items, mean " + std::to_string(mean) + ", shifted by " + std::to_string(shift);
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes its output only");
}

std::vector<std::size_t> sizes(std::size_t largest) {
  if (sanitizing()) return {1, 700, 9001};
  return {0, 1, 700, 5001, 70'003, largest};
}

}  // namespace

TEST_CASE("device reductions by offsets: bytes in words") {
  items_law<std::uint8_t, std::uint32_t>("bytes in words", sizes(700'001), add{}, sweep::forward);
}
TEST_CASE("device reductions by offsets: products of words") {
  items_law<std::uint32_t, std::uint32_t>("32 bits", sizes(400'009), halves_product<std::uint32_t>{},
                                          sweep::forward);
  items_law<std::uint16_t, std::uint16_t>("16 bits, from behind", sizes(400'009),
                                          halves_product<std::uint16_t>{}, sweep::backward);
}
TEST_CASE("device reductions by offsets: products of 3 bytes") {
  items_law<heisenberg<std::uint8_t>, heisenberg<std::uint8_t>, iterator_is::permutation>(
      "3 bytes", sizes(400'009), heisenberg_product{}, sweep::backward);
}
TEST_CASE("device reductions by offsets: products of 16 bytes") {
  items_law<of_quads, of_quads, iterator_is::permutation>("16 bytes", sizes(400'009), of_quads_product{},
                                                          sweep::forward);
  items_law<of_quads, of_quads>("16 bytes, from behind", sizes(90'001), of_quads_product{}, sweep::backward);
}
TEST_CASE("device reductions by offsets: products of 24 bytes") {
  items_law<heisenberg<std::uint64_t>, heisenberg<std::uint64_t>, iterator_is::permutation>(
      "24 bytes", sizes(1'000'003), heisenberg_product{}, sweep::forward);
}
TEST_CASE("device reductions by offsets: products of 32 bytes") {
  items_law<of_longs, of_longs>("32 bytes", sizes(400'009), of_longs_product{}, sweep::forward);
}
TEST_CASE("device reductions by offsets: wide units that begin between words") {
  random_source random("between words");
  for (std::size_t const n : {1, 63, 700, 5001, sanitizing() ? 9001 : 70'003})
    for (std::size_t const mean : {40, 300, 3000})
      for (std::size_t const shift : {0, 1, 2, 3}) {
        between_words_law<of_words, std::uint32_t>(n, mean, shift, of_words_product{}, sweep::forward,
                                                   random);
        between_words_law<of_words, std::uint32_t>(n, mean, shift, of_words_product{}, sweep::backward,
                                                   random);
      }
}
// 528 blocks of eight warps run at once: those of more take segments from both ends.
TEST_CASE("device reductions by offsets: more blocks than run at once") {
  random_source random("blocks in turns");
  std::size_t const count = 4'600, n = count * 270;
  for (bool const rising : {false, true}) {
    std::vector<std::int64_t> given;
    std::int64_t at = 0;
    for (std::size_t s = 1; s <= count; ++s) {
      auto const part = static_cast<double>(s) / static_cast<double>(count);
      auto const end =
          static_cast<std::int64_t>((rising ? part * part * part : part) * static_cast<double>(n));
      given.push_back((s == count ? static_cast<std::int64_t>(n) : end) - at);
      at += given.back();
    }
    auto const x = draw_many<std::uint32_t>(n, random);
    auto const want = segmented_reduce_oracle(false, x, given, add{}, 5u);
    guarded<std::uint32_t, device_memory> const in(x, 3);
    auto const law = [&](auto const& segments, std::string const& notation) {
      guarded<std::uint32_t, device_memory> const out(want.size());
      sweep::segmented_reduce(sweep::device, in.begin(), in.end(), segments, out.begin(), 5u);
      expect_equal(out.read(), want, (rising ? "rising lengths, by " : "lengths alike, by ") + notation);
      expect(out.guards_intact(), "writes its output only");
    };
    guarded<std::int32_t, device_memory> const offsets(offsets_of(given));
    guarded<std::int64_t, device_memory> const lengths(given);
    law(sweep::segments::by_offsets(offsets.begin(), offsets.end()), "offsets");
    law(sweep::segments::by_lengths(lengths.begin(), lengths.end()), "lengths");
  }
}
TEST_CASE("device reductions by offsets: large enough for stages") {
  if (sanitizing()) return;
  auto const usual = std::exchange(sweep::detail::reduced_in_stages_bytes, 8 << 20);
  items_law<std::uint32_t, std::uint32_t>("words", {3'000'001}, add{}, sweep::forward);
  sweep::detail::reduced_in_stages_bytes = usual;
}
