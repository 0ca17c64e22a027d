// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PARTITION_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_PARTITION_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/partition_items.hpp>
#include <support/sizes.hpp>

#include <sweep/copy_if.hpp>
#include <sweep/partition.hpp>
#include <sweep/remove.hpp>
#include <sweep/unique.hpp>

#include <functional>
#include <string>
#include <vector>

// The laws of compactions, for any place: each is checked against the standard library, with outputs that
// have room for what belongs there and not one item more.
namespace sweep_test {

// Forms, where places take turns.
inline constexpr std::size_t copy_if_form = 0, partition_copy_form = 1, remove_if_form = 2,
                             stable_partition_form = 3, unique_copy_form = 4, unique_form = 5,
                             three_way_form = 6;

template <class Place, class X, class Pred>
void copy_if_law(Place const& at, std::string const& what, std::vector<X> const& x, Pred pred,
                 std::size_t in_offset = 0, std::size_t out_offset = 0) {
  if (at.skipped) return;
  sides_of<X, Pred> const want(x, pred);
  auto const title = titled(at, what, x.size());
  typename Place::template array<X> const in(x, in_offset), yes(want.yes.size(), out_offset);
  typename Place::template array<std::int64_t> const count(1, 1);
  auto const after = sweep::copy_if_into(at.policy, in.begin(), in.end(), yes.begin(), count.begin(), pred);
  expect(after == count.end(), title + "copy_if_into returns count + 1");
  expect(count.read()[0] == static_cast<std::int64_t>(want.yes.size()), title + "copy_if_into counts");
  expect_equal(yes.read(), want.yes, title + "copy_if_into");
  expect(yes.guards_intact() && count.guards_intact(), title + "copy_if_into writes the output only");
  expect_equal(in.read(), x, title + "copy_if_into: the input stays");
}

/// Ranges are such arrays.
template <class Array, class Place, class X, class Pred>
void partition_copy_of(Place const& at, std::string const& title, std::vector<X> const& x, Pred pred,
                       std::size_t in_offset, std::size_t out_offset) {
  sides_of<X, Pred> const want(x, pred);
  Array const in(x, in_offset), yes(want.yes.size(), out_offset), no(want.no.size(), in_offset);
  auto const ends = sweep::partition_copy(at.policy, in.begin(), in.end(), yes.begin(), no.begin(), pred);
  expect(ends.first == yes.end() && ends.second == no.end(), title + "partition_copy returns both ends");
  expect_equal(yes.read(), want.yes, title + "partition_copy, selected");
  expect_equal(no.read(), want.no, title + "partition_copy, rejected");
  expect(yes.guards_intact() && no.guards_intact(), title + "partition_copy writes the outputs only");
  expect_equal(in.read(), x, title + "partition_copy: the input stays");
}
template <class Place, class X, class Pred>
void partition_copy_law(Place const& at, std::string const& what, std::vector<X> const& x, Pred pred,
                        std::size_t in_offset = 0, std::size_t out_offset = 0) {
  if (at.skipped) return;
  partition_copy_of<typename Place::template array<X>>(at, titled(at, what, x.size()), x, pred, in_offset,
                                                       out_offset);
}

template <class Place, class X, class Pred>
void remove_if_law(Place const& at, std::string const& what, std::vector<X> const& x, Pred pred,
                   std::size_t offset = 0) {
  if (at.skipped) return;
  sides_of<X, Pred> const want(x, pred);
  auto const title = titled(at, what, x.size());
  typename Place::template array<X> const left(x, offset);
  auto const end = sweep::remove_if(at.policy, left.begin(), left.end(), pred);
  expect(end - left.begin() == static_cast<std::ptrdiff_t>(want.no.size()),
         title + "remove_if returns the end");
  expect_equal(first_items(left.read(), want.no.size()), want.no, title + "remove_if");
  expect(left.guards_intact(), title + "remove_if writes the range only");
}

template <class Place, class X, class Pred>
void stable_partition_law(Place const& at, std::string const& what, std::vector<X> const& x, Pred pred,
                          std::size_t offset = 0) {
  if (at.skipped) return;
  sides_of<X, Pred> const want(x, pred);
  auto const title = titled(at, what, x.size());
  typename Place::template array<X> const in(x, offset);
  auto const middle = sweep::stable_partition(at.policy, in.begin(), in.end(), pred);
  expect(middle - in.begin() == static_cast<std::ptrdiff_t>(want.yes.size()),
         title + "stable_partition returns the middle");
  expect_equal(in.read(), want.joined(), title + "stable_partition");
  expect(in.guards_intact(), title + "stable_partition writes the range only");
}

/// One output, two outputs, in place, both sides in place; the count returned or written.
template <class Place, class X, class Pred>
void selection_law(Place const& at, std::string const& what, std::vector<X> const& x, Pred pred,
                   std::size_t in_offset = 0, std::size_t out_offset = 0) {
  copy_if_law(at_form<copy_if_form>(at), what, x, pred, in_offset, out_offset);
  partition_copy_law(at_form<partition_copy_form>(at), what, x, pred, in_offset, in_offset);
  remove_if_law(at_form<remove_if_form>(at), what, x, pred, out_offset);
  stable_partition_law(at_form<stable_partition_form>(at), what, x, pred, in_offset);
}

template <class Place, class X>
void unique_copy_law(Place const& at, std::string const& what, std::vector<X> const& x,
                     std::size_t offset = 0) {
  if (at.skipped) return;
  auto const want = heads_of_runs(x, same_as{});
  auto const title = titled(at, what, x.size());
  typename Place::template array<X> const in(x, offset), out(want.size(), 1);
  auto const end = sweep::unique_copy(at.policy, in.begin(), in.end(), out.begin(), same_as{});
  expect(end == out.end(), title + "unique_copy returns the end");
  expect_equal(out.read(), want, title + "unique_copy");
  expect(out.guards_intact(), title + "unique_copy writes the output only");
  expect_equal(in.read(), x, title + "unique_copy: the input stays");
}

template <class Place, class X>
void unique_in_place_law(Place const& at, std::string const& what, std::vector<X> const& x,
                         std::size_t offset = 0) {
  if (at.skipped) return;
  auto const want = heads_of_runs(x, same_as{});
  auto const title = titled(at, what, x.size());
  typename Place::template array<X> const in(x, offset);
  auto const left = sweep::unique(at.policy, in.begin(), in.end(), same_as{});
  expect(left - in.begin() == static_cast<std::ptrdiff_t>(want.size()), title + "unique returns the end");
  expect_equal(first_items(in.read(), want.size()), want, title + "unique");
  expect(in.guards_intact(), title + "unique writes the range only");
}

/// Runs of equal neighbours, copied and in place.
template <class Place, class X>
void unique_law(Place const& at, std::string const& what, std::vector<X> const& x, std::size_t offset = 0) {
  unique_copy_law(at_form<unique_copy_form>(at), what, x, offset);
  unique_in_place_law(at_form<unique_form>(at), what, x, offset);
}

/// Selections from none to all, at all edge sizes.
template <class X, class Place>
void selection_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random("selection " + what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    auto const at = places.for_turn(turn);
    auto const x = draw_bytes<X>(n, random);
    auto const in_offset = static_cast<std::size_t>(random.between(0, 5)),
               out_offset = static_cast<std::size_t>(random.between(0, 5));
    auto const share = shares[turn++ % 5];
    selection_law(at, what + ", " + std::to_string(share) + "/1024", x, some_of_1024{share}, in_offset,
                  out_offset);
  }
}

