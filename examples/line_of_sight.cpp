// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be seen of a terrain from its western edge, row by row: a point is visible if the angle to it is
// larger than all angles before it, which a running maximum along the row knows (Blelloch 1990).
#include <sweep/sweep.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

int main() {
  constexpr int rows = 12, columns = 72;
  std::vector<float> slope(rows * columns), highest(slope.size());
  for (int y = 0; y < rows; ++y) {
    auto const height = [y](int x) {
      return 6 * std::sin(0.31f * static_cast<float>(x) + 0.2f * static_cast<float>(y * y)) +
             0.09f * static_cast<float>(x);
    };
    for (int x = 0; x < columns; ++x)
      slope[y * columns + x] = (height(x + 1) - height(0) - 2) / static_cast<float>(x + 1);
  }
  sweep::exclusive_scan(sweep::host, sweep::strided(slope.data(), {rows, columns}),
                        sweep::strided(highest.data(), {rows, columns}), sweep::along(1),
                        -std::numeric_limits<float>::infinity(),
                        [](float a, float b) { return std::max(a, b); });
  int wrong = 0;
  for (int y = 0; y < rows; ++y) {
    float before = -std::numeric_limits<float>::infinity();
    for (int x = 0; x < columns; ++x) {
      auto const i = y * columns + x;
      std::printf("%c", slope[i] > highest[i] ? '#' : '.');
      wrong += highest[i] != before;
      before = std::max(before, slope[i]);
    }
    std::printf("\n");
  }
  return wrong;
}
