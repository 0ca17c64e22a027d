// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of segments, distribution and splits on seq and host.
#include <support/host_places.hpp>
#include <support/segments_laws.hpp>

using namespace sweep_test;

TEST_CASE("host: every notation of segments from every other") {
  on_every_host_place([](auto const& places) { conversion_laws(places, {0, 1, 31, 32, 33, 1000, 40'000}); });
}
TEST_CASE("host: distribute") {
  on_every_host_place([](auto const& places) { distribute_laws(places, {0, 1, 33, 1000, 40'000}); });
}
TEST_CASE("host: split and split_and_segment") {
  on_every_host_place([](auto const& places) { split_laws(places, {0, 1, 33, 1000, 40'000}); });
}
