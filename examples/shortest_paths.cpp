// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shortest paths from one place (Bellman and Ford), and how many steps away everybody is, as sparse products:
// over (min, +), and over (or, and) with a mask of those who have not been seen. A graph from a Matrix Market
// file, or a grid with a wall in it.
//   example_shortest_paths [graph.mtx]

#include "matrix_market.hpp"

#include <sweep/sweep.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr char const* map[] = {
    "..............",  //
    ".##########...",  //
    ".........#....",  //
    ".........#....",  //
    "....######....",  //
    "..............",
};
constexpr int height = 6, width = 14;

/// Steps between neighbours that are no wall.
matrix_market::entries<double> grid() {
  matrix_market::entries<double> all{height * width, height * width, {}, {}, {}};
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j)
      for (auto const& [di, dj] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}}) {
        int const k = i + di, l = j + dj;
        if (k < 0 || k >= height || l < 0 || l >= width || map[i][j] == '#' || map[k][l] == '#') continue;
        all.row.push_back(i * width + j);
        all.column.push_back(k * width + l);
        all.value.push_back(1);
      }
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  auto edges = argc > 1 ? matrix_market::read_file<double>(argv[1]) : grid();
  if (edges.rows != edges.columns || edges.rows == 0) throw std::runtime_error("a graph is a square matrix");
  std::swap(edges.row, edges.column);  // a row has the edges that lead to a place
  auto const matrix = matrix_market::compress(sweep::host, edges);
  auto const a = matrix.view();
  auto const n = static_cast<std::size_t>(a.rows);

  // Distances: each is lowered to that of a neighbour and the edge from there, where that is less.
  auto const shortest = sweep::semirings::min_plus<double>();
  std::vector<double> distance(n, shortest.zero), next;
  distance[0] = 0;
  std::size_t rounds = 0;
  do {
    next = distance;
    sweep::spmv(sweep::host, 0.0, a, next, 0.0, distance, shortest);
  } while (++rounds <= n && distance != next);
  if (distance != next) throw std::runtime_error("there is a circle of negative length");

  // Levels: who is next to somebody of the last level, among those who have not been seen.
  std::vector<int> level(n, -1);
  std::vector<char> unseen(n, 1), front(n, 0), reached(n);
  front[0] = 1;
  for (int steps = 0; sweep::any_of(sweep::host, front.begin(), front.end(), [](char c) { return c != 0; });
       ++steps) {
    for (std::size_t i = 0; i < n; ++i)
      if (front[i]) level[i] = steps, unseen[i] = 0;
    reached.assign(n, 0);
    sweep::spmv(sweep::host, a.where(unseen.begin()), front, reached, sweep::semirings::or_and());
    std::swap(front, reached);
  }

  bool same = true;  // where all edges have length 1
  for (std::size_t i = 0; i < n; ++i)
    same = same && (level[i] < 0 ? distance[i] == shortest.zero : argc > 1 || distance[i] == level[i]);
  if (argc <= 1)
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < width; ++j)
        if (auto const l = level[static_cast<std::size_t>(i * width + j)]; l < 0) std::printf("  #");
        else std::printf(" %2d", l);
      std::printf("\n");
    }
  std::printf("%zu rounds; levels and distances %s\n", rounds, same ? "agree" : "differ");
  return same ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
