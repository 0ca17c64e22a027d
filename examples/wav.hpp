// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_WAV_HPP
#define SWEEP_EXAMPLES_WAV_HPP

#include "program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

/// Sounds in WAV files: PCM of 8, 16, 24 or 32 bits, or float of 32.
namespace wav {

/// Samples, mostly between -1 and 1, those of all channels side by side.
struct sound {
  std::int64_t rate = 0, channels = 0;
  std::vector<double> samples;
  std::int64_t length() const { return static_cast<std::int64_t>(samples.size()) / channels; }
};

/// What samples of float may be; a thousand times what loudspeakers get.
inline constexpr double loudest = 1000;

namespace detail {

inline std::uint32_t number(std::string const& bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int k = 0; k < size; ++k)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(k)]))
             << (8 * k);
  return value;
}
inline void append(std::string& bytes, std::uint32_t value, int size) {
  for (int k = 0; k < size; ++k) bytes += static_cast<char>(value >> (8 * k));
}

}  // namespace detail

inline sound read(std::string const& name) {
  auto const bytes = program::read(name);
  if (bytes.size() < 12 || bytes.compare(0, 4, "RIFF") != 0 || bytes.compare(8, 4, "WAVE") != 0)
    throw program::bad_file(name, "is no WAV file: it does not begin with RIFF and WAVE");
  sound s;
  int format = 0, bits = 0;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    auto const chunk = bytes.substr(at, 4);
    std::size_t const size = detail::number(bytes, at + 4, 4), begin = at + 8;
    if (size > bytes.size() - begin)
      throw program::bad_file(name, "ends within the chunk at byte " + std::to_string(at) + ": " +
                                        std::to_string(size) + " bytes are promised, " +
                                        std::to_string(bytes.size() - begin) + " are there");
    if (chunk == "fmt ") {
      if (size < 16)
        throw program::bad_file(name, "its format has " + std::to_string(size) + " bytes, not 16");
      format = static_cast<int>(detail::number(bytes, begin, 2));
      if (format == 0xfffe && size >= 26) format = static_cast<int>(detail::number(bytes, begin + 24, 2));
      s.channels = detail::number(bytes, begin + 2, 2);
      s.rate = detail::number(bytes, begin + 4, 4);
      bits = static_cast<int>(detail::number(bytes, begin + 14, 2));
      bool const known =
          format == 1 ? bits == 8 || bits == 16 || bits == 24 || bits == 32 : format == 3 && bits == 32;
      if (!known)
        throw program::bad_file(
            name, "has samples of format " + std::to_string(format) + " and " + std::to_string(bits) +
                      " bits, which cannot be read: PCM of 8, 16, 24, 32 bits or float of 32 can");
      if (s.channels == 0 || s.rate == 0) throw program::bad_file(name, "has no channels, or no rate");
    } else if (chunk == "data") {
      if (s.channels == 0) throw program::bad_file(name, "has samples before it says of which format");
      int const width = bits / 8;
      auto const frame = static_cast<std::size_t>(s.channels) * static_cast<std::size_t>(width);
      for (auto i = begin; i < begin + size / frame * frame; i += static_cast<std::size_t>(width)) {
        auto const value = detail::number(bytes, i, width);
        auto const all = static_cast<std::int32_t>(value << (32 - bits));  // the sign bit on top
        s.samples.push_back(format == 3 ? static_cast<double>(std::bit_cast<float>(value))
                            : bits == 8 ? (static_cast<double>(value) - 128) / 128
                                        : static_cast<double>(all) / 2147483648.0);
      }
      for (auto const sample : s.samples)
        if (!(std::abs(sample) <= loudest))
          throw program::bad_file(name, "has a sample of " + std::to_string(sample));
      return s;
    }
    at = begin + size + size % 2;
  }
  throw program::bad_file(name, "has no samples");
}

/// Writes a sound as PCM of 16 bits; what is louder than it can be is cut off.
inline void write(std::string const& name, sound const& s) {
  auto const size = static_cast<std::uint32_t>(2 * s.samples.size());
  auto const channels = static_cast<std::uint32_t>(s.channels), rate = static_cast<std::uint32_t>(s.rate);
  std::string bytes = "RIFF";
  detail::append(bytes, size + 36, 4);
  bytes += "WAVEfmt ";
  detail::append(bytes, 16, 4);
  detail::append(bytes, 1, 2);
  detail::append(bytes, channels, 2);
  detail::append(bytes, rate, 4);
  detail::append(bytes, 2 * channels * rate, 4);
  detail::append(bytes, 2 * channels, 2);
  detail::append(bytes, 16, 2);
  bytes += "data";
  detail::append(bytes, size, 4);
  for (auto const sample : s.samples) {
    auto const value = std::lround(32768 * sample);
    detail::append(bytes, static_cast<std::uint32_t>(std::clamp(value, -32768L, 32767L)), 2);
  }
  program::write(name, bytes);
}

}  // namespace wav

#endif
