// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values whose copies are not trivial, on the device.
#include <support/relocatable_laws.hpp>

#include <support/device_places.hpp>

using namespace sweep_test;

TEST_CASE("device values: pairs, tuples and what is proclaimed trivially relocatable") {
  for (std::size_t const n : {1, 2, 33, 1000, 70'000, 3'000'000}) relocatable_laws(on_device, n);
}
