// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SDDMM_PROBLEM_HPP
#define SWEEP_DETAIL_SDDMM_PROBLEM_HPP

#include <sweep/csr.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/spmv/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Everything that was asked for, with its types complete: of each entry (r, c) of a pattern the fold of
/// times(x[r][i], y[i][c]), i in [0, depth), V what is folded.
template <class V, class Offsets, class Indices, class X, class Y, class Out, class Plus, class Times,
          class Rows, class Result>
struct sddmm_problem {
  using value = V;
  using index = value_of<Indices>;
  static constexpr bool masked = !std::is_same_v<Rows, every_row>;

  std::int64_t rows, columns, n, depth;
  Offsets offsets;
  Indices indices;
  X x;
  std::int64_t x_row, x_step;  ///< how far neighbours lie apart
  Y y;
  std::int64_t y_step, y_column;
  Out out;
  mutable Plus op;  ///< a caller's function need not be const
  mutable Times times;
  V zero;
  Rows wanted;
  Result result;

  /// Whether a row's entries all stand before entry k.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool ends_before(std::int64_t row, std::int64_t k) const {
    return static_cast<std::int64_t>(offsets[row + 1]) <= k;
  }
  /// The row of an entry, among those from `low` on; one of the matrix whatever the offsets are.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t row_of(std::int64_t k, std::int64_t low, std::int64_t high) const {
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (ends_before(middle, k)) low = middle + 1;
      else high = middle;
    }
    return low < rows ? low : rows - 1;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V product(std::int64_t row, std::int64_t column, std::int64_t i) const {
    return static_cast<V>(times(x[row * x_row + i * x_step], y[i * y_step + column * y_column]));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V fold(V const& a, V const& b) const { return static_cast<V>(op(a, b)); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t k, std::int64_t row, V const& sum) const {
    if constexpr (masked)
      if (!static_cast<bool>(wanted[row])) return;
    put_result(out, k, sum, op, times, result);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif
