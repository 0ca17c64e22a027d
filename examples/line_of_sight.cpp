// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be seen of a terrain from its western edge, row by row: a point is visible if the slope up to it
// is steeper than all slopes before it, which a running maximum along the row knows (Blelloch 1990).
#include "program.hpp"
#include "shallow_water/ground.hpp"

#include <sweep/axes.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// Of each point 1 if it is seen by an eye so high above its row's first point, which is seen anyway.
std::vector<char> seen(water::grid const& terrain, double eye) {
  auto const& heights = terrain.heights;
  std::vector<double> slope(heights.size(), nothing), steepest(heights.size());
  for (std::int64_t y = 0, i = 0; y < terrain.height; ++y, ++i)
    for (std::int64_t x = 1; x < terrain.width; ++x) {
      ++i;
      slope[i] = (heights[i] - heights[i - x] - eye) / static_cast<double>(x);
    }
  sweep::exclusive_scan(sweep::host, sweep::strided(slope.data(), {terrain.height, terrain.width}),
                        sweep::strided(steepest.data(), {terrain.height, terrain.width}), sweep::along(1),
                        nothing, [](double a, double b) { return std::max(a, b); });
  std::vector<char> result;
  for (std::size_t i = 0; i < slope.size(); ++i)
    result.push_back(slope[i] > steepest[i] || slope[i] == nothing);
  return result;
}

bool is_right(water::grid const& terrain, double eye, std::vector<char> const& found) {
  for (std::int64_t y = 0, i = 0; y < terrain.height; ++y) {
    auto const from = terrain.heights[i];
    double steepest = nothing;
    for (std::int64_t x = 0; x < terrain.width; ++x, ++i) {
      auto const slope = x ? (terrain.heights[i] - from - eye) / static_cast<double>(x) : nothing;
      if (found[i] != (x == 0 || slope > steepest)) return false;
      steepest = std::max(steepest, slope);
    }
  }
  return true;
}

/// Hills, the higher the farther east.
water::grid hills() {
  water::grid terrain{72, 12, {}};
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 72; ++x) terrain.heights.push_back(6 * std::sin(0.31 * x + 0.2 * y * y) + 0.09 * x);
  return terrain;
}

char const* const help = "line_of_sight [TERRAIN [HEIGHT]]: what can be seen of a terrain by eyes along its "
                         "western edge, each HEIGHT (2)\n"
                         "above the ground and looking east. A terrain is an ESRI ASCII grid, or a picture "
                         "(PGM; PNG where there is libpng)\n"
                         "whose white is 1 high. Without a file: of hills made here.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (arguments.size() > 2) throw std::runtime_error("a terrain and a height (see --help)");
    auto const terrain = arguments.empty() ? hills() : water::read_ground(arguments[0]);
    auto const eye = arguments.size() > 1 ? program::number<double>(arguments[1]) : 2;
    auto const found = seen(terrain, eye);
    auto const step_y = (terrain.height + 23) / 24, step_x = (terrain.width + 71) / 72;
    for (std::int64_t y = 0; y < terrain.height; y += step_y) {
      for (std::int64_t x = 0; x < terrain.width; x += step_x)
        std::printf("%c", found[y * terrain.width + x] ? '#' : '.');
      std::printf("\n");
    }
    auto const count = std::count(found.begin(), found.end(), 1);
    std::printf("%lld of %lld points are seen\n", static_cast<long long>(count),
                static_cast<long long>(found.size()));
    return is_right(terrain, eye, found);
  });
}
