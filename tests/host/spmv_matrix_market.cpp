// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples' reader of Matrix Market files: every banner, and what it says of broken files.
#include "../../examples/matrix_market.hpp"

#include <support/expect.hpp>
#include <support/random.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#if __has_include(<sys/mman.h>)
#include <sys/stat.h>
#endif

using namespace sweep_test;

namespace {

template <class T>
std::vector<T> dense(std::string const& text) {
  auto const all = matrix_market::read<T>(text);
  auto const rows = matrix_market::compress(sweep::host, all);
  std::vector<T> full(static_cast<std::size_t>(all.rows * all.columns), T(0));
  for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r)
    for (auto k = rows.offsets[r]; k < rows.offsets[r + 1]; ++k) {
      auto const i = static_cast<std::size_t>(k);
      full[r * static_cast<std::size_t>(all.columns) + static_cast<std::size_t>(rows.indices[i])] +=
          rows.values[i];
    }
  return full;
}

#if defined(SWEEP_EXAMPLES_ZLIB)
std::string compressed(std::string const& text) {
  z_stream state{};
  REQUIRE(deflateInit2(&state, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&state, text.size()), ' ');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&state, Z_FINISH) == Z_STREAM_END);
  packed.resize(packed.size() - state.avail_out);
  deflateEnd(&state);
  return packed;
}
#endif

void refuses(std::string const& text, std::string const& said) {
  expect_throw<matrix_market::bad_file>({said}, [&] { matrix_market::read<double>(text); });
}

}  // namespace

TEST_CASE("host matrix market: every banner") {
  using C = std::complex<double>;
  std::string const head = "%%MatrixMarket matrix ";
  CHECK(dense<double>(head + "coordinate real general\n% comment\n\n2 3 2\n2 3 -1.5e1\n1 1 +2\n") ==
        std::vector<double>{2, 0, 0, 0, 0, -15});
  CHECK(dense<int>(head + "COORDINATE Integer Symmetric\r\n2 2 2\r\n1 1 4\r\n2 1 5\r\n") ==
        std::vector<int>{4, 5, 5, 0});
  CHECK(dense<float>(head + "coordinate pattern general\n2 2 3\n1 2\n2 1\n2 1\n") ==
        std::vector<float>{0, 1, 2, 0});
  CHECK(dense<double>(head + "coordinate real skew-symmetric\n2 2 1\n2 1 3\n") ==
        std::vector<double>{0, -3, 3, 0});
  CHECK(dense<C>(head + "coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 1 2\n") ==
        std::vector<C>{1, {1, -2}, {1, 2}, 0});
  CHECK(dense<C>(head + "coordinate real general\n1 1 1\n1 1 7\n") == std::vector<C>{7});
  CHECK(dense<double>(head + "array real general\n2 2\n1\n2\n3\n4\n") == std::vector<double>{1, 3, 2, 4});
  CHECK(dense<double>(head + "array integer symmetric\n2 2\n1\n2\n3\n") == std::vector<double>{1, 2, 2, 3});
  CHECK(dense<double>(head + "array real skew-symmetric\n2 2\n5\n") == std::vector<double>{0, -5, 5, 0});
  CHECK(dense<double>(head + "coordinate real general\n3 0 0\n").empty());
}

namespace {

using number = std::complex<double>;
char const* const formats[] = {"coordinate", "array"};
char const* const fields[] = {"real", "double", "integer", "complex", "pattern"};
char const* const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

/// A matrix of one banner, drawn: what it is, and the lines of its file.
struct drawn_file {
  bool sparse, pattern, complex, mirrored, skew, hermitian;
  std::size_t rows, columns;
  std::vector<number> want;
  std::vector<std::string> lines;

