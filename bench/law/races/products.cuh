// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_PRODUCTS_CUH
#define SWEEP_BENCH_LAW_RACES_PRODUCTS_CUH

#include <cusparse.cuh>
#include <law/races/peers.cuh>
#include <matrices.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

// Races of sparse products, of matrices of ten kinds, whose sizes and entries are drawn.
namespace law {

enum class matrix_kind {
  poisson,
  band,
  power_law,
  one_dense_row,
  mostly_empty,
  anywhere,
  blocks,
  arrow,
  few_long_rows,
  one_a_row
};

/// A matrix of a kind, with about so many entries.
inline bench::matrix drawn_matrix(matrix_kind kind, std::int64_t wanted, double mean, std::uint64_t seed) {
  auto const entries = std::max<std::int64_t>(wanted, 64);  // more places than entries, as cuSPARSE asks
  bench::draws random(seed);
  auto const most = static_cast<int>(std::sqrt(static_cast<double>(entries))) / 2;
  auto const each = std::clamp(static_cast<int>(mean), 1, std::min(most, 200));
  auto const rows = static_cast<int>(std::max<std::int64_t>(1, entries / each));
  switch (kind) {
  case matrix_kind::poisson:
    return bench::poisson(std::max(1, static_cast<int>(std::sqrt(entries / 5.0))));
  case matrix_kind::band:
    return bench::band(rows, each);
  case matrix_kind::power_law:
    return bench::power_law(rows, each, random);
  case matrix_kind::one_dense_row:
    return bench::rows_of_three_and_a_dense_one(static_cast<int>(std::max<std::int64_t>(1, entries / 4)));
  case matrix_kind::mostly_empty:
    return bench::mostly_empty(static_cast<int>(std::max<std::int64_t>(1, entries)), random);
  case matrix_kind::anywhere:
    return bench::uniform(rows, each, random);
  default:
    break;
  }
  // Blocks on the diagonal; a full first row and column beside the diagonal; long rows; one entry a row.
  bool const is_wide = kind == matrix_kind::few_long_rows;
  int const count = is_wide                       ? 1 + static_cast<int>(random() % 64)
                    : kind == matrix_kind::blocks ? rows
                    : kind == matrix_kind::one_a_row
                        ? static_cast<int>(entries)
                        : static_cast<int>(std::max<std::int64_t>(1, entries / 3));
  int const columns = is_wide ? static_cast<int>(std::max<std::int64_t>(1, entries)) : count;
  bench::matrix m{count, columns};
  for (int r = 0; r < count; ++r) {
    if (is_wide) {
      for (std::int64_t k = 0; k < entries / count; ++k) m.indices.push_back(random.below(columns));
    } else if (kind == matrix_kind::blocks) {
      for (int c = r / each * each; c < std::min(count, (r / each + 1) * each); ++c) m.indices.push_back(c);
    } else if (kind == matrix_kind::one_a_row) {
      m.indices.push_back(random.below(columns));
    } else if (r == 0) {
      for (int c = 0; c < columns; ++c) m.indices.push_back(c);
    } else {
      m.indices.push_back(0);
      m.indices.push_back(r);
    }
    m.sort_row();
    m.end_row();
  }
  return m;
}

/// Entries of a matrix and of a vector: whole numbers whose sums no order changes.
template <class T>
struct plus_or_minus_one {
  __host__ __device__ T operator()(std::uint64_t seed, std::int64_t i) const {
    return elements::random_bits(seed, i) >> 63 ? T(1) : T(-1);
  }
};

template <class T, matrix_kind Kind>
struct spmv {
  static constexpr char const* peer = "cuSPARSE CSR";
  static constexpr double held =
      700;  // far less: a host makes the matrix, and ten million entries take it a second
  static result run(draw const& d) {
    auto const m = drawn_matrix(Kind, d.n, d.mean_segment, d.seed);
    auto const n = static_cast<std::int64_t>(m.indices.size());
    auto const uploaded = [](int number, std::vector<int> const& items) {
      auto* const at = role(number).get<int>(static_cast<std::int64_t>(items.size()) + 1);
      check(cudaMemcpyAsync(at, items.data(), items.size() * sizeof(int), cudaMemcpyHostToDevice, stream()),
            "cudaMemcpyAsync");
      return static_cast<int const*>(at);
    };
    auto const* const offsets = uploaded(10, m.offsets);
    auto const* const indices = uploaded(11, m.indices);
    auto* const values = role(0).get<T>(n + 1);
    auto* const x = role(12).get<T>(m.columns + 1);
    fill(values, n, plus_or_minus_one<T>{}, d.seed);
    fill(x, m.columns, plus_or_minus_one<T>{}, d.seed + 1);
    auto const y = output<T>(2, m.rows);
    wait();
    sweep::csr_view const a(m.rows, m.columns, n, offsets, indices, static_cast<T const*>(values));
    auto const peers =
        bench::cusparse_peers(m.rows, m.columns, n, offsets, indices, static_cast<T const*>(values),
                              static_cast<T const*>(x), y.peers);
    if (peers.empty()) throw std::runtime_error("cuSPARSE is not there");
    stopwatch watch;
    auto const time_of = [&](auto const& one) {
      one.run(0);
      return watch.us(4, one.run);
    };
    auto const& best = time_of(peers.front()) <= time_of(peers.back()) ? peers.front() : peers.back();
    auto const bytes = static_cast<double>(n) * (sizeof(T) + 4) + 4.0 * m.rows +
                       static_cast<double>(sizeof(T)) * (static_cast<double>(m.rows) + m.columns);
    return race(
        bytes, [=] { sweep::spmv(on(), a, x, y.ours); }, [&] { best.run(0); },
        [&] { return agree(y, m.rows); });
  }
};

}  // namespace law

#endif
