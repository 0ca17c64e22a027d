// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What folds accumulate in, and Thrust's placeholders, on the device.
#include <support/accumulator_laws.hpp>
#include <support/device_places.hpp>
#include <support/placeholder_laws.hpp>

using namespace sweep_test;

TEST_CASE("device types: what reductions, scans and segments accumulate in") {
  reduce_type_laws(on_device);
  scan_type_laws(half_at(scan_in_registers, "in registers"));
  segmented_type_laws(half_at(scan_in_registers, "in registers"));
}

TEST_CASE("device types: Thrust's placeholders") { placeholder_laws(on_device); }
