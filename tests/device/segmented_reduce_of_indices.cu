// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of functions of an index on the device.
#include <support/device_places.hpp>
#include <support/segmented_index_laws.hpp>

#include <thrust/iterator/counting_iterator.h>

using namespace sweep_test;

TEST_CASE("device segmented reductions: of any function of an index") {
  random_source random("folds of functions of an index");
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size : {std::int64_t{7}, random.between(500, 5000), std::int64_t{300'000}}) {
      if (sanitizing() && size > 5000) continue;
      index_fold_law(on_device, thrust::counting_iterator<std::int64_t>(0), draw_pattern(kind, size, random),
                     random);
    }
}
