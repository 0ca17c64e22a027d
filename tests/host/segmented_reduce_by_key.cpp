// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of reductions by key on seq and host.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/host_places.hpp>
#include <support/run_fold_laws.hpp>

using namespace sweep_test;

TEST_CASE("host reductions by key: widths of keys and items") {
  on_every_host_place([](auto const& places) {
    run_fold_laws_of<std::uint8_t, std::uint8_t>("u8, u8", 70'000, places, larger{});
    run_fold_laws_of<std::int64_t, heisenberg<std::uint8_t>>("i64, 3 bytes", 70'000, places,
                                                             heisenberg_product{});
    run_fold_laws_of<std::int16_t, matrix2>("i16, 16 bytes", 70'000, places, matrix2_product{},
                                            neighbours_differ_by_one{});
  });
}

#if SWEEP_HAS_THRUST
TEST_CASE("host reductions by key: items made of what lies in memory") {
  random_source random("run fold sources");
  on_every_host_place([&](auto const& places) {
    for (auto const n : few_sizes()) run_fold_source_laws(places.for_turn(1), n, 7, random);
  });
}
#endif
