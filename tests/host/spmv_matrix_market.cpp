// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples' reader of Matrix Market files: every banner, and what it says of broken files.
#include "../../examples/matrix_market.hpp"

#include <support/expect.hpp>

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
