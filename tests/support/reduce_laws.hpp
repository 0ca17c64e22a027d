// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_REDUCE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_REDUCE_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/oracle.hpp>
#include <support/scan_form_laws.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/reduce.hpp>

#include <functional>
#include <string>
#include <vector>

// The laws of reductions, for any place.
namespace sweep_test {

/// The value returned and the value written, with the input at a given distance from a 256-byte boundary.
template <class Place, class X, class T, class Op>
void reduce_law(Place const& at, std::string const& what, std::vector<X> const& x, Op op, T init,
                std::size_t offset = 0) {
  auto const want = reduce_oracle<T>(x, op, init);
  auto const title = std::string(at.name) + ": " + what + ", n = " + std::to_string(x.size()) + ", offset " +
                     std::to_string(offset);
  typename Place::template array<X> const in(x, offset);
  typename Place::template array<T> const out(1, 1);
  auto const end = sweep::reduce_into(at.policy, in.begin(), in.end(), out.begin(), init, op);
  expect(end == out.end(), title + ": returns out + 1");
  expect(out.read()[0] == want, title + ": written");
  expect(out.guards_intact(), title + ": writes one item only");
  expect(sweep::reduce(at.policy, in.begin(), in.end(), init, op) == want, title + ": returned");
}

template <class X, class Op, class Draw, class Place>
void reduce_laws_of(std::string const& what, std::size_t most, Op op, X const& init, Draw draw_items,
                    Place const& places) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const n : edge_sizes(sizeof(X), most, random)) {
    auto const offset = static_cast<std::size_t>(random.between(0, 5));
    reduce_law(places.for_turn(turn++), what, draw_items(n, random), op, init, offset);
  }
}
template <class X, class Op, class Place>
void reduce_laws_of(std::string const& what, std::size_t most, Op op, Place const& places) {
  random_source random(what + " init");
  reduce_laws_of(
      what, most, op, draw<X>(random),
      [](std::size_t n, random_source& from) { return draw_many<X>(n, from); }, places);
}

/// Unsigned integers under every operator that is chosen at run time.
template <class U, class Place>
void reduce_laws_of_operators(std::string const& what, std::size_t most, Place const& places) {
  for (auto const choice : all_operations) {
    auto const draw_items = [choice](std::size_t n, random_source& from) {
      return draw_for<U>(choice, n, from);
    };
    reduce_laws_of(what + " operator " + std::to_string(static_cast<int>(choice)), most,
                   chosen_operator<U>{choice}, static_cast<U>(choice == operation::first_set ? 0 : 7),
                   draw_items, places);
  }
}

struct times {
  template <class T>
  SWEEP_TEST_HD T operator()(T const& x, T const& y) const {
    return static_cast<T>(x * y);
  }
};
struct map_of {
  SWEEP_TEST_HD affine<std::uint32_t> operator()(std::uint8_t a, std::uint32_t b) const {
    return {2u * a + 1u, b};
  }
};

/// Every way to leave arguments out or to order them.
template <class Place>
void reduce_form_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  using map = affine<U>;
  random_source random("reduce forms");
  auto const x = draw_many<U>(n, random), y = draw_many<U>(n, random);
  auto const bytes = draw_many<std::uint8_t>(n, random);
  std::vector<map> maps(n);
  U dot = 4;
  for (std::size_t i = 0; i < n; ++i) {
    maps[i] = map_of{}(bytes[i], x[i]);
    dot += x[i] * y[i];
  }
  typename Place::template array<U> const in(x, 1), other(y, 2), out(1);
  typename Place::template array<std::uint8_t> const in_bytes(bytes, 3);
  typename Place::template array<map> const out_map(1);
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const sum = reduce_oracle<U>(x, add{}, 0), bits = reduce_oracle<U>(bytes, add{}, 5, count_bits{});
  auto const first = in.begin(), last = in.end();
  auto const written = [&](U* end, U want, char const* what) {
    expect(end == out.end() && out.read()[0] == want, title + what);
  };
  expect(sweep::reduce(p, first, last) == sum, title + "reduce()");
  expect(sweep::reduce(p, first, last, 9u) == sum + 9, title + "reduce(init)");
  expect(sweep::reduce(p, first, last, 9u, std::plus<>{}) == sum + 9, title + "reduce(init, op)");
  written(sweep::reduce_into(p, first, last, out.begin()), sum, "reduce_into()");
  written(sweep::reduce_into(p, first, last, out.begin(), 9u), sum + 9, "reduce_into(init)");
  expect(sweep::transform_reduce(p, in_bytes.begin(), in_bytes.end(), 5u, std::plus<>{}, count_bits{}) ==
             bits,
         title + "transform_reduce(init, op, unary)");
  expect(sweep::transform_reduce(p, in_bytes.begin(), in_bytes.end(), count_bits{}, 5u, std::plus<>{}) ==
             bits,
         title + "transform_reduce(unary, init, op)");
  written(sweep::transform_reduce_into(p, in_bytes.begin(), in_bytes.end(), out.begin(), 5u, std::plus<>{},
                                       count_bits{}),
          bits, "transform_reduce_into(init, op, unary)");
  expect(sweep::transform_reduce(p, first, last, other.begin(), 4u) == dot,
         title + "transform_reduce of two ranges");
  expect(sweep::inner_product(p, first, last, other.begin(), 4u) == dot, title + "inner_product");
  written(sweep::inner_product_into(p, first, last, other.begin(), out.begin(), 4u), dot,
          "inner_product_into");
  map const start{3, 4};
  expect(sweep::inner_product(p, in_bytes.begin(), in_bytes.end(), first, start, affine_then{}, map_of{}) ==
             reduce_oracle<map>(maps, affine_then{}, start),
         title + "inner_product into maps");
  expect(sweep::transform_reduce(p, in_bytes.begin(), in_bytes.end(), first, start, affine_then{},
                                 map_of{}) == reduce_oracle<map>(maps, affine_then{}, start),
         title + "transform_reduce of two ranges into maps");
  sweep::transform_reduce_into(p, in_bytes.begin(), in_bytes.end(), out_map.begin(), as_map{}, start,
                               affine_then{});
  expect(out_map.read()[0] == reduce_oracle<map>(bytes, affine_then{}, start, as_map{}),
         title + "transform_reduce_into(unary, init, op)");

  // The sum is of the initial value.s type.
  auto const wide = sweep::reduce(p, in_bytes.begin(), in_bytes.end(), std::int64_t{1} << 40);
  static_assert(std::is_same_v<decltype(wide), std::int64_t const>);
  expect(wide == reduce_oracle<std::int64_t>(bytes, add{}, std::int64_t{1} << 40), title + "reduce(u8, i64)");
  auto const strides = strided<U*>(in.begin(), 2);
  auto const half = static_cast<std::ptrdiff_t>(n / 2);
  U every_other = 0;
  for (std::size_t i = 0; i + 1 < n; i += 2) every_other += x[i];
  expect(sweep::reduce(p, strides, strides + half) == every_other, title + "reduce through strides");
}

}  // namespace sweep_test

#endif
