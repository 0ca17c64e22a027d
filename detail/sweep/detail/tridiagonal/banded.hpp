// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_BANDED_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_BANDED_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/tridiagonal/block.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>

#include <cstdint>
#include <type_traits>

SWEEP_BEGIN_LOOPS

namespace sweep::inline SWEEP_ABI::detail {

/// The diagonals of banded matrices, the lowest first: iterators of any types.
template <class... Its>
struct band_list;
template <>
struct band_list<> {
  template <int, class F>
  SWEEP_HD constexpr void for_each(F const&) const {}
  constexpr band_list<> unwrap() const { return {}; }
};
template <class First, class... Rest>
struct band_list<First, Rest...> {
  First first;
  band_list<Rest...> rest;

  /// f(number of the band, iterator), of all of them.
  SWEEP_NO_EXEC_CHECK
  template <int K = 0, class F>
  SWEEP_HD constexpr void for_each(F const& f) const {
    f(std::integral_constant<int, K>{}, first);
    rest.template for_each<K + 1>(f);
  }
  constexpr auto unwrap() const {
    return band_list<unwrapped_t<First>, unwrapped_t<Rest>...>{unwrapped(first), rest.unwrap()};
  }
};

SWEEP_HD constexpr band_list<> bands_of() { return {}; }
template <class First, class... Rest>
SWEEP_HD constexpr band_list<First, Rest...> bands_of(First first, Rest... rest) {
  return {first, bands_of(rest...)};
}

/// Equations of bandwidth M to each side as rows of blocks: M equations and M unknowns a row, as they are
/// asked for. Where n is not a multiple of M the last row is filled with unknowns that are zero.
template <class T, pivots How, int M, class Bands, class Right, class Solution>
struct banded_problem {
  using value_type = T;
  using part = scalar<T>;
  using number = block_of<part, M>;
  static constexpr pivots how = How;
  static constexpr bool is_cut = false;

  Bands bands;
  Right right;
  Solution solution;
  std::int64_t n;        ///< unknowns of a system
  system_layout layout;  ///< n in rows of blocks, strides in items
  std::int64_t* first_singular = nullptr;

  SWEEP_HD solve_place place_of(std::int64_t solve) const {
    auto const nth_right = solve / layout.systems, system = solve % layout.systems;
    auto const first = system * layout.system_stride;
    return {first, first + nth_right * layout.right_stride, system * n, layout.n};
  }
  SWEEP_HD std::int64_t row_of(solve_place const& place, std::int64_t unknown) const {
    return place.row + (unknown < n ? unknown : n - 1);
  }

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD tridiagonal_row<number> row(solve_place const& place, std::int64_t j) const {
    tridiagonal_row<number> all{};
    for (int a = 0; a < M; ++a) {
      auto const i = j * M + a;
      if (i >= n) {
        all.diagonal.at[a][a] = one<part>();
        continue;
      }
      auto const item = place.coefficients + i * layout.row_stride;
      bands.for_each([&](auto k, auto const& band) {
        constexpr int off = static_cast<int>(decltype(k)::value) - M;  // from the diagonal
        if (i + off < 0 || i + off >= n) return;
        auto const x = to_scalar<T>(static_cast<value_of<std::decay_t<decltype(band)>>>(band[item]));
        int const column = a + off + M;  // from the first unknown of the row before
        auto& block = column < M ? all.lower : column < 2 * M ? all.diagonal : all.upper;
        block.at[a][column % M] = x;
      });
      all.right.at[a] =
          to_scalar<T>(static_cast<value_of<Right>>(right[place.values + i * layout.row_stride]));
    }
    return all;
  }
  SWEEP_HD tridiagonal_row<number> cut_row(solve_place const& place, std::int64_t j) const {
    return row(place, j);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void write_row(solve_place const& place, std::int64_t j, number const& x) const {
    for (int a = 0; a < M; ++a)
      if (auto const i = j * M + a; i < n)
        solution[place.values + i * layout.row_stride] = from_scalar<T>(x.at[a]);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

SWEEP_END_LOOPS

#endif
