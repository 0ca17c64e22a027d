// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_GATHER_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_GATHER_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/gather.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

// The laws of gathers and scatters, for any place.
namespace sweep_test {

/// n integers below `places`, any of them.
template <class M>
std::vector<M> draw_map(std::size_t n, std::size_t places, random_source& random) {
  std::vector<M> map(n);
  for (auto& at : map) at = static_cast<M>(random() % places);
  return map;
}
/// n different integers below `places`.
template <class M>
std::vector<M> draw_distinct(std::size_t n, std::size_t places, random_source& random) {
  std::vector<M> all(places);
  std::iota(all.begin(), all.end(), M{0});
  for (std::size_t i = 0; i < n; ++i) std::swap(all[i], all[i + random() % (places - i)]);
  all.resize(n);
  return all;
}

struct is_odd {
  template <class T>
  SWEEP_TEST_HD bool operator()(T const& x) const {
    return x % 2 != 0;
  }
};

/// What an array that nobody has written holds.
template <class R>
R untouched_item() {
  R x;
  std::memset(static_cast<void*>(&x), 0xa5, sizeof x);
  return x;
}

/// Both, with a stencil and without, at given distances from a 256-byte boundary.
template <class R, class M, class Place, class X>
void gather_law(Place const& at, std::string const& what, std::vector<X> const& x, std::size_t n,
                std::size_t in_offset, std::size_t out_offset, random_source& random) {
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(n) + ", offsets " +
                     std::to_string(in_offset) + ", " + std::to_string(out_offset);
  auto const any = draw_map<M>(n, x.size(), random), distinct = draw_distinct<M>(n, x.size(), random);
  auto const marks = draw_many<std::uint8_t>(n, random);
  typename Place::template array<X> const in(x, in_offset);
  typename Place::template array<M> const any_map(any, in_offset + 1), distinct_map(distinct, in_offset);
  typename Place::template array<std::uint8_t> const stencil(marks, out_offset);

  std::vector<R> all(n), some(n, untouched_item<R>());
  for (std::size_t i = 0; i < n; ++i) {
    all[i] = static_cast<R>(x[static_cast<std::size_t>(any[i])]);
    if (marks[i] % 2 != 0) some[i] = all[i];
  }
  typename Place::template array<R> const out(n, out_offset), out_some(n, out_offset);
  expect(sweep::gather(at.policy, any_map.begin(), any_map.end(), in.begin(), out.begin()) == out.end(),
         title + ": gather returns the end of the output");
  expect_equal(out.read(), all, title + ", gather");
  expect(sweep::gather_if(at.policy, any_map.begin(), any_map.end(), stencil.begin(), in.begin(),
                          out_some.begin(), is_odd{}) == out_some.end(),
         title + ": gather_if returns the end of the output");
  expect_equal(out_some.read(), some, title + ", gather_if");

  std::vector<R> to(x.size(), untouched_item<R>()), to_some = to;
  for (std::size_t i = 0; i < n; ++i) {
    auto const place = static_cast<std::size_t>(distinct[i]);
    to[place] = static_cast<R>(x[i]);
    if (marks[i] != 0) to_some[place] = to[place];
  }
  typename Place::template array<R> const moved(x.size(), out_offset), moved_some(x.size(), out_offset);
  auto const size = static_cast<std::ptrdiff_t>(n);
  sweep::scatter(at.policy, in.begin(), in.begin() + size, distinct_map.begin(), moved.begin());
  expect_equal(moved.read(), to, title + ", scatter");
  sweep::scatter_if(at.policy, in.begin(), in.begin() + size, distinct_map.begin(), stencil.begin(),
                    moved_some.begin());
  expect_equal(moved_some.read(), to_some, title + ", scatter_if");
  expect(out.guards_intact() && out_some.guards_intact() && moved.guards_intact() &&
             moved_some.guards_intact(),
         title + ": writes the output only");
  expect_equal(in.read(), x, title + ", the input");
}

template <class X, class M, class R = X, class Place>
void gather_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(std::max(sizeof(X), sizeof(M)), most, random)) {
    auto const more = static_cast<std::size_t>(random.between(1, 1000));
    auto const x = draw_many<X>(n + more, random);
    auto const in_offset = static_cast<std::size_t>(random.between(0, 5));
    auto const out_offset = turn % 2 ? in_offset : static_cast<std::size_t>(random.between(0, 5));
    gather_law<R, M>(places.for_turn(turn++), what, x, n, in_offset, out_offset, random);
  }
}

