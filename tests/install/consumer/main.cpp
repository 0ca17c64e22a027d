// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sweep/sweep.hpp>

#include <array>
#include <cstdio>

int main() {
  std::array const values{3, 1, 4, 1, 5};
  std::array<int, 5> sums{};
  sweep::inclusive_scan(sweep::host, values.begin(), values.end(), sums.begin());
  std::printf("%d %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3], sums[4]);
  return sums == std::array{3, 4, 8, 9, 14} ? 0 : 1;
}
