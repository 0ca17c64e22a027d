// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_MULTISPLIT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_MULTISPLIT_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/multisplit.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

// The laws of multisplits, for any place.
namespace sweep_test {

/// How items are spread over parts; `outside`: some items have none, and go to the last.
enum class parting { uniform, one, two, skewed, neighbours, outside };
inline constexpr parting all_partings[] = {parting::uniform, parting::one,        parting::two,
                                           parting::skewed,  parting::neighbours, parting::outside};

template <class T>
SWEEP_TEST_HD std::uint64_t scrambled_bits(T const& x) {
  if constexpr (std::is_arithmetic_v<T>) {
    auto const z = (static_cast<std::uint64_t>(x) + 1) * 0x9e3779b97f4a7c15u;
    return z ^ z >> 29;
  } else if constexpr (requires { x.m; }) {
    return scrambled_bits(x.m[1]);
  } else {
    return scrambled_bits(x.a) + scrambled_bits(x.b);
  }
}

/// The part of an item, chosen at run time: one kernel serves them all.
struct chosen_part {
  std::int64_t parts;
  parting how;
  template <class T>
  SWEEP_TEST_HD std::int64_t operator()(T const& x) const {
    auto const bits = scrambled_bits(x);
    auto const any = static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(parts));
    if (how == parting::one) return parts / 2;
    if (how == parting::two) return bits >> 40 & 1 ? parts - 1 : 0;
    if (how == parting::skewed) return any % (1 + static_cast<std::int64_t>(bits >> 40) % 7 * any / 7);
    if (how == parting::neighbours) return any / 2;
    if (how == parting::outside) {
      auto const which = bits >> 40 & 15;
      return which == 0 ? -1 - any : which == 1 ? parts + any : any;
    }
    return any;
  }
};

/// Where each item goes, and where parts begin.
template <class X>
struct multisplit_oracle {
  std::vector<std::int64_t> offsets;
  std::vector<std::size_t> from;  ///< of each place

  multisplit_oracle(std::vector<X> const& x, std::int64_t parts, chosen_part const& part)
      : offsets(static_cast<std::size_t>(parts) + 1), from(x.size()) {
    auto const of = [&](X const& one) {
      auto const p = part(one);
      return static_cast<std::size_t>(p < 0 || p >= parts ? parts - 1 : p);
    };
    for (auto const& one : x) ++offsets[of(one) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    auto next = offsets;
    for (std::size_t i = 0; i < x.size(); ++i) from[static_cast<std::size_t>(next[of(x[i])]++)] = i;
  }
  template <class R, class T>
  std::vector<R> moved(std::vector<T> const& items) const {
    std::vector<R> out(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) out[i] = static_cast<R>(items[from[i]]);
    return out;
  }
};

template <class X, class V, class Place>
void multisplit_law(Place const& at, std::string const& what, std::vector<X> const& x, std::int64_t parts,
                    parting how, std::size_t offset, random_source& random) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", " +
                     std::to_string(parts) + " parts, parting " + std::to_string(static_cast<int>(how)) +
                     ", offset " + std::to_string(offset);
  chosen_part const part{parts, how};
  multisplit_oracle<X> const want(x, parts, part);
  auto const n = x.size();
  auto const values = draw_many<V>(n, random);
  typename Place::template array<X> const in(x, offset), out(n, offset / 2), keys(n, offset);
  typename Place::template array<V> const by(values, offset), to(n, offset + 1);
  typename Place::template array<std::int64_t> const offsets(want.offsets.size(), 1);
  expect(sweep::multisplit(at.policy, in.begin(), in.end(), out.begin(), parts, part) == want.offsets,
         title + ": returns the offsets");
  expect_equal(out.read(), want.template moved<X>(x), title);
  auto const ends = sweep::multisplit_by_key_into(at.policy, in.begin(), in.end(), by.begin(), keys.begin(),
                                                  to.begin(), offsets.begin(), parts, part);
  expect(ends.first == keys.end() && ends.second == to.end(), title + ", by key: returns the ends");
  expect_equal(keys.read(), want.template moved<X>(x), title + ", by key: keys");
  expect_equal(to.read(), want.template moved<V>(values), title + ", by key: values");
  expect_equal(offsets.read(), want.offsets, title + ", by key: offsets");
  expect(out.guards_intact() && keys.guards_intact() && to.guards_intact() && offsets.guards_intact(),
         title + ": writes the outputs only");
  expect_equal(in.read(), x, title + ", the input");
}

inline constexpr std::int64_t all_parts[] = {256, 2, 1, 37, 64, 3, 255, 257, 8, 1000, 16, 4099, 65536};