  drawn_file(std::string const& format, std::string const& field, std::string const& symmetry,
             random_source& random)
      : sparse{format == "coordinate"},
        pattern{field == "pattern"},
        complex{field == "complex"},
        mirrored{symmetry != "general"},
        skew{symmetry == "skew-symmetric"},
        hermitian{symmetry == "hermitian"} {
    rows = static_cast<std::size_t>(random.between(2, 7));
    columns = mirrored ? rows : static_cast<std::size_t>(random.between(1, 7));
    want.assign(rows * columns, 0);
    lines = {"%%MatrixMarket matrix " + format + " " + field + " " + symmetry, "% a comment"};
    std::vector<std::string> entries;
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = mirrored ? c + skew : 0; r < rows; ++r) {
        if (sparse && random() % 2 == 0) continue;
        auto const part = [&] { return static_cast<double>(random.between(0, 200) - 100); };
        number value = 1;
        std::string text;
        if (sparse) text = std::to_string(r + 1) + " " + std::to_string(c + 1);
        if (!pattern) {
          value = part();
          text += " " + std::to_string(static_cast<int>(value.real()));
          if (complex) {
            value += number(0, part());
            text += " " + std::to_string(static_cast<int>(value.imag()));
          }
        }
        entries.push_back(text);
        want[r * columns + c] = value;
        if (mirrored && r != c) want[c * columns + r] = skew ? -value : hermitian ? std::conj(value) : value;
      }
    lines.push_back(std::to_string(rows) + " " + std::to_string(columns) +
                    (sparse ? " " + std::to_string(entries.size()) : ""));
    if (sparse) std::reverse(entries.begin(), entries.end());  // in another order
    lines.insert(lines.end(), entries.begin(), entries.end());
  }
  static constexpr std::size_t first_entry = 3;
  bool has_entries() const { return lines.size() > first_entry; }
  std::string text() const {
    std::string all;
    for (auto const& line : lines) all += line + "\n";
    return all;
  }
};

template <class Law>
void on_every_banner(char const* name, Law law) {
  random_source random(name);
  for (std::string const format : formats)
    for (std::string const field : fields)
      for (std::string const symmetry : symmetries)
        if (format != "array" || field != "pattern")
          for (int k = 0; k < 5; ++k) law(drawn_file(format, field, symmetry, random));
}

void refuses_file(drawn_file const& file, std::size_t line, std::string const& said) {
  expect_throw<matrix_market::bad_file>({"line " + std::to_string(line + 1) + ": ", said},
                                        [&] { matrix_market::read<number>(file.text()); });
}

}  // namespace

TEST_CASE("host matrix market: all banners, of drawn matrices") {
  on_every_banner("banners", [](drawn_file const& file) {
    expect(dense<number>(file.text()) == file.want, "as complex numbers: " + file.lines[0]);
    if (file.complex) return;
    std::vector<double> real;
    for (auto const& value : file.want) real.push_back(value.real());
    expect(dense<double>(file.text()) == real, "as real numbers: " + file.lines[0]);
  });
}

TEST_CASE("host matrix market: files broken anywhere, of all banners") {
  on_every_banner("broken files", [](drawn_file const& good) {
    auto const last = good.lines.size() - 1;
    auto bad = good;
    bad.lines.push_back(good.sparse ? "1 1 1 1" : "1 1");
    refuses_file(bad, last + 1, "goes on behind its last entry");
    bad = good;
    bad.lines[2] = "x" + bad.lines[2];
    refuses_file(bad, 2, "the number of rows is no number");
    bad.lines[2] = std::to_string(good.rows);
    refuses_file(bad, 2, "the number of columns is missing");
    bad = good;
    bad.lines[2] += " 7";
    refuses_file(bad, 2, "more than expected: '7'");
    if (good.mirrored) {
      bad = good;
      bad.lines[2] = "2 3 1";
      refuses_file(bad, 2, "is square");
    }
    if (!good.has_entries()) return;
    bad = good;
    bad.lines.pop_back();
    refuses_file(bad, last, good.sparse ? "ends behind" : "the array ends in column");
    bad = good;
    bad.lines[last] += " 7";
    refuses_file(bad, last, "more than expected: '7'");
    if (!good.pattern) {
      bad = good;
      bad.lines[last].erase(bad.lines[last].rfind(' '));
      if (!good.sparse && !good.complex) bad.lines[last] = "one";
      refuses_file(bad, last,
                   good.complex  ? "an imaginary part is missing"
                   : good.sparse ? "a value is missing"
                                 : "a value is no number: 'one'");
      bad = good;
      bad.lines[last] += "i";
      refuses_file(bad, last, good.complex ? "an imaginary part is no number" : "a value is no number");
    }
    if (good.sparse) {
      bad = good;
      bad.lines[last] = std::to_string(good.rows + 1) + " 1 1 1";
      refuses_file(bad, last, "row " + std::to_string(good.rows + 1) + " of " + std::to_string(good.rows));
      bad.lines[last] = "1 0 1 1";
      refuses_file(bad, last, "column 0 of " + std::to_string(good.columns));
      bad.lines[last] = "1 1 1 1";
      if (good.skew) refuses_file(bad, last, "no diagonal");
    }
  });
}

