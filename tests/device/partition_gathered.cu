// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions of items that are read through a permutation: as what decides, beside it, and as
// values of keys.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/partition_made_laws.hpp>

using namespace sweep_test;

TEST_CASE("device compactions: gathered items") {
  auto const staged = staged_at(sweep::device.with(compact_in_stages), "in stages");
  gathered_items_laws_of<std::uint8_t, std::uint32_t>("u8 by u32", few_sizes(), staged);
  gathered_items_laws_of<std::uint16_t, std::int64_t>("u16 by i64", few_sizes(), staged);
  gathered_items_laws_of<std::uint64_t, std::int32_t>("u64 by i32", few_sizes(), staged);
  gathered_items_laws_of<uint128, std::uint16_t>("u128 by u16", few_sizes(), on_device);
}

TEST_CASE("device compactions: gathered items by the tables' plans") {
  std::vector<std::size_t> sizes = few_sizes();
  if (!sanitizing()) sizes.push_back((std::size_t{14} << 20) / 6 + 12'345);
  gathered_items_laws_of<std::uint16_t, std::uint32_t>("u16 by u32", sizes, on_device);
}
