// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nearest neighbours of each of some points: a matrix of distances, made as it is read, whose rows' least
// k are selected with their columns. Checks them against the standard library's partial_sort.
//
//   example_nearest [points]
#include <sweep/sweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

namespace {

struct point {
  float x, y;
};

/// Item row * count + column: the square of the distance between two of the points.
struct squares {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = float;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = float;
  point const* points;
  std::ptrdiff_t count, at = 0;
  float operator[](std::ptrdiff_t i) const {
    auto const &a = points[(at + i) / count], &b = points[(at + i) % count];
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
  }
  float operator*() const { return (*this)[0]; }
  squares operator+(std::ptrdiff_t i) const { return {points, count, at + i}; }
  friend std::ptrdiff_t operator-(squares const& a, squares const& b) { return a.at - b.at; }
};

}  // namespace

int main(int argc, char** argv) {
  auto const count = static_cast<std::ptrdiff_t>(argc > 1 ? std::atoi(argv[1]) : 500);
  std::ptrdiff_t const k = 4;  // the point itself is its own nearest
  if (count < k) return 1;
  std::vector<point> points(static_cast<std::size_t>(count));
  std::uint32_t drawn = 1;
  auto const draw = [&] { return static_cast<float>((drawn = drawn * 1664525u + 1013904223u) >> 16); };
  for (auto& one : points) one = {draw(), draw()};

  squares const distances{points.data(), count};
  std::vector<std::int32_t> nearest(static_cast<std::size_t>(count * k));
  sweep::segmented_arg_top_k(sweep::host, distances, distances + count * count,
                             sweep::segments::by_rows(count, count), k, nearest.begin(), std::less<>{});

  for (std::ptrdiff_t row = 0; row < count; ++row) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int32_t a, std::int32_t b) {
      auto const x = distances[row * count + a], y = distances[row * count + b];
      return x != y ? x < y : a < b;
    });
    if (!std::equal(order.begin(), order.begin() + k, nearest.begin() + row * k)) {
      std::printf("row %td differs from the standard library's\n", row);
      return 1;
    }
  }
  for (std::ptrdiff_t row = 0; row < 3; ++row) {
    std::printf("nearest to point %td:", row);
    for (std::ptrdiff_t j = 1; j < k; ++j)
      std::printf(" %d", static_cast<int>(nearest[static_cast<std::size_t>(row * k + j)]));
    std::printf("\n");
  }
}
