// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PARTITION_MADE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_PARTITION_MADE_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/partition_items.hpp>
#include <support/sizes.hpp>

#include <sweep/copy_if.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/partition.hpp>
#include <sweep/unique.hpp>

#include <functional>
#include <string>
#include <vector>

#if SWEEP_HAS_THRUST
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

// Compactions of items that a function makes of others, narrower or wider, which lie in memory, and of items
// that are gathered.
namespace sweep_test {

/// Makes an X of a B, with a state.
template <class X, class B>
struct made_of {
  std::uint32_t by;
  SWEEP_TEST_HD X operator()(B const& x) const { return static_cast<X>(x * by + 11); }
};

/// Equal neighbours in threes, with a state.
template <class X>
struct third_of {
  std::uint32_t by;
  SWEEP_TEST_HD X operator()(std::uint32_t i) const { return static_cast<X>(i / 3 * by + 11); }
};

#if SWEEP_HAS_THRUST
template <class It, class F>
auto made_through(It it, F f) {
  return thrust::make_transform_iterator(it, f);
}
#else
template <class It, class F>
auto made_through(It it, F f) {
  auto const read = [it, f](std::int64_t i) { return f(it[i]); };
  return sweep::detail::reader<decltype(f(*it)), decltype(read)>{read};
}
#endif

/// Every compaction of the items x, which `first` reads: part of them, as their neighbours say, by others,
/// for others, and beside their keys.
template <class X, class In, class Place>
void read_items_law(Place const& at, std::string const& title, In first, std::vector<X> const& x,
                    random_source& random) {
  auto const n = x.size();
  auto const last = first + static_cast<std::ptrdiff_t>(n);
  auto const share = shares[random.between(0, 4)];
  auto const in_offset = static_cast<std::size_t>(random.between(0, 17)),
             out_offset = static_cast<std::size_t>(random.between(0, 17));
  some_of_1024 const pred{share};
  sides_of<X, some_of_1024> const want(x, pred);
  {
    typename Place::template array<X> const out(want.yes.size(), out_offset);
    auto const end = sweep::copy_if(at.policy, first, last, out.begin(), pred);
    expect(end == out.end(), title + "copy_if returns the end");
    expect_equal(out.read(), want.yes, title + "copy_if");
    expect(out.guards_intact(), title + "copy_if writes the output only");
  }
  {
    typename Place::template array<X> const yes(want.yes.size(), out_offset), no(want.no.size(), in_offset);
    sweep::partition_copy(at.policy, first, last, yes.begin(), no.begin(), pred);
    expect_equal(yes.read(), want.yes, title + "partition_copy, selected");
    expect_equal(no.read(), want.no, title + "partition_copy, rejected");
    expect(yes.guards_intact() && no.guards_intact(), title + "partition_copy writes the outputs only");
  }
  {
    auto const heads = heads_of_runs(x, std::equal_to<X>{});
    typename Place::template array<X> const out(heads.size(), out_offset);
    auto const end = sweep::unique_copy(at.policy, first, last, out.begin(), std::equal_to<X>{});
    expect(end == out.end(), title + "unique_copy returns the end");
    expect_equal(out.read(), heads, title + "unique_copy");
    expect(out.guards_intact(), title + "unique_copy writes the output only");
  }
  // The made items decide for others, and others for them.
  {
    auto const items = draw_bytes<std::uint32_t>(n, random);
    std::vector<std::uint32_t> wanted;
    for (std::size_t i = 0; i < n; ++i)
      if (pred(x[i])) wanted.push_back(items[i]);
    typename Place::template array<std::uint32_t> const in(items, out_offset), out(wanted.size(), in_offset);
    sweep::copy_if(at.policy, in.begin(), in.end(), first, out.begin(), pred);
    expect_equal(out.read(), wanted, title + "copy_if, by made items");
    expect(out.guards_intact(), title + "copy_if by made items writes the output only");
  }
  {
    std::vector<std::uint8_t> flags(n);
    std::vector<X> wanted;
    for (std::size_t i = 0; i < n; ++i) {
      // Flags of all values.
      flags[i] = random.between(0, 1023) < static_cast<std::int64_t>(share)
                     ? static_cast<std::uint8_t>(random.between(1, 255))
                     : std::uint8_t{0};
      if (flags[i] != 0) wanted.push_back(x[i]);
    }
    typename Place::template array<std::uint8_t> const by(flags, in_offset);
    typename Place::template array<X> const out(wanted.size(), out_offset);
    auto const end = sweep::pack(at.policy, first, last, by.begin(), out.begin());
    expect(end == out.end(), title + "pack returns the end");
    expect_equal(out.read(), wanted, title + "pack");
    expect(out.guards_intact(), title + "pack writes the output only");
  }
}

template <class X, class B, class Place>
void made_items_law(Place const& at, std::string const& what, std::size_t n, random_source& random) {
  if (at.skipped) return;
  std::int64_t const means[] = {1, 3, 50, 4000};
  auto const beneath = draw_runs<B>(n, means[random.between(0, 3)], random);
  made_of<X, B> const f{static_cast<std::uint32_t>(random.between(1, 200)) * 2 + 1};
  std::vector<X> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = f(beneath[i]);
  typename Place::template array<B> const from(beneath, static_cast<std::size_t>(random.between(0, 17)));
  read_items_law(at, titled(at, what, n), made_through(static_cast<B const*>(from.begin()), f), x, random);
}

#if SWEEP_HAS_THRUST
/// Items that stand anywhere, some of them read often, others never.
template <class X, class Index, class Place>
void gathered_items_law(Place const& at, std::string const& what, std::size_t n, random_source& random) {
  if (at.skipped) return;
  std::int64_t const means[] = {1, 3, 50, 4000};
  auto const items = draw_bytes<X>(n, random);
  auto const runs = draw_runs<std::uint32_t>(n, means[random.between(0, 3)], random);
  std::vector<Index> places(n);
  std::vector<X> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    places[i] = static_cast<Index>(i > 0 && runs[i] == runs[i - 1] ? places[i - 1]
                                                                   : static_cast<Index>(random() % n));
    x[i] = items[static_cast<std::size_t>(places[i])];
  }
  typename Place::template array<X> const from(items, static_cast<std::size_t>(random.between(0, 17)));
  typename Place::template array<Index> const by(places, static_cast<std::size_t>(random.between(0, 17)));
  auto const first = thrust::make_permutation_iterator(from.begin(), by.begin());
  auto const title = titled(at, what, n);
  read_items_law(at, title, first, x, random);
  // As values of keys in memory, and of keys that are gathered too.
  auto const keys = draw_runs<std::uint16_t>(n, means[random.between(0, 3)], random);
  auto const law = [&](auto const& of, auto const& keys_first) {
    using key = std::remove_cvref_t<decltype(of[0])>;
    std::vector<key> heads;
    std::vector<X> values;
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || !(of[i] == of[i - 1])) {
        heads.push_back(of[i]);
        values.push_back(x[i]);
      }
    typename Place::template array<key> const out_keys(heads.size(), 1);
    typename Place::template array<X> const out(heads.size(), 3);
    sweep::unique_by_key_copy(at.policy, keys_first, keys_first + static_cast<std::ptrdiff_t>(n), first,
                              out_keys.begin(), out.begin());
    expect_equal(out_keys.read(), heads, title + "unique_by_key_copy, keys");
    expect_equal(out.read(), values, title + "unique_by_key_copy, gathered values");
    expect(out_keys.guards_intact() && out.guards_intact(),
           title + "unique_by_key_copy writes the outputs only");
  };
  typename Place::template array<std::uint16_t> const lying(keys, 1);
  law(keys, lying.begin());
  law(x, first);
}

