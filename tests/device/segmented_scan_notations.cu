// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented scans on the device by flags, keys and offsets of every width.
#include <support/device_places.hpp>
#include <support/notation_width_laws.hpp>

using namespace sweep_test;

TEST_CASE("device segmented scans: flags, keys and offsets of every width") {
  random_source random("notation widths");
  for (std::size_t const n : {1, 33, 5'003, 300'007}) {
    if (sanitizing() && n > 6'000) continue;
    // Small inputs are asked item by item, where a width is a width.
    notation_width_laws<true>(on_device_half, n, random);
    // With a plan every notation becomes words first, as large inputs do: by wide loads, other ones for every
    // width.
    notation_width_laws(half_at(scan_in_registers, "words"), n, random);
  }
}
