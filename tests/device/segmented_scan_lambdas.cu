// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extended lambdas, `[] __device__`, in calls on segments and in compactions on the device.
#include <support/device_places.hpp>
#include <support/expect.hpp>

#include <sweep/copy_if.hpp>
#include <sweep/partition.hpp>
#include <sweep/remove.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/split.hpp>
#include <sweep/unique.hpp>

#include <vector>

using namespace sweep_test;

namespace sweep_test {

void lambdas_in_segments() {
  device_array<float> const x({1, 2, 3, 4}), out(4), sums(4);
  device_array<int> const keys({10, 11, 20, 21}), offsets({0, 2, 4}), keys_out(4);
  auto const sum = [] __device__(float a, float b) { return a + b; };
  auto const half = [] __device__(float a) { return 0.5 * a; };
  auto const same = [] __device__(int a, int b) { return a / 10 == b / 10; };
  auto const by_offsets = sweep::segments::by_offsets(offsets.begin(), offsets.end());
  auto const p = scan_in_registers;  // one kernel a call

  sweep::inclusive_scan_by_key(p, keys.begin(), keys.end(), x.begin(), out.begin(), same, sum);
  expect_equal(out.read(), {1, 3, 3, 7}, "inclusive_scan_by_key");
  sweep::exclusive_scan_by_key(p, keys.begin(), keys.end(), x.begin(), out.begin(), 0.5f, same, sum);
  expect_equal(out.read(), {.5f, 1.5f, .5f, 3.5f}, "exclusive_scan_by_key");
  sweep::segmented_inclusive_scan(p, x.begin(), x.end(), by_offsets, out.begin(), sum);
  expect_equal(out.read(), {1, 3, 3, 7}, "segmented_inclusive_scan");
  sweep::segmented_transform_inclusive_scan(p, x.begin(), x.end(), by_offsets, out.begin(), sum, half);
  expect_equal(out.read(), {.5f, 1.5f, 1.5f, 3.5f}, "segmented_transform_inclusive_scan");
  auto const ends =
      sweep::reduce_by_key(p, keys.begin(), keys.end(), x.begin(), keys_out.begin(), sums.begin(), same, sum);
  expect(ends.second == sums.begin() + 2, "reduce_by_key: two runs");
  auto const by_key = sums.read();
  expect(by_key[0] == 3 && by_key[1] == 7, "reduce_by_key");
  sweep::segmented_transform_reduce(p, x.begin(), x.end(), by_offsets, sums.begin(), 0.5f, sum, half);
  auto const halves = sums.read();
  expect(halves[0] == 2 && halves[1] == 4, "segmented_transform_reduce");
}

void lambdas_in_compactions() {
  device_array<float> const x({1, 2, 3, 4}), out(4), rest(4);
  auto const first_two = [](device_array<float> const& from) {
    auto all = from.read();
    all.resize(2);
    return all;
  };
  auto const big = [] __device__(float a) { return a > 2; };
  auto const nonzero = [] __device__(float a) { return a > 2 ? a : 0.f; };  // of a bool's meaning
  auto const near = [] __device__(float a, float b) { return b - a < 1.5f && a != 2; };
  auto const p = sweep::device.with(compact_in_registers);
  expect(sweep::copy_if(p, x.begin(), x.end(), out.begin(), big) == out.begin() + 2, "copy_if: two items");
  expect_equal(first_two(out), {3, 4}, "copy_if");
  expect(sweep::remove_copy_if(p, x.begin(), x.end(), out.begin(), nonzero) == out.begin() + 2,
         "remove_copy_if: two items");
  expect_equal(first_two(out), {1, 2}, "remove_copy_if by a lambda of floats");
  sweep::partition_copy(p, x.begin(), x.end(), out.begin(), rest.begin(), big);
  expect_equal(first_two(out), {3, 4}, "partition_copy: chosen");
  expect_equal(first_two(rest), {1, 2}, "partition_copy: the others");
  expect(sweep::unique_copy(p, x.begin(), x.end(), out.begin(), near) == out.begin() + 2,
         "unique_copy: two runs");
  expect_equal(first_two(out), {1, 3}, "unique_copy");
}

}  // namespace sweep_test

TEST_CASE("device lambdas: segments") { lambdas_in_segments(); }
TEST_CASE("device lambdas: compactions") { lambdas_in_compactions(); }
