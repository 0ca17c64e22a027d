// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extended lambdas, `[] __device__`, of every type of result in scans, reductions and differences of
// neighbours on the device. nvcc's pass for the host sees none of their results.
#include <support/device_places.hpp>
#include <support/expect.hpp>

#include <sweep/adjacent_difference.hpp>
#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>

#include <functional>
#include <vector>

using namespace sweep_test;

namespace sweep_test {

struct extent {
  float low, high;
  friend bool operator==(extent const&, extent const&) = default;
};

void lambdas_in_scans() {
  device_array<float> const x({1, 2, 3, 4}), out(4);
  device_array<int> const ints({1, 2, 3, 4});
  auto const n = 4;
  auto const sum = [] __device__(float a, float b) { return a + b; };
  auto const half = [] __device__(int a) { return 0.5f * a; };
  auto const wide = [] __device__(float a, float b) { return double{a} + b; };
  auto const said = [] __device__(float a, float b) -> float { return a + b; };
  auto const p = scan_in_registers;  // one kernel a call

  sweep::inclusive_scan(p, x.begin(), x.end(), out.begin(), sum);
  expect_equal(out.read(), {1, 3, 6, 10}, "inclusive_scan of floats");
  sweep::inclusive_scan(p, x.begin(), x.end(), out.begin(), wide);
  expect_equal(out.read(), {1, 3, 6, 10}, "inclusive_scan of floats by a lambda of doubles");
  sweep::inclusive_scan(p, x.begin(), x.end(), out.begin(), said);
  expect_equal(out.read(), {1, 3, 6, 10}, "inclusive_scan by a lambda that says what it returns");
  sweep::inclusive_scan(p, x.begin(), x.end(), out.begin(), sum, 10.f);
  expect_equal(out.read(), {11, 13, 16, 20}, "inclusive_scan from 10");
  sweep::inclusive_scan(p, x.begin(), x.end(), out.begin(), 10.f, sum);
  expect_equal(out.read(), {11, 13, 16, 20}, "inclusive_scan from 10, Thrust's order");
  sweep::exclusive_scan(p, x.begin(), x.end(), out.begin(), 1.f, sum);
  expect_equal(out.read(), {1, 2, 4, 7}, "exclusive_scan");
  sweep::transform_inclusive_scan(p, ints.begin(), ints.begin() + n, out.begin(), std::plus<>{}, half);
  expect_equal(out.read(), {.5f, 1.5f, 3, 5}, "transform_inclusive_scan by plus<>");
  sweep::transform_inclusive_scan(p, ints.begin(), ints.begin() + n, out.begin(), half, std::plus<>{});
  expect_equal(out.read(), {.5f, 1.5f, 3, 5}, "transform_inclusive_scan by plus<>, Thrust's order");
  sweep::transform_inclusive_scan(p, ints.begin(), ints.begin() + n, out.begin(), sum, half);
  expect_equal(out.read(), {.5f, 1.5f, 3, 5}, "transform_inclusive_scan of two lambdas");
  sweep::transform_inclusive_scan(p, ints.begin(), ints.begin() + n, out.begin(), half, sum);
  expect_equal(out.read(), {.5f, 1.5f, 3, 5}, "transform_inclusive_scan of two lambdas, Thrust's order");
  sweep::transform_inclusive_scan(p, ints.begin(), ints.begin() + n, out.begin(), half, 1.f, sum);
  expect_equal(out.read(), {1.5f, 2.5f, 4, 6}, "transform_inclusive_scan from 1, Thrust's order");
  sweep::transform_inclusive_scan(p, ints.begin(), ints.begin() + n, out.begin(), sum, half, 1.f);
  expect_equal(out.read(), {1.5f, 2.5f, 4, 6}, "transform_inclusive_scan from 1, the standard's order");
  sweep::transform_exclusive_scan(p, ints.begin(), ints.begin() + n, out.begin(), 1.f, sum, half);
  expect_equal(out.read(), {1, 1.5f, 2.5f, 4}, "transform_exclusive_scan");
  sweep::transform_exclusive_scan(p, ints.begin(), ints.begin() + n, out.begin(), half, 1.f, sum);
  expect_equal(out.read(), {1, 1.5f, 2.5f, 4}, "transform_exclusive_scan, Thrust's order");

  device_array<extent> const extents(4);
  sweep::transform_inclusive_scan(
      p, x.begin(), x.end(), extents.begin(),
      [] __device__(extent a, extent b) {
        return extent{fminf(a.low, b.low), fmaxf(a.high, b.high)};
      },
      [] __device__(float a) {
        return extent{-a, a};
      });
  expect_equal(extents.read(), {{-1, 1}, {-2, 2}, {-3, 3}, {-4, 4}}, "transform_inclusive_scan of structs");
  device_array<unsigned char> const any(4);
  sweep::transform_inclusive_scan(
      p, ints.begin(), ints.end(), any.begin(), [] __device__(bool a, bool b) { return a || b; },
      [] __device__(int a) { return a > 2; });
  expect_equal(any.read(), {0, 0, 1, 1}, "transform_inclusive_scan of bools");
}

void lambdas_in_reductions() {
  device_array<float> const x({1, 2, 3, 4}), out(1);
  auto const sum = [] __device__(float a, float b) { return a + b; };
  auto const join = [] __device__(extent a, extent b) {
    return extent{fminf(a.low, b.low), fmaxf(a.high, b.high)};
  };
  auto const around = [] __device__(float a) { return extent{-a, a}; };
  auto const either = [] __device__(bool a, bool b) { return a || b; };
  auto const p = sweep::device;
  expect(sweep::reduce(p, x.begin(), x.end(), 0.5f, sum) == 10.5f, "reduce of floats");
  expect(sweep::reduce(p, x.begin(), x.end(), 0.5, sum) == 10.5, "reduce of floats from a double");
  sweep::reduce_into(p, x.begin(), x.end(), out.begin(), 0.5f, sum);
  expect(out.read()[0] == 10.5f, "reduce_into");
  expect(sweep::transform_reduce(p, x.begin(), x.end(), extent{0, 0}, join, around) == extent{-4, 4},
         "transform_reduce of structs");
  expect(sweep::transform_reduce(p, x.begin(), x.end(), around, extent{0, 0}, join) == extent{-4, 4},
         "transform_reduce of structs, Thrust's order");
  expect(sweep::transform_reduce(p, x.begin(), x.end(), 0.0, std::plus<>{},
                                 [] __device__(float a) { return double{a} / 4; }) == 2.5,
         "transform_reduce of doubles");
  expect(
      sweep::transform_reduce(p, x.begin(), x.end(), false, either, [] __device__(float a) { return a > 3; }),
      "transform_reduce of bools");
  expect(sweep::transform_reduce(p, x.begin(), x.end(), x.begin(), 1.5f, sum,
                                 [] __device__(float a, float b) { return a * b; }) == 31.5f,
         "transform_reduce of two ranges");
}

void lambdas_between_neighbours() {
  device_array<float> const x({1, 2, 4, 8}), out(4);
  sweep::adjacent_difference(sweep::device, x.begin(), x.end(), out.begin(),
                             [] __device__(float a, float b) { return (a - b) / 2; });
  expect_equal(out.read(), {1, .5f, 1, 2}, "adjacent_difference");
}

}  // namespace sweep_test

TEST_CASE("device lambdas: scans") { lambdas_in_scans(); }
TEST_CASE("device lambdas: reductions") { lambdas_in_reductions(); }
TEST_CASE("device lambdas: differences of neighbours") { lambdas_between_neighbours(); }
