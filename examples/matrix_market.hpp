// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_MATRIX_MARKET_HPP
#define SWEEP_EXAMPLES_MATRIX_MARKET_HPP

#include <sweep/sweep.hpp>

#include <charconv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#if defined(SWEEP_EXAMPLES_ZLIB)
#include <zlib.h>
#endif

/// Matrices in the Matrix Market's format (math.nist.gov/MatrixMarket/formats.html), and as compressed rows.
namespace matrix_market {

/// What is wrong with a file, and in which line.
struct bad_file : std::runtime_error {
  bad_file(std::int64_t line, std::string const& reason)
      : std::runtime_error("line " + std::to_string(line) + ": " + reason) {}
};

/// A matrix by its entries, in any order; symmetric ones have both halves here.
template <class T>
struct entries {
  std::int64_t rows = 0, columns = 0;
  std::vector<int> row, column;
  std::vector<T> value;
};

/// A matrix in compressed rows.
template <class T>
struct compressed_rows {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> offsets;
  std::vector<int> indices;
  std::vector<T> values;
  auto view() const { return sweep::csr_view(rows, columns, offsets, indices, values); }
};

namespace detail {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

/// The words of a text, line by line.
class reader {
 public:
  explicit reader(std::string_view text) : rest_{text} {}
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
    auto found = word();
    if (found.empty()) fail(std::string(what) + " is missing");
    if (found[0] == '+') found.remove_prefix(1);
    N value{};
    auto const [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc{} || end != found.data() + found.size())
      fail(std::string(what) + " is no number: '" + std::string(found) + "'");
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

}  // namespace detail

/// Reads a matrix of any banner: coordinate or array; pattern (every entry is 1), integer, real or complex;
/// general, symmetric, skew-symmetric or hermitian.
template <class T>
entries<T> read(std::string_view text) {
  detail::reader in(text);
  if (!in.next_line(true) || in.word() != "%%MatrixMarket") in.fail("does not begin with %%MatrixMarket");
  if (auto const object = detail::lower_case(in.word()); object != "matrix")
    in.fail("is no matrix but '" + object + "'");
  auto const format = detail::lower_case(in.word()), field = detail::lower_case(in.word()),
             symmetry = detail::lower_case(in.word());
  bool const sparse = format == "coordinate", pattern = field == "pattern", complex = field == "complex",
             mirrored = symmetry != "general", skew = symmetry == "skew-symmetric",
             hermitian = symmetry == "hermitian";
  if (!sparse && format != "array") in.fail("unknown format '" + format + "'");
  if (!pattern && !complex && field != "real" && field != "integer" && field != "double")
    in.fail("unknown field '" + field + "'");
  if (mirrored && !skew && !hermitian && symmetry != "symmetric")
    in.fail("unknown symmetry '" + symmetry + "'");
  if (pattern && !sparse) in.fail("an array cannot be a pattern");
  if (complex && !detail::is_complex<T>) in.fail("has complex entries: read it as std::complex");

  entries<T> all;
  if (!in.next_line()) in.fail("the sizes are missing");
  all.rows = in.number<std::int64_t>("the number of rows");
  all.columns = in.number<std::int64_t>("the number of columns");
  auto const most = std::int64_t{std::numeric_limits<int>::max()};
  if (all.rows < 0 || all.columns < 0 || all.rows > most || all.columns > most)
    in.fail("the sizes are out of range");
  if (mirrored && all.rows != all.columns) in.fail("a " + symmetry + " matrix is square");
  auto const listed = sparse ? in.number<std::int64_t>("the number of entries") : std::int64_t{0};
  if (listed < 0) in.fail("the number of entries is negative");
  in.end_of_line();

  auto const add = [&](std::int64_t r, std::int64_t c, T const& value) {
    all.row.push_back(static_cast<int>(r));
    all.column.push_back(static_cast<int>(c));
    all.value.push_back(value);
    if (!mirrored || r == c) return;
    all.row.push_back(static_cast<int>(c));
    all.column.push_back(static_cast<int>(r));
    if constexpr (detail::is_complex<T>)
      all.value.push_back(skew ? -value : hermitian ? std::conj(value) : value);
    else all.value.push_back(skew ? static_cast<T>(-value) : value);
  };
  auto const value = [&]() -> T {
    if (pattern) return T(1);
    auto const real = in.number<double>("a value");
    if constexpr (detail::is_complex<T>) {
      if (complex) return T(real, in.number<double>("an imaginary part"));
    }
    return static_cast<T>(real);
  };
  if (sparse) {
    for (std::int64_t k = 0; k < listed; ++k) {
      if (!in.next_line())
        in.fail("ends behind " + std::to_string(k) + " of " + std::to_string(listed) + " entries");
      auto const r = in.number<std::int64_t>("a row"), c = in.number<std::int64_t>("a column");
      if (r < 1 || r > all.rows) in.fail("row " + std::to_string(r) + " of " + std::to_string(all.rows));
      if (c < 1 || c > all.columns)
        in.fail("column " + std::to_string(c) + " of " + std::to_string(all.columns));
      if (skew && r == c) in.fail("a skew-symmetric matrix has no diagonal");
      add(r - 1, c - 1, value());
      in.end_of_line();
    }
  } else {
    for (std::int64_t c = 0; c < all.columns; ++c)
      for (std::int64_t r = mirrored ? c + skew : 0; r < all.rows; ++r) {
        if (!in.next_line()) in.fail("the array ends in column " + std::to_string(c + 1));
        add(r, c, value());
        in.end_of_line();
      }
  }
  if (in.next_line()) in.fail("goes on behind its last entry");
  return all;
}

namespace detail {

#if defined(SWEEP_EXAMPLES_ZLIB)
/// What a compressed file holds.
inline std::string decompressed(std::string const& path) {
  auto* const file = gzopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("cannot open " + path);
  std::string text, some(1 << 20, ' ');
  int count = 0, error = Z_OK;
  while ((count = gzread(file, some.data(), static_cast<unsigned>(some.size()))) > 0)
    text.append(some, 0, static_cast<std::size_t>(count));
  std::string const said = gzerror(file, &error);
  gzclose(file);
  if (error != Z_OK) throw std::runtime_error(path + " cannot be decompressed: " + said);
  return text;
}
#endif

}  // namespace detail

/// The same from a file, which may be compressed by gzip where the program is built with zlib.
template <class T>
entries<T> read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  if (text.compare(0, 2, "\x1f\x8b") != 0) return read<T>(text);
#if defined(SWEEP_EXAMPLES_ZLIB)
  return read<T>(detail::decompressed(path));
#else
  throw std::runtime_error(path + " is compressed, and this program is built without zlib");
#endif
}

/// The entries in compressed rows, in their order within a row.
template <class T, class Policy>
compressed_rows<T> compress(Policy const& policy, entries<T> const& from) {
  compressed_rows<T> to{from.rows, from.columns,
                        std::vector<std::int64_t>(static_cast<std::size_t>(from.rows) + 1),
                        std::vector<int>(from.row.size()), std::vector<T>(from.row.size())};
  sweep::coo_to_csr(policy, sweep::coo_view(from.rows, from.columns, from.row, from.column, from.value),
                    to.offsets, to.indices, to.values);
  return to;
}

}  // namespace matrix_market

#endif
