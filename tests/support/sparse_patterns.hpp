// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SPARSE_PATTERNS_HPP
#define SWEEP_TESTS_SUPPORT_SPARSE_PATTERNS_HPP

#include <support/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Sparse matrices of many shapes.
namespace sweep_test {

/// Where a matrix has entries.
struct pattern {
  std::string name;
  std::int64_t rows, columns;
  std::vector<std::int64_t> offsets{0}, indices{};

  std::size_t entries() const { return indices.size(); }
  template <class T>
  std::vector<T> offsets_as() const {
    return {offsets.begin(), offsets.end()};
  }
  template <class T>
  std::vector<T> indices_as() const {
    return {indices.begin(), indices.end()};
  }
};

/// Rows of such lengths, with columns in any order, some of them twice.
template <class Length>
pattern draw_pattern(std::string name, std::int64_t rows, std::int64_t columns, random_source& random,
                     Length length) {
  pattern all{std::move(name), rows, columns};
  for (std::int64_t r = 0; r < rows; ++r) {
    for (auto left = columns > 0 ? static_cast<std::int64_t>(length(r)) : 0; left > 0; --left)
      all.indices.push_back(random.between(0, columns - 1));
    all.offsets.push_back(static_cast<std::int64_t>(all.indices.size()));
  }
  return all;
}

inline constexpr int pattern_kinds = 13;

/// One of the kinds, of about so many entries.
inline pattern draw_pattern(int kind, std::int64_t size, random_source& random) {
  auto const any = [&](std::int64_t most) { return random.between(0, most); };
  switch (kind) {
  case 0:
    return draw_pattern("random lengths", size / 8 + 1, 1000, random, [&](auto) { return any(16); });
  case 1:
    return draw_pattern("rows of five", size / 5 + 1, size + 1, random, [](auto) { return 5; });
  case 2:
    return draw_pattern("nine of ten rows empty", size / 2 + 1, 77, random,
                        [&](auto) { return any(9) == 0 ? any(40) : 0; });
  case 3:
    return draw_pattern("rows of three and a dense one", size / 6 + 2, size + 1, random,
                        [&](auto r) { return r == size / 15 ? size / 2 : 3; });
  case 4:
    return draw_pattern("power law", size / 4 + 1, size + 1, random, [&](auto) {
      return std::min<std::int64_t>(
          size, static_cast<std::int64_t>(1.0 / (1e-9 + static_cast<double>(random() >> 11) * 0x1p-53)));
    });
  case 5:
    return draw_pattern("one row", 1, size + 3, random, [&](auto) { return size; });
  case 6:
    return draw_pattern("one column", size + 1, 1, random, [](auto) { return 1; });
  case 7:
    return draw_pattern("no entry", size + 5, 9, random, [](auto) { return 0; });
  case 8:
    return draw_pattern("no column", size % 1000 + 1, 0, random, [](auto) { return 0; });
  case 9:
    return draw_pattern("no row", 0, size % 1000, random, [](auto) { return 0; });
  case 10:
    return draw_pattern("few long rows", 7, size / 3 + 1, random,
                        [&](auto r) { return r % 3 == 1 ? 0 : size / 5; });
  case 11:
    return draw_pattern(
        "long rows between many empty ones", size / 500 + 1, size / 3 + 1, random, [&](auto r) {
          return r % 300 == 5 ? std::min<std::int64_t>(size / 2, 150'000) : r % 300 == 4 ? 3 : 0;
        });
  default:
    return draw_pattern("runs of empty rows", size / 3 + 1, 300, random,
                        [&](auto r) { return r / 700 % 2 == 0 ? 0 : any(14); });
  }
}

}  // namespace sweep_test

#endif