/// n - 1, n - 2, ..., 0: a map without memory.
struct backwards {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::int64_t;
  std::int64_t last;
  SWEEP_TEST_HD std::int64_t operator[](std::ptrdiff_t i) const { return last - i; }
  SWEEP_TEST_HD std::int64_t operator*() const { return last; }
  friend SWEEP_TEST_HD backwards operator+(backwards a, std::ptrdiff_t i) { return {a.last - i}; }
  friend SWEEP_TEST_HD std::ptrdiff_t operator-(backwards a, backwards b) { return b.last - a.last; }
};

/// Iterators that are no pointers.
template <class Place>
void gather_iterator_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("gather iterators");
  auto const x = draw_many<U>(n, random);
  typename Place::template array<U> const in(x, 1), out(2 * n, 2), back(n, 0);
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const size = static_cast<std::ptrdiff_t>(n);
  std::vector<U> want(2 * n, untouched_item<U>()), turned(x.rbegin(), x.rend());
  for (std::size_t i = 0; i < n; ++i) want[2 * i] = x[n - 1 - i];
  auto const every_second = strided<U*>(out.begin(), 2);
  auto const end = sweep::gather(at.policy, backwards{size - 1}, backwards{-1}, in.begin(), every_second);
  expect(end - every_second == size, title + "returns the end of the output");
  expect_equal(out.read(), want, title + "a map without memory, into strides");
  sweep::scatter(at.policy, every_second, every_second + size, backwards{size - 1}, back.begin());
  expect_equal(back.read(), x, title + "and back from strides");
  using reverse = std::reverse_iterator<U*>;
  sweep::gather(at.policy, backwards{size - 1}, backwards{-1}, reverse(in.end()), back.begin());
  expect_equal(back.read(), x, title + "backwards from reverse iterators");
  sweep::scatter(at.policy, reverse(in.end()), reverse(in.begin()), backwards{size - 1}, back.begin());
  expect_equal(back.read(), x, title + "backwards from reversed items");
  expect(out.guards_intact() && back.guards_intact(), title + "writes the output only");
}

/// Bad input, and that nothing is written.
template <class Place, class Checked>
void gather_error_laws(Place const& at, Checked const& checked) {
  std::vector<int> const map{3, 1, -2, 0};
  std::vector<std::uint8_t> const marks{1, 1, 0, 1};
  std::vector<float> const x{1, 2, 3, 4};
  typename Place::template array<int> const places(map);
  typename Place::template array<std::uint8_t> const stencil(marks);
  typename Place::template array<float> const in(x), out(4);
  auto const& p = at.policy;
  int* const none = nullptr;
  float* const nothing = nullptr;
  expect_throw<sweep::bad_argument>({"sweep::gather:", "map_last", "2 items before map_first"}, [&] {
    sweep::gather(p, places.end(), places.end() - 2, in.begin(), out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::gather_if:", "map_first", "null"}, [&] {
    sweep::gather_if(p, none, none + 3, stencil.begin(), in.begin(), out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::scatter:", "out", "null"}, [&] {
    sweep::scatter(p, in.begin(), in.end(), places.begin(), nothing);
  });
  expect_throw<sweep::bad_argument>({"sweep::gather:", "map_first", "negative at index 2: -2"}, [&] {
    sweep::gather(checked, places.begin(), places.end(), in.begin(), out.begin());
  });
  expect_throw<sweep::bad_argument>({"sweep::scatter:", "map", "negative at index 2: -2"}, [&] {
    sweep::scatter(checked, in.begin(), in.end(), places.begin(), out.begin());
  });
  expect(out.all_untouched(), "nothing is written");
  sweep::gather_if(checked, places.begin(), places.end(), stencil.begin(), in.begin(), out.begin());
  expect_equal(out.read(), {4, 2, untouched_item<float>(), 1}, "a negative index that is not used");
  CHECK(sweep::gather(p, none, none, nothing, nothing) == nothing);
}

}  // namespace sweep_test

#endif
