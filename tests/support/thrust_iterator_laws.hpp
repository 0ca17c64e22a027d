// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_THRUST_ITERATOR_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_THRUST_ITERATOR_LAWS_HPP

#include <support/iterator_laws.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/iterator_adaptor.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

namespace sweep_test {

/// The same strides as `strided`, on thrust::iterator_adaptor. Over a contiguous iterator it has that one's
/// traits in many respects, but it is not contiguous.
template <class It>
class adapted_stride : public thrust::iterator_adaptor<adapted_stride<It>, It> {
  using super = thrust::iterator_adaptor<adapted_stride<It>, It>;
  friend class thrust::iterator_core_access;

 public:
  using difference_type = std::ptrdiff_t;
  SWEEP_TEST_HD adapted_stride(It at, difference_type stride) : super(at), stride_{stride} {}

 private:
  SWEEP_TEST_HD void advance(difference_type i) { this->base_reference() += i * stride_; }
  SWEEP_TEST_HD void increment() { this->base_reference() += stride_; }
  SWEEP_TEST_HD void decrement() { this->base_reference() -= stride_; }
  template <class Other>
  SWEEP_TEST_HD difference_type distance_to(Other const& other) const {
    return (other.base() - this->base()) / stride_;
  }
  difference_type stride_;
};

struct adapted_strides {
  template <class T>
  adapted_stride<T*> operator()(T* p, std::ptrdiff_t stride) const {
    return {p, stride};
  }
};
struct thrust_reversed {
  template <class T>
  thrust::reverse_iterator<T*> operator()(T* p) const {
    return thrust::reverse_iterator<T*>(p);
  }
};

struct square {
  SWEEP_TEST_HD std::uint32_t operator()(std::uint32_t x) const { return x * x; }
};
struct pair_to_map {
  template <class Pair>
  SWEEP_TEST_HD affine<std::uint32_t> operator()(Pair const& pair) const {
    return {2u * thrust::get<0>(pair) + 1u, thrust::get<1>(pair)};
  }
};
/// heisenberg_product on tuples.
struct tuple_product {
  using tuple = thrust::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  SWEEP_TEST_HD tuple operator()(tuple const& x, tuple const& y) const {
    using thrust::get;
    return {get<0>(x) + get<0>(y), get<1>(x) + get<1>(y), get<2>(x) + get<2>(y) + get<0>(x) * get<1>(y)};
  }
};

/// Thrust's iterators that make their items, or fetch them from elsewhere.
template <class Place>
void fancy_input_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("fancy input");
  auto const x = draw_many<U>(n, random);
  auto const size = static_cast<std::ptrdiff_t>(n);
  std::vector<U> order(n), picked(n), squares(n), counted(n);
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = static_cast<U>(random.between(0, size - 1));
    picked[i] = x[order[i]];
    squares[i] = x[i] * x[i];
    counted[i] = static_cast<U>(7 + i);
  }
  typename Place::template array<U> const in(x, 1), indices(order, 3), out(n, 2);
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const law = [&](auto first, std::vector<U> const& items, std::string const& what) {
    auto const end = sweep::inclusive_scan(at.policy, first, first + size, out.begin());
    expect(end == out.end(), title + what + " returns the end of the output");
    expect_equal(out.read(), scan_oracle<U>(true, false, items, add{}, std::nullopt), title + what);
    sweep::exclusive_scan(at.policy, first, first + size, out.begin(), 5u, sweep::backward);
    expect_equal(out.read(), scan_oracle<U>(false, true, items, add{}, std::optional<U>(5)),
                 title + what + ", backward");
    expect(out.guards_intact(), title + what + ": writes the output only");
  };
  law(thrust::counting_iterator<U>(7), counted, "counting_iterator");
  law(thrust::constant_iterator<U>(3), std::vector<U>(n, 3), "constant_iterator");
  law(thrust::make_transform_iterator(in.begin(), square{}), squares, "transform_iterator");
  law(thrust::make_permutation_iterator(in.begin(), indices.begin()), picked, "permutation_iterator");
}

/// Items and results that are tuples of several arrays.
template <class Place>
void zip_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  using map = affine<U>;
  using tuple = tuple_product::tuple;
  random_source random("zip");
  auto const a = draw_many<U>(n, random), b = draw_many<U>(n, random), c = draw_many<U>(n, random);
  std::vector<map> maps(n);
  std::vector<heisenberg<U>> products(n);
  for (std::size_t i = 0; i < n; ++i) {
    maps[i] = {2 * a[i] + 1, b[i]};
    products[i] = {a[i], b[i], c[i]};
  }
  auto const size = static_cast<std::ptrdiff_t>(n);
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  typename Place::template array<U> const in_a(a, 1), in_b(b, 2), in_c(c), out_a(n, 2), out_b(n), out_c(n, 3);
  typename Place::template array<map> const out(n);

  auto const pairs = thrust::make_zip_iterator(thrust::make_tuple(in_a.begin(), in_b.begin()));
  sweep::transform_inclusive_scan(at.policy, pairs, pairs + size, out.begin(), affine_then{}, pair_to_map{});
  expect_equal(out.read(), scan_oracle<map>(true, false, maps, affine_then{}, std::nullopt),
               title + "zip in, transformed");

  auto const from = thrust::make_zip_iterator(thrust::make_tuple(in_a.begin(), in_b.begin(), in_c.begin()));
  auto const to = thrust::make_zip_iterator(thrust::make_tuple(out_a.begin(), out_b.begin(), out_c.begin()));
  auto const end =
      sweep::exclusive_scan(at.policy, from, from + size, to, tuple(1u, 2u, 3u), tuple_product{});
  expect(end - to == size, title + "zip returns the end of the output");
  auto const want = scan_oracle<heisenberg<U>>(false, false, products, heisenberg_product{},
                                               std::optional<heisenberg<U>>(heisenberg<U>{1, 2, 3}));
  auto const got_a = out_a.read(), got_b = out_b.read(), got_c = out_c.read();
  std::vector<heisenberg<U>> got(n);
  for (std::size_t i = 0; i < n; ++i) got[i] = {got_a[i], got_b[i], got_c[i]};
  expect_equal(got, want, title + "zip in and out");
  expect(out_a.guards_intact() && out_b.guards_intact() && out_c.guards_intact(),
         title + "zip writes the output only");
}

/// Outputs that change what is written, or forget it.
template <class Place>
void fancy_output_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("fancy output");
  auto const x = draw_many<U>(n, random);
  typename Place::template array<U> const in(x), out(n, 1);
  auto const size = static_cast<std::ptrdiff_t>(n);
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const discard = thrust::make_discard_iterator();
  expect(sweep::inclusive_scan(at.policy, in.begin(), in.end(), discard) - discard == size,
         title + "discard_iterator");
  expect_equal(in.read(), x, title + "discard_iterator leaves the input alone");
  auto const to = thrust::make_transform_output_iterator(out.begin(), square{});
  auto const end = sweep::exclusive_scan(at.policy, in.begin(), in.end(), to, 9u);
  expect(end - to == size, title + "transform_output_iterator returns the end of the output");
  auto want = scan_oracle<U>(false, false, x, add{}, std::optional<U>(9));
  for (auto& w : want) w *= w;
  expect_equal(out.read(), want, title + "transform_output_iterator");
  expect(out.guards_intact(), title + "transform_output_iterator writes the output only");
}

}  // namespace sweep_test

#endif
