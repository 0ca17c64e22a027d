// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device scans over structs of 3 to 48 bytes with products that do not commute.
#include <support/device_places.hpp>
#include <support/scan_laws.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("device scans: products of 3 and 12 bytes") {
  scan_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, heisenberg_product{}, scans_in_turn<0, true>());
  scan_laws_of<heisenberg<std::uint32_t>>("12 bytes", most, heisenberg_product{}, tables_in_turn<0>());
}
TEST_CASE("device scans: affine maps and brackets") {
  scan_laws_of<affine<std::uint32_t>>("affine maps", most, affine_then{}, scans_in_turn<2>());
  scan_laws_of<brackets>("brackets", most, brackets_join{}, scans_in_turn<3>());
}
TEST_CASE("device scans: products of 16, 24 and 48 bytes") {
  scan_laws_of<matrix2>("2x2 matrices", most, matrix2_product{}, scans_in_turn<4>());
  scan_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, heisenberg_product{},
                                          wide_scans_in_turn<0, true>());
  scan_laws_of<motion>("48 bytes", most, motion_then{}, wide_tables_in_turn<1>());
}
TEST_CASE("device scans: every alignment of structs") {
  scan_laws_of_offsets<heisenberg<std::uint8_t>>("3 bytes", heisenberg_product{}, scans_in_turn<0, true>());
  scan_laws_of_offsets<heisenberg<std::uint32_t>>("12 bytes", heisenberg_product{}, tables_in_turn<0>());
  scan_laws_of_offsets<matrix2>("2x2 matrices", matrix2_product{}, scans_in_turn<4>());
}
