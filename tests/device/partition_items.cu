// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions over types and sizes of items, from none to all selected, under every variant
// and under plans of the caller's own.
#include <support/device_places.hpp>
#include <support/partition_laws.hpp>
#include <support/sizes.hpp>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;

/// Sizes that the tables' plans for large inputs see: more than 3 MiB, more than 96 MiB.
template <class X, class Law>
void large_law(std::string const& what, std::size_t mebibytes, Law law) {
  if (sanitizing()) return;
  random_source random("large " + what);
  auto const n = (mebibytes << 20) / sizeof(X) + 12'345;
  auto const x = draw_bytes<X>(n, random);
  for (auto const share : shares)
    law(what + ", " + std::to_string(share) + "/1024", x, some_of_1024{share}, share % 3);
}

auto const copies = [](auto const&... of) { copy_if_law(on_device, of...); };
auto const copies_of_both = [](auto const&... of) { partition_copy_law(on_device, of...); };
// One that keeps one side apart, and one that keeps both in place.
auto const selections_of_u32 = [](auto const& what, auto const& x, some_of_1024 pred, std::size_t in_offset,
                                  std::size_t out_offset = 1) {
  copy_if_law(on_device, what, x, pred, in_offset, out_offset);
  stable_partition_law(on_device, what, x, pred, out_offset);
};

}  // namespace

TEST_CASE("device compactions: items of 1 to 8 bytes, from none to all selected") {
  selection_laws_of<std::uint8_t>("u8", most, compactions_in_turn<0>());
  selection_laws_of<std::uint16_t>("u16", most, compactions_in_turn<1>());
  selection_laws_of<std::uint32_t>("u32", most, compactions_in_turn<2>());
  selection_laws_of<std::uint64_t>("u64", most, compactions_in_turn<3>());
}

TEST_CASE("device compactions: items of 12 bytes") {
  selection_laws_of<parcel<12>>("12 bytes", most, compactions_in_turn<4>());
}
TEST_CASE("device compactions: items of 16 bytes") {
  selection_laws_of<uint128>("u128", most, compactions_in_turn<5>());
}
TEST_CASE("device compactions: items of 3 bytes") {
  selection_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, compactions_in_turn<6>());
}
TEST_CASE("device compactions: items of 7 bytes") {
  selection_laws_of<parcel<7, std::uint8_t>>("7 bytes", most, compactions_in_turn<7>());
}

TEST_CASE("device compactions: items of 48 to 1000 bytes") {
  selection_laws_of<motion>("48 bytes", most, wide_compactions_in_turn<0>());
  selection_laws_of<parcel<200>>("200 bytes", 30'000, wide_compactions_in_turn<1>());
  selection_laws_of<parcel<1000>>("1000 bytes", 3'000, wide_compactions_in_turn<2>());
}

TEST_CASE("device compactions: runs") {
  unique_laws_of<std::uint8_t>("u8", most, compactions_in_turn<0>());
  unique_laws_of<std::uint16_t>("u16", most, compactions_in_turn<1>());
  unique_laws_of<std::uint32_t>("u32", most, compactions_in_turn<2>());
  unique_laws_of<std::uint64_t>("u64", most, compactions_in_turn<3>());
  unique_laws_of<parcel<12>>("12 bytes", most, compactions_in_turn<4>());
  unique_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, wide_compactions_in_turn<3>());
  unique_laws_of<std::uint8_t>("u8, the table's plans", most, on_device);
  auto const at = half_at(sweep::device.with(compact_in_registers), "in registers");
  for (auto const n : few_sizes())
    for (std::int64_t const mean : {1, 7, 3000}) unique_by_key_law(at, n, mean);
  // Keys that stay in stages of shared memory.
  if (!sanitizing())
    for (std::int64_t const mean : {2, 300}) unique_by_key_law(on_device, 1'000'003, mean);
  // Halves that are put in order, and hardly any of them.
  for (std::int64_t const mean : {1, 7, 3000})
    unique_by_key_law<parcel<6, std::uint8_t>, std::uint8_t>(
        staged_at(sweep::device.with(compact_in_stages), "in stages"), sanitizing() ? 5'500 : 20'011, mean);
  // Values so wide that the keys alone stay in registers.
  auto const staged = staged_at(sweep::device.with(compact_in_stages), "in stages");
  for (std::int64_t const mean : {1, 7, 300})
    unique_by_key_law<parcel<20>>(staged, sanitizing() ? 2'500 : 20'011, mean);
}

TEST_CASE("device compactions: three sides") {
  three_way_laws_of<std::uint8_t>("u8", most, compactions_in_turn<0>());
  three_way_laws_of<std::uint16_t>("u16", most, compactions_in_turn<1>());
  three_way_laws_of<std::uint32_t>("u32", most, compactions_in_turn<2>());
  three_way_laws_of<std::uint64_t>("u64", most, compactions_in_turn<3>());
  three_way_laws_of<parcel<12>>("12 bytes", most, compactions_in_turn<4>());
}

TEST_CASE("device compactions: many tiles, and tiles of many warps") {
  random_source random("many tiles");
  auto const n = std::size_t{sanitizing() ? 5'000u : 4'000'003u};
  selection_law(compactions_in_turn<2>(), "u32", draw_bytes<std::uint32_t>(n, random), some_of_1024{500}, 3,
                1);
  auto const at = half_at(
      sweep::device.with(sweep::plan<sweep::partition_plan{
                             .threads = 1024, .rows = 2, .blocks = 1, .load = sweep::access::cached}>),
      "a plan of 1024 threads");
  for (auto const size : few_sizes()) {
    partition_copy_law(at, "u32", draw_bytes<std::uint32_t>(size, random), some_of_1024{500}, size % 5, 1);
    unique_in_place_law(at, "u16", draw_runs<std::uint16_t>(size, 3, random), size % 7);
  }
}

TEST_CASE("device compactions: the tables' plans") {
  random_source random("the tables' plans");
  for (auto const n : edge_sizes(4, most, random)) {
    auto const x = draw_bytes<std::uint32_t>(n, random);
    selections_of_u32("u32", x, some_of_1024{shares[n % 5]}, n % 6, n % 4);
  }
  large_law<std::uint8_t>("u8", 13, copies);
  large_law<std::uint8_t>("u8", 97, copies);
  large_law<std::uint32_t>("u32", 13, selections_of_u32);
  large_law<std::uint32_t>("u32", 97, selections_of_u32);
  large_law<uint128>("u128", 13, copies_of_both);
  large_law<uint128>("u128", 97, copies_of_both);
  large_law<motion>("48 bytes", 13, copies);
}
