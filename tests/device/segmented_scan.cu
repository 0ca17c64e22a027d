// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of segmented scans on the device: all notations and layouts, small and large inputs, aligned or not.
#include <support/device_places.hpp>
#include <support/segmented_laws.hpp>

using namespace sweep_test;

namespace {

std::vector<std::size_t> device_sizes() {
  if (sanitizing()) return {0, 1, 33, 1025, 6000};
  return {0, 1, 2, 31, 32, 33, 1000, 1024, 5760, 5761, 65537, 1'000'003};
}

/// Sizes that reach the stages of shared memory.
std::vector<std::size_t> large_sizes(std::size_t bytes) {
  if (sanitizing()) return {};
  auto const first = (std::size_t{12} << 20) / bytes;
  return {first, first + 1, 2 * first - 77};
}

}  // namespace

// Every notation meets the tables' plans, by one of the two forms for each type; the other goes by small
// tiles.
TEST_CASE("device segmented scans: 4-byte sums") {
  auto const at = tables_in_turn<0>();
  segmented_laws_of<std::uint32_t>("u32 sums", device_sizes(), add{}, at);
  segmented_laws_of<std::uint32_t>("u32 sums", large_sizes(4), add{}, at);
}

TEST_CASE("device segmented scans: products that do not commute") {
  auto const at = wide_tables_in_turn<1>();
  segmented_laws_of<heisenberg<std::uint32_t>>("heisenberg", device_sizes(), heisenberg_product{}, at);
  segmented_laws_of<heisenberg<std::uint32_t>>("heisenberg", large_sizes(12), heisenberg_product{}, at);
}
