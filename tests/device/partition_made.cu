// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions of items that a function makes of others: by the tables' plans, which load what
// lies beneath them.
#include <support/device_places.hpp>
#include <support/partition_made_laws.hpp>

using namespace sweep_test;

namespace {

/// Of both sides of the size from which tiles come in stages, for items of so many bytes.
std::vector<std::size_t> sizes_for(std::size_t item_bytes) {
  auto sizes = few_sizes();
  if (!sanitizing()) sizes.push_back((std::size_t{14} << 20) / item_bytes + 12'345);
  return sizes;
}

}  // namespace

TEST_CASE("device compactions: items made of others") {
  made_items_laws_of<std::uint32_t, std::uint8_t>("u32 of u8", sizes_for(4), on_device);
  made_items_laws_of<std::uint16_t, std::uint16_t>("u16 of u16", sizes_for(2), on_device);
  made_items_laws_of<std::uint8_t, std::uint64_t>("u8 of u64", sizes_for(1), on_device);
}

TEST_CASE("device compactions: items that are computed") {
  computed_items_laws_of<std::uint32_t>("u32", sizes_for(4), on_device);
  computed_items_laws_of<std::uint8_t>("u8", sizes_for(1), on_device);
}
