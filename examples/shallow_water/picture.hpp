// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_PICTURE_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_PICTURE_HPP

#include "png.hpp"
#include "scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace water {

using colour = std::array<double, 3>;

/// Draws a scene: ground coloured by its height and lit from the upper left; over it water, the darker the
/// deeper it is, lit likewise, and with foam where it breaks. What is high and what is deep is said by the
/// scene as it was at first, so that frames agree.
class painter {
 public:
  painter(scene const& s, std::int64_t longest_side) {
    auto const [low, high] = std::minmax_element(s.ground.begin(), s.ground.end());
    range_ = std::max(1e-9, *high - *low);
    land_ = std::max(1e-9, *high - std::clamp(s.level, *low, *high));
    double top = *low;
    for (std::size_t i = 0; i < s.surface.size(); ++i)
      if (s.surface[i] > s.ground[i]) top = std::max(top, s.surface[i]);
    deep_ = std::max(top - *low, 0.35 * range_);
    auto const side = std::max(s.width, s.height);
    double const scale = std::min(1.0, static_cast<double>(longest_side) / static_cast<double>(side));
    larger_ = side < longest_side ? longest_side / side : 1;
    width_ = std::max<std::int64_t>(1, std::llround(scale * static_cast<double>(s.width)));
    height_ = std::max<std::int64_t>(1, std::llround(scale * static_cast<double>(s.height)));
    steep_ = static_cast<double>(side) / range_;
    steep_water_ = static_cast<double>(side) / deep_;
  }

  picture operator()(scene const& s) const {
    std::vector<colour> sum(static_cast<std::size_t>(width_ * height_));
    std::vector<int> cells(sum.size());
    for (std::int64_t y = 0; y < s.height; ++y)
      for (std::int64_t x = 0; x < s.width; ++x) {
        auto const to = static_cast<std::size_t>(y * height_ / s.height * width_ + x * width_ / s.width);
        auto const seen = colour_of(s, x, y);
        for (std::size_t c = 0; c < 3; ++c) sum[to][c] += seen[c];
        ++cells[to];
      }
    picture p(width_ * larger_, height_ * larger_);
    for (std::int64_t y = 0; y < p.height; ++y)
      for (std::int64_t x = 0; x < p.width; ++x) {
        auto const from = static_cast<std::size_t>(y / larger_ * width_ + x / larger_);
        for (std::size_t c = 0; c < 3; ++c)
          p.pixel(x, y)[c] = static_cast<std::uint8_t>(std::clamp(sum[from][c] / cells[from], 0.0, 255.0));
      }
    return p;
  }

 private:
  colour colour_of(scene const& s, std::int64_t x, std::int64_t y) const {
    auto const i = s.at(x, y), left = x > 0 ? i - 1 : i,
               above = y > 0 ? i - static_cast<std::size_t>(s.width) : i;
    auto const light = [&](std::vector<double> const& heights, double steep, double least, double most) {
      double const slope = steep * (heights[i] - heights[left] + heights[i] - heights[above]);
      return std::clamp(1 + 0.12 * slope, least, most);
    };
    // Sand below the water's first level and beside it, then grass, rock and snow.
    constexpr colour lands[] = {{202, 186, 140}, {112, 128, 66}, {140, 118, 84}, {236, 234, 230}};
    double const over = std::clamp(s.ground[i] > s.level ? (s.ground[i] - s.level) / land_ : 0.0, 0.0, 1.0);
    double const place = over < 0.12 ? over / 0.12 : 1 + 2 * (over - 0.12) / 0.88;
    auto const from = static_cast<std::size_t>(std::min(place, 2.0));
    double const depth = s.surface[i] - s.ground[i], part = place - static_cast<double>(from);
    colour land;
    for (std::size_t c = 0; c < 3; ++c)
      land[c] = lands[from][c] + part * (lands[from + 1][c] - lands[from][c]);
    double const lit = light(s.ground, steep_, 0.45, 1.5);
    for (double& c : land) c *= lit;
    double const film = 0.002 * deep_;
    if (depth <= 0.02 * film) return land;
    // Light is lost on the way down and up again: red first. A film of water is seen less than a pond.
    constexpr colour sea{12, 62, 116}, lost{9, 4, 2.5};
    double const wet = std::min(1.0, depth / film), shallow = depth / (depth + 0.05 * deep_);
    double const glint = 1 + shallow * (light(s.surface, steep_water_, 0.55, 2.2) - 1);
    colour seen;
    for (std::size_t c = 0; c < 3; ++c) {
      double const through = std::exp(-lost[c] * depth / deep_) * 0.75;
      double const water =
          (through * land[c] + (1 - through) * sea[c] * 1.25) * glint + 30 * std::max(0.0, glint - 1);
      seen[c] = land[c] + wet * (water - land[c]);
    }
    return seen;
  }

  double range_, land_, deep_, steep_, steep_water_;
  std::int64_t width_, height_, larger_;
};

/// Pictures side by side, so many in a row, with a gap between them; larger ones are made smaller first.
inline picture contact_sheet(std::vector<picture> const& all, std::int64_t columns, std::int64_t width) {
  constexpr std::int64_t gap = 4;
  if (all.empty()) return {};
  columns = std::min<std::int64_t>(columns, static_cast<std::int64_t>(all.size()));
  auto const rows = (static_cast<std::int64_t>(all.size()) + columns - 1) / columns;
  auto const one_width =
      std::min(all[0].width, std::max<std::int64_t>(1, (width - (columns - 1) * gap) / columns));
  auto const one_height = std::max<std::int64_t>(1, all[0].height * one_width / all[0].width);
  picture sheet(columns * one_width + (columns - 1) * gap, rows * one_height + (rows - 1) * gap);
  std::fill(sheet.rgb.begin(), sheet.rgb.end(), std::uint8_t{255});
  for (std::size_t k = 0; k < all.size(); ++k) {
    auto const& from = all[k];
    auto const left = static_cast<std::int64_t>(k) % columns * (one_width + gap),
               top = static_cast<std::int64_t>(k) / columns * (one_height + gap);
    for (std::int64_t y = 0; y < one_height; ++y)
      for (std::int64_t x = 0; x < one_width; ++x) {
        auto const x0 = x * from.width / one_width, x1 = std::max(x0 + 1, (x + 1) * from.width / one_width);
        auto const y0 = y * from.height / one_height,
                   y1 = std::max(y0 + 1, (y + 1) * from.height / one_height);
        std::int64_t sum[3] = {};
        for (auto v = y0; v < y1; ++v)
          for (auto u = x0; u < x1; ++u)
            for (int c = 0; c < 3; ++c) sum[c] += from.pixel(u, v)[c];
        for (int c = 0; c < 3; ++c)
          sheet.pixel(left + x, top + y)[c] = static_cast<std::uint8_t>(sum[c] / ((x1 - x0) * (y1 - y0)));
      }
  }
  return sheet;
}

}  // namespace water

#endif
