// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a layer of a graph neural network does with a node's neighbours, as sparse products: the mean of their
// features, the largest of each, and a mean by attention, whose scores are a sampled product. A graph from a
// Matrix Market file, entry (i, j) making j a neighbour of i, or two rings with a bridge.
//   example_graph_aggregation [graph.mtx]

#include "matrix_market.hpp"

#include <sweep/sweep.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <vector>

namespace {

constexpr int features = 5;

/// Two rings of nodes with an edge between them, and a node alone.
matrix_market::entries<float> rings() {
  matrix_market::entries<float> all{13, 13, {}, {}, {}};
  auto const edge = [&](int i, int j) {
    for (auto const& [r, c] : {std::pair{i, j}, {j, i}}) {
      all.row.push_back(r);
      all.column.push_back(c);
      all.value.push_back(1);
    }
  };
  for (int i = 0; i < 6; ++i) {
    edge(i, (i + 1) % 6);
    edge(6 + i, 6 + (i + 1) % 6);
  }
  edge(0, 6);
  return all;
}

bool near(float a, double b) {
  return a == static_cast<float>(b) || std::abs(a - b) <= 1e-5 * (1 + std::abs(b));
}

}  // namespace

int main(int argc, char** argv) try {
  auto const edges = argc > 1 ? matrix_market::read_file<float>(argv[1]) : rings();
  if (edges.rows != edges.columns) throw std::runtime_error("a graph is a square matrix");
  auto const graph = matrix_market::compress(sweep::host, edges);
  sweep::csr_view const neighbours(graph.rows, graph.columns, graph.offsets, graph.indices);
  auto const n = static_cast<std::size_t>(graph.rows), m = graph.indices.size();
  auto const rows = sweep::segments::by_offsets(graph.offsets.begin(), graph.offsets.end());

  std::vector<float> x(n * features), mean(n * features), largest(n * features), attended(n * features);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 101) / 50 - 1;
  auto const by_nodes = [&](auto& all) {
    return sweep::strided(all.begin(), {graph.rows, std::int64_t{features}});
  };
  sweep::spmv_plan const plan(sweep::host, neighbours);  // many products of one graph

  // The mean: sums, divided by how many there are. Who has no neighbours has zeros.
  sweep::spmm(sweep::host, plan, by_nodes(x), by_nodes(mean));
  for (std::size_t i = 0; i < mean.size(); ++i) {
    auto const r = i / features;
    mean[i] /= static_cast<float>(std::max<std::int64_t>(1, graph.offsets[r + 1] - graph.offsets[r]));
  }

  // The largest: another semiring, and the same call.
  sweep::spmm(sweep::host, plan, by_nodes(x), by_nodes(largest), sweep::semirings::max_times<float>());

  // Attention: how well two neighbours' features fit, as shares of each row, and the mean by these.
  std::vector<float> scores(m), most(n), sums(n);
  auto const turned = sweep::strided(x.begin(), {std::int64_t{features}, graph.rows}, {1, features});
  sweep::sddmm(sweep::host, plan, by_nodes(x), turned, scores);
  auto const lowest = std::numeric_limits<float>::lowest();
  sweep::segmented_reduce(sweep::host, scores.begin(), scores.end(), rows, most.begin(), lowest,
                          [](float a, float b) { return std::max(a, b); });
  std::vector<int> row_of(m);
  sweep::csr_to_coo(sweep::host, neighbours, row_of);
  for (std::size_t k = 0; k < m; ++k)
    scores[k] = std::exp(scores[k] - most[static_cast<std::size_t>(row_of[k])]);
  sweep::segmented_reduce(sweep::host, scores.begin(), scores.end(), rows, sums.begin(), 0.0f, std::plus<>{});
  for (std::size_t k = 0; k < m; ++k) scores[k] /= sums[static_cast<std::size_t>(row_of[k])];
  sweep::spmm(sweep::host, sweep::csr_view(graph.rows, graph.columns, graph.offsets, graph.indices, scores),
              by_nodes(x), by_nodes(attended));

  // The same by loops.
  bool right = true;
  for (std::size_t r = 0; r < n; ++r) {
    auto const begin = static_cast<std::size_t>(graph.offsets[r]),
               end = static_cast<std::size_t>(graph.offsets[r + 1]);
    auto const at = [&](std::size_t k, std::size_t f) {
      return static_cast<double>(x[static_cast<std::size_t>(graph.indices[k]) * features + f]);
    };
    std::vector<double> weights;
    double all = 0;
    for (auto k = begin; k < end; ++k) {
      double fit = 0;
      for (std::size_t f = 0; f < features; ++f) fit += static_cast<double>(x[r * features + f]) * at(k, f);
      weights.push_back(std::exp(fit));
      all += weights.back();
    }
    for (std::size_t f = 0; f < features; ++f) {
      double sum = 0, greatest = -std::numeric_limits<double>::infinity(), weighted = 0;
      for (auto k = begin; k < end; ++k) {
        sum += at(k, f);
        greatest = std::max(greatest, at(k, f));
        weighted += weights[k - begin] / all * at(k, f);
      }
      auto const i = r * features + f;
      right = right && near(mean[i], end > begin ? sum / static_cast<double>(end - begin) : 0) &&
              near(largest[i], greatest) && near(attended[i], weighted);
    }
  }

  std::printf("%zu nodes, %zu neighbours\n  node   mean largest attended, of feature 0\n", n, m);
  for (std::size_t r = 0; r < std::min<std::size_t>(n, 13); ++r)
    std::printf("%6zu %6.2f %7.2f %8.2f\n", r + 1, mean[r * features], largest[r * features],
                attended[r * features]);
  std::printf(right ? "as by loops\n" : "not as by loops\n");
  return right ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