template <class X, class Index, class Place>
void gathered_items_laws_of(std::string const& what, std::vector<std::size_t> const& sizes,
                            Place const& places) {
  random_source random("gathered items " + what);
  for (auto const n : sizes) gathered_items_law<X, Index>(places, what, n, random);
}
#endif

/// Items that are computed from their index, in runs of three.
template <class X, class Place>
void computed_items_law(Place const& at, std::string const& what, std::size_t n, random_source& random) {
  if (at.skipped) return;
#if SWEEP_HAS_THRUST
  auto const counted = thrust::counting_iterator<std::uint32_t>(7);
#else
  auto const count = [](std::int64_t i) { return static_cast<std::uint32_t>(i + 7); };
  auto const counted = sweep::detail::reader<std::uint32_t, decltype(count)>{count};
#endif
  auto const title = titled(at, what + ", computed", n);
  third_of<X> const f{static_cast<std::uint32_t>(random.between(1, 200)) * 2 + 1};
  auto const first = made_through(counted, f), last = first + static_cast<std::ptrdiff_t>(n);
  std::vector<X> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = f(static_cast<std::uint32_t>(i + 7));
  some_of_1024 const pred{shares[random.between(0, 4)]};
  sides_of<X, some_of_1024> const want(x, pred);
  typename Place::template array<X> const yes(want.yes.size(), 3), no(want.no.size(), 1);
  sweep::partition_copy(at.policy, first, last, yes.begin(), no.begin(), pred);
  expect_equal(yes.read(), want.yes, title + "partition_copy, selected");
  expect_equal(no.read(), want.no, title + "partition_copy, rejected");
  expect(yes.guards_intact() && no.guards_intact(), title + "partition_copy writes the outputs only");
  auto const heads = heads_of_runs(x, std::equal_to<X>{});
  typename Place::template array<X> const out(heads.size(), 2);
  sweep::unique_copy(at.policy, first, last, out.begin(), std::equal_to<X>{});
  expect_equal(out.read(), heads, title + "unique_copy");
  expect(out.guards_intact(), title + "unique_copy writes the output only");

  // The same as keys in memory, whose values are computed.
  typename Place::template array<X> const keys(x, 1), ends(heads.size());
  typename Place::template array<std::uint32_t> const values(heads.size(), 1);
  std::vector<std::uint32_t> want_values;
  for (std::size_t i = 0; i < n; ++i)
    if (i == 0 || x[i] != x[i - 1]) want_values.push_back(static_cast<std::uint32_t>(i + 7));
  sweep::unique_by_key_copy(at.policy, keys.begin(), keys.end(), counted, ends.begin(), values.begin());
  expect_equal(ends.read(), heads, title + "unique_by_key_copy, keys");
  expect_equal(values.read(), want_values, title + "unique_by_key_copy, values");
  expect(ends.guards_intact() && values.guards_intact(),
         title + "unique_by_key_copy writes the outputs only");
}

template <class X, class Place>
void computed_items_laws_of(std::string const& what, std::vector<std::size_t> const& sizes,
                            Place const& places) {
  random_source random("computed items " + what);
  std::size_t turn = 0;
  for (auto const n : sizes) computed_items_law<X>(places.for_turn(turn++), what, n, random);
}

template <class X, class B, class Place>
void made_items_laws_of(std::string const& what, std::vector<std::size_t> const& sizes, Place const& places) {
  random_source random("made items " + what);
  std::size_t turn = 0;
  for (auto const n : sizes) made_items_law<X, B>(places.for_turn(turn++), what, n, random);
}

}  // namespace sweep_test

#endif
