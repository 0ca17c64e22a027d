// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions where a stencil decides.
#include <support/device_places.hpp>
#include <support/partition_stencil_laws.hpp>
#include <support/sizes.hpp>

using namespace sweep_test;

TEST_CASE("device compactions: stencils of bytes, wide items and bits") {
  auto sizes = few_sizes();
  if (!sanitizing()) sizes.push_back(400'003);
  stencil_laws_of<std::uint32_t>("u32", sizes, compactions_in_turn<0>());
  stencil_laws_of<std::uint8_t>("u8", sizes, compactions_in_turn<1>());
  // With a stencil even wide items stay where they are until they are wanted.
  stencil_laws_of<motion>("48 bytes", sizes, compactions_in_turn<4>());
}

TEST_CASE("device compactions: stencils by the tables' plans") {
  auto sizes = few_sizes();
  if (!sanitizing()) sizes.insert(sizes.end(), {4'000'001, 26'000'001});
  random_source random("stencils by the tables' plans");
  for (auto const n : sizes) {
    auto const x = draw_bytes<std::uint32_t>(n, random);
    auto const offset = n % 6;
    for (auto const share : {shares[n % 5], shares[(n + 2) % 5]}) {
      stencil_case<decltype(on_device)::array, std::uint32_t> const given("u32", x, share, offset, random);
      given.pack_by_bytes(on_device);
      given.copy_if_by_wide(on_device);
    }
  }
  enumerate_laws_of(sizes, on_device);
}
