// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs of no items, on the device.
#include <support/device_places.hpp>
#include <support/empty_output_laws.hpp>

using namespace sweep_test;

TEST_CASE("device compactions: outputs of no items may be null pointers") {
  for (std::size_t const n : {1, 2, 33, 70'000})
    empty_output_laws(half_at(sweep::device.with(compact_in_registers), "in registers"), n);
}
