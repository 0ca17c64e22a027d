// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of functions of an index on seq and host.
#include <support/host_places.hpp>
#include <support/segmented_index_laws.hpp>

#include <cstddef>
#include <iterator>

using namespace sweep_test;

namespace {

/// Item k is k.
struct numbers {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = int;
  int at = 0;
  int operator*() const { return at; }
  int operator[](std::ptrdiff_t k) const { return at + static_cast<int>(k); }
  friend numbers operator+(numbers from, std::ptrdiff_t k) { return {from[k]}; }
  friend std::ptrdiff_t operator-(numbers a, numbers b) { return a.at - b.at; }
};

}  // namespace

TEST_CASE("host segmented reductions: of any function of an index") {
  random_source random("folds of functions of an index");
  on_every_host_place([&](auto const& places) {
    std::size_t turn = 0;
    for (int kind = 0; kind < pattern_kinds; ++kind)
      for (std::int64_t const size : {std::int64_t{7}, random.between(100, 3000), host_items(60'000)}) {
        if (sanitizing() && size > 3000) continue;
        index_fold_law(places.for_turn(turn++), numbers{}, draw_pattern(kind, size, random), random);
      }
  });
}
