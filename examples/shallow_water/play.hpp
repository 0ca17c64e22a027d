// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_PLAY_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_PLAY_HPP

#include "../image.hpp"
#include "../program.hpp"
#include "../tour/terminal.hpp"
#include "ground.hpp"
#include "laws.hpp"
#include "picture.hpp"
#include "scene.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace water {

inline constexpr char const* usage = R"(usage: %s [options]
Water that moves over uneven ground. Without options: tries what must hold of it, then a small scene.

  --scene NAME     dam (a dam breaks), rain, waves (a swell comes), still; dam if not said
  --ground FILE    heights from an ESRI ASCII grid, or from a PGM or PNG picture; built in if not said
  --level L        the water's level, in the file's heights; else a part of the ground is under water
  --size W H       so many cells; else the file's, or 128 128
  --steps N        so many steps; 400 if not said
  --stride C       a step is as long as the fastest wave takes for C cells; 0.5 if not said
  --friction F     a step takes so much of each flow, 0 to 1; 0.002 if not said
  --out PREFIX     writes PREFIX-0001.png and so on, the contact sheet PREFIX-sheet.png, the animation PREFIX.png
  --frames N       so many pictures; 48 if not said
  --sheet C R      the contact sheet's columns and rows; 4 2 if not said
  --pixels P       pictures' longest side; 512 if not said
  --check          tries what must hold, and no more
  --help           says this
)";

/// What was asked for on the command line.
struct options {
  wish how;
  bool has_level = false, check = false, help = false, any = false;
  std::string ground, out;
  std::int64_t width = 0, height = 0, pixels = 512;
  int steps = 400, frames = 48, columns = 4, rows = 2;
};

