// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_RUN_FOLD_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_RUN_FOLD_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/run_length_laws.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/segmented_reduce.hpp>

#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#if SWEEP_HAS_THRUST
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#endif

// The laws of reductions by key, for any place: any keys beside any items, wherever each of them lies.
namespace sweep_test {

/// The larger of two.
struct larger {
  template <class T>
  SWEEP_TEST_HD T operator()(T const& x, T const& y) const {
    return x < y ? y : x;
  }
};

template <class K, class X>
struct folded_runs {
  std::vector<K> keys;
  std::vector<X> folds;
};
template <class K, class X, class Op, class Eq>
folded_runs<K, X> run_fold_oracle(std::vector<K> const& keys, std::vector<X> const& x, Op op, Eq eq) {
  folded_runs<K, X> runs;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i > 0 && eq(keys[i - 1], keys[i])) {
      runs.folds.back() = op(runs.folds.back(), x[i]);
    } else {
      runs.keys.push_back(keys[i]);
      runs.folds.push_back(x[i]);
    }
  return runs;
}

struct run_fold_offsets {
  std::size_t keys, in, keys_out, out;
};

/// `Through` makes the iterators that are given from those of the arrays.
template <class Place, class K, class X, class Op, class Eq, class Through>
void run_fold_law(Place const& at, std::string const& what, std::vector<K> const& keys,
                  std::vector<X> const& x, Op op, Eq eq, run_fold_offsets const& by, Through through) {
  auto const want = run_fold_oracle(keys, x, op, eq);
  auto const runs = static_cast<std::ptrdiff_t>(want.keys.size());
  auto const n = static_cast<std::ptrdiff_t>(x.size());
  auto const title = std::string(at.name) + ": reduce_by_key, " + what + ", n = " + std::to_string(n) +
                     ", runs " + std::to_string(runs) + ", offsets " + std::to_string(by.keys) + " " +
                     std::to_string(by.in) + " " + std::to_string(by.keys_out) + " " + std::to_string(by.out);
  typename Place::template array<K> const given(keys, by.keys), keys_out(x.size(), by.keys_out);
  typename Place::template array<X> const in(x, by.in), out(x.size(), by.out);
  typename Place::template array<std::int64_t> const count(1, 1);
  auto const first = through(given.begin());
  sweep::reduce_by_key_into(at.policy, first, first + n, through(in.begin()), through(keys_out.begin()),
                            through(out.begin()), through(count.begin()), eq, op);
  expect_equal(count.read(), {std::int64_t{runs}}, title + ", the count");
  expect_start(keys_out.read(), want.keys, title + ", keys");
  expect_start(out.read(), want.folds, title + ", folds");
  expect_equal(given.read(), keys, title + ", the keys given");
  expect_equal(in.read(), x, title + ", the items given");
  expect(keys_out.guards_intact() && out.guards_intact() && count.guards_intact(),
         title + ": writes the outputs only");
}

struct as_they_are {
  template <class It>
  It operator()(It it) const {
    return it;
  }
};
/// No pointers, and nothing that leads to one.
struct by_strides_of_one {
  template <class It>
  strided<It> operator()(It it) const {
    return {it, 1};
  }
};

template <class K, class X, class Place, class Op, class Eq = equal_items, class Through = as_they_are>
void run_fold_laws_of(std::string const& what, std::size_t most, Place const& places, Op op, Eq eq = {},
                      Through through = {}) {
  random_source random(what + " run folds");
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(K) + sizeof(X), most, random)) {
    static constexpr std::int64_t means[] = {1, 2, 30, 1000, 1 << 20};
    auto const keys = draw_runs<K>(n, means[(turn + turn / 5) % 5], random);
    auto const x = draw_many<X>(n, random);
    auto const offset = [&] { return static_cast<std::size_t>(random.between(0, 15)); };
    run_fold_law(places.for_turn(turn), what, keys, x, op, eq, {offset(), offset(), offset(), offset()},
                 through);
    ++turn;
  }
}

