// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTED_SORT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTED_SORT_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/keys.hpp>
#include <support/memory.hpp>
#include <support/segment_layouts.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/segmented_sort.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

// The laws of sorts of segments, for any place: in every notation what a stable sort of each segment gives.
namespace sweep_test {

/// Indices in the order that each segment is to have.
template <class X, class Comp>
std::vector<std::int32_t> segments_in_order(std::vector<X> const& x, head_list const& heads, Comp comp) {
  std::vector<std::int32_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t first = 0, end = 0; first < x.size(); first = end) {
    end = first + 1;
    while (end < x.size() && !heads[end]) ++end;
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(end), [&](std::int32_t a, std::int32_t b) {
                       return comp(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
                     });
  }
  return order;
}

template <bool ByKey, class X, class Place, class Comp>
void segmented_sort_law(Place const& at, std::string const& what, layout_case const& given,
                        std::vector<X> const& x, Comp comp, std::size_t offset) {
  auto const order = segments_in_order(x, given.heads, comp);
  std::vector<X> want;
  for (auto const i : order) want.push_back(x[static_cast<std::size_t>(i)]);
  for (std::size_t k = 0; k < 2; ++k)
    with_notation<Place>(
        all_notations[(given.turn + k) % 5], given.all, offset % 4,
        [&](char const* name, auto const& segments) {
          auto const title = std::string(at.name) + ": " + what + ", " + given.name + ", by " + name +
                             ", n = " + std::to_string(given.n) + ", offset " + std::to_string(offset);
          typename Place::template array<X> const keys(x, offset);
          if constexpr (ByKey) {
            std::vector<std::int32_t> values(x.size());
            std::iota(values.begin(), values.end(), 0);
            typename Place::template array<std::int32_t> const beside(values, offset + 1);
            typename Place::template array<X> const keys_out(x.size(), offset + 2);
            typename Place::template array<std::int32_t> const values_out(x.size(), offset + 3);
            auto const end =
                sweep::segmented_sort_by_key_copy(at.policy, keys.begin(), keys.end(), beside.begin(),
                                                  segments, keys_out.begin(), values_out.begin(), comp);
            expect(end.first == keys_out.end() && end.second == values_out.end(),
                   title + ": returns the ends of the outputs");
            expect_equal(keys_out.read(), want, title + ", a copy");
            expect_equal(values_out.read(), order, title + ": values of a copy");
            expect(keys_out.guards_intact() && values_out.guards_intact(),
                   title + ": writes the outputs only");
            expect_equal(beside.read(), values, title + ": reads values that are copied");
            sweep::segmented_sort_by_key(at.policy, keys.begin(), keys.end(), beside.begin(), segments, comp);
            expect_equal(beside.read(), order, title + ": values");
            expect(beside.guards_intact(), title + ": writes the values only");
          } else {
            typename Place::template array<X> const out(x.size(), offset + 2);
            expect(sweep::segmented_sort_copy(at.policy, keys.begin(), keys.end(), segments, out.begin(),
                                              comp) == out.end(),
                   title + ": returns the end of the output");
            expect_equal(out.read(), want, title + ", a copy");
            expect(out.guards_intact(), title + ": writes the output only");
            expect_equal(keys.read(), x, title + ": reads what is copied");
            sweep::segmented_sort(at.policy, keys.begin(), keys.end(), segments, comp);
          }
          expect_equal(keys.read(), want, title);
          expect(keys.guards_intact(), title + ": writes the range only");
        });
}

/// All layouts, or under racecheck every other one, from one that is drawn on.
struct sorted_layouts {
  std::size_t first;
  explicit sorted_layouts(random_source& random) : first{random() % 2} {}
  bool operator()(std::size_t turn, std::size_t) const { return !racechecking() || turn % 2 == first; }
};

