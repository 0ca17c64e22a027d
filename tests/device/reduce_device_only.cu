// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are `__device__` alone, in every place that takes one: they compile without a warning.
#include <support/device_places.hpp>
#include <support/expect.hpp>

#include <sweep/adjacent_difference.hpp>
#include <sweep/copy_if.hpp>
#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/unique.hpp>

#include <vector>

using namespace sweep_test;

namespace sweep_test {

/// Its operators are the device's alone.
struct device_number {
  int value;
  friend __device__ device_number operator+(device_number a, device_number b) { return {a.value + b.value}; }
  friend __device__ device_number operator-(device_number a, device_number b) { return {a.value - b.value}; }
  friend __device__ device_number operator*(device_number a, device_number b) { return {a.value * b.value}; }
  friend __device__ bool operator==(device_number a, device_number b) { return a.value == b.value; }
};

struct on_device_sum {
  __device__ int operator()(int a, int b) { return a + b; }
};
struct on_device_product {
  __device__ int operator()(int a, int b) { return a * b; }
};
struct on_device_double {
  __device__ int operator()(int a) { return 2 * a; }
};
struct on_device_odd {
  __device__ bool operator()(int a) { return a % 2 != 0; }
};
struct on_device_same_half {
  __device__ bool operator()(int a, int b) { return a / 2 == b / 2; }
};

std::vector<int> values_of(device_array<device_number> const& from) {
  std::vector<int> all;
  for (auto const x : from.read()) all.push_back(x.value);
  return all;
}

}  // namespace sweep_test

TEST_CASE("device functions of the device alone: functors") {
  device_array<int> const in({1, 2, 3, 4}), out(4), keys_out(4);
  auto const first = in.begin(), last = in.end();
  auto const p = sweep::device;
  CHECK(sweep::reduce(p, first, last, 1, on_device_sum{}) == 11);
  CHECK(sweep::transform_reduce(p, first, last, 1, on_device_sum{}, on_device_double{}) == 21);
  CHECK(sweep::transform_reduce(p, first, last, first, 0, on_device_sum{}, on_device_product{}) == 30);
  sweep::transform_inclusive_scan(p, first, last, out.begin(), on_device_sum{}, on_device_double{});
  expect_equal(out.read(), {2, 6, 12, 20}, "transform_inclusive_scan");
  sweep::exclusive_scan(p, first, last, out.begin(), 5, on_device_sum{});
  expect_equal(out.read(), {5, 6, 8, 11}, "exclusive_scan");
  sweep::inclusive_scan_by_key(p, first, last, first, out.begin(), on_device_same_half{}, on_device_sum{});
  expect_equal(out.read(), {1, 2, 5, 4}, "inclusive_scan_by_key");
  auto const ends = sweep::reduce_by_key(p, first, last, first, keys_out.begin(), out.begin(),
                                         on_device_same_half{}, on_device_sum{});
  CHECK(ends.second == out.begin() + 3);
  CHECK(sweep::copy_if(p, first, last, out.begin(), on_device_odd{}) == out.begin() + 2);
  CHECK(sweep::unique_copy(p, first, last, out.begin(), on_device_same_half{}) == out.begin() + 3);
  sweep::adjacent_difference(p, first, last, out.begin(), on_device_product{});
  expect_equal(out.read(), {1, 2, 6, 12}, "adjacent_difference");
}

TEST_CASE("device functions of the device alone: operators of a value") {
  device_array<device_number> const in({{1}, {2}, {2}, {4}}), out(4), keys_out(4);
  auto const first = in.begin(), last = in.end();
  auto const p = sweep::device;
  CHECK(sweep::reduce(p, first, last).value == 9);
  CHECK(sweep::transform_reduce(p, first, last, first, device_number{0}).value == 25);
  sweep::inclusive_scan(p, first, last, out.begin());
  expect_equal(values_of(out), {1, 3, 5, 9}, "inclusive_scan");
  sweep::adjacent_difference(p, first, last, out.begin());
  expect_equal(values_of(out), {1, 1, 0, 2}, "adjacent_difference");
  sweep::inclusive_scan_by_key(p, first, last, first, out.begin());
  expect_equal(values_of(out), {1, 2, 4, 4}, "inclusive_scan_by_key");
  CHECK(sweep::unique_copy(p, first, last, out.begin()) == out.begin() + 3);
}
