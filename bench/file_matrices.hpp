// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_FILE_MATRICES_HPP
#define SWEEP_BENCH_FILE_MATRICES_HPP

#include "matrices.hpp"

#include "../examples/matrix_market.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

/// Matrices of Matrix Market files, for benches: those of the folder that SWEEP_BENCH_MATRICES names.
namespace bench {

struct file_matrix {
  std::string name, path;
  std::int64_t entries;
  int times;  ///< how many of it make a large matrix
};

/// How many matrices of such a shape, on the diagonal of a large one, have 2^24 entries, but no more than
/// 2^26 rows or columns; one where they do not fit twice.
inline int times_to_large(std::int64_t rows, std::int64_t columns, std::int64_t entries) {
  auto const most = std::min((std::int64_t{1} << 24) / std::max<std::int64_t>(entries, 1),
                             (std::int64_t{1} << 26) / std::max({rows, columns, std::int64_t{1}}));
  return static_cast<int>(std::max<std::int64_t>(most, 1));
}

/// The pattern of a file's matrix, in blocks on the diagonal of a larger one, so many of them.
inline matrix matrix_of_file(std::string const& path, int times) {
  auto const rows =
      matrix_market::compress(sweep::host, matrix_market::read_file<std::complex<double>>(path));
  matrix m{static_cast<int>(rows.rows * times), static_cast<int>(rows.columns * times)};
  for (int k = 0; k < times; ++k)
    for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r) {
      for (auto e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e)
        m.indices.push_back(rows.indices[static_cast<std::size_t>(e)] + k * static_cast<int>(rows.columns));
      m.sort_row();
      m.end_row();
    }
  return m;
}

inline std::vector<file_matrix> file_matrices() {
  std::vector<file_matrix> all;
  char const* const folder = std::getenv("SWEEP_BENCH_MATRICES");
  if (!folder) return all;
  for (auto const& file : std::filesystem::directory_iterator(folder)) {
    auto const path = file.path().string(), name = file.path().filename().string();
    if (name.find(".mtx") == std::string::npos) continue;
    auto const m = matrix_of_file(path, 1);
    auto const count = static_cast<std::int64_t>(m.indices.size());
    if (count > 0)
      all.push_back(
          {name.substr(0, name.find(".mtx")), path, count, times_to_large(m.rows, m.columns, count)});
  }
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
  return all;
}

}  // namespace bench

#endif
