// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PARTITION_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_PARTITION_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/partition.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

// The laws of compactions, for any place: each is checked against the standard library, with outputs that
// have room for what belongs there and not one item more.
namespace sweep_test {

/// So many bytes that no word divides evenly, or that fill whole words.
template <std::size_t Bytes, class Word = std::uint32_t>
struct parcel {
  Word words[Bytes / sizeof(Word)];
  friend bool operator==(parcel const&, parcel const&) = default;
};

/// Random items of any type, all bits of them.
template <class X>
std::vector<X> draw_bytes(std::size_t n, random_source& random) {
  std::vector<X> all(n);
  for (auto& x : all) {
    unsigned char bytes[sizeof(X)];
    for (auto& b : bytes) b = static_cast<unsigned char>(random());
    std::memcpy(static_cast<void*>(&x), bytes, sizeof(X));
  }
  return all;
}

/// The same in runs of equal neighbours, on average `mean` long.
template <class X>
std::vector<X> draw_runs(std::size_t n, std::int64_t mean, random_source& random) {
  auto all = draw_bytes<X>(n, random);
  for (std::size_t i = 1; i < n; ++i)
    if (random.between(1, mean) != 1) all[i] = all[i - 1];
  return all;
}

template <class X>
SWEEP_TEST_HD std::uint32_t digest(X const& x) {
  unsigned char bytes[sizeof(X)];
  memcpy(bytes, &x, sizeof(X));
  std::uint32_t sum = 2166136261u;
  for (unsigned char const b : bytes) sum = (sum ^ b) * 16777619u;
  return sum ^ sum >> 15;
}

/// A predicate that holds for about so many of 1024 items, of any type; it has a state.
struct some_of_1024 {
  std::uint32_t share;
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& x) const {
    return digest(x) % 1024 < share;
  }
};
inline constexpr std::uint32_t shares[] = {0, 10, 512, 1014, 1024};

struct same_as {
  template <class X>
  SWEEP_TEST_HD bool operator()(X const& a, X const& b) const {
    return digest(a) == digest(b);
  }
};
struct truth {
  SWEEP_TEST_HD bool operator()(bool flag) const { return flag; }
};

template <class X, class Pred>
struct sides_of {
  std::vector<X> yes, no;
  sides_of(std::vector<X> const& x, Pred pred) {
    std::partition_copy(x.begin(), x.end(), std::back_inserter(yes), std::back_inserter(no), pred);
  }
  std::vector<X> joined() const {
    auto all = yes;
    all.insert(all.end(), no.begin(), no.end());
    return all;
  }
};

template <class X>
std::vector<X> first_items(std::vector<X> items, std::size_t count) {
  items.resize(count);
  return items;
}

template <class Place>
std::string titled(Place const& at, std::string const& what, std::size_t n) {
  return std::string(at.name) + ": " + what + ", n = " + std::to_string(n) + ": ";
}

/// One output, two outputs, in place, both sides in place; the count returned or written.
template <class Place, class X, class Pred>
void selection_law(Place const& at, std::string const& what, std::vector<X> const& x, Pred pred,
                   std::size_t in_offset = 0, std::size_t out_offset = 0) {
  sides_of<X, Pred> const want(x, pred);
  auto const kept = want.yes.size();
  auto const title = titled(at, what, x.size());
  using array = typename Place::template array<X>;
  array const in(x, in_offset), yes(kept, out_offset), no(want.no.size(), in_offset);
  typename Place::template array<std::int64_t> const count(1, 1);

  auto const after = sweep::copy_if_into(at.policy, in.begin(), in.end(), yes.begin(), count.begin(), pred);
  expect(after == count.end(), title + "copy_if_into returns count + 1");
  expect(count.read()[0] == static_cast<std::int64_t>(kept), title + "copy_if_into counts");
  expect_equal(yes.read(), want.yes, title + "copy_if_into");
  expect(yes.guards_intact() && count.guards_intact(), title + "copy_if_into writes the output only");

  array const yes_again(kept, in_offset);
  auto const ends =
      sweep::partition_copy(at.policy, in.begin(), in.end(), yes_again.begin(), no.begin(), pred);
  expect(ends.first == yes_again.end() && ends.second == no.end(),
         title + "partition_copy returns both ends");
  expect_equal(yes_again.read(), want.yes, title + "partition_copy, selected");
  expect_equal(no.read(), want.no, title + "partition_copy, rejected");
  expect(yes_again.guards_intact() && no.guards_intact(), title + "partition_copy writes the outputs only");
  expect_equal(in.read(), x, title + "the input stays");

  array const left(x, out_offset);
  auto const end = sweep::remove_if(at.policy, left.begin(), left.end(), pred);
  expect(end - left.begin() == static_cast<std::ptrdiff_t>(want.no.size()),
         title + "remove_if returns the end");
  expect_equal(first_items(left.read(), want.no.size()), want.no, title + "remove_if");
  expect(left.guards_intact(), title + "remove_if writes the range only");

  auto const middle = sweep::stable_partition(at.policy, in.begin(), in.end(), pred);
  expect(middle - in.begin() == static_cast<std::ptrdiff_t>(kept),
         title + "stable_partition returns the middle");
  expect_equal(in.read(), want.joined(), title + "stable_partition");
  expect(in.guards_intact(), title + "stable_partition writes the range only");
}

