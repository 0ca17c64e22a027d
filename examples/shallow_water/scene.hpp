// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_SCENE_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_SCENE_HPP

#include "ground.hpp"
#include "water.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace water {

/// Ground and water in memory of the host.
struct scene {
  std::int64_t width, height;
  std::vector<double> ground, surface;
  std::vector<double> across, down;  ///< what flows to the next cell of the row, of the column
  double level = 0, pull = 0.25, friction = 0, rain_rate = 0;
  std::int64_t steps = 0;  ///< so many are behind

  scene(std::int64_t cells_across, std::int64_t cells_down)
      : width{cells_across},
        height{cells_down},
        ground(static_cast<std::size_t>(cells_across * cells_down)),
        surface(ground.size()),
        across(ground.size()),
        down(ground.size()) {}
  std::size_t at(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>(y * width + x); }
  rain drops() const { return {rain_rate, steps}; }
  /// All water, and the least that a cell has.
  double volume() const {
    double sum = 0;
    for (std::size_t i = 0; i < surface.size(); ++i) sum += surface[i] - ground[i];
    return sum;
  }
  double least_depth() const {
    double least = surface[0] - ground[0];
    for (std::size_t i = 0; i < surface.size(); ++i) least = std::min(least, surface[i] - ground[i]);
    return least;
  }
  /// Fills up to a level, and chooses the length of a step: waves go so many cells in one where the ground is
  /// deepest below the level.
  void fill(double to, double cells_a_step) {
    level = to;
    for (std::size_t i = 0; i < surface.size(); ++i) surface[i] = std::max(ground[i], level);
    auto const [low, high] = std::minmax_element(ground.begin(), ground.end());
    double const depth = level > *low ? level - *low : *high > *low ? *high - *low : 1;
    pull = cells_a_step * cells_a_step / depth;
  }
};

/// What there is to be seen.
struct wish {
  std::string scene = "dam";
  double level = 0;
  double cells_a_step = 0.5, friction = 0.002;
};

/// Ground for where none is given, around 0: a basin with an island and a shore for the dam, hills and
/// valleys for rain, a beach behind banks and a rock for waves. u and v are from 0 to 1 along the longer
/// side.
inline double built_in_ground(std::string const& name, double u, double v) {
  auto const hill = [&](double at_u, double at_v, double steep) {
    return std::exp(-steep * ((u - at_u) * (u - at_u) + (v - at_v) * (v - at_v)));
  };
  double const rough = std::sin(9 * u + 1) * std::cos(7 * v) + 0.5 * std::sin(17 * u - 5 * v) +
                       0.3 * std::cos(13 * u + 29 * v) + 0.2 * std::sin(41 * u - 23 * v + 2);
  if (name == "rain") return 0.35 * rough + 0.8 * (v - 0.4) * (v - 0.4) + 0.5 * u;
  if (name == "waves") return -1 + 1.35 * u * u + 0.06 * rough + 0.75 * hill(0.55, 0.4, 90);
  return -1 + 0.1 * rough + (1.5 + 0.25 * rough) * hill(0.52, 0.33, 50) +
         (1.3 + 0.2 * rough) * hill(0.75, 0.13, 160) + 1.1 * hill(0.68, 0.56, 220) +
         (1.3 + 0.2 * rough) * std::pow(std::max(0.0, u - 0.75) / 0.25, 2);
}

inline grid built_in(std::string const& name, std::int64_t width, std::int64_t height) {
  grid all{width, height, std::vector<double>(static_cast<std::size_t>(width * height))};
  auto const side = static_cast<double>(std::max(width, height));
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      all.heights[static_cast<std::size_t>(y * width + x)] =
          built_in_ground(name, (static_cast<double>(x) + 0.5) / side, (static_cast<double>(y) + 0.5) / side);
  return all;
}

