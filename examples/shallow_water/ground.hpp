// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_GROUND_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_GROUND_HPP

#include "../program.hpp"
#include "png.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace water {

/// Heights of cells, row by row.
struct grid {
  std::int64_t width = 0, height = 0;
  std::vector<double> heights;
};

/// The words of a text, and on which line they are.
class text_reader {
 public:
  text_reader(std::string const& file, std::string_view text) : file_{file}, rest_{text} {}
  [[noreturn]] void fail(std::string const& reason) const { throw program::bad_file(file_, line_, reason); }
  /// The next word; none at the end. From `comment` on, lines are left out.
  std::string_view word(char comment = '\0') {
    while (!rest_.empty() && (is_blank(rest_[0]) || (comment && rest_[0] == comment))) {
      if (comment && rest_[0] == comment) rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      else {
        line_ += rest_[0] == '\n';
        rest_.remove_prefix(1);
      }
    }
    std::size_t length = 0;
    while (length < rest_.size() && !is_blank(rest_[length])) ++length;
    auto const found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }
  double number(std::string_view word, char const* what) const {
    if (word.empty()) fail(std::string("the file ends before ") + what);
    double value = 0;
    if (!program::is_number(word[0] == '+' ? word.substr(1) : word, value))
      fail(std::string(what) + ": '" + std::string(word.substr(0, 40)) + "' is no number");
    return value;
  }
  std::int64_t whole(std::string_view word, char const* what, std::int64_t most) const {
    double const value = number(word, what);
    if (!(value >= 1 && value <= static_cast<double>(most)) || value != std::floor(value))
      fail(std::string(what) + " is " + std::string(word.substr(0, 40)) + ": a whole number from 1 to " +
           std::to_string(most) + " is needed");
    return static_cast<std::int64_t>(value);
  }
  std::string_view rest() const { return rest_; }

 private:
  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  std::string file_;
  std::string_view rest_;
  std::int64_t line_ = 1;
};

/// An ESRI ASCII grid: words and their values, then the rows of heights. Where there is no height stands a
/// wall.
inline grid read_esri(std::string const& file, std::string_view text) {
  text_reader in(file, text);
  grid all;
  double nothing = -9999;  // the format's own, where a file does not say
  auto word = in.word();
  for (; !word.empty() && ((word[0] | 32) >= 'a' && (word[0] | 32) <= 'z'); word = in.word()) {
    std::string name(word);
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    auto const value = in.word();
    if (name == "ncols") all.width = in.whole(value, "ncols", most_cells_a_side);
    else if (name == "nrows") all.height = in.whole(value, "nrows", most_cells_a_side);
    else if (name == "nodata_value") nothing = in.number(value, "nodata_value");
    else if (name == "xllcorner" || name == "xllcenter" || name == "yllcorner" || name == "yllcenter" ||
             name == "cellsize")
      in.number(value, name.c_str());
    else in.fail("'" + name.substr(0, 40) + "' is no word of an ESRI ASCII grid's beginning");
  }
  if (all.width == 0) in.fail("the heights begin before ncols is said");
  if (all.height == 0) in.fail("the heights begin before nrows is said");
  auto const count = static_cast<std::size_t>(all.width * all.height);
  all.heights.reserve(std::min(count, text.size() / 2 + 1));  // a broken beginning asks for no memory
  double highest = -std::numeric_limits<double>::infinity();
  for (; all.heights.size() < count; word = in.word()) {
    if (word.empty())
      in.fail("the file ends after " + std::to_string(all.heights.size()) + " of " + std::to_string(count) +
              " heights");
    all.heights.push_back(in.number(word, "height"));
    if (all.heights.back() != nothing) highest = std::max(highest, all.heights.back());
  }
  if (!word.empty())
    in.fail("there are more than the " + std::to_string(count) + " heights of ncols x nrows");
  if (!std::isfinite(highest)) in.fail("no cell has a height");
  for (double& h : all.heights) h = h == nothing ? highest : h;
  return all;
}

