// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmented scans on the device by flags, keys and offsets of every width.
#include <support/device_places.hpp>
#include <support/notation_width_laws.hpp>

#include <sweep/variant.hpp>

using namespace sweep_test;

TEST_CASE("device segmented scans: flags, keys and offsets of every width") {
  random_source random("notation widths");
  for (std::size_t const n : {1, 33, 5'003, 300'007}) {
    if (sanitizing() && n > 6'000) continue;
    notation_width_laws(on_device_half, n, random);
    // With a variant every notation becomes words first, as large inputs do.
    notation_width_laws(half_at(sweep::device.with(sweep::variant::ordered_lookback), "words"), n, random);
  }
}
