// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device linear recurrences in segments.
#include <support/device_places.hpp>
#include <support/segmented_recurrence_laws.hpp>

using namespace sweep_test;

TEST_CASE("device recurrences in segments: factors, and one factor in place") {
  std::vector<std::size_t> sizes{0, 1, 33, 1000, 70'001};
  if (!sanitizing()) sizes.push_back(3'000'000);
  random_source random("segmented recurrences");
  on_recurrence_layouts(sizes, on_device, random, [&](layout_case const& given, auto const& at) {
    segmented_recurrence_law(at, only<notation::offsets>, given, sweep::forward, random);
    segmented_recurrence_in_place_law(at, only<notation::key>, given, sweep::backward, random);
  });
}