/// A PGM picture, as text (P2) or bytes (P5) of up to 16 bits: white is 1 high, black 0.
inline grid read_pgm(std::string const& file, std::string_view text) {
  text_reader in(file, text);
  bool const bytes = in.word() == "P5";
  grid all;
  all.width = in.whole(in.word('#'), "the width", most_cells_a_side);
  all.height = in.whole(in.word('#'), "the height", most_cells_a_side);
  auto const white = in.whole(in.word('#'), "the value of white", 65535);
  auto const count = static_cast<std::size_t>(all.width * all.height);
  auto const too_high = [&](std::size_t i, double value) {
    in.fail("pixel " + std::to_string(i) + " is " + std::to_string(static_cast<std::int64_t>(value)) +
            ", white " + std::to_string(white));
  };
  all.heights.reserve(std::min(count, text.size()));
  if (bytes) {
    auto const each = white > 255 ? std::size_t{2} : std::size_t{1};
    auto data = in.rest();
    if (!data.empty()) data.remove_prefix(1);
    if (data.size() < count * each)
      in.fail("behind it are " + std::to_string(data.size()) + " of " + std::to_string(count * each) +
              " bytes of pixels");
    for (std::size_t i = 0; i < count; ++i) {
      int value = static_cast<unsigned char>(data[i * each]);
      if (each == 2) value = 256 * value + static_cast<unsigned char>(data[i * each + 1]);
      if (value > white) too_high(i, value);
      all.heights.push_back(static_cast<double>(value) / static_cast<double>(white));
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      auto const word = in.word('#');
      if (word.empty())
        in.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count) + " pixels");
      double const value = in.number(word, "pixel");
      if (!(value >= 0) || value > static_cast<double>(white)) too_high(i, value);
      all.heights.push_back(value / static_cast<double>(white));
    }
  }
  return all;
}

/// The heights in a file: an ESRI ASCII grid, or a picture in the PGM or PNG format.
inline grid read_ground(std::string const& file) {
  if (std::filesystem::is_directory(file)) throw program::bad_file(file, "is a folder");
  auto const text = program::read(file);
  if (text.empty()) throw program::bad_file(file, "is empty");
  auto const begins = [&](char const* with) { return text.rfind(with, 0) == 0; };
  if (begins("P2") || begins("P5")) return read_pgm(file, text);
  if (begins("\x89PNG")) {
    auto const grey = read_png(file, text);
    grid all{grey.width, grey.height, std::vector<double>(grey.values.size())};
    std::transform(grey.values.begin(), grey.values.end(), all.heights.begin(),
                   [](std::uint16_t v) { return v / 65535.0; });
    return all;
  }
  auto const letter = text[std::min(text.find_first_not_of(" \t\r\n"), text.size() - 1)] | 32;
  if (letter < 'a' || letter > 'z')
    throw program::bad_file(file, 1, "begins neither as an ESRI ASCII grid nor as a PGM or PNG picture");
  return read_esri(file, text);
}

/// The same ground with another number of cells, between whose heights lines are drawn.
inline grid resized(grid const& from, std::int64_t width, std::int64_t height) {
  if (width == from.width && height == from.height) return from;
  grid all{width, height, std::vector<double>(static_cast<std::size_t>(width * height))};
  struct between {
    std::int64_t first, second;
    double part;
  };
  auto const place = [](std::int64_t i, std::int64_t cells, std::int64_t of) {
    double const at = std::clamp(
        (static_cast<double>(i) + 0.5) * static_cast<double>(of) / static_cast<double>(cells) - 0.5, 0.0,
        static_cast<double>(of - 1));
    auto const first = static_cast<std::int64_t>(at);
    return between{first, std::min(first + 1, of - 1), at - static_cast<double>(first)};
  };
  for (std::int64_t y = 0; y < height; ++y) {
    auto const v = place(y, height, from.height);
    for (std::int64_t x = 0; x < width; ++x) {
      auto const u = place(x, width, from.width);
      auto const in_row = [&](std::int64_t row) {
        auto const h = from.heights.begin() + row * from.width;
        return h[u.first] + u.part * (h[u.second] - h[u.first]);
      };
      double const upper = in_row(v.first);
      all.heights[static_cast<std::size_t>(y * width + x)] = upper + v.part * (in_row(v.second) - upper);
    }
  }
  return all;
}

}  // namespace water

#endif
