// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_FLOAT_PRODUCTS_HPP
#define SWEEP_TESTS_SUPPORT_FLOAT_PRODUCTS_HPP

#include <support/values.hpp>

namespace sweep_test {

/// One step of a linear recurrence, x -> a x + b in float: neither commutative nor, once rounded,
/// associative, so that its bits show in which brackets it was folded.
struct recurrence {
  float a, b;
};
struct recurrence_then {
  SWEEP_TEST_HD recurrence operator()(recurrence const& x, recurrence const& y) const {
    return {x.a * y.a, x.b * y.a + y.b};
  }
};

/// Random number i of a sequence: a step that neither grows nor dies out soon.
SWEEP_TEST_HD inline std::uint32_t scrambled(std::uint64_t i) {
  auto z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::uint32_t>((z ^ z >> 27) >> 32);
}
SWEEP_TEST_HD inline float random_float(std::uint64_t i) {
  return static_cast<float>(scrambled(i)) * 0x1p-32f - 0.5f;
}
SWEEP_TEST_HD inline recurrence random_step(std::uint64_t i) {
  return {1.0f + 0.2f * random_float(2 * i), random_float(2 * i + 1)};
}

}  // namespace sweep_test

#endif
