// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_SCENE_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_SCENE_HPP

#include "water.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace water {

/// Ground and water, at rest until it is moved, in memory of the host.
struct scene {
  std::int64_t width, height;
  std::vector<double> ground, surface;
  std::vector<double> before;  ///< the surface a step ago; none while the water rests
  double pull = 0.5, friction = 0;

  scene(std::int64_t cells_across, std::int64_t cells_down)
      : width{cells_across},
        height{cells_down},
        ground(static_cast<std::size_t>(cells_across * cells_down)),
        surface(ground.size()) {}
  double& ground_at(std::int64_t x, std::int64_t y) {
    return ground[static_cast<std::size_t>(y * width + x)];
  }
  double& surface_at(std::int64_t x, std::int64_t y) {
    return surface[static_cast<std::size_t>(y * width + x)];
  }
  double volume() const {
    double sum = 0;
    for (std::size_t i = 0; i < surface.size(); ++i) sum += std::max(0.0, surface[i] - ground[i]);
    return sum;
  }
};

/// An island in a basin, and behind a dam the sea is higher.
inline scene dam_break(std::int64_t width, std::int64_t height) {
  scene s(width, height);
  auto const w = static_cast<double>(width), h = static_cast<double>(height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      auto const u = (static_cast<double>(x) + 0.5) / w, v = (static_cast<double>(y) + 0.5) / h;
      auto const island = std::exp(-40 * ((u - 0.6) * (u - 0.6) + (v - 0.5) * (v - 0.5)));
      s.ground_at(x, y) = -1 + 1.5 * island + 0.1 * std::sin(9 * u) * std::cos(7 * v);
      s.surface_at(x, y) = std::max(s.ground_at(x, y), u < 0.2 ? 0.5 : 0.0);
    }
  s.friction = 0.002;
  return s;
}

/// The ground of an ESRI ASCII grid, under water up to a level.
inline scene flooded(char const* file, double level) {
  std::ifstream in(file);
  std::string word;
  std::int64_t width = 0, height = 0;
  double nothing = -9999;
  while (in >> word && std::isalpha(static_cast<unsigned char>(word[0]))) {
    double value = 0;
    in >> value;
    if (word == "ncols" || word == "NCOLS") width = static_cast<std::int64_t>(value);
    if (word == "nrows" || word == "NROWS") height = static_cast<std::int64_t>(value);
    if (word == "NODATA_value" || word == "nodata_value") nothing = value;
  }
  if (width < 1 || height < 1) throw std::runtime_error(std::string(file) + " is no ESRI ASCII grid");
  scene s(width, height);
  for (std::size_t i = 0; i < s.ground.size(); ++i) {
    s.ground[i] = i == 0 ? std::strtod(word.c_str(), nullptr) : (in >> s.ground[i], s.ground[i]);
    if (!in) throw std::runtime_error(std::string(file) + " ends too early");
    if (s.ground[i] == nothing) s.ground[i] = level;
    s.surface[i] = std::max(s.ground[i], level);
  }
  s.friction = 0.002;
  return s;
}

/// A picture in the PPM format: ground by height, water over it by depth, lit from the side.
inline void draw(scene const& s, std::string const& file) {
  auto const [low, high] = std::minmax_element(s.ground.begin(), s.ground.end());
  std::ofstream out(file, std::ios::binary);
  out << "P6\n" << s.width << ' ' << s.height << "\n255\n";
  for (std::size_t i = 0; i < s.ground.size(); ++i) {
    auto const depth = s.surface[i] - s.ground[i], level = (s.ground[i] - *low) / (*high - *low + 1e-9);
    auto const slope = i % static_cast<std::size_t>(s.width) ? s.surface[i] - s.surface[i - 1] : 0.0;
    auto const light = std::clamp(1 + 40 * slope, 0.4, 1.8), clear = std::exp(-2 * std::max(0.0, depth));
    double const land[] = {120 + 110 * level, 110 + 80 * level, 70 + 60 * level}, sea[] = {20, 80, 150};
    for (int c = 0; c < 3; ++c) {
      auto const colour = depth > 1e-6 ? (clear * land[c] + (1 - clear) * sea[c]) * light : land[c];
      out.put(static_cast<char>(static_cast<unsigned char>(std::clamp(colour, 0.0, 255.0))));
    }
  }
}

