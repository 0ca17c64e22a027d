// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relations of chunks that hold several systems, folded as a tile of the device folds them: whatever is wrong
// with one system, no bit of another's solution at the ends of chunks changes.
#include <support/expect.hpp>
#include <support/random.hpp>

#include <sweep/detail/tridiagonal/chunk.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace sweep_test;
namespace d = sweep::detail;

namespace {

/// Rows of systems one behind the other, in chunks of so many.
struct rows_of_systems {
  std::vector<float> lower, diagonal, upper, right;
  int chunk_rows = 1;

  int rows() const { return static_cast<int>(diagonal.size()); }

  /// The first and last unknown of each chunk.
  std::vector<float> solved(int& zero_pivots) const {
    struct slot {
      d::relation<float> related;
      d::elimination<float> eliminated;
    };
    int const count = (rows() + chunk_rows - 1) / chunk_rows;
    std::vector<slot> slots(static_cast<std::size_t>(count));
    auto const at = [&](int k) -> slot& { return slots[static_cast<std::size_t>(k)]; };
    auto const tell = [&](int) { ++zero_pivots; };
    auto const rows_of = [&](int k) { return std::min(chunk_rows, rows() - k * chunk_rows); };
    for (int k = 0; k < count; ++k) {
      at(k).related = d::relation_of_rows<d::pivots::chosen, float>(
          [&](int j) {
            auto const i = static_cast<std::size_t>(k * chunk_rows + j);
            return d::equilibrated(d::tridiagonal_row<float>{lower[i], diagonal[i], upper[i], right[i]});
          },
          rows_of(k));
    }
    for (int by = 1; by < count; by *= 2)
      for (int left = 0; left + by < count; left += 2 * by)
        at(left).related = d::join(at(left).related, at(left + by).related, at(left + by).eliminated, tell);
    std::vector<d::state<float>> states(static_cast<std::size_t>(count) + 1);
    auto const ends = d::close_system(at(0).related, false, tell);
    states.front() = ends.left;
    states.back() = ends.right;
    int by = 1;
    while (2 * by < count) by *= 2;
    for (; by >= 1; by /= 2)
      for (int left = 0; left + by < count; left += 2 * by)
        states[static_cast<std::size_t>(left + by)] =
            at(left + by).eliminated.middle(states[static_cast<std::size_t>(left)],
                                            states[static_cast<std::size_t>(std::min(left + 2 * by, count))]);
    std::vector<float> x(diagonal.size());
    for (int k = 0; k < count; ++k) {
      auto const first = static_cast<std::size_t>(k * chunk_rows);
      x[first] = states[static_cast<std::size_t>(k)].above;
      x[first + static_cast<std::size_t>(rows_of(k)) - 1] = states[static_cast<std::size_t>(k) + 1].below;
    }
    return x;
  }
};

}  // namespace

TEST_CASE("host tridiagonal relations: systems of one tile stay apart") {
  random_source random("relations of several systems");
  auto const draw = [&] { return static_cast<float>(random.between(-1'000'000, 1'000'000)) / 1e6f; };
  int leaks = 0, silent = 0;
  for (int times = 0; times < 10'000; ++times) {
    auto const systems = random.between(2, 9);
    auto const longest = std::vector<int>{4, 12, 40}[static_cast<std::size_t>(times % 3)];
    rows_of_systems all;
    all.chunk_rows = static_cast<int>(random.between(1, 7));
    std::vector<std::size_t> begins{0};
    std::vector<bool> bad;
    for (int s = 0; s < systems; ++s) {
      auto const n = static_cast<std::size_t>(random.between(1, longest));
      begins.push_back(begins.back() + n);
      bad.push_back(random() % 3 == 0);
      for (std::size_t i = 0; i < n; ++i) {
        all.lower.push_back(i > 0 ? draw() : 0);
        all.diagonal.push_back(draw());
        all.upper.push_back(i + 1 < n ? draw() : 0);
        all.right.push_back(draw());
      }
    }
    auto spoilt = all;
    auto const how = random() % 6;
    for (std::size_t s = 0; s < bad.size(); ++s) {
      if (!bad[s]) continue;
      auto const first = begins[s], end = begins[s + 1];
      auto const i = static_cast<std::size_t>(
          random.between(static_cast<std::int64_t>(first), static_cast<std::int64_t>(end) - 1));
      auto const clear = [&](std::size_t row) {
        spoilt.lower[row] = spoilt.diagonal[row] = spoilt.upper[row] = 0;
      };
      using limits = std::numeric_limits<float>;
      switch (how) {
      case 0:  // zeros alone
        for (auto row = first; row < end; ++row) clear(row);
        break;
      case 1:
        clear(i);
        break;
      case 2:  // a column of zeros
        spoilt.diagonal[i] = 0;
        if (i > first) spoilt.upper[i - 1] = 0;
        if (i + 1 < end) spoilt.lower[i + 1] = 0;
        break;
      case 3:
        spoilt.diagonal[i] = limits::quiet_NaN();
        break;
      case 4:
        spoilt.diagonal[i] = limits::infinity();
        break;
      default:  // solutions that overflow
        for (auto row = first; row < end; ++row) {
          spoilt.diagonal[row] *= 1e-38f;
          spoilt.right[row] *= 3e38f;
        }
      }
    }
    int none = 0, told = 0;
    auto const want = all.solved(none), got = spoilt.solved(told);
    for (std::size_t s = 0; s < bad.size(); ++s)
      if (!bad[s] &&
          std::memcmp(&want[begins[s]], &got[begins[s]], (begins[s + 1] - begins[s]) * sizeof(float)) != 0)
        ++leaks;
    // Of longer chunks zero pivots of inner unknowns are found on the way back.
    if (how < 3 && told == 0 && all.chunk_rows <= 2 && std::find(bad.begin(), bad.end(), true) != bad.end())
      ++silent;
  }
  expect(leaks == 0, std::to_string(leaks) + " systems learned of others");
  expect(silent == 0, std::to_string(silent) + " singular systems are not told of");
}