#if SWEEP_HAS_THRUST
/// Items that are made of what lies in memory: turned round, doubled, side by side, at other places, the same
/// throughout; and keys that go nowhere, or are made of what lies in memory themselves.
struct doubled {
  SWEEP_TEST_HD std::uint64_t operator()(std::uint16_t x) const { return 2ull * x; }
};
struct sum_of_two {
  template <class Two>
  SWEEP_TEST_HD std::uint32_t operator()(Two const& two) const {
    return static_cast<std::uint32_t>(3 * thrust::get<0>(two)) + thrust::get<1>(two);
  }
};
struct halved {
  SWEEP_TEST_HD std::int16_t operator()(std::int32_t x) const { return static_cast<std::int16_t>(x / 2); }
};
template <class Place>
void run_fold_source_laws(Place const& at, std::size_t n, std::int64_t mean, random_source& random) {
  auto const keys = draw_runs<std::int32_t>(n, mean, random);
  auto const x = draw_many<std::uint16_t>(n, random);
  auto const y = draw_many<std::uint32_t>(n, random);
  typename Place::template array<std::int32_t> const given(keys, 3);
  typename Place::template array<std::uint16_t> const in(x, 5);
  typename Place::template array<std::uint32_t> const other(y, 1);
  auto const law = [&](char const* what, auto const& first, auto const& made) {
    using V = typename std::remove_cvref_t<decltype(made)>::value_type;
    auto const want = run_fold_oracle(keys, made, add{}, equal_items{});
    auto const title =
        std::string(at.name) + ": reduce_by_key of items " + what + ", n = " + std::to_string(n);
    typename Place::template array<V> const out(n, 1);
    typename Place::template array<std::int64_t> const count(1);
    sweep::reduce_by_key_into(at.policy, given.begin(), given.end(), first, thrust::discard_iterator<>(),
                              out.begin(), count.begin(), equal_items{}, add{});
    expect_equal(count.read(), {static_cast<std::int64_t>(want.keys.size())}, title + ", the count");
    expect_start(out.read(), want.folds, title);
    expect(out.guards_intact(), title + ": writes the output only");
  };
  auto const made = [n](auto item) {
    std::vector<decltype(item(n))> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = item(i);
    return all;
  };
  law("turned round", std::make_reverse_iterator(in.end()), std::vector<std::uint16_t>(x.rbegin(), x.rend()));
  law("doubled", thrust::make_transform_iterator(in.begin(), doubled{}),
      made([&](std::size_t i) { return doubled{}(x[i]); }));
  law("of two ranges",
      thrust::make_transform_iterator(
          thrust::make_zip_iterator(thrust::make_tuple(in.begin(), other.begin())), sum_of_two{}),
      made([&](std::size_t i) { return static_cast<std::uint32_t>(3 * x[i]) + y[i]; }));
  law("all the same", thrust::constant_iterator<std::int64_t>(3),
      made([](std::size_t) { return std::int64_t{3}; }));

  auto const key_law = [&](char const* what, auto const& first, auto const& all) {
    using K = typename std::remove_cvref_t<decltype(all)>::value_type;
    auto const want = run_fold_oracle(all, x, larger{}, equal_items{});
    auto const title =
        std::string(at.name) + ": reduce_by_key by keys " + what + ", n = " + std::to_string(n);
    typename Place::template array<K> const runs(n, 1);
    typename Place::template array<std::uint16_t> const out(n, 3);
    typename Place::template array<std::int64_t> const count(1);
    sweep::reduce_by_key_into(at.policy, first, first + static_cast<std::ptrdiff_t>(n), in.begin(),
                              runs.begin(), out.begin(), count.begin(), equal_items{}, larger{});
    expect_equal(count.read(), {static_cast<std::int64_t>(want.keys.size())}, title + ", the count");
    expect_start(runs.read(), want.keys, title + ", the keys");
    expect_start(out.read(), want.folds, title);
    expect(runs.guards_intact() && out.guards_intact(), title + ": writes the output only");
  };
  auto const narrow = draw_runs<std::uint16_t>(n, 2 * mean, random);
  auto const wide = draw_runs<std::uint32_t>(n, 3 * mean, random);
  typename Place::template array<std::uint16_t> const one(narrow, 7);
  typename Place::template array<std::uint32_t> const two(wide, 2);
  key_law("turned round", std::make_reverse_iterator(given.end()),
          std::vector<std::int32_t>(keys.rbegin(), keys.rend()));
  key_law("turned round", std::make_reverse_iterator(one.end()),
          std::vector<std::uint16_t>(narrow.rbegin(), narrow.rend()));
  key_law("halved", thrust::make_transform_iterator(given.begin(), halved{}),
          made([&](std::size_t i) { return halved{}(keys[i]); }));
  key_law("of two ranges",
          thrust::make_transform_iterator(
              thrust::make_zip_iterator(thrust::make_tuple(one.begin(), two.begin())), sum_of_two{}),
          made([&](std::size_t i) { return static_cast<std::uint32_t>(3 * narrow[i]) + wide[i]; }));
}
#endif

}  // namespace sweep_test

#endif