template <class X, bool ByKey, class Place>
void segmented_sort_laws_of(std::string const& what, std::vector<std::size_t> const& sizes,
                            Place const& places) {
  random_source random(what + " segmented sort");
  sorted_layouts const wanted(random);
  auto const law = [&](layout_case const& given) {
    auto const x = draw_many<X>(given.n, random);
    by_low_bits const comp{given.turn % 3 == 0 ? ~std::uint64_t{0} : given.turn % 3 == 1 ? 0xffu : 0x3u};
    segmented_sort_law<ByKey>(places.for_turn(given.turn), what, given, x, comp,
                              static_cast<std::size_t>(random.between(0, 5)));
  };
  for_each_layout(sizes, random, law, wanted);
}

/// Numbers by their bits: spread, few different ones, and near each other but for some.
template <class X, bool ByKey, class Place>
void segmented_sort_number_laws_of(std::string const& what, std::vector<std::size_t> const& sizes,
                                   Place const& places) {
  random_source random(what + " segmented sort of numbers");
  sorted_layouts const wanted(random);
  auto const law = [&](layout_case const& given) {
    auto x = draw_many<X>(given.n, random);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (given.turn % 3 == 1 || (given.turn % 3 == 2 && i % 50 != 0)) x[i] = static_cast<X>(x[i] & 0x3f3);
    segmented_sort_law<ByKey>(places.for_turn(given.turn), what, given, x, std::less<>{},
                              static_cast<std::size_t>(random.between(0, 5)));
  };
  for_each_layout(sizes, random, law, wanted);
}

/// Segments of these lengths, with values, copied and in place. By default they are longer than a block of
/// the device has room for in the mean, but some fit one, and some are empty or have few items.
template <class Key, class Place>
void listed_segments_law(std::string const& what, Place const& at,
                         std::vector<int> const& lengths = {9'000, 0, 40'000, 3, 10'240, 20'000, 10'241,
                                                            11'264, 11'265}) {
  random_source random(what + " segmented sort");
  std::vector<std::int32_t> offsets{0};
  for (int const length : lengths) offsets.push_back(offsets.back() + length);
  auto const n = static_cast<std::size_t>(offsets.back());
  head_list heads(n);
  for (auto const o : offsets)
    if (o < offsets.back()) heads[static_cast<std::size_t>(o)] = true;
  typename Place::template array<std::int32_t> const places(offsets);
  auto const segments = sweep::segments::by_offsets(places.begin(), places.end());
  for (int const different : {0, 3}) {
    auto x = draw_many<Key>(n, random);
    if (different > 0)
      for (auto& one : x) one = static_cast<Key>(one % different);
    auto const order = segments_in_order(x, heads, std::less<>{});
    std::vector<Key> want;
    for (auto const i : order) want.push_back(x[static_cast<std::size_t>(i)]);
    std::vector<std::int32_t> indices(n);
    std::iota(indices.begin(), indices.end(), 0);
    typename Place::template array<Key> const keys(x, 1), keys_out(n, 3);
    typename Place::template array<std::int32_t> const values(indices, 1), values_out(n, 2);
    sweep::segmented_sort_by_key_copy(at.policy, keys.begin(), keys.end(), values.begin(), segments,
                                      keys_out.begin(), values_out.begin());
    expect_equal(keys_out.read(), want, what + ", a copy");
    expect_equal(values_out.read(), order, what + ", values of a copy");
    sweep::segmented_sort_by_key(at.policy, keys.begin(), keys.end(), values.begin(), segments);
    expect_equal(keys.read(), want, what);
    expect_equal(values.read(), order, what + ", values");
    expect(keys.guards_intact() && values.guards_intact() && keys_out.guards_intact() &&
               values_out.guards_intact(),
           what + ": writes the ranges only");
  }
}

/// Equal in the low six bits.
struct by_low_six {
  SWEEP_TEST_HD bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 64 == b % 64; }
};

