// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys that results are written over, on the device: as many as tiles ask themselves, and as become bits
// first.
#include <support/device_places.hpp>
#include <support/overwritten_key_laws.hpp>

using namespace sweep_test;

TEST_CASE("device segments: results over the keys") {
  for (std::size_t const n : {1, 2, 33, 1000, 70'000, 3'000'000}) overwritten_key_laws(on_device, n);
}
