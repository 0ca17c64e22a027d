// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_UNITS_LAWS_HPP
#define SWEEP_TESTS_UNITS_LAWS_HPP

#include <units/units.hpp>

#include <support/expect.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace sweep_test {

/// Array is memory that the units read and write. `differ`: whether plain and other are compiled in different
/// ways.
template <class Array>
void units_law(std::size_t n, bool differ = true) {
  expect((plain::kept() != other::kept()) == differ, "plain and other");
  expect(plain::kept() != other_version::kept() && other::kept() != other_version::kept(), "another version");
  Array const ones(std::vector<std::uint32_t>(n, 1));
  std::vector<std::uint32_t> want(n);
  std::iota(want.begin(), want.end(), 1u);
  decltype(&plain::scan_ones) const units[] = {plain::scan_ones, other::scan_ones, other_version::scan_ones};
  for (int round = 0; round < 5; ++round) {
    std::vector<Array> out;
    for (int i = 0; i < 6; ++i) out.emplace_back(std::vector<std::uint32_t>(n));
    bool good[6] = {};
    std::vector<std::thread> threads;  // two of each, side by side
    for (std::size_t i = 0; i < 6; ++i)
      threads.emplace_back(
          [&, i] { good[i] = units[i % 3](ones.begin(), out[i].begin(), static_cast<std::int64_t>(n)); });
    for (auto& thread : threads) thread.join();
    for (std::size_t i = 0; i < 6; ++i) {
      expect(good[i], "unit " + std::to_string(i % 3) + ": reduce");
      expect_equal(out[i].read(), want, "unit " + std::to_string(i % 3) + ": scan");
    }
    for (std::size_t i = 0; i < 6; ++i)  // and one after the other
      expect(units[i % 3](ones.begin(), out[i].begin(), static_cast<std::int64_t>(n)), "one after the other");
  }
}

}  // namespace sweep_test

#endif
