// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// PageRank: who is linked to by those who are linked to. A graph from a Matrix Market file, entry (i, j)
// being a link from i to j, or eleven pages that everybody draws.
//   example_pagerank [graph.mtx]

#include "matrix_market.hpp"

#include <sweep/sweep.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr char pages[] = R"(%%MatrixMarket matrix coordinate pattern general
% Wikipedia's picture: pages A to K
11 11 17
2 3
3 2
4 1
4 2
5 2
5 4
5 6
6 2
6 5
7 2
7 5
8 2
8 5
9 2
9 5
10 5
11 5
)";

}  // namespace

int main(int argc, char** argv) try {
  auto links = argc > 1 ? matrix_market::read_file<double>(argv[1]) : matrix_market::read<double>(pages);
  if (links.rows != links.columns) throw std::runtime_error("a graph is a square matrix");
  auto const n = static_cast<std::size_t>(links.rows);
  std::vector<double> out_degree(n, 0);
  sweep::histogram(sweep::host, links.row.begin(), links.row.end(), out_degree.begin(), links.rows);
  std::swap(links.row, links.column);  // a page's row has those that link to it
  auto const matrix = matrix_market::compress(sweep::host, links);
  sweep::csr_view const a(matrix.rows, matrix.columns, matrix.offsets, matrix.indices);  // the pattern alone

  constexpr double damping = 0.85;
  std::vector<double> rank(n, 1.0 / static_cast<double>(n)), share(n), next(n);
  int steps = 0;
  for (double change = 1; change > 1e-12 && steps < 1000; ++steps) {
    double lost = 0;  // of pages that link to nobody
    for (std::size_t i = 0; i < n; ++i) {
      share[i] = out_degree[i] > 0 ? rank[i] / out_degree[i] : 0;
      if (out_degree[i] == 0) lost += rank[i];
    }
    next.assign(n, (1 - damping + damping * lost) / static_cast<double>(n));
    sweep::spmv(sweep::host, damping, a, share, 1.0, next);
    change = 0;
    for (std::size_t i = 0; i < n; ++i) change += std::abs(next[i] - rank[i]);
    std::swap(rank, next);
  }

  std::vector<int> best(n);
  sweep::argsort(sweep::host, rank.begin(), rank.end(), best.begin(), std::greater<>{});
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 11); ++i) {
    auto const page = static_cast<std::size_t>(best[i]);
    std::printf("%6zu %.4f %s\n", page + 1, rank[page],
                std::string(static_cast<std::size_t>(rank[page] * 100), '#').c_str());
  }
  double const sum = std::accumulate(rank.begin(), rank.end(), 0.0);
  std::printf("%d steps, sum %.6f\n", steps, sum);
  return std::abs(sum - 1) < 1e-9 && (argc > 1 || best[0] == 1) ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
