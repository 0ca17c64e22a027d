// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of products with dense matrices on seq and host.
#include <support/dense_product_laws.hpp>
#include <support/host_places.hpp>

using namespace sweep_test;

TEST_CASE("host products with dense matrices: semirings, orders and shapes") {
  using U = std::uint32_t;
  random_source random("dense products");
  on_every_host_place([&](auto const& places) {
    std::size_t turn = 0;
    for (int kind = 0; kind < pattern_kinds; ++kind)
      for (std::int64_t const size : {std::int64_t{7}, random.between(100, 3000)}) {
        auto const shape = draw_pattern(kind, size, random);
        auto const& at = places.for_turn(turn++);
        dense_product_laws<U, U, U>(at, "u32", shape, sweep::semirings::plus_times<U>(), random);
        dense_product_laws<affine<U>, U, U>(
            at, "maps", shape, sweep::semiring{affine_then{}, make_affine{}, affine<U>{1, 0}}, random);
        dense_product_iterator_law(at, shape, random);
      }
  });
}

TEST_CASE("host products with dense matrices: one column") {
  random_source random("one column");
  on_every_host_place([&](auto const& places) {
    std::size_t turn = 0;
    for (int kind = 0; kind < pattern_kinds; ++kind)
      one_column_law(places.for_turn(turn++), draw_pattern(kind, random.between(100, 5000), random), random);
  });
}

TEST_CASE("host products with dense matrices: bad input") {
  dense_product_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  dense_product_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
}
