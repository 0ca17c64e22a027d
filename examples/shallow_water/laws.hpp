// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_LAWS_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_LAWS_HPP

#include "scene.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

// What must hold of water that run(scene, steps) moves.

namespace water {

/// A wave in a channel, from 100 cells before its wall on: where its crest is, and how high, after some
/// steps.
struct crest {
  double at, height;
};
template <class Run>
crest crest_after(Run run, int steps, bool along_rows, double depth, double pull) {
  constexpr std::int64_t length = 300, breadth = 2, start = 200;
  scene s(along_rows ? length : breadth, along_rows ? breadth : length);
  auto const cell = [&](std::int64_t k) { return along_rows ? s.at(k, 1) : s.at(1, k); };
  for (std::int64_t y = 0; y < s.height; ++y)
    for (std::int64_t x = 0; x < s.width; ++x) {
      auto const u = static_cast<double>((along_rows ? x : y) - start) / 16;
      s.ground[s.at(x, y)] = -depth;
      s.surface[s.at(x, y)] = 1e-5 * std::exp(-u * u);
    }
  s.pull = pull;
  run(s, steps);
  // Halves go both ways: the one that goes to the nearer wall, and comes back from it, is looked for.
  std::int64_t best = start;
  for (std::int64_t k = start; k + 1 < length; ++k)
    if (s.surface[cell(k)] > s.surface[cell(best)]) best = k;
  double const before = s.surface[cell(best - 1)], top = s.surface[cell(best)],
               behind = s.surface[cell(best + 1 < length ? best + 1 : best)];
  double const bend = before - 2 * top + behind;
  return {static_cast<double>(best) + (bend < 0 ? 0.5 * (before - behind) / bend : 0), top};
}

/// False, and a line, where something does not hold.
template <class Run>
bool holds(Run run) {
  bool all = true;
  auto const expect = [&](bool good, char const* what, double value) {
    std::printf("%-46s %9.2e  %s\n", what, value, good ? "holds" : "DOES NOT HOLD");
    all = all && good;
  };
  auto const moved = [](scene const& s, std::vector<double> const& from) {
    double most = 0;
    for (std::size_t i = 0; i < from.size(); ++i) most = std::max(most, std::abs(s.surface[i] - from[i]));
    return most;
  };
  wish how;

  // Hills and islands, some of them dry, and a level that is no round number.
  how.scene = "still";
  how.level = 0.1;
  scene still = make_scene(how, built_in("dam", 61, 43));
  auto const rest = still.surface;
  run(still, 100);
  expect(moved(still, rest) == 0, "still water stays still, off by", moved(still, rest));

  // Water that falls over dry ground, and runs back from the shore.
  how.scene = "dam";
  scene dam = make_scene(how, built_in("dam", 61, 43));
  auto const full = dam.volume();
  auto const before = dam.surface;
  run(dam, 200);
  expect(moved(dam, before) > 0.1, "a dam breaks, and moves", moved(dam, before));
  expect(std::abs(dam.volume() / full - 1) < 1e-13, "its volume stays, off by",
         std::abs(dam.volume() / full - 1));
  expect(dam.least_depth() > -1e-14, "no cell gives more than it has, least", dam.least_depth());

  how.scene = "rain";
  how.level = -10;
  scene wet = make_scene(how, built_in("rain", 50, 37));
  double fallen = 0;
  for (std::int64_t k = 0; k < 150; ++k)
    for (std::int64_t y = 0; y < wet.height; ++y)
      for (std::int64_t x = 0; x < wet.width; ++x) fallen += rain{wet.rain_rate, k}(x, y);
  run(wet, 150);
  expect(fallen > 0 && std::abs(wet.volume() / fallen - 1) < 1e-12, "what rain brings is there, off by",
         std::abs(wet.volume() / fallen - 1));
  expect(wet.least_depth() > -1e-14, "no cell gives more than it has, least", wet.least_depth());

  // A heap of water over a hill whose two axes differ, mirrored in both directions.
  scene heap(42, 35);
  for (std::int64_t y = 0; y < heap.height; ++y)
    for (std::int64_t x = 0; x < heap.width; ++x) {
      auto const u = static_cast<double>(x) - 20.5, v = static_cast<double>(y) - 17;
      heap.ground[heap.at(x, y)] = 0.7 * std::exp(-0.02 * (u * u + 2 * v * v)) - 1;
      heap.surface[heap.at(x, y)] = u * u + v * v < 50 ? 0.3 : 0.0;
    }
  run(heap, 80);
  double uneven = 0;
  for (std::int64_t y = 0; y < heap.height; ++y)
    for (std::int64_t x = 0; x < heap.width; ++x)
      uneven = std::max({uneven, std::abs(heap.surface[heap.at(x, y)] - heap.surface[heap.at(41 - x, y)]),
                         std::abs(heap.surface[heap.at(x, y)] - heap.surface[heap.at(x, 34 - y)])});
  expect(uneven < 1e-12, "symmetric water stays so, off by", uneven);

  // A low and wide wave goes sqrt(g d): sqrt(pull d) cells a step. Walls send it back, as high as it was.
  for (bool const along_rows : {true, false})
    for (double const depth : {1.0, 0.25}) {
      double const pull = 0.25, cells = std::sqrt(pull * depth);
      auto const first = crest_after(run, static_cast<int>(30 / cells), along_rows, depth, pull),
                 second = crest_after(run, static_cast<int>(70 / cells), along_rows, depth, pull),
                 back = crest_after(run, static_cast<int>(150 / cells), along_rows, depth, pull);
      double const speed = (second.at - first.at) / 40;
      expect(std::abs(speed - 1) < 0.01,
             along_rows ? "speed along rows over sqrt(g d), less one"
                        : "speed along columns over sqrt(g d), less one",
             speed - 1);
      double const wall = 299.5, off = wall - (150 - (wall - 200)) - back.at;
      expect(std::abs(off) < 1 && back.height > 0.5 * second.height, "a wall sends it back, cells off", off);
    }
  return all;
}

}  // namespace water

#endif
