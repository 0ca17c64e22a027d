// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of compactions on the host of items that a function makes of others.
#include <support/host_places.hpp>
#include <support/partition_made_laws.hpp>

using namespace sweep_test;

TEST_CASE("host compactions: items made of others") {
  on_every_host_place([](auto const& places) {
    made_items_laws_of<std::uint32_t, std::uint8_t>("u32 of u8", few_sizes(), places);
    made_items_laws_of<std::uint16_t, std::uint16_t>("u16 of u16", few_sizes(), places);
    made_items_laws_of<std::uint8_t, std::uint64_t>("u8 of u64", few_sizes(), places);
    computed_items_laws_of<std::uint32_t>("u32", few_sizes(), places);
  });
}
