// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions over types and sizes of items, from none to all selected.
#include <support/device_places.hpp>
#include <support/partition_laws.hpp>
#include <support/sizes.hpp>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;

/// Sizes that the plans for large inputs see too: more than 3 MiB, more than 96 MiB.
template <class X>
void large_selection_law(std::string const& what, std::size_t mebibytes = 13) {
  if (sanitizing()) return;
  random_source random("large " + what);
  auto const n = (mebibytes << 20) / sizeof(X) + 12'345;
  auto const x = draw_bytes<X>(n, random);
  for (auto const share : shares)
    selection_law(on_device, what + ", " + std::to_string(share) + "/1024", x, some_of_1024{share}, share % 3,
                  share % 2);
  unique_law(on_device, what, draw_runs<X>(n, 3, random), 1);
}

}  // namespace

TEST_CASE("device compactions: items of 1 to 16 bytes, from none to all selected") {
  selection_laws_of<std::uint8_t>("u8", most, on_device);
  selection_laws_of<std::uint32_t>("u32", most, on_device);
  selection_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, on_device);
  selection_laws_of<uint128>("u128", most, on_device);
}

TEST_CASE("device compactions: items of 7 to 200 bytes") {
  selection_laws_of<parcel<7, std::uint8_t>>("7 bytes", most, on_device);
  selection_laws_of<motion>("48 bytes", most, on_device);
  selection_laws_of<parcel<200>>("200 bytes", 30'000, on_device);
  selection_laws_of<parcel<1000>>("1000 bytes", 3'000, on_device);
}

TEST_CASE("device compactions: runs") {
  unique_laws_of<std::uint8_t>("u8", most, on_device);
  unique_laws_of<std::uint32_t>("u32", most, on_device);
  unique_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, on_device);
  for (auto const n : few_sizes())
    for (std::int64_t const mean : {1, 7, 3000}) unique_by_key_law(on_device, n, mean);
}

TEST_CASE("device compactions: more than the small inputs") {
  large_selection_law<std::uint8_t>("u8");
  large_selection_law<std::uint32_t>("u32");
  large_selection_law<std::uint64_t>("u64");
  large_selection_law<motion>("48 bytes");
  large_selection_law<std::uint32_t>("u32", 97);
  large_selection_law<uint128>("u128", 97);
}
