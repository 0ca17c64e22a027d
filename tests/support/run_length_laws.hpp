// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_RUN_LENGTH_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_RUN_LENGTH_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/run_length.hpp>

#include <string>
#include <vector>

// The laws of run lengths, for any place.
namespace sweep_test {

struct equal_items {
  template <class T>
  SWEEP_TEST_HD bool operator()(T const& x, T const& y) const {
    return x == y;
  }
};
/// Not transitive: a run may climb.
struct neighbours_differ_by_one {
  SWEEP_TEST_HD bool operator()(std::int16_t x, std::int16_t y) const { return x - y <= 1 && y - x <= 1; }
};

template <class X, class L>
struct encoded {
  std::vector<X> values;
  std::vector<L> lengths;
};
template <class L, class X, class Eq>
encoded<X, L> run_length_oracle(std::vector<X> const& x, Eq eq) {
  encoded<X, L> runs;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i > 0 && eq(x[i - 1], x[i])) {
      ++runs.lengths.back();
    } else {
      runs.values.push_back(x[i]);
      runs.lengths.push_back(1);
    }
  return runs;
}

/// Runs of 1 to 2 * mean - 1 items.
template <class X>
std::vector<X> draw_runs(std::size_t n, std::int64_t mean, random_source& random) {
  std::vector<X> x;
  x.reserve(n);
  while (x.size() < n) {
    auto const value = draw<X>(random);
    for (auto left = random.between(1, 2 * mean - 1); left > 0 && x.size() < n; --left) x.push_back(value);
  }
  return x;
}

/// The items behind what was written, which nobody may have touched.
template <class T>
void expect_start(std::vector<T> const& got, std::vector<T> want, std::string const& what) {
  guarded<T, host_memory> const clean(got.size());
  auto const rest = clean.read();
  want.insert(want.end(), rest.begin() + static_cast<std::ptrdiff_t>(want.size()), rest.end());
  expect_equal(got, want, what);
}

template <class L, class Place, class X, class Eq>
void run_length_law(Place const& at, std::string const& what, std::vector<X> const& x, Eq eq,
                    std::size_t in_offset, std::size_t out_offset) {
  auto const want = run_length_oracle<L>(x, eq);
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", runs " +
                     std::to_string(want.values.size()) + ", offsets " + std::to_string(in_offset) + ", " +
                     std::to_string(out_offset);
  auto const runs = static_cast<std::ptrdiff_t>(want.values.size());
  typename Place::template array<X> const in(x, in_offset), values(x.size(), out_offset);
  typename Place::template array<L> const lengths(x.size(), out_offset);
  auto const [values_end, lengths_end] =
      sweep::run_length_encode(at.policy, in.begin(), in.end(), values.begin(), lengths.begin(), eq);
  expect(values_end == values.begin() + runs && lengths_end == lengths.begin() + runs,
         title + ": returns the ends");
  expect_start(values.read(), want.values, title + ", values");
  expect_start(lengths.read(), want.lengths, title + ", lengths");
  expect_equal(in.read(), x, title + ", the input");
  expect(values.guards_intact() && lengths.guards_intact(), title + ": writes the outputs only");

  typename Place::template array<X> const values_too(x.size(), out_offset + 1);
  typename Place::template array<L> const lengths_too(x.size(), out_offset);
  typename Place::template array<std::int64_t> const count(1, 1);
  expect(sweep::run_length_encode_into(at.policy, in.begin(), in.end(), values_too.begin(),
                                       lengths_too.begin(), count.begin(), eq) == count.end(),
         title + ": _into returns count + 1");
  expect_equal(count.read(), {std::int64_t{runs}}, title + ", the count");
  expect_start(values_too.read(), want.values, title + ", values of _into");
  expect_start(lengths_too.read(), want.lengths, title + ", lengths of _into");
  expect(values_too.guards_intact() && lengths_too.guards_intact() && count.guards_intact(),
         title + ": _into writes the outputs only");
}

template <class X, class L = int, class Eq = equal_items, class Place>
void run_length_laws_of(std::string const& what, std::size_t most, Place const& places, Eq eq = {}) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    static constexpr std::int64_t means[] = {1, 2, 8, 1000, 1 << 20};
    auto const x = draw_runs<X>(n, means[turn % 5], random);
    run_length_law<L>(places.for_turn(turn), what, x, eq, static_cast<std::size_t>(random.between(0, 5)),
                      static_cast<std::size_t>(random.between(0, 5)));
    ++turn;
  }
}

