// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device scans over integers, all operators, sizes and alignments.
#include <support/device_places.hpp>
#include <support/scan_laws.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 300'000;
}

// The tables' plans are met by one form of each of four types (see scan_products.cu), the others by small
// tiles.
TEST_CASE("device scans: u8 under operators chosen at run time") {
  scan_laws_of_operators<std::uint8_t>("u8", most, scans_in_turn<0, true>());
  scan_laws_of_operators<std::uint8_t>("u8", most, tables_in_turn<0>());
}
TEST_CASE("device scans: u32 under operators chosen at run time") {
  scan_laws_of_operators<std::uint32_t>("u32", most, scans_in_turn<1, true>());
  scan_laws_of_operators<std::uint32_t>("u32", most, tables_in_turn<1>());
}
TEST_CASE("device scans: integers of 16, 64 and 128 bits") {
  scan_laws_of<std::int16_t>("i16", most, add{}, scans_in_turn<0>());
  scan_laws_of<std::uint64_t>("u64", most, add{}, scans_in_turn<1>());
  scan_laws_of<uint128>("u128", most, add{}, scans_in_turn<2>());
}
TEST_CASE("device scans: every alignment of integers") {
  scan_laws_of_offsets<std::uint8_t>("u8", chosen_operator<std::uint8_t>{operation::plus},
                                     scans_in_turn<0, true>());
  scan_laws_of_offsets<std::uint8_t>("u8", chosen_operator<std::uint8_t>{operation::plus},
                                     tables_in_turn<0>());
  scan_laws_of_offsets<std::int16_t>("i16", add{}, scans_in_turn<0>());
  scan_laws_of_offsets<std::uint32_t>("u32", chosen_operator<std::uint32_t>{operation::plus},
                                      scans_in_turn<1, true>());
  scan_laws_of_offsets<std::uint32_t>("u32", chosen_operator<std::uint32_t>{operation::plus},
                                      tables_in_turn<1>());
  scan_laws_of_offsets<std::uint64_t>("u64", add{}, scans_in_turn<1>());
}
// With 132 multiprocessors, 33,792 words are one wave of tiles that registers hold, and four times as many
// one of tiles most of whose rows wait in shared memory: as the values they give, or as they came.
TEST_CASE("device scans: rows that wait in shared memory") {
  auto const in_few_registers = half_at(scan_in_few_registers, "in few registers");
  scan_laws_of<std::uint64_t>("u64 set aside", sanitizing() ? 30'000 : 70'000, add{}, in_few_registers);
  scan_laws_of<std::int16_t>("i16 set aside", sanitizing() ? 100'000 : 280'000, add{}, in_few_registers);
}