/// Three sides, at a few sizes.
template <class X, class Place>
void three_way_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random("three ways " + what);
  std::size_t turn = 0;
  for (auto const n : few_sizes()) {
    if (n > most) continue;
    auto const at = places.for_turn(turn++);
    auto const share = shares[turn % 5];
    three_way_law(at, what, draw_bytes<X>(n, random), share, 300);
  }
}

template <class X, class Place>
void unique_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random("unique " + what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    std::int64_t const means[] = {1, 2, 40, 5000};
    unique_law(places.for_turn(turn), what, draw_runs<X>(n, means[turn % 4], random), turn % 6);
    ++turn;
  }
}

/// Three sides; the second predicate is asked only where the first does not hold.
template <class Place, class X>
void three_way_law(Place const& places, std::string const& what, std::vector<X> const& x, std::uint32_t first,
                   std::uint32_t second) {
  auto const& at = at_form<three_way_form>(places);
  if (at.skipped) return;
  some_of_1024 const pred1{first}, pred2{second};
  std::vector<X> one, two, three;
  for (auto const& v : x) (pred1(v) ? one : pred2(v) ? two : three).push_back(v);
  auto const title = titled(at, what, x.size());
  using array = typename Place::template array<X>;
  array const in(x, 3), a(one.size(), 1), b(two.size(), 2), c(three.size());
  auto const ends = sweep::three_way_partition_copy(at.policy, in.begin(), in.end(), a.begin(), b.begin(),
                                                    c.begin(), pred1, pred2);
  expect(ends.first == a.end() && ends.second == b.end() && ends.third == c.end(),
         title + "three_way_partition_copy returns the ends");
  expect_equal(a.read(), one, title + "three_way_partition_copy, first");
  expect_equal(b.read(), two, title + "three_way_partition_copy, second");
  expect_equal(c.read(), three, title + "three_way_partition_copy, third");
  expect(a.guards_intact() && b.guards_intact() && c.guards_intact(),
         title + "three_way_partition_copy writes the outputs only");
  typename Place::template array<std::uint32_t> const counts(2, 1);
  expect(sweep::three_way_partition_copy_into(at.policy, in.begin(), in.end(), a.begin(), b.begin(),
                                              c.begin(), counts.begin(), pred1, pred2) == counts.end(),
         title + "three_way_partition_copy_into returns counts + 2");
  expect_equal(counts.read(),
               {static_cast<std::uint32_t>(one.size()), static_cast<std::uint32_t>(two.size())},
               title + "three_way_partition_copy_into");
}