/// run(scene, steps) moves a scene's water. What must hold of it: false, and a line, where something does
/// not.
template <class Run>
bool holds(Run run) {
  bool all = true;
  auto const expect = [&](bool good, char const* what, double value) {
    std::printf("%-34s %.2e  %s\n", what, value, good ? "holds" : "DOES NOT HOLD");
    all = all && good;
  };

  scene still = dam_break(90, 70);
  for (std::size_t i = 0; i < still.surface.size(); ++i) still.surface[i] = std::max(still.ground[i], 0.0);
  auto const rest = still.surface;
  run(still, 200);
  double moved = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) moved = std::max(moved, std::abs(still.surface[i] - rest[i]));
  expect(moved < 1e-12, "still water stays still, off by", moved);

  scene deep(80, 60);  // deep enough to cover all ground
  for (std::int64_t y = 0; y < 60; ++y)
    for (std::int64_t x = 0; x < 80; ++x) {
      auto const u = static_cast<double>(x) - 39.5, v = static_cast<double>(y) - 29.5;
      deep.ground_at(x, y) = -2;
      deep.surface_at(x, y) = 0.2 * std::exp(-0.02 * (u * u + v * v));
    }
  auto const full = deep.volume();
  run(deep, 300);
  expect(std::abs(deep.volume() / full - 1) < 1e-12, "volume stays, off by",
         std::abs(deep.volume() / full - 1));
  double uneven = 0;
  for (std::int64_t y = 0; y < 60; ++y)
    for (std::int64_t x = 0; x < 80; ++x)
      uneven = std::max({uneven, std::abs(deep.surface_at(x, y) - deep.surface_at(79 - x, y)),
                         std::abs(deep.surface_at(x, y) - deep.surface_at(x, 59 - y))});
  expect(uneven < 1e-12, "symmetric water stays so, off by", uneven);

  // A low and wide wave in a channel goes sqrt(g d) a second: sqrt(pull d) cells a step.
  scene channel(1200, 4);
  for (std::int64_t y = 0; y < 4; ++y)
    for (std::int64_t x = 0; x < 1200; ++x) {
      auto const u = (static_cast<double>(x) - 200) / 30;
      channel.ground_at(x, y) = -1;
      channel.surface_at(x, y) = 1e-4 * std::exp(-u * u);
    }
  channel.pull = 0.25;
  int const steps = 1000;
  run(channel, steps);
  std::int64_t crest = 300;
  for (std::int64_t x = 300; x < 1200; ++x)
    if (channel.surface_at(x, 1) > channel.surface_at(crest, 1)) crest = x;
  auto const speed = static_cast<double>(crest - 200) / steps / std::sqrt(channel.pull);
  expect(std::abs(speed - 1) < 0.01, "speed over sqrt(g d), less one", std::abs(speed - 1));
  return all;
}

/// shallow_water [--steps N] [--size W H] [--ground FILE LEVEL] [--frames PREFIX]: what must hold of the
/// water, then a scene, its rate, and pictures of it.
template <class Run>
int play(char const* name, int argc, char** argv, Run run) {
  if (!holds(run)) return 1;
  std::int64_t width = 128, height = 128;
  int steps = 200;
  char const *ground = nullptr, *frames = nullptr;
  double level = 0;
  for (int i = 1; i < argc; ++i) {
    auto const is = [&](char const* option, int values) {
      return !std::strcmp(argv[i], option) && i + values < argc;
    };
    if (is("--steps", 1)) steps = std::atoi(argv[++i]);
    else if (is("--frames", 1)) frames = argv[++i];
    else if (is("--size", 2)) width = std::atoll(argv[++i]), height = std::atoll(argv[++i]);
    else if (is("--ground", 2)) ground = argv[++i], level = std::atof(argv[++i]);
    else {
      std::fprintf(stderr, "usage: %s [--steps N] [--size W H] [--ground FILE LEVEL] [--frames PREFIX]\n",
                   argv[0]);
      return 2;
    }
  }
  scene s = ground ? flooded(ground, level) : dam_break(width, height);
  int const pictures = frames ? 8 : 1;
  double seconds = 0;
  for (int k = 0; k < pictures; ++k) {
    auto const start = std::chrono::steady_clock::now();
    run(s, steps / pictures);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (frames) draw(s, std::string(frames) + std::to_string(k) + ".ppm");
  }
  std::printf("%s: %lld x %lld cells, %.0f steps a second\n", name, static_cast<long long>(s.width),
              static_cast<long long>(s.height), steps / pictures * pictures / seconds);
  return 0;
}

/// Steps in memory of the host, `before` being where the water was at first.
template <class Policy>
void run_on_host(Policy const& policy, scene& s, int steps) {
  if (s.before.empty()) s.before = s.surface;
  std::vector<double> after(s.surface.size());
  for (int k = 0; k < steps; ++k) {
    step(policy, {s.width, s.height, s.ground.data(), s.surface.data(), s.before.data(), s.pull, s.friction},
         after.data());
    s.before.swap(s.surface);
    s.surface.swap(after);
  }
}

}  // namespace water

#endif