inline options read_options(int argc, char** argv) {
  options o;
  int i = 1;
  auto const word = [&](char const* option) {
    if (++i >= argc)
      throw std::runtime_error(std::string(option) + ": a value is missing (--help says what there is)");
    return std::string(argv[i]);
  };
  auto const number = [&](char const* option, double least, double most) {
    auto const text = word(option);
    double value = 0;
    if (!program::is_number(text, value) || value < least || value > most)
      throw std::runtime_error(std::string(option) + " " + text + ": a number from " + std::to_string(least) +
                               " to " + std::to_string(most) + " is needed");
    return value;
  };
  auto const whole = [&](char const* option, std::int64_t least, std::int64_t most) {
    auto const text = word(option);
    std::int64_t value = 0;
    if (!program::is_number(text, value) || value < least || value > most)
      throw std::runtime_error(std::string(option) + " " + text + ": a whole number from " +
                               std::to_string(least) + " to " + std::to_string(most) + " is needed");
    return value;
  };
  for (; i < argc; ++i) {
    std::string const name = argv[i];
    o.any = true;
    if (name == "--scene") o.how.scene = word("--scene");
    else if (name == "--ground") o.ground = word("--ground");
    else if (name == "--level") o.how.level = number("--level", -1e9, 1e9), o.has_level = true;
    else if (name == "--size") {
      o.width = whole("--size", 1, most_cells_a_side);
      o.height = whole("--size", 1, most_cells_a_side);
    } else if (name == "--steps") o.steps = static_cast<int>(whole("--steps", 0, 1'000'000'000));
    else if (name == "--stride") o.how.cells_a_step = number("--stride", 0.01, 100);
    else if (name == "--friction") o.how.friction = number("--friction", 0, 1);
    else if (name == "--out") o.out = word("--out");
    else if (name == "--frames") o.frames = static_cast<int>(whole("--frames", 1, 9999));
    else if (name == "--sheet") {
      o.columns = static_cast<int>(whole("--sheet", 1, 100));
      o.rows = static_cast<int>(whole("--sheet", 1, 100));
    } else if (name == "--pixels") o.pixels = whole("--pixels", 16, 4096);
    else if (name == "--check") o.check = true;
    else if (name == "--help" || name == "-h") o.help = true;
    else throw std::runtime_error(name + ": no such option (--help says what there is)");
  }
  return o;
}

/// The level below which so much of a ground lies.
inline double level_of(grid const& ground, double part) {
  auto sorted = ground.heights;
  auto const at = sorted.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

inline grid ground_of(options const& o) {
  if (!o.ground.empty()) {
    auto const read = read_ground(o.ground);
    return o.width ? resized(read, o.width, o.height) : read;
  }
  return built_in(o.how.scene, o.width ? o.width : 128, o.width ? o.height : 128);
}

/// Whether a frame is one of those on the sheet: so many, evenly, the first and the last among them.
inline bool on_sheet(int frame, int frames, int places) {
  if (places >= frames) return true;
  for (int k = 0; k < places; ++k)
    if (frame == (places > 1 ? k * (frames - 1) / (places - 1) : frames - 1)) return true;
  return false;
}

inline std::string rate_of(int steps, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, steps < 10 * seconds ? "%.2g" : "%.0f", steps / seconds);
  return text;
}

/// The program: run(scene, steps) moves a scene's water.
template <class Run>
int play(char const* name, int argc, char** argv, Run run) {
  auto o = read_options(argc, argv);
  if (o.help) {
    std::printf(usage, argv[0]);
    return 0;
  }
  if ((o.check || !o.any) && !holds(run)) return 1;
  if (o.check) return 0;

  auto const ground = ground_of(o);
  if (!o.has_level)
    o.how.level = o.ground.empty() ? (o.how.scene == "rain" ? -0.35 : 0) : level_of(ground, 0.4);
  scene s = make_scene(o.how, ground);
  double const volume = s.volume();
  std::printf("%s, %s: %lld x %lld cells, level %g\n", name, o.how.scene.c_str(),
              static_cast<long long>(s.width), static_cast<long long>(s.height), o.how.level);

  painter const paint(s, o.pixels);
  std::vector<picture> sheet;
#ifdef SWEEP_EXAMPLE_PNG
  std::vector<animation> film;
  if (!o.out.empty()) film.emplace_back(o.out + ".png", o.frames, 40);
#else
  if (!o.out.empty()) std::printf("built without libpng: pictures are PPM, and there is no animation\n");
#endif
  tour::progress progress;
  double seconds = 0;
  auto const draw = [&](int k) {
    auto p = paint(s);
    char number[16];
    std::snprintf(number, sizeof number, "-%04d", k + 1);
    image::write(o.out + number + picture_ending, p);
#ifdef SWEEP_EXAMPLE_PNG
    film[0].add(p);
#endif
    if (on_sheet(k, o.frames, o.columns * o.rows)) sheet.push_back(std::move(p));
  };
  // From the first picture to the last; without pictures in parts too, so that progress can be seen.
  int const parts = o.out.empty() ? std::clamp(o.steps, 1, 20) : std::max(1, o.frames - 1);
  if (!o.out.empty() && o.frames > 1) draw(0);
  for (int k = 0; k < parts; ++k) {
    int const from = static_cast<int>(std::int64_t{o.steps} * k / parts),
              to = static_cast<int>(std::int64_t{o.steps} * (k + 1) / parts);
    auto const rate = seconds > 0 ? ", " + rate_of(from, seconds) + " a second" : std::string{};
    progress.step("step " + std::to_string(from) + " of " + std::to_string(o.steps) + rate,
                  static_cast<double>(k) / parts);
    auto const start = std::chrono::steady_clock::now();
    run(s, to - from);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!o.out.empty()) draw(o.frames > 1 ? k + 1 : 0);
  }
  if (!o.out.empty())
    image::write(o.out + "-sheet" + picture_ending, contact_sheet(sheet, o.columns, 240 * o.columns));
  progress.done();
  if (o.how.scene == "rain")
    std::printf("water: %.6g, of which rain %.6g\n", s.volume(), s.volume() - volume);
  else
    std::printf("water: %.6g, changed by %.1e of it\n", s.volume(), volume > 0 ? s.volume() / volume - 1 : 0);
  if (o.steps > 0) std::printf("%d steps, %s a second\n", o.steps, rate_of(o.steps, seconds).c_str());
  return 0;
}

}  // namespace water

#endif
