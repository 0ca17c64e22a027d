// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device linear recurrences in segments.
#include <support/device_places.hpp>
#include <support/segmented_recurrence_laws.hpp>

using namespace sweep_test;

TEST_CASE("device recurrences in segments: every notation, both directions") {
  std::vector<std::size_t> sizes{0, 1, 33, 1000, 70'001};
  if (!sanitizing()) sizes.push_back(3'000'000);
  segmented_recurrence_laws(sizes, on_device);
}
