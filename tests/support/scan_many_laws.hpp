// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SCAN_MANY_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SCAN_MANY_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/values.hpp>

#include <sweep/scan_many.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

// The laws of scans of many ranges, for any place: against a loop over each, for ranges of all lengths that
// lie anywhere, in any order, with gaps that nobody may touch.
namespace sweep_test {

/// Lengths at which something changes, and any others.
inline std::int64_t draw_length(std::int64_t most, random_source& random) {
  static constexpr std::int64_t lengths[] = {0,   1,   2,   31,  32,   33,   63,   64,   65,   255,  256,
                                             257, 511, 512, 513, 1023, 1025, 4095, 4096, 4097, 8193, -3};
  auto const one = random.between(0, 3) == 0
                       ? random.between(0, most)
                       : lengths[random.between(0, static_cast<int>(std::size(lengths)) - 1)];
  return std::min(one, most);
}

/// Where ranges begin, in any order and with gaps; the last number is how many items there are in all.
inline std::vector<std::int64_t> draw_places(std::vector<std::int64_t> const& lengths,
                                             random_source& random) {
  std::vector<std::size_t> order(lengths.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  for (auto k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(random.between(0, static_cast<int>(k) - 1))]);
  std::vector<std::int64_t> places(lengths.size() + 1);
  std::int64_t at = 0;
  for (auto const k : order) {
    at += random.between(0, 3);
    places[k] = at;
    at += std::max<std::int64_t>(0, lengths[k]);
  }
  places.back() = at + 1;
  return places;
}

template <bool Inclusive, bool HasInit, class T, class Op, class Place>
void scan_many_law(Place const& at, std::int64_t count, std::int64_t most, bool in_place, bool backward,
                   Op op, random_source& random) {
  using range = sweep::scan_range<T const*, T*>;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(count));
  for (auto& length : lengths) length = draw_length(most, random);
  auto const from = draw_places(lengths, random), to = in_place ? from : draw_places(lengths, random);
  auto const x = draw_many<T>(static_cast<std::size_t>(from.back()), random);
  auto want = in_place ? x : draw_many<T>(static_cast<std::size_t>(to.back()), random);
  T const init = draw<T>(random);
  typename Place::template array<T> const items(x, 1), other(want, 2);
  auto const& results = in_place ? items : other;
  std::vector<range> ranges;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    ranges.push_back({items.begin() + from[k], lengths[k], results.begin() + to[k]});
    bool begun = HasInit;
    T sum = init;
    for (std::int64_t nth = 0; nth < lengths[k]; ++nth) {
      auto const i = backward ? lengths[k] - 1 - nth : nth;
      auto const& item = x[static_cast<std::size_t>(from[k] + i)];
      auto& result = want[static_cast<std::size_t>(to[k] + i)];
      if (!Inclusive) result = sum;
      sum = begun ? op(sum, item) : item;
      begun = true;
      if (Inclusive) result = sum;
    }
  }
  typename Place::template array<range> const given(ranges);
  auto const call = [&](auto... dir) {
    if constexpr (!Inclusive)
      sweep::exclusive_scan_many(at.policy, given.begin(), given.end(), init, op, dir...);
    else if constexpr (HasInit)
      sweep::inclusive_scan_many(at.policy, given.begin(), given.end(), op, init, dir...);
    else sweep::inclusive_scan_many(at.policy, given.begin(), given.end(), op, dir...);
  };
  if (backward) call(sweep::backward);
  else call();
  auto const title = std::string(at.name) + ": " + std::to_string(count) + " ranges of up to " +
                     std::to_string(most) + (backward ? ", backward" : "") + (in_place ? ", in place" : "");
  expect_equal(results.read(), want, title);
  expect(results.guards_intact(), title + ": writes nothing else");
}

template <bool Inclusive, bool HasInit, class T, class Op, class Place>
void scan_many_laws(char const* name, int calls, std::int64_t most, Op op, Place const& places) {
  random_source random(name);
  for (int k = 0; k < calls; ++k)
    scan_many_law<Inclusive, HasInit, T>(places.for_turn(static_cast<std::size_t>(k)), random.between(0, 40),
                                         random.between(0, 2) == 0 ? most : most / 8,
                                         random.between(0, 3) == 0, random.between(0, 1) == 0, op, random);
}

/// Sums of floats of one range have the same bits wherever it lies and whatever is scanned beside it; ranges
/// said by three ranges are the same ones.
template <class Place>
void scan_many_bits_law(Place const& at, std::int64_t length, random_source& random) {
  using range = sweep::scan_range<float const*, float*>;
  auto const n = static_cast<std::size_t>(length);
  std::vector<float> x(n);
  for (auto& v : x) v = draw<float>(random) - 0.3f;
  std::vector<float> first;
  for (std::size_t turn = 0; turn < 3; ++turn) {
    typename Place::template array<float> const items(x, turn), results(n, 3 * turn), others(2 * turn + 1);
    std::vector<range> ranges(turn, range{items.begin(), static_cast<std::int64_t>(turn), others.begin()});
    ranges.push_back({items.begin(), length, results.begin()});
    if (turn == 2) ranges.erase(ranges.begin());
    typename Place::template array<range> const given(ranges);
    sweep::inclusive_scan_many(at.policy, given.begin(), given.end());
    auto const got = results.read();
    if (turn == 0) first = got;
    expect(std::memcmp(got.data(), first.data(), n * sizeof(float)) == 0,
           std::string(at.name) + ": the same bits of " + std::to_string(length) + " items");
  }
  typename Place::template array<float> const items(x), results(n);
  typename Place::template array<float const*> const inputs(std::vector<float const*>{items.begin()});
  typename Place::template array<int> const counts(std::vector<int>{static_cast<int>(length)});
  typename Place::template array<float*> const outputs(std::vector<float*>{results.begin()});
  auto const said = sweep::scan_ranges(inputs.begin(), counts.begin(), outputs.begin());
  sweep::inclusive_scan_many(at.policy, said, said + 1);
  auto const got = results.read();
  expect(std::memcmp(got.data(), first.data(), n * sizeof(float)) == 0,
         std::string(at.name) + ": ranges by three ranges");
}

template <class Place>
void scan_many_refusal_laws(Place const& at) {
  using range = sweep::scan_range<int const*, int*>;
  typename Place::template array<range> const given(std::vector<range>(3, range{nullptr, 0, nullptr}));
  expect_throw<sweep::bad_argument>({"inclusive_scan_many", "last", "before first"}, [&] {
    sweep::inclusive_scan_many(at.policy, given.end(), given.begin(), add{});
  });
  expect_throw<sweep::bad_argument>({"exclusive_scan_many", "first", "null pointer"}, [&] {
    range const* const nowhere = nullptr;
    sweep::exclusive_scan_many(at.policy, nowhere, nowhere + 2, 0, add{});
  });
  // Ranges of nothing, and no ranges.
  sweep::inclusive_scan_many(at.policy, given.begin(), given.end(), add{});
  range const* const nowhere = nullptr;
  sweep::inclusive_scan_many(at.policy, nowhere, nowhere, add{});
}

}  // namespace sweep_test

#endif
