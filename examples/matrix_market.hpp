// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_MATRIX_MARKET_HPP
#define SWEEP_EXAMPLES_MATRIX_MARKET_HPP

#include "matrix_market_file.hpp"
#include "matrix_market_text.hpp"

#include <sweep/sweep.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

/// Matrices in the Matrix Market's format (math.nist.gov/MatrixMarket/formats.html), and as compressed rows.
namespace matrix_market {

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
T value_of(double real, [[maybe_unused]] double imaginary) {
  if constexpr (is_complex<T>) return T(real, imaginary);
  else return static_cast<T>(real);
}
/// What stands on the other side of the diagonal.
template <class T>
T mirrored_value(header const& is, T const& value) {
  if (is.skew) return static_cast<T>(-value);
  if constexpr (is_complex<T>) {
    if (is.hermitian) return std::conj(value);
  }
  return value;
}

template <class T>
void add(entries<T>& all, header const& is, std::int64_t r, std::int64_t c, T const& value) {
  all.row.push_back(static_cast<int>(r));
  all.column.push_back(static_cast<int>(c));
  all.value.push_back(value);
  if (!is.mirrored || r == c) return;
  all.row.push_back(static_cast<int>(c));
  all.column.push_back(static_cast<int>(r));
  all.value.push_back(mirrored_value(is, value));
}

template <class T>
T read_value(reader& in, header const& is) {
  if (is.pattern) return T(1);
  auto const real = in.number<double>("a value");
  return value_of<T>(real, is.complex ? in.number<double>("an imaginary part") : 0);
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

/// A part of a file's lines, read by a thread of its own, and where its entries go.
template <class T>
struct part {
  std::string_view text{};
  std::size_t first = 0, lines = 0, found = 0;
  std::int64_t listed = 0;
  bool is_good = false;

  void read(header const& is, entries<T>& all) {
    auto *row = all.row.data() + first, *column = all.column.data() + first;
    auto* value = all.value.data() + first;
    auto const *at = text.data(), *const end = at + text.size();
    auto const rows = is.rows, columns = is.columns;
    while ((at = plain::next_line(at, end)) != end) {
      if (listed == static_cast<std::int64_t>(lines)) return;  // the file has changed since they were counted
      std::int64_t r, c;
      double real = 1, imaginary = 0;
      if (!(at = plain::index(at, r)) || !(at = plain::index(at, c))) return;
      if (r < 1 || r > rows || c < 1 || c > columns || (is.skew && r == c)) return;
      if (!is.pattern && !(at = plain::number(at, end, real))) return;
      if (is.complex && !(at = plain::number(at, end, imaginary))) return;
      if (!(at = plain::end_of_line(at))) return;
      *row++ = static_cast<int>(r - 1);
      *column++ = static_cast<int>(c - 1);
      *value++ = value_of<T>(real, imaginary);
      ++listed;
      if (!is.mirrored || r == c) continue;
      *row++ = static_cast<int>(c - 1);
      *column++ = static_cast<int>(r - 1);
      *value = mirrored_value(is, value[-1]);
      ++value;
    }
    found = static_cast<std::size_t>(row - all.row.data()) - first;
    is_good = true;
  }
};

/// How threads are started.
struct start_thread {
  template <class Work>
  std::thread operator()(Work work) const {
    return std::thread(work);
  }
};

/// Does a work for each part by a thread of its own; those for which the system has no thread one after the
/// other.
template <class T, class Work, class Start = start_thread>
void by_threads(std::vector<part<T>>& parts, Work work, Start const& start = {}) {
  std::vector<std::thread> others;
  others.reserve(parts.size());
  std::size_t started = 1;
  try {
    for (; started < parts.size(); ++started)
      others.push_back(start([&work, &mine = parts[started]] { work(mine); }));
  } catch (std::system_error const&) {}
  work(parts[0]);
  for (; started < parts.size(); ++started) work(parts[started]);
  for (auto& other : others) other.join();
}

/// Reads the entries of a large file, some lines on each thread; false where they are not what its header
/// says.
template <class T>
bool read_in_parts(std::string_view text, header const& is, int threads, entries<T>& all) {
  // What follows the last line's end is a line of its own, with an end.
  auto const whole = text.rfind('\n') + 1;
  std::string const rest = std::string(text.substr(whole)) + '\n';
  text = text.substr(0, whole);
  std::vector<part<T>> parts;
  for (int left = threads; left > 0 && !text.empty(); --left) {
    auto const length = text.find('\n', (text.size() - 1) / static_cast<std::size_t>(left)) + 1;
    parts.push_back({text.substr(0, length)});
    text.remove_prefix(length);
  }
  parts.push_back({rest});
  by_threads(parts, [](part<T>& one) { one.lines = plain::lines(one.text); });
  std::size_t room = 0;
  for (auto& one : parts) {
    one.first = room;
    room += is.mirrored ? 2 * one.lines : one.lines;
  }
  for (auto* const v : {&all.row, &all.column}) v->resize(room);
  all.value.resize(room);
  by_threads(parts, [&](part<T>& one) { one.read(is, all); });

  // Comments and items on the diagonal leave gaps.
  std::int64_t listed = 0;
  std::size_t to = 0;
  for (auto const& one : parts) {
    if (!one.is_good) break;
    listed += one.listed;
    auto const move = [&](auto& items) {
      auto const from = items.begin() + static_cast<std::ptrdiff_t>(one.first);
      if (to != one.first)
        std::move(from, from + static_cast<std::ptrdiff_t>(one.found),
                  items.begin() + static_cast<std::ptrdiff_t>(to));
    };
    move(all.row);
    move(all.column);
    move(all.value);
    to += one.found;
  }
  bool const is_right = listed == is.listed &&
                        std::all_of(parts.begin(), parts.end(), [](auto const& one) { return one.is_good; });
  if (!is_right) to = 0;
  all.row.resize(to);
  all.column.resize(to);
  all.value.resize(to);
  return is_right;
}

}  // namespace detail

/// As many as the machine runs at once.
inline int all_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

/// Reads a matrix of any banner: coordinate or array; pattern (every entry is 1), integer, real or complex;
/// general, symmetric, skew-symmetric or hermitian. Each thread of some gets a mebibyte at least.
template <class T>
entries<T> read(std::string_view text, int threads = all_threads()) {
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

/// The same from a file, which may be compressed by gzip where the program is built with zlib.
template <class T>
entries<T> read_file(std::string const& path, int threads = all_threads()) {
  detail::file_in_memory const file(path);
  if (!detail::is_compressed(file.text())) return read<T>(file.text(), threads);
#if defined(SWEEP_EXAMPLES_ZLIB)
  return read<T>(detail::decompressed(path, file.text()), threads);
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
