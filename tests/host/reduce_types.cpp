// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What folds accumulate in, and Thrust's placeholders, on seq and host.
#if __has_include(<thrust/functional.h>)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP  // no CUDA headers
#include <support/placeholder_laws.hpp>
#endif
#include <support/accumulator_laws.hpp>
#include <support/host_places.hpp>

using namespace sweep_test;

TEST_CASE("host types: what reductions, scans and segments accumulate in") {
  on_every_host_place([](auto const& places) {
    reduce_type_laws(places.for_turn(1));
    scan_type_laws(places.for_turn(2));
    segmented_type_laws(places.for_turn(3));
  });
}

#if __has_include(<thrust/functional.h>)
TEST_CASE("host types: Thrust's placeholders") {
  on_every_host_place([](auto const& places) { placeholder_laws(places.for_turn(1)); });
}
#endif
