// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of functions of an index on seq and host.
#include <support/host_places.hpp>
#include <support/segmented_index_laws.hpp>

#include <ranges>

using namespace sweep_test;

TEST_CASE("host segmented reductions: of any function of an index") {
  random_source random("folds of functions of an index");
  on_every_host_place([&](auto const& places) {
    std::size_t turn = 0;
    for (int kind = 0; kind < pattern_kinds; ++kind)
      for (std::int64_t const size : {std::int64_t{7}, random.between(100, 3000), std::int64_t{60'000}}) {
        if (sanitizing() && size > 3000) continue;
        index_fold_law(places.for_turn(turn++), std::views::iota(0).begin(), draw_pattern(kind, size, random),
                       random);
      }
  });
}
