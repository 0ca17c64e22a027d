// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units with the legacy and the per-thread default stream, and of another version, in one program.
#include <support/device_places.hpp>
#include <units/laws.hpp>

TEST_CASE("device units: compiled in different ways, in one program") {
  using namespace sweep_test;
  units_law<device_array<std::uint32_t>>(sanitizing() ? 5'000 : 200'000);
}
