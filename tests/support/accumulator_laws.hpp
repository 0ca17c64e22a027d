// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_ACCUMULATOR_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_ACCUMULATOR_LAWS_HPP

#include <support/expect.hpp>
#include <support/values.hpp>

#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_reduce.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

// What folds of items and initial values of different types accumulate in, for any place.
namespace sweep_test {

/// Fits bytes and nothing else, and makes something wider of them.
struct bytes_only {
  template <class A, class B>
    requires(std::is_same_v<A, std::uint8_t>&& std::is_same_v<B, std::uint8_t>)
  SWEEP_TEST_HD std::uint32_t operator()(A a, B b) const { return static_cast<std::uint32_t>(a + b); }
};

struct half_of {
  SWEEP_TEST_HD double operator()(int x) const { return 0.5 * x; }
};

template <class Place>
void reduce_type_laws(Place const& at) {
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ": ";
  typename Place::template array<float> const floats({1.5f, 2.5f, 3.5f, 4.5f});
  typename Place::template array<int> const ints({1, 2, 3, 4}), out(1);
  std::vector<std::uint8_t> const ones(1000, 1);
  typename Place::template array<std::uint8_t> const bytes(ones);

  auto const truncated = sweep::reduce(p, floats.begin(), floats.end(), 0);
  static_assert(std::is_same_v<decltype(truncated), int const>);
  expect(truncated == 10, title + "floats from an int are summed in ints");
  auto const whole = sweep::reduce(p, ints.begin(), ints.end(), 0.5f);
  static_assert(std::is_same_v<decltype(whole), float const>);
  expect(whole == 10.5f, title + "ints from a float are summed in floats");
  auto const narrow = sweep::reduce(p, bytes.begin(), bytes.end());
  static_assert(std::is_same_v<decltype(narrow), std::uint8_t const>);
  expect(narrow == 1000 % 256, title + "bytes from no initial value are summed in bytes");
  expect(sweep::reduce(p, bytes.begin(), bytes.end(), 0u) == 1000, title + "bytes from an unsigned");
  sweep::reduce_into(p, floats.begin(), floats.end(), out.begin(), 0);
  expect(out.read()[0] == 10, title + "reduce_into from an int");
  auto const halves = sweep::transform_reduce(p, ints.begin(), ints.end(), 0, std::plus<>{}, half_of{});
  static_assert(std::is_same_v<decltype(halves), int const>);
  expect(halves == 4, title + "transform_reduce from an int");
  auto const product = sweep::transform_reduce(p, floats.begin(), floats.end(), floats.begin(), 0);
  static_assert(std::is_same_v<decltype(product), int const>);
  expect(product == 2 + 6 + 12 + 20, title + "inner product from an int");
}

template <class Place>
void scan_type_laws(Place const& at) {
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ": ";
  typename Place::template array<float> const floats({1.5f, 2.5f, 3.5f, 4.5f}), out(4);
  std::vector<std::uint8_t> const ones(1000, 1);
  typename Place::template array<std::uint8_t> const bytes(ones);
  typename Place::template array<std::uint32_t> const counts(1000);

  sweep::inclusive_scan(p, floats.begin(), floats.end(), out.begin(), std::plus<int>{});
  expect_equal(out.read(), {1.5f, 3, 6, 10}, title + "floats by plus<int>: the sums are floats");
  sweep::exclusive_scan(p, floats.begin(), floats.end(), out.begin(), 0);
  expect_equal(out.read(), {0, 1.5f, 4, 7.5f}, title + "floats from an int");
  sweep::inclusive_scan(p, bytes.begin(), bytes.end(), counts.begin());
  expect(counts.read().back() == 1000, title + "bytes into unsigned: no sum is cut off");
  sweep::exclusive_scan(p, bytes.begin(), bytes.end(), counts.begin(), std::uint8_t{0}, std::plus<>{});
  expect(counts.read().back() == 999, title + "bytes into unsigned, from a byte");
}

template <class Place>
void segmented_type_laws(Place const& at) {
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ": ";
  typename Place::template array<float> const floats({1.5f, 2.5f, 3.5f, 4.5f}), out(2);
  typename Place::template array<int> const offsets({0, 1, 4}), keys({7, 8, 8, 8}), keys_out(4);
  sweep::segmented_reduce(p, floats.begin(), floats.end(),
                          sweep::segments::by_offsets(offsets.begin(), offsets.end()), out.begin(), 0);
  expect_equal(out.read(), {1, 9}, title + "segments of floats from an int");

  std::vector<std::uint8_t> const ones(1000, 1);
  typename Place::template array<std::uint8_t> const bytes(ones);
  typename Place::template array<int> const one_key(std::vector<int>(1000, 3));
  typename Place::template array<std::uint32_t> const sum(1);
  sweep::reduce_by_key(p, one_key.begin(), one_key.end(), bytes.begin(), keys_out.begin(), sum.begin());
  expect(sum.read()[0] == 1000, title + "runs of bytes by +");
  sweep::reduce_by_key(p, one_key.begin(), one_key.end(), bytes.begin(), keys_out.begin(), sum.begin(),
                       std::equal_to<>{}, bytes_only{});
  expect(sum.read()[0] == 1000 % 256, title + "runs of bytes by an operator on bytes");
}

}  // namespace sweep_test

#endif