template <class X, class V, class Place>
void multisplit_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what);
  std::size_t turn = random() % 6;
  auto sizes = edge_sizes(sizeof(X), most, random);
  for (auto const n : {4095u, 8191u, 8192u, 8193u, 5631u, 5633u})
    if (n < most && !sanitizing()) sizes.push_back(n);
  for (auto const n : sizes) {
    auto const x = draw_many<X>(n, random);
    multisplit_law<X, V>(places.for_turn(turn), what, x, all_parts[turn % 13], all_partings[turn % 6],
                         static_cast<std::size_t>(random.between(0, 9)), random);
    ++turn;
  }
}

/// Splitters, iterators that are no pointers, results of another type, the second form of each call.
template <class Place>
void multisplit_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("multisplit forms");
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const x = draw_many<U>(n, random);
  std::vector<U> cuts{0, 1000, 1u << 29, 1u << 29, 1u << 31, 0xffff0000u};
  auto const values = draw_many<float>(n, random);
  typename Place::template array<U> const in(x), splitters(cuts), twice(2 * n);
  typename Place::template array<float> const by(values);
  typename Place::template array<double> const to(n);
  typename Place::template array<std::int64_t> const wide(n);
  typename Place::template array<int> const offsets(8);
  auto const part = [&](U one) {
    return static_cast<std::size_t>(std::upper_bound(cuts.begin(), cuts.end(), one) - cuts.begin());
  };
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return part(x[a]) < part(x[b]); });
  std::vector<std::int64_t> begins(8);
  for (auto const one : x) ++begins[part(one) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());

  auto const buckets = sweep::splitters(splitters.begin(), splitters.end());
  expect(sweep::multisplit_by_key(at.policy, in.begin(), in.end(), by.begin(), wide.begin(), to.begin(), 7,
                                  buckets) == begins,
         title + "by splitters, returns the offsets");
  std::vector<std::int64_t> want(n);
  std::vector<double> want_values(n);
  for (std::size_t i = 0; i < n; ++i) {
    want[i] = x[order[i]];
    want_values[i] = values[order[i]];
  }
  expect_equal(wide.read(), want, title + "by splitters, keys that become wider");
  expect_equal(to.read(), want_values, title + "by splitters, values that become wider");

  auto all = typename Place::template array<U>(2 * n).read();
  for (std::size_t i = 0; i < n; ++i) all[2 * i] = x[order[i]];
  strided const out(twice.begin(), 2);
  expect(sweep::multisplit_into(at.policy, strided(in.begin(), 1), strided(in.end(), 1), out, offsets.begin(),
                                7, buckets) == out + static_cast<std::ptrdiff_t>(n),
         title + "strided, returns the end of the output");
  expect_equal(twice.read(), all, title + "strided");
  expect_equal(offsets.read(), std::vector<int>(begins.begin(), begins.end()), title + "strided, offsets");
}

struct one_less {
  SWEEP_TEST_HD int operator()(int x) const { return x - 1; }
};
template <class Place, class Checked>
void multisplit_error_laws(Place const& at, Checked const& checked) {
  typename Place::template array<int> const in(std::vector<int>{0, 3, 5, 2}), out(4), offsets(6);
  int* const none = nullptr;
  auto const first = in.begin(), last = in.end();
  one_less const part;
  expect_throw<sweep::bad_argument>({"sweep::multisplit:", "last", "2 items before first"}, [&] {
    sweep::multisplit(at.policy, last, last - 2, out.begin(), 5, part);
  });
  for (int const parts : {0, -1, 65537})
    expect_throw<sweep::bad_argument>(
        {"sweep::multisplit_into:", "parts", "is " + std::to_string(parts)},
        [&] { sweep::multisplit_into(at.policy, first, last, out.begin(), offsets.begin(), parts, part); });
  expect_throw<sweep::bad_argument>({"sweep::multisplit_by_key_into:", "values_out", "null"}, [&] {
    sweep::multisplit_by_key_into(at.policy, first, last, first, out.begin(), none, offsets.begin(), 5, part);
  });
  expect_throw<sweep::bad_argument>({"sweep::multisplit_into:", "offsets", "null"}, [&] {
    sweep::multisplit_into(at.policy, first, last, out.begin(), none, 5, part);
  });
  expect_throw<sweep::bad_argument>({"sweep::multisplit:", "bucket_of", "part -1", "index 0", "5"},
                                    [&] { sweep::multisplit(checked, first, last, out.begin(), 5, part); });
  expect_throw<sweep::bad_argument>({"sweep::multisplit:", "bucket_of", "part 4", "index 1", "are 4"}, [&] {
    sweep::multisplit(checked, first + 1, last, out.begin(), 4, part);
  });
  expect(out.all_untouched() && offsets.all_untouched(), "nothing is written");
  sweep::multisplit_into(at.policy, first, first, none, offsets.begin(), 5, part);
  expect_equal(offsets.read(), {0, 0, 0, 0, 0, 0}, "no items: all parts begin at 0");
}

}  // namespace sweep_test

#endif