/// Keys and values, copied and in place.
template <class V = std::uint64_t, class U = std::uint32_t, class Place>
void unique_by_key_law(Place const& at, std::size_t n, std::int64_t mean) {
  if (at.skipped) return;
  random_source random("unique by key");
  auto const keys = draw_runs<U>(n, mean, random);
  auto const values = draw_bytes<V>(n, random);
  std::vector<U> want_keys;
  std::vector<V> want_values;
  for (std::size_t i = 0; i < n; ++i)
    if (i == 0 || keys[i] != keys[i - 1]) {
      want_keys.push_back(keys[i]);
      want_values.push_back(values[i]);
    }
  auto const runs = want_keys.size();
  auto const title = titled(at, "runs of " + std::to_string(mean), n);
  typename Place::template array<U> const k(keys, 1), k_out(runs, 2);
  typename Place::template array<std::uint32_t> const count(1);
  typename Place::template array<V> const v(values, 1), v_out(runs);
  auto const check = [&](std::string const& what, std::vector<U> const& got_keys,
                         std::vector<V> const& got_values) {
    expect_equal(first_items(got_keys, runs), want_keys, title + what + ", keys");
    expect_equal(first_items(got_values, runs), want_values, title + what + ", values");
  };
  auto const& p = at.policy;
  auto const ends = sweep::unique_by_key_copy(p, k.begin(), k.end(), v.begin(), k_out.begin(), v_out.begin());
  expect(ends.first == k_out.end() && ends.second == v_out.end(),
         title + "unique_by_key_copy returns both ends");
  check("unique_by_key_copy", k_out.read(), v_out.read());
  expect(k_out.guards_intact() && v_out.guards_intact(),
         title + "unique_by_key_copy writes the outputs only");
  sweep::unique_by_key_copy_into(p, k.begin(), k.end(), v.begin(), k_out.begin(), v_out.begin(),
                                 count.begin());
  expect(count.read()[0] == runs, title + "unique_by_key_copy_into");

  typename Place::template array<U> const k2(keys);
  typename Place::template array<V> const v2(values);
  sweep::unique_by_key_into(p, k2.begin(), k2.end(), v2.begin(), count.begin(), std::equal_to<U>{});
  check("unique_by_key_into", k2.read(), v2.read());
  auto const left = sweep::unique_by_key(p, k.begin(), k.end(), v.begin(), std::equal_to<>{});
  expect(left.first - k.begin() == static_cast<std::ptrdiff_t>(runs) &&
             left.second - v.begin() == static_cast<std::ptrdiff_t>(runs),
         title + "unique_by_key returns both ends");
  check("unique_by_key", k.read(), v.read());
  expect(k.guards_intact() && v.guards_intact(), title + "unique_by_key writes the ranges only");
}

}  // namespace sweep_test

#endif
