// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of tridiagonal systems on the device: segments, blocks of unknowns, bands.
#include <support/banded_laws.hpp>
#include <support/device_places.hpp>
#include <support/tridiagonal_block_laws.hpp>
#include <support/tridiagonal_segment_laws.hpp>

using namespace sweep_test;

TEST_CASE("device tridiagonal systems: segments") {
  segment_laws<float, notations::some>("f32", on_device, sweep::device.checked(), 300'000);
}

TEST_CASE("device tridiagonal systems: blocks") {
  block_laws<float, 2>("f32, 2", on_device, 300'000);
  block_segment_laws<float, 2>("f32, 2", on_device, 300'000);
}

TEST_CASE("device tridiagonal systems: pentadiagonal and banded") {
  pentadiagonal_laws<float>("f32", on_device, 300'000);
  wide_band_laws<double, 4>("f64, 4", on_device, 20'000);
}
