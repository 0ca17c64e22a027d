// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units with OpenMP, without it, and of another version, in one program.
#include <units/laws.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace {

struct host_array : std::vector<std::uint32_t> {
  explicit host_array(std::vector<std::uint32_t> items) : vector(std::move(items)) {}
  std::uint32_t* begin() const { return const_cast<std::uint32_t*>(data()); }
  std::vector<std::uint32_t> const& read() const { return *this; }
};

}  // namespace

TEST_CASE("host units: compiled in different ways, in one program") {
#if defined(_OPENMP)
  sweep_test::units_law<host_array>(70'000);
#else
  sweep_test::units_law<host_array>(70'000, false);  // plain and other are the same
#endif
}