/// Item i is i / 3: an input without memory.
struct thirds {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::int64_t;
  std::int64_t at;
  SWEEP_TEST_HD std::int64_t operator[](std::ptrdiff_t i) const { return (at + i) / 3; }
  SWEEP_TEST_HD std::int64_t operator*() const { return at / 3; }
  friend SWEEP_TEST_HD thirds operator+(thirds a, std::ptrdiff_t i) { return {a.at + i}; }
  friend SWEEP_TEST_HD std::ptrdiff_t operator-(thirds a, thirds b) { return a.at - b.at; }
};

/// Iterators that are no pointers, and other integers.
template <class Place>
void run_length_iterator_laws(Place const& at, std::size_t n) {
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  std::vector<std::int64_t> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::int64_t>(i) / 3;
  auto const want = run_length_oracle<std::uint16_t>(x, equal_items{});
  auto const runs = want.values.size();
  typename Place::template array<std::int64_t> const values(2 * n);
  typename Place::template array<std::uint16_t> const lengths(2 * n);
  typename Place::template array<std::int16_t> const count(1);
  auto const size = static_cast<std::ptrdiff_t>(n);
  sweep::run_length_encode_into(at.policy, thirds{0}, thirds{size}, strided(values.begin(), 2),
                                strided(lengths.begin(), 2), count.begin());
  std::vector<std::int64_t> values_want = typename Place::template array<std::int64_t>(2 * n).read();
  std::vector<std::uint16_t> lengths_want = typename Place::template array<std::uint16_t>(2 * n).read();
  for (std::size_t i = 0; i < runs; ++i) {
    values_want[2 * i] = want.values[i];
    lengths_want[2 * i] = want.lengths[i];
  }
  expect_equal(values.read(), values_want, title + "values through strides");
  expect_equal(lengths.read(), lengths_want, title + "lengths through strides");
  expect_equal(count.read(), {static_cast<std::int16_t>(runs)}, title + "a count of 16 bits");

  // Items of another type, and from the end.
  typename Place::template array<std::int64_t> const in(x), turned_lengths(n);
  typename Place::template array<double> const turned(n);
  using reverse = std::reverse_iterator<std::int64_t*>;
  auto const back =
      run_length_oracle<std::int64_t>(std::vector<std::int64_t>(x.rbegin(), x.rend()), equal_items{});
  sweep::run_length_encode(at.policy, reverse(in.end()), reverse(in.begin()), turned.begin(),
                           turned_lengths.begin());
  expect_start(turned.read(), std::vector<double>(back.values.begin(), back.values.end()),
               title + "from the end, as doubles");
  expect_start(turned_lengths.read(), back.lengths, title + "lengths from the end");
}

template <class Place>
void run_length_error_laws(Place const& at) {
  std::vector<float> const x{1, 1, 2, 2};
  typename Place::template array<float> const in(x), values(4);
  typename Place::template array<int> const lengths(4), count(1);
  int* const none = nullptr;
  float* const nothing = nullptr;
  expect_throw<sweep::bad_argument>({"sweep::run_length_encode:", "last", "2 items before first"}, [&] {
    sweep::run_length_encode(at.policy, in.end(), in.end() - 2, values.begin(), lengths.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::run_length_encode:", "lengths", "null"}, [&] {
    sweep::run_length_encode(at.policy, in.begin(), in.end(), values.begin(), none);
  });
  expect_throw<sweep::bad_argument>({"sweep::run_length_encode_into:", "values", "null"}, [&] {
    sweep::run_length_encode_into(at.policy, in.begin(), in.end(), nothing, lengths.begin(), count.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::run_length_encode_into:", "count", "null"}, [&] {
    sweep::run_length_encode_into(at.policy, in.begin(), in.end(), values.begin(), lengths.begin(), none);
  });
  expect(values.all_untouched() && lengths.all_untouched() && count.all_untouched(), "nothing is written");
  CHECK(sweep::run_length_encode(at.policy, nothing, nothing, nothing, none).second == none);
}

}  // namespace sweep_test

#endif