/// Water on a ground, as it is wished: the sea behind a dam at the left, which is taken away; drops of rain;
/// a swell that comes from the left; or water at rest.
inline scene make_scene(wish const& how, grid const& ground) {
  scene s(ground.width, ground.height);
  s.ground = ground.heights;
  s.friction = how.friction;
  s.fill(how.level, how.cells_a_step);
  auto const lowest = *std::min_element(s.ground.begin(), s.ground.end());
  double const deep = std::max(0.0, how.level - lowest);
  if (how.scene == "dam") {
    for (std::int64_t y = 0; y < s.height; ++y)
      for (std::int64_t x = 0; x < (s.width + 3) / 5; ++x)
        s.surface[s.at(x, y)] = std::max(s.ground[s.at(x, y)], how.level + 0.5 * deep);
  } else if (how.scene == "waves") {
    // Three crests, each an eighth of the width long, which go to the right as fast as they are to go.
    for (std::int64_t y = 0; y < s.height; ++y)
      for (std::int64_t x = 0; x < s.width; ++x) {
        auto const crest = [&](double at) {
          double const u = at / static_cast<double>(s.width);
          double const sine = std::sin(8 * std::acos(-1.0) * u);
          return u > 0 && u < 0.375 ? 0.12 * deep * sine * sine * sine * sine : 0;
        };
        auto const i = s.at(x, y), behind = x + 1 < s.width ? i + 1 : i;
        double const depth = how.level - std::max(s.ground[i], s.ground[behind]);
        if (how.level > s.ground[i]) s.surface[i] += crest(static_cast<double>(x));
        if (depth > 0 && behind != i)
          s.across[i] = std::sqrt(s.pull * depth) *
                        crest(static_cast<double>(x) + 0.5 * (1 + std::sqrt(s.pull * depth)));
      }
  } else if (how.scene == "rain") {
    auto const [low, high] = std::minmax_element(s.ground.begin(), s.ground.end());
    s.rain_rate = 3e-5 * std::max(1e-9, *high - *low);
  } else if (how.scene != "still") {
    throw std::runtime_error("--scene " + how.scene + ": there are dam, rain, waves and still");
  }
  return s;
}

/// The higher ground of each cell and the one behind it, across or down, infinity at walls; with a row of
/// infinity before it.
inline std::vector<double> floors(scene const& s, bool across) {
  auto const width = static_cast<std::size_t>(s.width), cells = s.ground.size(), by = across ? 1 : width;
  std::vector<double> all(width + cells, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < cells; ++i)
    if (across ? i % width != width - 1 : i + width < cells)
      all[width + i] = std::max(s.ground[i], s.ground[i + by]);
  return all;
}

/// Moves a scene, in memory that a policy reaches: `Vector` holds it there, `pointer` says where, `copy`
/// brings back what lies from a pointer on.
template <class Vector, class Policy, class Pointer, class Copy>
void move(Policy const& policy, scene& s, int steps, Pointer pointer, Copy copy) {
  auto const here = floors(s, true), there = floors(s, false);
  Vector const ground(s.ground.begin(), s.ground.end()), across_floors(here.begin(), here.end()),
      down_floors(there.begin(), there.end());
  auto padded = std::vector<double>(static_cast<std::size_t>(s.width));
  padded.insert(padded.end(), s.surface.begin(), s.surface.end());
  padded.resize(padded.size() + static_cast<std::size_t>(s.width));
  Vector surface(padded.begin(), padded.end()), next(padded.begin(), padded.end()),
      across(s.across.begin(), s.across.end()), down(s.down.begin(), s.down.end()), spare(s.ground.size()),
      change(s.ground.size());
  arrays a{pointer(surface) + s.width, pointer(across), pointer(down),
           pointer(next) + s.width,    pointer(spare),  pointer(change)};
  pool const all{
      s.width, s.height,  pointer(ground), pointer(across_floors) + s.width, pointer(down_floors) + s.width,
      s.pull,  s.friction};
  for (int k = 0; k < steps; ++k, ++s.steps) step(policy, all, s.drops(), a);
  copy(a.surface, s.surface);
  copy(a.across, s.across);
  copy(a.down, s.down);
}

inline void move_on_host(scene& s, int steps) {
  move<std::vector<double>>(
      sweep::host, s, steps, [](auto& v) { return v.data(); },
      [](double const* from, std::vector<double>& to) { std::copy_n(from, to.size(), to.begin()); });
}

}  // namespace water

#endif