namespace {

/// A path at which tests put files of all kinds, of which nothing stays.
struct file_path {
  std::string path;
  explicit file_path(std::string const& name) : path{"matrix_market_test_" + name + ".mtx"} {
    std::filesystem::remove_all(path);
  }
  ~file_path() { std::filesystem::remove_all(path); }
  void write(std::string const& what) const { std::ofstream(path, std::ios::binary) << what; }
  matrix_market::entries<double> read(int threads = 3) const {
    return matrix_market::read_file<double>(path, threads);
  }
  template <class Error = std::runtime_error>
  void refused(std::vector<std::string> const& words) const {
    expect_throw<Error>(words, [&] { read(); });
  }
};

/// A file of 2 + listed lines, of three mebibytes and more.
std::string large_text(std::int64_t told, std::int64_t listed = 150'000) {
  std::string all =
      "%%MatrixMarket matrix coordinate real general\n1000000 1000000 " + std::to_string(told) + "\n";
  for (std::int64_t k = 0; k < listed; ++k)
    all += std::to_string(100'000 + k) + " " + std::to_string(900'000 - k) + " " + std::to_string(k) + ".5\n";
  return all;
}
bool same(matrix_market::entries<double> const& a, matrix_market::entries<double> const& b) {
  return a.rows == b.rows && a.columns == b.columns && a.row == b.row && a.column == b.column &&
         a.value == b.value;
}

}  // namespace

