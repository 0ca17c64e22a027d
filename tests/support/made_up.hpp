// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_MADE_UP_HPP
#define SWEEP_TESTS_SUPPORT_MADE_UP_HPP

#include <support/values.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace sweep_test {

/// Item i is made up, 3 i + i^2: an input without memory.
struct made_up {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::uint32_t;
  std::ptrdiff_t at;
  SWEEP_TEST_HD std::uint32_t operator[](std::ptrdiff_t i) const {
    auto const k = static_cast<std::uint32_t>(at + i);
    return 3 * k + k * k;
  }
  SWEEP_TEST_HD std::uint32_t operator*() const { return (*this)[0]; }
  friend SWEEP_TEST_HD made_up operator+(made_up a, std::ptrdiff_t i) { return {a.at + i}; }
  friend SWEEP_TEST_HD std::ptrdiff_t operator-(made_up a, made_up b) { return a.at - b.at; }
};

}  // namespace sweep_test

#endif
