// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean of every (2 r + 1) x (2 r + 1) box of a picture, however large r is: in its summed-area table,
// item (y, x) of which is the sum of all that is above it and to the left, a box is four items. Colours lie
// side by side, so that each is an array whose steps along a row are three bytes.
#include "image.hpp"

#include <sweep/summed_area_table.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// The pixels that a box has in one direction, which ends at the picture's edge.
std::int64_t pixels(std::int64_t at, std::int64_t r, std::int64_t all) {
  return std::min(at + r, all - 1) - std::max<std::int64_t>(at - r, 0) + 1;
}

image::picture blurred(image::picture const& p, std::int64_t r) {
  image::picture out(p.width, p.height);
  std::vector<std::int64_t> table(static_cast<std::size_t>(p.width * p.height)), of_boxes(table.size());
  auto const sums = sweep::strided(table.data(), {p.height, p.width});
  for (int colour = 0; colour < 3; ++colour) {
    sweep::summed_area_table(
        sweep::host,
        sweep::strided(p.rgb.data() + colour, {p.height, p.width}, {3 * p.width, std::int64_t{3}}), sums);
    sweep::box_sum(sweep::host, sums, sweep::around(r, r),
                   sweep::strided(of_boxes.data(), {p.height, p.width}));
    for (std::int64_t y = 0, i = 0; y < p.height; ++y)
      for (std::int64_t x = 0; x < p.width; ++x, ++i)
        out.pixel(x, y)[colour] =
            static_cast<std::uint8_t>(of_boxes[i] / (pixels(y, r, p.height) * pixels(x, r, p.width)));
  }
  return out;
}

/// Whether some pixels are what adding up their boxes gives.
bool is_right(image::picture const& p, std::int64_t r, image::picture const& found) {
  auto const step_y = p.height / 7 + 1, step_x = p.width / 9 + 1;
  for (std::int64_t y = 0; y < p.height; y += step_y)
    for (std::int64_t x = 0; x < p.width; x += step_x)
      for (int colour = 0; colour < 3; ++colour) {
        std::int64_t sum = 0;
        for (auto v = std::max<std::int64_t>(y - r, 0); v <= std::min(y + r, p.height - 1); ++v)
          for (auto u = std::max<std::int64_t>(x - r, 0); u <= std::min(x + r, p.width - 1); ++u)
            sum += p.pixel(u, v)[colour];
        if (sum / (pixels(y, r, p.height) * pixels(x, r, p.width)) != found.pixel(x, y)[colour]) return false;
      }
  return true;
}

char const* const help = "box_blur [IN OUT RADIUS]: each pixel becomes the mean of the box around it, RADIUS "
                         "pixels to each side. Reads PNG,\n"
                         "PGM and PPM, writes PNG where OUT ends in .png, else PPM. Without arguments: a "
                         "disc on a ramp, and what becomes\n"
                         "of it.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (!arguments.empty() && arguments.size() != 3)
      throw std::runtime_error("which picture to which, and how far? (see --help)");
    if (!arguments.empty()) {
      auto const p = image::read(arguments[0]);
      auto const r = program::number<std::int64_t>(arguments[2]);
      if (r < 0 || r > std::max(p.width, p.height))
        throw std::runtime_error("a radius of " + arguments[2] + " is out of range");
      auto const out = blurred(p, r);
      image::write(arguments[1], out);
      std::printf("%lld x %lld pixels\n", static_cast<long long>(p.width), static_cast<long long>(p.height));
      return is_right(p, r, out);
    }
    image::picture p(401, 300);
    for (std::int64_t y = 0; y < p.height; ++y)
      for (std::int64_t x = 0; x < p.width; ++x)
        for (int colour = 0; colour < 3; ++colour) {
          auto const far = std::hypot(static_cast<double>(y - 150), static_cast<double>(x - 200));
          p.pixel(x, y)[colour] = static_cast<std::uint8_t>(far < 90 ? 200 + x % 50 : y % 60 * colour);
        }
    auto const out = blurred(p, 9);
    for (std::int64_t y = 10; y < p.height; y += 28) {
      for (std::int64_t x = 4; x < p.width; x += 8) std::printf("%c", " .:-=+*#%@"[out.pixel(x, y)[1] / 26]);
      std::printf("\n");
    }
    return is_right(p, 9, out) && is_right(p, 200, blurred(p, 200));
  });
}
