// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_MATRIX_MARKET_HPP
#define SWEEP_EXAMPLES_MATRIX_MARKET_HPP

#include <sweep/sweep.hpp>

#include <algorithm>
#include <charconv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
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

}  // namespace detail

namespace detail {

/// What the first lines of a file say.
struct header {
  bool sparse, pattern, complex, mirrored, skew, hermitian;
  std::int64_t rows = 0, columns = 0, listed = 0;
};

template <class T>
header read_header(reader& in) {
  if (!in.next_line(true) || in.word() != "%%MatrixMarket") in.fail("does not begin with %%MatrixMarket");
  if (auto const object = lower_case(in.word()); object != "matrix")
    in.fail("is no matrix but '" + object + "'");
  auto const format = lower_case(in.word()), field = lower_case(in.word()), symmetry = lower_case(in.word());
  header is{format == "coordinate", field == "pattern",           field == "complex",
            symmetry != "general",  symmetry == "skew-symmetric", symmetry == "hermitian"};
  if (!is.sparse && format != "array") in.fail("unknown format '" + format + "'");
  if (!is.pattern && !is.complex && field != "real" && field != "integer" && field != "double")
    in.fail("unknown field '" + field + "'");
  if (is.mirrored && !is.skew && !is.hermitian && symmetry != "symmetric")
    in.fail("unknown symmetry '" + symmetry + "'");
  if (is.pattern && !is.sparse) in.fail("an array cannot be a pattern");
  if (is.complex && !is_complex<T>) in.fail("has complex entries: read it as std::complex");

  if (!in.next_line()) in.fail("the sizes are missing");
  is.rows = in.number<std::int64_t>("the number of rows");
  is.columns = in.number<std::int64_t>("the number of columns");
  auto const most = std::int64_t{std::numeric_limits<int>::max()};
  if (is.rows < 0 || is.columns < 0 || is.rows > most || is.columns > most)
    in.fail("the sizes are out of range");
  if (is.mirrored && is.rows != is.columns) in.fail("a " + symmetry + " matrix is square");
  if (is.sparse) is.listed = in.number<std::int64_t>("the number of entries");
  if (is.listed < 0) in.fail("the number of entries is negative");
  in.end_of_line();
  return is;
}

template <class T>
void add(entries<T>& all, header const& is, std::int64_t r, std::int64_t c, T const& value) {
  all.row.push_back(static_cast<int>(r));
  all.column.push_back(static_cast<int>(c));
  all.value.push_back(value);
  if (!is.mirrored || r == c) return;
  all.row.push_back(static_cast<int>(c));
  all.column.push_back(static_cast<int>(r));
  if constexpr (is_complex<T>)
    all.value.push_back(is.skew ? -value : is.hermitian ? std::conj(value) : value);
  else all.value.push_back(is.skew ? static_cast<T>(-value) : value);
}

template <class T>
T read_value(reader& in, header const& is) {
  if (is.pattern) return T(1);
  auto const real = in.number<double>("a value");
  if constexpr (is_complex<T>) {
    if (is.complex) return T(real, in.number<double>("an imaginary part"));
  }
  return static_cast<T>(real);
}

/// The entry in this line.
template <class T>
void read_entry(reader& in, header const& is, entries<T>& all) {
  auto const r = in.number<std::int64_t>("a row"), c = in.number<std::int64_t>("a column");
  if (r < 1 || r > is.rows) in.fail("row " + std::to_string(r) + " of " + std::to_string(is.rows));
  if (c < 1 || c > is.columns) in.fail("column " + std::to_string(c) + " of " + std::to_string(is.columns));
  if (is.skew && r == c) in.fail("a skew-symmetric matrix has no diagonal");
  add(all, is, r - 1, c - 1, read_value<T>(in, is));
  in.end_of_line();
}

/// A part of a file's lines, read by a thread of its own.
template <class T>
struct part {
  std::string_view text;
  entries<T> found{};
  std::int64_t listed = 0;
  bool is_good = true;

  void read(header const& is) {
    try {
      auto const most = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n') + 1);
      for (auto* const v : {&found.row, &found.column}) v->reserve(is.mirrored ? 2 * most : most);
      found.value.reserve(is.mirrored ? 2 * most : most);
      for (reader in(text); in.next_line(); ++listed) read_entry(in, is, found);
    } catch (std::exception const&) { is_good = false; }
  }
};

/// Reads the entries of a large file, some lines on each thread; false where they are not what its header
/// says.
template <class T>
bool read_in_parts(std::string_view text, header const& is, int threads, entries<T>& all) {
  std::vector<part<T>> parts;
  for (int left = threads; left > 0 && !text.empty(); --left) {
    auto const end = text.find('\n', text.size() / static_cast<std::size_t>(left));
    auto const length = left == 1 || end == std::string_view::npos ? text.size() : end + 1;
    parts.push_back({text.substr(0, length)});
    text.remove_prefix(length);
  }
  std::vector<std::thread> others;
  for (std::size_t k = 1; k < parts.size(); ++k) others.emplace_back([&, k] { parts[k].read(is); });
  if (!parts.empty()) parts[0].read(is);
  for (auto& other : others) other.join();

  std::int64_t listed = 0;
  std::size_t count = 0;
  for (auto const& one : parts) {
    if (!one.is_good) return false;
    listed += one.listed;
    count += one.found.row.size();
  }
  if (listed != is.listed) return false;
  auto const join = [&](auto entries<T>::*items) {
    if (parts.size() == 1) return (void)(all.*items = std::move(parts[0].found.*items));
    (all.*items).reserve(count);
    for (auto& one : parts) {
      (all.*items).insert((all.*items).end(), (one.found.*items).begin(), (one.found.*items).end());
      (one.found.*items) = {};
    }
  };
  join(&entries<T>::row);
  join(&entries<T>::column);
  join(&entries<T>::value);
  return true;
}

}  // namespace detail

/// Reads a matrix of any banner: coordinate or array; pattern (every entry is 1), integer, real or complex;
/// general, symmetric, skew-symmetric or hermitian. Each thread of some gets a mebibyte at least.
template <class T>
entries<T> read(std::string_view text,
                int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {
  detail::reader in(text);
  auto const is = detail::read_header<T>(in);
  entries<T> all{is.rows, is.columns, {}, {}, {}};
  auto const most = std::min<std::size_t>(static_cast<std::size_t>(threads), text.size() >> 20);
  if (is.sparse && most > 0 && detail::read_in_parts(in.rest(), is, static_cast<int>(most), all)) return all;
  // Line by line, to the first that is wrong.
  if (is.sparse) {
    for (std::int64_t k = 0; k < is.listed; ++k) {
      if (!in.next_line())
        in.fail("ends behind " + std::to_string(k) + " of " + std::to_string(is.listed) + " entries");
      detail::read_entry(in, is, all);
    }
  } else {
    for (std::int64_t c = 0; c < all.columns; ++c)
      for (std::int64_t r = is.mirrored ? c + is.skew : 0; r < all.rows; ++r) {
        if (!in.next_line()) in.fail("the array ends in column " + std::to_string(c + 1));
        detail::add(all, is, r, c, detail::read_value<T>(in, is));
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
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot open " + path);
  auto const bytes = static_cast<std::size_t>(file.tellg());
  std::unique_ptr<char[]> const all(new char[bytes]);  // not cleared first
  if (!file.seekg(0).read(all.get(), static_cast<std::streamsize>(bytes)))
    throw std::runtime_error("cannot read " + path);
  std::string_view const text(all.get(), bytes);
  if (text.substr(0, 2) != "\x1f\x8b") return read<T>(text);
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
