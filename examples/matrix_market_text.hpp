// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_MATRIX_MARKET_TEXT_HPP
#define SWEEP_EXAMPLES_MATRIX_MARKET_TEXT_HPP

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

/// The text of a Matrix Market file: its words line by line, with the reason where one is wrong; and plain
/// lines, quickly, where they stand.
namespace matrix_market {

/// What is wrong with a file, and in which line.
struct bad_file : std::runtime_error {
  bad_file(std::int64_t line, std::string const& reason)
      : std::runtime_error("line " + std::to_string(line) + ": " + reason) {}
};

namespace detail {

/// The words of a text, line by line.
class reader {
 public:
  explicit reader(std::string_view text) : rest_{text} {}
  std::string_view rest() const { return rest_; }
  std::int64_t line() const { return line_; }
  [[noreturn]] void fail(std::string const& reason) const { throw bad_file(line_, reason); }

  /// Goes to the next line that is neither empty nor, but for the banner, a comment.
  bool next_line(bool banner = false) {
    while (!rest_.empty()) {
      auto const end = rest_.find('\n');
      words_ = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++line_;
      if (banner) return true;
      skip_blanks();
      if (!words_.empty() && words_[0] != '%') return true;
    }
    words_ = {};
    ++line_;
    return false;
  }
  std::string_view word() {
    skip_blanks();
    std::size_t length = 0;
    while (length < words_.size() && !is_blank(words_[length])) ++length;
    auto const found = words_.substr(0, length);
    words_.remove_prefix(length);
    return found;
  }
  template <class N>
  N number(char const* what) {
    skip_blanks();
    auto const *first = words_.data(), *const end = first + words_.size();
    if (first != end && *first == '+') ++first;
    N value{};
    auto const [stop, error] = std::from_chars(first, end, value);
    if (error != std::errc{} || (stop != end && !is_blank(*stop))) {
      auto const found = word();
      if (found.empty()) fail(std::string(what) + " is missing");
      fail(std::string(what) + " is no number: '" + std::string(found) + "'");
    }
    words_.remove_prefix(static_cast<std::size_t>(stop - words_.data()));
    return value;
  }
  void end_of_line() {
    if (auto const more = word(); !more.empty()) fail("more than expected: '" + std::string(more) + "'");
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (!words_.empty() && is_blank(words_[0])) words_.remove_prefix(1);
  }
  std::string_view rest_, words_;
  std::int64_t line_ = 0;
};

inline std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (auto& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// Numbers and lines as nearly all files have them, read where they stand: each gives where it ends, and
/// nothing where it is not plainly right, which is left to the reader to say. A text ends with a line's end,
/// so that within a line nothing need be asked where it ends.
namespace plain {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline char const* skip_blanks(char const* at) {
  while (is_blank(*at)) ++at;
  return at;
}
inline char const* end_of_word(char const* at) { return is_blank(*at) || *at == '\n' ? at : nullptr; }

/// The first word of the next line that is no comment, or the end, also where the text's last line has lost
/// its own since it was looked for: the file may have been written to.
inline char const* next_line(char const* at, char const* end) {
  for (; at < end; ++at) {
    at = skip_blanks(at);
    if (at >= end) break;
    if (*at != '%') {
      if (*at != '\n') return at;
    } else if (!(at = static_cast<char const*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at))))) {
      break;
    }
  }
  return end;
}
inline char const* end_of_line(char const* at) {
  at = skip_blanks(at);
  return *at == '\n' ? at + 1 : nullptr;
}
inline char const* index(char const* at, std::int64_t& value) {
  auto const* const first = at = skip_blanks(at);
  std::int64_t found = 0;
  for (; is_digit(*at) && at - first < 18; ++at) found = 10 * found + (*at - '0');
  value = found;
  return at != first ? end_of_word(at) : nullptr;
}

inline constexpr auto powers_of_ten = [] {
  std::array<long double, 28> all{1};
  for (std::size_t k = 1; k < all.size(); ++k) all[k] = 10 * all[k - 1];
  return all;
}();

/// all times 10^exponent, where that takes one operation on numbers that the machine holds exactly; or,
/// rounded first to the 64 bits of a long double and then to double, is the same as at once: everywhere but
/// on ties.
inline bool scaled(std::int64_t all, int exponent, double& value) {
  auto const size = exponent < 0 ? -exponent : exponent;
  if (all < std::int64_t{1} << 53 && size <= 22) {
    auto const power = static_cast<double>(powers_of_ten[static_cast<std::size_t>(size)]);
    value = exponent < 0 ? static_cast<double>(all) / power : static_cast<double>(all) * power;
    return true;
  }
  if constexpr (std::numeric_limits<long double>::digits == 64 &&
                std::endian::native == std::endian::little) {
    if (size > 27) return false;
    auto const power = powers_of_ten[static_cast<std::size_t>(size)], whole = static_cast<long double>(all);
    auto const x = exponent < 0 ? whole / power : whole * power;
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    value = static_cast<double>(x);
    return (bits & 0x7ff) != 0x400;
  } else {
    return false;
  }
}

/// A number of up to 18 digits, with a point and a power of ten or without; others as from_chars has them.
inline char const* number(char const* at, char const* end, double& value) {
  at = skip_blanks(at);
  if (*at == '+') ++at;
  auto const* const whole = at;
  bool const negative = *at == '-';
  at += negative;
  std::int64_t all = 0;
  auto const* const first = at;
  for (; is_digit(*at) && at - first < 18; ++at) all = 10 * all + (*at - '0');
  auto count = at - first;
  int exponent = 0;
  if (*at == '.') {
    auto const* const point = ++at;
    for (; is_digit(*at) && count < 18; ++at, ++count) all = 10 * all + (*at - '0');
    exponent = static_cast<int>(point - at);
  }
  bool is_plain = count > 0;
  if (is_plain && (*at == 'e' || *at == 'E')) {
    bool const below = *++at == '-';
    if (below || *at == '+') ++at;
    auto const* const power = at;
    int tens = 0;
    for (; is_digit(*at) && at - power < 4; ++at) tens = 10 * tens + (*at - '0');
    is_plain = at != power;
    exponent += below ? -tens : tens;
  }
  if (is_plain && end_of_word(at) && scaled(all, exponent, value)) {
    if (negative) value = -value;
    return at;
  }
  auto const [stop, error] = std::from_chars(whole, end, value);
  return error == std::errc{} ? end_of_word(stop) : nullptr;
}

/// How many lines end in a text.
inline std::size_t lines(std::string_view text) {
  std::size_t all = 0;
  while (!text.empty()) {
    auto const some = text.substr(0, 240);
    unsigned char found = 0;
    for (char const c : some) found = static_cast<unsigned char>(found + (c == '\n'));
    all += found;
    text.remove_prefix(some.size());
  }
  return all;
}

}  // namespace plain

}  // namespace detail

}  // namespace matrix_market

#endif
