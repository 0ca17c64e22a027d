// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of removals by value, of counted runs and of Thrust's partition on the device.
#include <support/device_places.hpp>
#include <support/partition_value_laws.hpp>

using namespace sweep_test;

TEST_CASE("device compactions: by value, counted runs, partition") {
  auto const at = half_at(sweep::device.with(compact_in_registers), "in registers");
  for (auto const n : few_sizes())
    for (std::uint32_t const kinds : {1u, 2u, 50u}) {
      partition_value_laws(at, n, kinds, n % 5);
      unique_count_laws(on_device, n, kinds, n % 5);
    }
}
