// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_EXPAND_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_EXPAND_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/expand.hpp>
#include <sweep/run_length.hpp>

#include <algorithm>
#include <string>
#include <vector>

// The laws of expansion, for any place.
namespace sweep_test {

/// What counts are like.
enum class repeats { some, ones, mostly_none, one_of_many, none };
inline constexpr repeats all_repeats[] = {repeats::some, repeats::ones, repeats::mostly_none,
                                          repeats::one_of_many, repeats::none};

template <class C>
std::vector<C> draw_counts(std::size_t n, repeats how, std::int64_t many, random_source& random) {
  std::vector<C> counts(n);
  for (auto& c : counts)
    c = static_cast<C>(how == repeats::some          ? random.between(0, 6)
                       : how == repeats::ones        ? 1
                       : how == repeats::mostly_none ? (random.between(0, 99) == 0 ? random.between(1, 3) : 0)
                       : how == repeats::one_of_many ? 1
                                                     : 0);
  if (how == repeats::one_of_many && n > 0)
    counts[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(n) - 1))] =
        static_cast<C>(many);
  return counts;
}

template <class R, class X, class C>
std::vector<R> expand_oracle(std::vector<X> const& x, std::vector<C> const& counts) {
  std::vector<R> out;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (C c = 0; c < counts[i]; ++c) out.push_back(static_cast<R>(x[i]));
  return out;
}

template <class R, class Place, class X, class C>
void expand_law(Place const& at, std::string const& what, std::vector<X> const& x,
                std::vector<C> const& counts, std::size_t offset, random_source& random) {
  auto const want = expand_oracle<R>(x, counts);
  auto const total = static_cast<std::int64_t>(want.size());
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", to " +
                     std::to_string(total) + ", offset " + std::to_string(offset);
  typename Place::template array<X> const in(x, offset);
  typename Place::template array<C> const by(counts, offset);
  typename Place::template array<R> const out(want.size(), offset);
  expect(sweep::expand(at.policy, in.begin(), in.end(), by.begin(), out.begin()) == out.end(),
         title + ": returns the end of the output");
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes the output only");

  // Less room than it takes, and more.
  for (auto const room : {random.between(0, total), total, total + 17}) {
    typename Place::template array<R> const some(static_cast<std::size_t>(room), offset + 1);
    typename Place::template array<std::int64_t> const count(1, 1);
    expect(sweep::expand_into(at.policy, in.begin(), in.end(), by.begin(), some.begin(), room,
                              count.begin()) == count.end(),
           title + ": _into returns total + 1");
    expect_equal(count.read(), {total}, title + ", the total");
    auto part = some.read();
    part.resize(static_cast<std::size_t>(std::min(room, total)));
    expect_equal(part, std::vector<R>(want.begin(), want.begin() + std::min(room, total)),
                 title + ", room " + std::to_string(room));
    expect(some.guards_intact() && count.guards_intact(), title + ": _into writes the outputs only");
  }

  // By offsets that do not start at 0.
  std::vector<std::int64_t> places{1000};
  for (auto const c : counts) places.push_back(places.back() + static_cast<std::int64_t>(c));
  typename Place::template array<std::int64_t> const offsets(places);
  typename Place::template array<R> const again(want.size(), offset);
  auto const segments = sweep::segments::by_offsets(offsets.begin(), offsets.end());
  expect(sweep::expand(at.policy, in.begin(), in.end(), segments, again.begin()) == again.end(),
         title + ", by offsets: returns the end of the output");
  expect_equal(again.read(), want, title + ", by offsets");
  expect(again.guards_intact(), title + ", by offsets: writes the output only");
}

template <class X, class C, class R = X, class Place>
void expand_laws_of(std::string const& what, std::size_t most, std::int64_t many, Place const& places) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(std::max<std::size_t>(sizeof(X), 4), most, random)) {
    auto const x = draw_many<X>(n, random);
    auto const counts = draw_counts<C>(n, all_repeats[turn % 5], many, random);
    auto const at = places.for_turn(turn++);
    expand_law<R>(at, what, x, counts, static_cast<std::size_t>(random.between(0, 5)), random);
  }
}