/// Runs of equal neighbours, copied and in place.
template <class Place, class X>
void unique_law(Place const& at, std::string const& what, std::vector<X> const& x, std::size_t offset = 0) {
  auto want = x;
  want.erase(std::unique(want.begin(), want.end(), same_as{}), want.end());
  auto const title = titled(at, what, x.size());
  typename Place::template array<X> const in(x, offset), out(want.size(), 1);
  auto const end = sweep::unique_copy(at.policy, in.begin(), in.end(), out.begin(), same_as{});
  expect(end == out.end(), title + "unique_copy returns the end");
  expect_equal(out.read(), want, title + "unique_copy");
  expect(out.guards_intact(), title + "unique_copy writes the output only");
  auto const left = sweep::unique(at.policy, in.begin(), in.end(), same_as{});
  expect(left - in.begin() == static_cast<std::ptrdiff_t>(want.size()), title + "unique returns the end");
  expect_equal(first_items(in.read(), want.size()), want, title + "unique");
  expect(in.guards_intact(), title + "unique writes the range only");
}

/// Selections from none to all, at all edge sizes.
template <class X, class Place>
void selection_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random("selection " + what);
  auto const host_tile = static_cast<std::size_t>(sweep::detail::host_tile_items(sizeof(X)));
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), host_tile, most, random)) {
    auto const at = places.for_turn(turn);
    auto const x = draw_bytes<X>(n, random);
    auto const in_offset = static_cast<std::size_t>(random.between(0, 5)),
               out_offset = static_cast<std::size_t>(random.between(0, 5));
    auto const share = shares[turn++ % 5];
    selection_law(at, what + ", " + std::to_string(share) + "/1024", x, some_of_1024{share}, in_offset,
                  out_offset);
  }
}

template <class X, class Place>
void unique_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random("unique " + what);
  auto const host_tile = static_cast<std::size_t>(sweep::detail::host_tile_items(sizeof(X)));
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), host_tile, most, random)) {
    std::int64_t const means[] = {1, 2, 40, 5000};
    unique_law(places.for_turn(turn), what, draw_runs<X>(n, means[turn % 4], random), turn % 6);
    ++turn;
  }
}

/// Bits of flags, with garbage behind the last of them; bit `first` of the words is flag 0.
inline std::vector<std::uint32_t> packed(std::vector<std::uint8_t> const& flags, std::size_t first) {
  std::vector<std::uint32_t> words((flags.size() + first + 31) / 32, 0xa5a5a5a5u);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    auto const bit = std::uint32_t{1} << (i + first) % 32;
    auto& word = words[(i + first) / 32];
    word = flags[i] ? word | bit : word & ~bit;
  }
  return words;
}

