// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_ADJACENT_DIFFERENCE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_ADJACENT_DIFFERENCE_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/made_up.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/adjacent_difference.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

// The laws of differences of neighbours, for any place.
namespace sweep_test {

template <class R, class X, class Op>
std::vector<R> adjacent_difference_oracle(bool backward, std::vector<X> const& x, Op op) {
  std::vector<R> out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool const lone = i == (backward ? x.size() - 1 : 0);
    out.push_back(lone ? static_cast<R>(x[i]) : static_cast<R>(op(x[i], x[backward ? i + 1 : i - 1])));
  }
  return out;
}

struct subtract {
  template <class T>
  SWEEP_TEST_HD T operator()(T const& x, T const& y) const {
    return static_cast<T>(x - y);
  }
};

/// Items and results at given distances from a 256-byte boundary, and in place where their types are one.
template <class R, class Place, class X, class Op, class Dir>
void adjacent_difference_law(Place const& at, std::string const& what, std::vector<X> const& x, Op op,
                             Dir dir, std::size_t in_offset, std::size_t out_offset) {
  bool const backward = std::is_same_v<Dir, sweep::backward_t>;
  auto const want = adjacent_difference_oracle<R>(backward, x, op);
  auto const title = std::string(at.name) + ": " + what + (backward ? ", backward" : ", forward") +
                     ", n = " + std::to_string(x.size()) + ", offsets " + std::to_string(in_offset) + ", " +
                     std::to_string(out_offset);
  typename Place::template array<X> const in(x, in_offset);
  typename Place::template array<R> const out(x.size(), out_offset);
  auto const end = sweep::adjacent_difference(at.policy, in.begin(), in.end(), out.begin(), op, dir);
  expect(end == out.end(), title + ": returns the end of the output");
  expect_equal(out.read(), want, title);
  expect_equal(in.read(), x, title + ", the input");
  expect(out.guards_intact(), title + ": writes the output only");
  if constexpr (std::is_same_v<X, R>) {
    sweep::adjacent_difference(at.policy, in.begin(), in.end(), in.begin(), op, dir);
    expect_equal(in.read(), want, title + ", in place");
    expect(in.guards_intact(), title + ": writes the output only, in place");
  }
}

template <class X, class R = X, class Op, class Place>
void adjacent_difference_laws_of(std::string const& what, std::size_t most, Op op, Place const& places) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    auto const x = draw_many<X>(n, random);
    auto const in_offset = static_cast<std::size_t>(random.between(0, 5));
    auto const out_offset = turn % 2 ? in_offset : static_cast<std::size_t>(random.between(0, 5));
    auto const at = places.for_turn(turn++);
    adjacent_difference_law<R>(at, what, x, op, sweep::forward, in_offset, out_offset);
    adjacent_difference_law<R>(at, what, x, op, sweep::backward, in_offset, out_offset);
  }
}

/// Every way to leave arguments out, and iterators that are no pointers.
template <class Place>
void adjacent_difference_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("adjacent_difference forms");
  auto const x = draw_many<U>(n, random);
  typename Place::template array<U> const in(x, 1), out(n, 2);
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const size = static_cast<std::ptrdiff_t>(n);
  auto const first = in.begin(), last = in.end();
  auto const want = [&](bool backward) { return adjacent_difference_oracle<U>(backward, x, subtract{}); };
  auto const written = [&](bool returned, std::vector<U> const& results, std::string const& what) {
    expect(returned, title + what + " returns the end of the output");
    expect_equal(out.read(), results, title + what);
    expect(out.guards_intact(), title + what + " writes the output only");
  };
  written(sweep::adjacent_difference(p, first, last, out.begin()) == out.end(), want(false), "()");
  written(sweep::adjacent_difference(p, first, last, out.begin(), sweep::backward) == out.end(), want(true),
          "(backward)");
  written(sweep::adjacent_difference(p, first, last, out.begin(), std::minus<>{}) == out.end(), want(false),
          "(op)");

  typename Place::template array<U> const same_place(x, 3);
  U const* const read_only = same_place.begin();
  sweep::adjacent_difference(p, read_only, read_only + size, same_place.begin());
  expect_equal(same_place.read(), want(false), title + "in place through a pointer to const");

  // Reverse iterators on both sides turn the direction, those on one side the order of items or results.
  using reverse = std::reverse_iterator<U*>;
  reverse const in_end(last), in_begin(first), out_end(out.end()), out_begin(out.begin());
  auto const turned_items = std::vector<U>(x.rbegin(), x.rend());
  written(sweep::adjacent_difference(p, in_end, in_begin, out_end) == out_begin, want(true), "reversed");
  written(sweep::adjacent_difference(p, in_end, in_begin, out_end, sweep::backward) == out_begin, want(false),
          "reversed, backward");
  written(sweep::adjacent_difference(p, in_end, in_begin, out.begin()) == out.end(),
          adjacent_difference_oracle<U>(false, turned_items, subtract{}), "reversed input");

  // Strides, in place too.
  if (n % 2 == 0) {
    std::vector<U> half(n / 2), some = x, all = x;
    for (std::size_t i = 0; i < n / 2; ++i) half[i] = x[2 * i];
    auto const result = adjacent_difference_oracle<U>(true, half, subtract{});
    for (std::size_t i = 0; i < n / 2; ++i) some[2 * i] = result[i];
    typename Place::template array<U> const again(x, 3);
    auto const strides = strided<U*>(again.begin(), 2);
    auto const end = sweep::adjacent_difference(p, strides, strides + size / 2, strides, sweep::backward);
    expect(end - strides == size / 2, title + "strides return the end of the output");
    expect_equal(again.read(), some, title + "strides in place");
    expect(again.guards_intact(), title + "strides write the output only");
  }
  std::vector<U> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = made_up{0}[static_cast<std::ptrdiff_t>(i)];
  written(sweep::adjacent_difference(p, made_up{0}, made_up{size}, out.begin()) == out.end(),
          adjacent_difference_oracle<U>(false, numbers, subtract{}), "made up");
}

}  // namespace sweep_test

#endif
