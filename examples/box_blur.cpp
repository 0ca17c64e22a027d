// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean of every (2 r + 1) x (2 r + 1) box of an image, however large r is: in the image's summed-area
// table, item (y, x) of which is the sum of all that is above it and to the left, a box is four items. The
// table is one scan along the rows and one along the columns.
#include <sweep/sweep.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  constexpr int height = 300, width = 401, r = 9;
  std::vector<unsigned char> image(height * width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image[y * width + x] =
          static_cast<unsigned char>(std::hypot(y - 150, x - 200) < 90 ? 200 + x % 50 : y % 60);

  std::vector<unsigned> table(image.size());
  auto const sums = sweep::strided(table.data(), {height, width});
  sweep::inclusive_scan(sweep::host, sweep::strided(image.data(), {height, width}), sums, sweep::along(1));
  sweep::inclusive_scan(sweep::host, sums, sums, sweep::along(0));

  auto const up_to = [&](int y, int x) { return y < 0 || x < 0 ? 0u : table[y * width + x]; };
  std::vector<unsigned char> blurred(image.size());
  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int const top = std::max(y - r, 0), bottom = std::min(y + r, height - 1);
      int const left = std::max(x - r, 0), right = std::min(x + r, width - 1);
      unsigned const sum =
          up_to(bottom, right) - up_to(top - 1, right) - up_to(bottom, left - 1) + up_to(top - 1, left - 1);
      blurred[y * width + x] =
          static_cast<unsigned char>(sum / static_cast<unsigned>((bottom - top + 1) * (right - left + 1)));
      if (x % 40 == 0 && y % 30 == 0) {  // the same by adding up the box
        unsigned plain = 0;
        for (int v = top; v <= bottom; ++v)
          for (int u = left; u <= right; ++u) plain += image[v * width + u];
        wrong += plain != sum;
      }
    }
  for (int y = 10; y < height; y += 28) {
    for (int x = 4; x < width; x += 8) std::printf("%c", " .:-=+*#%@"[blurred[y * width + x] / 26]);
    std::printf("\n");
  }
  return wrong;
}