/// Selections by a stencil of bytes, of wide items under a predicate, and of bits at any position.
template <class Place, class X>
void stencil_law(Place const& at, std::string const& what, std::vector<X> const& x, std::uint32_t share,
                 std::size_t offset, random_source& random) {
  auto const n = x.size();
  auto const title = titled(at, what + ", " + std::to_string(share) + "/1024", n);
  std::vector<std::uint8_t> flags(n);
  std::vector<std::uint64_t> wide(n);
  std::vector<X> yes, no;
  std::vector<std::uint32_t> before(n);
  some_of_1024 const pred{share};
  for (std::size_t i = 0; i < n; ++i) {
    wide[i] = random();
    flags[i] = pred(wide[i]) ? static_cast<std::uint8_t>(random.between(1, 255)) : std::uint8_t{0};
    before[i] = static_cast<std::uint32_t>(yes.size());
    (flags[i] ? yes : no).push_back(x[i]);
  }
  std::size_t const first_bit = offset * 7;
  using array = typename Place::template array<X>;
  typename Place::template array<std::uint8_t> const flag_items(flags, offset);
  typename Place::template array<std::uint64_t> const wide_items(wide, 1);
  typename Place::template array<std::uint32_t> const words(packed(flags, first_bit)), places(n, 1);
  auto const bits = sweep::bits(words.begin(), static_cast<std::ptrdiff_t>(first_bit));
  array const in(x, offset);
  auto const law = [&](char const* name, std::vector<X> const& want, auto call) {
    array const out(want.size(), 2);
    expect(call(out.begin()) == out.end(), title + name + " returns the end");
    expect_equal(out.read(), want, title + name);
    expect(out.guards_intact(), title + name + " writes the output only");
  };
  auto const& p = at.policy;
  law("pack by bytes", yes,
      [&](X* out) { return sweep::pack(p, in.begin(), in.end(), flag_items.begin(), out); });
  law("pack by bits", yes, [&](X* out) { return sweep::pack(p, in.begin(), in.end(), bits, out); });
  law("copy_if by a wide stencil", yes,
      [&](X* out) { return sweep::copy_if(p, in.begin(), in.end(), wide_items.begin(), out, pred); });
  law("remove_copy_if by bits", no,
      [&](X* out) { return sweep::remove_copy_if(p, in.begin(), in.end(), bits, out, truth{}); });

  array const out_yes(yes.size(), offset), out_no(no.size(), 3);
  auto const ends =
      sweep::partition_copy(p, in.begin(), in.end(), bits, out_yes.begin(), out_no.begin(), truth{});
  expect(ends.first == out_yes.end() && ends.second == out_no.end(),
         title + "partition_copy returns both ends");
  expect_equal(out_yes.read(), yes, title + "partition_copy by bits, selected");
  expect_equal(out_no.read(), no, title + "partition_copy by bits, rejected");
  expect(out_yes.guards_intact() && out_no.guards_intact(), title + "partition_copy writes the outputs only");

  expect(sweep::enumerate(p, bits, bits + static_cast<std::ptrdiff_t>(n), places.begin()) == places.end(),
         title + "enumerate returns the end");
  expect_equal(places.read(), before, title + "enumerate");

  array const left(x, 1), both(x, offset);
  expect(sweep::remove_if(p, left.begin(), left.end(), wide_items.begin(), pred) ==
             left.begin() + static_cast<std::ptrdiff_t>(no.size()),
         title + "remove_if by a stencil returns the end");
  expect_equal(first_items(left.read(), no.size()), no, title + "remove_if by a stencil");
  expect(sweep::stable_partition(p, both.begin(), both.end(), bits, truth{}) ==
             both.begin() + static_cast<std::ptrdiff_t>(yes.size()),
         title + "stable_partition by bits returns the middle");
  yes.insert(yes.end(), no.begin(), no.end());
  expect_equal(both.read(), yes, title + "stable_partition by bits");
  expect(left.guards_intact() && both.guards_intact(), title + "in place by a stencil writes the range only");
  expect_equal(wide_items.read(), wide, title + "the stencil stays");
}

template <class X, class Place>
void stencil_laws_of(std::string const& what, std::vector<std::size_t> const& sizes, Place const& places) {
  random_source random("stencil " + what);
  for (std::size_t turn = 0; turn < sizes.size(); ++turn)
    for (auto const share : {shares[turn % 5], shares[(turn + 2) % 5]})
      stencil_law(places.for_turn(turn), what, draw_bytes<X>(sizes[turn], random), share, (turn + share) % 6,
                  random);
}

