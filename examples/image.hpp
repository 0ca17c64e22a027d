// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_IMAGE_HPP
#define SWEEP_EXAMPLES_IMAGE_HPP

#include "program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#ifdef SWEEP_EXAMPLE_PNG  // CMake found libpng
#include <png.h>
#endif

/// Pictures in files: PNG where there is libpng, and Netpbm's bytes everywhere: PGM (P5) and PPM (P6).
namespace image {

/// A picture, three bytes a pixel.
struct picture {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  picture() = default;
  picture(std::int64_t w, std::int64_t h) : width{w}, height{h}, rgb(static_cast<std::size_t>(3 * w * h)) {}
  std::uint8_t* pixel(std::int64_t x, std::int64_t y) {
    return rgb.data() + static_cast<std::size_t>(3 * (y * width + x));
  }
  std::uint8_t const* pixel(std::int64_t x, std::int64_t y) const {
    return rgb.data() + static_cast<std::size_t>(3 * (y * width + x));
  }
};

inline constexpr std::int64_t most_pixels = std::int64_t{1} << 28;

#ifdef SWEEP_EXAMPLE_PNG
/// A picture as the bytes of a PNG file.
inline std::string png_of(picture const& p) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(p.width);
  image.height = static_cast<png_uint_32>(p.height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, p.rgb.data(), 0, nullptr))
    throw std::runtime_error(std::string("libpng: ") + image.message);
  bytes.resize(size);
  return bytes;
}
/// What is transparent lies on white.
inline picture from_png(std::string const& name, std::string const& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  auto const fail = [&]() -> void {
    std::string const reason = image.message;
    png_image_free(&image);
    throw program::bad_file(name, "is no good PNG picture: " + reason);
  };
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) fail();
  image.format = PNG_FORMAT_RGB;
  if (std::int64_t{image.width} * image.height > most_pixels) {
    png_image_free(&image);
    throw program::bad_file(name, "is too large");
  }
  picture p(image.width, image.height);
  png_color const white{255, 255, 255};
  if (!png_image_finish_read(&image, &white, p.rgb.data(), 0, nullptr)) fail();
  return p;
}
#else
inline std::string png_of(picture const&) {
  throw std::runtime_error("this program was built without libpng, and writes no PNG pictures: name it .ppm");
}
inline picture from_png(std::string const& name, std::string const&) {
  throw program::bad_file(name, "this program was built without libpng, and reads no PNG pictures");
}
#endif

/// The same of a PPM file.
inline std::string ppm_of(picture const& p) {
  return "P6\n" + std::to_string(p.width) + ' ' + std::to_string(p.height) + "\n255\n" +
         std::string(p.rgb.begin(), p.rgb.end());
}
inline picture from_netpbm(std::string const& name, std::string const& bytes) {
  bool const colours = bytes.substr(0, 2) == "P6";
  std::size_t at = 2;
  auto const number = [&](char const* what, std::int64_t most) {
    auto const is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (at < bytes.size() && (is_blank(bytes[at]) || bytes[at] == '#')) {
      if (bytes[at] == '#') at = std::min(bytes.find('\n', at), bytes.size());
      else ++at;
    }
    auto const begin = at;
    while (at < bytes.size() && !is_blank(bytes[at])) ++at;
    auto const word = std::string_view(bytes).substr(begin, std::min<std::size_t>(at - begin, 20));
    std::int64_t value = 0;
    if (!program::is_number(word, value) || value < 1 || value > most)
      throw program::bad_file(name, std::string(what) + " is '" + std::string(word) +
                                        "': a number from 1 to " + std::to_string(most) + " is needed");
    return value;
  };
  auto const width = number("the width", 1 << 20), height = number("the height", most_pixels / width);
  auto const white = number("the value of white", 255);
  auto const there = bytes.size() - std::min(at + 1, bytes.size());
  auto const needed = static_cast<std::size_t>(width * height * (colours ? 3 : 1));
  if (there < needed)
    throw program::bad_file(name, "has " + std::to_string(there) + " of " + std::to_string(needed) +
                                      " bytes of pixels");
  picture p(width, height);
  for (std::size_t i = 0; i < p.rgb.size(); ++i) {
    auto const value = static_cast<unsigned char>(bytes[at + 1 + (colours ? i : i / 3)]);
    p.rgb[i] = static_cast<std::uint8_t>(std::min<std::int64_t>(value * 255 / white, 255));
  }
  return p;
}

/// Reads a picture of any of the formats, which its first bytes tell.
inline picture read(std::string const& name) {
  auto const bytes = program::read(name);
  if (bytes.substr(0, 4) == "\x89PNG") return from_png(name, bytes);
  if (bytes.substr(0, 2) == "P5" || bytes.substr(0, 2) == "P6") return from_netpbm(name, bytes);
  throw program::bad_file(name, "begins neither as a PNG picture nor as a PGM or PPM one of bytes");
}

/// Writes a picture: a PNG if it is named so, else PPM.
inline void write(std::string const& name, picture const& p) {
  bool const png = name.size() >= 4 && name.substr(name.size() - 4) == ".png";
  program::write(name, png ? png_of(p) : ppm_of(p));
}

}  // namespace image

#endif
