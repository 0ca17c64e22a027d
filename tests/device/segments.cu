// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of segments, distribution, splits and checks on the device.
#include <support/device_places.hpp>
#include <support/segments_laws.hpp>

#include <sweep/segmented_scan.hpp>

using namespace sweep_test;

TEST_CASE("device: every notation of segments from every other") {
  // By flags and offsets as the tables' plans have it, by the others in small tiles.
  auto const at_plan = half_at(scan_in_registers, "in registers");
  conversion_laws(in_turn<0>(at_plan, on_device, at_plan, on_device, at_plan),
                  {0, 1, 31, 32, 33, 1000, sanitizing() ? 3000u : 200'000u});
}
TEST_CASE("device: distribute") {
  distribute_laws(half_at(scan_in_registers, "in registers"),
                  {0, 1, 33, 1000, sanitizing() ? 3000u : 200'000u});
}
TEST_CASE("device: split and split_and_segment") {
  split_laws(half_at(scan_in_registers, "in registers"), {0, 1, 33, 1000, sanitizing() ? 3000u : 200'000u});
}
TEST_CASE("device segmented scans: what .checked() finds, with index and value") {
  device_array<int> const x(std::vector<int>(10, 1));
  device_array<int> const out(std::vector<int>(10, -1));
  auto const by_offsets = [&](std::vector<int> const& given) {
    device_array<int> const offsets(given);
    sweep::segmented_inclusive_scan(scan_in_registers.checked(), x.begin(), x.end(),
                                    sweep::segments::by_offsets(offsets.begin(), offsets.end()), out.begin());
  };
  auto const by_lengths = [&](std::vector<int> const& given) {
    device_array<int> const lengths(given);
    sweep::segmented_inclusive_scan(scan_in_registers.checked(), x.begin(), x.end(),
                                    sweep::segments::by_lengths(lengths.begin(), lengths.end()), out.begin());
  };
  using sweep::bad_argument;
  expect_throw<bad_argument>({"offsets", "start at 2"}, [&] { by_offsets({2, 5, 10}); });
  expect_throw<bad_argument>({"offsets", "index 2", "4 after 7"}, [&] { by_offsets({0, 7, 4, 10}); });
  expect_throw<bad_argument>({"offsets", "end at 12 (index 2)", "10 items"}, [&] { by_offsets({0, 7, 12}); });
  expect_throw<bad_argument>({"lengths", "negative at index 1: -3"}, [&] { by_lengths({5, -3, 8}); });
  expect_throw<bad_argument>({"lengths", "add up to 11", "10 items"}, [&] { by_lengths({5, 6}); });
  expect_equal(out.read(), std::vector<int>(10, -1), "nothing is written");
  by_offsets({0, 7, 7, 10});
  by_lengths({5, 0, 5});
  expect_equal(out.read(), {1, 2, 3, 4, 5, 1, 2, 3, 4, 5}, "good ones pass");
}