/// Three sides; the second predicate is asked only where the first does not hold.
template <class Place, class X>
void three_way_law(Place const& at, std::string const& what, std::vector<X> const& x, std::uint32_t first,
                   std::uint32_t second) {
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
template <class Place>
void unique_by_key_law(Place const& at, std::size_t n, std::int64_t mean) {
  using U = std::uint32_t;
  using V = std::uint64_t;
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
  typename Place::template array<U> const k(keys, 1), k_out(runs, 2), count(1);
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

/// The calls that the other laws leave out, each in every argument form.
template <class Place>
void partition_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("partition forms");
  auto const x = draw_runs<U>(n, 3, random);
  some_of_1024 const pred{300};
  sides_of<U, some_of_1024> const want(x, pred);
  auto runs = x;
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  auto const title = titled(at, "forms", n);
  using array = typename Place::template array<U>;
  array const in(x, 1), stencil(x, 2);
  auto const& p = at.policy;
  auto const first = in.begin(), last = in.end();

  auto const copies = [&](char const* name, std::vector<U> const& wanted, auto call, auto call_into) {
    array const out(wanted.size(), 1), again(wanted.size(), 2), count(1);
    expect(call(out.begin()) == out.end(), title + name + " returns the end");
    expect_equal(out.read(), wanted, title + name);
    expect(call_into(again.begin(), count.begin()) == count.end(), title + name + "_into returns count + 1");
    expect_equal(again.read(), wanted, title + name + "_into");
    expect_equal(count.read(), {static_cast<U>(wanted.size())}, title + name + "_into counts");
    expect(out.guards_intact() && again.guards_intact() && count.guards_intact(),
           title + name + " writes the output only");
  };
  copies(
      "copy_if", want.yes, [&](U* out) { return sweep::copy_if(p, first, last, out, pred); },
      [&](U* out, U* count) {
        return sweep::copy_if_into(p, first, last, stencil.begin(), out, count, pred);
      });
  copies(
      "remove_copy_if", want.no, [&](U* out) { return sweep::remove_copy_if(p, first, last, out, pred); },
      [&](U* out, U* count) { return sweep::remove_copy_if_into(p, first, last, out, count, pred); });
  copies(
      "remove_copy_if by a stencil", want.no,
      [&](U* out) { return sweep::remove_copy_if(p, first, last, stencil.begin(), out, pred); },
      [&](U* out, U* count) {
        return sweep::remove_copy_if_into(p, first, last, stencil.begin(), out, count, pred);
      });
  copies(
      "unique_copy", runs, [&](U* out) { return sweep::unique_copy(p, first, last, out); },
      [&](U* out, U* count) { return sweep::unique_copy_into(p, first, last, out, count); });
  copies(
      "pack", sides_of<U, truth>(x, truth{}).yes,
      [&](U* out) { return sweep::pack(p, first, last, stencil.begin(), out); },
      [&](U* out, U* count) { return sweep::pack_into(p, first, last, stencil.begin(), out, count); });

  auto const in_place = [&](char const* name, std::vector<U> const& wanted, std::size_t counted, auto call) {
    array const items(x, 3), count(1);
    expect(call(items.begin(), items.end(), count.begin()) == count.end(),
           title + name + " returns count + 1");
    expect_equal(first_items(items.read(), wanted.size()), wanted, title + name);
    expect_equal(count.read(), {static_cast<U>(counted)}, title + name + " counts");
    expect(items.guards_intact() && count.guards_intact(), title + name + " writes the range only");
  };
  in_place("remove_if_into", want.no, want.no.size(),
           [&](U* a, U* b, U* count) { return sweep::remove_if_into(p, a, b, count, pred); });
  in_place("remove_if_into by a stencil", want.no, want.no.size(), [&](U* a, U* b, U* count) {
    return sweep::remove_if_into(p, a, b, stencil.begin(), count, pred);
  });
  in_place("unique_into", runs, runs.size(),
           [&](U* a, U* b, U* count) { return sweep::unique_into(p, a, b, count); });
  in_place("stable_partition_into", want.joined(), want.yes.size(),
           [&](U* a, U* b, U* count) { return sweep::stable_partition_into(p, a, b, count, pred); });
  in_place("stable_partition_into by a stencil", want.joined(), want.yes.size(), [&](U* a, U* b, U* count) {
    return sweep::stable_partition_into(p, a, b, stencil.begin(), count, pred);
  });

  auto const both = [&](char const* name, auto call) {
    array const yes(want.yes.size(), 1), no(want.no.size(), 2), count(1);
    call(yes, no, count);
    expect_equal(yes.read(), want.yes, title + name + ", selected");
    expect_equal(no.read(), want.no, title + name + ", rejected");
    expect(yes.guards_intact() && no.guards_intact(), title + name + " writes the outputs only");
  };
  both("stable_partition_copy", [&](array const& yes, array const& no, array const&) {
    auto const ends = sweep::stable_partition_copy(p, first, last, yes.begin(), no.begin(), pred);
    expect(ends.first == yes.end() && ends.second == no.end(),
           title + "stable_partition_copy returns both ends");
  });
  both("stable_partition_copy by a stencil", [&](array const& yes, array const& no, array const&) {
    sweep::stable_partition_copy(p, first, last, stencil.begin(), yes.begin(), no.begin(), pred);
  });
  both("stable_partition_copy_into", [&](array const& yes, array const& no, array const& count) {
    sweep::stable_partition_copy_into(p, first, last, yes.begin(), no.begin(), count.begin(), pred);
    expect_equal(count.read(), {static_cast<U>(want.yes.size())},
                 title + "stable_partition_copy_into counts");
  });
  both("stable_partition_copy_into by a stencil", [&](array const& yes, array const& no, array const& count) {
    sweep::stable_partition_copy_into(p, first, last, stencil.begin(), yes.begin(), no.begin(), count.begin(),
                                      pred);
    expect_equal(count.read(), {static_cast<U>(want.yes.size())},
                 title + "stable_partition_copy_into counts");
  });
  three_way_law(at, "three ways", x, 200, 500);
  three_way_law(at, "three ways, all first", x, 1024, 1024);
  three_way_law(at, "three ways, none", x, 0, 0);

  // Items are converted to what the output holds; a count to what its iterator holds.
  typename Place::template array<std::uint64_t> const wide(want.yes.size(), 1);
  expect(sweep::copy_if(p, first, last, wide.begin(), pred) == wide.end(),
         title + "widened: returns the end");
  expect_equal(wide.read(), std::vector<std::uint64_t>(want.yes.begin(), want.yes.end()), title + "widened");
}

/// Strides and reversed ranges, which are no pointers. `reversed(pointer)` makes an iterator that goes back.
template <class Place, class Reverse>
void partition_iterator_laws(Place const& at, std::size_t n, Reverse reversed) {
  using U = std::uint32_t;
  random_source random("partition iterators");
  auto const wide = draw_bytes<U>(3 * n, random);
  std::vector<U> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = wide[3 * i];
  some_of_1024 const pred{400};
  sides_of<U, some_of_1024> const want(x, pred);
  auto turned = x;
  std::reverse(turned.begin(), turned.end());
  sides_of<U, some_of_1024> const back(turned, pred);
  auto const title = titled(at, "iterators", n);
  auto const size = static_cast<std::ptrdiff_t>(n), kept = static_cast<std::ptrdiff_t>(want.yes.size());
  using array = typename Place::template array<U>;
  array const in(wide, 1), out(2 * want.yes.size(), 1), plain(x, 1), turned_out(want.yes.size(), 3);
  strided<U*> const from(in.begin(), 3), to(out.begin(), 2);
  expect(sweep::copy_if(at.policy, from, from + size, to, pred) - to == kept, title + "strides: the end");
  auto got = out.read();
  for (std::size_t i = 0; i < want.yes.size(); ++i) got[i] = got[2 * i];
  expect_equal(first_items(got, want.yes.size()), want.yes, title + "strides");
  expect(out.guards_intact(), title + "strides write the output only");

  auto const first = reversed(plain.end()), last = reversed(plain.begin());
  expect(sweep::copy_if(at.policy, first, last, reversed(turned_out.end()), pred) ==
             reversed(turned_out.begin()),
         title + "reversed: the end");
  auto reversed_got = turned_out.read();
  std::reverse(reversed_got.begin(), reversed_got.end());
  expect_equal(reversed_got, back.yes, title + "reversed on both sides");
  expect(turned_out.guards_intact(), title + "reversed writes the output only");
  expect(sweep::stable_partition(at.policy, first, last, pred) - first == kept,
         title + "reversed: the middle");
  auto joined = plain.read();
  std::reverse(joined.begin(), joined.end());
  expect_equal(joined, back.joined(), title + "stable_partition, reversed");
  auto const strided_end = sweep::remove_if(at.policy, from, from + size, pred);
  expect(strided_end - from == size - kept, title + "strides in place: the end");
  auto const after = in.read();
  auto untouched = wide;
  for (std::size_t i = 0; i < n; ++i) untouched[3 * i] = after[3 * i];
  expect_equal(after, untouched, title + "what lies between the items stays");
  std::vector<U> left;
  for (std::size_t i = 0; i < want.no.size(); ++i) left.push_back(after[3 * i]);
  expect_equal(left, want.no, title + "strides in place");
}

}  // namespace sweep_test

#endif
