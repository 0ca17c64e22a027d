// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs of no items, on seq and host.
#include <support/empty_output_laws.hpp>
#include <support/host_places.hpp>

using namespace sweep_test;

TEST_CASE("host compactions: outputs of no items may be null pointers") {
  on_every_host_place([](auto const& places) {
    for (std::size_t const n : {1, 2, 33, 70'000}) empty_output_laws(places.for_turn(n), n);
  });
}
