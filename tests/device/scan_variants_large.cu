// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All pairs of variants over items of 16 and 24 bytes.
#include <support/device_variant_laws.hpp>

using namespace sweep_test;

TEST_CASE("device variants: 2x2 matrices of 16 bytes, exclusive backward") {
  variant_laws<matrix2>(form::exclusive, matrix2_product{}, sweep::backward);
}

TEST_CASE("device variants: products of 24 bytes, inclusive with init forward") {
  variant_laws<heisenberg<std::uint64_t>>(form::inclusive_with_init, heisenberg_product{}, sweep::forward);
}