/// Decoding is what encoding undoes; and iterators that are no pointers.
template <class Place>
void run_length_decode_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  random_source random("decode");
  std::vector<U> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i > 0 && random() % 3 != 0 ? x[i - 1] : static_cast<U>(random());
  typename Place::template array<U> const in(x), values(n), back(n), twice(2 * n);
  typename Place::template array<int> const lengths(n), total(1);
  auto const ends =
      sweep::run_length_encode(at.policy, in.begin(), in.end(), values.begin(), lengths.begin());
  auto const values_end = std::get<0>(ends);
  expect(sweep::run_length_decode(at.policy, values.begin(), values_end, lengths.begin(), back.begin()) ==
             back.end(),
         title + "decoding returns the end of the output");
  expect_equal(back.read(), x, title + "decoding undoes encoding");
  auto const size = static_cast<std::ptrdiff_t>(n);
  sweep::run_length_decode_into(at.policy, values.begin(), values_end, lengths.begin(),
                                strided(twice.begin(), 2), size, total.begin());
  expect_equal(total.read(), {static_cast<int>(n)}, title + "the total");
  auto want = typename Place::template array<U>(2 * n).read();
  for (std::size_t i = 0; i < n; ++i) want[2 * i] = x[i];
  expect_equal(twice.read(), want, title + "decoded into strides");
}

template <class Place, class Checked>
void expand_error_laws(Place const& at, Checked const& checked) {
  typename Place::template array<float> const in(std::vector<float>{1, 2, 3}), out(10);
  typename Place::template array<int> const counts(std::vector<int>{2, -1, 3}), total(1);
  typename Place::template array<int> const offsets(std::vector<int>{0, 2, 1, 3});
  int* const none = nullptr;
  auto const first = in.begin(), last = in.end();
  expect_throw<sweep::bad_argument>({"sweep::expand:", "last", "2 items before first"}, [&] {
    sweep::expand(at.policy, last, last - 2, counts.begin(), out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::expand:", "counts", "null"},
                                    [&] { sweep::expand(at.policy, first, last, none, out.begin()); });
  expect_throw<sweep::bad_argument>({"sweep::run_length_decode:", "lengths", "null"}, [&] {
    sweep::run_length_decode(at.policy, first, last, none, out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::expand:", "out", "null"}, [&] {
    sweep::expand(at.policy, first, last, counts.begin(), static_cast<float*>(nullptr));
  });
  expect_throw<sweep::bad_argument>({"sweep::expand_into:", "room", "negative: -1"}, [&] {
    sweep::expand_into(at.policy, first, last, counts.begin(), out.begin(), -1, total.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::run_length_decode_into:", "total", "null"}, [&] {
    sweep::run_length_decode_into(at.policy, first, last, counts.begin(), out.begin(), 10, none);
  });
  expect_throw<sweep::bad_argument>({"sweep::expand:", "offsets", "2 segments", "3 items"}, [&] {
    sweep::expand(at.policy, first, last, sweep::segments::by_offsets(offsets.begin(), offsets.end() - 1),
                  out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::expand:", "counts", "negative at index 1: -1"}, [&] {
    sweep::expand(checked, first, last, counts.begin(), out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::expand:", "offsets", "decrease at index 2"}, [&] {
    sweep::expand(checked, first, last, sweep::segments::by_offsets(offsets.begin(), offsets.end()),
                  out.begin());
  });
  expect(out.all_untouched() && total.all_untouched(), "nothing is written");
  expect(sweep::expand(at.policy, first, last, counts.begin(), out.begin()) == out.begin() + 5,
         "a negative count is none");
  typename Place::template array<int> const zeros(std::vector<int>{0, 0, 0});
  float* const nothing = nullptr;
  expect(sweep::expand(at.policy, first, last, zeros.begin(), nothing) == nothing,
         "no output where there is none");
  sweep::expand_into(at.policy, first, first, zeros.begin(), nothing, 0, total.begin());
  expect_equal(total.read(), {0}, "no items");
}

}  // namespace sweep_test

#endif
