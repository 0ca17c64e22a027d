// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_ITERATOR_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_ITERATOR_LAWS_HPP

#include <support/iterators.hpp>
#include <support/scan_laws.hpp>

#include <algorithm>
#include <iterator>

// Scans through iterators that are no plain pointers, for any place.
namespace sweep_test {

template <class T>
std::vector<T> turned(std::vector<T> items) {
  std::reverse(items.begin(), items.end());
  return items;
}

/// A backward scan equals the forward scan through reverse iterators on both sides; these are the native
/// backward path.
template <class Place, class Reverse>
void reverse_laws(Place const& at, std::size_t n, std::string const& what, Reverse reversed) {
  using T = affine<std::uint32_t>;
  random_source random("reverse");
  auto const x = draw_many<T>(n, random);
  T const init{5, 6};
  typename Place::template array<T> const in(x, 1), out(n, 2);
  auto const title = std::string(at.name) + ", " + what + ", n = " + std::to_string(n) + ": ";
  auto const want = [&](bool inclusive, bool backward) {
    return scan_oracle<T>(inclusive, backward, x, affine_then{}, std::optional<T>(init));
  };
  auto const first = reversed(in.end()), last = reversed(in.begin()), to = reversed(out.end());
  auto const end = sweep::inclusive_scan(at.policy, first, last, to, affine_then{}, init);
  expect(end == reversed(out.begin()), title + "returns the end of the output");
  expect_equal(out.read(), want(true, true), title + "inclusive forward");
  sweep::exclusive_scan(at.policy, first, last, to, init, affine_then{}, sweep::backward);
  expect_equal(out.read(), want(false, false), title + "exclusive backward");
  expect(out.guards_intact(), title + "writes the output only");
  sweep::exclusive_scan(at.policy, first, last, first, init, affine_then{});
  expect_equal(in.read(), want(false, true), title + "in place");
  expect(in.guards_intact(), title + "writes the output only, in place");
}

/// Reverse iterators on one side turn the order of the items, or of the results.
template <class Place, class Reverse>
void one_sided_reverse_laws(Place const& at, std::size_t n, std::string const& what, Reverse reversed) {
  using T = affine<std::uint32_t>;
  random_source random("reverse one side");
  auto const x = draw_many<T>(n, random);
  T const init{5, 6};
  typename Place::template array<T> const in(x, 1), out(n, 2);
  auto const title = std::string(at.name) + ", " + what + ", n = " + std::to_string(n) + ": ";
  sweep::inclusive_scan(at.policy, reversed(in.end()), reversed(in.begin()), out.begin(), affine_then{},
                        init);
  expect_equal(out.read(), scan_oracle<T>(true, false, turned(x), affine_then{}, std::optional<T>(init)),
               title + "reversed input");
  sweep::exclusive_scan(at.policy, in.begin(), in.end(), reversed(out.end()), init, affine_then{});
  expect_equal(out.read(), turned(scan_oracle<T>(false, false, x, affine_then{}, std::optional<T>(init))),
               title + "reversed output");
  expect(out.guards_intact(), title + "writes the output only");
}

/// Strided iterators: what lies between the items stays as it is. `stride_of(pointer, k)` makes one.
template <class Place, class MakeStrided>
void strided_laws(Place const& at, std::size_t n, std::string const& what, MakeStrided stride_of) {
  using T = std::uint32_t;
  random_source random("strided");
  auto const wide = draw_many<T>(3 * n, random);
  auto const old = draw_many<T>(2 * n, random);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = wide[3 * i];
  typename Place::template array<T> const in(wide), out(old);
  auto const title = std::string(at.name) + ", " + what + ", n = " + std::to_string(n) + ": ";
  auto const size = static_cast<std::ptrdiff_t>(n);
  auto const law = [&](auto direction, bool backward) {
    auto const sums = scan_oracle<T>(true, backward, x, add{}, std::nullopt);
    auto want = old;
    for (std::size_t i = 0; i < n; ++i) want[2 * i] = sums[i];
    auto const first = stride_of(in.begin(), 3);
    auto const to = stride_of(out.begin(), 2);
    auto const end = sweep::inclusive_scan(at.policy, first, first + size, to, add{}, direction);
    expect(end - to == size, title + "returns the end of the output");
    expect_equal(out.read(), want, title + (backward ? "backward" : "forward"));
    expect(out.guards_intact(), title + "writes the output only");
  };
  law(sweep::forward, false);
  law(sweep::backward, true);
}

struct hand_written_strides {
  template <class T>
  strided<T*> operator()(T* p, std::ptrdiff_t stride) const {
    return {p, stride};
  }
};
struct std_reversed {
  template <class T>
  std::reverse_iterator<T*> operator()(T* p) const {
    return std::reverse_iterator<T*>(p);
  }
};

}  // namespace sweep_test

#endif
