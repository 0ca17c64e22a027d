// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions where a stencil decides.
#include <support/device_places.hpp>
#include <support/partition_stencil_laws.hpp>
#include <support/sizes.hpp>

using namespace sweep_test;

TEST_CASE("device compactions: stencils of bytes, wide items and bits") {
  auto sizes = few_sizes();
  if (!sanitizing()) sizes.insert(sizes.end(), {4'000'001, 26'000'001});
  stencil_laws_of<std::uint32_t>("u32", sizes, on_device);
  stencil_laws_of<std::uint8_t>("u8", few_sizes(), on_device);
  stencil_laws_of<motion>("48 bytes", few_sizes(), on_device);
}