/// The default order, functors of the standard, radix keys, iterators that are no pointers, segments by the
/// keys that are sorted, values wider than what rides.
template <class Place>
void segmented_sort_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("segmented sort forms");
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  std::vector<std::int32_t> offsets{0};
  for (auto end = 0; end < static_cast<std::int32_t>(n);) {
    end = static_cast<std::int32_t>(
        std::min<std::int64_t>(end + random.between(0, 3000), static_cast<std::int64_t>(n)));
    offsets.push_back(end);
  }
  head_list heads(n);
  for (auto const o : offsets)
    if (o < static_cast<std::int32_t>(n)) heads[static_cast<std::size_t>(o)] = true;
  auto x = draw_many<float>(n, random);
  for (std::size_t i = 0; i < n; i += 7) x[i] = -x[i];
  typename Place::template array<std::int32_t> const places(offsets);
  auto const segments = sweep::segments::by_offsets(places.begin(), places.end());
  auto const sorted = [&](auto comp) {
    std::vector<float> all;
    for (auto const i : segments_in_order(x, heads, comp)) all.push_back(x[static_cast<std::size_t>(i)]);
    return all;
  };
  auto const& p = at.policy;
  typename Place::template array<float> const up(x, 1), down(2 * n, 1);
  sweep::segmented_sort(p, up.begin(), up.end(), segments);
  expect_equal(up.read(), sorted(std::less<>{}), title + "by <");
  auto twice = down.read();
  for (std::size_t i = 0; i < n; ++i) twice[2 * i] = x[i];
  typename Place::template array<float> const apart(twice, 1);
  auto const strides = strided<float*>(apart.begin(), 2);
  std::vector<motion> beside = draw_many<motion>(n, random), want_beside;
  typename Place::template array<motion> const values(beside, 1);
  sweep::segmented_sort_by_key(p, strides, strides + static_cast<std::ptrdiff_t>(n), values.begin(), segments,
                               std::greater<float>{});
  auto const descending = sorted(std::greater<>{});
  for (std::size_t i = 0; i < n; ++i) twice[2 * i] = descending[i];
  expect_equal(apart.read(), twice, title + "strides, by greater");
  for (auto const i : segments_in_order(x, heads, std::greater<>{}))
    want_beside.push_back(beside[static_cast<std::size_t>(i)]);
  expect_equal(values.read(), want_beside, title + "48 bytes beside strides");
  expect(apart.guards_intact() && values.guards_intact() && up.guards_intact(),
         title + "writes the range only");

  // Segments of equal upper bits, of the items that are sorted.
  auto y = draw_many<U>(n, random);
  std::sort(y.begin(), y.end(), [](U a, U b) { return a % 64 < b % 64; });
  auto want = y;
  std::sort(want.begin(), want.end(), [](U a, U b) { return a % 64 != b % 64 ? a % 64 < b % 64 : a < b; });
  typename Place::template array<U> const both(y, 2);
  sweep::segmented_sort(p, both.begin(), both.end(), sweep::segments::by_key(both.begin(), by_low_six{}),
                        std::less<U>{});
  expect_equal(both.read(), want, title + "segments by the items");
}

template <class Place, class Checked>
void segmented_sort_error_laws(Place const& at, Checked const& checked) {
  typename Place::template array<int> const x(std::vector<int>(10, 1)),
      offsets(std::vector<int>{0, 4, 2, 10});
  int* const none = nullptr;
  auto const segments = sweep::segments::by_offsets(offsets.begin(), offsets.end());
  auto const& p = at.policy;
  expect_throw<sweep::bad_argument>({"sweep::segmented_sort:", "last", "2 items before first"}, [&] {
    sweep::segmented_sort(p, x.begin() + 5, x.begin() + 3, segments);
  });
  expect_throw<sweep::bad_argument>({"sweep::segmented_sort_by_key:", "values_first", "null"}, [&] {
    sweep::segmented_sort_by_key(p, x.begin(), x.end(), none, segments);
  });
  expect_throw<sweep::bad_argument>({"sweep::segmented_sort:", "offsets", "decrease at index 2"},
                                    [&] { sweep::segmented_sort(checked, x.begin(), x.end(), segments); });
  expect_throw<sweep::bad_argument>(
      {"sweep::segmented_sort:", "segments", "3 rows of 4 items, but the range has 10"},
      [&] { sweep::segmented_sort(p, x.begin(), x.end(), sweep::segments::by_rows(3, 4)); });
  sweep::segmented_sort(p, none, none, segments);
}

}  // namespace sweep_test

#endif
