// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_REDUCE_POWER_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_REDUCE_POWER_LAWS_HPP

#include <support/reduce_laws.hpp>

#include <sweep/count.hpp>
#include <sweep/extrema.hpp>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#if __has_include(<cuda/__iterator/constant_iterator.h>)
#include <cuda/iterator>
#endif

#include <algorithm>

// Reductions of one value, given often, for any place.
namespace sweep_test {

/// A sum that stays at its limit.
struct add_up_to_1000 {
  SWEEP_TEST_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return a + b < 1000 ? a + b : 1000;
  }
};
struct triple_and_one {
  template <class X>
  SWEEP_TEST_HD std::uint32_t operator()(X x) const {
    return 3 * static_cast<std::uint32_t>(x) + 1;
  }
};
struct is_even_number {
  template <class X>
  SWEEP_TEST_HD bool operator()(X x) const {
    return x % 2 == 0;
  }
};
struct map_of_pair {
  template <class Pair>
  SWEEP_TEST_HD affine<std::uint32_t> operator()(Pair const& x) const {
    return {thrust::get<0>(x), thrust::get<1>(x)};
  }
};

/// x op ... op x: one half more often, from the left.
template <class T, class Op>
T power_oracle(T const& x, std::int64_t n, Op op) {
  if (n == 1) return x;
  T const half = power_oracle(x, n / 2, op), even = op(half, half);
  return n % 2 ? op(even, x) : even;
}

/// init op x op ... op x.
template <class T, class X, class Op>
T power_oracle(T const& init, X const& x, std::int64_t n, Op op) {
  return n == 0 ? init : op(init, power_oracle(static_cast<T>(x), n, op));
}

template <class Place, class X, class T, class Op>
void reduce_power_law(Place const& at, char const* what, X const& x, std::int64_t n, Op op, T const& init) {
  thrust::constant_iterator<X> const first(x);
  expect(sweep::reduce(at.policy, first, first + n, init, op) == power_oracle(init, x, n, op),
         std::string(at.name) + ": " + what + ", n = " + std::to_string(n));
}

/// Every iterator that gives one value alone, and a result that is written.
template <class Place>
void reduce_power_source_laws(Place const& at, std::int64_t n) {
  using U = std::uint32_t;
  using map = affine<U>;
  map const start{3, 4}, x{5, 10};
  auto const want = power_oracle(start, x, n, affine_then{});
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  thrust::constant_iterator<map> const first(x);
  typename Place::template array<map> const out(1, 1);
  auto const end = sweep::reduce_into(at.policy, first, first + n, out.begin(), start, affine_then{});
  expect(end == out.end(), title + "returns out + 1");
  expect(out.read()[0] == want, title + "written");
  expect(out.guards_intact(), title + "writes one item only");
  auto const reversed = thrust::make_reverse_iterator(first + n);
  expect(sweep::reduce(at.policy, reversed, reversed + n, start, affine_then{}) == want, title + "reversed");
#if __has_include(<cuda/__iterator/constant_iterator.h>)
  cuda::constant_iterator<map> const of_libcuxx(x);
  expect(sweep::reduce(at.policy, of_libcuxx, of_libcuxx + n, start, affine_then{}) == want,
         title + "libcu++'s constant");
#endif
  auto const pairs = thrust::make_zip_iterator(
      thrust::make_constant_iterator(U{5}),
      thrust::make_transform_iterator(thrust::constant_iterator<int>(3), triple_and_one{}));
  expect(sweep::transform_reduce(at.policy, pairs, pairs + n, start, affine_then{}, map_of_pair{}) == want,
         title + "a zip of a constant and a transform");
}

template <class Place>
void reduce_power_laws(Place const& at, std::int64_t n) {
  using U = std::uint32_t;
  reduce_power_law(at, "sum of bytes", std::uint8_t{200}, n, add{}, std::uint64_t{7});
  reduce_power_law(at, "sum up to a limit", U{7}, n, add_up_to_1000{}, U{3});
  reduce_power_law(at, "matrices", matrix2{{2, 3, 5, 7}}, n, matrix2_product{}, matrix2{{1, 2, 3, 5}});
  reduce_power_law(at, "brackets", brackets{1, 2}, std::min<std::int64_t>(n, 1 << 20), brackets_join{},
                   brackets{2, 5});
  reduce_power_source_laws(at, n);
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  thrust::constant_iterator<int> const tens(10), threes(3);
  auto const times = static_cast<U>(n);
  expect(sweep::reduce(at.policy, tens, tens + n, U{1}) == 1 + 10 * times, title + "the sum");
  expect(sweep::reduce(at.policy, thrust::make_constant_iterator(1.75),
                       thrust::make_constant_iterator(1.75) + n, std::int64_t{5}) == 5 + n,
         title + "items are made of the result's type first");
  expect(sweep::transform_reduce(at.policy, tens, tens + n, U{1}, add{}, triple_and_one{}) == 1 + 31 * times,
         title + "a function");
  expect(sweep::transform_reduce(at.policy, tens, tens + n, threes, U{2}) == 2 + 30 * times,
         title + "an inner product");
  expect(sweep::count_if(at.policy, tens, tens + n, is_even_number{}) == n, title + "a count");
}

/// What is not one value for all that: an index, and a zip with others.
template <class Place>
void not_a_power_laws(Place const& at) {
  constexpr std::int64_t n = 10'007;
  thrust::constant_iterator<int> const tens(10);
  expect(sweep::min_element(at.policy, tens, tens + n) == tens,
         std::string(at.name) + ": the first of equals");
  auto const pairs = thrust::make_zip_iterator(thrust::make_constant_iterator(std::uint32_t{5}),
                                               thrust::make_counting_iterator(std::uint32_t{0}));
  affine<std::uint32_t> want{1, 0};
  for (std::uint32_t i = 0; i < n; ++i) want = affine_then{}(want, affine<std::uint32_t>{5, i});
  expect(sweep::transform_reduce(at.policy, pairs, pairs + n, affine<std::uint32_t>{1, 0}, affine_then{},
                                 map_of_pair{}) == want,
         std::string(at.name) + ": a constant beside indices");
}

/// Largest: where every application of the operator would take too long.
template <class Place>
void reduce_power_laws(Place const& at, std::initializer_list<std::int64_t> largest) {
  for (std::int64_t const n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 31, 32, 33, 1000, 4097}) reduce_power_laws(at, n);
  for (std::int64_t const n : largest) reduce_power_laws(at, n);
  not_a_power_laws(at);
}

}  // namespace sweep_test

#endif
