// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_MATRICES_HPP
#define SWEEP_BENCH_MATRICES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Sparse matrices that benches make themselves.
namespace bench {

struct matrix {
  int rows = 0, columns = 0;
  std::vector<int> offsets{0}, indices{};

  void end_row() { offsets.push_back(static_cast<int>(indices.size())); }
  void sort_row() { std::sort(indices.begin() + offsets.back(), indices.end()); }
};

/// splitmix64.
class draws {
 public:
  explicit draws(std::uint64_t seed) : state_{seed} {}
  std::uint64_t operator()() {
    auto z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  double fraction() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  int below(int most) { return static_cast<int>((*this)() % static_cast<std::uint64_t>(most)); }

 private:
  std::uint64_t state_;
};

/// Five points of a square grid.
inline matrix poisson(int side) {
  matrix m{side * side, side * side};
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      int const r = i * side + j;
      if (i > 0) m.indices.push_back(r - side);
      if (j > 0) m.indices.push_back(r - 1);
      m.indices.push_back(r);
      if (j + 1 < side) m.indices.push_back(r + 1);
      if (i + 1 < side) m.indices.push_back(r + side);
      m.end_row();
    }
  return m;
}
/// Lengths of rows by a power law, and columns that are the more frequent the smaller they are.
inline matrix power_law(int rows, double mean, draws random) {
  matrix m{rows, rows};
  std::vector<double> weights(static_cast<std::size_t>(rows));
  double sum = 0;
  for (auto& w : weights) sum += w = std::min(1e5, 1 / std::sqrt(1 - random.fraction()));
  for (auto const w : weights) {
    for (auto left = static_cast<int>(w * mean * rows / sum + random.fraction()); left > 0; --left)
      m.indices.push_back(std::min(
          rows - 1, static_cast<int>(std::exp(random.fraction() * std::log(static_cast<double>(rows))))));
    m.sort_row();
    m.end_row();
  }
  return m;
}
inline matrix rows_of_three_and_a_dense_one(int rows) {
  matrix m{rows, rows};
  for (int r = 0; r < rows; ++r) {
    if (r == rows / 3)
      for (int c = 0; c < rows; ++c) m.indices.push_back(c);
    else
      for (int c = r - 1; c <= r + 1; ++c) m.indices.push_back(std::clamp(c, 0, rows - 1));
    m.end_row();
  }
  return m;
}
inline matrix band(int rows, int width) {
  matrix m{rows, rows};
  for (int r = 0; r < rows; ++r) {
    for (int c = std::max(0, r - width / 2); c <= std::min(rows - 1, r + width / 2); ++c)
      m.indices.push_back(c);
    m.end_row();
  }
  return m;
}
/// Nine of ten rows have no entry, the others eight.
inline matrix mostly_empty(int rows, draws random) {
  matrix m{rows, rows};
  for (int r = 0; r < rows; ++r) {
    if (random.below(10) == 0) {
      for (int k = 0; k < 8; ++k) m.indices.push_back(random.below(rows));
      m.sort_row();
    }
    m.end_row();
  }
  return m;
}
inline matrix uniform(int rows, int each, draws random) {
  matrix m{rows, rows};
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < each; ++k) m.indices.push_back(random.below(rows));
    m.sort_row();
    m.end_row();
  }
  return m;
}

}  // namespace bench

#endif
