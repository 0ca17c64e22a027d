// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of reductions of what iterators make of memory, on seq and host.
#if __has_include(<thrust/iterator/counting_iterator.h>)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP  // no CUDA headers
#include <support/host_places.hpp>
#include <support/reduce_source_laws.hpp>

using namespace sweep_test;

TEST_CASE("host reductions: sources of one to three streams, and of none") {
  on_every_host_place([](auto const& places) { reduce_source_laws(places.for_turn(1), 50'000); });
}

TEST_CASE("host reductions: the same bits wherever items lie") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes()) reduce_placement_law<float>(places.for_turn(2), n);
  });
}
#endif
