// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PARTITION_FORM_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_PARTITION_FORM_LAWS_HPP

#include <support/iterators.hpp>
#include <support/partition_laws.hpp>

#include <algorithm>
#include <string>
#include <vector>

// Every form of every compaction, and iterators that are no plain pointers, for any place.
namespace sweep_test {

/// The calls that the other laws leave out, each in every argument form.
template <class Place>
void partition_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("partition forms");
  auto const x = draw_runs<U>(n, 3, random);
  some_of_1024 const pred{300};
  sides_of<U, some_of_1024> const want(x, pred);
  auto const runs = heads_of_runs(x);
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
