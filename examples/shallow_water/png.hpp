// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_PNG_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_PNG_HPP

#include "../image.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef SWEEP_EXAMPLE_PNG  // CMake found libpng
#include <csetjmp>

#include <png.h>
#endif

namespace water {

using image::picture;

inline constexpr std::int64_t most_cells_a_side = 16384;

/// Greys of 16 bits.
struct grey_picture {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint16_t> values;
};

#ifdef SWEEP_EXAMPLE_PNG

inline constexpr char const* picture_ending = ".png";

/// What libpng reads from and into. It reports errors by a jump over nothing that has a destructor.
struct png_reading {
  std::string_view bytes;
  std::string reason;
  grey_picture grey;
  std::vector<png_bytep> rows;
};
inline bool read_png_into(png_reading& r) {
  auto const failed = [](png_structp png, png_const_charp reason) {
    static_cast<png_reading*>(png_get_error_ptr(png))->reason = reason;
    png_longjmp(png, 1);
  };
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, failed, [](png_structp, png_const_charp) {});
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    r.reason = "no memory";
    png_destroy_read_struct(&png, nullptr, nullptr);
    return false;
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, nullptr);
    return false;
  }
  png_set_read_fn(png, &r, [](png_structp from, png_bytep to, png_size_t count) {
    auto& left = static_cast<png_reading*>(png_get_io_ptr(from))->bytes;
    if (left.size() < count) png_error(from, "the file ends too early");
    std::memcpy(to, left.data(), count);
    left.remove_prefix(count);
  });
  png_set_user_limits(png, most_cells_a_side, most_cells_a_side);
  png_read_info(png, info);
  r.grey.width = png_get_image_width(png, info);
  r.grey.height = png_get_image_height(png, info);
  auto const type = png_get_color_type(png, info);
  if (type & PNG_COLOR_MASK_PALETTE) png_set_palette_to_rgb(png);
  png_set_expand_16(png);
  png_set_strip_alpha(png);
  if (type & PNG_COLOR_MASK_COLOR)
    png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, PNG_RGB_TO_GRAY_DEFAULT, PNG_RGB_TO_GRAY_DEFAULT);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != 2 * png_get_image_width(png, info)) png_error(png, "of no known sort");
  r.grey.values.resize(static_cast<std::size_t>(r.grey.width * r.grey.height));
  for (std::int64_t y = 0; y < r.grey.height; ++y)
    r.rows.push_back(reinterpret_cast<png_bytep>(r.grey.values.data() + y * r.grey.width));
  png_read_image(png, r.rows.data());
  png_read_end(png, nullptr);
  png_destroy_read_struct(&png, &info, nullptr);
  return true;
}
/// The greys of a PNG file, colours by their brightness, transparency left out.
inline grey_picture read_png(std::string const& file, std::string_view bytes) {
  png_reading r{bytes, {}, {}, {}};
  if (!read_png_into(r)) throw program::bad_file(file, "is no good PNG picture: " + r.reason);
  for (auto& value : r.grey.values) {  // the higher byte comes first in the file
    std::uint8_t two[2];
    std::memcpy(two, &value, 2);
    value = static_cast<std::uint16_t>(two[0] << 8 | two[1]);
  }
  return std::move(r.grey);
}

/// An animation in the PNG format (wiki.mozilla.org/APNG_Specification): a picture, and behind it what the
/// later ones show; a program that knows no animations shows the first. Frames are written as they come.
class animation {
 public:
  animation(std::string const& file, int frames, int milliseconds)
      : file_{file}, out_(file, std::ios::binary), frames_{frames}, milliseconds_{milliseconds} {}
  void add(picture const& p) {
    auto const bytes = image::png_of(p);
    std::string_view rest(bytes);
    if (shown_ == 0) out_ << rest.substr(0, 8);
    rest.remove_prefix(8);
    while (rest.size() >= 12) {
      auto const length = number_at(rest, 0);
      auto const name = rest.substr(4, 4), data = rest.substr(8, length);
      if (name == "IHDR" && shown_ == 0) {
        chunk("IHDR", data);
        chunk("acTL", four(static_cast<std::uint32_t>(frames_)) + four(0));  // again and again
      } else if (name == "IDAT") {
        if (!begun_) control(p);
        if (shown_ == 0) chunk("IDAT", data);
        else chunk("fdAT", four(next_++) + std::string(data));
      } else if (shown_ == 0 && name != "IHDR" && name != "IEND") {
        chunk(std::string(name).c_str(), data);
      }
      rest.remove_prefix(12 + length);
    }
    begun_ = false;
    if (++shown_ == frames_) {
      chunk("IEND", {});
      out_.close();
    }
    if (!out_) throw std::runtime_error(file_ + ": cannot be written");
  }

 private:
  static std::string four(std::uint32_t x) {
    return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8),
            static_cast<char>(x)};
  }
  static std::uint32_t number_at(std::string_view bytes, std::size_t at) {
    std::uint32_t x = 0;
    for (std::size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<unsigned char>(bytes[at + i]);
    return x;
  }
  /// How the frame lies on the picture: all over it, for so long.
  void control(picture const& p) {
    begun_ = true;
    auto const time = static_cast<std::uint32_t>(milliseconds_) << 16 | 1000;
    chunk("fcTL", four(next_++) + four(static_cast<std::uint32_t>(p.width)) +
                      four(static_cast<std::uint32_t>(p.height)) + four(0) + four(0) + four(time) +
                      std::string(2, '\0'));
  }
  /// A chunk: its length, its name, its data and the remainder of both by the polynomial of PNG's
  /// specification.
  void chunk(char const* name, std::string_view data) {
    auto const all = name + std::string(data);
    std::uint32_t crc = 0xffffffff;
    for (char const c : all) {
      crc ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    out_ << four(static_cast<std::uint32_t>(data.size())) << all << four(~crc);
  }

  std::string file_;
  std::ofstream out_;
  int frames_, milliseconds_, shown_ = 0;
  std::uint32_t next_ = 0;
  bool begun_ = false;
};

#else

inline constexpr char const* picture_ending = ".ppm";

inline grey_picture read_png(std::string const& file, std::string_view) {
  throw program::bad_file(file, "this program was built without libpng, and reads no PNG pictures");
}

#endif

}  // namespace water

#endif