TEST_CASE("host matrix market: files, empty, too long, too short, none at all") {
  file_path const at("files");
  at.refused({at.path, "cannot open"});
  std::filesystem::create_directory(at.path);
  at.refused({at.path, "directory"});
  std::filesystem::remove(at.path);
  at.write("");
  at.refused<matrix_market::bad_file>({"line 1: does not begin with %%MatrixMarket"});
  at.write("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3\n");
  CHECK(at.read().value == std::vector<double>{3});
  at.write("\x1f");
  at.refused<matrix_market::bad_file>({"line 1: does not begin with %%MatrixMarket"});
  auto const want = matrix_market::read<double>(large_text(150'000), 0);
  at.write(large_text(150'000));
  CHECK(same(at.read(), want));
  at.write(large_text(150'001));
  at.refused<matrix_market::bad_file>({"line 150003: ends behind 150000 of 150001 entries"});
  at.write(large_text(149'999));
  at.refused<matrix_market::bad_file>({"line 150002: goes on behind its last entry"});
  auto cut = large_text(150'000);
  cut.resize(cut.size() - 9);
  at.write(cut);
  CHECK_THROWS_AS(at.read(), matrix_market::bad_file);
}

#if __has_include(<sys/mman.h>)
TEST_CASE("host matrix market: what is no regular file is read to its end") {
  file_path const at("pipe");
  auto const through_pipe = [&](std::string const& text) {
    REQUIRE(mkfifo(at.path.c_str(), 0600) == 0);
    std::thread writer([&] { at.write(text); });
    std::string got;
    {
      matrix_market::detail::file_in_memory const file(at.path);
      got = file.text();
    }
    writer.join();
    CHECK(got == text);
    writer = std::thread([&] { at.write(text); });
    auto const all = at.read();
    writer.join();
    std::filesystem::remove(at.path);
    return all;
  };
  auto const want = matrix_market::read<double>(large_text(150'000), 0);
  CHECK(same(through_pipe(large_text(150'000)), want));
#if defined(SWEEP_EXAMPLES_ZLIB)
  CHECK(same(through_pipe(compressed(large_text(150'000))), want));
#endif
  // Its size is said to be nothing.
  if (std::string const made_up = "/proc/self/status"; std::ifstream(made_up))
    CHECK(matrix_market::detail::file_in_memory(made_up).text().substr(0, 5) == "Name:");
}
#endif

TEST_CASE("host matrix market: compressed files") {
  file_path const at("compressed");
#if defined(SWEEP_EXAMPLES_ZLIB)
  std::string const text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3\n";
  auto const says = [&](std::string const& packed) {
    at.write(packed);
    at.refused({at.path, "cannot be decompressed"});
  };
  auto packed = compressed(text);
  at.write(packed);
  CHECK(at.read().row == std::vector<int>{1});
  at.write(packed + std::string(512, '\0'));  // as tapes have it
  CHECK(at.read().row == std::vector<int>{1});
  at.write(compressed(text.substr(0, 50)) + compressed(text.substr(50)));
  CHECK(at.read().row == std::vector<int>{1});
  at.write(compressed(large_text(150'000)));
  CHECK(same(at.read(), matrix_market::read<double>(large_text(150'000), 0)));
  says(packed.substr(0, packed.size() / 2));
  says(packed.substr(0, 2));
  says(packed.substr(0, packed.size() - 1));
  packed[packed.size() / 2] = static_cast<char>(~packed[packed.size() / 2]);
  says(packed);
#else
  at.write("\x1f\x8b and so on");
  at.refused({at.path, "built without zlib"});
#endif
}

TEST_CASE("host matrix market: a file that is written to while it is read, in its place") {
  using part = matrix_market::detail::part<double>;
  matrix_market::detail::header is{};
  is.sparse = true;
  is.rows = is.columns = is.listed = 9;
  std::string const counted = "1 1 2.5\n% of three lines one.\n",
                    later = "1 1 2.5\n2 2 3\n3 3 4\n4 4 5\n5 5 \n";
  auto const read = [&](std::string const& text, std::size_t size, bool good) {
    for (bool const mirrored : {false, true}) {
      is.mirrored = mirrored;
      part one{std::string_view(text).substr(0, size)};
      one.first = 1;
      one.lines = 2;
      std::size_t const room = 2 * (1 + static_cast<std::size_t>(mirrored));
      matrix_market::entries<double> all{9, 9, {}, {}, {}};
      for (auto* const v : {&all.row, &all.column}) v->assign(room + 9, -7);
      all.value.assign(room + 9, -7);
      one.read(is, all);
      auto const untouched = [&](auto const& v) {
        return std::all_of(v.begin() + 1 + static_cast<std::ptrdiff_t>(room), v.end(),
                           [](auto x) { return x == -7; });
      };
      expect(untouched(all.row) && untouched(all.column) && untouched(all.value),
             "nothing is written behind a part's room");
      expect(one.is_good == good, "a part is right only with what was counted");
    }
  };
  REQUIRE(matrix_market::detail::plain::lines(counted) == 2);
  read(counted, counted.size(), true);
  read(later, later.size(), false);
  // The last line has lost its end, and goes on behind the part.
  read("1 1 2.5\n2 2 3 4 5\n\n", 16, false);
  read("1 1 2.5\n%       \n1 1 x\n", 12, true);
}

TEST_CASE("host matrix market: a system that has no more threads") {
  using part = matrix_market::detail::part<double>;
  auto const me = std::this_thread::get_id();
  for (std::size_t const has : {0, 1, 3, 9}) {
    std::vector<part> parts(5);
    std::size_t started = 0;
    auto const start = [&](auto work) {
      if (started == has)
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      ++started;
      return std::thread(work);
    };
    std::atomic<std::size_t> mine = 0;
    matrix_market::detail::by_threads(
        parts,
        [&](part& one) {
          ++one.found;
          if (std::this_thread::get_id() == me) ++mine;
        },
        start);
    CHECK(std::all_of(parts.begin(), parts.end(), [](part const& one) { return one.found == 1; }));
    CHECK(started == std::min<std::size_t>(has, 4));
    CHECK(mine == 5 - started);
  }
}

TEST_CASE("host matrix market: large files, some lines on each thread") {
  random_source random("large files");
  std::int64_t const rows = 100'000, listed = 200'000;
  auto const number = [&] { return std::to_string(random.between(1, rows)); };
  // Of 1 to 19 digits, with and without a point and powers of ten, also those that doubles have no more.
  auto const value = [&] {
    char const* const as[] = {"%g",    "%.15g", "%.16g", "%.17g", "%.18e",
                              "%+.3E", "%.0f",  "%#.0f", "%.20f", "%.1f"};
    double const tens[] = {1, 1e3, 1e-3, 1e9, 1e-9, 1e20, 1e-24, 1e300, 1e-310, 0};
    char text[400];
    if (random() % 2 == 0) {  // digits that no double has, some next to the middle of two
      auto digits = std::to_string(random.between(100'000'000'000'000, 999'999'999'999'999'999));
      return digits.insert(random() % 18 % digits.size(), ".");
    }
    auto const x = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
    std::snprintf(text, sizeof text, as[random() % 10], x * tens[random() % 10]);
    return std::string(text);
  };
  std::vector<std::string> lines;
  for (std::int64_t k = 0; k < listed; ++k)
    lines.push_back(number() + " " + number() + " " + value() + (k % 1000 == 0 ? " \n% comment\n\n" : "\n"));
  auto const text = [&] {
    std::string all = "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(rows) + " " +
                      std::to_string(rows) + " " + std::to_string(listed) + "\n";
    for (auto const& line : lines) all += line;
    return all;
  };
  auto const whole = text();
  REQUIRE(whole.size() > std::size_t{3} << 20);
  auto const want = matrix_market::read<double>(whole, 0);  // line by line
  for (int const threads : {1, 2, 3}) {
    auto const got = matrix_market::read<double>(whole, threads);
    CHECK(got.row == want.row);
    CHECK(got.column == want.column);
    CHECK(got.value == want.value);
  }
  auto const last = lines.back();
  lines.back() = "1 2 x\n";
  refuses(text(), "line " + std::to_string(2 + listed + 2 * (listed / 1000)) + ": a value is no number: 'x'");
  lines.back() = last + "1 1 1\n";
  refuses(text(), "line " + std::to_string(3 + listed + 2 * (listed / 1000)) + ": goes on behind");
  lines.pop_back();
  refuses(text(), "ends behind " + std::to_string(listed - 1));
}

TEST_CASE("host matrix market: broken files are refused with line and reason") {
  std::string const head = "%%MatrixMarket matrix coordinate real general\n";
  refuses("", "line 1: does not begin with %%MatrixMarket");
  refuses("%%MatrixMarket graph coordinate real general\n", "line 1: is no matrix but 'graph'");
  refuses("%%MatrixMarket matrix sparse real general\n", "unknown format 'sparse'");
  refuses("%%MatrixMarket matrix coordinate rational general\n", "unknown field 'rational'");
  refuses("%%MatrixMarket matrix coordinate real odd\n", "unknown symmetry 'odd'");
  refuses("%%MatrixMarket matrix array pattern general\n", "an array cannot be a pattern");
  refuses("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "std::complex");
  refuses("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "line 2: a symmetric matrix is square");
  refuses("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "no diagonal");
  refuses(head, "the sizes are missing");
  refuses(head + "2 x 1\n", "line 2: the number of columns is no number: 'x'");
  refuses(head + "2 -2 1\n", "the sizes are out of range");
  refuses(head + "2 2 2\n% comment\n1 1 1\n", "ends behind 1 of 2 entries");
  refuses(head + "2 2 1\n3 1 1\n", "line 3: row 3 of 2");
  refuses(head + "2 2 1\n1 0 1\n", "line 3: column 0 of 2");
  refuses(head + "2 2 1\n1 1\n", "line 3: a value is missing");
  refuses(head + "2 2 1\n1 1 1 1\n", "line 3: more than expected: '1'");
  refuses(head + "2 2 1\n1 1 1\n2 2 2\n", "line 4: goes on behind its last entry");
}
